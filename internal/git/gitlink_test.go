//go:build unix

package git

import (
	"context"
	"os"
	"testing"
)

// A file that is staged where HEAD has a submodule is a change, and one of the
// working tree; what a submodule holds is no business of ours.
func TestFileInPlaceOfASubmodule(t *testing.T) {
	sub := newTreeRepo(t)
	sub.write("x", "x")
	sub.commit()
	w := newTreeRepo(t)
	w.write("a", "a")
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", sub.dir, "s")
	w.commit()
	look := func() *Snapshot {
		r, err := Open(w.dir)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		s, err := r.WorkingTree(context.Background(), WorktreeOptions{Untracked: true})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := look(); s.Dirty || s.Submodules != 1 {
		t.Errorf("a clean tree with a submodule: dirty %v, %d submodules", s.Dirty, s.Submodules)
	}
	w.git("rm", "-qf", "--cached", "s")
	if err := os.RemoveAll(w.path("s")); err != nil {
		t.Fatal(err)
	}
	w.write("s", "a file")
	w.git("add", "s")
	if s := look(); !s.Dirty || s.Modified != 1 || s.Submodules != 0 {
		t.Errorf("a file in its place: dirty %v, %d modified, %d submodules", s.Dirty, s.Modified, s.Submodules)
	}
}
