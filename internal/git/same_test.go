//go:build unix

package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// What TestKinds holds against the git program, a function a question.

// sameRevisions compares what names mean.
func sameRevisions(t *testing.T, dir string) {
	t.Helper()
	r := mustOpen(t, dir)
	revs := []string{"HEAD", "@", "HEAD~1", "HEAD~3", "HEAD~30", "HEAD^2", "HEAD~2^2", "main~2^2", "main~2^3", "main~2^4", "HEAD^{commit}", "HEAD^0",
		"origin/dev", "odd/place", "light", "v1.0", "tag-of-tag~1", "tree-tag", "topic", "topic/one", "heads/side^", "nothing", "main~1", "side"}
	for line := range strings.Lines(runGit(t, dir, "", "for-each-ref", "--format=%(objectname) %(refname)")) {
		id, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		revs = append(revs, ref, ref+"~2", id, id[:12])
	}
	answers := strings.Split(runGit(t, dir, strings.Join(revs, "^{commit}\n")+"^{commit}\n", "cat-file", "--batch-check=%(objectname)"), "\n")
	known := 0
	for i, rev := range revs {
		got, err := r.Resolve(rev)
		if want, err2 := ParseOID(answers[i]); err2 != nil {
			if err == nil {
				t.Errorf("%s is %s; git says %q", rev, got, answers[i])
			}
		} else if known++; err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", rev, got, err, want)
		}
	}
	if known < 5 {
		t.Errorf("only %d revisions are known", known)
	}
	// An id by all its digits, and by more than are kept of it.
	full, err := wtCommand(dir, "rev-parse", "--verify", firstID(r).String()).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, digits := range []string{strings.TrimSpace(string(full)), string(full[:30]), string(full[:len(full)-9])} {
		if got, err := r.Resolve(digits); err != nil || got != firstID(r) {
			t.Errorf("%s is %s, %v", digits, got, err)
		}
	}
	// HEAD's branch.
	_, ref, err := r.Head()
	want, _ := wtCommand(dir, "symbolic-ref", "-q", "HEAD").Output()
	if ref != strings.TrimSpace(string(want)) || err != nil && !errors.Is(err, ErrNoCommits) {
		t.Errorf("HEAD is %q, %v; want %q", ref, err, want)
	}
}

// sameFiles compares the files of a commit, but for a folder that git cannot
// read either.
func sameFiles(t *testing.T, dir, damaged string) {
	t.Helper()
	r := mustOpen(t, dir)
	rd := r.NewReader()
	defer rd.Close()
	id := firstID(r)
	entries, tree, warnings, err := rd.Tree(id, "")
	if err != nil || (len(warnings) > 0) != (damaged != "") {
		t.Fatalf("tree of %s: %q, %v", id, warnings, err)
	}
	if want := runGit(t, dir, "", "rev-parse", id.String()+"^{tree}"); tree != mustID(t, want) {
		t.Errorf("tree is %s, want %s", tree, want)
	}
	want := ""
	for _, name := range strings.Split(runGit(t, dir, "", "ls-tree", "-z", "--full-tree", "--name-only", id.String()), "\x00") {
		if name != "" && name != damaged {
			want += string(mustOutput(t, dir, "--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", id.String(), "--", name))
		}
	}
	lines := strings.SplitAfter(strings.TrimSuffix(want, "\x00"), "\x00")
	slices.SortFunc(lines, func(a, b string) int {
		return strings.Compare(a[strings.IndexByte(a, '\t'):], b[strings.IndexByte(b, '\t'):])
	})
	var got []string
	for _, e := range entries {
		typ := "blob"
		if e.Mode == ModeGitlink {
			typ = "commit"
		}
		got = append(got, fmt.Sprintf("%06o %s %s\t%s", e.Mode, typ, e.ID, e.Path))
	}
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\x00")
	}
	if len(lines) < 5 || !slices.Equal(got, lines) {
		t.Errorf("files of %s:\n%q\nwant\n%q", id, got, lines)
	}
}

func mustOutput(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	out, err := wtCommand(dir, args...).Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return []byte(shorten(out))
}

