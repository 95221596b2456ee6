// Package pack fills a token budget with pieces of files.
//
// Each item (a chunk of a file) can be shown at one of three tiers, body,
// signature or path, each with its exact cost; the first item of a file also
// pays the file's head. An item of weight ŵ is worth ŵ·Value[tier]. Which item
// at which tier is a multiple-choice knapsack with set-up costs, solved by
//
//  1. steps: per item the upper concave hull of its tiers, path → signature →
//     body, tiers off the hull left for later; per file the first steps that
//     together with the head have the best value per token are one bundle
//     (Sinha, Zoltners 1979, for the hull; the bundle does the same for heads);
//  2. all steps by value per token, each taken if it fits;
//  3. repair: what is left goes down by weight, to the best tier that fits;
//  4. exchange: an upgrade that does not fit is paid for by shrinking what is
//     worth less, while that gains.
//
// The plain allocation b = B·ŵ/Σŵ of tobler is computed beside it, and if ever
// it is worth more it is the answer: see [Plain].
//
// A directory has at most DirCap files until every other directory had its
// turn: a file beyond the cap waits while some directory without any file has
// one that fits and weighs at least DirShare of it. Without that share a
// directory of hundredths would hold back the fourth file of the one that the
// task is about.
//
// The budget is a hard ceiling on the sum of costs; that costs add up is the
// caller's business. The same input gives the same plan.
//
// Limits: the optimum is approached, not reached (within 5 % on small random
// cases, closer the more items there are); steps 1 and 2 are O(n log n), step
// 4 looks at a bounded number of exchanges.
package pack

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// The tiers, from the most to the least.
const (
	Body = iota
	Signature
	Path
	Tiers
)

const (
	// None is the tier of what is not shown.
	None = -1

	// DirCap is how many files of one directory come before the others'
	// turn (ranking essay).
	DirCap = 3

	// DirShare is the least weight, in parts of the file held back, with
	// which a directory may ask for its turn.
	DirShare = 0.1

	// exemplarShare bounds the slot of the exemplar: an eighth of the
	// budget shows a function, and costs what it illustrates little.
	exemplarShare = 1.0 / 8
)

// Value is what an item is worth at each tier, as a part of its weight: a
// signature tells where to look, a path that there is something.
var Value = [Tiers]float64{1, .5, .2}

// Item is one piece of a file.
type Item struct {
	Group    int        // the file; lower ones come first in ties
	Dir      int        // the file's directory
	Weight   float64    // ŵ, finite and not negative
	Cost     [Tiers]int // tokens at each tier; negative: there is no such tier
	HeadCost int        // tokens that the file's first item pays once; the same for all its items
}

// Options say how to pack. The zero value of all but Budget is the usual.
type Options struct {
	Budget    int            // tokens
	Value     [Tiers]float64 // worth of the tiers; all zero: Value
	DirCap    int            // 0: DirCap; negative: no cap
	DirShare  float64        // 0: DirShare; negative: any weight counts
	KeepPaths []int          // groups that keep at least their cheapest line, the most important first
	Rough     bool           // leave out the exchanges: for a plan that is not the last
	Exemplar  []int          // items that may fill the slot of the exemplar, the best first; none: no slot
}

// Choice shows one item at a tier.
type Choice struct {
	Item, Tier int
}

// Reason tells why a file was left out.
type Reason int

// The reasons.
const (
	Budget    Reason = iota // others are worth more per token
	Directory               // it waited for other directories until nothing was left
	Size                    // not even its path line fits the whole budget
	Weight                  // it weighs nothing
)

func (r Reason) String() string {
	return [...]string{"budget", "directory cap", "larger than the budget", "no weight"}[r]
}

// Left is a file that is not in the plan.
type Left struct {
	Group  int
	Reason Reason
}

// Plan is what to show.
type Plan struct {
	Choices  []Choice // ascending by item
	Tokens   int      // sum of the costs, at most the budget
	Value    float64  // sum of weight × tier value
	Weight   float64  // sum of the weights shown, at whatever tier
	Exemplar int      // the item in the exemplar's slot, −1 for none
	Left     []Left   // ascending by group
}

// TooSmallError says that a budget holds nothing, and which would.
type TooSmallError struct {
	Budget int
	Least  int // the least budget that holds one line
}

func (e *TooSmallError) Error() string {
	return fmt.Sprintf("pack into %d tokens: one path line needs %d", e.Budget, e.Least)
}

// Fit packs the items into the budget. It fails with a *TooSmallError if not
// even one line fits; without items the plan is empty. It panics on a weight
// that is negative or not finite, and on an exemplar that is no item.
func Fit(items []Item, o Options) (Plan, error) {
	s := newSolver(items, o)
	if len(items) > 0 && !s.anything {
		if s.least == math.MaxInt {
			return s.plan(), nil // no item has any tier
		}
		return Plan{Exemplar: -1}, &TooSmallError{o.Budget, s.least}
	}
	s.keep(o.KeepPaths)
	s.reserve(o.Exemplar)
	t := s.fork()

	bound := s.greedy()
	s.repair()
	if o.Rough {
		return s.plan(), nil
	}
	s.improve(bound)

	t.proportional()
	t.repair()
	if t.value() > s.value() {
		t.improve(bound)
		for g, h := range s.held {
			t.held[g] = t.held[g] || h
		}
		s = t
	}
	return s.plan(), nil
}

