package pack

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// step moves items of one group up their hulls. What it costs and gains is
// known beforehand, as it is taken from a known state or not at all.
type step struct {
	density float64 // gain per token
	gain    float64
	tokens  int
	group   int
	from    int  // its moves are solver.moves[from:to]
	to      int  //
	opens   bool // the bundle that opens the group, head included
}

// move takes an item from a tier to another one.
type move struct{ item, from, to int }

// hull appends the steps of one item from where it stands along the upper
// concave hull of its tiers, with descending densities.
func (s *solver) hull(steps []step, i int) []step {
	at := s.tier[i]
	last := math.Inf(1)
	for {
		best, to := step{}, None
		c0, _ := s.cost(i, at)
		for t := range Tiers {
			c, ok := s.cost(i, t)
			gain := s.worth(i, t) - s.worth(i, at)
			if !ok || !(gain > 0) {
				continue
			}
			// Of equals the longest step: its end is on the hull too.
			d := perToken(gain, c-c0)
			if d > best.density || d == best.density && gain > best.gain {
				best, to = step{density: d, tokens: c - c0, gain: gain}, t
			}
		}
		if to == None {
			return steps
		}
		last = min(last, best.density) // rounding must not turn the order
		best.density, best.group = last, s.group[i]
		best.from = len(s.moves)
		s.moves = append(s.moves, move{i, at, to})
		best.to = len(s.moves)
		steps = append(steps, best)
		at = to
	}
}

func perToken(gain float64, tokens int) float64 {
	if tokens <= 0 {
		return math.Inf(1)
	}
	return gain / float64(tokens)
}

// ordered are steps, and their order.
type ordered struct {
	steps []step
	order []place
}

// place is where a step stands in its list: equals keep their order.
type place struct {
	density float64
	at      int32
}

// orders keeps the memory of steps, most of what a plan takes: an answer makes
// several.
var orders = sync.Pool{New: func() any { return new(ordered) }}

// all calls f with the steps by descending density until it says false.
func (o *ordered) all(f func(st *step) bool) {
	for _, p := range o.order {
		if !f(&o.steps[p.at]) {
			return
		}
	}
}

// fill makes o the steps of all groups, in order within each group.
func (o *ordered) fill(s *solver) {
	all := o.steps[:0]
	s.moves = make([]move, 0, 2*Tiers*len(s.items))
	for g, members := range s.members {
		from := len(all)
		for _, i := range members {
			all = s.hull(all, i)
		}
		slices.SortStableFunc(all[from:], denser)
		if s.open[g] == 0 && len(all) > from {
			all = s.bundle(g, all, from)
		}
	}
	o.steps, o.order = all, o.order[:0]
	for i := range all {
		o.order = append(o.order, place{all[i].density, int32(i)})
	}
	slices.SortFunc(o.order, func(a, b place) int {
		switch {
		case a.density > b.density:
			return -1
		case a.density < b.density:
			return 1
		}
		return int(a.at - b.at)
	})
}

func denser(a, b step) int { return cmp.Compare(b.density, a.density) }

// bundle joins the first of a closed group's steps, which start at from, into
// the one that opens it: as many as raise the value per token of the whole,
// its head included.
func (s *solver) bundle(g int, all []step, from int) []step {
	own := all[from:]
	open := step{group: g, opens: true, tokens: s.head[g], from: len(s.moves)}
	n := 0
	for _, st := range own {
		if n > 0 && (st.density <= open.density || open.tokens+st.tokens > s.budget) {
			break
		}
		open.tokens += st.tokens
		open.gain += st.gain
		open.density = perToken(open.gain, open.tokens)
		m, joined := s.moves[st.from], s.moves[open.from:]
		if k := slices.IndexFunc(joined, func(p move) bool { return p.item == m.item }); k >= 0 {
			joined[k].to = m.to
		} else {
			s.moves = append(s.moves, m)
		}
		n++
	}
	open.to = len(s.moves)
	for k := n; k < len(own); k++ {
		own[k].density = min(own[k].density, open.density)
	}
	own[0] = open
	return append(all[:from+1], own[n:]...)
}

// take applies a step if it fits and is one from where things stand.
func (s *solver) take(st *step) bool {
	if st.tokens > s.left() || st.opens != (s.open[st.group] == 0) {
		return false
	}
	moves := s.moves[st.from:st.to]
	for _, m := range moves {
		if s.tier[m.item] != m.from {
			return false
		}
	}
	for _, m := range moves {
		s.set(m.item, m.to)
	}
	return true
}

