package eval

import "math"

// likelihood is the negative log-likelihood of the relevant files, each
// against the files that are not relevant, plus an L2 penalty towards weights m:
//
//	Σ tasks c · mean over r of −log( e^s(r) / (e^s(r) + Σ over o not relevant of e^s(o)) )  +  λ/2 · Σ (w−m)²
//
// with s = Xw and the coefficients c of the objective. It is convex, so it
// has one optimum whatever the start, and its optimum has a scale at which
// e^s means something: the odds of a file. Relevant files outside the pool
// say nothing about weights and are left out, and so is promotion.
type likelihood struct {
	*objective
	l2     float64
	middle []float64 // nil: 0
	s      []float64 // scratch: scores of one task, and the loss's slopes
	p      []float64
}

func newLikelihood(o *objective, l2 float64, middle []float64) *likelihood {
	n := 0
	for _, t := range o.tasks {
		n = max(n, t.N)
	}
	return &likelihood{objective: o, l2: l2, middle: middle, s: make([]float64, n), p: make([]float64, n)}
}

// at gives the value at w and writes its gradient.
func (l *likelihood) at(w, grad []float64) float64 {
	clear(grad)
	var f float64
	for i, t := range l.tasks {
		if t.silent() {
			continue
		}
		s := l.s[:t.N]
		t.score(s, w)
		f += l.coef[i] * l.task(t, s, l.p[:t.N])
		for j := range grad {
			if t.mute(j) {
				continue
			}
			var g float64
			for k, x := range t.column(j) {
				g += l.p[k] * float64(x)
			}
			grad[j] += l.coef[i] * g
		}
	}
	for j := range w {
		d := l.off(w, j)
		f += l.l2 / 2 * d * d
		grad[j] += l.l2 * d
	}
	return f
}

// off is how far weight j is from where the penalty wants it.
func (l *likelihood) off(w []float64, j int) float64 {
	if l.middle == nil {
		return w[j]
	}
	return w[j] - l.middle[j]
}

// task gives the loss of one task with scores s and writes its derivative by
// each score into p. With R = log Σ e^s(o), a relevant file's loss is
// log(1 + e^(R−s(r))): it falls by σ(R−s(r)) with its own score and rises by
// that times each other file's share of the rest.
func (l *likelihood) task(t *TaskFeatures, s, p []float64) float64 {
	top := math.Inf(-1)
	eachOther(t, func(i int) { top = max(top, s[i]) })
	var rest float64
	eachOther(t, func(i int) {
		p[i] = math.Exp(s[i] - top)
		rest += p[i]
	})
	r0 := top + math.Log(rest)
	n := float64(len(t.Relevant))
	var loss, push float64
	for _, r := range t.Relevant {
		d := r0 - s[r]
		// log(1+e^d) and σ(d), without overflow
		e := math.Exp(-math.Abs(d))
		loss += (max(d, 0) + math.Log1p(e)) / n
		sig := 1 / (1 + e)
		if d < 0 {
			sig = e / (1 + e)
		}
		p[r] = -sig / n
		push += sig / n
	}
	eachOther(t, func(i int) { p[i] *= push / rest })
	return loss
}

// silent says that a task tells nothing about weights: it has no pair of a
// relevant file and another.
func (t *TaskFeatures) silent() bool { return len(t.Relevant) == 0 || len(t.Relevant) == t.N }

// eachOther calls f for the files that are not relevant, rising.
func eachOther(t *TaskFeatures, f func(i int)) {
	next := 0
	for i := range t.N {
		if next < len(t.Relevant) && t.Relevant[next] == i {
			next++
			continue
		}
		f(i)
	}
}
