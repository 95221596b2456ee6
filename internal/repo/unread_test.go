//go:build unix

package repo_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestUnreadableForAWhile indexes a tree while a file of its commit cannot be
// read: the file is missing then, and only then.
func TestUnreadableForAWhile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("everything is readable for root")
	}
	for _, first := range []bool{true, false} { // an index is there before, or not
		dir, _ := sample(t, 8, 20)
		cache := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "zz_loader.py"), []byte("class Loader:\n    pass\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		runGit(t, dir, "add", "-A")
		runGit(t, dir, "commit", "-q", "-m", "Loader")
		if first {
			same(t, "before", dir, cache)
		}
		name := filepath.Join(dir, "zz_loader.py")
		now := time.Now().Add(time.Minute) // git's index no longer vouches for it
		if err := os.Chtimes(name, now, now); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0); err != nil {
			t.Fatal(err)
		}
		got, warnings := ask(t, dir, cache)
		if strings.Contains(got, "zz_loader.py") || len(warnings) != 1 {
			t.Errorf("unreadable: warnings %q, in the answer: %v", warnings, strings.Contains(got, "zz_loader.py"))
		}
		if err := os.Chmod(name, 0o600); err != nil {
			t.Fatal(err)
		}
		same(t, "readable again", dir, cache)
		if got, _ := ask(t, dir, cache); !strings.Contains(got, "zz_loader.py") {
			t.Error("the file stays lost once it can be read again")
		}
	}
}
