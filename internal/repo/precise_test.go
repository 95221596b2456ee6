package repo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cohop/internal/repo"
	"cohop/internal/resolve"
)

// goShop is a Go module whose method calls need types: Open says what s is.
var goShop = map[string]string{
	"go.mod":        "module example.com/shop\n\ngo 1.24\n",
	"run.go":        "package shop\n\nimport \"example.com/shop/store\"\n\nfunc Run() { s := store.Open(); s.Flush() }\n",
	"store/open.go": "package store\n\nfunc Open() *Disk { return nil }\n",
	"store/disk.go": "package store\n\ntype Disk struct{}\n\nfunc (*Disk) Flush() {}\n",
	"store/tape.go": "package store\n\ntype Tape struct{}\n\nfunc (*Tape) Flush() {}\n",
	"tool.py":       "import util\n\nutil.work()\n",
	"util.py":       "def work():\n    pass\n",
}

type shop struct {
	t          *testing.T
	dir, cache string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	s := &shop{t: t, dir: t.TempDir(), cache: t.TempDir()}
	for p, text := range goShop {
		s.write(p, text)
	}
	s.git("init", "-q", "-b", "main")
	s.git("config", "user.name", "a")
	s.git("config", "user.email", "a@example.com")
	s.commit()
	return s
}

func (s *shop) write(p, text string) {
	s.t.Helper()
	name := filepath.Join(s.dir, p)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) git(args ...string) {
	s.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = s.dir
	if out, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (s *shop) commit() {
	s.t.Helper()
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "x")
}

func (s *shop) open(change ...func(*repo.Options)) *repo.State {
	s.t.Helper()
	opt := repo.Options{Path: s.dir, CacheDir: s.cache}
	for _, f := range change {
		f(&opt)
	}
	st, err := repo.Open(context.Background(), opt)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(st.Close)
	return st
}

func plain(o *repo.Options) { o.Plain, o.Exact = true, true }

