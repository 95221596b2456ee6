// Package confidence turns what an answer shows of itself into the probability
// that it is complete, and measures whether such probabilities can be trusted.
//
// The model is logistic: p = 1/(1 + exp(−(bias + Σ wⱼ·xⱼ))) over named signs
// (Model). It is fitted by penalised maximum likelihood (Fit): signs are
// standardised, so that one penalty suits all; Newton's steps, halved until
// the loss falls, find the one optimum; the weights come back in the signs'
// own units. Reliability is told by expected calibration error over bins of
// equal mass, AUC and the Brier score.
//
// Sources: reliability diagrams and ECE as in Naeini, Cooper, Hauskrecht (AAAI
// 2015) but with bins of equal mass, since probabilities crowd near 1; AUC is
// the probability that a complete answer has the higher p (Mann, Whitney
// 1947), ties counting half.
//
// Limits: a logistic model is monotone in every sign; with a hundred rows and
// twenty signs the penalty does most of the work. Rows of one group (a
// repository) are alike, so figures must come from groups that the fit has not
// seen: OutOfFold.
package confidence

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Model gives the probability. The zero value knows nothing and says 1/2.
type Model struct {
	Bias    float64
	Weights map[string]float64 // by sign; a sign without one does not count
}

// BiasKey is the name under which a table of weights holds the bias.
const BiasKey = "bias"

// P is the probability at the given signs, in (0, 1). names and values must
// have one length.
func (m *Model) P(names []string, values []float64) float64 {
	if len(names) != len(values) {
		panic(fmt.Sprintf("confidence: %d names of %d values", len(names), len(values)))
	}
	s := m.Bias
	for i, n := range names {
		s += float64(m.Weights[n] * values[i])
	}
	return sigmoid(s)
}

func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// Row is one answer that was judged.
type Row struct {
	X      []float64 // signs, in the order of the names
	Y      bool      // complete
	Weight float64   // 0: 1
}

func (r *Row) weight() float64 {
	if r.Weight == 0 {
		return 1
	}
	return r.Weight
}

const (
	// DefaultL2 is worth four rows of evidence against each standardised
	// weight of 1: a thousand rows overrule it, fifty do not.
	DefaultL2 = 4

	newtonSteps = 60
	halvings    = 30
	flat        = 1e-9 // a sign that varies less says nothing
)

// ErrOneSided says that all rows came out alike: there is nothing to tell.
var ErrOneSided = errors.New("all answers are complete, or none is")

// Fit gives the model that maximises the likelihood of rows, less l2/2·Σw² of
// the standardised weights (0: DefaultL2; the bias is free).
func Fit(names []string, rows []Row, l2 float64) (Model, error) {
	if l2 == 0 {
		l2 = DefaultL2
	}
	if !(l2 > 0) || math.IsInf(l2, 0) {
		return Model{}, fmt.Errorf("fit confidence: penalty %v is not positive", l2)
	}
	n := len(names)
	var yes, all float64
	for i := range rows {
		if len(rows[i].X) != n {
			return Model{}, fmt.Errorf("fit confidence: row %d has %d signs, want %d", i, len(rows[i].X), n)
		}
		for j, v := range rows[i].X {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return Model{}, fmt.Errorf("fit confidence: row %d: %s is %v", i, names[j], v)
			}
		}
		all += rows[i].weight()
		if rows[i].Y {
			yes += rows[i].weight()
		}
	}
	if yes == 0 || yes == all {
		return Model{}, fmt.Errorf("fit confidence on %d rows: %w", len(rows), ErrOneSided)
	}
	mean, sd := standard(rows, n, all)
	w := make([]float64, n+1) // the last is the bias
	w[n] = math.Log(yes / (all - yes))
	z := make([]float64, n+1)
	z[n] = 1
	zOf := func(r *Row) []float64 {
		for j := range n {
			z[j] = 0
			if sd[j] > flat {
				z[j] = (r.X[j] - mean[j]) / sd[j]
			}
		}
		return z
	}
	loss := func(w []float64) float64 {
		var f float64
		for i := range rows {
			s := dot(w, zOf(&rows[i]))
			if !rows[i].Y {
				s = -s
			}
			f += rows[i].weight() * (max(-s, 0) + math.Log1p(math.Exp(-math.Abs(s))))
		}
		for j := range n {
			f += l2 / 2 * w[j] * w[j]
		}
		return f
	}
	now := loss(w)
	h := make([][]float64, n+1)
	for j := range h {
		h[j] = make([]float64, n+1)
	}
	g := make([]float64, n+1)
	for range newtonSteps {
		clear(g)
		for j := range h {
			clear(h[j])
		}
		for i := range rows {
			x := zOf(&rows[i])
			p := sigmoid(dot(w, x))
			y, c := 0.0, rows[i].weight()
			if rows[i].Y {
				y = 1
			}
			for j := range x {
				g[j] += c * (p - y) * x[j]
				for k := 0; k <= j; k++ {
					h[j][k] += c * p * (1 - p) * x[j] * x[k]
				}
			}
		}
		for j := range n {
			g[j] += l2 * w[j]
			h[j][j] += l2
		}
		h[n][n] += 1e-9 // should all p be 0 or 1
		step := solve(h, g)
		next := make([]float64, n+1)
		scale, better := 1.0, false
		for range halvings {
			for j := range w {
				next[j] = w[j] - scale*step[j]
			}
			if f := loss(next); f < now {
				better = now-f > 1e-12*math.Abs(now)
				now = f
				copy(w, next)
				break
			}
			scale /= 2
		}
		if !better {
			break
		}
	}
	m := Model{Bias: w[n], Weights: make(map[string]float64, n)}
	for j, name := range names {
		if sd[j] > flat {
			m.Weights[name] = w[j] / sd[j]
			m.Bias -= w[j] * mean[j] / sd[j]
		}
	}
	return m, nil
}

