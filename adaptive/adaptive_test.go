package adaptive

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func TestStandardize(t *testing.T) {
	for _, c := range []struct {
		name  string
		s     []float64
		total int
		want  []float64
		floor float64
	}{
		{"nothing", nil, 0, nil, 0},
		{"nothing scored", nil, 9, nil, 0},
		{"constant", []float64{.1, .1, .1}, 50, []float64{0, 0, 0}, 0},
		{"two, no tail", []float64{1, 3}, 2, []float64{-1, 1}, 0},
		// 2 and four at 0 (one scored, three tail), N = 5: mean .4,
		// variance (1.6² + 4·.4²)/5 = .64, stdev .8
		{"tail shares the lowest", []float64{2, 0}, 5, []float64{2, -.5}, -.5},
	} {
		got := Standardize(c.s, c.total)
		if got.N() != c.total {
			t.Errorf("%s: N = %d", c.name, got.N())
		}
		if c.total > len(c.s) && !near(got.Floor, c.floor) {
			t.Errorf("%s: floor %v, want %v", c.name, got.Floor, c.floor)
		}
		for i := range c.want {
			if !near(got.Z[i], c.want[i]) {
				t.Errorf("%s: z[%d] = %v, want %v", c.name, i, got.Z[i], c.want[i])
			}
		}
	}
}

func TestSoftmax(t *testing.T) {
	// τ = 1/ln 2: a step of one halves. 1, ½, and two of the tail at ¼: Σ 2.
	d := Scores{Z: []float64{0, -1}, Floor: -2, Tail: 2}.Softmax(1 / math.Ln2)
	if !near(d.W[0], 1./2) || !near(d.W[1], 1./4) || !near(d.TailW, 1./8) {
		t.Errorf("weights %v, tail %v", d.W, d.TailW)
	}
	// 1/(1/4 + 1/16 + 2/64) = 64/22
	if got := d.NEff(); !near(got, 64./22) {
		t.Errorf("N_eff %v", got)
	}
	// Only the tail, and nothing at all.
	if d := (Scores{Tail: 4}).Softmax(1); d.TailW != .25 || d.NEff() != 4 {
		t.Errorf("tail alone: %+v", d)
	}
	if d := (Scores{}).Softmax(1); d.NEff() != 0 || d.Nucleus(.9, 5).Epsilon != 0 {
		t.Errorf("nothing: %+v", d)
	}
	// Extremes do not overflow.
	d = Scores{Z: []float64{1e6, -1e6}, Tail: 10, Floor: -1e6}.Softmax(1e-3)
	if d.W[0] != 1 || d.NEff() != 1 {
		t.Errorf("sharp: %+v", d)
	}
}

func TestNucleus(t *testing.T) {
	d := Dist{W: []float64{.1, .4, .1, .2}, TailN: 4, TailW: .05}
	for _, c := range []struct {
		p     float64
		kmin  int
		index []int
		eps   float64
	}{
		{.4, 0, []int{1}, .6},
		{.41, 0, []int{1, 3}, .4},
		{.7, 0, []int{1, 3, 0}, .3},     // ties by index: 0 before 2
		{.9, 0, []int{1, 3, 0, 2}, .2},  // the pool ends at .8: ε says so
		{.1, 3, []int{1, 3, 0}, .3},     // floor
		{.1, 99, []int{1, 3, 0, 2}, .2}, // floor beyond the pool
		{0, 0, []int{}, 1},
	} {
		n := d.Nucleus(c.p, c.kmin)
		if !slices.Equal(n.Index, c.index) || !near(n.Epsilon, c.eps) {
			t.Errorf("p %v, kmin %d: %v ε %v, want %v ε %v", c.p, c.kmin, n.Index, n.Epsilon, c.index, c.eps)
		}
		if !near(d.Rest(n.Index), n.Epsilon) {
			t.Errorf("rest %v, ε %v", d.Rest(n.Index), n.Epsilon)
		}
	}
	if got := d.Rest([]int{1, 1, 3}); !near(got, .4) {
		t.Errorf("repeated index: rest %v", got)
	}
}

// A sharp query and a diffuse one on the same repository.
func TestSharpAndDiffuse(t *testing.T) {
	sharp := make([]float64, 200)
	sharp[17], sharp[18], sharp[19] = 30, 29, 28
	diffuse := make([]float64, 200)
	for i := range diffuse {
		diffuse[i] = float64(i % 7)
	}
	a := Standardize(sharp, 2000).Softmax(1)
	b := Standardize(diffuse, 2000).Softmax(1)
	if a.NEff() > 4 || b.NEff() < 50 {
		t.Errorf("N_eff %v and %v", a.NEff(), b.NEff())
	}
	if ka, kb := len(a.Nucleus(Mass, KMin).Index), len(b.Nucleus(Mass, KMin).Index); ka != KMin || kb < 40 {
		t.Errorf("k %d and %d", ka, kb)
	}
}

// random draws a pool with ties and a tail.
func random(r *rand.Rand) (s []float64, total int) {
	s = make([]float64, r.IntN(30))
	for i := range s {
		s[i] = math.Round(r.NormFloat64() * 3)
	}
	return s, len(s) + r.IntN(3)*r.IntN(200)
}

