package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"rank": func() {
			os.Exit(Main(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// TestScript runs what a user would type, one file a topic.
func TestScript(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git builds the fixtures")
	}
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/script",
		Setup: func(env *testscript.Env) error { env.Vars = append(env.Vars, gitEnv(env.WorkDir)...); return nil },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"shop":   shopCmd,
			"commit": commitCmd,
			"keys":   keysCmd,
			"value":  valueCmd,
			"before": beforeCmd,
			"write":  writeCmd,
			"code":   codeCmd,
			"tear":   tearCmd,
		},
	})
}

// gitEnv keeps git and rank from what the machine has set, and gives commits
// fixed names and times: the same ids on every run.
func gitEnv(dir string) []string {
	return []string{
		"HOME=" + filepath.Join(dir, "home"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CEILING_DIRECTORIES=" + dir,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org",
		"NO_COLOR=", "TERM=xterm", "COMMITS=0", "LC_ALL=C",
	}
}

// commitDate is that of the n-th commit of a fixture, a day after the one
// before.
func commitDate(n int) string { return strconv.Itoa(1_700_000_000+86_400*n) + " +0000" }

// shopCmd: shop DIR makes the fixture repository of the README.
func shopCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shop DIR")
	}
	var env []string
	for _, name := range []string{"HOME", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "PATH"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	ts.Check(buildShop(ts.MkAbs(args[0]), env))
}

// commitCmd: commit MESSAGE stages everything in the current folder and
// commits it, a day after the one before.
func commitCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: commit MESSAGE")
	}
	n, _ := strconv.Atoi(ts.Getenv("COMMITS"))
	ts.Setenv("COMMITS", strconv.Itoa(n+1))
	ts.Setenv("GIT_AUTHOR_DATE", commitDate(n))
	ts.Setenv("GIT_COMMITTER_DATE", commitDate(n))
	ts.Check(ts.Exec("git", "add", "-A"))
	ts.Check(ts.Exec("git", "commit", "-q", "--allow-empty", "-m", args[0]))
}

// codeCmd: code N PROGRAM ARG… runs a program that ends with the exit code N.
// Its output is that of exec, for stdout and stderr to look at.
func codeCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N PROGRAM ARG…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("%q exits with %d, want %s", args[1:], got, args[0])
	}
}

// tearCmd: tear DIR flips a byte in the middle of every file below a folder,
// and cuts its end off.
func tearCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tear DIR")
	}
	torn := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil || len(b) < 8 {
			return err
		}
		b[len(b)/2] ^= 0x55
		torn++
		return os.WriteFile(name, b[:len(b)-3], 0o600)
	}))
	if torn == 0 {
		ts.Fatalf("%s holds nothing to tear", args[0])
	}
}

// writeCmd: write FILE TEXT writes a file whose name and text may hold Go
// escapes, for what a script's archive cannot name.
func writeCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: write FILE TEXT")
	}
	for i, a := range args {
		s, err := strconv.Unquote(`"` + a + `"`)
		ts.Check(err)
		args[i] = s
	}
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o755))
	ts.Check(os.WriteFile(name, []byte(args[1]), 0o644))
}

// lookup finds a value of a JSON file by a path such as files/0/path; "." is
// the whole.
func lookup(ts *testscript.TestScript, file, path string) any {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &v))
	if path == "." {
		return v
	}
	for name := range strings.SplitSeq(path, "/") {
		switch x := v.(type) {
		case map[string]any:
			next, ok := x[name]
			if !ok {
				ts.Fatalf("%s: no key %q in %s", file, name, path)
			}
			v = next
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(x) {
				ts.Fatalf("%s: no item %s of %d in %s", file, name, len(x), path)
			}
			v = x[i]
		default:
			ts.Fatalf("%s: %s leads into a %T", file, path, v)
		}
	}
	return v
}

// keysCmd: keys FILE PATH KEY… checks the keys of a JSON object, all of them.
func keysCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: keys FILE PATH KEY…")
	}
	m, ok := lookup(ts, args[0], args[1]).(map[string]any)
	if !ok {
		ts.Fatalf("%s: %s is no object", args[0], args[1])
	}
	got, want := slices.Sorted(maps.Keys(m)), slices.Sorted(slices.Values(args[2:]))
	if !slices.Equal(got, want) {
		ts.Fatalf("%s: %s has the keys %q, want %q", args[0], args[1], got, want)
	}
}

// valueCmd: value FILE PATH WANT compares a value's JSON.
func valueCmd(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: value FILE PATH WANT")
	}
	b, err := json.Marshal(lookup(ts, args[0], args[1]))
	ts.Check(err)
	if (string(b) == args[2]) == neg {
		ts.Fatalf("%s: %s is %s, want %s (negated: %v)", args[0], args[1], b, args[2], neg)
	}
}

// beforeCmd: before FILE A B checks that a line that holds A comes before the
// first that holds B; B may be missing.
func beforeCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: before FILE A B")
	}
	text := ts.ReadFile(args[0])
	a, b := strings.Index(text, args[1]), strings.Index(text, args[2])
	if a < 0 || b >= 0 && b < a {
		ts.Fatalf("%s: %q at %d, %q at %d:\n%s", args[0], args[1], a, args[2], b, text)
	}
}

// buildShop makes a small web service with a history: a route and the file of
// its limits change together and share no word.
func buildShop(dir string, env []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	n := 0
	git := func(args ...string) error {
		c := exec.Command("git", args...)
		c.Dir = dir
		c.Env = append(slices.Clone(env), "GIT_AUTHOR_DATE="+commitDate(n), "GIT_COMMITTER_DATE="+commitDate(n))
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	if err := git("init", "-q", "-b", "main"); err != nil {
		return err
	}
	for _, s := range shopHistory() {
		for _, name := range slices.Sorted(maps.Keys(s.files)) {
			p := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(p, []byte(s.files[name]), 0o644); err != nil {
				return err
			}
		}
		if err := cmp.Or(git("add", "-A"), git("commit", "-q", "-m", s.message)); err != nil {
			return err
		}
		n++
	}
	return nil
}
