package repo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cohop/internal/repo"
	"cohop/rank"
)

// TestMain lets the test binary be the process that is killed, or one of
// several: RANK_TEST_REPO and RANK_TEST_CACHE make it answer one query.
func TestMain(m *testing.M) {
	if dir := os.Getenv("RANK_TEST_REPO"); dir != "" {
		if os.Getenv("RANK_TEST_FULL") != "" { // a disk that takes nothing
			signal.Ignore(syscall.SIGXFSZ)
			_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: 4096})
		}
		r, err := rank.Rank(context.Background(), rank.Request{Task: task, Repo: dir, CacheDir: os.Getenv("RANK_TEST_CACHE")})
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(r)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const task = "RateLimit in the session Loader: parse_all and fetchRows of io_util"

// helper is this binary as a process that answers one query.
func helper(dir, cache string, env ...string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(append(os.Environ(), "RANK_TEST_REPO="+dir, "RANK_TEST_CACHE="+cache), env...)
	return c
}

// sample makes a repository with n random files and three commits.
func sample(t *testing.T, seed uint64, n int) (dir string, p *project) {
	t.Helper()
	dir = t.TempDir()
	p = &project{r: rand.New(rand.NewPCG(seed, 7)), exts: extensions, files: map[string]string{"go.mod": "module example.com/shop\n"}}
	p.add(n)
	p.write(t, dir)
	runGit(t, dir, "init", "-q", "-b", "main")
	for i := range 3 {
		p.edit()
		p.write(t, dir)
		runGit(t, dir, "add", "-A")
		runGit(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("RateLimit step %d for parse_all", i))
	}
	return dir, p
}

func ask(t *testing.T, dir, cache string) (answer string, warnings []string) {
	t.Helper()
	r, err := rank.Rank(context.Background(), rank.Request{Task: task, Repo: dir, CacheDir: cache, NoCache: cache == ""})
	if err != nil {
		t.Fatal(err)
	}
	warnings, r.Header.Warnings = r.Header.Warnings, nil
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b), warnings
}

// same fails unless a cache answers as no cache does, without a warning.
func same(t *testing.T, what, dir, cache string) {
	t.Helper()
	want, _ := ask(t, dir, "")
	got, warnings := ask(t, dir, cache)
	if got != want {
		t.Errorf("%s: the answers differ: %s", what, firstDifference(got, want))
	}
	if len(warnings) > 0 {
		t.Errorf("%s: warnings %q", what, warnings)
	}
}

func TestStatesOfARepository(t *testing.T) {
	dir, p := sample(t, 1, 30)
	cache := t.TempDir()
	same(t, "cold", dir, cache)
	same(t, "warm", dir, cache)
	p.edit()
	p.write(t, dir)
	same(t, "dirty", dir, cache)
	same(t, "dirty again", dir, cache)
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "Session and Loader")
	same(t, "one commit more", dir, cache)
	runGit(t, dir, "checkout", "-q", "-b", "other", "HEAD~2")
	same(t, "another branch", dir, cache)
	runGit(t, dir, "merge", "-q", "main")
	same(t, "a branch merged", dir, cache)
	for i := range 12 { // more parts than a log keeps
		if err := os.WriteFile(filepath.Join(dir, "src_alpha.py"), fmt.Appendf(nil, "def Loader():\n    return %d\n", i), 0o600); err != nil {
			t.Fatal(err)
		}
		runGit(t, dir, "add", "-A")
		runGit(t, dir, "commit", "-q", "-m", "RateLimit again")
		same(t, fmt.Sprintf("commit %d", i), dir, cache)
	}
	tree := filepath.Join(t.TempDir(), "linked")
	runGit(t, dir, "worktree", "add", "-q", tree, "main")
	same(t, "a linked worktree", tree, cache)
	if roots, _ := os.ReadDir(cache); len(roots) != 1 {
		t.Errorf("%d folders in the cache: worktrees do not share", len(roots))
	}
	bare := filepath.Join(t.TempDir(), "bare.git")
	runGit(t, dir, "clone", "-q", "--bare", ".", bare)
	same(t, "bare", bare, cache)
	shallow := filepath.Join(t.TempDir(), "shallow")
	runGit(t, dir, "clone", "-q", "--depth", "1", "file://"+dir, shallow)
	for range 2 {
		if got, warnings := ask(t, shallow, cache); !strings.Contains(fmt.Sprint(warnings), "shallow") {
			t.Errorf("shallow: warnings %q", warnings)
		} else if want, _ := ask(t, shallow, ""); got != want {
			t.Errorf("shallow: %s", firstDifference(got, want))
		}
	}

	empty := t.TempDir()
	runGit(t, empty, "init", "-q")
	if err := os.WriteFile(filepath.Join(empty, "loader.py"), []byte("def parse_all():\n    pass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, warnings := ask(t, empty, cache); len(warnings) != 1 || !strings.Contains(warnings[0], "no commits yet") {
			t.Errorf("no commit yet: warnings %q", warnings)
		} else if want, _ := ask(t, empty, ""); got != want {
			t.Errorf("no commit yet: %s", firstDifference(got, want))
		}
	}
}

