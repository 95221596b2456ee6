package rank

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"cohop/internal/index"
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
)

// fill packs the distribution's chunks into r.
func (q *Query) fill(r *Result, f *fused, d *spread, budget int) error {
	if budget < 0 {
		return badBudget(budget)
	}
	c := q.candidates(f, d, budget)
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
		plan, err := pack.Fit(c.items, opt)
		var small *pack.TooSmallError
		if errors.As(err, &small) {
			if c.settleAll(q, d) {
				continue
			}
			// Where planning for less came to nothing, no line fits the budget itself.
			return &UsageError{fmt.Sprintf("a budget of %d tokens holds not even one line: give at least %d", budget, max(small.Least, budget+1))}
		} else if err != nil {
			return err
		}
		if round < maxRounds && c.settle(q, d, plan) {
			if round++; round == maxRounds {
				c.dropGuesses()
			}
			continue
		}
		if opt.Rough {
			opt.Rough = false
			continue
		}
		r.Pack = c.show(plan)
		body := Body(r.Pack)
		var most int
		if r.Header.Tokens, most = tokens.Bound(body); most <= budget || len(plan.Choices) == 0 {
			q.account(r, f, d, c, plan)
			return nil
		}
		// Costs are counted piece by piece; should the whole ever count more,
		// plan for less.
		opt.Budget -= max(1, r.Header.Tokens-budget)
	}
}

func badBudget(n int) error {
	return &UsageError{fmt.Sprintf("the budget is %d tokens: want a positive number", n)}
}

// candidates are the chunks that may be packed. What they cost is a guess until
// a plan shows them: to read and count them all would be most of a query's work,
// and few of them are shown.
type candidates struct {
	items []pack.Item
	shown []*priced // by item; nil while its cost is a guess
	place []int     // by item: its place in spread.chunks; -1: a file without chunks
}

const (
	// exactBelow is the budget in tokens from which costs may be guessed.
	// Below, a wrong guess weighs much, and there is little to count.
	exactBelow = 1000
	// maxRounds is how often a plan may show something that was a guess and
	// so be made anew. Three rounds are usual.
	maxRounds = 6
)

// settle counts what a plan shows and was a guess; false if that is nothing.
func (c *candidates) settle(q *Query, d *spread, plan pack.Plan) bool {
	var list []int
	for _, ch := range plan.Choices {
		if c.shown[ch.Item] == nil {
			list = append(list, ch.Item)
		}
	}
	return c.count(q, d, list)
}

// settleAll counts whatever is a guess; false if nothing is.
func (c *candidates) settleAll(q *Query, d *spread) bool {
	var list []int
	for i, s := range c.shown {
		if s == nil {
			list = append(list, i)
		}
	}
	return c.count(q, d, list)
}

func (c *candidates) count(q *Query, d *spread, list []int) bool {
	if len(list) == 0 {
		return false
	}
	places := make([]int, len(list))
	for k, i := range list {
		places[k] = c.place[i]
	}
	q.price(d, places)
	for k, i := range list {
		c.shown[i] = q.prices[places[k]]
		c.items[i].Cost = c.shown[i].cost
	}
	return true
}

// dropGuesses leaves what was counted.
func (c *candidates) dropGuesses() {
	for i, s := range c.shown {
		if s == nil {
			c.items[i].Cost = [pack.Tiers]int{-1, -1, -1}
		}
	}
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
	return q.cost(f, d, picked, want)
}

// priced is what a chunk shows and costs at every tier; it does not depend on
// the budget.
type priced struct {
	shown [pack.Tiers]Item
	cost  [pack.Tiers]int
}

// price reads the texts of chunks that were not priced yet and counts them, on
// two goroutines.
func (q *Query) price(d *spread, picked []int) {
	if q.prices == nil {
		q.prices = map[int]*priced{}
	}
	var files []int32       // of the tree, in order of first need
	of := map[int32][]int{} // by file: places
	for _, i := range picked {
		if q.prices[i] != nil {
			continue
		}
		f := q.pool[d.file[i]]
		if of[f] == nil {
			files = append(files, f)
		}
		of[f] = append(of[f], i)
	}
	slices.Sort(files) // those of a folder are read one after the other
	const workers = 2
	var out [workers]map[int]*priced
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			out[w] = map[int]*priced{}
			var own []int32
			for k := w; k < len(files); k += workers {
				own = append(own, files[k])
			}
			var counter tokens.Counter
			for k, text := range q.eng.st.Texts(own) {
				starts := lineStarts(text)
				for _, i := range of[own[k]] {
					out[w][i] = q.priceOne(&counter, d, i, text, starts)
				}
			}
		})
	}
	wg.Wait()
	for _, part := range out {
		maps.Copy(q.prices, part)
	}
}