// greedy takes steps by value per token. It returns the value of taking them
// with the last one cut: no plan that keeps what is kept is worth more.
func (s *solver) greedy() (bound float64) {
	all := orders.Get().(*ordered)
	defer orders.Put(all)
	all.fill(s)
	bound = s.value()
	room := s.left()
	all.all(func(st *step) bool {
		if st.tokens > room {
			bound += st.gain * float64(room) / float64(st.tokens)
			return false
		}
		room -= st.tokens
		bound += st.gain
		return true
	})

	turn := s.turns(func(g int) bool { return true })
	try := func(st *step) {
		if s.take(st); st.opens {
			turn.tried(st.group)
		}
	}
	var waiting []*step
	before := turn.heaviest()
	all.all(func(st *step) bool {
		if turn.holds(st.group) {
			waiting = append(waiting, st)
			return true
		}
		try(st)
		// That may have ended the wait of some, which are worth more per
		// token than what is still to come.
		now := turn.heaviest()
		if now == before {
			return true
		}
		before = now
		waiting = slices.DeleteFunc(waiting, func(w *step) bool {
			if turn.holds(w.group) {
				return false
			}
			try(w)
			return true
		})
		return true
	})
	for _, st := range waiting { // every other directory had its turn
		try(st)
	}
	return bound
}

// turns follows which directories still wait for their first file.
type turns struct {
	s       *solver
	waiting []int     // directories, the heaviest closed file first
	best    []float64 // per directory: the weight of that file
	pending []int     // per directory: closed files that were not tried
}

func (s *solver) turns(fits func(g int) bool) *turns {
	t := &turns{s: s, best: make([]float64, len(s.files)), pending: make([]int, len(s.files))}
	for g, d := range s.dir {
		if line := s.lines[g]; s.open[g] == 0 && s.mass[g] > 0 && line >= 0 && line <= s.budget && fits(g) {
			t.best[d] = max(t.best[d], s.mass[g])
			t.pending[d]++
		}
	}
	for d := range s.files {
		if s.files[d] == 0 && t.pending[d] > 0 {
			t.waiting = append(t.waiting, d)
		}
	}
	slices.SortFunc(t.waiting, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.best[b], t.best[a]), cmp.Compare(a, b))
	})
	return t
}

// holds tells whether group g must wait for other directories.
func (t *turns) holds(g int) bool {
	d := t.s.dir[g]
	if t.s.open[g] > 0 || t.s.files[d] < t.s.cap {
		return false
	}
	if w := t.heaviest(); w > 0 && w >= t.s.share*t.s.mass[g] {
		t.s.held[g] = true
		return true
	}
	return false
}

// heaviest returns the weight of the heaviest file of a directory that waits,
// 0 if none does.
func (t *turns) heaviest() float64 {
	for len(t.waiting) > 0 && (t.s.files[t.waiting[0]] > 0 || t.pending[t.waiting[0]] == 0) {
		t.waiting = t.waiting[1:]
	}
	if len(t.waiting) == 0 {
		return 0
	}
	return t.best[t.waiting[0]]
}

// tried notes that a closed group had its chance.
func (t *turns) tried(g int) { t.pending[t.s.dir[g]]-- }

// repair rolls what is left down by weight: each item in turn gets the best
// tier that fits. Files beyond their directory's cap come after all others.
func (s *solver) repair() {
	for {
		turn := s.turns(func(g int) bool { return s.lines[g] <= s.left() })
		moved, waits := false, false
		for _, i := range s.byMass {
			if turn.holds(s.group[i]) {
				waits = true
				continue
			}
			if t := s.affordable(i, s.left()); t != s.tier[i] {
				s.set(i, t)
				moved = true
			}
		}
		if waits && !moved {
			for _, i := range s.byMass {
				s.set(i, s.affordable(i, s.left()))
			}
		}
		if !waits || !moved {
			return
		}
	}
}

// affordable returns the most valuable tier of an item that costs at most room
// more than where it stands, cheaper ones first among equals.
func (s *solver) affordable(i, room int) int {
	best, least := s.tier[i], 0
	if i == s.ban {
		return best
	}
	for t := range Tiers {
		c, ok := s.delta(i, t)
		if !ok || c > room {
			continue
		}
		if gain := s.worth(i, t) - s.worth(i, best); gain > 0 || gain == 0 && best != None && s.worth(i, t) > 0 && c < least {
			best, least = t, c
		}
	}
	return best
}

// proportional gives each item its share of the budget, by weight, and what it
// does not use to the next.
func (s *solver) proportional() {
	var sum float64
	for _, it := range s.items {
		sum += it.Weight
	}
	if sum == 0 {
		return
	}
	turn := s.turns(func(g int) bool { return true })
	room := s.left()
	carry := 0.0
	for _, i := range s.byMass {
		carry += float64(room) * (s.items[i].Weight / sum)
		if turn.holds(s.group[i]) {
			continue // its share goes on to the others
		}
		before := s.used
		s.set(i, s.affordable(i, min(s.left(), int(carry))))
		carry -= float64(s.used - before)
	}
}
