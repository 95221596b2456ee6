package precedent

import (
	"math/rand/v2"
	"testing"
)

// TestVotersAddUp checks against Votes that the voters of every file are as
// many, that their parts add up to its score, and that the first is its best.
func TestVotersAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 11))
	words := []string{"a", "b", "c", "d"}
	for range 50 {
		commits := make([]commit, 20)
		for i := range commits {
			c := commit{when: int64(i) * 1e6, size: rng.IntN(6)}
			for range rng.IntN(5) {
				c.terms = append(c.terms, words[rng.IntN(len(words))])
			}
			for f := range int32(5) {
				if rng.IntN(2) == 0 {
					c.files = append(c.files, f)
				}
			}
			commits[i] = c
		}
		m := New(load(commits), func(c int32) bool { return c%7 != 3 })
		terms := []Term{{"a", 1}, {"b", 2}}
		o := Options{Now: 20e6, HalfLife: 5e6, MaxFiles: 4, Top: 1 + rng.IntN(20)}
		votes := map[int32]Vote{}
		for _, v := range m.Votes(terms, o, nil) {
			votes[v.File] = v
		}
		for f := range int32(5) {
			got := m.Voters(terms, o, f, nil)
			want, sum := votes[f], 0.0
			for i, v := range got {
				sum += v.Part
				if i > 0 && v.Part > got[i-1].Part {
					t.Fatalf("file %d: part %d is greater than the one before", f, i)
				}
			}
			if len(got) != want.Commits || !near(sum, want.Score) || len(got) > 0 && got[0].Commit != want.Best {
				t.Fatalf("file %d: %+v, want %+v", f, got, want)
			}
		}
	}
}
