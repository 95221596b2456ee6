package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cohop/internal/tokens"
	"cohop/rank"
)

// connect gives a client of a server within this process.
func connect(t testing.TB, m *MCP, home string, opt *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	ct, st := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := m.server(ctx, home).Connect(ctx, st, nil); err != nil {
		t.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, opt).Connect(ctx, ct, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cs.Close(); cancel() })
	return cs
}

// call calls a tool and returns its text.
func call(t testing.TB, cs *mcp.ClientSession, tool string, args map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	return textOf(r), r.IsError
}

func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

const task = "redeem_voucher raises ValueError when a cart redeems it twice"

// rounds are the calls that every transport must carry.
func rounds(t *testing.T, cs *mcp.ClientSession, dir string) {
	t.Helper()
	text, failed := call(t, cs, "rank", map[string]any{"task": task, "repo": dir})
	if failed || !strings.Contains(text, "def redeem_voucher") || !strings.Contains(text, "\n1 cart/voucher.py (source): ") || !strings.HasPrefix(text, "n_eff=") {
		t.Errorf("rank: %s", text)
	}
	wellFormed(t, text)
	text, failed = call(t, cs, "explain", map[string]any{"task": task, "path": "cart/voucher.py", "repo": dir})
	if failed || !strings.Contains(text, "similarity.file") {
		t.Errorf("explain: %s", text)
	}
	for what, args := range map[string]map[string]any{
		"at most":         {"task": strings.Repeat("a ", maxTaskBytes/2+1)},
		"ceiling of 4000": {"task": task, "budget": 4001}, "want 1 to": {"task": task, "budget": -1},
		"1 to 100 files": {"task": task, "top": 101}, "the task is empty": {"task": "  "}, "repository": {"task": task, "repo": "/"},
		"additional": {"task": task, "colour": "red"}, "task": {},
	} {
		if _, ok := args["repo"]; !ok {
			args["repo"] = dir
		}
		r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "rank", Arguments: args})
		switch {
		case err != nil:
			if !strings.Contains(err.Error(), what) {
				t.Errorf("%s: %v", what, err)
			}
		case !r.IsError || !strings.Contains(textOf(r), what):
			t.Errorf("%s: %v %s", what, r.IsError, textOf(r))
		}
	}
}

func TestInMemory(t *testing.T) {
	rounds(t, connect(t, &MCP{CacheDir: t.TempDir(), Deadline: patient}, "", nil), fixture(t, shop))
}

// TestStdio drives a server of its own process with the SDK's client, and ends
// it by closing its stdin (cases.md 22).
func TestStdio(t *testing.T) {
	dir := fixture(t, shop)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe)
	c.Env = append(os.Environ(), "RANK_TEST_SERVE=1", "RANK_TEST_REPO="+dir, "RANK_TEST_CACHE="+t.TempDir())
	c.Stderr = os.Stderr
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: c, TerminateDuration: patient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rounds(t, cs, dir)
	// Without a name, calls of one client share a session.
	if text, _ := call(t, cs, "rank", map[string]any{"task": "what are its arguments?"}); !strings.Contains(text, "mem=") || !strings.Contains(text, "cart/voucher.py") {
		t.Errorf("follow-up: %s", text)
	}
	if text, _ := call(t, cs, "rank", map[string]any{"task": "what are its arguments?", "fresh": true}); strings.Contains(text, "mem=") {
		t.Errorf("fresh follow-up: %s", text)
	}
	if err := cs.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	if c.ProcessState == nil || !c.ProcessState.Success() {
		t.Errorf("after stdin is closed: %v", c.ProcessState)
	}
}

// bearer adds a token to every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// listen serves at a free port and returns its address.
func listen(t *testing.T, m *MCP, token string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	at := make(chan net.Addr, 1)
	done := make(chan error, 1)
	go func() { done <- m.HTTP(ctx, "127.0.0.1:0", token, func(a net.Addr) { at <- a }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("end: %v", err)
		}
	})
	select {
	case a := <-at:
		return "http://" + a.String()
	case err := <-done:
		t.Fatal(err)
		return ""
	}
}

