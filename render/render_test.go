package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"cohop/rank"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update rewrites it)\n got:\n%s\nwant:\n%s", file, got, want)
	}
}

// result is a plain answer.
func result() *rank.Result {
	return &rank.Result{
		Schema: rank.Schema, Task: "rate limit the /export endpoint", Repo: "shop", Rev: "0f3c", Dirty: true,
		Header: rank.Header{
			NEff: 3.24, K: 5, Epsilon: 0.0849, Unpacked: 0.2051, Tokens: 1993, Budget: 2000, Pool: 312, Files: 6712, Chunks: 40123,
			Intent: "change", Missing: []string{"ratelimit", "x<y"}, Nearest: []string{"limiter"}, Masked: 1,
			Warnings: []string{"3 objects are missing: a partial clone"},
		},
		Files: []rank.File{
			{Path: "api/export.go", Rank: 1, Score: 9.41249, Language: "go", Role: "source", Promoted: true, Reason: "the task names it; defines Export; changed with api/limit.go in 11 of 14 commits",
				Signals: map[string]rank.Signal{
					"similarity": {Part: 2.25}, "similarity.file": {Raw: 31.4159, Z: 2.5, Part: 1.25}, "similarity.chunk": {Raw: 12, Z: 2, Part: 1},
					"hops": {Raw: -4, Z: -1.5, Part: -0.45}, "mention": {Raw: 1, Z: 8, Part: 4},
					"priors": {Part: 0.3}, "priors.role": {Raw: 0, Z: 0.6, Part: 0.3}, "priors.heat": {},
				}},
			{Path: "api/limit & <burst>.go", Rank: 2, Score: 4.5, Language: "go", Role: "source", Reason: "words of the task: rate, limit"},
			{Path: "web/src/features/administration/exports/components/ExportLimitDialog.test.tsx", Rank: 3, Score: -0.2, Language: "typescript", Role: "test", Reason: "commits like the task"},
			{Path: "docs/エクスポート.md", Rank: 10, Score: -12.3456, Language: "markdown", Role: "documentation", Reason: "commits like the task touched it, and its title says エクスポートを制限する"},
		},
		Pack: []rank.Item{
			{Path: "api/export.go", Tier: "body", StartLine: 12, EndLine: 40, Symbol: "Server.Export", Language: "go", Tokens: 312, Text: "func (s *Server) Export() {\n}\n", Shortened: true, FileLines: 812},
			{Path: "api/export.go", Tier: "signature", StartLine: 101, EndLine: 101, Symbol: "Server.write", Language: "go", Tokens: 21, Text: "func (s *Server) write(w io.Writer) error\n", Shortened: true, FileLines: 812},
			{Path: "api/limit & <burst>.go", Tier: "path", StartLine: 1, EndLine: 90, Language: "go", Tokens: 11, FileLines: 90},
			{Path: "api/import.go", Tier: "body", StartLine: 1, EndLine: 9, Symbol: "Import", Language: "go", Tokens: 80, Text: "package api\n", FileLines: 9, Exemplar: true},
		},
		LeftOut: []rank.LeftOut{{Path: "a", Reason: "over budget"}, {Path: "b", Reason: "third of its directory"}, {Path: "c", Reason: "over budget"}},
	}
}

// hostile is an answer about a repository that is up to no good.
func hostile() *rank.Result {
	return &rank.Result{
		Task: "\x1b[31mred\x1b[0m",
		Header: rank.Header{Intent: "ask", Abstained: true, Missing: []string{"\x1b]0;title\x07"},
			Warnings: []string{"line\nbreak", "tab\there"}},
		Files: []rank.File{
			{Path: "\x1b[2J\nname", Rank: 1, Score: 1, Role: "source", Reason: "defines \x9b31m\u202eevil"},
			{Path: "latin-\xe9.txt", Rank: 2, Score: 1, Role: "\x1b", Reason: "\r\x08"},
			{Path: "latin-\uFFFD.txt", PathB64: "bGF0aW4t6S50eHQ=", Rank: 3, Score: 1},
		},
		Pack: []rank.Item{
			{Path: "\x1b[2J\nname", Tier: "body", StartLine: 1, EndLine: 2, Symbol: "\x1b[5m", Text: "\x1b[31m\n", Tokens: 4},
			{Path: "latin-\xe9.txt", Tier: "path", StartLine: 1, EndLine: 1},
		},
		LeftOut: []rank.LeftOut{{Path: "x", Reason: "\x1b[0m"}},
	}
}

