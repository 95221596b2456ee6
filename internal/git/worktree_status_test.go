//go:build unix

package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// blobID names a blob of a SHA-1 repository.
func blobID(data []byte) OID { return bySHA1.blobID(data) }

func TestStatusIndexForms(t *testing.T) {
	for _, form := range []struct {
		name string
		set  func(w wtRepo)
	}{
		{"v2", func(w wtRepo) { w.git("update-index", "--index-version", "2") }},
		{"v4", func(w wtRepo) { w.git("update-index", "--index-version", "4") }},
		{"split", func(w wtRepo) { w.git("update-index", "--split-index") }},
		{"split v4", func(w wtRepo) {
			w.git("update-index", "--index-version", "4")
			w.git("config", "splitIndex.maxPercentChange", "100")
			w.git("update-index", "--split-index")
		}},
		{"untracked cache", func(w wtRepo) { w.git("update-index", "--force-untracked-cache"); w.git("status") }},
		{"fsmonitor bits", func(w wtRepo) { w.git("update-index", "--fsmonitor-valid", "d0/f0") }},
		{"no checksum", func(w wtRepo) {
			w.git("config", "index.skipHash", "true")
			w.git("update-index", "--force-write-index")
		}},
		{"assume unchanged", func(w wtRepo) { w.git("update-index", "--assume-unchanged", "d0/f0") }},
		{"skip-worktree", func(w wtRepo) { w.git("update-index", "--skip-worktree", "d0/f0"); w.remove("d0/f0") }},
	} {
		w := newTreeRepo(t)
		for i := range 150 {
			w.write(fmt.Sprintf("d%d/f%d", i%7, i), fmt.Sprint("v", i))
		}
		w.commit()
		w.age()
		form.set(w)
		w.check(form.name)
		for i := range 25 {
			w.write(fmt.Sprintf("d%d/f%d", (i*4+1)%7, i*4+1), "changed")
		}
		w.remove("d2/f2")
		w.write("d1/added", "x")
		w.git("add", "d1/added", "d1/f1")
		w.git("rm", "-q", "--cached", "d3/f3")
		w.check(form.name + " edits")
		w.git("add", "-A")
		w.check(form.name + " added")
		if form.name == "split" {
			if m, _ := filepath.Glob(w.path(".git/sharedindex.*")); len(m) == 0 {
				t.Error("the index is not split")
			}
		}
	}
}

