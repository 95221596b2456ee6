package sections

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestWords(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		set := map[string]bool{}
		for range r.IntN(200) {
			b := make([]byte, r.IntN(7))
			for i := range b {
				b[i] = "abcz\xff"[r.IntN(5)]
			}
			set[string(b)] = true
		}
		var list []string
		for w := range set {
			list = append(list, w)
		}
		slices.Sort(list)
		var b WordsBuilder
		for i, w := range list {
			b.Add(w, 3*i)
		}
		w, err := OpenWords(b.Words, b.Index, len(list))
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Check(3 * len(list)); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i, word := range list {
			at, skip, ok := w.Find(word)
			if !ok || at+3*skip != 3*i {
				t.Fatalf("seed %d: Find(%q) = %d, %d, %v; want word %d", seed, word, at, skip, ok, i)
			}
			for _, near := range []string{word + "a", word + "\xff", word[:len(word)/2] + "q", "b" + word} {
				if _, _, ok := w.Find(near); ok != set[near] {
					t.Fatalf("seed %d: Find(%q) = %v", seed, near, ok)
				}
				from := slices.IndexFunc(list, func(x string) bool { return x >= near })
				var got, want []string
				w.From(near, func(x []byte) bool {
					got = append(got, string(x))
					return len(got) < 20
				})
				if from >= 0 {
					want = list[from:min(from+20, len(list))]
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: from %q: %q, want %q", seed, near, got, want)
				}
			}
		}
		if len(list) > 1 && w.Check(1) == nil && len(list) > wordBlock {
			t.Fatal("lists out of bounds were not seen")
		}
	}
}

// Damaged words may not be found, but lead nowhere out of bounds.
func TestDamagedWords(t *testing.T) {
	var b WordsBuilder
	for i := range 100 {
		b.Add(fmt.Sprintf("word%03d", i), i)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 5000 {
		words, index := slices.Clone(b.Words), slices.Clone(b.Index)
		if r.IntN(2) == 0 {
			words[r.IntN(len(words))] ^= 1 << r.IntN(8)
			words = words[:r.IntN(len(words)+1)]
		} else {
			index[r.IntN(len(index))] ^= 1 << r.IntN(8)
		}
		w, err := OpenWords(words, index, 100)
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Check(100)
		w.Find("word050")
		w.Find("zz")
		w.From("word", func([]byte) bool { return true })
	}
	if _, err := OpenWords(b.Words, b.Index[8:], 100); err == nil {
		t.Error("a short index was opened")
	}
}
