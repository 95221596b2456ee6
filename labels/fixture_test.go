package labels

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cohop/internal/git"
)

// step is a commit of a fixture: path → content, "-" deletes.
type step struct {
	msg    string
	files  map[string]string
	on     string // branch; "" is main
	merges string // branch that is merged into it
	tag    string // set on it
}

// history makes a repository of steps, one day apart, and gives its folder and
// the ids of the commits. It is written by fast-import: no checkout.
func history(t testing.TB, steps ...step) (dir string, ids []string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git builds the fixtures")
	}
	dir = filepath.Join(t.TempDir(), "shop")
	run(t, "", "init", "-q", "--bare", "-b", "main", dir)
	extend(t, dir, 0, steps)
	for i := range steps {
		ids = append(ids, strings.TrimSpace(run(t, dir, "rev-parse", fmt.Sprintf("refs/marks/%d", i+1))))
	}
	return dir, ids
}

// extend adds steps to a fixture; first is how many it has.
func extend(t testing.TB, dir string, first int, steps []step) {
	t.Helper()
	var b bytes.Buffer
	data := func(s string) { fmt.Fprintf(&b, "data %d\n%s\n", len(s), s) }
	for i, s := range steps {
		n := first + i + 1
		branch := s.on
		if branch == "" {
			branch = "main"
		}
		fmt.Fprintf(&b, "commit refs/heads/%s\nmark :%d\ncommitter A <a@example.org> %d +0000\n", branch, n, 1_600_000_000+86400*n)
		data(s.msg)
		if i == 0 && first > 0 || i == 0 && branch != "main" {
			fmt.Fprintf(&b, "from refs/heads/%s^0\n", branch)
		} else if branch != "main" && n > 1 && (steps[i-1].on != s.on) {
			fmt.Fprintf(&b, "from :%d\n", n-1)
		}
		if s.merges != "" {
			fmt.Fprintf(&b, "merge refs/heads/%s\n", s.merges)
		}
		for _, p := range slices.Sorted(maps.Keys(s.files)) {
			if s.files[p] == "-" {
				fmt.Fprintf(&b, "D %s\n", p)
				continue
			}
			fmt.Fprintf(&b, "M 100644 inline %s\n", p)
			data(s.files[p])
		}
		fmt.Fprintf(&b, "\nreset refs/marks/%d\nfrom :%d\n\n", n, n)
		if s.tag != "" {
			fmt.Fprintf(&b, "reset refs/tags/%s\nfrom :%d\n\n", s.tag, n)
		}
	}
	c := exec.Command("git", "-C", dir, "fast-import", "--quiet", "--force")
	c.Stdin, c.Stderr = &b, os.Stderr
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
}

func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	if dir != "" {
		args = append([]string{"-C", dir}, args...)
	}
	c := exec.Command("git", args...)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func open(t testing.TB, dir string) *git.Repo {
	t.Helper()
	r, err := git.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}