func (q *Query) priceOne(counter *tokens.Counter, d *spread, i int, b []byte, starts []int) *priced {
	e := q.eng
	v := e.st.View
	file := q.pool[d.file[i]]
	ch := v.Chunk(d.chunks[i])
	base := Item{StartLine: int(ch.Start), EndLine: int(ch.End), Symbol: e.symbolName(ch.Symbol), Language: e.langs[file],
		FileLines: int(v.Lines(file))}
	base.Path, base.PathB64 = safePath(q.Paths[d.file[i]])
	k := &priced{}
	for tier := range pack.Tiers {
		it := base
		it.Tier = tierNames[tier]
		switch tier {
		case pack.Body:
			it.StartLine, it.EndLine = trimBlank(b, starts, it.StartLine, it.EndLine)
			it.Text = cut(b, starts, it.StartLine, it.EndLine)
		case pack.Signature:
			it.Text = q.signature(b, starts, ch.File, int(ch.Start), int(ch.End))
		}
		k.cost[tier] = -1
		if tier == pack.Path || it.Text != "" {
			it.Tokens = counter.Count(appendItem(nil, &it))
			k.cost[tier] = it.Tokens
		}
		k.shown[tier] = it
	}
	if k.cost[pack.Signature] >= 0 && k.cost[pack.Signature] >= k.cost[pack.Body] {
		k.cost[pack.Signature] = -1 // a signature that is the whole body
	}
	return k
}

// guess says what a chunk costs at every tier, within a quarter for nine bodies
// of ten: fitted by least squares to the chunks of two repositories, one of a
// terse language and one of a wordy.
func (q *Query) guess(d *spread, i int) [pack.Tiers]int {
	v := q.eng.st.View
	ch := v.Chunk(d.chunks[i])
	body := 41 + int(ch.Len)*3/2
	cost := [pack.Tiers]int{body, -1, 2}
	if ch.Symbol >= 0 {
		cost[pack.Signature] = 20 + body/8
		cost[pack.Path] += len(v.Symbol(ch.Symbol).Name) / 3
	}
	return cost
}

// cost makes the items. empty are pool files without chunks (not read as text)
// that still get a path line.
func (q *Query) cost(f *fused, d *spread, picked []int, empty map[int32]bool) *candidates {
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
		c.shown, c.place = append(c.shown, shown), append(c.place, place)
	}
	seen := map[int32]int{} // chunks of a file so far: later ones are worth less
	for _, i := range picked {
		p := d.file[i]
		weight := math.Pow(d.dist.W[i], q.cfg.Pack.Temper)
		for range seen[p] {
			weight *= q.cfg.Pack.Repeat
		}
		seen[p]++
		if pr := q.prices[i]; pr != nil {
			add(p, i, weight, pr.cost, pr)
		} else {
			add(p, i, weight, q.guess(d, i), nil)
		}
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
		k := &priced{cost: [pack.Tiers]int{-1, -1, it.Tokens}}
		k.shown[pack.Path] = it
		add(p, -1, 0, k.cost, k)
	}
	return c
}

func lineStarts(b []byte) []int {
	out := []int{0}
	for i := 0; i < len(b); {
		j := bytes.IndexByte(b[i:], '\n')
		if j < 0 {
			break
		}
		i += j + 1
		out = append(out, i)
	}
	return out
}

// cut returns lines from to to (one-based, inclusive) of a text.
func cut(b []byte, starts []int, from, to int) string {
	if from < 1 || from > len(starts) || to < from {
		return ""
	}
	end := len(b)
	if to < len(starts) {
		end = starts[to]
	}
	return strings.ToValidUTF8(string(b[starts[from-1]:end]), "\ufffd")
}

// trimBlank narrows a range of lines to its first and last that are not blank.
func trimBlank(b []byte, starts []int, from, to int) (int, int) {
	blank := func(line int) bool {
		if line < 1 || line > len(starts) {
			return false
		}
		end := len(b)
		if line < len(starts) {
			end = starts[line]
		}
		return len(bytes.TrimSpace(b[starts[line-1]:end])) == 0
	}
	for to > from && blank(to) {
		to--
	}
	for from < to && blank(from) {
		from++
	}
	return from, to
}

// inner tells symbols that stand within a function: they are its business.
func inner(v *index.View, s *index.Symbol) bool {
	for p := s.Parent; p >= 0; {
		o := v.Symbol(p)
		if o.Kind.Callable() {
			return true
		}
		p = o.Parent
	}
	return false
}

// signature returns the signatures of the symbols that start in a chunk, with
// the doc comment if it is a single one.
func (q *Query) signature(b []byte, starts []int, file int32, from, to int) string {
	v := q.eng.st.View
	var out strings.Builder
	n := 0
	last := 0
	for _, id := range v.SymbolsOf(file) {
		s := v.Symbol(id)
		if int(s.Start) < from || int(s.Start) > to || int(s.Start) <= last || inner(v, &s) {
			continue
		}
		lo, hi := int(s.Start), int(s.SigEnd)
		if n == 0 && s.DocStart < s.Start && int(s.DocStart) >= from {
			lo = max(int(s.DocStart), lo-3)
		}
		hi = min(max(hi, lo), to)
		if hi-lo+1 > maxSignature-n {
			hi = lo + maxSignature - n - 1
		}
		if hi < lo {
			break
		}
		part := cut(b, starts, lo, hi)
		if part == "" {
			continue
		}
		out.WriteString(part)
		if !strings.HasSuffix(part, "\n") {
			out.WriteByte('\n')
		}
		n += hi - lo + 1
		last = hi
	}
	return out.String()
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
		r.LeftOut = append(r.LeftOut, LeftOut{r.Files[k].Path, why})
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
