package rank_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"cohop/rank"
)

// TestMain takes the settings of whoever runs the tests out of them.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		panic(err)
	}
	for k, v := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_CACHE_HOME": filepath.Join(home, "cache"),
		"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "TZ": "UTC"} {
		os.Setenv(k, v)
	}
	xdg.Reload()
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// gone as a content deletes the file.
const gone = "\x00gone"

// tree is path → content.
type tree map[string]string

// with returns the tree with more files.
func (a tree) with(b tree) tree {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// commit is one step of a fixture's history.
type commit struct {
	msg   string
	files tree
	days  int    // since the commit before; 0 is one day
	on    string // branch; "" is main
	onto  string // branch that a new branch starts from
}

// start is the time of a fixture's first commit: 2023-01-01 UTC.
const start = 1672531200

// build makes a repository of the commits with fixed dates and authors, main
// checked out, and returns its folder. Its base name is always "fixture".
func build(t testing.TB, commits ...commit) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fixture")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "", "init", "-q", "-b", "main")
	stream(t, dir, commits)
	git(t, dir, "", "reset", "-q", "--hard", "main")
	return dir
}

// stream appends commits to a repository that build made, without touching its
// working tree.
func stream(t testing.TB, dir string, commits []commit) {
	t.Helper()
	var b bytes.Buffer
	began := map[string]bool{}
	for _, l := range strings.Split(git(t, dir, "", "for-each-ref", "--format=%(refname:short)"), "\n") {
		began[l] = false // stands, but not in this stream
	}
	when := int64(start)
	if last := strings.TrimSpace(git(t, dir, "", "log", "--all", "-1", "--format=%ct")); last != "" {
		fmt.Sscan(last, &when)
	}
	for i, c := range commits {
		if i > 0 || when != start || c.days > 0 {
			when += int64(max(1, c.days)) * 24 * 3600
		}
		on := c.on
		if on == "" {
			on = "main"
		}
		fmt.Fprintf(&b, "commit refs/heads/%s\ncommitter A Dev <dev@example.org> %d +0000\ndata %d\n%s\n", on, when, len(c.msg), c.msg)
		if streamed, stands := began[on]; stands && !streamed {
			fmt.Fprintf(&b, "from refs/heads/%s^0\n", on)
		} else if !stands && c.onto != "" {
			fmt.Fprintf(&b, "from refs/heads/%s\n", c.onto)
		}
		began[on] = true
		for _, p := range slices.Sorted(maps.Keys(c.files)) {
			if c.files[p] == gone {
				fmt.Fprintf(&b, "D %s\n", quote(p))
				continue
			}
			fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", quote(p), len(c.files[p]), c.files[p])
		}
	}
	git(t, dir, b.String(), "fast-import", "--quiet", "--date-format=raw")
}

// quote writes a path as fast-import reads it, whatever its bytes.
func quote(p string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(p); i++ {
		if c := p[i]; c < 0x20 || c == '"' || c == '\\' || c >= 0x7f {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_DATE=1672531200 +0000", "GIT_COMMITTER_DATE=1672531200 +0000",
		"GIT_AUTHOR_NAME=A Dev", "GIT_AUTHOR_EMAIL=dev@example.org", "GIT_COMMITTER_NAME=A Dev", "GIT_COMMITTER_EMAIL=dev@example.org")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", args[0], err, stderr.Bytes())
	}
	return string(out)
}

// try ranks without a cache.
func try(dir, task string, mod ...func(*rank.Request)) (*rank.Result, error) {
	req := rank.Request{Repo: dir, Task: task, NoCache: true}
	for _, m := range mod {
		m(&req)
	}
	return rank.Rank(context.Background(), req)
}

// ask ranks, and fails the test on an error.
func ask(t testing.TB, dir, task string, mod ...func(*rank.Request)) *rank.Result {
	t.Helper()
	r, err := try(dir, task, mod...)
	if err != nil {
		t.Fatalf("%q: %v", task, err)
	}
	return r
}

