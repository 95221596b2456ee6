package precedent

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"cohop/internal/text"
)

// near allows for length norms of single precision.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(b)) }

type commit struct {
	terms []string
	when  int64
	files []int32
	size  int
}

// memory is a History held in memory.
type memory struct {
	commits  []commit
	postings map[string][]int32
	tf       map[string][]int32
}

func load(commits []commit) *memory {
	m := &memory{commits, map[string][]int32{}, map[string][]int32{}}
	for c, x := range commits {
		for _, t := range x.terms {
			p := m.postings[t]
			if n := len(p); n > 0 && p[n-1] == int32(c) {
				m.tf[t][n-1]++
				continue
			}
			m.postings[t], m.tf[t] = append(p, int32(c)), append(m.tf[t], 1)
		}
	}
	return m
}

func (m *memory) Len() int { return len(m.commits) }
func (m *memory) Postings(t string, c, tf []int32) ([]int32, []int32) {
	return append(c, m.postings[t]...), append(tf, m.tf[t]...)
}
func (m *memory) Lengths() []int32 {
	out := make([]int32, len(m.commits))
	for c := range out {
		out[c] = int32(len(m.commits[c].terms))
	}
	return out
}
func (m *memory) When(c int32) int64 { return m.commits[c].when }
func (m *memory) Touched(c int32, f []int32) ([]int32, int) {
	return append(f, m.commits[c].files...), m.commits[c].size
}

// cut is a history that ends early, with postings that do not.
type cut struct {
	*memory
	n int
}

func (c cut) Len() int { return c.n }

func one(terms ...string) []Term {
	var out []Term
	for _, t := range terms {
		out = append(out, Term{t, 1})
	}
	return out
}

func TestMatches(t *testing.T) {
	// Four messages of two terms each, so that length does not matter and
	// one occurrence gives 1·2.2/(1 + 1.2) = 1.
	m := New(load([]commit{
		{terms: []string{"rat", "limit"}},
		{terms: []string{"limit", "limit"}},
		{terms: []string{"fix", "typo"}},
		{terms: []string{"limit", "fix"}},
	}), nil)
	var s Scratch
	got := m.Matches(one("rat", "limit", "absent"), 0, &s)
	rat := math.Log(1 + (4-1+.5)/(1+.5))
	limit := math.Log(1 + (4-3+.5)/(3+.5))
	want := []Match{{0, rat + limit}, {1, limit * 2 * 2.2 / (2 + 1.2)}, {3, limit}}
	if len(got) != 3 {
		t.Fatalf("%v, want %v", got, want)
	}
	for i := range want {
		if got[i].Commit != want[i].Commit || !near(got[i].Score, want[i].Score) {
			t.Errorf("match %d is %v, want %v", i, got[i], want[i])
		}
	}
	// A shorter message scores higher: len 1 and 3, avg 2.
	m = New(load([]commit{{terms: []string{"a", "b", "c"}}, {terms: []string{"a"}}}), nil)
	got = m.Matches([]Term{{"a", 2}, {"b", 0}, {"c", -1}}, 0, &s)
	idf := 2 * math.Log(1+.5/2.5)
	if got[0].Commit != 1 || !near(got[0].Score, idf*2.2/(1+1.2*(.25+.75*.5))) {
		t.Errorf("short: %v", got)
	}
	if got[1].Commit != 0 || !near(got[1].Score, idf*2.2/(1+1.2*(.25+.75*1.5))) {
		t.Errorf("long: %v", got)
	}
}

func TestVotes(t *testing.T) {
	const year = 31557600
	h := load([]commit{
		{terms: []string{"cooki"}, files: []int32{4}, size: 1, when: 100 * year},
		{terms: []string{"cooki"}, files: []int32{4, 9}, size: 4, when: 100 * year}, // two of its files are gone
		{terms: []string{"cooki"}, files: []int32{9}, size: 1, when: 90 * year},     // a half-life old
		{terms: []string{"other"}, files: []int32{1}, size: 1, when: 100 * year},
		{terms: []string{"cooki"}, files: nil, size: 0, when: 100 * year},
	})
	q := math.Log(1 + (5-4+.5)/(4+.5))
	s2 := q * q
	got := New(h, nil).Votes(one("cooki"), Options{Now: 100 * year}, nil)
	want := []Vote{
		{File: 4, Score: s2 + s2/2, Commits: 2, Best: 0, Part: s2},
		{File: 9, Score: s2/2 + s2/2, Commits: 2, Best: 1, Part: s2 / 2}, // equals: the earliest
	}
	compare(t, got, want)

	// As of an earlier revision: commits 0, 1 and 3 are not there yet, and
	// count neither for N nor for df.
	q = math.Log(1 + .5/(2+.5)) // N = df = 2
	got = New(h, func(c int32) bool { return c == 2 || c == 4 }).Votes(one("cooki"), Options{Now: 90 * year, Exponent: 3}, nil)
	compare(t, got, []Vote{{File: 9, Score: q * q * q, Commits: 1, Best: 2, Part: q * q * q}})

	// Large commits may be kept out, and only the best vote.
	got = New(h, nil).Votes(one("cooki"), Options{Now: 100 * year, MaxFiles: 2, HalfLife: 10 * year}, nil)
	compare(t, got, []Vote{
		{File: 4, Score: s2, Commits: 1, Best: 0, Part: s2},
		{File: 9, Score: s2 / 2, Commits: 1, Best: 2, Part: s2 / 2},
	})
	got = New(h, nil).Votes(one("cooki"), Options{Now: 100 * year, Top: 1}, nil)
	compare(t, got, []Vote{{File: 4, Score: s2, Commits: 1, Best: 0, Part: s2}})

	// Postings of commits beyond the history's end are passed over.
	got = New(cut{h, 3}, nil).Votes(one("cooki", "other"), Options{Now: 100 * year}, nil)
	compare(t, got, New(load(h.commits[:3]), nil).Votes(one("cooki", "other"), Options{Now: 100 * year}, nil))

	for _, terms := range [][]Term{nil, one("absent")} {
		if got := New(h, nil).Votes(terms, Options{}, nil); len(got) != 0 {
			t.Errorf("%v gives %v", terms, got)
		}
	}
	if got := New(load(nil), nil).Votes(one("x"), Options{}, nil); len(got) != 0 {
		t.Errorf("no history gives %v", got)
	}
	if m := New(h, func(int32) bool { return false }); m.Len() != 0 || len(m.Votes(one("cooki"), Options{}, nil)) != 0 {
		t.Error("a history without living commits votes")
	}
}

