package pack

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// show writes a plan as "item:tier", b, s or p.
func show(p Plan) string {
	out := ""
	for _, c := range p.Choices {
		out += fmt.Sprintf("%d%c ", c.Item, "bsp"[c.Tier])
	}
	return out
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		name   string
		items  []Item
		o      Options
		want   string
		tokens int
		value  float64
	}{
		{"nothing", nil, Options{Budget: 10}, "", 0, 0},
		{"all fits", []Item{
			{Group: 0, Weight: .6, Cost: [3]int{50, 20, 5}, HeadCost: 7},
			{Group: 0, Weight: .4, Cost: [3]int{30, 10, 5}, HeadCost: 7},
		}, Options{Budget: 100}, "0b 1b ", 7 + 50 + 30, 1},
		{"the head is paid once a file", []Item{
			{Group: 0, Weight: .6, Cost: [3]int{50, -1, -1}, HeadCost: 7},
			{Group: 1, Weight: .4, Cost: [3]int{50, -1, -1}, HeadCost: 7},
		}, Options{Budget: 113}, "0b ", 57, .6},
		// 100 hold both paths (10) and one upgrade to a body (+75)
		{"the heavier gets the body", []Item{
			{Group: 0, Weight: .3, Cost: [3]int{80, -1, 5}},
			{Group: 1, Weight: .7, Cost: [3]int{80, -1, 5}},
		}, Options{Budget: 100}, "0p 1b ", 85, .3*.2 + .7},
		// signatures of both (40) leave 20: no body (+60)
		{"signatures before paths", []Item{
			{Group: 0, Weight: .5, Cost: [3]int{80, 20, 5}},
			{Group: 1, Weight: .5, Cost: [3]int{80, 20, 5}},
		}, Options{Budget: 60}, "0s 1s ", 40, .5},
		{"a body cheaper than its signature", []Item{
			{Group: 0, Weight: 1, Cost: [3]int{6, 9, 5}},
		}, Options{Budget: 8}, "0b ", 6, 1},
		{"a tier off the hull still rolls down", []Item{
			// per token: path .2/10, body .8/90 more; signature .3/40 is
			// less than the body's, so greed alone never takes it
			{Group: 0, Weight: 1, Cost: [3]int{100, 50, 10}},
		}, Options{Budget: 60}, "0s ", 50, .5},
		{"without weight nothing is bought", []Item{
			{Group: 0, Weight: 1, Cost: [3]int{10, 5, 2}},
			{Group: 1, Weight: 0, Cost: [3]int{10, 5, 2}},
		}, Options{Budget: 100}, "0b ", 10, 1},
		{"kept paths come first, and all of them", []Item{
			{Group: 0, Weight: .98, Cost: [3]int{90, -1, 10}},
			{Group: 1, Weight: .01, Cost: [3]int{90, -1, 10}},
			{Group: 2, Weight: .01, Cost: [3]int{90, -1, 10}},
		}, Options{Budget: 105, KeepPaths: []int{0, 1, 2, 2, 77}}, "0p 1p 2p ", 30, .2},
		{"a kept file shows its heaviest line", []Item{
			{Group: 0, Weight: .1, Cost: [3]int{90, -1, 8}},
			{Group: 0, Weight: .9, Cost: [3]int{90, -1, 10}},
		}, Options{Budget: 15, KeepPaths: []int{0}}, "1p ", 10, .18},
		{"or its cheapest, where that is all that fits", []Item{
			{Group: 0, Weight: .1, Cost: [3]int{90, -1, 8}},
			{Group: 0, Weight: .9, Cost: [3]int{90, -1, 10}},
			{Group: 1, Weight: .9, Cost: [3]int{90, -1, 7}},
		}, Options{Budget: 15, KeepPaths: []int{0, 1}}, "0p 2p ", 15, .2},
		{"the exemplar has its slot", []Item{
			{Group: 0, Weight: .9, Cost: [3]int{800, 20, 10}},
			{Group: 1, Weight: .099, Cost: [3]int{300, 20, 10}},
			{Group: 2, Weight: .001, Cost: [3]int{300, 100, 10}}, // body > 800/8
		}, Options{Budget: 800, Exemplar: []int{2}}, "0s 1b 2b ", 620, .45 + .099 + .001},
		{"tiers may be worth something else", []Item{
			{Group: 0, Weight: 1, Cost: [3]int{50, 20, 5}},
			{Group: 1, Weight: 1, Cost: [3]int{50, 20, 5}},
		}, Options{Budget: 50, Value: [3]float64{1, .1, .1}}, "0b ", 50, 1},
	} {
		p, err := Fit(c.items, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := show(p); got != c.want || p.Tokens != c.tokens || math.Abs(p.Value-c.value) > 1e-12 {
			t.Errorf("%s: %s(%d tokens, value %v), want %s(%d, %v)", c.name, got, p.Tokens, p.Value, c.want, c.tokens, c.value)
		}
	}
}