func TestStatusRankIgnore(t *testing.T) {
	w := newTreeRepo(t)
	for _, p := range []string{"a.go", "gen/b.go", "gen/keep.go", "sub/c.go", "sub/d.md"} {
		w.write(p, p)
	}
	w.write(".rankignore", "gen/*\n!gen/keep.go\n")
	w.write("sub/.rankignore", "*.md\n")
	w.commit()
	w.write("new/.rankignore", "x\n")
	w.write("new/x", "x")
	w.write("new/y", "y")
	s := w.snapshot(WorktreeOptions{Untracked: true})
	names := func(s *Snapshot) (names []string) {
		for _, e := range s.Entries {
			names = append(names, e.Path)
		}
		return names
	}
	want := []string{".rankignore", "a.go", "gen/keep.go", "new/.rankignore", "new/y", "sub/.rankignore", "sub/c.go"}
	if got := names(s); !slices.Equal(got, want) || s.Ignored != 3 || s.Deleted != 0 {
		t.Errorf("%q, %d ignored, %d deleted", got, s.Ignored, s.Deleted)
	}
	// Today's rules decide about old commits, on disk and bare.
	head := s.Commit
	w.remove("new")
	w.write(".rankignore", "a.go\n")
	w.commit()
	bare := filepath.Join(filepath.Dir(w.dir), "bare")
	w.git("clone", "-q", "--bare", w.dir, bare)
	for _, dir := range []string{w.dir, bare} {
		r, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		s, err := r.AtCommit(context.Background(), head, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := names(s), []string{".rankignore", "gen/b.go", "gen/keep.go", "sub/.rankignore", "sub/c.go"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q", dir, got)
		}
		if s, err = r.AtCommit(context.Background(), head, "sub/"); err != nil || !slices.Equal(names(s), []string{"sub/.rankignore", "sub/c.go"}) {
			t.Errorf("%s: %q, %v", dir, names(s), err)
		}
		if _, err = r.AtCommit(context.Background(), head, "nosuch"); !errors.Is(err, ErrNoFolder) {
			t.Errorf("%s: %v", dir, err)
		}
		if s, err = r.WorkingTree(context.Background(), WorktreeOptions{Root: "sub", Untracked: true}); err != nil || !slices.Equal(names(s), []string{"sub/.rankignore", "sub/c.go"}) || s.Dirty {
			t.Errorf("%s: %q, %v", dir, names(s), err)
		}
		r.Close()
	}
}

func TestStatusLimits(t *testing.T) {
	w := newTreeRepo(t)
	w.write("a/in", "x")
	w.write("large", strings.Repeat("x", 100))
	w.commit()
	w.age()
	for i := range 20 {
		w.write(fmt.Sprintf("a/u%02d", i), "x")
	}
	w.write("b/u", "x")
	s := w.snapshot(WorktreeOptions{Untracked: true, MaxUntracked: 5})
	if s.Untracked != 5 || len(s.Entries) != 7 || len(s.Warnings) != 1 {
		t.Errorf("%+v", s)
	}
	s = w.snapshot(WorktreeOptions{Root: "a", Untracked: true})
	if s.Untracked != 20 || len(s.Entries) != 21 || s.Deleted != 0 {
		t.Errorf("root: %+v", s)
	}
	s = w.snapshot(WorktreeOptions{})
	if s.Dirty || len(s.Entries) != 2 {
		t.Errorf("tracked only: %+v", s)
	}
	id := s.Entries[1].ID
	now := time.Now()
	os.Chtimes(w.path("large"), now, now)
	if s = w.snapshot(WorktreeOptions{MaxFileSize: 50}); s.Dirty || s.Entries[1].ID != id {
		t.Errorf("a large file that was touched: %+v", s)
	}
	w.write("large", strings.Repeat("y", 101))
	if s = w.snapshot(WorktreeOptions{MaxFileSize: 50}); s.Modified != 1 || s.Entries[1].ID == id || !s.Entries[1].OnDisk || s.Entries[1].Size != 101 {
		t.Errorf("a large file that changed: %+v", s)
	}
	stands := s.Entries[1].ID
	most := func(path string) int64 { return int64(len(path) * 20) } // 100 for "large"
	if s = w.snapshot(WorktreeOptions{MaxFileSize: 50, MaxSizeOf: most}); s.Entries[1].ID != stands {
		t.Errorf("a file over the limit of its path was hashed: %+v", s)
	}
	most = func(string) int64 { return 101 }
	if s = w.snapshot(WorktreeOptions{MaxFileSize: 50, MaxSizeOf: most}); s.Entries[1].ID != blobID([]byte(strings.Repeat("y", 101))) {
		t.Errorf("a file at the limit of its path was not hashed: %+v", s)
	}
	r, err := Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.WorkingTree(context.Background(), WorktreeOptions{Root: "nosuch"}); !errors.Is(err, ErrNoFolder) {
		t.Errorf("no such folder: %v", err)
	}
	for _, root := range []string{"..", "a/../..", ".git", "a//b"} {
		if _, err := r.WorkingTree(context.Background(), WorktreeOptions{Root: root}); !errors.Is(err, ErrNoFolder) {
			t.Errorf("root %q: %v", root, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.WorkingTree(ctx, WorktreeOptions{Untracked: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestReadFile(t *testing.T) {
	w := newTreeRepo(t)
	w.write("d/a", "content")
	outside := t.TempDir()
	wtWrite(t, filepath.Join(outside, "secret"), "secret")
	w.symlink(filepath.Join(outside, "secret"), "out")
	w.symlink(outside, "outdir")
	w.symlink("d", "in")
	w.symlink("loop", "loop")
	if err := syscall.Mkfifo(w.path("pipe"), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if data, err := r.ReadFile("d/a", 7); err != nil || string(data) != "content" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := r.ReadFile("d/a", 6); !errors.Is(err, ErrTooLarge) {
		t.Errorf("limit: %v", err)
	}
	for _, path := range []string{"out", "outdir/secret", "in/a", "loop", "pipe", "d", "d/a/b"} {
		if data, err := r.ReadFile(path, 0); !errors.Is(err, ErrNotFile) {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	for _, path := range []string{"", "/etc/passwd", "../r/d/a", "d/../d/a", "./d/a", "d//a", "d/a/", ".git/config", ".GIT/config", "d/.git", "d/a\x00"} {
		if data, err := r.ReadFile(path, 0); !errors.Is(err, os.ErrInvalid) {
			t.Errorf("%q: %q, %v", path, data, err)
		}
	}
	if _, err := r.ReadFile("d/nosuch", 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// TestStatusConfig puts ignore rules everywhere that git looks for them.
func TestStatusConfig(t *testing.T) {
	w := newTreeRepo(t)
	w.write("a", "a")
	w.commit()
	for _, name := range []string{"u1", "u2", "u3", "CASE", "kept"} {
		w.write(name, name)
		w.write("d/"+name, name)
	}
	expect := func(what string, n int) {
		t.Helper()
		if s := w.check(what); s.Untracked != n {
			t.Errorf("%s: %d untracked, want %d", what, s.Untracked, n)
		}
	}
	expect("no rules", 10)
	wtWrite(t, filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "git", "ignore"), "u1\n")
	expect("user's default", 8)
	wtWrite(t, filepath.Join(os.Getenv("HOME"), "rules"), "/u2\n")
	w.git("config", "core.excludesFile", "~/rules")
	expect("core.excludesFile in its place", 9)
	w.write(".git/info/exclude", "u3\n")
	expect("info/exclude", 7)
	w.git("config", "core.ignoreCase", "true")
	w.write(".git/info/exclude", "u3\ncase\n")
	expect("core.ignoreCase", 5)
	w.git("config", "include.path", "more")
	w.git("config", "--unset", "core.excludesFile")
	w.write(".git/more", "[core]\nexcludesFile = ~/other\n")
	wtWrite(t, filepath.Join(os.Getenv("HOME"), "other"), "u1\n")
	expect("include.path", 4)
}
