package repo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cohop/internal/repo"
	"cohop/rank"
)

// ending counts the files of a cache by their ending.
func ending(t *testing.T, cache, ext string) (n int) {
	t.Helper()
	for _, f := range files(t, cache) {
		if strings.HasSuffix(f, ext) {
			n++
		}
	}
	return n
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Of a branch with many other files an overlay is made at first, and a segment
// when work goes on there; all answer alike.
func TestBranchFarAway(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	const all, changed = 300, 70
	for i := range all {
		put(t, dir, fmt.Sprintf("mod%03d.py", i), fmt.Sprintf("import mod%03d\n\ndef parse_all_%d():\n    return mod%03d.Loader()\n", (i+1)%all, i, (i+1)%all))
	}
	runGit(t, dir, "init", "-q", "-b", "main")
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-q", "-m", "RateLimit the Session")
	same(t, "cold", dir, cache)
	if n := ending(t, cache, ".seg"); n != 1 {
		t.Fatalf("%d segments after the first query", n)
	}
	for i := range changed {
		put(t, dir, fmt.Sprintf("mod%03d.py", i), fmt.Sprintf("import mod%03d\n\ndef fetchRows_%d():\n    return mod%03d.io_util()\n", (i+2)%all, i, (i+2)%all))
	}
	runGit(t, dir, "commit", "-q", "-am", "io_util rows")
	for _, what := range []string{"the branch", "the branch again"} {
		same(t, what, dir, cache)
		if segs, overs := ending(t, cache, ".seg"), ending(t, cache, ".over"); segs != 1 || overs != 1 {
			t.Errorf("%s: %d segments, %d overlays", what, segs, overs)
		}
	}
	put(t, dir, "mod200.py", "def Loader():\n    pass\n")
	runGit(t, dir, "commit", "-q", "-am", "Loader")
	same(t, "a commit on the branch", dir, cache)
	if n := ending(t, cache, ".seg"); n != 2 {
		t.Errorf("%d segments when work goes on there", n)
	}
}

// A long history stays in its part while the commits that come are joined.
func TestLogGrows(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	commit := func(i int) {
		put(t, dir, fmt.Sprintf("f%d.py", i%7), fmt.Sprintf("def parse_all():\n    return %d\n", i))
		runGit(t, dir, "add", "-A")
		runGit(t, dir, "commit", "-q", "-m", fmt.Sprintf("RateLimit step %d", i))
	}
	for i := range 60 {
		commit(i)
	}
	same(t, "cold", dir, cache)
	isLog := func(f string) bool { return !strings.HasSuffix(f, ".log") }
	first := slices.DeleteFunc(files(t, cache), isLog)
	if len(first) != 1 {
		t.Fatalf("log files %q", first)
	}
	for i := range 11 {
		commit(100 + i)
		same(t, fmt.Sprintf("commit %d", i), dir, cache)
		logs := slices.DeleteFunc(files(t, cache), isLog)
		if len(logs) > 9 || !slices.Contains(logs, first[0]) {
			t.Errorf("commit %d: log files %q", i, logs)
		}
		if i == 8 && len(logs) > 3 {
			t.Errorf("commit %d: %d log files: none were joined", i, len(logs))
		}
	}
}

// Runs that have no time at all get further each, and come to what an unhurried
// one makes; until then they say what they lack.
func TestHurriedRunsFinish(t *testing.T) {
	repo.ShortHistory(t, 2)
	dir, p := sample(t, 12, 70)
	for i := range 9 {
		p.edit()
		p.write(t, dir)
		runGit(t, dir, "add", "-A")
		runGit(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("Session step %d", i))
	}
	cache := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	want, _ := ask(t, dir, "")
	runs := 0
	for {
		if runs++; runs > 20 {
			t.Fatal("hurried runs come to no end")
		}
		e, err := rank.Open(repo.Late(ctx), rank.Request{Task: task, Repo: dir, CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		q, err := e.Query(ctx, rank.Request{Task: task, Repo: dir, CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		r, err := q.Result(0)
		if err != nil {
			t.Fatal(err)
		}
		e.Close()
		warnings := fmt.Sprint(r.Header.Warnings)
		r.Header.Warnings = nil
		b, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if string(b) == want && warnings == "[]" {
			break
		}
		if !strings.Contains(warnings, "in the time given") {
			t.Fatalf("run %d: it says nothing of what it lacks (%s): %s", runs, warnings, firstDifference(string(b), want))
		}
	}
	if runs < 6 { // 70 files by 16, then 12 commits by 2
		t.Errorf("done after %d runs: they are in no hurry", runs)
	}
	if n := ending(t, cache, ".begun"); n != 0 {
		t.Errorf("%d files of the begun history are left", n)
	}
	same(t, "after hurried runs", dir, cache)
	if n := ending(t, cache, ".seg"); n != 1 {
		t.Errorf("%d segments", n)
	}
}

// What a hurried run kept of the history serves an unhurried one, and what is
// damaged of it is compared again.
func TestBegunHistory(t *testing.T) {
	repo.ShortHistory(t, 3)
	dir, p := sample(t, 13, 10)
	for i := range 9 {
		p.edit()
		p.write(t, dir)
		runGit(t, dir, "add", "-A")
		runGit(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("Session step %d", i))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for _, damage := range []bool{false, true} {
		cache := t.TempDir()
		for range 3 { // files first
			st, err := repo.Open(repo.Late(ctx), repo.Options{Path: dir, CacheDir: cache})
			if err != nil {
				t.Fatal(err)
			}
			st.Close()
		}
		if ending(t, cache, ".begun") == 0 || ending(t, cache, ".log") > 0 {
			t.Fatalf("a begun history is not kept: %q", files(t, cache))
		}
		if damage {
			for _, f := range files(t, cache) {
				if strings.HasSuffix(f, ".begun") {
					b, err := os.ReadFile(f)
					if err != nil {
						t.Fatal(err)
					}
					b[len(b)/2] ^= 4
					if err := os.WriteFile(f, b, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		same(t, fmt.Sprintf("a begun history, damaged: %v", damage), dir, cache)
		if ending(t, cache, ".begun") != 0 || ending(t, cache, ".log") != 1 {
			t.Errorf("the log does not take over: %q", files(t, cache))
		}
	}
}

// A run that can never end what is left says so to who can.
func TestUnfinished(t *testing.T) {
	dir, _ := sample(t, 14, 10)
	cache := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for range 3 {
		st, err := repo.Open(repo.Late(ctx), repo.Options{Path: dir, CacheDir: cache, Later: true})
		if err != nil {
			t.Fatal(err)
		}
		if !st.Unfinished() || !st.Incomplete() {
			t.Error("there is no time at all, and it is finished")
		}
		if len(st.Warnings) == 0 {
			t.Error("no warning")
		}
		st.Close()
	}
	if ending(t, cache, ".seg") != 0 {
		t.Error("a segment was made of files that were not joined")
	}
	same(t, "unhurried", dir, cache)
}