func render(t *testing.T, f func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func text(t *testing.T, r *rank.Result, opt TextOptions) []byte {
	t.Helper()
	return render(t, func(b *bytes.Buffer) error { return Text(b, r, opt) })
}

func TestGolden(t *testing.T) {
	r, h := result(), hostile()
	golden(t, "pipe.golden", text(t, r, TextOptions{}))
	golden(t, "terminal.golden", text(t, r, TextOptions{Width: 100}))
	golden(t, "color.golden", text(t, r, TextOptions{Width: 100, Color: true}))
	golden(t, "hostile.golden", text(t, h, TextOptions{}))
	golden(t, "json.golden", render(t, func(b *bytes.Buffer) error { return JSON(b, r) }))
	golden(t, "hostile-json.golden", render(t, func(b *bytes.Buffer) error { return JSON(b, h) }))
	golden(t, "trec.golden", render(t, func(b *bytes.Buffer) error { return TREC(b, "shop 1", append(r.Files, h.Files[:2]...)) }))
	golden(t, "explain.golden", render(t, func(b *bytes.Buffer) error { return Explain(b, r, "api/export.go") }))
}

// TestHeaderLine spells the first line out, since other programs read it.
func TestHeaderLine(t *testing.T) {
	r := result()
	r.Header.Masked = 0
	want := "n_eff=3.2 k=5 ε=0.08 unpacked=0.21 tokens=1993/2000 pool=312 files=6712 intent=change"
	for what, got := range map[string][]byte{
		"text":     text(t, r, TextOptions{}),
		"terminal": text(t, r, TextOptions{Width: 80}),
		"markdown": render(t, func(b *bytes.Buffer) error { return Markdown(b, r) }),
	} {
		if line, _, _ := strings.Cut(string(got), "\n"); line != want {
			t.Errorf("%s: %q, want %q", what, line, want)
		}
	}
}

// TestNothingReachesTheTerminal looks for bytes a terminal obeys.
func TestNothingReachesTheTerminal(t *testing.T) {
	h := hostile()
	out := [][]byte{
		text(t, h, TextOptions{}), text(t, h, TextOptions{Width: 80}), text(t, h, TextOptions{Width: 1}),
		render(t, func(b *bytes.Buffer) error { return Explain(b, h, h.Files[0].Path) }),
		render(t, func(b *bytes.Buffer) error { return Explain(b, h, "latin-\xe9.txt") }),
		render(t, func(b *bytes.Buffer) error { return TREC(b, "q\x1b", h.Files) }),
	}
	for i, o := range out {
		for k, r := range string(o) {
			if r == '\n' || r == '\t' {
				continue
			}
			if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
				t.Errorf("output %d: rune %U at %d of %q", i, r, k, o)
			}
		}
	}
	// In colour the only escapes are our own: none is left when they go.
	colored := string(text(t, h, TextOptions{Width: 80, Color: true}))
	for _, c := range []string{bold, dim, yellow, cyan, "0"} {
		colored = strings.ReplaceAll(colored, "\x1b["+c+"m", "")
	}
	if strings.Contains(colored, "\x1b") {
		t.Errorf("foreign escape in %q", colored)
	}
	if plain := string(text(t, result(), TextOptions{Width: 80})); strings.ContainsAny(plain, "\x1b├└") {
		t.Errorf("colour or boxes without Color: %q", plain)
	}
}

// TestWidth: no line is wider than the terminal unless a path makes it so, and
// paths are whole.
func TestWidth(t *testing.T) {
	r := result()
	long := r.Files[2].Path
	for _, w := range []int{40, 60, 80, 100, 200} {
		got := string(text(t, r, TextOptions{Width: w}))
		for _, f := range r.Files {
			if !strings.Contains(got, f.Path) {
				t.Errorf("width %d: %q is cut", w, f.Path)
			}
		}
		_, table, _ := strings.Cut(got, "\n\n")
		table, _, _ = strings.Cut(table, "\n\n")
		for line := range strings.Lines(table) {
			if n := columns(strings.TrimSuffix(line, "\n")); w >= 80 && n > w && !strings.Contains(line, long) {
				t.Errorf("width %d: %d cells in %q", w, n, line)
			}
		}
	}
}

