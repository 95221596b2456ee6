package history

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Where Extend answers, it answers what At and Derive do.
func TestExtend(t *testing.T) {
	extended, refused := 0, 0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 5))
		d := randomDAG(r, 2+r.IntN(30))
		n := len(d.commits)
		cut := 1 + r.IntN(n-1)
		log := d.log(t, []int{cut})
		before, err := NewLog(log.parts[:1])
		if err != nil {
			t.Fatal(err)
		}
		tip := cut + r.IntN(n-cut)
		files, find := treeOf(d.trees[r.IntN(n)]) // a tree that is laid under the tip's
		old, ok := before.At(commitID(cut-1), find, noise)
		if !ok {
			t.Fatal("the old tip is not found")
		}
		old.Derive(len(files))
		want, ok := log.At(commitID(tip), find, noise)
		if !ok {
			t.Fatal("the tip is not found")
		}
		want.Derive(len(files))
		got, ok := old.Extend(log, commitID(tip), find, noise)
		if !ok {
			refused++
			continue
		}
		extended++
		if got.N != want.N || got.Terms != want.Terms || !slices.Equal(got.When, want.When) || !slices.Equal(got.Lens, want.Lens) ||
			!slices.Equal(got.Size, want.Size) || !slices.Equal(got.alive, want.alive) || !slices.Equal(got.start, want.start) || !slices.Equal(got.files, want.files) {
			t.Fatalf("seed %d: cut %d tip %d: extended to %+v, want %+v", seed, cut, tip, got, want)
		}
		for f := range int32(len(files)) {
			a, b := got.Commits(f), want.Commits(f)
			if (a == nil) != (b == nil) || a != nil && !a.Equals(b) {
				t.Fatalf("seed %d: commits of file %d are %v, want %v", seed, f, a, b)
			}
		}
		for _, p := range []string{"a", "b", "c", "lib/a", "lib/b", "x.lock", "d", "never"} {
			if got.Knows(p) != want.Knows(p) {
				t.Fatalf("seed %d: Knows(%s) is %v", seed, p, got.Knows(p))
			}
		}
		if _, ok := got.Extend(log, commitID(tip), find, noise); ok {
			t.Fatal("an extended view was extended")
		}
	}
	if extended < 50 || refused < 50 {
		t.Errorf("%d extended, %d refused: too few to tell", extended, refused)
	}
}