// files lists what a cache holds, the lock aside.
func files(t *testing.T, cache string) (out []string) {
	t.Helper()
	_ = filepath.WalkDir(cache, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "lock" {
			out = append(out, p)
		}
		return nil
	})
	slices.Sort(out)
	return out
}

// TestDamagedCache flips, cuts, empties and swaps files of the cache. Every
// answer must be right; damage is said at most once and mended.
func TestDamagedCache(t *testing.T) {
	dir, p := sample(t, 2, 25)
	cache := t.TempDir()
	ask(t, dir, cache)
	p.edit()
	p.write(t, dir)
	want, _ := ask(t, dir, "")
	ask(t, dir, cache)
	r := rand.New(rand.NewPCG(5, 5))
	rounds := 150
	if testing.Short() {
		rounds = 25
	}
	for round := range rounds {
		list := files(t, cache)
		path := list[r.IntN(len(list))]
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		what := ""
		switch r.IntN(5) {
		case 0:
			what, b = "cut", b[:r.IntN(len(b)+1)]
		case 1:
			what, b = "emptied", nil
		case 2:
			other, _ := os.ReadFile(list[r.IntN(len(list))])
			what, b = "swapped", other
		case 3:
			what = "removed"
			os.Remove(path)
		default:
			what = "flipped"
			for range 1 + r.IntN(4) {
				if len(b) > 0 {
					b[r.IntN(len(b))] ^= 1 << r.IntN(8)
				}
			}
		}
		if what != "removed" {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			// A program that damages a file and sets its time back is not
			// defended against; a clock that stands still is no such program.
			when := time.Now().Add(time.Duration(round-rounds) * time.Second)
			_ = os.Chtimes(path, when, when)
		}
		for range 2 {
			if got, warnings := ask(t, dir, cache); got != want || len(warnings) > 1 {
				t.Fatalf("round %d, %s %s: warnings %q; %s", round, what, filepath.Base(path), warnings, firstDifference(got, want))
			}
		}
	}
	if _, warnings := ask(t, dir, cache); len(warnings) > 0 {
		t.Errorf("the damage was not mended: %q", warnings)
	}
}