// TestMarkdown: the header is what stands before the first empty line, and
// what follows it is the body that the budget counts, byte for byte.
func TestMarkdown(t *testing.T) {
	for _, r := range []*rank.Result{result(), hostile()} {
		head, body, ok := bytes.Cut(render(t, func(b *bytes.Buffer) error { return Markdown(b, r) }), []byte("\n\n"))
		if want := strings.Join(headerLines(r), "\n"); !ok || string(head) != want {
			t.Errorf("header %q, want %q", head, want)
		}
		if want := rank.Body(r.Pack); !bytes.Equal(body, want) {
			t.Errorf("body %q, want %q", body, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abcd", 1, "…"}, {"abcd", 0, ""}, {"", 0, ""}, {"ab cd", 4, "ab…"},
		{"日本語", 6, "日本語"}, // two cells each
		{"日本語", 5, "日本…"}, // 2+2+1
		{"日本語", 4, "日…"},  // 2+1: 2+2+1 would be five
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
	} {
		if got := cut(c.s, c.n); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
		if got := cut(c.s, c.n); columns(got) > c.n {
			t.Errorf("cut(%q, %d) takes %d cells", c.s, c.n, columns(got))
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日": "plain é 日", "a\x1b[0m": `a\x1b[0m`, "a\nb\r\t": `a\nb\r\t`, "\x00\x7f": `\x00\x7f`,
		"\u0085": `\x85`, "\x85": `\x85`, "\u202e": `\u202e`, "\U000E0001": `\U000e0001`, "\uFFFD": "\uFFFD", `\x`: `\x`,
	} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	empty := string(render(t, func(b *bytes.Buffer) error { return JSON(b, &rank.Result{}) }))
	for _, part := range []string{`"schema":"rank/1"`, `"missing":[]`, `"warnings":[]`, `"files":[]`, `"pack":[]`, `"left_out":[]`} {
		if !strings.Contains(empty, part) {
			t.Errorf("no %s in %s", part, empty)
		}
	}
	if strings.Contains(empty, "null") {
		t.Errorf("null in %s", empty)
	}
	r := result()
	out := render(t, func(b *bytes.Buffer) error { return JSON(b, r) })
	var back rank.Result
	if err := json.Unmarshal(out, &back); err != nil {
		t.Fatal(err)
	}
	if a, b := fmt.Sprintf("%+v", *r), fmt.Sprintf("%+v", back); strings.ReplaceAll(a, "Signals:map[]", "") != strings.ReplaceAll(b, "Signals:map[]", "") {
		t.Errorf("read back\n%s\nwant\n%s", b, a)
	}
	if !bytes.Contains(out, []byte(`"api/limit & <burst>.go"`)) || bytes.Count(out, []byte("\n")) != 1 {
		t.Errorf("escaped, or not one line: %s", out)
	}

	const odd = "\x7f\u009b31m\u202e\U000E0001\u2028é日"
	out = render(t, func(b *bytes.Buffer) error { return JSON(b, &rank.Result{Task: odd}) })
	if err := json.Unmarshal(out, &back); err != nil || back.Task != odd {
		t.Errorf("%v: %q", err, back.Task)
	}
	if bytes.ContainsAny(out, "\x7f\u009b\u202e\U000E0001") || !bytes.Contains(out, []byte("é日")) {
		t.Errorf("a terminal would obey %q", out)
	}

	h := hostile()
	if err := json.Unmarshal(render(t, func(b *bytes.Buffer) error { return JSON(b, h) }), &back); err != nil {
		t.Fatal(err)
	}
	if got := exact(back.Files[1].Path, back.Files[1].PathB64); got != "latin-\xe9.txt" || back.Pack[1].PathB64 == "" || back.Files[0].PathB64 != "" {
		t.Errorf("paths came back as %+v", back.Files)
	}
	if h.Files[1].PathB64 != "" || h.Header.Warnings == nil || h.Files[0].Signals != nil {
		t.Error("the caller's result was written to")
	}
	if err := JSON(&bytes.Buffer{}, &rank.Result{Task: "t", Header: rank.Header{NEff: math.NaN()}}); err == nil || !strings.Contains(err.Error(), "encode result") {
		t.Errorf("not a number: %v", err)
	}
}

// TestTREC reads the run back as a scorer would.
func TestTREC(t *testing.T) {
	scores := []float64{math.Inf(1), 3, 3, 3, 2.999999, 2.99999, 2, 2.5, 1e-7, 0, 0, -0.000001, -1, math.NaN(), math.Inf(-1), math.NaN()}
	files := make([]rank.File, len(scores))
	for i, s := range scores {
		files[i] = rank.File{Path: fmt.Sprintf("dir %d/100%%\t日\u3000\u0085\n.go", i), Score: s}
	}
	out := string(render(t, func(b *bytes.Buffer) error { return TREC(b, "q 1", files) }))
	last := float32(math.Inf(1))
	n := 0
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) != 6 || fields[0] != "q%201" || fields[1] != "Q0" || fields[3] != strconv.Itoa(n+1) || fields[5] != Tag {
			t.Fatalf("line %q", line)
		}
		if doc, err := url.PathUnescape(fields[2]); err != nil || doc != files[n].Path {
			t.Errorf("docid %q is %q, want %q: %v", fields[2], doc, files[n].Path, err)
		}
		v, err := strconv.ParseFloat(fields[4], 64)
		if err != nil {
			t.Fatal(err)
		}
		if s := scores[n]; math.Abs(v) < 1e6 && float32(v) >= last {
			t.Errorf("line %d: score %s (of %v) is not below %v", n, fields[4], s, last)
		}
		last = float32(v)
		n++
	}
	if n != len(files) {
		t.Errorf("%d lines of %d", n, len(files))
	}
	// 3, 3, 3, 2.999999 → 3.00000, 2.99999, 2.99998, 2.99997: each a step lower.
	for _, want := range []string{" 3.00000 ", " 2.99999 ", " 2.99998 ", " 2.99997 ", " 2.99996 ", " -1.00000 "} {
		if strings.Count(out, want) != 1 {
			t.Errorf("%q stands %d times in\n%s", want, strings.Count(out, want), out)
		}
	}
}

func TestExplainUnknown(t *testing.T) {
	err := Explain(&bytes.Buffer{}, result(), "no/such.go")
	if err == nil || !strings.Contains(err.Error(), `"no/such.go"`) || !strings.Contains(err.Error(), "4 files") {
		t.Errorf("%v", err)
	}
}

// TestExplainSum: 1.25 + 1 − 0.45 + 4 + 0.3 + 0 = 6.1.
func TestExplainSum(t *testing.T) {
	out := string(render(t, func(b *bytes.Buffer) error { return Explain(b, result(), "api/export.go") }))
	if !strings.Contains(out, "+6.100\n") {
		t.Error(out)
	}
	order := []string{"mention", "similarity.file", "similarity.chunk", "hops", "priors.role", "priors.heat", "sum", "group"}
	at := 0
	for _, id := range order {
		i := strings.Index(out[at:], "\n"+id)
		if i < 0 {
			t.Fatalf("%s is not where its part puts it in\n%s", id, out)
		}
		at += i
	}
}

type broken struct{}

var errBroken = errors.New("broken pipe")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrors(t *testing.T) {
	r := result()
	for what, err := range map[string]error{
		"text": Text(broken{}, r, TextOptions{}), "markdown": Markdown(broken{}, r), "json": JSON(broken{}, r),
		"run": TREC(broken{}, "q", r.Files), "explanation": Explain(broken{}, r, r.Files[0].Path),
	} {
		if !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "write "+what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, opt := range []TextOptions{{}, {Width: 80}, {Width: 80, Color: true}} {
		out := text(t, &rank.Result{}, opt)
		if bytes.Count(out, []byte("\n")) != 1 {
			t.Errorf("%+v: %q", opt, out)
		}
	}
}