func intent(i string) func(*rank.Request)     { return func(r *rank.Request) { r.Intent = i } }
func budget(n int) func(*rank.Request)        { return func(r *rank.Request) { r.Budget = n } }
func without(c ...string) func(*rank.Request) { return func(r *rank.Request) { r.Without = c } }
func seeds(p ...string) func(*rank.Request)   { return func(r *rank.Request) { r.Seeds = p } }
func inPaths(p ...string) func(*rank.Request) { return func(r *rank.Request) { r.Paths = p } }
func langs(p ...string) func(*rank.Request)   { return func(r *rank.Request) { r.Langs = p } }
func roles(p ...string) func(*rank.Request)   { return func(r *rank.Request) { r.Roles = p } }
func revision(rev string) func(*rank.Request) { return func(r *rank.Request) { r.Rev = rev } }
func cacheIn(dir string) func(r *rank.Request) {
	return func(r *rank.Request) { r.CacheDir, r.NoCache = dir, false }
}

// names returns the ranked paths.
func names(r *rank.Result) []string {
	out := make([]string, len(r.Files))
	for i := range r.Files {
		out[i] = r.Files[i].Path
	}
	return out
}

// place returns the rank of a path, or a number behind all if it has none.
func place(r *rank.Result, path string) int {
	if i := slices.Index(names(r), path); i >= 0 {
		return i + 1
	}
	return 1 << 20
}

// wantFirst wants a path in the first place.
func wantFirst(t testing.TB, r *rank.Result, path string) {
	t.Helper()
	if len(r.Files) == 0 || r.Files[0].Path != path {
		t.Errorf("%q, intent %s: want %s first, got\n%s", r.Task, r.Header.Intent, path, listing(r, 6))
	}
}

// wantBefore wants a path, ranked, before others.
func wantBefore(t testing.TB, r *rank.Result, path string, others ...string) {
	t.Helper()
	for _, o := range others {
		if p := place(r, path); p > len(r.Files) || p >= place(r, o) {
			t.Errorf("%q, intent %s: want %s before %s, got\n%s", r.Task, r.Header.Intent, path, o, listing(r, 10))
		}
	}
}

// listing shows the first n files with what made them so.
func listing(r *rank.Result, n int) string {
	var b strings.Builder
	if r.Header.Abstained {
		fmt.Fprintf(&b, "  abstained, missing %q\n", r.Header.Missing)
	}
	for i := range r.Files[:min(n, len(r.Files))] {
		f := &r.Files[i]
		fmt.Fprintf(&b, "  %d %-40q %-13s %6.2f %s\n", f.Rank, f.Path, f.Role, f.Score, f.Reason)
		for _, c := range slices.Sorted(maps.Keys(f.Signals)) {
			if s := f.Signals[c]; s.Part != 0 && !strings.HasPrefix(c, "similarity.") && !strings.HasPrefix(c, "priors.") {
				fmt.Fprintf(&b, "      %s %.2f", c, s.Part)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// asJSON is what two equal answers have in common.
func asJSON(t testing.TB, r *rank.Result) string {
	t.Helper()
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// usage wants an error of use, and returns it.
func usage(t testing.TB, err error) *rank.UsageError {
	t.Helper()
	var u *rank.UsageError
	if !errors.As(err, &u) {
		t.Fatalf("want an error of use, got %v", err)
	}
	return u
}

// repeat writes a line n times, "%d" in it numbered.
func repeat(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "%d", fmt.Sprint(i)))
		b.WriteByte('\n')
	}
	return b.String()
}

// office is a small tree that has nothing to do with any task of the cases: so
// that words are rare or common as they are in a repository, and a standard
// deviation is not one of three files.
func office() tree {
	out := tree{"go.mod": "module example.org/office\n\ngo 1.22\n"}
	for _, noun := range []string{"desk", "lamp", "carpet", "printer", "window", "kettle", "drawer", "stapler", "chair", "shelf", "curtain", "ladder"} {
		name := strings.ToUpper(noun[:1]) + noun[1:]
		out["internal/"+noun+"/"+noun+".go"] = fmt.Sprintf(`// Package %[1]s describes one %[1]s of the office.
package %[1]s

// %[2]s has a colour and a weight.
type %[2]s struct {
	Colour string
	Weight int
}

// Paint gives the %[1]s another colour.
func (x *%[2]s) Paint(colour string) { x.Colour = colour }

// Heavy tells whether two people must carry the %[1]s.
func (x *%[2]s) Heavy() bool { return x.Weight > 30 }
`, noun, name)
	}
	return out
}
