package eval

import "math"

// NDCG is the normalised discounted cumulative gain at k of a task with n
// relevant files found at the ranks hits (rising):
//
//	Σ over hits r ≤ k of 1/log2(r+1)  ÷  Σ for i = 1 … min(k, n) of 1/log2(i+1)
//
// It is 1 when the relevant files come first, and 0 when none is in the first
// k. Every relevant file has gain 1. n must be positive.
func NDCG(hits []int, n, k int) float64 {
	var dcg, ideal float64
	for _, r := range hits {
		if r > k {
			break
		}
		dcg += discount(r)
	}
	for i := 1; i <= min(k, n); i++ {
		ideal += discount(i)
	}
	return dcg / ideal
}

func discount(rank int) float64 {
	if rank < len(discounts) {
		return discounts[rank]
	}
	return 1 / math.Log2(float64(rank)+1)
}

// discounts spares the logarithm at the ranks that NDCG@10 and @20 look at:
// tuning asks for it millions of times.
var discounts = func() (d [32]float64) {
	for r := 1; r < len(d); r++ {
		d[r] = 1 / math.Log2(float64(r)+1)
	}
	return d
}()