func TestTooSmall(t *testing.T) {
	items := []Item{
		{Group: 0, Weight: 1, Cost: [3]int{90, 20, 12}, HeadCost: 5},
		{Group: 1, Weight: 1, Cost: [3]int{90, 11, -1}, HeadCost: 5},
	}
	for _, b := range []int{math.MinInt, -1, 0, 15} {
		_, err := Fit(items, Options{Budget: b, KeepPaths: []int{0}, Exemplar: []int{1}})
		var small *TooSmallError
		if !errors.As(err, &small) || small.Least != 16 || small.Budget != b {
			t.Errorf("budget %d: %v", b, err)
		}
	}
	p, err := Fit(items, Options{Budget: 16})
	if err != nil || show(p) != "1s " || p.Tokens != 16 {
		t.Errorf("the least that works: %s, %v", show(p), err)
	}
	// Nothing that could be shown is no error.
	none := []Item{{Group: 3, Weight: 1, Cost: [3]int{-1, -1, -1}}}
	if p, err := Fit(none, Options{Budget: 5}); err != nil || len(p.Choices) != 0 || p.Left[0] != (Left{3, Size}) {
		t.Errorf("no tiers: %+v, %v", p, err)
	}
	// What weighs nothing is shown when it is kept, else it is no reason to
	// call a budget large enough.
	light := append(items, Item{Group: 2, Cost: [3]int{-1, -1, 3}, HeadCost: 5})
	if _, err := Fit(light, Options{Budget: 15}); err == nil {
		t.Error("a budget that holds only what weighs nothing is enough")
	}
	if p, err := Fit(light, Options{Budget: 15, KeepPaths: []int{2}}); err != nil || show(p) != "2p " {
		t.Errorf("kept: %s, %v", show(p), err)
	}
}

// lines are files of one item each that can be shown at one price.
func lines(cost int, dirs string, weights ...float64) []Item {
	var items []Item
	for i, w := range weights {
		items = append(items, Item{Group: i, Dir: int(dirs[i]), Weight: w, Cost: [3]int{cost, -1, -1}})
	}
	return items
}

