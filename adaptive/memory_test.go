package adaptive

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func TestBlend(t *testing.T) {
	// Two chunks in the pool, two outside: N = 4.
	first := Scores{Z: []float64{1.5, .5}, Floor: -1, Tail: 2}
	out, m, lambda := Memory{}.Blend([]string{"a", "b"}, first)
	if lambda != 0 || !reflect.DeepEqual(out, first) {
		t.Errorf("the first task blends %v: %+v", lambda, out)
	}
	want := Memory{Floor: -1, Entries: []Entry{{"a", 1.5}, {"b", .5}}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("memory %+v, want %+v", m, want)
	}

	// The same again: corr 1, so m stays as it is.
	out, again, lambda := m.Blend([]string{"a", "b"}, first)
	if !near(lambda, 1) || !near(out.Z[0], 1.5) || !near(again.Floor, -1) {
		t.Errorf("same task: λ %v, %+v", lambda, out)
	}

	// A task whose pool is b and c, of N = 3: a, only remembered, takes the
	// whole tail. s̃ = 1 (b) 1 (c) −2 (a), of mean 0; m = .5 −1 1.5.
	// Σ s̃·m = .5 − 1 − 3 < 0: an opposite is no memory.
	s := Scores{Z: []float64{1, 1}, Floor: -2, Tail: 1}
	keys := []string{"b", "c"}
	_, next, lambda := m.Blend(keys, s)
	if lambda != 0 {
		t.Errorf("opposite: λ %v", lambda)
	}
	if want := (Memory{Floor: -2, Entries: []Entry{{"b", 1}, {"c", 1}}}); !reflect.DeepEqual(next, want) {
		t.Errorf("a pivot leaves %+v, want %+v", next, want)
	}
	// With a long tail, N = 12: Σs̃ = 2 − 2·10 = −18, Σm = 2 − 10 = −8;
	// s̃ = 1 (b) 1 (c) −2 (a and nine more), m = .5 −1 1.5 −1…
	s.Tail = 10
	var sz, sm, zz, mm, zm float64
	for i := range 12 {
		z, w := -2.0, -1.0
		switch i {
		case 0:
			z, w = 1, .5
		case 1:
			z = 1
		case 2:
			w = 1.5
		}
		sz, sm, zz, mm, zm = sz+z, sm+w, zz+z*z, mm+w*w, zm+z*w
	}
	want12 := (zm - sz*sm/12) / math.Sqrt((zz-sz*sz/12)*(mm-sm*sm/12))
	out, next, lambda = m.Blend(keys, s)
	if !near(lambda, want12) || lambda <= 0 {
		t.Errorf("λ %v, want %v", lambda, want12)
	}
	if !near(out.Z[0], lambda*.5+(1-lambda)) || !near(out.Floor, -lambda-2*(1-lambda)) {
		t.Errorf("blended %+v at λ %v", out, lambda)
	}
	if e := next.Entries[0]; e.Key != "a" || !near(e.Z, lambda*1.5-2*(1-lambda)) {
		t.Errorf("a, which the pool does not hold, is %+v", e)
	}
}

// Three questions on one topic, then another topic: the memory holds on, and
// is gone at once.
func TestBlendTopic(t *testing.T) {
	keys := make([]string, 100)
	for i := range keys {
		keys[i] = fmt.Sprintf("f%02d.go#F", i)
	}
	ask := func(hot ...int) Scores {
		s := make([]float64, 100)
		for i := range s {
			s[i] = float64(i*37%11) / 50
		}
		for _, h := range hot {
			s[h] += 10
		}
		return Standardize(s, 1000)
	}
	_, m, _ := Memory{}.Blend(keys, ask(3, 4))
	out, m, lambda := m.Blend(keys, ask(4, 5))
	if lambda < .2 || out.Z[3] < 3 {
		t.Errorf("follow-up: λ %v, first topic's chunk at %v", lambda, out.Z[3])
	}
	if top := m.Top(1); top[0] != keys[4] {
		t.Errorf("focus is %v", top)
	}
	_, m, lambda = m.Blend(keys, ask(70, 71, 72))
	if lambda > .1 {
		t.Errorf("pivot: λ %v", lambda)
	}
	if top := m.Top(3); !slices.Contains(top, keys[70]) || slices.Contains(top, keys[4]) {
		t.Errorf("after the pivot: %v", top)
	}
}

func TestMemoryProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		var m Memory
		for range 5 {
			s, total := random(r)
			keys := make([]string, len(s))
			for i := range keys {
				keys[i] = fmt.Sprint(r.IntN(40)) // some twice
			}
			z := Standardize(s, total)
			before := fmt.Sprint(m)
			out, next, lambda := m.Blend(keys, z)
			if fmt.Sprint(m) != before {
				t.Fatal("Blend changed the memory it was asked of")
			}
			if !(lambda >= 0 && lambda <= 1) || out.N() != total {
				t.Fatalf("λ %v, N %d of %d", lambda, out.N(), total)
			}
			for i := range next.Entries {
				if i > 0 && next.Entries[i-1].Key >= next.Entries[i].Key {
					t.Fatalf("entries out of order: %v", next.Entries)
				}
				if next.Entries[i].Z < next.Floor {
					t.Fatalf("%v below the floor %v", next.Entries[i], next.Floor)
				}
			}
			// The order of the pool does not matter.
			perm := r.Perm(len(s))
			pk, pz := make([]string, len(s)), Scores{Z: make([]float64, len(s)), Floor: z.Floor, Tail: z.Tail}
			for i, p := range perm {
				pk[i], pz.Z[i] = keys[p], z.Z[p]
			}
			_, mixed, l2 := m.Blend(pk, pz)
			if !near(l2, lambda) || len(mixed.Entries) != len(next.Entries) {
				t.Fatalf("permuted: λ %v of %v", l2, lambda)
			}
			m = next
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	n := memoryCap + 500
	keys, s := make([]string, n), make([]float64, n)
	for i := range keys {
		keys[i], s[i] = fmt.Sprintf("%05d", i), float64(i)
	}
	_, m, _ := Memory{}.Blend(keys, Standardize(s, 3*n))
	if len(m.Entries) != memoryCap || m.Entries[0].Key != "00500" {
		t.Errorf("%d entries from %v", len(m.Entries), m.Entries[0])
	}
	if top := m.Top(2); top[0] != keys[n-1] || top[1] != keys[n-2] {
		t.Errorf("top %v", top)
	}
	if got := (Memory{}).Top(3); len(got) != 0 {
		t.Errorf("nothing remembered, yet %v", got)
	}
}

// TestAgreement: heads that are the same agree, heads that share nothing do
// not, though over all chunks both correlate.
func TestAgreement(t *testing.T) {
	keys := make([]string, 40)
	same, other := make([]float64, 40), make([]float64, 40)
	for i := range keys {
		keys[i] = string(rune('A' + i))
		same[i] = float64(40-i) / 10
		other[i] = 1 // what every chunk of a pool has, whatever the task
	}
	for i := range 5 {
		other[39-i] = 4 - float64(i)/10
	}
	_, m, _ := Memory{}.Blend(keys, Scores{Z: same, Tail: 1000, Floor: -0.1})
	s := Scores{Z: same, Tail: 1000, Floor: -0.1}
	if a := m.Agreement(keys, s, 8); a < 0.999 {
		t.Errorf("with itself %v", a)
	}
	s.Z = other
	if c, a := m.Correlation(keys, s), m.Agreement(keys, s, 5); c < 0.5 || a != 0 {
		t.Errorf("of another topic: correlation %v, agreement %v", c, a)
	}
	if a := (Memory{}).Agreement(keys, s, 5); a != 0 {
		t.Errorf("without a memory %v", a)
	}
	if a := m.Agreement(nil, Scores{Tail: 3}, 5); a != 0 {
		t.Errorf("without a pool %v", a)
	}
}

// TestMix: .25·4 + .75·0 = 1.
func TestMix(t *testing.T) {
	m := Memory{Floor: 0, Entries: []Entry{{"a", 4}}}
	out, next := m.Mix([]string{"a", "b"}, Scores{Z: []float64{0, 2}}, 0.25)
	if out.Z[0] != 1 || out.Z[1] != 1.5 || len(next.Entries) != 2 {
		t.Errorf("%v %v", out, next)
	}
	if out, _ := m.Mix([]string{"a"}, Scores{Z: []float64{1}}, 7); out.Z[0] != 4 {
		t.Errorf("λ above one: %v", out)
	}
}
