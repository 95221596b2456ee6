package precise

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// hostile is a repository that does what it can to be executed or written, in
// an environment that its owner was talked into.
const hostile = `
-- go.mod --
module example.com/m
go 1.21
toolchain go1.99.0
tool example.com/m/tool
-- go.work --
go 1.21
use .
-- .goenv --
GOFLAGS=-mod=mod
-- a.go --
package m

//go:generate sentinel

import "example.com/not/required"

func Run() { b(); required.X() }
-- b.go --
package m

func b() {}
-- c.go --
package m

// #cgo pkg-config: sentinel
// #cgo LDFLAGS: -lsentinel
// int one(void) { return 1; }
import "C"

func c() { C.one() }
-- d.swig --
%module d
-- e.s --
TEXT ·e(SB),0,$0
-- m_test.go --
package m

import "testing"

func TestMain(m *testing.M) { b() }
-- tool/main.go --
package main

func main() {}
`

// trap makes a folder of programs that leave a mark when they are run.
func trap(t *testing.T, dir, mark string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("#!/bin/sh\necho \"$0 $*\" >>'"+mark+"'\nexit 1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// setHostile makes the tree and the environment; mark is where traps leave
// their mark.
func setHostile(t *testing.T) (in Input, mark string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the traps are shell scripts")
	}
	in = tree(t, hostile)
	mark = filepath.Join(t.TempDir(), "mark")
	inner, outer := filepath.Join(in.Root, "bin"), t.TempDir()
	trap(t, inner, mark, "go", "gopackagesdriver", "pkg-config", "gcc", "git", "sentinel")
	trap(t, outer, mark, "gopackagesdriver", "pkg-config", "gcc", "cc", "g++", "git", "hg", "swig", "sentinel")
	link := filepath.Join(t.TempDir(), "link") // an innocent name that leads inside
	if err := os.Symlink(inner, link); err != nil {
		t.Fatal(err)
	}
	linked := t.TempDir() // and an innocent folder with such a program
	if err := os.Symlink(filepath.Join(inner, "go"), filepath.Join(linked, "go")); err != nil {
		t.Fatal(err)
	}
	real := os.Getenv("PATH")
	t.Setenv("PATH", strings.Join([]string{"bin", ".", "", inner, inner + "/../bin", link, linked, outer, real}, string(filepath.ListSeparator)))
	sentinel := filepath.Join(inner, "sentinel")
	for k, v := range map[string]string{
		"GOFLAGS": "-mod=mod -toolexec=" + sentinel, "GOENV": filepath.Join(in.Root, ".goenv"), "GOWORK": filepath.Join(in.Root, "go.work"),
		"GOPACKAGESDRIVER": sentinel, "GOCACHEPROG": sentinel, "GOAUTH": sentinel, "PKG_CONFIG": sentinel, "CC": sentinel, "CXX": sentinel,
		"GOCACHE": filepath.Join(in.Root, "cache"), "GOTMPDIR": in.Root, "TMPDIR": in.Root, "GOROOT": in.Root, "GOPATH": filepath.Join(in.Root, "path"), "GOMODCACHE": filepath.Join(in.Root, "mod"),
		"GOTOOLCHAIN": "auto", "CGO_ENABLED": "1", "GOPROXY": "file://" + in.Root, "GOSUMDB": "off", "GO111MODULE": "off", "GOOS": "plan9",
		"GIT_DIR": in.Root, "GIT_EXTERNAL_DIFF": sentinel,
	} {
		t.Setenv(k, v)
	}
	t.Chdir(in.Root)
	return in, mark
}

func TestHostile(t *testing.T) {
	in, mark := setHostile(t)
	g, err := findGo([]string{in.Root}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	for _, e := range append(g.env, g.path, g.dirs, g.temp) {
		if strings.Contains(e, in.Root) {
			t.Errorf("leads into the repository: %s", e)
		}
	}
	before := stored(t, in.Root)
	path := os.Getenv("PATH")
	r := typed(t, in)
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("was executed: %s", ran)
	}
	if d := differing(before, stored(t, in.Root)); len(d) > 0 {
		t.Errorf("was written: %v", d)
	}
	if os.Getenv("PATH") != path {
		t.Error("PATH was not put back")
	}
	expect(t, lines(r), `
		a.go call b.go 1
		m_test.go call b.go 1`)
	if !slices.Equal(r.Missing, []string{"example.com/not/required"}) {
		t.Errorf("missing %v", r.Missing)
	}
}

// The same tree springs the traps and writes go.mod when it is loaded as it
// comes: the test above can fail.
func TestHostileUnlocked(t *testing.T) {
	in, mark := setHostile(t)
	for _, k := range []string{"GOROOT", "GOENV", "GOCACHEPROG", "GOAUTH", "GOWORK", "GO111MODULE", "GOOS", "GIT_DIR", "TMPDIR", "GOTMPDIR"} {
		os.Unsetenv(k) // these end it before it does harm
	}
	cfg := &packages.Config{Mode: packages.LoadSyntax, Context: context.Background(), Dir: in.Root}
	_, _ = packages.Load(cfg, "./...")
	ran, err := os.ReadFile(mark)
	if err != nil || !strings.Contains(string(ran), "sentinel") {
		t.Errorf("no trap was sprung: %s, %v", ran, err)
	}
}

// Without a go command outside of the repository there is a reason, and none
// is run.
func TestNoGo(t *testing.T) {
	in, mark := setHostile(t)
	t.Setenv("PATH", filepath.Join(in.Root, "bin"))
	if _, err := Load(context.Background(), in); err == nil || !strings.Contains(err.Error(), "no go command outside of the repository") {
		t.Errorf("got %v", err)
	}
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("was executed: %s", ran)
	}
}

// A repository that is the user's own folder is not written either.
func TestHomeIsRepository(t *testing.T) {
	in := tree(t, "-- go.mod --\nmodule m\ngo 1.24\n-- a.go --\npackage a\n\nfunc a() { b() }\n-- b.go --\npackage a\n\nfunc b() {}\n")
	for _, k := range []string{"GOCACHE", "GOPATH", "GOMODCACHE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(k, "")
	}
	t.Setenv("HOME", in.Root)
	before := stored(t, in.Root)
	expect(t, lines(typed(t, in)), "a.go call b.go 1")
	if d := differing(before, stored(t, in.Root)); len(d) > 0 {
		t.Errorf("was written: %v", d)
	}
}

func TestOutside(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(root)
	if err != nil {
		t.Fatal(err)
	}
	inside := []os.FileInfo{info}
	for p, want := range map[string]bool{
		root: false, filepath.Join(root, "a", "b"): false, root + "x": true, filepath.Dir(root): true,
		"": false, ".": false, "bin": false, filepath.Join(root, "..", filepath.Base(root), "bin"): false,
	} {
		if got := outside(p, inside); got != want {
			t.Errorf("outside(%q) = %v", p, got)
		}
	}
}
