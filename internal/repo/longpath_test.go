package repo_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A path that no part of the log may hold, added once and deleted, does not
// cost the history: it is kept, and the next query reads it.
func TestOverlongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bare.git")
	runGit(t, t.TempDir(), "init", "-q", "--bare", "-b", "main", dir)
	long := strings.Repeat("a", 40_000) + "/" + strings.Repeat("b", 40_000)
	var b bytes.Buffer
	for i, change := range []string{"M 644 inline loader.go\ndata 15\npackage loader\n\n", "M 644 inline " + long + "\ndata 2\nx\n\n", "D " + long + "\n",
		"M 644 inline loader.go\ndata 20\npackage loader // 2\n\n\n"} {
		msg := fmt.Sprintf("RateLimit of the Loader, step %d", i)
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata %d\n%s\n%s", 1500000000+i, len(msg), msg, change)
	}
	c := exec.Command("git", "-C", dir, "fast-import", "--quiet")
	c.Stdin = &b
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("fast-import: %v: %s", err, out)
	}
	cache := t.TempDir()
	for _, what := range []string{"cold", "warm"} {
		same(t, what, dir, cache)
		if logs, _ := filepath.Glob(filepath.Join(cache, "*", "log-*", "*.log")); len(logs) != 1 {
			t.Errorf("%s: the log's parts are %q, want one", what, logs)
		}
	}
	if _, warnings := ask(t, dir, ""); len(warnings) > 0 {
		t.Errorf("warnings %q", warnings)
	}
}