func standard(rows []Row, n int, all float64) (mean, sd []float64) {
	mean, sd = make([]float64, n), make([]float64, n)
	for i := range rows {
		for j, v := range rows[i].X {
			mean[j] += rows[i].weight() * v / all
		}
	}
	for i := range rows {
		for j, v := range rows[i].X {
			sd[j] += rows[i].weight() * (v - mean[j]) * (v - mean[j]) / all
		}
	}
	for j := range sd {
		sd[j] = math.Sqrt(sd[j])
	}
	return mean, sd
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// solve gives x of hx = g for a symmetric positive h of which the lower half
// is filled, by Cholesky's factors. It writes over h.
func solve(h [][]float64, g []float64) []float64 {
	n := len(g)
	for j := range n {
		for k := 0; k <= j; k++ {
			s := h[j][k]
			for i := range k {
				s -= h[j][i] * h[k][i]
			}
			if j == k {
				h[j][j] = math.Sqrt(math.Max(s, 1e-12))
			} else {
				h[j][k] = s / h[k][k]
			}
		}
	}
	x := make([]float64, n)
	for j := range n {
		s := g[j]
		for k := range j {
			s -= h[j][k] * x[k]
		}
		x[j] = s / h[j][j]
	}
	for j := n - 1; j >= 0; j-- {
		s := x[j]
		for k := j + 1; k < n; k++ {
			s -= h[k][j] * x[k]
		}
		x[j] = s / h[j][j]
	}
	return x
}

// OutOfFold gives each row the probability of a model that was fitted on the
// rows of the other folds alone. A fold whose others are one-sided gets their
// share of complete answers.
func OutOfFold(names []string, rows []Row, fold []int, l2 float64) ([]float64, error) {
	if len(rows) != len(fold) {
		panic(fmt.Sprintf("confidence: %d rows in %d folds", len(rows), len(fold)))
	}
	out := make([]float64, len(rows))
	kinds := slices.Compact(slices.Sorted(slices.Values(fold)))
	for _, k := range kinds {
		var train []Row
		yes := 0.0
		for i := range rows {
			if fold[i] != k {
				train = append(train, rows[i])
				if rows[i].Y {
					yes++
				}
			}
		}
		m, err := Fit(names, train, l2)
		if err != nil && !errors.Is(err, ErrOneSided) {
			return nil, err
		}
		for i := range rows {
			if fold[i] != k {
				continue
			}
			if err != nil {
				out[i] = yes / math.Max(1, float64(len(train)))
			} else {
				out[i] = m.P(names, rows[i].X)
			}
		}
	}
	return out, nil
}

// Bin is a stretch of a reliability diagram.
type Bin struct {
	N    int     `json:"n"`
	P    float64 `json:"p"`    // mean of what was said
	Seen float64 `json:"seen"` // share that was complete
}

// DefaultBins of a reliability diagram.
const DefaultBins = 10

// Reliability sorts answers by p and cuts them into bins of equal mass (their
// sizes differ by one at most; with fewer answers than bins, a bin each). p
// and y must have one length.
func Reliability(p []float64, y []bool, bins int) []Bin {
	order := sorted(p, y)
	bins = min(bins, len(p))
	var out []Bin
	for b := range bins {
		lo, hi := b*len(order)/bins, (b+1)*len(order)/bins
		bin := Bin{N: hi - lo}
		for _, i := range order[lo:hi] {
			bin.P += p[i] / float64(hi-lo)
			if y[i] {
				bin.Seen += 1 / float64(hi-lo)
			}
		}
		out = append(out, bin)
	}
	return out
}

func sorted(p []float64, y []bool) []int {
	if len(p) != len(y) {
		panic(fmt.Sprintf("confidence: %d probabilities of %d answers", len(p), len(y)))
	}
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(p[a], p[b]), cmp.Compare(a, b)) })
	return order
}

// ECE is the expected calibration error: the mean over bins of |p − seen|,
// weighted by their answers. 0 for no bin.
func ECE(bins []Bin) float64 {
	var sum, n float64
	for _, b := range bins {
		sum += float64(b.N) * math.Abs(b.P-b.Seen)
		n += float64(b.N)
	}
	if n == 0 {
		return 0
	}
	return sum / n
}

// AUC is the probability that a complete answer has a higher p than one that
// is not, ties counting half; 1/2 when there is no such pair.
func AUC(p []float64, y []bool) float64 {
	order := sorted(p, y)
	var below, pairs, wins float64 // below: incomplete answers so far
	for lo := 0; lo < len(order); {
		hi := lo
		yes, no := 0.0, 0.0
		for ; hi < len(order) && p[order[hi]] == p[order[lo]]; hi++ {
			if y[order[hi]] {
				yes++
			} else {
				no++
			}
		}
		wins += yes * (below + no/2)
		below += no
		lo = hi
	}
	pairs = below * (float64(len(order)) - below)
	if pairs == 0 {
		return 0.5
	}
	return wins / pairs
}

// Brier is the mean squared error of the probabilities; 0 for none.
func Brier(p []float64, y []bool) float64 {
	if len(p) != len(y) {
		panic(fmt.Sprintf("confidence: %d probabilities of %d answers", len(p), len(y)))
	}
	var s float64
	for i := range p {
		d := p[i]
		if y[i] {
			d = 1 - d
		}
		s += d * d / float64(len(p))
	}
	return s
}