func TestHTTP(t *testing.T) {
	dir := fixture(t, shop)
	const token = "a-token-of-some-length"
	at := listen(t, &MCP{CacheDir: t.TempDir(), Deadline: patient}, token)
	dial := func(token string) (*mcp.ClientSession, error) {
		return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: at, HTTPClient: &http.Client{Transport: bearer{token}}, DisableStandaloneSSE: true}, nil)
	}
	cs, err := dial(token)
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	rounds(t, cs, dir)
	// Sessions are named in the calls, there is no other memory.
	if text, _ := call(t, cs, "rank", map[string]any{"task": task, "repo": dir, "session": "x"}); strings.Contains(text, "mem=") {
		t.Errorf("first of a session: %s", text)
	}
	if text, _ := call(t, cs, "rank", map[string]any{"task": "what are its arguments?", "repo": dir, "session": "x"}); !strings.Contains(text, "mem=") {
		t.Errorf("follow-up: %s", text)
	}
	if text, _ := call(t, cs, "rank", map[string]any{"task": "what are its arguments?", "repo": dir}); strings.Contains(text, "mem=") {
		t.Errorf("without a session: %s", text)
	}
	for _, wrong := range []string{"", "a-token-of-some-lengtH"} {
		if cs, err := dial(wrong); err == nil {
			cs.Close()
			t.Errorf("let in with %q", wrong)
		}
	}
	// A page of a browser may not call, not even with the token.
	r, _ := http.NewRequest("POST", at, strings.NewReader(`{}`))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Origin", "https://example.org")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if resp, err := http.DefaultClient.Do(r); err != nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("cross-site: %v %v", resp, err)
	} else {
		resp.Body.Close()
	}
	r, _ = http.NewRequest("POST", at, strings.NewReader(`{}`))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Host = "rebound.example.org"
	if resp, err := http.DefaultClient.Do(r); err != nil || resp.StatusCode != http.StatusForbidden {
		t.Errorf("another host's name: %v %v", resp, err)
	} else {
		resp.Body.Close()
	}
}

func TestAddress(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct{ address, token, want string }{
		{"0.0.0.0:0", "", "reachable from outside"}, {":0", "", "reachable from outside"}, {"192.0.2.1:0", "", "reachable from outside"},
		{"[::]:0", "", "reachable from outside"}, {"example.org:0", "", "reachable from outside"}, {"8717", "", "HOST:PORT"}, {"127.0.0.1:0", "short", "at least 16"},
	} {
		if err := (&MCP{}).HTTP(ctx, c.address, c.token, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.address, err)
		}
	}
}

// TestFirstIndex: progress is told to who asks for it, and a second call while
// the index is built is answered too (cases.md 22).
func TestFirstIndex(t *testing.T) {
	dir := fixture(t, shop)
	var mu sync.Mutex
	var told []float64
	cs := connect(t, &MCP{CacheDir: t.TempDir(), Deadline: patient}, "", &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, r.Params.Progress)
		}})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			p := &mcp.CallToolParams{Name: "rank", Arguments: map[string]any{"task": task, "repo": dir}}
			if i == 0 {
				p.SetProgressToken("first")
			}
			r, err := cs.CallTool(t.Context(), p)
			if err != nil || r.IsError || !strings.Contains(textOf(r), "def redeem_voucher") {
				t.Errorf("call %d: %v %v", i, err, r)
			}
		}()
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	if !slices.IsSorted(told) {
		t.Errorf("progress goes back: %v", told)
	}
}

// TestTooEarly: when time is up the names answer, and the index goes on being
// built for the next call.
func TestTooEarly(t *testing.T) {
	dir := fixture(t, shop)
	m := &MCP{CacheDir: t.TempDir(), Deadline: time.Nanosecond}
	cs := connect(t, m, "", nil)
	text, failed := call(t, cs, "rank", map[string]any{"task": "redeem a voucher", "repo": dir})
	if failed || !strings.Contains(text, rank.NamesOnly) || !strings.Contains(text, "cart/voucher.py") {
		t.Errorf("%s", text)
	}
	if text, failed := call(t, cs, "explain", map[string]any{"task": "redeem a voucher", "repo": dir, "path": "cart/voucher.py"}); !failed || !strings.Contains(text, "call again") {
		t.Errorf("%v %s", failed, text)
	}
	m.Deadline = patient
	cs = connect(t, m, "", nil)
	if text, failed := call(t, cs, "rank", map[string]any{"task": "redeem a voucher", "repo": dir}); failed || strings.Contains(text, rank.NamesOnly) {
		t.Errorf("%s", text)
	}
	// Once it is built, time is what is short.
	m.Deadline = time.Nanosecond
	cs = connect(t, m, "", nil)
	if text, failed := call(t, cs, "rank", map[string]any{"task": "redeem a voucher", "repo": dir}); failed || strings.Contains(text, rank.NamesOnly) || !strings.Contains(text, rank.NamesInTime) {
		t.Errorf("%s", text)
	}
}

// TestCancel: a call that was cancelled ends, and takes no place with it.
func TestCancel(t *testing.T) {
	dir := fixture(t, shop)
	cs := connect(t, &MCP{CacheDir: t.TempDir(), Deadline: patient}, "", nil)
	for range 3 * minSlots {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "rank", Arguments: map[string]any{"task": task, "repo": dir}}); err == nil {
			t.Error("answered after it was cancelled")
		}
	}
	if text, failed := call(t, cs, "rank", map[string]any{"task": task, "repo": dir}); failed {
		t.Error(text)
	}
}

