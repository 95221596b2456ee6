package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// synthetic makes tasks whose answers follow true weights: scores X·w plus
// Gumbel noise, the best answers files relevant. Its likelihood is maximal
// at w, up to chance.
func synthetic(seed uint64, tasks, files int, w []float64, noise float64) *Matrix {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := &Matrix{Sets: []Set{{"ask", AskTarget}, {"fix", FixTarget}, {"edit", EditTarget}}}
	for j := range w {
		m.Names = append(m.Names, fmt.Sprintf("f%02d", j))
	}
	for i := range tasks {
		n := files/2 + rng.IntN(files)
		t := TaskFeatures{ID: fmt.Sprint("t", i), Set: i % 3, N: n, Answers: 1, X: make([]float32, len(w)*n)}
		t.Repo = fmt.Sprintf("repo%d", rng.IntN(20))
		for k := range t.X {
			t.X[k] = float32(rng.NormFloat64())
		}
		s := make([]float64, n)
		t.score(s, w)
		for k := range s {
			s[k] -= noise * math.Log(-math.Log(1-rng.Float64())) // Gumbel
		}
		if t.Set == 2 {
			t.Answers = 2 + rng.IntN(2)
		}
		order := make([]int, n)
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(a, b int) int {
			if s[a] > s[b] {
				return -1
			}
			return 1
		})
		t.Relevant = slices.Sorted(slices.Values(order[:t.Answers]))
		if i%50 == 7 {
			t.Answers++ // one outside the pool
		}
		m.Tasks = append(m.Tasks, t)
	}
	return m
}

func cosine(a, b []float64) float64 { return dot(a, b) / math.Sqrt(dot(a, a)*dot(b, b)) }

func TestTuneFindsTrueWeights(t *testing.T) {
	truth := []float64{1.5, 0, -0.8, 0.5, 2, 0}
	m := synthetic(1, 600, 60, truth, 1)
	start := []float64{1, 1, 1, 1, 1, 1}
	got, err := Tune(context.Background(), m, TuneOptions{Seed: 3, L2: 1e-6, Start: start})
	if err != nil {
		t.Fatal(err)
	}
	st := map[string]Stage{}
	for _, s := range got.Stages {
		st[s.Name] = s
	}
	convex := st[StageLikelihood]
	for j, w := range truth {
		if math.Abs(convex.Weights[j]-w) > 0.25 { // a deviation of about 0.07
			t.Errorf("%s: weight %v, truth %v", m.Names[j], convex.Weights[j], w)
		}
	}
	if c := cosine(st[StageAscent].Weights, truth); c < 0.95 {
		t.Errorf("ascent ends at %v, cosine %v to the truth", st[StageAscent].Weights, c)
	}
	if a, l := st[StageAscent].Objective, convex.Objective; a < l-1e-3 { // rounding of weights may cost a place
		t.Errorf("ascent ends below where it began: %v, likelihood %v", a, l)
	}
	if s := st[StageStart]; s.Objective >= convex.Objective || s.OutOfFold != s.Objective {
		t.Errorf("start %v (folds %v), likelihood %v", s.Objective, s.OutOfFold, convex.Objective)
	}
	if gap := convex.Objective - convex.OutOfFold; gap > 0.02 || gap < -0.02 {
		t.Errorf("likelihood in-sample %v, folds %v", convex.Objective, convex.OutOfFold)
	}
	for _, s := range got.Stages {
		if s.OutOfFold > got.Stages[got.Chosen].OutOfFold {
			t.Errorf("chose %s, but %s is better out of fold", got.Stages[got.Chosen].Name, s.Name)
		}
	}
}

func TestTuneIsTheSameWithAnyWorkers(t *testing.T) {
	m := synthetic(2, 90, 30, []float64{1, -1, 0.5}, 1)
	var first string
	for _, workers := range []int{1, 3} {
		var saved string
		got, err := Tune(context.Background(), m, TuneOptions{Seed: 9, Workers: workers, Save: func(s string) error { saved = s; return nil }})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := got.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		if all := out.String() + saved; first == "" {
			first = all
		} else if all != first {
			t.Errorf("%d workers gave other bytes:\n%s\nbefore:\n%s", workers, all, first)
		}
	}
	for _, w := range []string{"ask: 30 tasks, target macro ndcg@10", "fix: 30 tasks, target micro all@1+all@5", "5 folds", "(chosen)", "f02"} {
		if !strings.Contains(first, w) {
			t.Errorf("table lacks %q:\n%s", w, first)
		}
	}
}

