//go:build linux

package cmd

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const (
	readmeWidth = 100 // of the README's transcripts, in cells
	elided      = "…" // a line that stands for any lines
)

// TestReadmeGolden runs the commands of the README's console blocks in the
// fixture repository, on a terminal, and compares what they print. With
// -update it writes what they print into the README.
func TestReadmeGolden(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git builds the fixture")
	}
	const name = "../README.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	env := append(os.Environ(), gitEnv(work)...)
	env = append(env, "NO_COLOR=1", "SHELL=/bin/sh")
	dir := filepath.Join(work, "shop")
	if err := buildShop(dir, env); err != nil {
		t.Fatal(err)
	}
	ran := 0
	var out strings.Builder
	lines := strings.SplitAfter(string(text), "\n")
	for i := 0; i < len(lines); i++ {
		out.WriteString(lines[i])
		fence, ok := strings.CutSuffix(lines[i], "console\n")
		if !ok || strings.Trim(fence, "`") != "" || len(fence) < 3 {
			continue
		}
		fence += "\n" // longer than those in what is printed
		for i++; i < len(lines) && lines[i] != fence; {
			command, ok := strings.CutPrefix(lines[i], "$ ")
			if !ok {
				t.Fatalf("README line %d: a console block holds output before a command", i+1)
			}
			at := i + 1
			for i++; i < len(lines) && lines[i] != fence && !strings.HasPrefix(lines[i], "$ "); i++ {
			}
			want := strings.Join(lines[at:i], "")
			got := readmeRun(t, dir, env, strings.TrimSpace(command))
			ran++
			out.WriteString("$ " + command)
			switch {
			case elidedEqual(want, got):
				out.WriteString(want)
			case *update:
				out.WriteString(got)
			default:
				t.Errorf("README line %d: $ %sprints\n%s\nthe README has\n%s\nmake golden rewrites it", at, command, got, want)
			}
		}
		if i < len(lines) {
			out.WriteString(lines[i])
		}
	}
	if ran < 5 {
		t.Errorf("only %d commands found", ran)
	}
	if *update && out.String() != string(text) {
		if err := os.WriteFile(name, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readmeRun(t *testing.T, dir string, env []string, command string) string {
	c := exec.Command("/bin/sh", "-c", command)
	c.Dir, c.Env = dir, env
	var stderr bytes.Buffer
	c.Stderr = &stderr
	got, err := onTerminal(c, readmeWidth)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skipf("no terminal here: %v", err)
	}
	for line := range strings.Lines(stderr.String()) {
		// What is said of work that takes long depends on the machine.
		if !strings.Contains(line, " … ") && !strings.HasSuffix(line, " …\n") {
			got += line
		}
	}
	var trimmed strings.Builder
	for line := range strings.Lines(got) {
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return trimmed.String()
}

// elidedEqual compares line by line; a line "…" of want stands for any.
func elidedEqual(want, got string) bool {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var match func(i, j int) bool
	match = func(i, j int) bool {
		switch {
		case i == len(w):
			return j == len(g)
		case w[i] == elided:
			for k := j; k <= len(g); k++ {
				if match(i+1, k) {
					return true
				}
			}
			return false
		}
		return j < len(g) && w[i] == g[j] && match(i+1, j+1)
	}
	return match(0, 0)
}