// Plain allocates each item its share b = Budget·ŵ/Σŵ, in order of weight, of
// which it takes the best tier that fits and leaves the rest to the next; what
// is left at the end goes down by weight once more. It knows no directories,
// kept paths or exemplar: the yardstick for Fit.
func Plain(items []Item, o Options) Plan {
	o.DirCap = -1
	s := newSolver(items, o)
	s.proportional()
	s.repair()
	return s.plan()
}

// solver is a pack in the making. Groups and directories are dense.
type solver struct {
	items  []Item
	budget int
	val    [Tiers]float64
	cap    int
	share  float64

	group   []int // per item
	ids     []int // per group: the caller's id
	dir     []int // per group
	head    []int // per group
	lines   []int // per group: tokens of the least that shows it, −1 for nothing
	mass    []float64
	members [][]int // per group: its items
	byMass  []int   // items by weight, descending

	tier     []int  // per item, None if not shown
	floor    []int  // per item: the tier it may not sink below
	kept     []bool // per group: must show something
	open     []int  // per group: how many of its items are shown
	files    []int  // per directory: how many of its files are shown
	held     []bool // per group: it waited for its directory
	used     int
	exemplar int
	moves    []move // of the greedy steps
	ban      int    // an item that the repair leaves alone, −1 for none

	anything bool // something fits
	least    int  // tokens of the cheapest line of all
}

func newSolver(items []Item, o Options) *solver {
	s := &solver{items: items, budget: o.Budget, val: o.Value, cap: o.DirCap, share: o.DirShare, exemplar: -1, ban: -1, least: math.MaxInt}
	if s.val == [Tiers]float64{} {
		s.val = Value
	}
	switch {
	case s.cap == 0:
		s.cap = DirCap
	case s.cap < 0:
		s.cap = math.MaxInt
	}
	switch {
	case s.share == 0:
		s.share = DirShare
	case s.share < 0:
		s.share = 0
	}
	var dirs []int
	for i, it := range items {
		if !(it.Weight >= 0) || math.IsInf(it.Weight, 0) {
			panic(fmt.Sprintf("pack: item %d weighs %v", i, it.Weight))
		}
		s.ids, dirs = append(s.ids, it.Group), append(dirs, it.Dir)
		s.byMass = append(s.byMass, i)
	}
	slices.Sort(s.ids)
	s.ids = slices.Compact(s.ids)
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)

	n := len(s.ids)
	s.dir, s.head, s.mass, s.members = make([]int, n), make([]int, n), make([]float64, n), make([][]int, n)
	s.kept, s.held, s.open, s.files = make([]bool, n), make([]bool, n), make([]int, n), make([]int, len(dirs))
	s.group, s.tier, s.floor = make([]int, len(items)), make([]int, len(items)), make([]int, len(items))
	for i, it := range items {
		g, _ := slices.BinarySearch(s.ids, it.Group)
		s.group[i], s.tier[i], s.floor[i] = g, None, None
		if len(s.members[g]) == 0 {
			s.dir[g], _ = slices.BinarySearch(dirs, it.Dir)
		}
		s.members[g] = append(s.members[g], i)
		s.head[g] = max(s.head[g], it.HeadCost)
		s.mass[g] += it.Weight
	}
	s.lines = make([]int, n)
	for g := range s.ids {
		s.lines[g] = s.line(g)
		// What weighs nothing is shown only if it is kept, so it cannot be
		// what a budget is large enough for.
		if line := s.lines[g]; line >= 0 && (s.mass[g] > 0 || slices.Contains(o.KeepPaths, s.ids[g])) {
			s.least = min(s.least, line)
			s.anything = s.anything || line <= s.budget
		}
	}
	slices.SortFunc(s.byMass, func(a, b int) int {
		return cmp.Or(cmp.Compare(items[b].Weight, items[a].Weight), cmp.Compare(a, b))
	})
	return s
}

// line returns the tokens of the least that shows a group, −1 if it has none.
func (s *solver) line(g int) int {
	least := -1
	for _, i := range s.members[g] {
		for _, c := range s.items[i].Cost {
			if c >= 0 && (least < 0 || c < least) {
				least = c
			}
		}
	}
	if least < 0 {
		return -1
	}
	if least > math.MaxInt-s.head[g] {
		return math.MaxInt
	}
	return least + s.head[g]
}

// cost returns the tokens of an item at a tier, 0 for None; ok is false if
// there is no such tier or it could never fit.
func (s *solver) cost(i, tier int) (c int, ok bool) {
	if tier == None {
		return 0, true
	}
	c = s.items[i].Cost[tier]
	return c, c >= 0 && c <= s.budget-s.head[s.group[i]]
}

