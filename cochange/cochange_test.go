package cochange

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

const day = 24 * 3600

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// files of the hand-made history
const (
	config = iota
	route
	readme
	lone
	nFiles
)

func TestScore(t *testing.T) {
	now := int64(2000 * day)
	l := New(nFiles, []Change{
		{When: now, Files: []int32{config, route}},                      // weight 1
		{When: now - 180*day, Files: []int32{route, config}},            // unsorted, ½
		{When: now - 360*day, Files: []int32{config, route, readme}},    // ¼
		{When: now + 99*day, Files: []int32{config, readme, readme}},    // from the future: 1; repeats count once
		{When: now, Files: []int32{config, route}, Size: 400},           // a sweep whose other files are gone
		{When: now, Files: []int32{config}},                             // pairs with nothing
		{When: now, Files: []int32{lone}},                               //
		{When: now - 180*day, Files: []int32{readme, route}},            // no seed in it, but counts for √
		{When: now, Files: nil},                                         // all its files are gone
		{When: math.MinInt64, Files: []int32{config, readme}},           // a broken clock: weight 0, still a change
		{When: now, Files: []int32{config, readme}, Size: MaxFiles + 1}, // one too large
	})
	got := l.Score(Query{Seeds: []Seed{{config, 2}}, Now: now}, nil)
	want := []Candidate{
		{route, 2 * (1 + .5 + .25) / (math.Sqrt(4) + 1), 3},
		{readme, 2 * (.25 + 1 + 0) / (math.Sqrt(4) + 1), 3},
	}
	if len(got) != len(want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i := range want {
		if got[i].File != want[i].File || !near(got[i].Score, want[i].Score) || got[i].Joint != want[i].Joint {
			t.Errorf("candidate %d is %+v, want %+v", i, got[i], want[i])
		}
	}

	// Two seeds add up, and each is a candidate of the other.
	got = l.Score(Query{Seeds: []Seed{{config, 1}, {route, 1}}, Now: now}, nil)
	byFile := map[int32]float64{}
	for _, c := range got {
		byFile[c.File] = c.Score
	}
	// config's changes of 2–15 files: five
	if !near(byFile[config], 1.75/(math.Sqrt(5)+1)) || !near(byFile[route], 1.75/3) {
		t.Errorf("seeds score %v", byFile)
	}
	if !near(byFile[readme], (1.25+.25+.5)/3) {
		t.Errorf("readme scores %v", byFile[readme])
	}

	// Half the half-life.
	got = l.Score(Query{Seeds: []Seed{{config, 1}}, Now: now, HalfLife: 90 * day}, nil)
	if !near(got[0].Score, (1+.25+.0625)/3) {
		t.Errorf("half-life of 90 days: %v", got[0].Score)
	}
	// Sweeps allowed: route gains 1, and has a change more.
	got = l.Score(Query{Seeds: []Seed{{config, 1}}, Now: now, MaxFiles: 1000}, nil)
	if !near(got[0].Score, 2.75/(math.Sqrt(5)+1)) {
		t.Errorf("sweeps allowed: %v", got[0].Score)
	}
	// An earlier tree: only the second and third change exist.
	got = l.Score(Query{Seeds: []Seed{{config, 1}}, Now: now - 180*day, Alive: roaring.BitmapOf(1, 2)}, nil)
	if !near(got[0].Score, 1.5/(math.Sqrt(2)+1)) || !near(got[1].Score, .5/2) {
		t.Errorf("earlier: %+v", got)
	}
	if got := l.Score(Query{Seeds: []Seed{{lone, 1}}}, nil); len(got) != 0 {
		t.Errorf("lone has %+v", got)
	}
	if got := l.Score(Query{}, nil); len(got) != 0 {
		t.Errorf("no seeds, yet %+v", got)
	}

	heat := l.Heat(now, 180*day, 15, nil)
	for f, want := range []float64{
		config: 1 + .5 + .25 + 1 + 0 + 1 + 0, // the sweep and the 16-file change are out
		route:  1 + .5 + .25 + .5,
		readme: .25 + 1 + .5 + 0,
		lone:   1,
	} {
		if !near(heat[f], want) {
			t.Errorf("heat of %d is %v, want %v", f, heat[f], want)
		}
	}
	if l.Len() != 11 || l.Files() != nFiles {
		t.Errorf("%d changes of %d files", l.Len(), l.Files())
	}
	if got := l.Changes(route).ToArray(); !slices.Equal(got, []uint32{0, 1, 2, 4, 7}) {
		t.Errorf("changes of route: %v", got)
	}
}

// A configuration file and a route without a word or import in common, but
// with 11 of 14 changes: the route comes before all others.
func TestElevenOfFourteen(t *testing.T) {
	var changes []Change
	now := int64(0)
	for i := range 14 {
		c := Change{When: now, Files: []int32{config, int32(10 + i)}}
		if i < 11 {
			c.Files = []int32{config, route, int32(10 + i)}
		}
		changes = append(changes, c)
	}
	for i := range 300 { // and a readme that is in everything
		changes = append(changes, Change{Files: []int32{readme, int32(24 + i%6)}})
	}
	for i := range 11 {
		changes[i].Files = append(changes[i].Files, readme)
	}
	l := New(30, changes)
	best := slices.MaxFunc(l.Score(Query{Seeds: []Seed{{config, 1}}}, nil), func(a, b Candidate) int {
		if a.Score < b.Score {
			return -1
		}
		return 1
	})
	if best.File != route {
		t.Errorf("best is %+v", best)
	}
	if both, ofConfig, ofRoute := l.Joint(config, route, Query{}); both != 11 || ofConfig != 14 || ofRoute != 11 {
		t.Errorf("%d of %d and %d", both, ofConfig, ofRoute)
	}
	if both, ofA, _ := l.Joint(config, route, Query{Alive: roaring.BitmapOf(0, 13)}); both != 1 || ofA != 2 {
		t.Errorf("alive: %d of %d", both, ofA)
	}
	if both, ofA, ofB := l.Joint(config, 29, Query{}); both != 0 || ofA != 14 || ofB != 50 {
		t.Errorf("strangers: %d of %d and %d", both, ofA, ofB)
	}
}

// plain is the essay's matrix of pairs.
func plain(changes []Change, q Query) map[int32]float64 {
	pairs := map[[2]int32]float64{}
	count := map[int32]int{}
	for i, c := range changes {
		files := slices.Compact(slices.Sorted(slices.Values(c.Files)))
		size := max(c.Size, len(files))
		if size < q.MinFiles || size > q.MaxFiles || q.Alive != nil && !q.Alive.Contains(uint32(i)) {
			continue
		}
		w := math.Exp2(-math.Max(0, float64(q.Now-c.When)) / q.HalfLife)
		for _, a := range files {
			count[a]++
			for _, b := range files {
				if a != b {
					pairs[[2]int32{a, b}] += w
				}
			}
		}
	}
	out := map[int32]float64{}
	for _, s := range q.Seeds {
		for p, w := range pairs {
			if p[0] == s.File {
				out[p[1]] += s.Weight * w / (math.Sqrt(float64(count[p[1]])) + 1)
			}
		}
	}
	return out
}

func TestScoreIsThePairMatrix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Scratch // carried over: must come back clean
	for range 400 {
		files := 1 + r.IntN(12)
		changes := make([]Change, r.IntN(30))
		for i := range changes {
			c := Change{When: int64(r.IntN(1000)), Size: r.IntN(5)}
			for range r.IntN(6) {
				c.Files = append(c.Files, int32(r.IntN(files)))
			}
			changes[i] = c
		}
		q := Query{Now: 800, HalfLife: 200, MinFiles: 1 + r.IntN(2), MaxFiles: 2 + r.IntN(3)}
		for range r.IntN(4) {
			q.Seeds = append(q.Seeds, Seed{int32(r.IntN(files)), r.Float64() + .1})
		}
		if r.IntN(2) == 0 {
			q.Alive = roaring.New()
			for i := range changes {
				if r.IntN(2) == 0 {
					q.Alive.Add(uint32(i))
				}
			}
		}
		want := plain(changes, q)
		got := New(files, changes).Score(q, &s)
		if len(got) != len(want) {
			t.Fatalf("%d candidates, want %d", len(got), len(want))
		}
		for i, c := range got {
			if i > 0 && got[i-1].File >= c.File {
				t.Fatalf("out of order: %+v", got)
			}
			if !near(c.Score, want[c.File]) {
				t.Fatalf("file %d scores %v, want %v", c.File, c.Score, want[c.File])
			}
		}
	}
}

