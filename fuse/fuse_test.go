package fuse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func nearAll(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !near(got[i], want[i]) {
			t.Errorf("%s[%d] = %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestZ(t *testing.T) {
	for _, c := range []struct {
		name      string
		raw, want []float64
		clip      float64
	}{
		{"empty", nil, nil, 8},
		{"single", []float64{7}, []float64{0}, 8},
		{"constant that sums inexactly", []float64{.1, .1, .1}, []float64{0, 0, 0}, 8},
		{"rounding noise is no evidence", []float64{1, 1 + 1e-15, 1}, []float64{0, 0, 0}, 8},
		{"two are at ±1", []float64{3, 5}, []float64{-1, 1}, 8},
		// mean 2, deviations −1 0 1, variance 2/3
		{"three", []float64{1, 2, 3}, []float64{-1 / math.Sqrt(2./3), 0, 1 / math.Sqrt(2./3)}, 8},
		// mean .2, variance .2·.8 = .16, stdev .4
		{"boolean", []float64{0, 0, 1, 0, 0}, []float64{-.5, -.5, 2, -.5, -.5}, 8},
		{"clipped", []float64{0, 0, 1, 0, 0}, []float64{-.5, -.5, 1.5, -.5, -.5}, 1.5},
		{"not clipped", []float64{0, 0, 1, 0, 0}, []float64{-.5, -.5, 2, -.5, -.5}, 0},
		{"huge", []float64{-1e308, 1e308}, []float64{-1, 1}, 8},
		{"tiny", []float64{0, 1e-300}, []float64{-1, 1}, 8},
		{"no hop is −4", []float64{-1, -4, -4, -1}, []float64{1, -1, -1, 1}, 8},
	} {
		nearAll(t, c.name, Z(c.raw, c.clip), c.want)
	}
}

func TestZRefusesNaN(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Z took %v", bad)
				}
			}()
			Z([]float64{1, bad}, 8)
		}()
	}
}

// A column that is set for one of n files reaches √(n−1), so the clip holds it
// from n = 66 on.
func TestZLoneBoolean(t *testing.T) {
	for _, n := range []int{2, 10, 65, 66, 400} {
		raw := make([]float64, n)
		raw[n/2] = 1
		if got, want := Z(raw, Clip)[n/2], min(Clip, math.Sqrt(float64(n-1))); !near(got, want) {
			t.Errorf("n = %d: %v, want %v", n, got, want)
		}
	}
}

func TestZProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := 2 + r.IntN(40)
		raw := make([]float64, n)
		for i := range raw {
			raw[i] = math.Round(r.NormFloat64()*4) / 2
		}
		raw[0], raw[1] = 0, 3 // never constant
		z := Z(raw, 0)
		var sum, ss float64
		for _, v := range z {
			sum += v
			ss += v * v
		}
		if !near(sum, 0) || !near(ss, float64(n)) {
			t.Fatalf("Σz = %v, Σz² = %v of %d", sum, ss, n)
		}
		// Shift and scale change nothing.
		moved := make([]float64, n)
		for i, v := range raw {
			moved[i] = 1000 + 7*v
		}
		nearAll(t, "moved", Z(moved, 0), z)
		// Neither does the order of the pool.
		perm := r.Perm(n)
		mixed := make([]float64, n)
		for i, p := range perm {
			mixed[i] = raw[p]
		}
		for i, v := range Z(mixed, 0) {
			if !near(v, z[perm[i]]) {
				t.Fatalf("permuted: %v, want %v", v, z[perm[i]])
			}
		}
	}
}

func TestSum(t *testing.T) {
	score, parts, z := Sum([]Column{
		{ID: "a", Raw: []float64{3, 5}, Weight: 1},
		{ID: "b", Raw: []float64{9, 1}, Weight: 1.4},
		{ID: "c", Raw: []float64{2, 2}, Weight: 100},
	}, 8)
	nearAll(t, "score", score, []float64{-1 + 1.4 + 0, 1 - 1.4 + 0})
	nearAll(t, "part b", parts[1], []float64{1.4, -1.4})
	nearAll(t, "part c", parts[2], []float64{0, 0})
	nearAll(t, "z a", z[0], []float64{-1, 1})

	score, parts, z = Sum(nil, 8)
	if len(score)+len(parts)+len(z) != 0 {
		t.Errorf("nothing gives %v %v %v", score, parts, z)
	}
}

