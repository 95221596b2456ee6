package repo

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"cohop/internal/facts"
	"cohop/internal/history"
	"cohop/internal/index"
)

// TestCollect builds the caches of two repositories by hand: ages in minutes
// say what goes first, and every file holds ten bytes.
func TestCollect(t *testing.T) {
	facts, tree, hist := "facts-"+itoa(facts.Version), "tree-"+itoa(index.FormatVersion), "log-"+itoa(history.FormatVersion)
	a, b := "00000000000000aa", "00000000000000bb"
	type file struct {
		name string
		age  int
	}
	all := []file{
		{a + "/" + tree + "/one.seg", 50}, {a + "/" + tree + "/one.json", 50},
		{a + "/" + tree + "/two.seg", 10},
		{a + "/" + facts + "/000001.facts", 60},
		{a + "/tree-0/old.seg", 1}, {a + "/" + tree + "/.tmp-123", 1},
		{b + "/" + tree + "/one.seg", 30}, {b + "/" + hist + "/000001.log", 90},
		{b + "/lock", 1}, {b + "/notes.txt", 1}, {b + "/tree-x/y.seg", 1},
		{"mine/tree-0/keep.seg", 1}, {"00000000000000aa.txt", 1},
	}
	// Used last: a's first segment 50 minutes ago, b's 30, then b's log (30: its
	// newest file), a's second segment and its facts (10).
	oldest := []string{a + "/" + tree + "/one.seg", b + "/" + tree + "/one.seg", b + "/" + hist + "/000001.log", a + "/" + tree + "/two.seg", a + "/" + facts + "/000001.facts"}
	for _, c := range []struct {
		limit   int64
		removed int // files, the two of another version or of a killed writer included
		gone    int // of oldest
	}{
		{1000, 2, 0},
		{60, 2, 0},
		{59, 4, 1}, // a segment takes its figures along: 60 − 20 = 40
		{40, 4, 1},
		{39, 5, 2},
		{25, 6, 3},
		{10, 7, 4},
		{0, 8, 5},
	} {
		root := t.TempDir()
		now := time.Now()
		for _, f := range all {
			p := filepath.Join(root, f.name)
			if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(p, []byte("0123456789"), 0o600); err != nil {
				t.Fatal(err)
			}
			when := now.Add(-time.Duration(f.age) * time.Minute)
			if err := os.Chtimes(p, when, when); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Collect(root, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		if got.Repos != 2 || got.Removed != c.removed || got.Freed != int64(10*c.removed) || got.Kept != int64(80-10*c.removed) {
			t.Errorf("limit %d: %+v, want %d removed of 80 bytes", c.limit, got, c.removed)
		}
		for i, name := range oldest {
			if _, err := os.Stat(filepath.Join(root, name)); (err == nil) != (i >= c.gone) {
				t.Errorf("limit %d: %s: %v", c.limit, name, err)
			}
		}
		for _, name := range []string{b + "/notes.txt", b + "/tree-x/y.seg", "mine/tree-0/keep.seg", "00000000000000aa.txt"} {
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("limit %d: what is not ours is gone: %v", c.limit, err)
			}
		}
	}
}

// TestCollectBusy leaves alone what another process writes to.
func TestCollectBusy(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "00000000000000aa")
	p := filepath.Join(dir, "tree-0", "x.seg")
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	release := (&cache{dir: dir}).lock(0)
	if release == nil {
		t.Fatal("no lock")
	}
	got, err := Collect(root, 0)
	if err != nil || got.Busy != 1 || got.Removed != 0 || got.Kept != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	release()
	got, err = Collect(root, 0)
	if err != nil || got.Busy != 0 || got.Removed != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if _, err := os.Stat(filepath.Dir(p)); err == nil {
		t.Error("the empty folder is still there")
	}
	if got, err := Collect(filepath.Join(root, "none"), 0); err != nil || got != (Collected{}) {
		t.Errorf("no folder: %+v, %v", got, err)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