func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		s, total := random(r)
		tau := math.Exp(r.NormFloat64())
		z := Standardize(s, total)
		d := z.Softmax(tau)

		// The closed form is the explicit expansion over all N.
		all := slices.Clone(s)
		for range total - len(s) {
			low := 0.0
			if len(s) > 0 {
				low = slices.Min(s)
			}
			all = append(all, low)
		}
		full := Standardize(all, total).Softmax(tau)
		var sum float64
		for i, w := range full.W {
			sum += w
			switch {
			case i < len(s) && !near(w, d.W[i]), i >= len(s) && !near(w, d.TailW):
				t.Fatalf("chunk %d: %v, closed form %v / %v", i, w, d.W, d.TailW)
			}
		}
		if total == 0 {
			continue
		}
		if got := d.Rest(nil); !near(sum, 1) || !near(got, 1) {
			t.Fatalf("Σŵ = %v, %v", sum, got)
		}
		if a, b := full.NEff(), d.NEff(); math.Abs(a-b) > 1e-6*a || b < 1 || b > float64(total) {
			t.Fatalf("N_eff %v, closed form %v, N %d", a, b, total)
		}
		if a, b := z.logNEff(tau, make([]float64, len(s))), math.Log(d.NEff()); math.Abs(a-b) > 1e-9 {
			t.Fatalf("log N_eff %v and %v", a, b)
		}

		// The order of the pool changes nothing but the order.
		perm := r.Perm(len(s))
		mixed := make([]float64, len(s))
		for i, p := range perm {
			mixed[i] = s[p]
		}
		m := Standardize(mixed, total).Softmax(tau)
		for i, p := range perm {
			if !near(m.W[i], d.W[p]) {
				t.Fatalf("permuted: %v, want %v", m.W[i], d.W[p])
			}
		}

		// The nucleus is least: without its last it would not do.
		p, kmin := r.Float64(), r.IntN(6)
		n := d.Nucleus(p, kmin)
		var mass float64
		for _, i := range n.Index {
			mass += d.W[i]
		}
		k := len(n.Index)
		if !near(mass+n.Epsilon, 1) {
			t.Fatalf("mass %v and ε %v", mass, n.Epsilon)
		}
		if k < min(kmin, len(s)) || k < len(s) && mass < p-1e-12 {
			t.Fatalf("k %d (kmin %d), mass %v of p %v", k, kmin, mass, p)
		}
		if k > kmin && mass-d.W[n.Index[k-1]] >= p {
			t.Fatalf("mass %v is more than p %v needs", mass, p)
		}
	}
}

// Scores of several repositories: without grouping, the spread of their sizes
// would push τ to the end of the range.
func TestFitTau(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var groups [][]Scores
	for g := range 4 {
		var tasks []Scores
		for q := range 12 {
			s := make([]float64, 100)
			for i := range s {
				s[i] = r.NormFloat64()
			}
			for i := range 1 + q%4 { // one to four chunks stand out, more or less
				s[i] += float64(q)
			}
			tasks = append(tasks, Standardize(s, 100*(1+g*g*20)))
		}
		groups = append(groups, tasks)
	}
	fit := FitTau(groups)
	if len(fit.At) != len(fit.Vs) || fit.Tau <= fit.At[0] || fit.Tau >= fit.At[len(fit.At)-1] {
		t.Errorf("τ = %v at an end of %v", fit.Tau, fit.At)
	}
	if fit.Var < slices.Max(fit.Vs) {
		t.Errorf("variance %v is below the grid's %v", fit.Var, slices.Max(fit.Vs))
	}
	// No τ nearby is better.
	for _, f := range []float64{.97, .99, 1.01, 1.03} {
		var ss float64
		for _, g := range groups {
			var x []float64
			var sum float64
			for _, s := range g {
				v := math.Log(s.Softmax(fit.Tau * f).NEff())
				x, sum = append(x, v), sum+v
			}
			for _, v := range x {
				ss += (v - sum/12) * (v - sum/12)
			}
		}
		if v := ss / (48 - 4); v > fit.Var+1e-9 {
			t.Errorf("τ·%v has variance %v, above %v", f, v, fit.Var)
		}
	}
	again := FitTau(groups)
	if again.Tau != fit.Tau {
		t.Errorf("fitted %v, then %v", fit.Tau, again.Tau)
	}
}

func TestFitTauNothingToGoBy(t *testing.T) {
	one := Standardize([]float64{1, 2}, 9)
	for name, groups := range map[string][][]Scores{
		"none":  nil,
		"one":   {{one}},
		"alone": {{one}, {one}},
		"same":  {{one, one}},
		"void":  {{Scores{}, Scores{}, one}},
	} {
		if fit := FitTau(groups); fit.Tau != Tau || fit.Var != 0 {
			t.Errorf("%s: τ %v, variance %v", name, fit.Tau, fit.Var)
		}
	}
}

func BenchmarkQuery(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	s := make([]float64, 3000)
	for i := range s {
		s[i] = r.NormFloat64()
	}
	b.ReportAllocs()
	for b.Loop() {
		d := Standardize(s, 60000).Softmax(Tau)
		d.NEff()
		d.Nucleus(Mass, KMin)
	}
}