func TestDirCap(t *testing.T) {
	for _, c := range []struct {
		name  string
		items []Item
		o     Options
		want  string
	}{
		{"the fourth of a waits for b", lines(10, "aaaab", 5, 4, 3, 2, 1), Options{Budget: 40}, "0b 1b 2b 4b "},
		{"and comes after it", lines(10, "aaaab", 5, 4, 3, 2, 1), Options{Budget: 50}, "0b 1b 2b 3b 4b "},
		{"before the second of b", lines(10, "aaaabb", 5, 4, 3, 2, 1, 1), Options{Budget: 50}, "0b 1b 2b 3b 4b "},
		{"without a cap it does not wait", lines(10, "aaaab", 5, 4, 3, 2, 1), Options{Budget: 40, DirCap: -1}, "0b 1b 2b 3b "},
		{"nor with a cap of four", lines(10, "aaaab", 5, 4, 3, 2, 1), Options{Budget: 40, DirCap: 4}, "0b 1b 2b 3b "},
		{"nor for what is not worth a tenth", lines(10, "aaaab", 5, 4, 3, 2, .19), Options{Budget: 40}, "0b 1b 2b 3b "},
		{"unless any weight counts", lines(10, "aaaab", 5, 4, 3, 2, .19), Options{Budget: 40, DirShare: -1}, "0b 1b 2b 4b "},
		{"one directory alone waits for nobody", lines(10, "aaaaa", 5, 4, 3, 2, 1), Options{Budget: 50}, "0b 1b 2b 3b 4b "},
	} {
		p, err := Fit(c.items, c.o)
		if got := show(p); err != nil || got != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.name, got, c.want, err)
		}
	}

	// A directory whose only file does not fit has had its turn.
	items := append(lines(10, "aaaa", 5, 4, 3, 2), Item{Group: 4, Dir: 'b', Weight: 9, Cost: [3]int{35, -1, -1}})
	if p, _ := Fit(items, Options{Budget: 40}); show(p) != "0b 1b 2b 3b " {
		t.Errorf("b does not fit: %s", show(p))
	}
}

func TestLeft(t *testing.T) {
	items := lines(10, "aaaaabc", 5, 4, 3, 2, 2, 1, 0)
	items = append(items, Item{Group: 7, Dir: 'd', Weight: 1, Cost: [3]int{99, -1, -1}}, Item{Group: 8, Dir: 'b', Weight: .01, Cost: [3]int{10, -1, -1}})
	p, err := Fit(items, Options{Budget: 40})
	want := []Left{{3, Directory}, {4, Directory}, {6, Weight}, {7, Size}, {8, Budget}}
	if err != nil || !reflect.DeepEqual(p.Left, want) {
		t.Errorf("left out %v, want %v (%v)", p.Left, want, err)
	}
	if s := fmt.Sprint(Budget, Directory, Size, Weight); s != "budget directory cap larger than the budget no weight" {
		t.Errorf("reasons read %q", s)
	}
}

// Forty candidates and a budget for three bodies: never empty, never over, and
// the best are the ones that are shown in full.
func TestManyCandidates(t *testing.T) {
	var items []Item
	for i := range 40 {
		items = append(items, Item{Group: i, Dir: i % 9, Weight: math.Exp(-float64(i) / 6), Cost: [3]int{300, 40, 10}, HeadCost: 5})
	}
	for budget := 15; budget < 2000; budget += 7 {
		p, err := Fit(items, Options{Budget: budget, KeepPaths: []int{0, 1, 2, 3, 4}})
		if err != nil || len(p.Choices) == 0 || p.Tokens > budget {
			t.Fatalf("budget %d: %s(%d tokens), %v", budget, show(p), p.Tokens, err)
		}
		// All cost the same, so none is shown better than one before it.
		for k, c := range p.Choices {
			if c.Item != k || k > 0 && c.Tier < p.Choices[k-1].Tier {
				t.Fatalf("budget %d: %s", budget, show(p))
			}
		}
	}
}

// The same budget: few bodies and a map for a sharp task, a wide map for a
// diffuse one.
func TestSharpAndDiffuse(t *testing.T) {
	pack := func(tau float64) (count [Tiers]int) {
		var items []Item
		sum := 0.0
		for i := range 120 {
			sum += math.Exp(-float64(i) / tau)
		}
		for i := range 120 {
			items = append(items, Item{Group: i / 2, Dir: i % 11, Weight: math.Exp(-float64(i)/tau) / sum,
				Cost: [3]int{150 + i%5*20, 30 + i%3*5, 12}, HeadCost: 8})
		}
		p, err := Fit(items, Options{Budget: 2000})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range p.Choices {
			count[c.Tier]++
		}
		return count
	}
	sharp, diffuse := pack(3), pack(60)
	if sharp[Body] <= diffuse[Body] || diffuse[Signature]+diffuse[Path] <= sharp[Signature]+sharp[Path] {
		t.Errorf("sharp %v, diffuse %v", sharp, diffuse)
	}
}

