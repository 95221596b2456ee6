package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestOpenDiscovery(t *testing.T) {
	top := newRepo(t)
	commitFile(t, top, "a/b/file", "x", "first")
	runGit(t, top, "", "worktree", "add", "-q", "-b", "side", "linked")
	linked := filepath.Join(top, "linked")
	commitFile(t, linked, "only-here", "y", "second")
	// A stray .git folder between a folder and its repository.
	if err := os.MkdirAll(filepath.Join(top, "a/stray/.git"), 0o777); err != nil {
		t.Fatal(err)
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	runGit(t, base, "", "clone", "-q", "--bare", top, "bare.git")
	runGit(t, filepath.Join(base, "bare.git"), "", "worktree", "add", "-q", filepath.Join(base, "from-bare"), "main")
	// A .git that is a symbolic link.
	if err := os.Mkdir(filepath.Join(base, "sym"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(top, ".git"), filepath.Join(base, "sym/.git")); err != nil {
		t.Fatal(err)
	}
	// A submodule keeps its git directory in that of the repository around it.
	super := newRepo(t)
	runGit(t, super, "", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", top, "mod")
	// The working tree elsewhere.
	apart := filepath.Join(base, "apart")
	runGit(t, base, "", "init", "-q", "--separate-git-dir", filepath.Join(base, "apart.git"), apart)
	commitFile(t, apart, "f", "z", "first")
	// A symbolic link to a folder inside.
	if err := os.Symlink(filepath.Join(top, "a/b"), filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}

	cases := []struct {
		name, path, dir, work string
		linked                bool
	}{
		{"top", top, top + "/.git", top, false},
		{"folder below", top + "/a/b", top + "/.git", top, false},
		{"file", top + "/a/b/file", top + "/.git", top, false},
		{"stray .git passed over", top + "/a/stray", top + "/.git", top, false},
		{"the stray .git itself", top + "/a/stray/.git", top + "/.git", top, false},
		{"git directory", top + "/.git", top + "/.git", top, false},
		{"inside the git directory", top + "/.git/objects", top + "/.git", top, false},
		{"link to a folder", base + "/link", top + "/.git", top, false},
		{"linked worktree", linked, top + "/.git/worktrees/linked", linked, true},
		{"its git directory", top + "/.git/worktrees/linked", top + "/.git/worktrees/linked", linked, true},
		{"bare", base + "/bare.git", base + "/bare.git", "", false},
		{"inside bare", base + "/bare.git/refs", base + "/bare.git", "", false},
		{"worktree of bare", base + "/from-bare", base + "/bare.git/worktrees/from-bare", base + "/from-bare", true},
		{"linked .git", base + "/sym", base + "/sym/.git", base + "/sym", false},
		{"submodule", super + "/mod", super + "/.git/modules/mod", super + "/mod", false},
		{"submodule's git directory", super + "/.git/modules/mod", super + "/.git/modules/mod", super + "/mod", false},
		{"separate git directory", apart, base + "/apart.git", apart, false},
	}
	for _, c := range cases {
		r, err := Open(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Dir != c.dir || r.Worktree != c.work || r.Linked != c.linked || r.Bare != (c.work == "") || len(r.Warnings()) > 0 {
			t.Errorf("%s: dir %s worktree %s linked %v bare %v %q", c.name, r.Dir, r.Worktree, r.Linked, r.Bare, r.Warnings())
		}
		want := runGit(t, r.Dir, "", "--git-dir", r.Dir, "rev-parse", "HEAD")
		if id, _, err := r.Head(); err != nil || id != mustID(t, want) {
			t.Errorf("%s: HEAD %s, %v; want %s", c.name, id, err, want)
		}
		r.Close()
	}
	// The worktree's HEAD is its own.
	r := mustOpen(t, linked)
	if _, ref, err := r.Head(); err != nil || ref != "refs/heads/side" {
		t.Errorf("linked worktree is on %q, %v", ref, err)
	}
	if mustHead(t, r) == mustHead(t, mustOpen(t, top)) {
		t.Error("the linked worktree has the main one's HEAD")
	}
}

func TestOpenRefuses(t *testing.T) {
	empty := t.TempDir()
	for _, path := range []string{empty, "/"} {
		if _, err := Open(path); !errors.Is(err, ErrNotRepository) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Open(filepath.Join(empty, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such folder: %v", err)
	}
	write(t, filepath.Join(empty, "w/.git"), "gitdir: ../nowhere\n")
	if _, err := Open(filepath.Join(empty, "w")); !errors.Is(err, ErrNotRepository) {
		t.Errorf("broken .git file: %v", err)
	}
	write(t, filepath.Join(empty, "v/.git"), "nonsense")
	if _, err := Open(filepath.Join(empty, "v")); !errors.Is(err, ErrNotRepository) {
		t.Errorf("nonsense in .git: %v", err)
	}
	cases := []struct{ config, reason string }{
		{"[core]\nrepositoryformatversion = 2\n", "version 2"},
		{"[core]\nrepositoryformatversion = 1\n[extensions]\nobjectFormat = md5\n", "md5"},
		{"[core]\nrepositoryformatversion = 1\n[extensions]\n\trefStorage = cloud ; new\n", "cloud"},
	}
	for _, c := range cases {
		dir := newRepo(t)
		write(t, filepath.Join(dir, ".git/config"), c.config)
		if _, err := Open(dir); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%q: %v", c.config, err)
		}
	}
}

// TestOpenConfigs: settings that stop other libraries do not matter here.
func TestOpenConfigs(t *testing.T) {
	dir := newRepo(t)
	commitFile(t, dir, "f", "x", "first")
	for _, config := range []string{
		"", "\ufeff[core]\n\tbare = false\n", "[pack]\n\twindow = 10k\n[remote.old]\nurl = x\n",
		"[core]\nrepositoryformatversion = 1\n[extensions]\nworktreeConfig = true\npreciousObjects\nrelativeWorktrees = true\nunheardOf = 1\n",
		"[core\nbroken", "[core] bare = false ; [x]\n[a \"]\"] b = c\n",
	} {
		write(t, filepath.Join(dir, ".git/config"), config)
		r, err := Open(dir)
		if err != nil || r.Worktree != dir {
			t.Errorf("%q: %v", config, err)
			continue
		}
		mustHead(t, r)
	}
	write(t, filepath.Join(dir, ".git/config"), "[core]\n\tbare\n")
	if r := mustOpen(t, dir); !r.Bare {
		t.Error("core.bare without a value is true")
	}
	write(t, filepath.Join(dir, ".git/config"), "[core]\n\tworktree = ../elsewhere\n")
	if r := mustOpen(t, dir); !r.Bare || len(r.Warnings()) != 1 {
		t.Errorf("working tree that is not here: %q %q", r.Worktree, r.Warnings())
	}
}

func TestHead(t *testing.T) {
	dir := newRepo(t)
	r := mustOpen(t, dir)
	if _, ref, err := r.Head(); !errors.Is(err, ErrNoCommits) || ref != "refs/heads/main" {
		t.Errorf("unborn: %q, %v", ref, err)
	}
	if _, err := r.Resolve("HEAD"); !errors.Is(err, ErrNoCommits) {
		t.Errorf("unborn HEAD resolves: %v", err)
	}
	first := commitFile(t, dir, "f", "x", "first")
	if id, ref, err := r.Head(); err != nil || id.String() != first || ref != "refs/heads/main" {
		t.Errorf("after the first commit: %s %q, %v", id, ref, err)
	}
	runGit(t, dir, "", "checkout", "-q", "--detach")
	if id, ref, err := r.Head(); err != nil || id.String() != first || ref != "" {
		t.Errorf("detached: %s %q, %v", id, ref, err)
	}
}

func TestResolve(t *testing.T) {
	dir := importRepo(t, 5, 60)
	runGit(t, dir, "", "branch", "topic/one", "main~3")
	runGit(t, dir, "", "tag", "light", "main~1")
	runGit(t, dir, "", "tag", "-a", "-m", "x", "v1.0", "main~2")
	runGit(t, dir, "", "tag", "-a", "-m", "x", "tagged-tag", "v1.0")
	runGit(t, dir, "", "tag", "-a", "-m", "x", "tree-tag", "main^{tree}")
	runGit(t, dir, "", "update-ref", "refs/remotes/origin/dev", "main~4")
	runGit(t, dir, "", "update-ref", "refs/odd/place", "main~5")
	runGit(t, dir, "", "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev")
	runGit(t, dir, "", "tag", "both", "main~6")
	runGit(t, dir, "", "branch", "both", "main~7")
	full := strings.TrimSpace(runGit(t, dir, "", "rev-parse", "main~8"))
	describe := strings.TrimSpace(runGit(t, dir, "", "describe", "main"))
	revs := []string{
		"HEAD", "@", "main", "heads/main", "refs/heads/main", "topic/one", "light", "v1.0", "tagged-tag", "tags/v1.0",
		"origin/dev", "remotes/origin/dev", "origin", "refs/odd/place", "odd/place", "both", full, strings.ToUpper(full), full[:12],
		"main~", "main~5", "main^", "main^1", "main^0", "v1.0^0", "main^{}", "v1.0^{commit}", "main~2^1~1", "@~3^{commit}", "HEAD^^", describe,
	}
	for id := range strings.FieldsSeq(runGit(t, dir, "", "rev-list", "--merges", "--max-count=3", "main")) {
		revs = append(revs, id+"^2", id[:10]+"^2~1")
	}
	bad := []struct {
		rev string
		err error
	}{
		{"", ErrUnknownRevision}, {"nope", ErrUnknownRevision}, {"main^9", ErrUnknownRevision}, {"main~99999", ErrUnknownRevision},
		{"main^{tree}", ErrUnknownRevision}, {"main^{", ErrUnknownRevision}, {"tree-tag", ErrUnknownRevision}, {"main~x", ErrUnknownRevision},
		{"../../../etc/passwd", ErrUnknownRevision}, {"config", ErrUnknownRevision}, {"abc", ErrUnknownRevision}, {"main:f", ErrUnknownRevision},
		{"main~99999999999999999999", ErrUnknownRevision}, {strings.Repeat("f", 40), ErrMissing}, {"refs/heads/", ErrUnknownRevision}, {"a\x00b", ErrUnknownRevision},
		{"main/under", ErrUnknownRevision}, {"topic", ErrUnknownRevision},
	}
	for _, packed := range []bool{false, true} {
		if packed {
			runGit(t, dir, "", "pack-refs", "--all")
		}
		r := mustOpen(t, dir)
		for _, rev := range revs {
			want := mustID(t, runGit(t, dir, "", "rev-parse", "--verify", "-q", rev+"^{commit}"))
			if got, err := r.Resolve(rev); err != nil || got != want {
				t.Errorf("packed %v: %q is %s, %v; want %s", packed, rev, got, err, want)
			}
		}
		for _, c := range bad {
			if got, err := r.Resolve(c.rev); !errors.Is(err, c.err) {
				t.Errorf("packed %v: %q is %s, %v; want %v", packed, c.rev, got, err, c.err)
			}
		}
	}
	// Refs that go in a circle.
	write(t, filepath.Join(dir, ".git/refs/heads/x"), "ref: refs/heads/y\n")
	write(t, filepath.Join(dir, ".git/refs/heads/y"), "ref: refs/heads/x\n")
	write(t, filepath.Join(dir, ".git/refs/heads/z"), "garbage\n")
	for _, rev := range []string{"x", "z"} {
		if _, err := mustOpen(t, dir).Resolve(rev); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", rev, err)
		}
	}
}

func TestAmbiguous(t *testing.T) {
	dir := newRepo(t)
	// Blobs enough that some share four digits with a commit, and with each
	// other; commits are told apart from blobs, as git does.
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter N <n@example.com> %d +0000\ndata 1\nx\nM 100644 inline f\ndata %d\n%d\n\n", i, len(fmt.Sprint(i))+1, i)
	}
	runGit(t, dir, b.String(), "fast-import", "--quiet")
	r := mustOpen(t, dir)
	byPrefix := map[string][]string{}
	for id := range strings.FieldsSeq(runGit(t, dir, "", "rev-list", "main")) {
		byPrefix[id[:4]] = append(byPrefix[id[:4]], id)
	}
	unique, several := 0, 0
	for prefix, ids := range byPrefix {
		got, err := r.Resolve(prefix)
		if len(ids) == 1 {
			unique++
			if err != nil || got.String() != ids[0] {
				t.Fatalf("%s: %s, %v; want %s", prefix, got, err, ids[0])
			}
		} else {
			several++
			if !errors.Is(err, ErrAmbiguous) {
				t.Fatalf("%s fits %d commits: %v", prefix, len(ids), err)
			}
		}
	}
	if unique < 100 || several < 10 {
		t.Fatalf("%d unique, %d ambiguous: the test says nothing", unique, several)
	}
}

func TestShallowAndPartial(t *testing.T) {
	dir := newRepo(t)
	runGit(t, dir, "", "config", "uploadpack.allowFilter", "true")
	for i := range 8 {
		commitFile(t, dir, fmt.Sprintf("f%d", i%3), strings.Repeat(fmt.Sprint(i), 100), fmt.Sprint("c", i))
	}
	base := t.TempDir()
	runGit(t, base, "", "clone", "-q", "--depth=3", "file://"+dir, "shallow")
	r := mustOpen(t, filepath.Join(base, "shallow"))
	if !r.Shallow || r.Partial || !slices.Equal(r.Warnings(), []string{"shallow clone: history is cut off"}) {
		t.Errorf("shallow %v partial %v %q", r.Shallow, r.Partial, r.Warnings())
	}
	commits, err := r.Commits(context.Background(), mustHead(t, r), nil, 0)
	if err != nil || len(commits) != 3 {
		t.Fatalf("%d commits, %v", len(commits), err)
	}
	for i, c := range commits {
		if first := i == 0; c.Boundary != first || (len(c.Changes) == 0) != first || (len(c.Parents) == 0) != first {
			t.Errorf("commit %d: boundary %v, %d changes, %d parents", i, c.Boundary, len(c.Changes), len(c.Parents))
		}
	}
	if _, err := r.Resolve("HEAD~3"); !errors.Is(err, ErrUnknownRevision) {
		t.Errorf("beyond the boundary: %v", err)
	}

	runGit(t, base, "", "clone", "-q", "--bare", "--filter=blob:none", "file://"+dir, "partial")
	r = mustOpen(t, filepath.Join(base, "partial"))
	if r.Shallow || !r.Partial || len(r.Warnings()) > 0 {
		t.Errorf("shallow %v partial %v %q", r.Shallow, r.Partial, r.Warnings())
	}
	rd := r.NewReader()
	defer rd.Close()
	entries, _, warnings, err := rd.Tree(mustHead(t, r), "")
	if err != nil || len(entries) != 3 || len(warnings) > 0 {
		t.Fatalf("%v %q %v", entries, warnings, err)
	}
	for _, e := range entries {
		if _, _, err := rd.Object(e.ID); !errors.Is(err, ErrMissing) {
			t.Errorf("%s: %v", e.Path, err)
		}
	}
	sameHistory(t, dir)
	commits, err = r.Commits(context.Background(), mustHead(t, r), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	checkHistory(t, commits, gitLog(t, dir, "main"))

	// Without trees the history has no changes, and says so once.
	runGit(t, base, "", "clone", "-q", "--bare", "--filter=tree:0", "file://"+dir, "treeless")
	r = mustOpen(t, filepath.Join(base, "treeless"))
	commits, err = r.Commits(context.Background(), mustHead(t, r), nil, 0)
	if err != nil || len(commits) != 8 || len(r.Warnings()) != 1 {
		t.Fatalf("%d commits, %v, %q", len(commits), err, r.Warnings())
	}
	if c := commits[7]; c.Message != "c7\n" || !c.Boundary || c.Changes != nil {
		t.Errorf("without trees: %+v", c)
	}
}

func TestReplaceAndGrafts(t *testing.T) {
	dir := newRepo(t)
	var ids []string
	for i := range 6 {
		ids = append(ids, commitFile(t, dir, fmt.Sprint("f", i), "x", fmt.Sprint("c", i)))
	}
	// c3's parent becomes c0, by a replacement; then also packed.
	runGit(t, dir, "", "replace", "--graft", ids[3], ids[0])
	sameHistory(t, dir)
	runGit(t, dir, "", "pack-refs", "--all")
	sameHistory(t, dir)
	r := mustOpen(t, dir)
	if id, err := r.Resolve("main~3"); err != nil || id.String() != ids[0] {
		t.Errorf("main~3 is %s, %v; want %s", id, err, ids[0])
	}
	// c5's parents by the older decree.
	write(t, filepath.Join(dir, ".git/info/grafts"), "# comment\n"+ids[5]+" "+ids[4]+" "+ids[1]+"\nnonsense here\n"+ids[1]+"\n")
	sameHistory(t, dir)
	// A circle ends.
	write(t, filepath.Join(dir, ".git/info/grafts"), ids[0]+" "+ids[5]+"\n")
	r = mustOpen(t, dir)
	if commits, err := r.Commits(context.Background(), mustHead(t, r), nil, 0); err != nil || len(commits) != 4 {
		t.Errorf("circle of 5, 4, 3, 0: %d commits, %v", len(commits), err)
	}
	// Replacements in a circle end too.
	write(t, filepath.Join(dir, ".git/refs/replace/"+ids[1]), ids[2]+"\n")
	write(t, filepath.Join(dir, ".git/refs/replace/"+ids[2]), ids[1]+"\n")
	if _, err := mustOpen(t, dir).Resolve(ids[1]); err != nil {
		t.Errorf("circle of replacements: %v", err)
	}
}

// TestRepack: objects are found after the packs they were in are gone.
func TestRepack(t *testing.T) {
	dir := importRepo(t, 8, 40)
	r := mustOpen(t, dir)
	rd := r.NewReader()
	defer rd.Close()
	head := mustHead(t, r)
	if _, _, err := rd.Object(head); err != nil {
		t.Fatal(err)
	}
	second := mustID(t, commitFile(t, dir, "new", "text", "new"))
	runGit(t, dir, "", "gc", "-q", "--prune=now")
	if _, data, err := rd.Object(second); err != nil || !strings.Contains(string(data), "\nnew\n") {
		t.Fatalf("object of a pack that came later: %q, %v", data, err)
	}
	if _, _, err := rd.Object(head); err != nil {
		t.Fatal(err)
	}
	sameHistory(t, dir)
}
