package eval

import "slices"

// Hits gives the one-based ranks of the relevant files in a ranking, rising.
// Files that are not ranked have no rank; a path ranked twice counts at its
// first place.
func Hits(ranked, relevant []string) []int {
	want := make(map[string]bool, len(relevant))
	for _, f := range relevant {
		want[f] = true
	}
	var hits []int
	for i, f := range ranked {
		if want[f] {
			want[f] = false
			hits = append(hits, i+1)
		}
	}
	return hits
}

// inside counts the hits of rank at most k. hits must rise.
func inside(hits []int, k int) int {
	n, _ := slices.BinarySearch(hits, k+1)
	return n
}
