package eval

// MRR is one task's term of the mean reciprocal rank: 1 ÷ the rank of the
// first relevant file, 0 when none is ranked.
func MRR(hits []int) float64 {
	if len(hits) == 0 {
		return 0
	}
	return 1 / float64(hits[0])
}