// worth returns the value of an item at a tier.
func (s *solver) worth(i, tier int) float64 {
	if tier == None {
		return 0
	}
	return s.items[i].Weight * s.val[tier]
}

// delta returns what moving an item to a tier costs, heads included; ok is
// false if there is no such tier.
func (s *solver) delta(i, tier int) (c int, ok bool) {
	c, ok = s.cost(i, tier)
	if !ok {
		return 0, false
	}
	old, _ := s.cost(i, s.tier[i])
	c -= old
	g := s.group[i]
	switch {
	case s.tier[i] == None && tier != None && s.open[g] == 0:
		c += s.head[g]
	case s.tier[i] != None && tier == None && s.open[g] == 1:
		c -= s.head[g]
	}
	return c, true
}

// set moves an item to a tier.
func (s *solver) set(i, tier int) {
	c, _ := s.delta(i, tier)
	s.used += c
	g := s.group[i]
	switch {
	case s.tier[i] == None && tier != None:
		if s.open[g]++; s.open[g] == 1 {
			s.files[s.dir[g]]++
		}
	case s.tier[i] != None && tier == None:
		if s.open[g]--; s.open[g] == 0 {
			s.files[s.dir[g]]--
		}
	}
	s.tier[i] = tier
}

func (s *solver) left() int { return s.budget - s.used }

// fork copies what changes after the kept lines and the exemplar are settled.
func (s *solver) fork() *solver {
	t := *s
	t.tier, t.open, t.files, t.held = nil, nil, nil, nil
	t.reset(s)
	return &t
}

// reset makes a fork the same as s again.
func (t *solver) reset(s *solver) {
	t.tier, t.open = append(t.tier[:0], s.tier...), append(t.open[:0], s.open...)
	t.files, t.held = append(t.files[:0], s.files...), append(t.held[:0], s.held...)
	t.used = s.used
}

// keep shows each of the groups by one line: that of its heaviest item if all
// of them fit so, else the cheapest of each, as many as fit, in order.
func (s *solver) keep(ids []int) {
	var groups []int
	seen := map[int]bool{}
	for _, id := range ids {
		if g, ok := slices.BinarySearch(s.ids, id); ok && !seen[g] {
			seen[g] = true
			groups = append(groups, g)
		}
	}
	least := func(i int) (tier int) {
		tier = None
		for t := range Tiers {
			if c, ok := s.cost(i, t); ok && (tier == None || c <= s.items[i].Cost[tier]) {
				tier = t
			}
		}
		return tier
	}
	heaviest := make([]int, len(groups))
	total := 0
	for k, g := range groups {
		heaviest[k] = -1
		for _, i := range s.members[g] {
			if least(i) != None && (heaviest[k] < 0 || s.items[i].Weight > s.items[heaviest[k]].Weight) {
				heaviest[k] = i
			}
		}
		if i := heaviest[k]; i >= 0 && total <= s.budget {
			total += s.head[g] + s.items[i].Cost[least(i)]
		}
	}
	for k, g := range groups {
		i := heaviest[k]
		if i < 0 {
			continue
		}
		if total > s.budget {
			for _, j := range s.members[g] {
				if t := least(j); t != None && s.items[j].Cost[t] < s.items[i].Cost[least(i)] {
					i = j
				}
			}
		}
		if c, ok := s.delta(i, least(i)); ok && c <= s.left() {
			s.set(i, least(i))
			s.kept[g] = true
		}
	}
}

// reserve fills the exemplar's slot with the best tier, of the first item that
// has one, which fits an eighth of the budget.
func (s *solver) reserve(candidates []int) {
	room := min(s.left(), int(float64(s.budget)*exemplarShare))
	for _, i := range candidates {
		for t := range Tiers {
			if s.tier[i] != None && t >= s.tier[i] {
				break // shown as well already
			}
			if c, ok := s.delta(i, t); ok && c <= room {
				s.set(i, t)
				break
			}
		}
		if s.tier[i] != None {
			s.floor[i], s.exemplar = s.tier[i], i
			return
		}
	}
}

// value sums what is shown, in the order of the items.
func (s *solver) value() (v float64) {
	for i, t := range s.tier {
		v += s.worth(i, t)
	}
	return v
}

func (s *solver) plan() Plan {
	p := Plan{Tokens: s.used, Value: s.value(), Exemplar: s.exemplar}
	for i, t := range s.tier {
		if t != None {
			p.Choices = append(p.Choices, Choice{i, t})
			p.Weight += s.items[i].Weight
		}
	}
	for g, id := range s.ids {
		if s.open[g] > 0 {
			continue
		}
		why := Budget
		switch line := s.lines[g]; {
		case line < 0 || line > s.budget:
			why = Size
		case s.mass[g] == 0:
			why = Weight
		case s.held[g]:
			why = Directory
		}
		p.Left = append(p.Left, Left{id, why})
	}
	return p
}
