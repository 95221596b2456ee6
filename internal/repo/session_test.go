package repo

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSessionStore: what was written is read, by its name alone, and what is
// too large or has no place is not kept.
func TestSessionStore(t *testing.T) {
	s := &State{cache: &cache{dir: t.TempDir()}}
	if b := s.ReadSession("a"); b != nil {
		t.Errorf("%q before anything was written", b)
	}
	for _, name := range []string{"a", "../../etc/passwd", "a\x00b", ""} {
		if err := s.WriteSession(name, []byte("of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	if b := s.ReadSession("../../etc/passwd"); string(b) != "of ../../etc/passwd" {
		t.Errorf("%q", b)
	}
	if files, _ := filepath.Glob(filepath.Join(s.cache.dir, sessionPart, "*"+sessionExt)); len(files) != 4 {
		t.Errorf("%q", files)
	}
	if err := s.WriteSession("a", make([]byte, maxSession)); err == nil {
		t.Error("a session of any size is kept")
	}
	if err := s.DropSession("a"); err != nil || s.ReadSession("a") != nil {
		t.Errorf("dropped: %v", err)
	}
	if err := s.DropSession("a"); err != nil {
		t.Errorf("dropped twice: %v", err)
	}
	none := &State{cache: &cache{}}
	if err := none.WriteSession("a", []byte("x")); err != nil || none.ReadSession("a") != nil || none.DropSession("a") != nil {
		t.Errorf("without a cache: %v", err)
	}
	if err := os.Chmod(s.cache.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if b := s.ReadSession("a\x00b"); !bytes.Equal(b, []byte("of a\x00b")) {
		t.Errorf("%q", b)
	}
}

// TestSweepSessions: 260 of one age and three that are too old leave the 256
// that were used last, and nothing that a killed writer left.
func TestSweepSessions(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	touch := func(name string, age time.Duration) {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 260 {
		touch(fmt.Sprintf("%03d%s", i, sessionExt), time.Duration(i)*time.Minute)
	}
	for i := range 3 {
		touch(fmt.Sprintf("old%d%s", i, sessionExt), SessionLife+time.Hour)
	}
	touch(".tmp-1", 2*time.Hour)
	touch(".tmp-2", time.Minute)
	touch("notes.txt", SessionLife*2)
	sweepSessions(dir, now)
	left, _ := filepath.Glob(filepath.Join(dir, "*"+sessionExt))
	if len(left) != maxSessions || filepath.Base(left[len(left)-1]) != "255"+sessionExt {
		t.Errorf("%d left, the last %s", len(left), left[len(left)-1])
	}
	for name, want := range map[string]bool{".tmp-1": false, ".tmp-2": true, "notes.txt": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