// TestFreshTree: what is on disk when a call comes is what is ranked.
func TestFreshTree(t *testing.T) {
	dir := fixture(t, shop)
	cs := connect(t, &MCP{CacheDir: t.TempDir(), Deadline: patient}, "", nil)
	args := map[string]any{"task": "quarantine_parcel", "repo": dir}
	if text, _ := call(t, cs, "rank", args); strings.Contains(text, "def quarantine_parcel") {
		t.Fatal(text)
	}
	write(t, dir, map[string]string{"parcel/customs.py": "def quarantine_parcel(parcel):\n    return parcel\n"})
	if text, _ := call(t, cs, "rank", args); !strings.Contains(text, "def quarantine_parcel") {
		t.Error(text)
	}
}

func TestCompactAndStructured(t *testing.T) {
	dir := fixture(t, shop)
	cs := connect(t, &MCP{CacheDir: t.TempDir(), Deadline: patient, Profile: Compact}, "", nil)
	text, _ := call(t, cs, "rank", map[string]any{"task": task, "repo": dir})
	if !strings.Contains(text, "\n1 cart/voucher.py python source\n") || !strings.Contains(text, "def redeem_voucher") {
		t.Error(text)
	}
	r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "rank", Arguments: map[string]any{"task": task, "repo": dir}})
	if err != nil || r.StructuredContent != nil || r.Meta["rank"] == nil {
		t.Errorf("%v %+v", err, r)
	}
	cs = connect(t, &MCP{CacheDir: t.TempDir(), Deadline: patient, Structured: true}, "", nil)
	r, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "rank", Arguments: map[string]any{"task": task, "repo": dir}})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(r.StructuredContent)
	var f figuresOut
	if err := json.Unmarshal(b, &f); err != nil || len(f.Files) == 0 || f.Files[0] != "cart/voucher.py" || f.NEff < 1 || len(b) > 1000 {
		t.Errorf("%v %s", err, b)
	}
}

// TestCeiling: a big answer loses texts, never a place, and says so; places
// that are too many are an error that says what to lower.
func TestCeiling(t *testing.T) {
	files := map[string]string{}
	for i := range 120 {
		var b strings.Builder
		fmt.Fprintf(&b, "# Export limit %d\n\n", i)
		for j := range 100 {
			fmt.Fprintf(&b, "export_limit_%d_%d = %q\n", i, j, "limit of the export ☃")
		}
		files[fmt.Sprintf("export/limit/%s/limit_%03d.py", strings.Repeat("deep_", 30), i)] = b.String()
	}
	cs := connect(t, &MCP{CacheDir: t.TempDir(), Deadline: patient}, "", nil)
	dir := fixture(t, files)
	for _, top := range []int{5, 50} {
		text, failed := call(t, cs, "rank", map[string]any{"task": "export limit", "repo": dir, "budget": MaxBudget, "top": top})
		if n := units(text); failed || n > MaxAnswer {
			t.Errorf("top %d: %d characters, %v", top, n, failed)
		}
		if n := len(regexp.MustCompile(`(?m)^\d+ export/limit/.* \(source\)`).FindAllString(text, -1)); n != top {
			t.Errorf("top %d: %d listed", top, n)
		}
		wellFormed(t, text)
	}
	if text, failed := call(t, cs, "rank", map[string]any{"task": "export limit", "repo": dir, "budget": MaxBudget, "top": 100}); !failed || !strings.Contains(text, "lower top") {
		t.Errorf("%v %.300s", failed, text)
	}
}

// TestToolList holds what is paid on every turn against its ceilings.
func TestToolList(t *testing.T) {
	cs := connect(t, &MCP{}, "", nil)
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	texts := instructions
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		texts += tool.Description
		if len(tool.Description) > 350 {
			t.Errorf("%s: description of %d characters", tool.Name, len(tool.Description))
		}
		if tool.OutputSchema != nil {
			t.Errorf("%s: an output schema costs tokens on every turn", tool.Name)
		}
		b, _ := json.Marshal(tool.InputSchema)
		texts += string(b)
	}
	if !slices.Equal(names, []string{"explain", "rank"}) {
		t.Errorf("tools %q", names)
	}
	if n := units(instructions); n > 450 {
		t.Errorf("instructions of %d characters", n)
	}
	// A value that a setting or flag changes would go stale in a text.
	if m := regexp.MustCompile(`[0-9]|default`).FindString(texts); m != "" {
		t.Errorf("%q stands in the texts", m)
	}
	b, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	const ceiling = 600
	n := tokens.Count(b) + tokens.CountString(instructions)
	t.Logf("tools/list and instructions: %d tokens, %d characters", n, len(b)+len(instructions))
	if n > ceiling {
		t.Errorf("%d tokens, want at most %d: %s", n, ceiling, b)
	}
}