func (s *shop) retype() *repo.Precise {
	s.t.Helper()
	st := s.open(plain)
	p, err := st.Retype(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	if got, want := drawn(s.open()), drawn(st); !slices.Equal(got, want) {
		s.t.Errorf("a query has edges\n%s\nwant those that were just typed\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return p
}

// drawn writes the edges of a state.
func drawn(st *repo.State) (out []string) {
	for _, e := range st.View.Edges() {
		kind := [...]string{resolve.Import: "imports", resolve.Call: "calls", resolve.Use: "uses"}[e.Kind]
		out = append(out, fmt.Sprintf("%s %s %s %.2f", st.View.Path(e.From), kind, st.View.Path(e.To), e.Weight))
	}
	return out
}

const (
	byType   = "run.go calls store/disk.go 1.00"
	wrongWay = "store/tape.go"
	python   = "tool.py imports util.py 1.00"
)

func TestPrecise(t *testing.T) {
	s := newShop(t)
	before := drawn(s.open())
	if slices.Contains(before, byType) {
		t.Fatalf("names alone tell the type: %v", before)
	}
	p := s.retype()
	if p.Files != 4 || p.Partial != 0 || p.Packages != 2 || p.Reused || len(p.Gaps()) > 0 {
		t.Errorf("%+v", p)
	}
	st := s.open()
	after := drawn(st)
	if !slices.Contains(after, byType) || !slices.Contains(after, python) || strings.Contains(strings.Join(after, "\n"), wrongWay) {
		t.Errorf("typed: %v", after)
	}
	if got := st.Typed(); got == nil || got.Files != 4 || got.Changed {
		t.Errorf("Typed() = %+v", got)
	}
	if got := drawn(s.open(plain)); !slices.Equal(got, before) {
		t.Errorf("without types: %v, want %v", got, before)
	}
	if !s.retype().Reused {
		t.Error("was typed again though nothing changed")
	}
	// Another revision of the same tree has the same edges, one of another
	// tree has its own.
	s.git("commit", "-q", "--allow-empty", "-m", "y")
	if got := drawn(s.open(func(o *repo.Options) { o.Rev = "HEAD" })); !slices.Equal(got, after) {
		t.Errorf("at HEAD: %v", got)
	}
}

// A tree that was typed and then edited keeps the edges of what the edit does
// not concern.
func TestPreciseThenEdited(t *testing.T) {
	s := newShop(t)
	s.retype()
	s.write("store/tape.go", goShop["store/tape.go"]+"\nfunc (t *Tape) Wind() { t.Flush() }\n")
	st := s.open()
	if !slices.Contains(drawn(st), byType) || st.Typed() == nil || !st.Typed().Changed {
		t.Errorf("edited: %v, %+v", drawn(st), st.Typed())
	}
	edited := drawn(st)
	if got := drawn(s.open()); !slices.Equal(got, edited) {
		t.Errorf("as kept: %v, want %v", got, edited)
	}
	// What the edit concerns goes by names.
	s.write("run.go", strings.Replace(goShop["run.go"], "Run()", "Start()", 1))
	if got := drawn(s.open()); slices.Contains(got, byType) {
		t.Errorf("changed file: %v", got)
	}
	// The edit itself can be typed, for as long as it stands.
	s.retype()
	st = s.open()
	if !slices.Contains(drawn(st), byType) || st.Typed() == nil || st.Typed().Changed {
		t.Errorf("typed as edited: %v, %+v", drawn(st), st.Typed())
	}
	s.write("run.go", goShop["run.go"]+"\nfunc more() {}\n")
	if st = s.open(); slices.Contains(drawn(st), byType) || !st.Typed().Changed {
		t.Errorf("edited again: %v", drawn(st))
	}
	// And back to the commit.
	s.git("checkout", "-q", ".")
	if st = s.open(); !slices.Contains(drawn(st), byType) || st.Typed().Changed {
		t.Errorf("back: %v", drawn(st))
	}
}

func TestPreciseRefused(t *testing.T) {
	s := newShop(t)
	for name, change := range map[string]func(o *repo.Options){
		"revision": func(o *repo.Options) { o.Rev = "HEAD" },
		"no cache": func(o *repo.Options) { o.NoCache = true },
	} {
		if _, err := s.open(plain, change).Retype(context.Background()); !errors.Is(err, repo.ErrPrecise) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.git("clone", "-q", "--bare", ".", filepath.Join(s.dir, "bare"))
	if _, err := s.open(plain, func(o *repo.Options) { o.Path = filepath.Join(s.dir, "bare") }).Retype(context.Background()); !errors.Is(err, repo.ErrPrecise) {
		t.Errorf("bare: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	before := drawn(s.open())
	if _, err := s.open(plain).Retype(ctx); err == nil {
		t.Error("typed in no time")
	}
	s.write("go.mod", "module example.com/shop shop\n")
	s.commit()
	if _, err := s.open(plain).Retype(context.Background()); err == nil || errors.Is(err, repo.ErrPrecise) {
		t.Errorf("broken go.mod: %v", err)
	}
	if got := drawn(s.open()); !slices.Equal(got, before) {
		t.Errorf("after failing: %v, want %v", got, before)
	}
}

// Kept edges that do not check are passed over.
func TestPreciseDamaged(t *testing.T) {
	s := newShop(t)
	before := drawn(s.open())
	s.retype()
	names, err := filepath.Glob(filepath.Join(s.cache, "*", "tree-*", "*.types"))
	if err != nil || len(names) != 1 {
		t.Fatalf("kept: %v, %v", names, err)
	}
	good, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, bad := range [][]byte{nil, good[:9], good[:len(good)/2], append(slices.Clone(good[:len(good)/2]), make([]byte, len(good)-len(good)/2)...)} {
		if err := os.WriteFile(names[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := drawn(s.open()); !slices.Equal(got, before) {
			t.Errorf("damage %d: %v, want %v", i, got, before)
		}
	}
	if s.retype().Reused {
		t.Error("took what is damaged")
	}
	done, err := repo.Collect(s.cache, 1)
	if err != nil || done.Kept != 0 {
		t.Errorf("collected: %+v, %v", done, err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.cache, "*", "tree-*", "*.types*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
