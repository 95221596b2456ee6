package eval

import (
	"cmp"
	"fmt"
	"slices"
)

// Folds deals repositories into k parts such that each part holds about the
// same number of tasks of each set, and gives the part of every task.
// repos[i] and sets[i] are those of task i; sets count from 0. Tasks of one
// repository share a part, whatever their sets: weights fitted on one half of
// a repository know too much about the other.
//
// The split depends on the counts and names alone, not on the order of tasks.
// Repositories are dealt largest first, each to the part where it adds least
// to Σ load² (loads are shares of each set). With fewer repositories than k
// some parts stay empty.
func Folds(repos []string, sets []int, k int) []int {
	if k < 1 || len(repos) != len(sets) {
		panic(fmt.Sprintf("eval: %d folds of %d tasks in %d sets", k, len(repos), len(sets)))
	}
	nsets := 0
	for _, s := range sets {
		nsets = max(nsets, s+1)
	}
	total := make([]float64, nsets)
	share := map[string][]float64{}
	for i, r := range repos {
		if share[r] == nil {
			share[r] = make([]float64, nsets)
		}
		share[r][sets[i]]++
		total[sets[i]]++
	}
	names := make([]string, 0, len(share))
	size := map[string]float64{}
	for r, s := range share {
		names = append(names, r)
		for i := range s {
			if total[i] > 0 {
				s[i] /= total[i]
			}
			size[r] += s[i]
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b))
	})
	load := make([][]float64, k)
	sum := make([]float64, k)
	for p := range load {
		load[p] = make([]float64, nsets)
	}
	part := map[string]int{}
	for _, r := range names {
		best, least := 0, 0.0
		for p := range load {
			var grows float64 // (l+s)² − l² = 2ls + s², and s² is the same everywhere
			for i, s := range share[r] {
				grows += load[p][i] * s
			}
			if p == 0 || grows < least || grows == least && sum[p] < sum[best] {
				best, least = p, grows
			}
		}
		part[r] = best
		for i, s := range share[r] {
			load[best][i] += s
			sum[best] += s
		}
	}
	out := make([]int, len(repos))
	for i, r := range repos {
		out[i] = part[r]
	}
	return out
}
