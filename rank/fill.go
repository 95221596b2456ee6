package rank

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"

	"cohop/internal/tokens"
	"cohop/pack"
)

// Tiers of an item.
const (
	TierBody      = "body"
	TierSignature = "signature"
	TierPath      = "path"
)

var tierNames = [...]string{pack.Body: TierBody, pack.Signature: TierSignature, pack.Path: TierPath}

const (
	// candidates per budget: a chunk costs about 300 tokens as a body and 15
	// as a path, and each candidate's text must be read and counted.
	tokensPerCandidate = 25
	minCandidates      = 60
	maxCandidates      = 700
	// maxSignature bounds the lines of a signature tier.
	maxSignature = 8
	// exemplars is how many may compete for the slot.
	exemplars = 3
	// spreadTokens is the budget up to which pack.repeat holds as it is: it is
	// spent on having the files. A larger one has most of them, and more of
	// the likely ones is worth the root of how many times as large it is.
	spreadTokens = 2000
)

// fill packs the distribution's chunks into r.
func (q *Query) fill(r *Result, f *fused, d *spread, budget int) (c *candidates, plan pack.Plan, err error) {
	if budget < 0 {
		return nil, plan, badBudget(budget)
	}
	c = q.candidates(f, d, budget)
	if budget < exactBelow {
		c.settleAll(q, d)
	}
	var keep []int
	for k := range min(q.cfg.Adaptive.KMin, len(f.order)) {
		keep = append(keep, k)
	}
	opt := pack.Options{Budget: budget, DirCap: q.cfg.Pack.DirCap, KeepPaths: keep,
		Value: [pack.Tiers]float64{q.cfg.Pack.Body, q.cfg.Pack.Signature, q.cfg.Pack.Path}}
	if q.cfg.Pack.Exemplar {
		opt.Exemplar = q.exemplars(f, d, c)
	}
	opt.Rough = true // until all that it would show is counted
	for round := 0; ; {
		plan, err = pack.Fit(c.items, opt)
		var small *pack.TooSmallError
		if errors.As(err, &small) {
			if c.settleAll(q, d) {
				continue
			}
			// Where planning for less came to nothing, no line fits the budget itself.
			return nil, plan, &UsageError{fmt.Sprintf("a budget of %d tokens holds not even one line: give at least %d", budget, max(small.Least, budget+1))}
		} else if err != nil {
			return nil, plan, err
		}
		if round < maxRounds && c.settle(q, d, plan) {
			if round++; round == maxRounds {
				c.endGuesses(q, d)
			}
			continue
		}
		if opt.Rough {
			opt.Rough = false
			continue
		}
		n, most := c.count(plan)
		if most <= budget || len(plan.Choices) == 0 {
			r.Pack, r.Header.Tokens = c.show(plan), n
			return c, plan, nil
		}
		// The mark of an exemplar, or another reading of white space, takes it
		// over the budget: plan for less.
		opt.Budget -= most - budget
	}
}

func badBudget(n int) error {
	return &UsageError{fmt.Sprintf("the budget is %d tokens: want a positive number", n)}
}

// candidates takes the heaviest chunks, and the best of each file that keeps
// its path, and guesses what they cost at every tier.
func (q *Query) candidates(f *fused, d *spread, budget int) *candidates {
	n := min(max(minCandidates, budget/tokensPerCandidate), maxCandidates)
	order := d.order
	take := map[int]bool{}
	for _, i := range order[:min(n, len(order))] {
		take[i] = true
	}
	// The first files have at least one chunk each, so that each has a line.
	want := map[int32]bool{}
	for k, i := range f.order {
		if k >= 2*q.cfg.Adaptive.KMin+budget/400 {
			break
		}
		want[int32(i)] = true
	}
	for _, i := range order {
		if want[d.file[i]] {
			take[i] = true
			delete(want, d.file[i])
		}
	}
	picked := make([]int, 0, len(take))
	for _, i := range order {
		if take[i] {
			picked = append(picked, i)
		}
	}
	return q.cost(f, d, picked, want, min(1, q.cfg.Pack.Repeat*math.Sqrt(max(1, float64(budget)/spreadTokens))))
}