// random draws a small case: files with heads, tiers missing, odd prices.
func random(r *rand.Rand, n int) ([]Item, Options) {
	items := make([]Item, n)
	files := 1 + r.IntN(n)
	heads := make([]int, files)
	for f := range heads {
		heads[f] = r.IntN(20)
	}
	total := 0
	for i := range items {
		body := 10 + int(r.ExpFloat64()*150)
		it := Item{Group: r.IntN(files), Weight: math.Exp(r.NormFloat64() * 1.5), Cost: [3]int{body, 5 + r.IntN(body), 4 + r.IntN(12)}}
		it.HeadCost, it.Dir = heads[it.Group], it.Group%3
		for t := range Tiers {
			if r.IntN(6) == 0 {
				it.Cost[t] = -1
			}
		}
		items[i] = it
		total += body
	}
	return items, Options{Budget: 30 + r.IntN(total+1), DirCap: -1}
}

// optimum tries every plan.
func optimum(items []Item, budget int, i int, used int, value float64, open map[int]int, best *float64) {
	if used > budget {
		return
	}
	if i == len(items) {
		*best = max(*best, value)
		return
	}
	it := items[i]
	optimum(items, budget, i+1, used, value, open, best)
	for t := range Tiers {
		if it.Cost[t] < 0 {
			continue
		}
		head := 0
		if open[it.Group] == 0 {
			head = it.HeadCost
		}
		open[it.Group]++
		optimum(items, budget, i+1, used+it.Cost[t]+head, value+it.Weight*Value[t], open, best)
		open[it.Group]--
	}
}

func TestNearOptimum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	worst, sum, cases, bad := 1.0, 0.0, 0, 0
	for range 3000 {
		items, o := random(r, 1+r.IntN(7))
		p, err := Fit(items, o)
		if err != nil {
			continue
		}
		cases++
		best := 0.0
		optimum(items, o.Budget, 0, 0, 0, map[int]int{}, &best)
		ratio := 1.0
		if best > 0 {
			ratio = p.Value / best
		}
		if ratio > 1+1e-9 {
			t.Fatalf("value %v is above the optimum %v: %+v", p.Value, best, items)
		}
		if ratio < .95 {
			bad++
			t.Errorf("%s is worth %.3f of the optimum; budget %d, items %+v", show(p), ratio, o.Budget, items)
		}
		worst, sum = min(worst, ratio), sum+ratio
	}
	t.Logf("worst %.4f, mean %.5f of the optimum, %d below .95", worst, sum/float64(cases), bad)
}

// check holds a plan against its promises.
func check(t *testing.T, items []Item, o Options, p Plan) {
	t.Helper()
	tokens, open := 0, map[int]bool{}
	for k, c := range p.Choices {
		if k > 0 && p.Choices[k-1].Item >= c.Item {
			t.Fatalf("choices out of order or twice: %v", p.Choices)
		}
		it := items[c.Item]
		if it.Cost[c.Tier] < 0 {
			t.Fatalf("item %d has no tier %d", c.Item, c.Tier)
		}
		tokens += it.Cost[c.Tier]
		if !open[it.Group] {
			open[it.Group] = true
			tokens += it.HeadCost
		}
	}
	if tokens != p.Tokens || tokens > max(0, o.Budget) {
		t.Fatalf("%d tokens, said to be %d, of %d", tokens, p.Tokens, o.Budget)
	}
	for _, l := range p.Left {
		if open[l.Group] {
			t.Fatalf("group %d is in and left out", l.Group)
		}
		open[l.Group] = true
	}
	for _, it := range items {
		if !open[it.Group] {
			t.Fatalf("group %d is neither in nor left out", it.Group)
		}
	}
}