// sameLog compares the history. What a boundary or a damaged tree hides has
// no changes, but is there all the same.
func sameLog(t *testing.T, dir, damaged string) {
	t.Helper()
	r := mustOpen(t, dir)
	head := firstID(r)
	commits, err := r.Commits(context.Background(), head, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(runGit(t, dir, "", "rev-list", head.String()))
	var ids []string
	var read []Commit // what git can tell of
	said := map[string]string{}
	if damaged == "" {
		said = gitLog(t, dir, head.String())
	}
	hidden := 0
	for _, c := range commits {
		ids = append(ids, c.ID.String())
		if damaged != "" {
			// git tells of a commit alone, or stops in the middle of it.
			if wtCommand(dir, "log", "-1", "--root", "--name-only", "--format=", c.ID.String()).Run() == nil {
				said[c.ID.String()] = gitLog(t, dir, c.ID.String(), "-1")[c.ID.String()]
			} else if !c.Boundary && !c.Merge {
				t.Errorf("commit %s cannot be compared by git, but has %d changes", c.ID, len(c.Changes))
			}
		}
		if c.Boundary {
			hidden++
			delete(said, c.ID.String())
			if c.Changes != nil || damaged == "" && !r.Shallow {
				t.Errorf("commit %s is a boundary with %d changes", c.ID, len(c.Changes))
			}
		} else if said[c.ID.String()] != "" {
			read = append(read, c)
		}
	}
	slices.Sort(ids)
	slices.Sort(want)
	if !slices.Equal(ids, want) {
		t.Errorf("%d commits, want %d", len(ids), len(want))
	}
	if (r.Shallow || damaged != "") && hidden == 0 || hidden > len(commits)/2+1 {
		t.Errorf("changes of %d of %d commits are hidden", hidden, len(commits))
	}
	checkHistory(t, read, said)
}

// sameSizes compares type and size of every object that is here, whether or
// not something leads to it.
func sameSizes(t *testing.T, dir string) {
	t.Helper()
	rd := mustOpen(t, dir).NewReader()
	defer rd.Close()
	n := 0
	for line := range strings.Lines(string(mustOutput(t, dir, "cat-file", "--batch-all-objects", "--batch-check"))) {
		f := strings.Fields(line)
		typ, size, err := rd.Size(mustID(t, f[0]))
		if got := fmt.Sprint(typ, size); err != nil || got != f[1]+" "+f[2] && got != f[1]+f[2] {
			t.Errorf("%s: %s %d, %v; want %s", f[0], typ, size, err, line)
		}
		n++
	}
	if n < 20 {
		t.Errorf("only %d objects", n)
	}
}

// sameWorktree edits the working tree and compares its state with git's, file
// by file, as it was and then.
func sameWorktree(t *testing.T, dir, damaged string) {
	t.Helper()
	w := wtRepo{t, strings.TrimSuffix(runGit(t, dir, "", "rev-parse", "--show-toplevel"), "\n")}
	if damaged != "" {
		// The index says what git cannot read anew.
		s := w.snapshot(WorktreeOptions{Untracked: true})
		if tracked := strings.Count(w.git("ls-files", "-z"), "\x00"); len(s.Entries)+s.Symlinks+s.Submodules != tracked || s.Modified+s.Deleted+s.Untracked != 0 {
			t.Errorf("%d files, %d modified, %d deleted, %d untracked; want %d", len(s.Entries), s.Modified, s.Deleted, s.Untracked, tracked)
		}
		return
	}
	w.age()
	w.check("as it was")
	w.write("a.go", "changed\n")
	w.remove("dir/b.go")
	w.write("new/file.go", "new\n")
	w.write("staged.go", "staged\n")
	w.git("add", "--sparse", "staged.go")
	s := w.check("edited")
	// And by git's own words.
	want := map[string]string{}
	parts := strings.Split(w.git("status", "--porcelain=v1", "-z", "-uall", "--no-renames", "--ignore-submodules=all"), "\x00")
	for _, p := range parts {
		if len(p) > 3 && !strings.HasSuffix(p, "/") {
			want[p[3:]] += p[:2]
		}
	}
	state := map[string]*Entry{}
	for i := range s.Entries {
		state[s.Entries[i].Path] = &s.Entries[i]
	}
	for path, code := range want {
		e := state[path]
		if info, err := os.Lstat(w.path(path)); err == nil && !info.Mode().IsRegular() {
			continue // links and submodules are counted, not listed
		}
		switch {
		case strings.HasSuffix(code, "??") && len(code) > 2: // staged as deleted, but here
			if e == nil {
				t.Errorf("%s %q is not there", code, path)
			}
		case code == "??":
			if e == nil || !e.Untracked {
				t.Errorf("%s %q is %+v", code, path, e)
			}
		case strings.Contains(code, "D"):
			if e != nil {
				t.Errorf("%s %q is there", code, path)
			}
		case strings.ContainsAny(code, "MA"):
			if e == nil || e.Untracked || !e.OnDisk && !strings.Contains(code, "A") {
				t.Errorf("%s %q is %+v", code, path, e)
			}
		}
	}
	for path, e := range state {
		if e.Untracked != strings.Contains(want[path], "??") || e.OnDisk && want[path] == "" {
			t.Errorf("%q is %+v; git says %q", path, *e, want[path])
		}
	}
	if want["new/file.go"] != "??" || want["staged.go"] == "" || len(want) < 3 {
		t.Errorf("git says %q: the test says nothing", want)
	}
}
