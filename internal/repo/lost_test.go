package repo_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cohop/internal/repo"
)

// origin is a sample that gives out partial clones.
func origin(t *testing.T, seed uint64, n int) (dir string, p *project) {
	t.Helper()
	dir, p = sample(t, seed, n)
	runGit(t, dir, "config", "uploadpack.allowFilter", "true")
	return dir, p
}

// unlike fails unless the cache answers and warns as no cache does.
func unlike(t *testing.T, what, dir, cache string) {
	t.Helper()
	want, wantWarnings := ask(t, dir, "")
	got, warnings := ask(t, dir, cache)
	if got != want {
		t.Errorf("%s: the answers differ: %s", what, firstDifference(got, want))
	}
	if !slices.Equal(warnings, wantWarnings) {
		t.Errorf("%s: warnings %q, want %q", what, warnings, wantWarnings)
	}
}

// stands is the segments of a cache with what tells one from another that
// took its place.
func stands(t *testing.T, cache string) string {
	t.Helper()
	var b strings.Builder
	for _, f := range files(t, cache) {
		if filepath.Ext(f) == ".seg" {
			info, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %d %v\n", filepath.Base(f), info.Size(), info.ModTime())
		}
	}
	return b.String()
}

// bring makes git fetch the blobs of some paths of HEAD.
func bring(t *testing.T, dir string, paths ...string) {
	t.Helper()
	for _, p := range paths {
		runGit(t, dir, "cat-file", "blob", "HEAD:"+p)
	}
}