func TestTuneKeepsSigns(t *testing.T) {
	truth := []float64{1, -1, 0.5}
	m := synthetic(3, 200, 40, truth, 1)
	signs := []int{1, 1, -1}
	got, err := Tune(context.Background(), m, TuneOptions{Signs: signs, Folds: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range got.Stages {
		if s.Folds != nil {
			t.Errorf("%s has figures of folds that were not asked", s.Name)
		}
		if s.Weights[0] <= 0 || s.Weights[1] < 0 || s.Weights[2] > 0 {
			t.Errorf("%s: weights %v break signs %v", s.Name, s.Weights, signs)
		}
	}
	if w := got.Stages[0].Weights; w[1] != 0 || w[2] != 0 {
		t.Errorf("likelihood: weights %v, want the two at their bounds", w)
	}
}

func TestTuneLeavesThePriorWhereLabelsSayNothing(t *testing.T) {
	m := synthetic(3, 60, 20, []float64{1, 1, 1}, 1)
	for i := range m.Tasks {
		clear(m.Tasks[i].column(1)) // a role that no pool holds
	}
	got, err := Tune(context.Background(), m, TuneOptions{Folds: 1, Prior: []float64{0, -3, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range got.Stages {
		if w := s.Weights; w[1] != -3 || w[0] < 0.5 {
			t.Errorf("%s: weights %v, want −3 in the middle and about 1 beside it", s.Name, w)
		}
	}
}

func TestTuneRefuses(t *testing.T) {
	good := func() *Matrix { return synthetic(4, 9, 10, []float64{1, 1}, 1) }
	for name, break_ := range map[string]func(*Matrix, *TuneOptions){
		"no task":        func(m *Matrix, _ *TuneOptions) { m.Tasks = nil },
		"same name":      func(m *Matrix, _ *TuneOptions) { m.Names[1] = m.Names[0] },
		"short features": func(m *Matrix, _ *TuneOptions) { m.Tasks[3].X = m.Tasks[3].X[1:] },
		"not a number":   func(m *Matrix, _ *TuneOptions) { m.Tasks[3].X[2] = float32(math.NaN()) },
		"relevant twice": func(m *Matrix, _ *TuneOptions) { m.Tasks[0].Relevant = []int{1, 1}; m.Tasks[0].Answers = 2 },
		"relevant above": func(m *Matrix, _ *TuneOptions) { m.Tasks[0].Relevant = []int{999} },
		"no answer":      func(m *Matrix, _ *TuneOptions) { m.Tasks[0].Relevant, m.Tasks[0].Answers = nil, 0 },
		"set":            func(m *Matrix, _ *TuneOptions) { m.Tasks[0].Set = 3 },
		"measure":        func(m *Matrix, _ *TuneOptions) { m.Sets[0].Target.Measures = []string{"map@10"} },
		"weight of set":  func(m *Matrix, _ *TuneOptions) { m.Sets[0].Target.Weight = 0 },
		"signs":          func(_ *Matrix, o *TuneOptions) { o.Signs = []int{1} },
		"start":          func(_ *Matrix, o *TuneOptions) { o.Start = []float64{1, math.Inf(1)} },
		"prior":          func(_ *Matrix, o *TuneOptions) { o.Prior = []float64{1} },
		"penalty":        func(_ *Matrix, o *TuneOptions) { o.L2 = -1 },
	} {
		m, o := good(), TuneOptions{Folds: 1, Restarts: 1}
		break_(m, &o)
		if _, err := Tune(context.Background(), m, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Tune(ctx, good(), TuneOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	boom := errors.New("disk full")
	if _, err := Tune(context.Background(), good(), TuneOptions{Folds: 1, Save: func(string) error { return boom }}); !errors.Is(err, boom) {
		t.Errorf("save: %v", err)
	}
}

func TestLikelihoodByArithmetic(t *testing.T) {
	// Scores 1·x with x = 0, 1, 2; file 1 relevant: log(e^1+e^0+e^2) − 1.
	m := &Matrix{Names: []string{"x"}, Sets: []Set{{"s", EditTarget}}, Tasks: []TaskFeatures{
		{ID: "t", Repo: "r", N: 3, X: []float32{0, 1, 2}, Relevant: []int{1}, Answers: 1}}}
	l := newLikelihood(newObjective(m, func(int) bool { return true }), 0.5, nil)
	grad := make([]float64, 1)
	got := l.at([]float64{1}, grad)
	e := math.E
	want := math.Log(e+1+e*e) - 1 + 0.5/2
	if !near(got, want) {
		t.Errorf("loss %v, want %v", got, want)
	}
	if w := (0*1+1*e+2*e*e)/(1+e+e*e) - 1 + 0.5; math.Abs(grad[0]-w) > 1e-12 {
		t.Errorf("gradient %v, want %v", grad[0], w)
	}
}

func TestLikelihoodGradient(t *testing.T) {
	m := synthetic(5, 30, 20, []float64{1, -2, 0.3}, 1)
	l := newLikelihood(newObjective(m, func(int) bool { return true }), 0.01, []float64{0, 1, -1})
	w, grad, scratch := []float64{0.7, -0.2, 1.1}, make([]float64, 3), make([]float64, 3)
	l.at(w, grad)
	const h = 1e-5
	for j := range w {
		up, down := slices.Clone(w), slices.Clone(w)
		up[j], down[j] = up[j]+h, down[j]-h
		if num := (l.at(up, scratch) - l.at(down, scratch)) / (2 * h); math.Abs(num-grad[j]) > 1e-7 {
			t.Errorf("derivative by weight %d: %v, by difference %v", j, grad[j], num)
		}
	}
	if f := l.at([]float64{1e4, -1e4, 1e4}, grad); math.IsNaN(f) || math.IsInf(f, 0) || slices.ContainsFunc(grad, math.IsNaN) {
		t.Errorf("at huge weights: %v, gradient %v", f, grad)
	}
}

func TestMinimiseQuadratic(t *testing.T) {
	// f = Σ c(w−a)²: free optimum a, bounded optimum a cut at 0.
	c, a := []float64{1, 100, 0.01, 3}, []float64{3, -2, 5, -1}
	f := func(w, g []float64) (v float64) {
		for j := range w {
			v += c[j] * (w[j] - a[j]) * (w[j] - a[j])
			g[j] = 2 * c[j] * (w[j] - a[j])
		}
		return v
	}
	for _, k := range []struct {
		signs []int
		want  []float64
	}{{nil, a}, {[]int{1, 1, 0, -1}, []float64{3, 0, 5, -1}}, {[]int{-1, 0, -1, 1}, []float64{0, -2, 0, 0}}} {
		w := []float64{-1, 4, 2, 2}
		minimise(context.Background(), f, w, k.signs)
		for j := range w {
			if math.Abs(w[j]-k.want[j]) > 1e-3 {
				t.Errorf("signs %v: %v, want %v", k.signs, w, k.want)
				break
			}
		}
	}
}

// TestRanksAgainstSort proves the counting of ranks against sorting, with
// ties, promotion and a moved weight.
func TestRanksAgainstSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for range 400 {
		n := 1 + rng.IntN(12)
		f := TaskFeatures{N: n, X: make([]float32, n)}
		s := make([]float64, n)
		for i := range n {
			s[i], f.X[i] = float64(rng.IntN(4)), float32(rng.IntN(3))
			if rng.IntN(3) == 0 {
				f.Relevant = append(f.Relevant, i)
			}
		}
		if rng.IntN(2) == 0 {
			f.Promoted = make([]bool, n)
			for i := range n {
				f.Promoted[i] = rng.IntN(4) == 0
			}
		}
		d, x := 0.0, []float32(nil)
		if rng.IntN(2) == 0 {
			d, x = float64(rng.IntN(5)-2)/2, f.X
		}
		names, relevant := make([]string, n), []string{}
		order := make([]int, n)
		for i := range n {
			names[i], order[i] = fmt.Sprintf("%02d", i), i
		}
		for _, r := range f.Relevant {
			relevant = append(relevant, names[r])
		}
		slices.SortStableFunc(order, func(a, b int) int {
			if f.Promoted != nil && f.Promoted[a] != f.Promoted[b] {
				if f.Promoted[a] {
					return -1
				}
				return 1
			}
			va, vb := s[a], s[b]
			if x != nil {
				va, vb = va+d*float64(x[a]), vb+d*float64(x[b])
			}
			switch {
			case va > vb:
				return -1
			case va < vb:
				return 1
			}
			return 0
		})
		ranked := make([]string, n)
		for k, i := range order {
			ranked[k] = names[i]
		}
		got, want := f.ranks(nil, s, d, x), Hits(ranked, relevant)
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("ranks %v, by sorting %v (%+v, scores %v, d %v)", got, want, f, s, d)
		}
	}
}

// TestObjectiveIsTheMeanOfTargets holds the coefficients against Macro and
// Micro.
func TestObjectiveIsTheMeanOfTargets(t *testing.T) {
	m := synthetic(7, 100, 20, []float64{1, 1}, 2)
	m.Sets[1].Target.Weight = 3
	figures, total := measure(m, func(int) []float64 { return []float64{1, 0.5} })
	want := (1*figures[0].Macro[nameNDCG] + 3*(figures[1].Micro["all@1"]+figures[1].Micro["all@5"])/2 + 1*figures[2].Micro["r@10"]) / 5
	if math.Abs(total-want) > 1e-12 {
		t.Errorf("objective %v, weighted mean of targets %v", total, want)
	}
	if math.Abs(figures[0].Target-figures[0].Macro[nameNDCG]) > 1e-12 {
		t.Errorf("ask target %v, macro ndcg %v", figures[0].Target, figures[0].Macro[nameNDCG])
	}
}

func TestAscentFixesWhatTheLikelihoodCannotSee(t *testing.T) {
	// The likelihood cares for every task, the target for those within
	// reach: from a start that ignores feature 1, ascent must find it.
	m := synthetic(8, 150, 40, []float64{1, 1}, 0.3)
	for _, smooth := range []float64{0, 0.1} {
		o := newObjective(m, func(int) bool { return true })
		a := newAscent(o, nil, smooth, newLikelihood(o, 1e-3, nil))
		w := []float64{1, 0}
		before, _ := a.load(w)
		a.climb(context.Background(), w, rand.New(rand.NewPCG(1, 1)))
		after, _ := a.load(w)
		if after < before+0.2 || cosine(w, []float64{1, 1}) < 0.95 {
			t.Errorf("smooth %v: objective %v to %v at %v", smooth, before, after, w)
		}
	}
}

// TestAscentLoss holds the two shortcuts of the smoothed ascent, a moved loss
// and its tangent, against the likelihood itself.
func TestAscentLoss(t *testing.T) {
	m := synthetic(9, 40, 15, []float64{1, -1, 2}, 1)
	m.Tasks[4].Relevant = nil // tells nothing
	o := newObjective(m, func(int) bool { return true })
	middle := []float64{1, 0, -2}
	a := newAscent(o, nil, 0.1, newLikelihood(o, 0.01, middle))
	w, grad := []float64{0.3, 0.9, -0.4}, make([]float64, 3)
	_, loss := a.load(w)
	if want := newLikelihood(o, 0.01, middle).at(w, grad); !near(loss, want) {
		t.Errorf("loss %v, want %v", loss, want)
	}
	for j := range w {
		if got := a.lossSlope(w, j); math.Abs(got-grad[j]) > 1e-12 {
			t.Errorf("slope by weight %d: %v, want %v", j, got, grad[j])
		}
		moved := slices.Clone(w)
		moved[j] += 0.7
		if got, want := a.lossAt(w, j, 0.7), newLikelihood(o, 0.01, middle).at(moved, make([]float64, 3)); math.Abs(got-want) > 1e-12 {
			t.Errorf("loss with weight %d moved: %v, want %v", j, got, want)
		}
	}
}

func TestEncodeTOML(t *testing.T) {
	names := []string{"similarity.file", "path", "priors.ask.test", "hops", "priors.ask.a b"}
	weights := []float64{0.8, 1, -3, 0, 1e-5}
	got := EncodeTOML(names, weights)
	want := "[weights]\n\"similarity.file\" = 0.8\npath = 1.0\nhops = 0.0\n\n[priors.ask]\ntest = -3.0\n\"a b\" = 0.00001\n"
	if got != want {
		t.Errorf("encoded\n%s\nwant\n%s", got, want)
	}
	var back struct {
		Weights map[string]float64
		Priors  map[string]map[string]float64
	}
	if _, err := toml.Decode(got, &back); err != nil {
		t.Fatal(err)
	}
	if back.Weights["similarity.file"] != 0.8 || back.Priors["ask"]["test"] != -3 || back.Priors["ask"]["a b"] != 1e-5 {
		t.Errorf("decoded %+v", back)
	}
}

// BenchmarkTune is the size of the real thing: 1,000 tasks of 300 files with
// 30 features.
func BenchmarkTune(b *testing.B) {
	truth := make([]float64, 30)
	rng := rand.New(rand.NewPCG(1, 1))
	for j := range truth {
		truth[j] = rng.NormFloat64() / 2
	}
	m := synthetic(1, 1000, 300, truth, 1)
	for b.Loop() {
		if _, err := Tune(context.Background(), m, TuneOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
