package eval

import (
	"context"
	"math"
	"math/rand/v2"
)

// Steps that coordinate ascent tries for a weight, as shares of its size (of
// a typical weight, if it is smaller than that): from a correction to a
// doubling, smallest first, since among equals the smallest change wins.
var ascentSteps = []float64{0.05, 0.1, 0.2, 0.4, 0.7, 1, 2}

const (
	// minGain is what a step must add to the objective: less is the luck of
	// single tasks (one of 1,000 tasks that moves a place or two).
	minGain = 1e-4

	// maxPasses over all weights; gains are spent after three to five.
	maxPasses = 8

	// jitter is how far a restart begins from the likelihood's weights, as a
	// share of a typical weight.
	jitter = 0.3
)

// ascent climbs the objective itself, one weight at a time. The objective is
// a staircase, so it has no gradient and many summits; the likelihood's
// optimum is a good foot of the hill, and restarts near it find others.
type ascent struct {
	*objective
	signs  []int
	scores [][]float64 // of each task at the current weights
	hits   []int       // scratch
}

func newAscent(o *objective, signs []int) *ascent {
	a := &ascent{objective: o, signs: signs, scores: make([][]float64, len(o.tasks))}
	for i, t := range o.tasks {
		a.scores[i] = make([]float64, t.N)
	}
	return a
}

// at is the objective when weight j is moved by d from where scores stand.
func (a *ascent) at(j int, d float64) float64 {
	var sum float64
	for i, t := range a.tasks {
		var x []float32
		if d != 0 {
			x = t.column(j)
		}
		a.hits = t.ranks(a.hits, a.scores[i], d, x)
		sum += a.coef[i] * a.value(i, a.hits)
	}
	return sum
}

func (a *ascent) load(w []float64) {
	for i, t := range a.tasks {
		t.score(a.scores[i], w)
	}
}

// climb moves w to a place where no single step gains, and gives the
// objective there.
func (a *ascent) climb(ctx context.Context, w []float64, rng *rand.Rand) float64 {
	project(w, a.signs)
	a.load(w)
	best := a.at(0, 0)
	for range maxPasses {
		improved := false
		for _, j := range rng.Perm(len(w)) {
			if ctx.Err() != nil {
				return best
			}
			size := max(math.Abs(w[j]), typical(w))
			move, top := 0.0, best+minGain
			try := func(d float64) {
				to := w[j] + d
				if d == 0 || a.signs != nil && (a.signs[j] > 0 && to < 0 || a.signs[j] < 0 && to > 0) {
					return
				}
				if v := a.at(j, d); v > top {
					move, top = d, v
				}
			}
			for _, s := range ascentSteps {
				try(s * size)
				try(-s * size)
			}
			try(-w[j]) // is the feature worth anything?
			if move == 0 {
				continue
			}
			w[j] += move
			best, improved = top, true
			for i, t := range a.tasks {
				for k, x := range t.column(j) {
					a.scores[i][k] += move * float64(x)
				}
			}
		}
		// Sums that were moved many times have drifted by rounding.
		a.load(w)
		best = a.at(0, 0)
		if !improved {
			break
		}
	}
	return best
}

// typical is the root mean square of the weights, or 1 if all are 0.
func typical(w []float64) float64 {
	if s := dot(w, w); s > 0 {
		return math.Sqrt(s / float64(len(w)))
	}
	return 1
}

// shaken is w with noise, for a restart.
func shaken(w []float64, rng *rand.Rand) []float64 {
	size := jitter * typical(w)
	out := make([]float64, len(w))
	for j := range w {
		out[j] = w[j] + size*rng.NormFloat64()
	}
	return out
}