// TestBlobsArrive indexes a clone without blobs, and again whenever some came.
func TestBlobsArrive(t *testing.T) {
	from, p := origin(t, 21, 25)
	part := filepath.Join(t.TempDir(), "part.git")
	runGit(t, from, "clone", "-q", "--bare", "--filter=blob:none", "file://"+from, part)
	cache := t.TempDir()
	unlike(t, "nothing is here", part, cache)
	unlike(t, "nothing is here, warm", part, cache)
	empty := stands(t, cache)
	if empty == "" {
		t.Fatal("no segment is kept")
	}

	// The store changes, but nothing that was missing is here: what is kept
	// stays, and is looked at no more until the next change.
	if err := os.WriteFile(filepath.Join(part, "new"), []byte("of no tree"), 0o600); err != nil {
		t.Fatal(err)
	}
	runGit(t, part, "hash-object", "-w", "new")
	unlike(t, "something else came", part, cache)
	if got := stands(t, cache); got != empty {
		t.Errorf("built again for nothing:\n%swas\n%s", got, empty)
	}

	// A note that is damaged says that something is missing, not what; one whose
	// writer died before it wrote the segment's own stamp says all.
	for _, at := range []int{-1, 20} {
		for _, f := range files(t, cache) {
			if strings.HasSuffix(f, ".seg.ok") {
				b, err := os.ReadFile(f)
				if err != nil || len(b) <= 32 {
					t.Fatalf("%d bytes of a note, %v", len(b), err)
				}
				b[(len(b)+at)%len(b)] ^= 1
				if err := os.WriteFile(f, b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		unlike(t, "damaged note", part, cache)
		if got := stands(t, cache); (got == empty) != (at > 0) {
			t.Errorf("damaged at %d: built again: %v", at, got != empty)
		}
		empty = stands(t, cache)
	}

	paths := slices.Collect(func(yield func(string) bool) {
		for path := range p.files {
			if !yield(path) {
				return
			}
		}
	})
	slices.Sort(paths)
	for i, some := range [][]string{paths[:1], paths[1:10], paths[10:]} {
		bring(t, part, some...)
		before := stands(t, cache)
		unlike(t, fmt.Sprintf("some came: %d", i), part, cache)
		whole := stands(t, cache)
		if before == whole {
			t.Errorf("some came (%d): not built again", i)
		}
		unlike(t, "warm", part, cache)
		if got := stands(t, cache); got != whole {
			t.Errorf("some came (%d): built again twice", i)
		}
	}
	if _, warnings := ask(t, part, cache); strings.Contains(fmt.Sprint(warnings), "not in this clone") {
		t.Errorf("all is here, but %q", warnings)
	}
	// What is kept now is what a clone with everything would keep.
	fresh := t.TempDir()
	ask(t, part, fresh)
	for _, f := range files(t, fresh) {
		if filepath.Ext(f) != ".seg" {
			continue
		}
		want, _ := os.ReadFile(f)
		got, err := os.ReadFile(strings.Replace(f, fresh, cache, 1))
		if err != nil || string(got) != string(want) {
			t.Errorf("the segment is not that of a fresh cache (%v)", err)
		}
	}
}

// TestBlobsArriveUnderWork does so below a working tree that is sparse and
// dirty, whose overlays are kept too.
func TestBlobsArriveUnderWork(t *testing.T) {
	from, p := origin(t, 22, 40)
	for path, text := range map[string]string{"near/loader.py": "from far.session import Session\nclass Loader(Session):\n    pass\n",
		"far/session.py": "class Session:\n    def fetchRows(self):\n        return RateLimit()\n", "far/__init__.py": ""} {
		p.files[path] = text
	}
	p.write(t, from)
	runGit(t, from, "add", "-A")
	runGit(t, from, "commit", "-q", "-m", "near and far")
	part := filepath.Join(t.TempDir(), "part")
	runGit(t, from, "clone", "-q", "--filter=blob:none", "--sparse", "file://"+from, part)
	cache := t.TempDir()
	unlike(t, "sparse", part, cache)
	runGit(t, part, "sparse-checkout", "add", "near")
	unlike(t, "near", part, cache)
	edit := func(text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(part, "near", "loader.py"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit("from far.session import Session\nclass Loader(Session):\n    limit = 3\n")
	unlike(t, "dirty", part, cache)
	unlike(t, "dirty, warm", part, cache)
	runGit(t, part, "sparse-checkout", "add", "far")
	unlike(t, "far, dirty", part, cache)
	unlike(t, "far, dirty, warm", part, cache)
	runGit(t, part, "sparse-checkout", "disable")
	unlike(t, "all, dirty", part, cache)
	runGit(t, part, "commit", "-q", "-a", "-m", "limit")
	unlike(t, "all, committed", part, cache)
}

// TestBlobsArriveByAlternates takes objects away and gives them back, through
// another object store.
func TestBlobsArriveByAlternates(t *testing.T) {
	dir, _ := sample(t, 23, 20)
	runGit(t, dir, "rm", "-q", "--cached", "go.mod") // no manifest: its blob is one of many
	bare := filepath.Join(t.TempDir(), "bare.git")
	runGit(t, dir, "clone", "-q", "--bare", "--no-local", ".", bare)
	out, err := exec.Command("git", "-C", dir, "ls-tree", "-r", "HEAD").Output()
	if err != nil {
		t.Fatal(err)
	}
	// Loose objects can be taken away one by one.
	packs, _ := filepath.Glob(filepath.Join(bare, "objects", "pack", "*.pack"))
	if len(packs) != 1 {
		t.Fatalf("packs: %q", packs)
	}
	pack, err := os.ReadFile(packs[0])
	if err != nil {
		t.Fatal(err)
	}
	old, _ := filepath.Glob(filepath.Join(bare, "objects", "pack", "*"))
	for _, f := range old {
		os.Remove(f)
	}
	c := exec.Command("git", "-C", bare, "unpack-objects", "-q")
	c.Stdin = strings.NewReader(string(pack))
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	other := filepath.Join(t.TempDir(), "objects")
	n := 0
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if i%3 > 0 {
			continue
		}
		id := strings.Fields(line)[2]
		to := filepath.Join(other, id[:2])
		if err := os.MkdirAll(to, 0o755); err != nil {
			t.Fatal(err)
		}
		if os.Rename(filepath.Join(bare, "objects", id[:2], id[2:]), filepath.Join(to, id[2:])) == nil {
			n++
		}
	}
	if n == 0 {
		t.Fatal("no object was taken away")
	}
	cache := t.TempDir()
	unlike(t, "a third gone", bare, cache)
	unlike(t, "a third gone, warm", bare, cache)
	if err := os.WriteFile(filepath.Join(bare, "objects", "info", "alternates"), []byte(other+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	same(t, "borrowed", bare, cache)
	if got, _ := ask(t, bare, cache); got == "" {
		t.Error("no answer")
	}
}

// TestHistoryDeepens answers from the history of a shallow clone, and from more
// of it whenever git fetched more.
func TestHistoryDeepens(t *testing.T) {
	from, p := sample(t, 24, 20)
	commit := func(i int) {
		t.Helper()
		p.edit()
		p.write(t, from)
		runGit(t, from, "add", "-A")
		runGit(t, from, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("Session %d of fetchRows", i))
	}
	for i := range 8 {
		commit(i)
	}
	shallow := filepath.Join(t.TempDir(), "shallow")
	runGit(t, from, "clone", "-q", "--depth", "2", "file://"+from, shallow)
	cache := t.TempDir()
	commits := func(what string, want int32) {
		t.Helper()
		unlike(t, what, shallow, cache)
		unlike(t, what+", warm", shallow, cache)
		st, err := repo.Open(context.Background(), repo.Options{Path: shallow, CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		if st.History == nil || st.History.N != want {
			t.Errorf("%s: history of %+v, want %d commits", what, st.History, want)
		}
	}
	commits("shallow", 2)
	runGit(t, shallow, "fetch", "-q", "--deepen", "3")
	commits("deeper", 5)
	commit(8)
	runGit(t, shallow, "pull", "-q")
	commits("pulled", 6)
	runGit(t, shallow, "fetch", "-q", "--unshallow")
	commits("whole", 12)
	commit(9)
	runGit(t, shallow, "pull", "-q")
	commits("whole, and pulled", 13)
	for _, f := range files(t, cache) {
		if name := filepath.Base(f); strings.Contains(name, ".log") && strings.Count(strings.TrimSuffix(name, ".ok"), ".") > 1 {
			t.Errorf("%s is left of the shallow clone", name)
		}
	}
	runGit(t, shallow, "fetch", "-q", "--depth", "1")
	commits("shallow again", 1)
}

// TestHistoryIsReplaced answers from the history as grafts and replaced commits
// make it, however it was before.
func TestHistoryIsReplaced(t *testing.T) {
	dir, p := sample(t, 26, 20)
	for i := range 6 {
		p.edit()
		p.write(t, dir)
		runGit(t, dir, "add", "-A")
		runGit(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("Session %d of fetchRows", i))
	}
	cache := t.TempDir()
	commits := func(what string) int32 {
		t.Helper()
		st, err := repo.Open(context.Background(), repo.Options{Path: dir, CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		plain, err := repo.Open(context.Background(), repo.Options{Path: dir, NoCache: true})
		if err != nil {
			t.Fatal(err)
		}
		defer plain.Close()
		if st.History.N != plain.History.N {
			t.Errorf("%s: a history of %d commits, without a cache %d", what, st.History.N, plain.History.N)
		}
		return st.History.N
	}
	whole := commits("whole")
	runGit(t, dir, "replace", "--graft", "HEAD~2")
	if cut := commits("cut by a graft"); cut != 3 {
		t.Errorf("cut by a graft: %d commits, want 3", cut)
	}
	runGit(t, dir, "replace", "-d", "HEAD~2")
	if again := commits("whole again"); again != whole {
		t.Errorf("whole again: %d commits, want %d", again, whole)
	}
}

// TestBlobsArriveInAHurry has no time to build again: what is kept answers, and
// somebody else is told to.
func TestBlobsArriveInAHurry(t *testing.T) {
	from, p := origin(t, 25, 40)
	part := filepath.Join(t.TempDir(), "part.git")
	runGit(t, from, "clone", "-q", "--bare", "--filter=blob:none", "file://"+from, part)
	cache := t.TempDir()
	ask(t, part, cache)
	before := stands(t, cache)
	for path := range p.files {
		bring(t, part, path)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	st, err := repo.Open(repo.Late(ctx), repo.Options{Path: part, CacheDir: cache, Later: true})
	if err != nil {
		t.Fatal(err)
	}
	if !st.Unfinished() || int(st.View.Files()) != len(p.files) {
		t.Errorf("unfinished %v, %d files", st.Unfinished(), st.View.Files())
	}
	st.Close()
	if got := stands(t, cache); got != before {
		t.Errorf("what answered is gone: %s", got)
	}
	unlike(t, "with time", part, cache)
	if got := stands(t, cache); got == before {
		t.Error("not built again")
	}
}

// TestLacksOfTheTree counts what the ranked tree lacks, not what its commit's
// segment does, and says so of each file.
func TestLacksOfTheTree(t *testing.T) {
	from := plant(t, map[string]string{"a.py": "def fetchRows():\n    return 1\n", "gone.py": "def gone():\n    pass\n",
		"b.py": "def other():\n    return 2\n", "empty.py": "", "id_rsa": "key\n", "x.bin": "\x00\x01", "min.js": strings.Repeat("function f(){return a}", 4000)})
	runGit(t, from, "config", "uploadpack.allowFilter", "true")
	part := filepath.Join(t.TempDir(), "part")
	runGit(t, from, "clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+from, part)
	for path, text := range map[string]string{"a.py": "def fetchRows():\n    return 1\n", "c.py": "x = 1\n"} {
		if err := os.WriteFile(filepath.Join(part, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The commit's blobs are not here, but the tree's are.
	cache := t.TempDir()
	open := func(rev string) *repo.State {
		t.Helper()
		st, err := repo.Open(context.Background(), repo.Options{Path: part, Rev: rev, CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(st.Close)
		return st
	}
	for i := range 2 {
		st := open("")
		if strings.Contains(fmt.Sprint(st.Warnings), "not in this clone") || st.Incomplete() {
			t.Errorf("run %d: incomplete %v, %q", i, st.Incomplete(), st.Warnings)
		}
	}
	for i := range 2 {
		st := open("HEAD")
		// a.py is on disk, whatever git has of it; what holds secrets is not asked for.
		if !strings.Contains(fmt.Sprint(st.Warnings), "4 files are not in this clone") || !st.Incomplete() {
			t.Errorf("HEAD, run %d: incomplete %v, %q", i, st.Incomplete(), st.Warnings)
		}
	}
	unread := func(st *repo.State, want map[string]string) {
		t.Helper()
		for path, part := range want {
			f, ok := st.View.Find(path)
			if got := st.Unread(f); !ok || !strings.Contains(got, part) || (part == "") != (got == "") {
				t.Errorf("%s: %q, want %q", path, got, part)
			}
		}
	}
	unread(open("HEAD"), map[string]string{"a.py": "", "b.py": "not in this clone", "id_rsa": "secrets"})
	runGit(t, part, "checkout", "-q", "HEAD", "--", ".")
	st := open("HEAD")
	unread(st, map[string]string{"a.py": "", "b.py": "", "empty.py": "empty", "id_rsa": "secrets", "x.bin": "binary", "min.js": "minified"})
	if st.Incomplete() || len(st.Warnings) > 0 {
		t.Errorf("all is here: incomplete %v, %q", st.Incomplete(), st.Warnings)
	}
}
