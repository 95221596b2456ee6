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

// ascent climbs the objective less smooth times the likelihood's loss, one
// weight at a time. The objective is a staircase: it has no gradient, many
// summits, and says nothing of tasks that are far from moving. The loss tilts
// it, so that of two places on one step the likelier is higher, and ties the
// weights that the measure does not feel.
type ascent struct {
	*objective
	signs  []int
	smooth float64
	lik    *likelihood
	scores [][]float64 // of each task at the current weights
	slope  [][]float64 // of the loss by each score there
	losses []float64   // of each task there
	values []float64   // target of each task there
	hits   []int       // scratch
}

func newAscent(o *objective, signs []int, smooth float64, lik *likelihood) *ascent {
	a := &ascent{objective: o, signs: signs, smooth: smooth, lik: lik, losses: make([]float64, len(o.tasks)), values: make([]float64, len(o.tasks))}
	for _, t := range o.tasks {
		a.scores = append(a.scores, make([]float64, t.N))
		a.slope = append(a.slope, make([]float64, t.N))
	}
	return a
}

// at is the objective when weight j is moved by d from where scores stand.
func (a *ascent) at(j int, d float64) float64 {
	var sum float64
	for i, t := range a.tasks {
		v := a.values[i]
		if !t.mute(j) {
			a.hits = t.ranks(a.hits, a.scores[i], d, t.column(j))
			v = a.value(i, a.hits)
		}
		sum += a.coef[i] * v
	}
	return sum
}

// load computes scores anew and gives the objective and the loss. It keeps
// the loss's slopes.
func (a *ascent) load(w []float64) (objective, loss float64) {
	for i, t := range a.tasks {
		t.score(a.scores[i], w)
		a.hits = t.ranks(a.hits, a.scores[i], 0, nil)
		a.values[i] = a.value(i, a.hits)
		objective += a.coef[i] * a.values[i]
	}
	return objective, a.loss(w)
}

// loss is the likelihood's at the current scores.
func (a *ascent) loss(w []float64) float64 {
	if a.smooth == 0 {
		return 0
	}
	f := a.penalty(w)
	for i, t := range a.tasks {
		if t.silent() {
			continue // its slope stays 0
		}
		a.losses[i] = a.lik.task(t, a.scores[i], a.slope[i])
		f += a.coef[i] * a.losses[i]
	}
	return f
}

func (a *ascent) penalty(w []float64) (f float64) {
	for j := range w {
		d := a.lik.off(w, j)
		f += a.lik.l2 / 2 * d * d
	}
	return f
}

// lossAt is the loss when weight j is moved by d.
func (a *ascent) lossAt(w []float64, j int, d float64) float64 {
	f := a.penalty(w) + a.lik.l2/2*d*(2*a.lik.off(w, j)+d)
	for i, t := range a.tasks {
		if t.silent() {
			continue
		}
		if t.mute(j) {
			f += a.coef[i] * a.losses[i]
			continue
		}
		s, x := a.lik.s[:t.N], t.column(j)
		for k, v := range a.scores[i] {
			s[k] = v + d*float64(x[k])
		}
		f += a.coef[i] * a.lik.task(t, s, a.lik.p[:t.N])
	}
	return f
}

// lossSlope is the derivative of the loss by weight j.
func (a *ascent) lossSlope(w []float64, j int) float64 {
	if a.smooth == 0 {
		return 0
	}
	g := a.lik.l2 * a.lik.off(w, j)
	for i, t := range a.tasks {
		if t.mute(j) || t.silent() {
			continue
		}
		var sum float64
		for k, x := range t.column(j) {
			sum += a.slope[i][k] * float64(x)
		}
		g += a.coef[i] * sum
	}
	return g
}

// climb moves w to a place where no single step gains, and gives what it
// climbs there: objective − smooth·loss.
func (a *ascent) climb(ctx context.Context, w []float64, rng *rand.Rand) float64 {
	project(w, a.signs)
	obj, loss := a.load(w)
	for range maxPasses {
		improved := false
		for _, j := range rng.Perm(len(w)) {
			if ctx.Err() != nil {
				break
			}
			size := max(math.Abs(w[j]), typical(w))
			slope := a.lossSlope(w, j)
			move, top := 0.0, obj-a.smooth*loss+minGain
			try := func(d float64) {
				to := w[j] + d
				if d == 0 || a.signs != nil && (a.signs[j] > 0 && to < 0 || a.signs[j] < 0 && to > 0) {
					return
				}
				v := a.at(j, d)
				// A convex loss lies above its tangent, which is free to know.
				if v-a.smooth*(loss+d*slope) <= top {
					return
				}
				if a.smooth > 0 {
					v -= a.smooth * a.lossAt(w, j, d)
				}
				if v > top {
					move, top = d, v
				}
			}
			for _, s := range ascentSteps {
				try(s * size)
				try(-s * size)
			}
			try(-w[j]) // is the feature worth anything?
			if move != 0 {
				w[j] += move
				obj, loss = a.load(w)
				improved = true
			}
		}
		if !improved || ctx.Err() != nil {
			break
		}
	}
	return obj - a.smooth*loss
}

// typical is the root mean square of the weights, or 1 if all are 0.
func typical(w []float64) float64 {
	if s := dot(w, w); s > 0 {
		return math.Sqrt(s / float64(len(w)))
	}
	return 1
}

// shaken is w with noise, for a restart: on each weight in proportion to the
// share of tasks in which its feature says something, since noise on the
// others would never be climbed away from.
func (a *ascent) shaken(w []float64, rng *rand.Rand) []float64 {
	size := jitter * typical(w) / float64(len(a.tasks))
	out := make([]float64, len(w))
	for j := range w {
		heard := 0
		for _, t := range a.tasks {
			if !t.mute(j) {
				heard++
			}
		}
		out[j] = w[j] + size*float64(heard)*rng.NormFloat64()
	}
	return out
}
