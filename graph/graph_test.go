package graph

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(b)) }

// 0 → 1 → 2 ← 3, 4 alone; 0 → 1 is given twice and as a loop.
func chain() *Graph {
	return New(5, []Edge{{1, 2, 1}, {0, 1, .5}, {3, 2, .25}, {0, 0, 1}, {0, 1, .25}, {2, 4, 0}})
}

func TestNew(t *testing.T) {
	g := chain()
	if g.Len() != 5 || g.Edges() != 3 {
		t.Errorf("%d nodes, %d edges", g.Len(), g.Edges())
	}
	if w := g.Weight(0, 1); w != .75 {
		t.Errorf("0 → 1 weighs %v", w)
	}
	for _, none := range [][2]int32{{1, 0}, {0, 0}, {2, 4}, {4, 3}} {
		if w := g.Weight(none[0], none[1]); w != 0 {
			t.Errorf("%v weighs %v", none, w)
		}
	}
	var in []int32
	for from := range g.In(2) {
		in = append(in, from)
	}
	if !slices.Equal(in, []int32{1, 3}) {
		t.Errorf("into 2: %v", in)
	}
	for to, w := range g.Out(1) {
		if to != 2 || w != 1 {
			t.Errorf("out of 1: %d, %v", to, w)
		}
	}
	if d := g.InDegree(); !reflect.DeepEqual(d, []float64{0, .75, 1.25, 0, 0}) {
		t.Errorf("in-degrees %v", d)
	}
	if g := New(0, nil); g.Len() != 0 || len(g.Hops(nil, 3)) != 0 || len(g.Spread(nil, 3, .5)) != 0 {
		t.Error("the empty graph is not empty")
	}
}

func TestNewRefuses(t *testing.T) {
	for _, e := range []Edge{{-1, 0, 1}, {0, 2, 1}, {0, 1, -1}, {0, 1, float32(math.NaN())}, {0, 1, float32(math.Inf(1))}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New took %v", e)
				}
			}()
			New(2, []Edge{e})
		}()
	}
}

func TestHops(t *testing.T) {
	g := chain()
	for _, c := range []struct {
		seeds []int32
		max   int
		want  []int8
	}{
		{nil, 3, []int8{-1, -1, -1, -1, -1}},
		{[]int32{0}, 3, []int8{0, 1, 2, 3, -1}},
		{[]int32{0}, 2, []int8{0, 1, 2, -1, -1}},
		{[]int32{0}, 0, []int8{0, -1, -1, -1, -1}},
		{[]int32{3, 0, 3}, 3, []int8{0, 1, 1, 0, -1}},
		{[]int32{4}, 3, []int8{-1, -1, -1, -1, 0}},
	} {
		if got := g.Hops(c.seeds, c.max); !slices.Equal(got, c.want) {
			t.Errorf("from %v within %d: %v, want %v", c.seeds, c.max, got, c.want)
		}
	}
	if _, via := g.Nearest([]int32{0}, 3); !slices.Equal(via, []int32{0, 0, 1, 2, -1}) {
		t.Errorf("via %v", via)
	}
	// A path longer than an int8 counts.
	var path []Edge
	for v := range int32(299) {
		path = append(path, Edge{v, v + 1, 1})
	}
	hops := New(300, path).Hops([]int32{0}, 1000)
	if hops[127] != 127 || hops[128] != -1 {
		t.Errorf("at 127 and 128: %d, %d", hops[127], hops[128])
	}
}

func TestSpread(t *testing.T) {
	// A seed at 0 of 0 –1– 1 –1– 2: degrees 1 2 1, each edge carries 1/√2.
	g := New(3, []Edge{{0, 1, 1}, {2, 1, 1}})
	got := g.Spread([]Seed{{0, 1}}, 2, .5)
	c := 1 / math.Sqrt2
	x1 := .5 * c      // node 1 after one step
	x2 := .5 * x1 * c // nodes 0 and 2 after two
	for v, want := range []float64{1 + x2, x1, x2} {
		if !near(got[v], want) {
			t.Errorf("node %d has %v, want %v", v, got[v], want)
		}
	}
	if got := g.Spread([]Seed{{0, 1}, {0, 2}}, 0, .5); !reflect.DeepEqual(got, []float64{3, 0, 0}) {
		t.Errorf("no step: %v", got)
	}
}

