package eval

import (
	"context"
	"math"
)

// Constants of the minimiser.
const (
	lbfgsMemory = 8    // pairs kept: beyond ten nothing is gained at a few dozen weights
	lbfgsRounds = 200  // a convex fit of this size ends in 30 to 80
	lbfgsTol    = 1e-6 // ends when no free derivative is larger: weights are written to four digits
	armijo      = 1e-4 // share of the promised decrease that a step must keep
)

// minimise finds the minimum of a convex f from w by L-BFGS (Nocedal 1980)
// with bounds: signs[j] > 0 keeps w[j] ≥ 0, < 0 keeps it ≤ 0, and 0 or a nil
// signs leaves it free. A weight that stands at its bound and is pushed
// against it is held there, the others step together, and the step is
// projected (Bertsekas 1982). w is changed in place. f gives its value and
// writes its gradient.
func minimise(ctx context.Context, f func(w, grad []float64) float64, w []float64, signs []int) {
	n := len(w)
	project(w, signs)
	g, g2, w2, dir := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	held := make([]bool, n)
	var steps, diffs [][]float64
	v := f(w, g)
	for round := 0; round < lbfgsRounds && ctx.Err() == nil; round++ {
		changed, worst := false, 0.0
		for j := range w {
			h := w[j] == 0 && signs != nil && (signs[j] > 0 && g[j] > 0 || signs[j] < 0 && g[j] < 0)
			changed = changed || h != held[j]
			if held[j] = h; !h {
				worst = max(worst, math.Abs(g[j]))
			}
		}
		if worst < lbfgsTol {
			return
		}
		if changed {
			steps, diffs = nil, nil // curvature was measured among other free weights
		}
		direction(dir, g, held, steps, diffs)
		if !(dot(dir, g) < 0) { // no way down: the steepest is
			steps, diffs = nil, nil
			direction(dir, g, held, nil, nil)
		}
		t := 1.0
		if steps == nil {
			t = min(1, 1/worst) // the first step knows no scale
		}
		ok := false
		var v2 float64
		for range 40 {
			for j := range w {
				w2[j] = w[j] + t*dir[j]
			}
			project(w2, signs)
			v2 = f(w2, g2)
			var promise float64
			for j := range w {
				promise += g[j] * (w2[j] - w[j])
			}
			if v2 <= v+armijo*promise && promise < 0 {
				ok = true
				break
			}
			t /= 2
		}
		if !ok {
			if steps == nil {
				return // not even downhill helps: the last digits
			}
			steps, diffs = nil, nil
			continue
		}
		s, y := make([]float64, n), make([]float64, n)
		for j := range w {
			s[j], y[j] = w2[j]-w[j], g2[j]-g[j]
			if held[j] {
				s[j], y[j] = 0, 0
			}
		}
		if dot(s, y) > 1e-12*dot(y, y) {
			steps, diffs = append(steps, s), append(diffs, y)
			if len(steps) > lbfgsMemory {
				steps, diffs = steps[1:], diffs[1:]
			}
		}
		copy(w, w2)
		copy(g, g2)
		v = v2
	}
}

// direction writes −H·g for the L-BFGS approximation H of the inverse
// Hessian; held weights get 0.
func direction(dir, g []float64, held []bool, steps, diffs [][]float64) {
	for j := range dir {
		if dir[j] = -g[j]; held[j] {
			dir[j] = 0
		}
	}
	k := len(steps)
	alpha := make([]float64, k)
	for i := k - 1; i >= 0; i-- {
		alpha[i] = dot(steps[i], dir) / dot(steps[i], diffs[i])
		axpy(dir, -alpha[i], diffs[i])
	}
	if k > 0 {
		scale := dot(steps[k-1], diffs[k-1]) / dot(diffs[k-1], diffs[k-1])
		for j := range dir {
			dir[j] *= scale
		}
	}
	for i := range k {
		beta := dot(diffs[i], dir) / dot(steps[i], diffs[i])
		axpy(dir, alpha[i]-beta, steps[i])
	}
}

func project(w []float64, signs []int) {
	for j := range signs {
		if signs[j] > 0 && w[j] < 0 || signs[j] < 0 && w[j] > 0 {
			w[j] = 0
		}
	}
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func axpy(dst []float64, a float64, x []float64) {
	for i := range dst {
		dst[i] += a * x[i]
	}
}
