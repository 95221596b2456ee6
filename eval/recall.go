package eval

// Recall is the share of the n relevant files that stand in the first k
// places. n must be positive.
func Recall(hits []int, n, k int) float64 {
	return float64(inside(hits, k)) / float64(n)
}
