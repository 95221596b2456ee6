package confidence

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestFitFindsTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var rows []Row
	for range 20000 {
		a, b := rng.NormFloat64(), 3+10*rng.Float64()
		p := sigmoid(-1 + 2*a + 0.3*b)
		rows = append(rows, Row{X: []float64{a, b, 7}, Y: rng.Float64() < p})
	}
	names := []string{"a", "b", "constant"}
	m, err := Fit(names, rows, 1e-3)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "a", m.Weights["a"], 2, .15)
	near(t, "b", m.Weights["b"], .3, .03)
	near(t, "bias", m.Bias, -1, .25)
	if _, ok := m.Weights["constant"]; ok {
		t.Error("a constant sign has a weight")
	}
	var p []float64
	var y []bool
	for i := range rows {
		p, y = append(p, m.P(names, rows[i].X)), append(y, rows[i].Y)
	}
	// The likelihood's own equation: the probabilities sum to the count.
	var sp, sy float64
	for i := range p {
		sp += p[i]
		if y[i] {
			sy++
		}
	}
	near(t, "Σp", sp, sy, 1)
	if e := ECE(Reliability(p, y, 10)); e > .02 {
		t.Errorf("calibration error %v of the true model's form", e)
	}
}

func TestFitBySmallCases(t *testing.T) {
	// Without a sign, the bias is the log-odds of the share: 3 of 4 is ln 3.
	rows := []Row{{Y: true}, {Y: true}, {Y: true}, {}}
	m, err := Fit(nil, rows, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "bias", m.Bias, math.Log(3), 1e-9)
	near(t, "p", m.P(nil, nil), .75, 1e-9)
	// A row of weight 3 counts as three.
	m, err = Fit(nil, []Row{{Y: true, Weight: 3}, {}}, 0)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "weighted", m.P(nil, nil), .75, 1e-9)
	// Divided classes end at a finite weight, since it is paid for.
	m, err = Fit([]string{"x"}, []Row{{X: []float64{1}, Y: true}, {X: []float64{-1}}}, 1)
	if err != nil || math.IsInf(m.Weights["x"], 0) || !(m.Weights["x"] > 0) {
		t.Errorf("%v, %v", m, err)
	}
	// There d/dw of 2·log(1+e^−w) + w²/2 is 0: w = 2/(1+e^w).
	w := m.Weights["x"]
	near(t, "w", w, 2/(1+math.Exp(w)), 1e-6)
	if _, err := Fit(nil, []Row{{Y: true}}, 0); !errors.Is(err, ErrOneSided) {
		t.Errorf("one-sided: %v", err)
	}
	if _, err := Fit([]string{"x"}, []Row{{X: []float64{math.NaN()}, Y: true}, {X: []float64{1}}}, 0); err == nil {
		t.Error("NaN was fitted")
	}
	var none Model
	near(t, "no model", none.P([]string{"x"}, []float64{5}), .5, 0)
}

func TestMeasures(t *testing.T) {
	p := []float64{.1, .4, .35, .8}
	y := []bool{false, false, true, true}
	// Pairs (complete, not): .35>.1, .35<.4, .8>.1, .8>.4: three of four.
	near(t, "AUC", AUC(p, y), .75, 0)
	near(t, "AUC of ties", AUC([]float64{.5, .5}, []bool{true, false}), .5, 0)
	near(t, "AUC of one side", AUC([]float64{.5, .6}, []bool{true, true}), .5, 0)
	// (.1² + .4² + .65² + .2²)/4
	near(t, "Brier", Brier(p, y), (.01+.16+.4225+.04)/4, 1e-12)
	bins := Reliability(p, y, 2)
	// Sorted .1 .35 | .4 .8: means .225 and .6, half complete in each.
	if len(bins) != 2 || bins[0].N != 2 {
		t.Fatal(bins)
	}
	near(t, "first", bins[0].P, .225, 1e-12)
	near(t, "seen", bins[0].Seen, .5, 1e-12)
	near(t, "ECE", ECE(bins), (.275+.1)/2, 1e-12)
	if got := Reliability(p[:1], y[:1], 10); len(got) != 1 {
		t.Error(got)
	}
	near(t, "ECE of nothing", ECE(nil), 0, 0)
}

func TestOutOfFoldNeverSeesItsOwn(t *testing.T) {
	// In fold 0 the sign means the contrary of what it means in the others.
	var rows []Row
	var fold []int
	for i := range 60 {
		x := float64(i%2)*2 - 1
		rows = append(rows, Row{X: []float64{x}, Y: (x > 0) != (i < 20)})
		fold = append(fold, min(i/20, 1))
	}
	p, err := OutOfFold([]string{"x"}, rows, fold, .1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if rows[i].Y == (p[i] > .5) {
			t.Fatalf("row %d: p %v was fitted on its own fold", i, p[i])
		}
	}
	// Fold 1 is told by fold 0, which has both answers; a fold told by a
	// one-sided rest gets the rest's share.
	p, err = OutOfFold([]string{"x"}, []Row{{X: []float64{1}}, {X: []float64{1}, Y: true}, {X: []float64{2}, Y: true}}, []int{0, 1, 1}, 1)
	if err != nil || p[0] != 1 {
		t.Errorf("%v, %v", p, err)
	}
}

func BenchmarkFit(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	names := make([]string, 20)
	rows := make([]Row, 1000)
	for i := range names {
		names[i] = string(rune('a' + i))
	}
	for i := range rows {
		for range names {
			rows[i].X = append(rows[i].X, rng.NormFloat64())
		}
		rows[i].Y = rng.Float64() < sigmoid(rows[i].X[0])
	}
	for range b.N {
		if _, err := Fit(names, rows, 0); err != nil {
			b.Fatal(err)
		}
	}
}