// A file that three seeds lead to comes before one that touches a single seed;
// and of two that touch one seed, the hub comes last.
func TestSpreadTellsAgreementFromAccident(t *testing.T) {
	edges := []Edge{{0, 3, 1}, {1, 3, 1}, {2, 3, 1}, {0, 4, 1}, {0, 5, 1}}
	for v := int32(6); v < 40; v++ {
		edges = append(edges, Edge{v, 5, 1})
	}
	x := New(40, edges).Spread([]Seed{{0, 1}, {1, 1}, {2, 1}}, Steps, Damping)
	if !(x[3] > x[4] && x[4] > x[5]) {
		t.Errorf("agreed %v, lone %v, hub %v", x[3], x[4], x[5])
	}
}

// Against the plain definitions on small random graphs.
func TestAgainstPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := 1 + r.IntN(8)
		edges := make([]Edge, r.IntN(14))
		dense := make([][]float64, n)
		for v := range dense {
			dense[v] = make([]float64, n)
		}
		for i := range edges {
			e := Edge{int32(r.IntN(n)), int32(r.IntN(n)), float32(r.IntN(4)) / 4}
			edges[i] = e
			if e.From != e.To {
				dense[e.From][e.To] += float64(e.W)
			}
		}
		g := New(n, slices.Clone(edges))
		seeds := []int32{int32(r.IntN(n)), int32(r.IntN(n))}

		// Hops by Floyd and Warshall.
		dist := make([][]int, n)
		for i := range dist {
			dist[i] = make([]int, n)
			for j := range dist[i] {
				switch {
				case i == j:
				case dense[i][j]+dense[j][i] > 0:
					dist[i][j] = 1
				default:
					dist[i][j] = 99
				}
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					dist[i][j] = min(dist[i][j], dist[i][k]+dist[k][j])
				}
			}
		}
		hops, via := g.Nearest(seeds, MaxHops)
		for v := range n {
			want := min(dist[seeds[0]][v], dist[seeds[1]][v])
			if want > MaxHops {
				want = -1
			}
			if int(hops[v]) != want {
				t.Fatalf("node %d is %d hops away, want %d", v, hops[v], want)
			}
			if want > 0 && hops[via[v]] != hops[v]-1 {
				t.Fatalf("node %d was reached by %d, which is not nearer", v, via[v])
			}
		}

		// Spread by full matrices.
		degree := make([]float64, n)
		for i := range n {
			for j := range n {
				degree[i] += dense[i][j] + dense[j][i]
			}
		}
		x := make([]float64, n)
		x[seeds[0]]++
		x[seeds[1]] += .5
		want := slices.Clone(x)
		for range 3 {
			y := make([]float64, n)
			for i := range n {
				for j := range n {
					if w := dense[i][j] + dense[j][i]; w > 0 {
						y[j] += .4 * x[i] * w / math.Sqrt(degree[i]*degree[j])
					}
				}
			}
			x = y
			for v := range n {
				want[v] += x[v]
			}
		}
		got := g.Spread([]Seed{{seeds[0], 1}, {seeds[1], .5}}, 3, .4)
		for v := range n {
			if !near(got[v], want[v]) {
				t.Fatalf("spread %v, want %v", got, want)
			}
		}

		// The order of the edges changes nothing at all.
		r.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		if again := New(n, edges); !reflect.DeepEqual(g, again) {
			t.Fatal("shuffled edges give another graph")
		}
	}
}

func Benchmark(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	const n = 7000
	edges := make([]Edge, 60000)
	for i := range edges {
		edges[i] = Edge{int32(r.IntN(n)), int32(n * math.Pow(r.Float64(), 3)), 1}
	}
	b.Run("New", func(b *testing.B) {
		for b.Loop() {
			New(n, slices.Clone(edges))
		}
	})
	g := New(n, slices.Clone(edges))
	b.Run("Hops", func(b *testing.B) {
		for b.Loop() {
			g.Hops([]int32{1, 2000, 3000, 4000, 5000}, MaxHops)
		}
	})
	b.Run("Spread", func(b *testing.B) {
		seeds := []Seed{{1, 1}, {2000, 1}, {3000, 1}, {4000, 1}, {5000, 1}}
		for b.Loop() {
			g.Spread(seeds, Steps, Damping)
		}
	})
}