func TestPromises(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		items, o := random(r, 1+r.IntN(40))
		if p, err := Fit(items, o); err == nil {
			check(t, items, o, p)
			plain := Plain(items, o)
			check(t, items, o, plain)
			if p.Value < plain.Value-1e-9 {
				t.Fatalf("worth %v, the plain allocation %v", p.Value, plain.Value)
			}
			again, _ := Fit(slices.Clone(items), o)
			if !reflect.DeepEqual(p, again) {
				t.Fatalf("the same items give %s, then %s", show(p), show(again))
			}
		}

		// With all that restricts a plan.
		o.DirCap, o.Exemplar = 1+r.IntN(3), []int{r.IntN(len(items))}
		for range r.IntN(4) {
			o.KeepPaths = append(o.KeepPaths, items[r.IntN(len(items))].Group)
		}
		p, err := Fit(items, o)
		if err != nil {
			continue
		}
		check(t, items, o, p)
		least := map[int]int{}
		for _, it := range items {
			for _, c := range it.Cost {
				if c >= 0 {
					if l, ok := least[it.Group]; !ok || c+it.HeadCost < l {
						least[it.Group] = c + it.HeadCost
					}
				}
			}
		}
		need := 0
		for _, g := range slices.Compact(slices.Sorted(slices.Values(o.KeepPaths))) {
			need += least[g]
		}
		for _, l := range p.Left {
			if _, ok := least[l.Group]; ok && slices.Contains(o.KeepPaths, l.Group) && need <= o.Budget {
				t.Fatalf("group %d is to be kept, all of them need %d of %d: %s", l.Group, need, o.Budget, show(p))
			}
		}
		if p.Exemplar >= 0 && !slices.ContainsFunc(p.Choices, func(c Choice) bool { return c.Item == p.Exemplar }) {
			t.Fatalf("exemplar %d is not shown: %s", p.Exemplar, show(p))
		}
	}
}

// A greater budget never gives a plan that is worth clearly less.
func TestMoreBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		items, o := random(r, 1+r.IntN(30))
		last := 0.0
		for o.Budget = 40; o.Budget < 3000; o.Budget += 97 {
			p, err := Fit(items, o)
			if err != nil {
				continue
			}
			if p.Value < .95*last {
				t.Fatalf("budget %d is worth %v, less had been worth %v", o.Budget, p.Value, last)
			}
			last = max(last, p.Value)
		}
	}
}

func FuzzFit(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 100)
	f.Fuzz(func(t *testing.T, b []byte, budget int) {
		var items []Item
		for ; len(b) >= 7 && len(items) < 60; b = b[7:] {
			items = append(items, Item{Group: int(b[0] % 16), Dir: int(b[0] % 5), Weight: float64(b[1]) / 16,
				Cost: [3]int{int(int8(b[2])), int(int8(b[3])), int(int8(b[4]))}, HeadCost: int(b[0] % 16)})
			if b[5] == 255 {
				items[len(items)-1].Cost[Body] = math.MaxInt - int(b[6])
			}
		}
		o := Options{Budget: budget, KeepPaths: []int{1, 2}}
		if len(items) > 3 {
			o.Exemplar = []int{3, 1}
		}
		p, err := Fit(items, o)
		if err == nil {
			if len(items) > 0 || len(p.Choices) > 0 {
				check(t, items, o, p)
			}
			return
		}
		var small *TooSmallError
		if !errors.As(err, &small) || small.Least <= budget {
			t.Fatalf("budget %d: %v", budget, err)
		}
		o.Budget = small.Least
		if p, err := Fit(items, o); err != nil {
			t.Fatalf("the least that works does not: %v, %v", p, err)
		}
	})
}

func Benchmark(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{100, 500, 3000} {
		items := make([]Item, n)
		for i := range items {
			body := 20 + int(r.ExpFloat64()*150)
			items[i] = Item{Group: i / 4, Dir: i / 4 % 40, Weight: math.Exp(-float64(i) / 20), Cost: [3]int{body, 10 + body/5, 10}, HeadCost: 12}
		}
		for _, budget := range []int{1000, 8000} {
			b.Run(fmt.Sprintf("%d/%d", n, budget), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Fit(items, Options{Budget: budget, KeepPaths: []int{0, 1, 2, 3, 4}}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