func compare(t *testing.T, got, want []Vote) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i, w := range want {
		g := got[i]
		if g.File != w.File || g.Commits != w.Commits || g.Best != w.Best || !near(g.Score, w.Score) || !near(g.Part, w.Part) {
			t.Errorf("vote %d is %+v, want %+v", i, g, w)
		}
	}
}

// Task and message are split by the same code: "cookies" meets "cookie".
func TestSameSplitter(t *testing.T) {
	h := load([]commit{
		{terms: text.Terms("Set SameSite on session cookies"), files: []int32{1}, size: 1},
		{terms: text.Terms("Bump version"), files: []int32{2}, size: 1},
	})
	got := New(h, nil).Votes(one(text.Terms("same_site cookie")...), Options{}, nil)
	if len(got) != 1 || got[0].File != 1 {
		t.Errorf("%+v", got)
	}
}

// random draws a history over a small alphabet.
func random(r *rand.Rand) []commit {
	commits := make([]commit, r.IntN(60))
	for i := range commits {
		c := commit{when: int64(r.IntN(1000))}
		for range r.IntN(6) {
			c.terms = append(c.terms, string(rune('a'+r.IntN(8))))
		}
		slices.Sort(c.terms)
		for f := range int32(10) {
			if r.IntN(4) == 0 {
				c.files = append(c.files, f)
			}
		}
		c.size = len(c.files) + r.IntN(3)
		commits[i] = c
	}
	return commits
}

// A history as of a set of commits is the history of those alone; the heap is
// a sort; a scratch carried over is as a new one.
func TestAsOfIsTheShorterHistory(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Scratch
	for range 500 {
		all := random(r)
		living := map[int32]bool{}
		alive := func(c int32) bool { return living[c] }
		var some []commit
		var ids []int32
		for i, c := range all {
			if r.IntN(3) > 0 {
				living[int32(i)] = true
				some, ids = append(some, c), append(ids, int32(i))
			}
		}
		terms := []Term{{"a", 1}, {"b", .5}, {"c", 2}}
		o := Options{Now: 900, HalfLife: 300, Top: 1 + r.IntN(20)}
		got := slices.Clone(New(load(all), alive).Votes(terms, o, &s))
		want := New(load(some), nil).Votes(terms, o, nil)
		for i := range want {
			want[i].Best = ids[want[i].Best]
		}
		if len(want)+len(got) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("as of: %+v\nshorter: %+v", got, want)
		}

		m := New(load(all), alive)
		full := slices.Clone(m.Matches(terms, 1000, new(Scratch)))
		if !slices.IsSortedFunc(full, better) {
			t.Fatalf("matches out of order: %v", full)
		}
		if top := m.Matches(terms, o.Top, &s); !slices.Equal(top, full[:min(o.Top, len(full))]) {
			t.Fatalf("top %d is %v of %v", o.Top, top, full)
		}
	}
}

func Benchmark(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	commits := make([]commit, 30000)
	for i := range commits {
		c := commit{when: int64(i), size: 3}
		for range 12 {
			c.terms = append(c.terms, fmt.Sprint(int(4000*math.Pow(r.Float64(), 4))))
		}
		slices.Sort(c.terms)
		for range 3 {
			c.files = append(c.files, int32(r.IntN(6000)))
		}
		commits[i] = c
	}
	h := load(commits)
	b.Run("New", func(b *testing.B) {
		for b.Loop() {
			New(h, nil)
		}
	})
	m := New(h, nil)
	var terms []Term
	for i := range 20 {
		terms = append(terms, Term{fmt.Sprint(i * i * 3), 1})
	}
	n := 0
	for _, t := range terms {
		n += len(h.postings[t.Text])
	}
	b.Logf("%d terms with %d postings", len(terms), n)
	var s Scratch
	b.Run("Votes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Votes(terms, Options{Now: 30000}, &s)
		}
	})
	if got := m.Votes(terms, Options{Now: 30000}, &s); !slices.IsSortedFunc(got, func(a, b Vote) int { return cmp.Compare(a.File, b.File) }) {
		b.Error("out of order")
	}
}
