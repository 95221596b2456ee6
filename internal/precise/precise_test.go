package precise

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// tree writes a txtar archive to a folder and returns the Input that types it.
func tree(t *testing.T, archive string) Input {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Root: root}
	has := map[string]bool{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		has[f.Name] = true
		if path.Base(f.Name) == "go.mod" {
			in.Modules = append(in.Modules, strings.TrimPrefix(path.Dir(f.Name), "."))
		}
	}
	in.Has = func(p string) bool { return has[p] }
	return in
}

func typed(t *testing.T, in Input) *Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	r, err := Load(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines writes edges as "from kind to weight".
func lines(r *Result) (out []string) {
	for _, e := range r.Edges {
		out = append(out, fmt.Sprintf("%s %s %s %.2g", e.From, [...]string{"import", "call", "use"}[e.Kind], e.To, e.Weight))
	}
	return out
}

func expect(t *testing.T, got []string, want string) {
	t.Helper()
	list := strings.Split(strings.TrimSpace(strings.ReplaceAll(want, "\t", "")), "\n")
	slices.Sort(list)
	slices.Sort(got)
	for _, w := range list {
		if !slices.Contains(got, w) {
			t.Errorf("lacks %q", w)
		}
	}
	for _, g := range got {
		if !slices.Contains(list, g) {
			t.Errorf("has %q", g)
		}
	}
}

func TestTypesLead(t *testing.T) {
	r := typed(t, tree(t, `
-- go.mod --
module example.com/m
go 1.24
-- a.go --
package m

import (
	"example.com/m/store"
	_ "example.com/m/plug"
)

// The type of s is known by what Open returns, not by a name.
func Run() int {
	s := store.Open()
	s.Close()
	return limit + s.Size + len(pick[item]())
}
-- b.go --
package m

const limit = 3

type item struct{}

func pick[T any]() []T { return nil }
-- other.go --
package m

type wrong struct{ Size int }

func (wrong) Close() {}
-- a_test.go --
package m

func check() { Run() }
-- x_test.go --
package m_test

import "example.com/m"

func check() { m.Run(); m.Export() }
-- export_test.go --
package m

func Export() {}
-- store/open.go --
package store

type Store struct{ inner; Size int }

func Open() *Store { return &Store{} }
-- store/inner.go --
package store

type inner struct{}

func (inner) Close() {}
-- plug/plug.go --
package plug
`))
	expect(t, lines(r), `
		a.go import store/open.go 1
		a.go import store/inner.go 1
		a.go import plug/plug.go 1
		a.go call store/open.go 1
		a.go call store/inner.go 1
		a.go use store/open.go 1
		a.go use b.go 1
		a.go call b.go 1
		a_test.go call a.go 1
		x_test.go import a.go 1
		x_test.go call a.go 1
		x_test.go import export_test.go 1
		x_test.go call export_test.go 1
		store/open.go use store/inner.go 1`)
	if r.Packages != 3 || len(r.Missing) > 0 || len(r.Failed) > 0 {
		t.Errorf("packages %d, missing %v, failed %v", r.Packages, r.Missing, r.Failed)
	}
	for _, f := range r.Files {
		if f.Unknown > 0 || !f.Whole() {
			t.Errorf("%s: %d names of %d unknown", f.Path, f.Unknown, f.Unknown+f.Known)
		}
	}
}

// What a build constraint excludes is not typed; that it stands in for what is
// typed is seen.
func TestConstraints(t *testing.T) {
	r := typed(t, tree(t, `
-- go.mod --
module example.com/m
go 1.24
-- a.go --
package m

func Run() { open(); new(file).close() }
-- open_here.go --
//go:build !never

package m

type file struct{}

func open() {}
func (file) close() {}
-- open_never.go --
//go:build never

package m

type file struct{}

func open() { Run() }
func (*file) close() {}
-- c.go --
package m

// #cgo pkg-config: nothing
import "C"

func open() {}
`))
	expect(t, lines(r), `
		a.go call open_here.go 0.83
		a.go call open_never.go 0.83
		a.go call c.go 0.33
		a.go use open_here.go 0.5
		a.go use open_never.go 0.5`)
	if got := fmt.Sprint(r.Files); got != "[{a.go 3 0} {open_here.go 1 0}]" {
		t.Errorf("files %s", got)
	}
}

// Each module is listed by itself; what another one of the tree provides is
// taken from there, without a network and without a go.work.
func TestModules(t *testing.T) {
	in := tree(t, `
-- go.work --
go 1.24
use ./a
use ./b
-- a/go.mod --
module example.com/a
go 1.24
require example.com/b v1.2.3
require example.com/gone v1.0.0
-- a/a.go --
package a

import (
	"example.com/b/deep"
	"example.com/gone"
)

func Run() {
	deep.Do().More()
	gone.Away().Forever()
	x := gone.X{}
	x.Y()
	helper()
}
-- a/help.go --
package a

func helper() {}
-- b/go.mod --
module example.com/b
go 1.24
-- b/deep/do.go --
package deep

func Do() T { return T{} }
-- b/deep/t.go --
package deep

type T struct{}

func (T) More() {}
-- v/go.mod --
module example.com/v
go 1.24
require example.com/w v1.0.0
-- v/vendor/modules.txt --
# example.com/w v1.0.0
## explicit
example.com/w
-- v/vendor/example.com/w/w.go --
package w

func W() {}
-- v/v.go --
package v

import "example.com/w"

func V() { w.W() }
`)
	r := typed(t, in)
	expect(t, lines(r), `
		a/a.go import b/deep/do.go 1
		a/a.go import b/deep/t.go 1
		a/a.go call b/deep/do.go 1
		a/a.go call b/deep/t.go 1
		a/a.go call a/help.go 1
		b/deep/do.go use b/deep/t.go 1
		v/v.go import v/vendor/example.com/w/w.go 1
		v/v.go call v/vendor/example.com/w/w.go 1`)
	if !slices.Equal(r.Missing, []string{"example.com/gone"}) {
		t.Errorf("missing %v", r.Missing)
	}
	if _, err := os.Stat(filepath.Join(in.Root, "go.work.sum")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("go.work.sum: %v", err)
	}
	for _, f := range r.Files {
		if f.Path == "a/a.go" && (f.Unknown != 2 || !f.Whole()) {
			t.Errorf("%+v, want the two members of what is gone unknown", f)
		}
	}
	in.Folder = "a"
	r = typed(t, in)
	if len(r.Files) != 2 || len(r.Edges) != 5 {
		t.Errorf("below a: %v, %v", r.Files, lines(r))
	}
}

func TestWhole(t *testing.T) {
	for _, c := range []struct {
		f    File
		want bool
	}{{File{}, true}, {File{Known: 5, Unknown: 5}, true}, {File{Known: 4, Unknown: 5}, false}, {File{Unknown: 1}, false}} {
		if c.f.Whole() != c.want {
			t.Errorf("%+v: %v", c.f, !c.want)
		}
	}
}

// Two modules that import each other's packages in a circle end.
func TestCircle(t *testing.T) {
	r := typed(t, tree(t, `
-- a/go.mod --
module example.com/a
go 1.24
-- a/a.go --
package a

import "example.com/b"

type A struct{ B b.B }
-- b/go.mod --
module example.com/b
go 1.24
-- b/b.go --
package b

import "example.com/a"

type B struct{ A *a.A }
`))
	if len(r.Files) != 2 || len(r.Missing) != 1 {
		t.Errorf("files %v, missing %v", r.Files, r.Missing)
	}
}

func TestSame(t *testing.T) {
	var archive strings.Builder
	archive.WriteString("-- go.mod --\nmodule example.com/m\ngo 1.24\n")
	for i := range 12 {
		fmt.Fprintf(&archive, "-- p%d/p.go --\npackage p%d\n", i, i)
		if i > 0 {
			fmt.Fprintf(&archive, "import \"example.com/m/p%d\"\nvar _ = p%d.V\n", i/2, i/2)
		}
		fmt.Fprintf(&archive, "var V = %d\n-- p%d/p_test.go --\npackage p%d\nvar _ = V\n", i, i, i)
	}
	in := tree(t, archive.String())
	want := fmt.Sprint(typed(t, in))
	for range 3 {
		if got := fmt.Sprint(typed(t, in)); got != want {
			t.Fatalf("got %s\nwant %s", got, want)
		}
	}
}

// A go.mod that cannot be followed costs what it requires, not the tree.
func TestBare(t *testing.T) {
	for name, c := range map[string]struct{ mod, why string }{
		"go of the future":  {"module example.com/m // this one\ngo 1.999\n", "go >= 1.999"},
		"not downloaded":    {"module \"example.com/m\"\ngo 1.14\nrequire example.com/gone v1.0.0\n", "go.sum"},
		"no such directive": {"module example.com/m\n\nrequires x\n", "unknown directive"},
	} {
		t.Run(name, func(t *testing.T) {
			in := tree(t, "-- go.mod --\n"+c.mod+`-- a.go --
package m

import "example.com/gone"

func a() { gone.Away(b()) }
-- b.go --
package m

func b() int { return 0 }
`)
			before := stored(t, in.Root)
			r := typed(t, in)
			expect(t, lines(r), "a.go call b.go 1")
			if len(r.Failed) != 1 || !strings.Contains(r.Failed[0], c.why) || !slices.Equal(r.Missing, []string{"example.com/gone"}) {
				t.Errorf("failed %v, missing %v", r.Failed, r.Missing)
			}
			if d := differing(before, stored(t, in.Root)); len(d) > 0 {
				t.Errorf("was written: %v", d)
			}
		})
	}
}

func TestNotTyped(t *testing.T) {
	for name, c := range map[string]struct{ archive, want string }{
		"no module":     {"-- a.go --\npackage a\n", ErrNoModule.Error()},
		"broken go.mod": {"-- go.mod --\nmodule m m\n-- a.go --\npackage a\n", "usage: module module/path"},
		"no packages":   {"-- go.mod --\nmodule m\ngo 1.24\n", "hold none"},
	} {
		t.Run(name, func(t *testing.T) {
			in := tree(t, c.archive)
			_, err := Load(context.Background(), in)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, c.want)
			}
		})
	}
	in := tree(t, "-- go.mod --\nmodule m\ngo 1.24\n-- a.go --\npackage a\n")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("it took too long"))
	if _, err := Load(ctx, in); err == nil || !strings.Contains(err.Error(), "it took too long") {
		t.Errorf("a context that is over: %v", err)
	}
}

// Files that do not parse, and packages that do not check, are known as far as
// they go.
func TestBroken(t *testing.T) {
	r := typed(t, tree(t, `
-- go.mod --
module example.com/m
go 1.24
-- a.go --
package m

func Run() { other(); undefined(); var x int = "no" }
-- b.go --
package m

func other() {
-- c.go --
not go at all
-- big/d.go --
package big

import "example.com/m"

func D() { m.Run() }
`))
	if got := lines(r); !slices.Contains(got, "a.go call b.go 1") || !slices.Contains(got, "big/d.go call a.go 1") {
		t.Errorf("edges %v", got)
	}
}

// stored is all files of a folder with their content.
func stored(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			out[p] = "folder"
			return err
		}
		b, err := os.ReadFile(p)
		out[p] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func differing(a, b map[string]string) (differ []string) {
	for p := range a {
		if a[p] != b[p] {
			differ = append(differ, p)
		}
	}
	for p := range b {
		if _, ok := a[p]; !ok {
			differ = append(differ, p)
		}
	}
	slices.Sort(differ)
	return differ
}
