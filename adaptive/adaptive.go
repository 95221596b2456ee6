// Package adaptive lets the distribution of a query's scores decide how much
// context the query deserves, instead of a fixed top k.
//
// All N chunks of a repository take part, though only those of a pool are
// scored: the other N − n share the pool's lowest score, so their mass has a
// closed form and nothing is ever N long.
//
//	s̃ᵢ = (sᵢ − mean)/stdev over all N       [Standardize]
//	ŵᵢ = exp(s̃ᵢ/τ) / Σ exp(s̃ⱼ/τ)            [Scores.Softmax]
//	N_eff = 1/Σŵᵢ²                          [Dist.NEff]
//	nucleus = least set with mass ≥ p       [Dist.Nucleus]
//	ε = 1 − Σ_nucleus ŵ
//
// N_eff is the inverse participation ratio (Herfindahl, Simpson): 1 when one
// chunk has all the mass, N when all have the same. The nucleus is that of
// Holtzman et al., ICLR 2020, with a floor on its size. τ is the one parameter
// that must be fitted to real tasks, by [FitTau]: the spread of log N_eff over
// them is greatest where the distribution tells sharp tasks from diffuse ones.
// The pipeline is tobler's; its τ belongs to its scores, so ours is fitted anew.
//
// [Memory] smooths a session's follow-ups toward what the session is about.
//
// Limits: with few chunks (below about 30) standard scores are bounded by
// √(N−1), so a tiny repository never looks sharp. The tail of a large
// repository holds mass even at the lowest score; a pool that stops well above
// the floor makes that mass larger than it is, never smaller.
package adaptive

import (
	"fmt"
	"math"
	"slices"
)

const (
	// Tau is where fitting starts, and what it returns when tasks give it
	// nothing to go by (tobler's value on its own scores).
	Tau = 1.28

	// Mass is the usual p of the nucleus.
	Mass = 0.9

	// KMin is the usual least size of the nucleus, so that coverage never
	// drops below that of a fixed top five.
	KMin = 5

	// flat is the relative spread below which scores count as equal, as
	// rounding is no evidence.
	flat = 1e-12
)

// Scores holds standardised scores of N = len(Z) + Tail chunks.
type Scores struct {
	Z     []float64 // of the pool's chunks, in standard deviations above the mean of all N
	Floor float64   // of each chunk outside the pool
	Tail  int       // how many those are
}

// N returns the number of chunks.
func (s Scores) N() int { return len(s.Z) + s.Tail }

// Standardize restates the scores s of a pool, drawn from total chunks in all,
// in standard deviations from the mean of all of them; the others count with
// the lowest of s. Equal scores give zeros. It panics if total is less than
// len(s) or a score is not finite.
func Standardize(s []float64, total int) Scores {
	if total < len(s) {
		panic(fmt.Sprintf("adaptive: %d scores of %d chunks", len(s), total))
	}
	out := Scores{Z: make([]float64, len(s)), Tail: total - len(s)}
	if len(s) == 0 {
		return out
	}
	lo, hi := s[0], s[0]
	for i, v := range s {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("adaptive: score %d is %v", i, v))
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	span := hi/2 - lo/2 // halves: finite for any finite pair
	if span <= flat*max(math.Abs(lo), math.Abs(hi)) {
		return out
	}
	// On the scale (s − lo)/(hi − lo) a chunk of the tail is exactly 0, so
	// it adds nothing to the sum and mean² to the squares.
	var sum float64
	for i, v := range s {
		out.Z[i] = (v/2 - lo/2) / span
		sum += out.Z[i]
	}
	n, tail := float64(total), float64(out.Tail)
	mean := sum / n
	ss := tail * float64(mean*mean)
	for i := range out.Z {
		out.Z[i] -= mean
		ss += float64(out.Z[i] * out.Z[i])
	}
	sd := math.Sqrt(ss / n)
	for i := range out.Z {
		out.Z[i] /= sd
	}
	out.Floor = -mean / sd
	return out
}

// Dist is a distribution over N = len(W) + TailN chunks: ΣW + TailN·TailW = 1.
type Dist struct {
	W     []float64 // ŵ of the pool's chunks
	TailN int       // chunks outside the pool
	TailW float64   // ŵ of each of those
}

