//go:build unix

package git

import (
	"context"
	"os"
	"strings"
	"testing"
)

// TestAbsence: whatever is in no snapshot has its reason, in the working tree,
// in a commit, and in a bare repository; what is there, and what is nowhere, has
// none.
func TestAbsence(t *testing.T) {
	sub := newTreeRepo(t)
	sub.write("x", "x")
	sub.commit()
	w := newTreeRepo(t)
	for name, text := range map[string]string{"a": "a", "d/b.gen": "b", "d/keep.gen": "k", "d/c": "c", "gone": "g",
		".rankignore": "# made\n*.gen\n", "d/.rankignore": "!keep.gen\nc\n", ".gitignore": "*.o\nout/\n", "f/g": "g"} {
		w.write(name, text)
	}
	if err := os.Symlink("d", w.path("l")); err != nil {
		t.Fatal(err)
	}
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.dir, "s")
	w.commit()
	w.write("x.o", "o")
	w.write("out/deep/x", "o")
	w.write("hidden", "h")
	w.write(".git/info/exclude", "hidden\n")
	w.write("new", "n")
	if err := os.Remove(w.path("gone")); err != nil {
		t.Fatal(err)
	}
	bare := t.TempDir()
	w.git("clone", "-q", "--bare", w.dir, bare)

	type absence struct{ path, here, then string }
	for _, c := range []absence{
		{"a", "", ""}, {"nothing", "", ""}, {"d/nothing", "", ""}, {"../a", "", ""}, {"", "", ""},
		{"d/b.gen", `"*.gen" of .rankignore`, `"*.gen" of .rankignore`},
		{"d/c", `"c" of d/.rankignore`, `"c" of d/.rankignore`},
		{"d/keep.gen", "", ""},
		{"d", "a folder", "a folder"}, {"f", "a folder", "a folder"},
		{"l", "a symbolic link", "a symbolic link"}, {"l/c", "behind l, a symbolic link", "behind l, a symbolic link"},
		{"s", "a submodule", "a submodule"}, {"s/x", "in s, a submodule", "in s, a submodule"},
		{"gone", "deleted", ""},
		{"x.o", `"*.o" of .gitignore`, "not in commit"}, {"out/deep/x", `"out/" of .gitignore`, "not in commit"},
		{"hidden", "info/exclude", "not in commit"}, {"new", "not tracked", "not in commit"},
		{".git/config", "", ""}, // no path of a tree
	} {
		for _, dir := range []string{w.dir, bare} {
			r, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			head, _, err := r.Head()
			if err != nil {
				t.Fatal(err)
			}
			now, then := r.Absence(c.path, OID{}), r.Absence(c.path, head)
			here, later := c.here, c.then
			if dir == bare {
				now = then
				if later == "not in commit" { // there is no file to see
					later = ""
				}
				here = later
			}
			for _, x := range [][2]string{{now, here}, {then, later}} {
				if x[0] == "" != (x[1] == "") || !strings.Contains(x[0], x[1]) {
					t.Errorf("%s, bare %v: %q, want %q", c.path, dir == bare, x[0], x[1])
				}
			}
			// It says nothing of what is ranked.
			snap, err := r.AtCommit(context.Background(), head, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range snap.Entries {
				if e.Path == c.path && then != "" {
					t.Errorf("%s is ranked, and %s", c.path, then)
				}
			}
			r.Close()
		}
	}
}