// cost makes the items. empty are pool files without chunks (not read as text)
// that still get a path line. The second chunk of a file is worth repeat of its
// weight, the third half of that, the fourth a third.
func (q *Query) cost(f *fused, d *spread, picked []int, empty map[int32]bool, repeat float64) *candidates {
	e := q.eng
	v := e.st.View
	dirs := map[string]int{}
	dir := func(p string) int {
		p = path.Dir(p)
		id, ok := dirs[p]
		if !ok {
			id = len(dirs)
			dirs[p] = id
		}
		return id
	}
	if q.prices == nil {
		q.prices = map[int]*priced{}
	}
	c := &candidates{}
	var counter tokens.Counter
	heads := map[int32]int{}
	head := func(p int32) int {
		n, ok := heads[p]
		if !ok {
			it := Item{FileLines: int(v.Lines(q.pool[p]))}
			it.Path, it.PathB64 = safePath(q.Paths[p])
			n = counter.Count(appendHead(nil, &it))
			heads[p] = n
		}
		return n
	}
	add := func(p int32, place int, weight float64, cost [pack.Tiers]int, shown *priced) {
		c.items = append(c.items, pack.Item{Group: f.place[p], Dir: dir(q.Paths[p]), Weight: weight, Cost: cost, HeadCost: head(p)})
		c.shown, c.read, c.place = append(c.shown, shown), append(c.read, shown != nil), append(c.place, place)
	}
	seen := map[int32]int{} // chunks of a file so far: later ones are worth less
	for _, i := range picked {
		p := d.file[i]
		weight := math.Pow(d.dist.W[i], q.cfg.Pack.Temper)
		if k := seen[p]; k > 0 {
			weight *= repeat / float64(k)
		}
		seen[p]++
		// A guess, even if an earlier budget counted it: the answer must not
		// depend on what was asked before.
		add(p, i, weight, q.guess(d, i), nil)
	}
	left := make([]int32, 0, len(empty))
	for p := range empty {
		left = append(left, p)
	}
	slices.Sort(left)
	for _, p := range left {
		it := Item{Tier: TierPath, Language: e.langs[q.pool[p]], FileLines: int(v.Lines(q.pool[p]))}
		it.Path, it.PathB64 = safePath(q.Paths[p])
		it.Tokens = counter.Count(appendItem(nil, &it))
		k := &priced{read: true, cost: [pack.Tiers]int{-1, -1, it.Tokens}, most: [pack.Tiers]int{-1, -1, it.Tokens}}
		k.shown[pack.Path] = it
		add(p, -1, 0, k.cost, k)
	}
	return c
}

// show turns a plan into items, by file in rank order and by line within.
func (c *candidates) show(plan pack.Plan) []Item {
	type entry struct {
		group int
		it    Item
	}
	list := make([]entry, 0, len(plan.Choices))
	for _, ch := range plan.Choices {
		it := c.shown[ch.Item].shown[ch.Tier]
		it.Exemplar = ch.Item == plan.Exemplar
		list = append(list, entry{c.items[ch.Item].Group, it})
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.it.StartLine, b.it.StartLine))
	})
	lines := map[int]int{} // lines shown of a file
	for _, e := range list {
		if e.it.Tier == TierBody {
			lines[e.group] += e.it.EndLine - e.it.StartLine + 1
		}
	}
	out := make([]Item, len(list))
	for i, e := range list {
		e.it.Shortened = lines[e.group] < e.it.FileLines
		out[i] = e.it
	}
	return out
}

// account fills the rest of the header and says what was left out.
func (q *Query) account(r *Result, f *fused, d *spread, c *candidates, plan pack.Plan) {
	packed := make([]int, 0, len(plan.Choices))
	in := map[int]bool{}
	for _, ch := range plan.Choices {
		if p := c.place[ch.Item]; p >= 0 {
			packed = append(packed, p)
		}
		in[c.items[ch.Item].Group] = true
	}
	slices.Sort(packed)
	r.Header.Unpacked = round(d.dist.Rest(packed))
	reasons := map[int]string{}
	for _, l := range plan.Left {
		reasons[l.Group] = l.Reason.String()
	}
	for k := range r.Files {
		if in[k] {
			continue
		}
		why, ok := reasons[k]
		if !ok {
			why = "its best chunk weighs less than what was packed"
		}
		r.LeftOut = append(r.LeftOut, LeftOut{r.Files[k].Path, r.Files[k].PathB64, why})
	}
	shown := map[int]int{} // by group: masks in what is shown
	for _, ch := range plan.Choices {
		shown[c.items[ch.Item].Group] += masks(c.shown[ch.Item].shown[ch.Tier].Text)
	}
	// Stars that are no masks (a comment's frame) are told by the file's count.
	for k, n := range shown {
		r.Header.Masked += min(n, int(q.eng.st.View.Masked(q.pool[f.order[k]])))
	}
}

// leastMask is the length of the shortest secret that is masked.
const leastMask = 4

// masks counts the runs of stars in a text that may be masked secrets.
func masks(s string) (n int) {
	run := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] == '*' {
			run++
			continue
		}
		if run >= leastMask {
			n++
		}
		run = 0
	}
	return n
}

// exemplars are candidates that may fill the exemplar's slot: the best chunks
// of files outside the nucleus that are peers of the top file, in its folder
// or using what it uses.
func (q *Query) exemplars(f *fused, d *spread, c *candidates) []int {
	if len(f.order) == 0 {
		return nil
	}
	e := q.eng
	top := q.pool[f.order[0]]
	inNucleus := map[int32]bool{}
	for _, i := range d.nucleus.Index {
		inNucleus[d.file[i]] = true
	}
	uses := map[int32]bool{}
	for t := range e.graph().Out(top) {
		uses[t] = true
	}
	peer := func(p int32) bool {
		file := q.pool[p]
		if file == top || e.langs[file] != e.langs[top] || e.roles[file] != e.roles[top] {
			return false
		}
		if path.Dir(q.Paths[p]) == path.Dir(e.st.View.Path(top)) {
			return true
		}
		common := 0
		for t := range e.graph().Out(file) {
			if uses[t] {
				common++
			}
		}
		return common >= 3
	}
	var out []int
	seen := map[int]bool{}
	for i := range c.items {
		if c.place[i] < 0 || seen[c.items[i].Group] {
			continue
		}
		p := d.file[c.place[i]]
		if !inNucleus[p] && peer(p) {
			seen[c.items[i].Group] = true
			out = append(out, i)
			if len(out) == exemplars {
				break
			}
		}
	}
	return out
}
