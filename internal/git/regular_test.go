//go:build unix

package git

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPipesAreNotWaitedFor puts a pipe where each file of a git directory
// stands: nothing may wait for its writer.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("pipe", link); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, name := range []string{pipe, link, dir, os.DevNull} {
			if _, err := readText(name); !errors.Is(err, ErrNotFile) {
				t.Errorf("readText %s: %v", name, err)
			}
			if _, err := readLoose(name); !errors.Is(err, ErrCorrupt) {
				t.Errorf("readLoose %s: %v", name, err)
			}
			if _, err := mapFile(name); !errors.Is(err, ErrNotFile) {
				t.Errorf("mapFile %s: %v", name, err)
			}
			if b := readSmallFile(name, 100); b != nil {
				t.Errorf("readSmallFile %s: %q", name, b)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("a pipe is waited for")
	}
}
