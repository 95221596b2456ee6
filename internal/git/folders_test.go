//go:build linux

package git

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// lookWith looks at a working tree with what is remembered, and gives what is
// to be remembered next.
func lookWith(t *testing.T, r *Repo, kept []byte, at int64) (*Snapshot, []byte) {
	t.Helper()
	f := ReadFolders(kept)
	f.clock = func() int64 { return at }
	s, err := r.WorkingTree(context.Background(), WorktreeOptions{Untracked: true, Folders: f})
	if err != nil {
		t.Fatal(err)
	}
	if b := f.Encode(); b != nil {
		kept = b
	}
	return s, kept
}

func TestFoldersSeeWhatAListingSees(t *testing.T) {
	w := newTreeRepo(t)
	for i := range 60 {
		w.write(fmt.Sprintf("d%d/e%d/f%d", i%5, i%3, i), fmt.Sprint(i))
	}
	w.write(".gitignore", "*.log\n")
	w.commit()
	w.age()
	r, err := Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rng := rand.New(rand.NewPCG(3, 1))
	// All folders count as settled, so that each is remembered at once.
	later := func() int64 { return time.Now().Add(time.Hour).UnixNano() }
	var kept []byte
	hits := 0
	for round := range 60 {
		dir := fmt.Sprintf("d%d/e%d", rng.IntN(6), rng.IntN(4))
		name := fmt.Sprintf("%s/n%d", dir, rng.IntN(5))
		// A change in the same tick as the listing before is what settled is for.
		time.Sleep(12 * time.Millisecond)
		switch rng.IntN(7) {
		case 0, 1:
			os.RemoveAll(filepath.Join(w.dir, name))
			w.write(name, fmt.Sprint(round))
		case 2:
			os.Remove(filepath.Join(w.dir, name))
		case 3:
			os.Rename(filepath.Join(w.dir, name), filepath.Join(w.dir, name+".log"))
		case 4:
			os.RemoveAll(filepath.Join(w.dir, dir))
		case 5:
			os.Rename(filepath.Join(w.dir, dir), filepath.Join(w.dir, fmt.Sprintf("d%d/e%d", rng.IntN(6), rng.IntN(4))))
		case 6: // a file becomes a folder, and its time is set back
			os.RemoveAll(filepath.Join(w.dir, name))
			w.write(name+"/inner", "x")
			old := time.Unix(1_500_000_000, 0)
			os.Chtimes(filepath.Join(w.dir, dir), old, old)
		}
		var got *Snapshot
		got, kept = lookWith(t, r, kept, later())
		want, err := r.WorkingTree(context.Background(), WorktreeOptions{Untracked: true})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("round %d: with memory %+v, without %+v", round, got, want)
		}
		hits += len(ReadFolders(kept).known)
	}
	if hits == 0 {
		t.Skip("the file system of the test is not trusted with its folders' times")
	}
}

func TestFoldersThatChangedJustNowAreNotRemembered(t *testing.T) {
	w := newTreeRepo(t)
	w.write("a/b", "x")
	w.commit()
	r, err := Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, kept := lookWith(t, r, nil, time.Now().UnixNano())
	if f := ReadFolders(kept); len(f.known) != 0 {
		t.Errorf("%d folders are remembered that a change may still meet in the same tick", len(f.known))
	}
}

func TestFoldersThatDoNotCheck(t *testing.T) {
	f := &Folders{}
	f.learn("", folderStat{1, 2, 3, 4}, settled+5, []folderName{{"a", 0}, {"b", os.ModeDir}, {"c", os.ModeSymlink}, {"d", os.ModeIrregular}})
	f.learn("b", folderStat{1, 3, 3, 4}, settled+5, nil)
	b := f.Encode()
	g := ReadFolders(b)
	list, ok := g.recall("", folderStat{1, 2, 3, 4}, nil)
	if want := []folderName{{"a", 0}, {"b", os.ModeDir}, {"c", os.ModeSymlink}, {"d", os.ModeIrregular}}; !ok || !reflect.DeepEqual(list, want) {
		t.Errorf("recalled %v, want %v", list, want)
	}
	if _, ok := g.recall("", folderStat{1, 2, 3, 5}, nil); ok {
		t.Error("a folder that changed is recalled")
	}
	if g.recall("b", folderStat{1, 3, 3, 4}, nil); g.Encode() != nil {
		t.Error("what is as before is written again")
	}
	for i := range b {
		c := append([]byte(nil), b...)
		c[i] ^= 1
		if n := len(ReadFolders(c).known); n != 0 {
			t.Errorf("with byte %d turned %d folders are remembered", i, n)
		}
		if n := len(ReadFolders(b[:i]).known); n != 0 {
			t.Errorf("of %d bytes %d folders are remembered", i, n)
		}
	}
}

func TestDeeperThanFoldersAreKeptOpen(t *testing.T) {
	w := newTreeRepo(t)
	deep := ""
	for range maxOpenFolders + 6 {
		deep += "d/"
	}
	paths := []string{"d/a", deep + "a", deep + "b", deep + "e/f/a", deep[:len(deep)-4] + "z", "e/a"}
	for _, p := range paths {
		w.write(p, p)
	}
	w.commit()
	w.age()
	w.check("clean")
	w.write(deep+"b", "changed")
	w.remove(deep + "e/f/a")
	w.check("edited")
	r, err := Open(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files := r.Files()
	defer files.Close()
	for range 2 {
		for _, p := range []string{paths[1], paths[4], paths[0], paths[1], paths[5]} {
			if b, ok := files.Blob(&Entry{Path: p, ID: blobID([]byte(p))}, 0); !ok || string(b) != p {
				t.Errorf("%s holds %q", p, b)
			}
		}
		if _, ok := files.Blob(&Entry{Path: deep + "b", ID: blobID([]byte(deep + "b"))}, 0); ok {
			t.Error("a file that changed is taken for its blob")
		}
	}
}