// Softmax turns scores into weights at temperature tau > 0. As tau goes to 0
// all mass goes to the best chunk, as it grows all chunks become equal.
func (s Scores) Softmax(tau float64) Dist {
	if !(tau > 0) {
		panic(fmt.Sprintf("adaptive: temperature %v", tau))
	}
	d := Dist{W: make([]float64, len(s.Z)), TailN: s.Tail}
	sum, tail := s.exps(tau, d.W)
	if sum == 0 {
		return d // no chunk at all
	}
	for i := range d.W {
		d.W[i] /= sum
	}
	if s.Tail > 0 {
		d.TailW = tail / sum
	}
	return d
}

// exps writes exp((z − top)/tau) of the pool to dst and returns the sum over
// all N and the value of one chunk of the tail.
func (s Scores) exps(tau float64, dst []float64) (sum, tail float64) {
	if s.N() == 0 {
		return 0, 0
	}
	top := math.Inf(-1) // taken off so that nothing overflows
	if s.Tail > 0 {
		top = s.Floor
	}
	for _, z := range s.Z {
		top = max(top, z)
	}
	for i, z := range s.Z {
		dst[i] = math.Exp((z - top) / tau)
		sum += dst[i]
	}
	if s.Tail > 0 {
		tail = math.Exp((s.Floor - top) / tau)
		sum += float64(float64(s.Tail) * tail)
	}
	return sum, tail
}

// NEff returns how many chunks matter, 1/Σŵ², in [1, N]; 0 if there are none.
func (d Dist) NEff() float64 {
	var ss float64
	for _, w := range d.W {
		ss += float64(w * w)
	}
	ss += float64(d.TailN) * float64(d.TailW*d.TailW)
	if ss == 0 {
		return 0
	}
	// The bounds hold by Cauchy and Schwarz; rounding may step over them.
	return min(max(1/ss, 1), float64(len(d.W)+d.TailN))
}

// Nucleus is the part of a distribution that matters.
type Nucleus struct {
	Index   []int   // into W, by descending weight, ties by index
	Epsilon float64 // mass outside, in [0,1]
}

// Nucleus returns the least set of the pool's chunks with mass ≥ p, but at
// least kmin of them. If the pool's own mass is below p, it is the whole pool,
// and Epsilon says honestly what it cannot hold. Ties of equal weight are
// taken in the pool's order.
func (d Dist) Nucleus(p float64, kmin int) Nucleus { return d.NucleusOf(d.Order(), p, kmin) }

// Order returns the pool's chunks by descending weight, ties by index.
func (d Dist) Order() []int {
	type weighed struct {
		w float64
		i int
	}
	list := make([]weighed, len(d.W))
	for i, w := range d.W {
		list[i] = weighed{w, i}
	}
	slices.SortFunc(list, func(a, b weighed) int {
		switch {
		case a.w > b.w:
			return -1
		case a.w < b.w:
			return 1
		}
		return a.i - b.i
	})
	order := make([]int, len(list))
	for k := range list {
		order[k] = list[k].i
	}
	return order
}

// NucleusOf is Nucleus for a caller that has the Order.
func (d Dist) NucleusOf(order []int, p float64, kmin int) Nucleus {
	var mass float64
	k := 0
	for k < len(order) && (k < kmin || mass < p) {
		mass += d.W[order[k]]
		k++
	}
	// Sum what is left rather than 1 − mass: it keeps small rests exact.
	rest := float64(d.TailN) * d.TailW
	for i := len(order) - 1; i >= k; i-- {
		rest += d.W[order[i]]
	}
	return Nucleus{Index: order[:k:k], Epsilon: min(max(rest, 0), 1)}
}

// Rest returns the mass outside the given chunks of the pool: with the packed
// ones, how much a budget leaves out. Repeated indices count once.
func (d Dist) Rest(index []int) float64 {
	in := make([]bool, len(d.W))
	for _, i := range index {
		in[i] = true
	}
	rest := float64(d.TailN) * d.TailW
	for i, w := range d.W {
		if !in[i] {
			rest += w
		}
	}
	return min(max(rest, 0), 1)
}
