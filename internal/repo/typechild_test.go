//go:build unix

package repo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cohop/internal/precise"
)

// The test binary is the program that typeApart calls again, and, told so by
// the environment, one that answers with garbage or not at all.
func init() {
	if len(os.Args) != 2 || os.Args[1] != TypesArgument {
		return
	}
	switch os.Getenv("RANK_TEST_TYPES") {
	case "":
		os.Exit(ServeTypes(os.Stdin, os.Stdout))
	case "silent":
		time.Sleep(time.Hour)
	default:
		fmt.Println(os.Getenv("RANK_TEST_TYPES"))
		os.Exit(0)
	}
}

var testLimits = typeLimits{Time: time.Minute, Stall: time.Minute, Memory: 4 << 30, Stack: 64 << 20}

// goTree is a module of two files, and more.
func goTree(t *testing.T, more map[string]string) (precise.Input, []string) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"go.mod": "module m\n\ngo 1.24\n", "a.go": "package m\n\nfunc a() { b() }\n", "b.go": "package m\n\nfunc b() {}\n"}
	for p, s := range more {
		all[p] = s
	}
	var files []string
	for p, s := range all {
		if err := os.WriteFile(filepath.Join(root, p), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(p, ".go") {
			files = append(files, p)
		}
	}
	slices.Sort(files)
	// All temporary files of the test are seen here.
	t.Setenv("TMPDIR", t.TempDir())
	t.Cleanup(func() {
		if left, _ := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "rank-go-*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
	return precise.Input{Root: root, Modules: []string{""}}, files
}

// nested are generic types that go/types' stack is too small for.
func nested() string {
	var b strings.Builder
	b.WriteString("package m\n\ntype G0[T any] struct{ x T }\n")
	for i := range 28 {
		fmt.Fprintf(&b, "type G%d[T any] struct{ x G%d[G%d[T]] }\n", i+1, i, i)
	}
	return b.String() + "var Z G28[int]\nfunc F2() { _ = Z.x.x.x }\n"
}

// doubling are structs that go/types does not come to the end of.
func doubling() string {
	var b strings.Builder
	b.WriteString("package m\n\ntype T0 struct{}\n")
	for i := range 60 {
		fmt.Fprintf(&b, "type T%d struct{ a, b T%d }\n", i+1, i)
	}
	return b.String() + "var X T60\n"
}

// noChild fails the test when a process has the marker, a folder of this test,
// in its environment: the child, or a go command that it started. Who was
// killed may take a moment to be gone.
func noChild(t *testing.T, marker string) {
	t.Helper()
	for try := 0; ; try++ {
		left := marked(t, marker)
		if len(left) == 0 {
			return
		}
		if try == 200 {
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			t.Fatalf("still running: %v", left)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// marked are the processes with the marker, other than this one.
func marked(t *testing.T, marker string) (pids []int) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(list) == 0 {
		t.Skip("this system does not say what runs")
	}
	for _, name := range list {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if b, err := os.ReadFile(name); err == nil && strings.Contains(string(b), marker) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestPreciseApart(t *testing.T) {
	in, files := goTree(t, map[string]string{"\xff.go": "package m\n\nvar c = d\n\nfunc d() { b() }\n"})
	var said []string
	in.Say = func(line string) { said = append(said, line) }
	apart, err := typeApart(context.Background(), in, files, testLimits)
	if err != nil {
		t.Fatal(err)
	}
	in.Say, in.Has = nil, func(p string) bool { return slices.Contains(files, p) }
	here, err := precise.Load(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(apart) != fmt.Sprint(here) || len(here.Edges) < 1 {
		t.Errorf("in a child: %v, here: %v", apart, here)
	}
	if len(said) != 2 {
		t.Errorf("said %q", said)
	}
}

func TestPreciseBounded(t *testing.T) {
	for name, c := range map[string]struct {
		more   map[string]string
		limits typeLimits
		want   string
	}{
		"stack":  {map[string]string{"d.go": nested()}, testLimits, "more than go/types can bear"},
		"stall":  {map[string]string{"d.go": doubling()}, typeLimits{Time: time.Minute, Stall: 2 * time.Second, Memory: 4 << 30, Stack: 64 << 20}, "one package took longer than 2s"},
		"time":   {map[string]string{"d.go": doubling()}, typeLimits{Time: 4 * time.Second, Stall: time.Minute, Memory: 4 << 30, Stack: 64 << 20}, "it took longer than 4s"},
		"memory": {map[string]string{"d.go": doubling()}, typeLimits{Time: time.Minute, Stall: time.Minute, Memory: 1 << 20, Stack: 64 << 20}, "more than 1 MiB of memory"},
	} {
		t.Run(name, func(t *testing.T) {
			in, files := goTree(t, c.more)
			_, err := typeApart(context.Background(), in, files, c.limits)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, c.want)
			}
			noChild(t, os.Getenv("TMPDIR"))
		})
	}
}

// Who cancels does not wait for go/types.
func TestPreciseCancelled(t *testing.T) {
	in, files := goTree(t, map[string]string{"d.go": doubling()})
	ctx, cancel := context.WithCancelCause(context.Background())
	in.Say = func(line string) {
		if strings.HasPrefix(line, "typing") {
			cancel(errors.New("enough"))
		}
	}
	if _, err := typeApart(ctx, in, files, testLimits); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v", err)
	}
	noChild(t, os.Getenv("TMPDIR"))
}

// A pipe in the place of a source is told before go would wait for it.
func TestPrecisePipe(t *testing.T) {
	in, files := goTree(t, nil)
	if err := syscall.Mkfifo(filepath.Join(in.Root, "x.go"), 0o600); err != nil {
		t.Skip(err)
	}
	_, err := typeApart(context.Background(), in, files, testLimits)
	if err == nil || !strings.Contains(err.Error(), "x.go is named like a source and is a pipe") {
		t.Errorf("got %v", err)
	}
	noChild(t, os.Getenv("TMPDIR"))
}

// waiting is a tree in which the go command waits for ever, by a way that
// nobody looks at: a module in its place outside.
func waiting(t *testing.T) (precise.Input, []string) {
	t.Helper()
	away, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(away, "go.mod"), []byte("module example.com/away\n\ngo 1.24\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(away, "a.go"), []byte("package away\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(away, "x.go"), 0o600); err != nil {
		t.Skip(err)
	}
	return goTree(t, map[string]string{
		"go.mod": "module m\n\ngo 1.24\n\nrequire example.com/away v0.0.0\n\nreplace example.com/away => " + away + "\n",
		"a.go":   "package m\n\nimport _ \"example.com/away\"\n",
	})
}

// What is not looked at beforehand is let go of when time is over, with the go
// command that waits.
func TestPreciseWaits(t *testing.T) {
	in, files := waiting(t)
	limits := testLimits
	limits.Time = 3 * time.Second
	if _, err := typeApart(context.Background(), in, files, limits); err == nil || !strings.Contains(err.Error(), "it took longer than 3s") {
		t.Errorf("got %v", err)
	}
	noChild(t, os.Getenv("TMPDIR"))
}

// When who asked is killed, the child ends and takes the go command along.
func TestPreciseOrphan(t *testing.T) {
	in, files := waiting(t)
	temp, err := precise.MakeTemp(in)
	if err != nil {
		t.Fatal(err)
	}
	in.Temp = temp
	request, err := json.Marshal(requestOf(in, files, testLimits))
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, TypesArgument)
	detach(c)
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write(request); err != nil {
		t.Fatal(err)
	}
	for try := 0; len(marked(t, os.Getenv("TMPDIR"))) < 2; try++ { // until go runs
		if try == 1000 {
			t.Fatal("go was not started")
		}
		time.Sleep(20 * time.Millisecond)
	}
	stdin.Close()
	if err := c.Wait(); err == nil {
		t.Error("the child ended well")
	}
	noChild(t, os.Getenv("TMPDIR"))
}

// What a child must not say is one error.
func TestPreciseGarbage(t *testing.T) {
	for _, answer := range []string{
		" ", "garbage", `{"Say":1}`, `{"Result":{"Files":[{"f":9}]}}`, `{"Result":{"Files":[{"f":-1}]}}`, `{"Result":{"Edges":[{"F":0,"T":7,"K":1,"W":1}]}}`,
		`{"Result":{"Edges":[{"F":0,"T":1,"K":3,"W":1}]}}`, `{"Result":{"Edges":[{"F":0,"T":1,"K":1,"W":2}]}}`, `{"Result":{"Edges":[{"F":0,"T":1,"K":1}]}}`,
	} {
		in, files := goTree(t, nil)
		t.Setenv("RANK_TEST_TYPES", answer)
		if r, err := typeApart(context.Background(), in, files, testLimits); err == nil {
			t.Errorf("%s: took %+v", answer, r)
		}
	}
	in, files := goTree(t, nil)
	t.Setenv("RANK_TEST_TYPES", "silent")
	limits := testLimits
	limits.Time = 300 * time.Millisecond
	if _, err := typeApart(context.Background(), in, files, limits); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("silent: %v", err)
	}
	noChild(t, os.Getenv("TMPDIR"))
	if code := ServeTypes(strings.NewReader("no request"), io.Discard); code == 0 {
		t.Error("a request that is none was served")
	}
}
