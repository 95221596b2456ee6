package rank

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"sync"

	"cohop/internal/index"
	"cohop/internal/tokens"
	"cohop/pack"
)

// candidates are the chunks that may be packed. What they cost is a guess until
// a plan shows them: to read and count them all would be most of a query's work,
// and few of them are shown.
type candidates struct {
	items []pack.Item
	shown []*priced // by item; nil while all its costs are guesses
	read  []bool    // by item: its text was read; otherwise at most its path was counted
	place []int     // by item: its place in spread.chunks; -1: a file without chunks
}

const (
	// exactBelow is the budget in tokens from which costs may be guessed.
	// Below, a wrong guess weighs much, and there is little to count.
	exactBelow = 2000
	// maxRounds is how often a plan may show something that was a guess and
	// so be made anew. The last lines may go on for long: with three rounds
	// packs of 2,000 tokens hold a quarter of a point less, with more than
	// four nothing is gained.
	maxRounds = 4
)

// settle counts what a plan shows and was a guess; false if that is nothing. The
// line of a path is counted without reading the file.
func (c *candidates) settle(q *Query, d *spread, plan pack.Plan) bool {
	var list []int
	some := false
	var counter tokens.Counter
	for _, ch := range plan.Choices {
		switch i := ch.Item; {
		case c.read[i], c.shown[i] != nil && ch.Tier == pack.Path:
		case ch.Tier == pack.Path:
			c.countPath(q, &counter, d, i)
			some = true
		default:
			list = append(list, i)
		}
	}
	return c.readTexts(q, d, list) || some
}

func (c *candidates) countPath(q *Query, counter *tokens.Counter, d *spread, i int) {
	p := q.pricePath(counter, d, c.place[i])
	c.shown[i], c.items[i].Cost[pack.Path] = p, p.cost[pack.Path]
}

// settleAll counts whatever is a guess; false if nothing is.
func (c *candidates) settleAll(q *Query, d *spread) bool {
	var list []int
	for i, read := range c.read {
		if !read {
			list = append(list, i)
		}
	}
	return c.readTexts(q, d, list)
}

func (c *candidates) readTexts(q *Query, d *spread, list []int) bool {
	if len(list) == 0 {
		return false
	}
	places := make([]int, len(list))
	for k, i := range list {
		places[k] = c.place[i]
	}
	q.price(d, places)
	for k, i := range list {
		c.shown[i], c.read[i] = q.prices[places[k]], true
		c.items[i].Cost = c.shown[i].cost
	}
	return true
}

// count gives the tokens of a plan, and the most that another reading makes of
// them (see tokens.Bound): sums over heads and items, since each ends its line,
// and no piece of text that is counted as one goes on from the end of a line to
// a heading, a number or a dash.
func (c *candidates) count(plan pack.Plan) (n, most int) {
	open := map[int]bool{}
	for _, ch := range plan.Choices {
		if it := &c.items[ch.Item]; !open[it.Group] {
			open[it.Group] = true
			n, most = n+it.HeadCost, most+it.HeadCost
		}
		p := c.shown[ch.Item]
		if ch.Item != plan.Exemplar {
			n, most = n+p.cost[ch.Tier], most+p.most[ch.Tier]
			continue
		}
		it := p.shown[ch.Tier]
		it.Exemplar = true
		a, b := tokens.Bound(appendItem(nil, &it))
		n, most = n+a, most+b
	}
	return n, most
}

// endGuesses ends the rounds: what no plan has shown yet can be shown by its path
// alone, which is counted now.
func (c *candidates) endGuesses(q *Query, d *spread) {
	var counter tokens.Counter
	for i := range c.items {
		if c.read[i] {
			continue
		}
		if c.shown[i] == nil {
			c.countPath(q, &counter, d, i)
		}
		c.items[i].Cost[pack.Body], c.items[i].Cost[pack.Signature] = -1, -1
	}
}

// priced is what a chunk shows and costs at every tier; it does not depend on
// the budget.
type priced struct {
	shown [pack.Tiers]Item
	cost  [pack.Tiers]int
	most  [pack.Tiers]int // what another reading of white space makes of it
	read  bool            // false: only the path tier is known
}

// price reads the texts of chunks that were not priced yet and counts them, on
// two goroutines. What an earlier query counted is taken from the engine.
func (q *Query) price(d *spread, picked []int) {
	var files []int32       // of the tree, in order of first need
	of := map[int32][]int{} // by file: places
	for _, i := range picked {
		if p := q.prices[i]; p != nil && p.read {
			continue
		}
		if p := q.eng.prices.get(d.chunks[i]); p != nil && p.read {
			q.prices[i] = p
			continue
		}
		f := q.pool[d.file[i]]
		if of[f] == nil {
			files = append(files, f)
		}
		of[f] = append(of[f], i)
	}
	if len(files) == 0 {
		return
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
			var starts []int
			q.eng.st.Texts(own, func(f int32, text []byte) {
				starts = lineStarts(starts[:0], text)
				for _, i := range of[f] {
					p := q.priceOne(&counter, d, i, text, starts)
					out[w][i] = p
					if text != nil && q.eng.st.Kept(f) {
						q.eng.prices.put(d.chunks[i], p)
					}
				}
			})
		})
	}
	wg.Wait()
	for _, part := range out {
		maps.Copy(q.prices, part)
	}
}

// place gives what is known of a chunk without its text.
func (q *Query) place(d *spread, i int) Item {
	e := q.eng
	file := q.pool[d.file[i]]
	ch := e.st.View.Chunk(d.chunks[i])
	it := Item{StartLine: int(ch.Start), EndLine: int(ch.End), Symbol: e.symbolName(ch.Symbol), Language: e.langs[file],
		FileLines: int(e.st.View.Lines(file))}
	it.Path, it.PathB64 = safePath(q.Paths[d.file[i]])
	return it
}

// pricePath counts the line of a chunk's path alone.
func (q *Query) pricePath(counter *tokens.Counter, d *spread, i int) *priced {
	p := q.prices[i]
	if p == nil {
		p = q.eng.prices.get(d.chunks[i])
		q.prices[i] = p
	}
	if p != nil {
		return p
	}
	it := q.place(d, i)
	it.Tier = TierPath
	p = &priced{cost: [pack.Tiers]int{-1, -1, 0}}
	it.Tokens, p.most[pack.Path] = counter.Bound(appendItem(nil, &it))
	p.shown[pack.Path], p.cost[pack.Path] = it, it.Tokens
	q.prices[i] = p
	q.eng.prices.put(d.chunks[i], p)
	return p
}

func (q *Query) priceOne(counter *tokens.Counter, d *spread, i int, b []byte, starts []int) *priced {
	ch := q.eng.st.View.Chunk(d.chunks[i])
	base := q.place(d, i)
	k := &priced{read: true}
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
			it.Tokens, k.most[tier] = counter.Bound(appendItem(nil, &it))
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

// lineStarts appends the offsets at which the lines of b start.
func lineStarts(out []int, b []byte) []int {
	out = append(out, 0)
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