// The order of a history's changes does not matter but for rounding.
func TestOrderOfChanges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	files, changes := history(r, 50, 300)
	q := Query{Seeds: []Seed{{1, 1}, {2, .5}}, Now: 1e9}
	a := slices.Clone(New(files, changes).Score(q, nil))
	if b := New(files, changes).Score(q, nil); !reflect.DeepEqual(a, b) {
		t.Error("the same history scores differently")
	}
	slices.Reverse(changes)
	for i, c := range New(files, changes).Score(q, nil) {
		if c.File != a[i].File || c.Joint != a[i].Joint || !near(c.Score, a[i].Score) {
			t.Fatalf("reversed: %+v, want %+v", c, a[i])
		}
	}
}

func TestNewRefusesStrangers(t *testing.T) {
	for _, f := range []int32{-1, 3} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("New took file %d of 3", f)
				}
			}()
			New(3, []Change{{Files: []int32{1, f}}})
		}()
	}
}

// history draws changes whose files are skewed toward low ids, as real ones.
func history(r *rand.Rand, files, n int) (int, []Change) {
	changes := make([]Change, n)
	for i := range changes {
		changes[i].When = int64(i) * 1e9 / int64(n)
		for range 2 + int(r.ExpFloat64()*1.8) {
			f := int32(float64(files) * math.Pow(r.Float64(), 3))
			changes[i].Files = append(changes[i].Files, f)
		}
		slices.Sort(changes[i].Files)
		changes[i].Files = slices.Compact(changes[i].Files)
	}
	return files, changes
}

func Benchmark(b *testing.B) {
	files, changes := history(rand.New(rand.NewPCG(5, 6)), 6700, 15249)
	b.Run("New", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			New(files, changes)
		}
	})
	l := New(files, changes)
	b.Logf("%d changes, %d postings", l.Len(), len(l.touched))
	seeds := []Seed{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}} // the hubs
	var s Scratch
	b.Run("Score", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l.Score(Query{Seeds: seeds, Now: 1e9}, &s)
		}
	})
	alive := roaring.New()
	alive.AddRange(0, uint64(l.Len()/2))
	b.Run("ScoreAlive", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l.Score(Query{Seeds: seeds, Now: 1e9, Alive: alive}, &s)
		}
	})
	b.Run("Heat", func(b *testing.B) {
		for b.Loop() {
			l.Heat(1e9, HalfLife, 0, nil)
		}
	})
}
