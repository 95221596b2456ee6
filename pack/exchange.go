package pack

import (
	"cmp"
	"math"
	"slices"
)

const (
	// closeEnough to the bound, a plan is not worth improving: exchanges
	// matter for a handful of items, not where hundreds fill the budget.
	closeEnough = 0.995

	// maxTries bounds the upgrades, and the downgrades, that one round
	// tries, the largest first: smaller ones cannot change a plan by much.
	// A try looks at all items, so beyond some hundreds of them there are
	// fewer tries, down to minTries: maxWork items are looked at.
	maxTries, minTries, maxWork = 32, 4, 16000

	// maxRounds bounds the rounds, each of which raises the value.
	maxRounds = 8
)

// up is an upgrade that does not fit by itself.
type up struct {
	item, tier int
	gain       float64
}

// down is a way to make room: an item shrinks, or a whole file goes.
type down struct {
	group int
	item  int // −1: all of the group
	tier  int
	freed int
	loss  float64
}

// improve exchanges until nothing is gained or the plan is near the bound.
func (s *solver) improve(bound float64) {
	for range maxRounds {
		if s.value() >= closeEnough*bound || !s.exchange() {
			return
		}
	}
}

// exchange tries each upgrade: makes it, pays for it by the downgrades that
// lose least, and gives what is left to others; and each downgrade: makes it
// and gives what that frees to all but the item itself. It keeps the best
// outcome if that is worth more than before. It opens no file beyond its
// directory's cap, and closes no directory's last file while another is at the
// cap: turns taken stay taken.
func (s *solver) exchange() bool {
	bestValue := s.value()
	bestValue += 1e-9 * bestValue // gains below are rounding, and would never end
	best, t := s.fork(), s.fork()
	found := false
	settle := func() {
		t.repair()
		if v := t.value(); v > bestValue {
			best, t, bestValue, found = t, best, v, true
		}
	}
	for _, u := range s.ups() {
		for _, exact := range [2]bool{false, true} {
			if t.reset(s); t.force(u, exact) {
				settle()
			}
		}
	}
	var downs []down
	s.downs(-1, func(x down) { downs = append(downs, x) })
	slices.SortStableFunc(downs, func(a, b down) int { return cmp.Compare(b.freed, a.freed) })
	for _, x := range downs[:min(len(downs), s.tries())] {
		t.reset(s)
		t.apply(x)
		t.ban = x.item
		settle()
		t.ban, best.ban = -1, -1
	}
	if found {
		s.reset(best)
		s.repair() // what was banned may fit now
	}
	return found
}

// force makes an upgrade and then room for it. exact prefers, where a single
// downgrade is enough, the one that loses least; otherwise it is always the
// one that loses least per token that is needed.
func (s *solver) force(u up, exact bool) bool {
	s.set(u.item, u.tier)
	gain := u.gain
	for s.left() < 0 {
		need := -s.left()
		var best down
		price := math.Inf(1)
		s.downs(u.item, func(x down) {
			p := x.loss / float64(min(x.freed, need))
			if exact && x.freed < need {
				p += gain // behind all that are enough by themselves
			}
			// The first of equals; of those that lose nothing more, the
			// one that frees the most.
			if p < price || p == price && x.freed > best.freed {
				best, price = x, p
			}
		})
		if math.IsInf(price, 1) {
			return false
		}
		// What gains nothing by itself may still leave room that does, so
		// only clear losses end the attempt.
		if gain -= best.loss; gain < -u.gain {
			return false
		}
		s.apply(best)
	}
	return true
}

func (s *solver) apply(x down) {
	if x.item >= 0 {
		s.set(x.item, x.tier)
		return
	}
	for _, i := range s.members[x.group] {
		s.set(i, None)
	}
}

// tries returns how many upgrades, and downgrades, a round tries.
func (s *solver) tries() int {
	return min(maxTries, max(minTries, maxWork/max(1, len(s.items))))
}

// ups lists the most valuable upgrades by descending gain.
func (s *solver) ups() []up {
	var out []up
	for i := range s.items {
		g := s.group[i]
		if s.open[g] == 0 && s.files[s.dir[g]] >= s.cap {
			continue
		}
		for t := range Tiers {
			if _, ok := s.delta(i, t); !ok {
				continue
			}
			if gain := s.worth(i, t) - s.worth(i, s.tier[i]); gain > 0 {
				out = append(out, up{i, t, gain})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b up) int { return cmp.Compare(b.gain, a.gain) })
	return out[:min(len(out), s.tries())]
}

// downs calls f with every downgrade but those of one item (−1: of all).
func (s *solver) downs(but int, f func(down)) {
	full := false
	for _, n := range s.files {
		full = full || n >= s.cap
	}
	for g, members := range s.members {
		if s.open[g] == 0 {
			continue
		}
		mayClose := !s.kept[g] && (!full || s.files[s.dir[g]] > 1) && (but < 0 || s.group[but] != g)
		all := down{group: g, item: -1, tier: None, freed: s.head[g]}
		for _, i := range members {
			if s.tier[i] == None {
				continue
			}
			mayClose = mayClose && s.floor[i] == None
			c, _ := s.cost(i, s.tier[i])
			all.freed += c
			all.loss += s.worth(i, s.tier[i])
		}
		for _, i := range members {
			if s.tier[i] == None || i == but {
				continue
			}
			for t := None; t < Tiers; t++ {
				if t == s.tier[i] || t == None && (s.floor[i] != None || s.open[g] == 1 && !mayClose) ||
					s.floor[i] != None && t > s.floor[i] {
					continue
				}
				c, ok := s.delta(i, t)
				if loss := s.worth(i, s.tier[i]) - s.worth(i, t); ok && c < 0 && loss >= 0 {
					f(down{g, i, t, -c, loss})
				}
			}
		}
		if mayClose && s.open[g] > 1 {
			f(all)
		}
	}
}
