package repo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