func TestNoUsableCache(t *testing.T) {
	dir, _ := sample(t, 3, 20)
	want, _ := ask(t, dir, "")
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, warnings := ask(t, dir, filepath.Join(file, "cache"))
	if got != want || len(warnings) != 1 || !strings.Contains(warnings[0], "cache") {
		t.Errorf("a cache that cannot be: warnings %q; %s", warnings, firstDifference(got, want))
	}
	// A disk that fills up in the middle of every file.
	c := helper(dir, t.TempDir(), "RANK_TEST_FULL=1")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	var r rank.Result
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Header.Warnings) == 0 || len(r.Files) == 0 {
		t.Errorf("full disk: %d files, warnings %q", len(r.Files), r.Header.Warnings)
	}
	// Folders of the cache that are files.
	cache := t.TempDir()
	ask(t, dir, cache)
	root, _ := os.ReadDir(cache)
	parts, _ := os.ReadDir(filepath.Join(cache, root[0].Name()))
	for _, part := range parts {
		p := filepath.Join(cache, root[0].Name(), part.Name())
		os.RemoveAll(p)
		if err := os.WriteFile(p, nil, 0o400); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := ask(t, dir, cache); got != want {
		t.Errorf("folders that are files: %s", firstDifference(got, want))
	}
}

// TestKilled kills processes that build the cache at random moments. The next
// one answers as if nothing had been, and leaves nothing half done.
func TestKilled(t *testing.T) {
	dir, _ := sample(t, 4, 60)
	want, _ := ask(t, dir, "")
	cache := t.TempDir()
	r := rand.New(rand.NewPCG(6, 6))
	rounds, killed := 25, 0
	if testing.Short() {
		rounds = 5
	}
	start := time.Now()
	if err := helper(dir, t.TempDir()).Run(); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(start)
	for round := range rounds {
		if round%3 == 0 {
			os.RemoveAll(cache)
		}
		c := helper(dir, cache)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(whole))))
		_ = c.Process.Kill()
		if c.Wait() != nil {
			killed++
		}
		if round%4 == 3 { // let several deaths pile up
			continue
		}
		if got, warnings := ask(t, dir, cache); got != want || len(warnings) > 0 {
			t.Fatalf("round %d: warnings %q; %s", round, warnings, firstDifference(got, want))
		}
	}
	if killed == 0 {
		t.Error("no process was killed in time: the test shows nothing")
	}
	fresh := t.TempDir()
	ask(t, dir, fresh)
	os.RemoveAll(cache)
	ask(t, dir, cache)
	for _, f := range files(t, cache) {
		if strings.Contains(f, ".tmp-") {
			t.Errorf("%s was left behind", f)
		}
		if filepath.Ext(f) == ".seg" {
			g := strings.Replace(f, cache, fresh, 1)
			a, _ := os.ReadFile(f)
			b, err := os.ReadFile(g)
			if err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s is not what a fresh cache holds (%v)", filepath.Base(f), err)
			}
		}
	}
}

// TestManyProcesses starts several processes on an empty cache, and on one
// whose lock another holds: all answer alike.
func TestManyProcesses(t *testing.T) {
	dir, p := sample(t, 5, 40)
	for round := range 3 {
		cache := t.TempDir()
		want, _ := ask(t, dir, "")
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				out, err := helper(dir, cache).Output()
				var r rank.Result
				if err == nil {
					err = json.Unmarshal(out, &r)
				}
				if err != nil {
					t.Error(err)
					return
				}
				if len(r.Header.Warnings) > 0 {
					t.Errorf("warnings %q", r.Header.Warnings)
				}
				r.Header.Warnings = nil
				if b, _ := json.MarshalIndent(&r, "", " "); string(b) != want {
					t.Errorf("round %d: %s", round, firstDifference(string(b), want))
				}
			})
		}
		wg.Wait()
		p.edit()
		p.write(t, dir)
	}
}

// TestDeadline gives no time at all: the answer comes, says what it lacks, and
// the next one is whole.
func TestDeadline(t *testing.T) {
	dir, _ := sample(t, 6, 40)
	cache := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	st, err := repo.Open(repo.Late(ctx), repo.Options{Path: dir, CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	if len(st.Warnings) == 0 || !strings.Contains(st.Warnings[0], "in the time given") {
		t.Errorf("warnings %q", st.Warnings)
	}
	if st.View.Files() == 0 {
		t.Error("no files")
	}
	st.Close()
	same(t, "after a hurried one", dir, cache)
}