// The case that the sum exists for: a file without the task's words (similarity
// 1.4 deviations below the mean) that three structural columns agree on comes
// before the file that only has the words.
func TestSumWordlessFileSurfaces(t *testing.T) {
	pool := []string{"middleware", "export", "runbook", "readme", "test", "other"}
	score, _, _ := Sum([]Column{
		{ID: "similarity", Raw: []float64{.88, .30, .80, .78, .50, .40}, Weight: 1},
		{ID: "hops", Raw: []float64{-1, -1, -4, -4, -2, -4}, Weight: 1.4},
		{ID: "definition", Raw: []float64{0, 1, 0, 0, 0, 0}, Weight: 1.2},
		{ID: "cochange", Raw: []float64{.2, .9, 0, 0, .8, .1}, Weight: .6},
	}, Clip)
	if best := pool[Order(score, nil)[0]]; best != "export" {
		t.Errorf("first is %s, scores %v", best, score)
	}
}

func TestSumRefusesRaggedColumns(t *testing.T) {
	for name, cols := range map[string][]Column{
		"lengths": {{Raw: []float64{1, 2}}, {Raw: []float64{1}}},
		"marks":   {{Raw: []float64{1, 2}, Ranked: []bool{true}}},
		"weight":  {{Raw: []float64{1, 2}, Weight: math.NaN()}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			Sum(cols, 8)
		}()
	}
}

func TestRRF(t *testing.T) {
	score, parts := RRF([]Column{
		// ranks 2, 1, 2, 4: ties share the better rank
		{ID: "a", Raw: []float64{5, 9, 5, 1}, Weight: 1},
		// ranks –, 2, –, 1
		{ID: "b", Raw: []float64{0, 3, 0, 4}, Ranked: []bool{false, true, false, true}, Weight: 2},
	}, 60)
	nearAll(t, "a", parts[0], []float64{1. / 62, 1. / 61, 1. / 62, 1. / 64})
	nearAll(t, "b", parts[1], []float64{0, 2. / 62, 0, 2. / 61})
	nearAll(t, "score", score, []float64{1. / 62, 1./61 + 2./62, 1. / 62, 1./64 + 2./61})
}

// RRF must not see margins: any increasing map of a column gives the same.
func TestRRFIsOrdinal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + r.IntN(30)
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = float64(r.IntN(8))
			b[i] = math.Exp(a[i])
		}
		x, _ := RRF([]Column{{Raw: a, Weight: .7}}, K)
		y, _ := RRF([]Column{{Raw: b, Weight: .7}}, K)
		if !slices.Equal(x, y) {
			t.Fatalf("%v and %v differ", x, y)
		}
	}
}

func TestPromote(t *testing.T) {
	for _, c := range []struct {
		name     string
		score    []float64
		promoted []bool
		strength []float64
		want     []float64
	}{
		{"none", []float64{3, 1}, []bool{false, false}, nil, []float64{3, 1}},
		{"all", []float64{3, 1}, []bool{true, true}, nil, []float64{3, 1}},
		{"all, with strength", []float64{3, 1}, []bool{true, true}, []float64{0, 5}, []float64{3, 6}},
		// one: top 3, step .1
		{"one from below", []float64{3, 1, 2}, []bool{false, true, false}, nil, []float64{3, 3.1, 2}},
		{"already above", []float64{3, 7, 2}, []bool{false, true, false}, nil, []float64{3, 7, 2}},
		// three, step .1/3; keys ascending 0, 1, 9: 4+.1/3, 4+.2/3, 9
		{"order kept", []float64{1, 4, 0, 9}, []bool{true, false, true, true}, nil, []float64{4 + .2/3, 4, 4 + .1/3, 9}},
		{"ties kept", []float64{1, 4, 1}, []bool{true, false, true}, nil, []float64{4.05, 4, 4.05}},
		// keys 1+2 = 3 and 2+0 = 2, step .05
		{"strength decides", []float64{1, 4, 2}, []bool{true, false, true}, []float64{2, 9, 0}, []float64{4.1, 4, 4.05}},
		// gaps smaller than the step are kept: 4.05, 4.05 + .01
		{"close keys", []float64{1, 4, 1.01}, []bool{true, false, true}, nil, []float64{4.05, 4, 4.06}},
	} {
		nearAll(t, c.name, Promote(c.score, c.promoted, c.strength), c.want)
	}
}

func TestPromoteProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		n := 1 + r.IntN(20)
		s, p := make([]float64, n), make([]bool, n)
		for i := range s {
			s[i] = float64(r.IntN(12)) + float64(r.IntN(2))*1e-15
			p[i] = r.IntN(3) == 0
		}
		got := Promote(s, p, nil)
		for i := range s {
			if !p[i] && got[i] != s[i] {
				t.Fatalf("unpromoted %v became %v", s[i], got[i])
			}
			if got[i] < s[i] {
				t.Fatalf("%v sank to %v", s[i], got[i])
			}
			for j := range s {
				if p[i] && !p[j] && got[i] <= got[j] {
					t.Fatalf("promoted %v is not above %v in %v", got[i], got[j], got)
				}
				if p[i] && p[j] && (s[i] < s[j]) != (got[i] < got[j]) {
					t.Fatalf("order of %v and %v changed: %v %v", s[i], s[j], got[i], got[j])
				}
			}
		}
	}
}

func TestOrder(t *testing.T) {
	paths := []string{"c", "b", "a", "d"}
	got := Order([]float64{1, 2, 1, 3}, func(i, j int) bool { return paths[i] < paths[j] })
	if want := []int{3, 1, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	if got, want := Order([]float64{1, 1}, nil), []int{0, 1}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func FuzzSum(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 5, 6}, 3.5)
	f.Fuzz(func(t *testing.T, b []byte, x float64) {
		if math.IsNaN(x) || math.IsInf(x, 0) || len(b) > 64 {
			t.Skip()
		}
		raw := make([]float64, len(b))
		for i, c := range b {
			raw[i] = (float64(c) - 128) / 128 * x
		}
		score, _, _ := Sum([]Column{{ID: "x", Raw: raw, Weight: 1}}, Clip)
		for i, v := range score {
			if !(math.Abs(v) <= Clip) {
				t.Fatalf("score of %v is %v", raw[i], v)
			}
		}
	})
}

func BenchmarkSum(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	cols := make([]Column, 13)
	for c := range cols {
		cols[c] = Column{ID: fmt.Sprint(c), Raw: make([]float64, 400), Weight: 1}
		for i := range cols[c].Raw {
			cols[c].Raw[i] = r.Float64()
		}
	}
	b.Run("z", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Sum(cols, Clip)
		}
	})
	b.Run("rrf", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			RRF(cols, K)
		}
	})
}

func TestSumUnit(t *testing.T) {
	// A prior of −3 for the second of three files: mean −1, so +1, −2, +1,
	// whatever the deviation; weight 2 doubles it.
	score, _, z := Sum([]Column{{ID: "prior", Raw: []float64{0, -3, 0}, Weight: 2, Unit: true}}, Clip)
	nearAll(t, "z", z[0], []float64{1, -2, 1})
	nearAll(t, "score", score, []float64{2, -4, 2})
}

// Values outside the pool count for the mean and the deviation and get no
// score: of 0 0 2 2 with mean 1 and deviation 1, the pool's twos are at +1.
func TestZOver(t *testing.T) {
	if got := ZOver([]float64{2, 2}, []float64{0, 0}, Clip); !slices.Equal(got, []float64{1, 1}) {
		t.Errorf("got %v, want 1 1", got)
	}
	raw := []float64{3, 1, 2}
	if got := ZOver(raw, nil, Clip); !slices.Equal(got, Z(raw, Clip)) {
		t.Errorf("without a rest %v, want %v", got, Z(raw, Clip))
	}
	score, parts, z := Sum([]Column{{ID: "a", Raw: []float64{2, 2}, Rest: []float64{0, 0}, Weight: 3}}, Clip)
	if !slices.Equal(score, []float64{3, 3}) || !slices.Equal(parts[0], score) || !slices.Equal(z[0], []float64{1, 1}) {
		t.Errorf("score %v, parts %v, z %v", score, parts, z)
	}
}

func TestFull(t *testing.T) {
	raw := make([]float64, 100)
	raw[7] = 0.2
	c := Column{Raw: raw, Full: 1, Weight: 1}
	z := c.Z(Clip)
	if want := 0.2 * Clip; math.Abs(z[7]-want) > 1e-12 {
		t.Errorf("a fifth of the full value has %g, want %g", z[7], want)
	}
	if score, _, _ := Sum([]Column{c}, Clip); score[7] != z[7] || score[0] != z[0] || z[0] >= 0 {
		t.Errorf("sum %g and %g, want the scores of Z, %g and %g below 0", score[7], score[0], z[7], z[0])
	}
	raw[7] = 3
	if z := c.Z(Clip); z[7] != Clip {
		t.Errorf("thrice the full value has %g, want %g", z[7], Clip)
	}
	c.Full = 0
	raw[7] = 0.2
	if z := c.Z(Clip); z[7] != Clip {
		t.Errorf("without a full value %g, want %g", z[7], Clip)
	}
}
