package rank

import (
	"cmp"
	"iter"
	"math"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"cohop/cochange"
	"cohop/fuse"
	"cohop/graph"
	"cohop/internal/config"
	"cohop/internal/index"
	"cohop/precedent"
	"cohop/similarity"
)

// proposals: how many files a column puts into the pool, as a share of its
// size. Definers and mentions come first in weight, since a pool cut by raw
// hits loses the answer. A soft proposal is weighed by the file's standing, or
// a hundred tests crowd out the source.
var proposals = []struct {
	column string
	share  float64
	soft   bool
}{
	{"similarity.file", 0.45, true},
	{"similarity.chunk", 0.25, true},
	{"similarity.title", 0.15, true},
	{"similarity.code", 0.15, true},
	{"path", 0.2, false},
	{"definition", 0.25, false},
	{"hops", 0.25, false},
	{"cochange", 0.2, false},
	{"precedent", 0.35, false},
	{"mention", 0.2, false},
}

// minProposal is the least number of files that a column proposes.
const minProposal = 5

func (q *Query) proposal(share float64) int {
	return max(minProposal, int(share*float64(q.cfg.Pool.Size)))
}

// proposed is what a column says of a file when it proposes: above 0 if it says
// anything.
func (q *Query) proposed(column string, soft bool) func(f int32) float64 {
	raw := q.raw[column]
	if !soft {
		floor := q.floor(column)
		return func(f int32) float64 { return raw[f] - floor }
	}
	soften := byRole(q.eng.roles, func(role string) float64 { return math.Cbrt(standingOf(role)) })
	return func(f int32) float64 { return raw[f] * soften(f) }
}

// textColumns fills the columns that need nothing but the task: raw values by
// file, over all files.
func (q *Query) textColumns(sc *scratchSpace) {
	e := q.eng
	v := e.st.View
	n := int(v.Files())
	c := &q.cfg.Text
	p := similarity.Params{K1: c.K1, B: c.B, ChunkK1: c.ChunkK1, ChunkB: c.ChunkB, QueryK: c.QueryK, PlainWord: c.PlainWord}
	p.Weight[index.Body], p.Weight[index.Names] = c.BodyWeight, c.NameWeight
	p.Weight[index.Docs], p.Weight[index.Path] = c.DocWeight, c.PathWeight
	// The history is asked beside the texts: it is about as much work.
	var past []float64
	var beside sync.WaitGroup
	if q.on("precedent") {
		beside.Go(func() { past = q.takeVotes(sc) })
	}
	s := similarity.Score(v, q.task, p)
	var byPath []float64
	if q.on("path") {
		beside.Go(func() {
			match := similarity.NewPathMatch(v, q.task, s, q.standing)
			byPath = make([]float64, n)
			for f := range byPath {
				byPath[f] = match.Of(int32(f), v.Path(int32(f)))
			}
		})
	}
	q.scores = s
	q.evidence = q.weighEvidence()
	q.raw = map[string][]float64{}
	for _, id := range config.Columns {
		if !q.on(id) {
			q.raw[id] = make([]float64, n) // switched off: says nothing
		}
	}
	set := func(id string, value func() []float64) {
		if q.on(id) {
			q.raw[id] = value()
		}
	}
	set("similarity.file", func() []float64 { return s.File })
	set("similarity.chunk", func() []float64 { return q.bestChunks(s.Chunk) })
	// The logarithm: a title of many words would else be decided by the one
	// file that holds them all.
	set("similarity.title", func() []float64 { return each(s.Title, math.Log1p) })
	set("similarity.code", func() []float64 { return q.bestChunks(s.ChunkCode) })
	set("definition", func() []float64 { return dense(n, similarity.Definition(v, q.task, p, q.standing)) })
	set("mention", func() []float64 { return dense(n, similarity.Mentions(v, q.task)) })
	set("priors.role", func() []float64 {
		out := make([]float64, n)
		prior := byRole(e.roles, q.rolePrior)
		for f := range out {
			out[f] = prior(int32(f))
		}
		return out
	})
	set("priors.centrality", func() []float64 { return e.derived().centrality })
	set("priors.heat", func() []float64 {
		if days := q.cfg.CoChange.HeatDays; days != e.cfg.CoChange.HeatDays {
			return e.st.Heat(days * day) // the request's own configuration
		}
		return e.derived().heat
	})
	if q.on(config.Literal) {
		q.literals = similarity.Literals(v, q.task, q.cfg.Fusion.LiteralFiles)
	}
	beside.Wait()
	set("precedent", func() []float64 { return past })
	set("path", func() []float64 { return byPath })
}

func each(in []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(in))
	for i, x := range in {
		out[i] = f(x)
	}
	return out
}

func dense(n int, m map[int32]float64) []float64 {
	out := make([]float64, n)
	for f, x := range m {
		out[f] = x
	}
	return out
}

// bestChunks gives each file the score of its best chunk.
func (q *Query) bestChunks(chunk []float64) []float64 {
	v := q.eng.st.View
	best := make([]float64, v.Files())
	from := v.FirstChunk(0)
	for f := range best {
		to := v.FirstChunk(int32(f) + 1)
		for _, x := range chunk[from:to] {
			if x > best[f] { // none is NaN
				best[f] = x
			}
		}
		from = to
	}
	return best
}

// takeVotes asks the history for precedents: commits that resemble the task,
// and once more, since what was done lately is likelier to go on, recent ones
// that resemble its title. The column is the logarithm of the votes.
func (q *Query) takeVotes(sc *scratchSpace) []float64 {
	out := make([]float64, q.eng.st.View.Files())
	q.votes = map[int32]precedent.Vote{}
	if q.eng.past == nil {
		return out
	}
	terms, opt := q.pastQuery()
	q.spoken = make(map[string]int, len(terms))
	sc.past.Held = q.spoken
	defer func() { sc.past.Held = nil }()
	for _, v := range q.eng.past.Votes(terms, opt, &sc.past) {
		q.votes[v.File] = v
		out[v.File] = v.Score
	}
	if q.cfg.Past.Recent > 0 {
		terms, opt = q.recentQuery()
		for _, v := range q.eng.past.Votes(terms, opt, &sc.past) {
			out[v.File] += q.cfg.Past.Recent * v.Score
			if _, ok := q.votes[v.File]; !ok {
				q.votes[v.File] = v
			}
		}
	}
	for f, x := range out {
		out[f] = math.Log1p(x)
	}
	return out
}

// topOf adds the best n files by score to pool.
func (q *Query) topOf(pool *roaring.Bitmap, n int, score func(f int32) float64) {
	type hit struct {
		f int32
		s float64
	}
	best := func(a, b hit) int {
		switch {
		case a.s > b.s:
			return -1
		case a.s < b.s:
			return 1
		}
		return cmp.Compare(a.f, b.f)
	}
	// A list twice as long as it must be is cut, and from then on only what
	// beats its last is taken: files come in order, so of equals the first.
	hits := make([]hit, 0, 2*n+64)
	least := 0.0
	for f := range q.eng.st.View.Files() {
		if s := score(f); s > least && q.ok(f) {
			if hits = append(hits, hit{f, s}); len(hits) == cap(hits) && first(hits, n, best) == n {
				hits = hits[:n]
				least = hits[0].s
				for _, h := range hits {
					least = min(least, h.s)
				}
			}
		}
	}
	for _, h := range hits[:first(hits, n, best)] {
		pool.Add(uint32(h.f))
	}
}

// first moves the first n of a list by a total order to its front, in any order
// (Hoare's selection), and returns how many these are.
func first[T any](list []T, n int, order func(a, b T) int) int {
	if n >= len(list) {
		return len(list)
	}
	for lo, hi := 0, len(list)-1; lo < hi; {
		pivot := list[lo+(hi-lo)/2]
		i, k := lo, hi
		for i <= k {
			for order(list[i], pivot) < 0 {
				i++
			}
			for order(list[k], pivot) > 0 {
				k--
			}
			if i <= k {
				list[i], list[k] = list[k], list[i]
				i, k = i+1, k-1
			}
		}
		switch {
		case n-1 <= k:
			hi = k
		case n-1 >= i:
			lo = i
		default:
			return n
		}
	}
	return n
}

// drawPool unites what the columns propose, picks the seeds among it, adds
// what they lead to, and takes the columns over the whole.
func (q *Query) drawPool(sc *scratchSpace) error {
	pool := roaring.New()
	propose := func(structural bool) {
		for _, p := range proposals {
			if q.on(p.column) && (p.column == "hops" || p.column == "cochange") == structural {
				q.topOf(pool, q.proposal(p.share), q.proposed(p.column, p.soft))
			}
		}
	}
	propose(false)
	for _, l := range q.literals {
		for _, f := range l.Files {
			if q.ok(f) {
				pool.Add(uint32(f))
			}
		}
	}
	explicit, err := q.explicitSeeds()
	if err != nil {
		return err
	}
	q.standIns(pool)
	q.pickSeeds(pool, explicit)
	if q.on("hops") {
		q.raw["hops"] = q.hopScores()
	}
	if q.on("cochange") {
		q.raw["cochange"] = q.coScores(sc)
	}
	propose(true)
	for _, s := range q.seeds {
		if q.ok(s.Node) {
			pool.Add(uint32(s.Node))
		}
	}
	q.recall(pool)

	v := q.eng.st.View
	q.pool = make([]int32, 0, pool.GetCardinality())
	for _, f := range pool.ToArray() {
		q.pool = append(q.pool, int32(f))
		q.Paths = append(q.Paths, v.Path(int32(f)))
	}
	rest := q.outside(pool)
	for _, id := range config.Columns {
		if !q.on(id) {
			continue
		}
		c := q.column(id, q.pool)
		for _, f := range rest {
			c.Rest = append(c.Rest, q.raw[id][f])
		}
		q.Columns = append(q.Columns, c)
	}
	return nil
}

// full is what a column's value must be to warrant all that a standard score can
// give. Few files define any word of a task, so that the one that has a field
// named like a passing word (.3 of a name × .3 for a field) stood out as much as
// the one that defines the class that the title asks for; .7 is what one of four
// or five definers of a title's identifier gets, or the only one of a
// capitalised word.
var full = map[string]float64{"definition": 0.7}

// column takes one column over files.
func (q *Query) column(id string, files []int32) fuse.Column {
	c := fuse.Column{ID: id, Raw: make([]float64, len(files)), Ranked: make([]bool, len(files)), Weight: q.cfg.Weights[id],
		Unit: id == "priors.role", Full: full[id]}
	floor := q.floor(id)
	for i, f := range files {
		c.Raw[i] = q.raw[id][f]
		c.Ranked[i] = c.Raw[i] > floor || c.Unit
	}
	return c
}

// outside returns the files of a small repository that nothing proposes. They
// are not ranked, but what a score means is read off all files: among the six
// that match, five tests that say the same would make the source an outlier.
func (q *Query) outside(pool *roaring.Bitmap) (rest []int32) {
	n := q.eng.st.View.Files()
	if int(n) > q.cfg.Pool.Size {
		return nil // the pool is large enough to speak for itself
	}
	for f := range n {
		if q.ok(f) && !pool.Contains(uint32(f)) {
			rest = append(rest, f)
		}
	}
	return rest
}

// explicitSeeds are the files that the caller named.
func (q *Query) explicitSeeds() (files []int32, err error) {
	v := q.eng.st.View
	for _, p := range q.req.Seeds {
		f, ok := v.Find(strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/"))
		if !ok {
			return nil, &UsageError{"the seed " + strconv.Quote(p) + " is no file of the ranked tree: give its path from the repository's top"}
		}
		files = append(files, f)
	}
	return files, nil
}

// seedColumns are those that need no seeds themselves.
var seedColumns = []string{"similarity.file", "similarity.chunk", "similarity.title", "similarity.code", "path", "definition",
	"precedent", "mention", "priors.role"}

// pickSeeds fuses the columns that need no seeds over the pool so far and
// takes the best files. Their weight falls with their rank, as the trust in
// them does.
func (q *Query) pickSeeds(pool *roaring.Bitmap, explicit []int32) {
	files := make([]int32, 0, pool.GetCardinality())
	for _, f := range pool.ToArray() {
		files = append(files, int32(f))
	}
	var cols []fuse.Column
	for _, id := range seedColumns {
		if q.on(id) {
			cols = append(cols, q.column(id, files))
		}
	}
	seen := map[int32]bool{}
	push := func(f int32, w float64) {
		if !seen[f] {
			seen[f] = true
			q.seeds = append(q.seeds, graph.Seed{Node: f, Weight: w})
		}
	}
	for _, f := range explicit {
		push(f, 2)
	}
	q.given = len(q.seeds)
	if len(cols) > 0 && len(files) > 0 {
		score, _, _ := fuse.Sum(cols, q.cfg.Fusion.Clip)
		order := fuse.Order(score, func(i, j int) bool { return files[i] < files[j] })
		for k, i := range order[:min(q.cfg.Seeds.Count, len(order))] {
			push(files[i], 1/math.Sqrt(float64(k+1)))
		}
	}
}

// coScores is the cochange column over all files. The root evens out a few
// hot pairs; the first seeds, or all that were named, speak once more with a
// longer memory.
func (q *Query) coScores(sc *scratchSpace) []float64 {
	e := q.eng
	out := make([]float64, e.st.View.Files())
	if e.log == nil || len(q.seeds) == 0 {
		return out
	}
	c := &q.cfg.CoChange
	add := func(seeds []graph.Seed, days float64) {
		list := make([]cochange.Seed, len(seeds))
		for i, s := range seeds {
			list[i] = cochange.Seed{File: s.Node, Weight: s.Weight}
		}
		for _, x := range e.log.Score(cochange.Query{Seeds: list, Now: e.st.Snapshot.CommitTime, HalfLife: days * day,
			MinFiles: c.MinFiles, MaxFiles: c.MaxFiles}, &sc.co) {
			out[x.File] += math.Sqrt(x.Score)
		}
	}
	add(q.seeds, c.HalfLifeDays)
	add(q.seeds[:min(max(2, q.given), len(q.seeds))], c.LongHalfLifeDays)
	return out
}

// floor is a column's value for files of which it knows nothing: 0, but for
// hops as a distance that of files that no seed leads to.
func (q *Query) floor(column string) float64 {
	if column != "hops" || q.cfg.Hops.Spread || !q.on(column) {
		return 0
	}
	return -float64(q.cfg.Hops.Max + 1)
}

// hopScores is the hops column over all files: what spreads from the seeds
// over edges and to the files beside them, or the negative distance.
func (q *Query) hopScores() []float64 {
	e, c := q.eng, &q.cfg.Hops
	n := e.st.View.Files()
	if len(q.seeds) == 0 {
		out := make([]float64, n)
		for i := range out {
			out[i] = q.floor("hops")
		}
		return out
	}
	if !c.Spread {
		nodes := make([]int32, len(q.seeds))
		for i, s := range q.seeds {
			nodes[i] = s.Node
		}
		out := make([]float64, n)
		for i, h := range e.graph().Hops(nodes, c.Max) {
			out[i] = -float64(h)
			if h < 0 {
				out[i] = q.floor("hops")
			}
		}
		return out
	}
	out := e.graph().Spread(q.seeds, c.Steps, c.Damping)
	// What the text columns picked has had their say: its own weight would
	// count them twice, and set the first of equals above the rest.
	for _, s := range q.seeds[q.given:] {
		out[s.Node] = math.Max(0, out[s.Node]-s.Weight)
	}
	for i, x := range out {
		out[i] = math.Sqrt(x) // a few neighbours hold nearly all of it
	}
	if c.Sibling > 0 {
		// Every seed speaks alike for its folder: by rank, the folder of the
		// first of equals would win for its path.
		mean := 0.0
		for _, s := range q.seeds {
			mean += s.Weight / float64(len(q.seeds))
		}
		folders := map[string]float64{}
		for _, s := range q.seeds {
			dir, _ := path.Split(e.st.View.Path(s.Node))
			folders[dir] += mean
		}
		for dir, w := range folders {
			for f := range e.filesIn(dir) {
				out[f] += c.Sibling * w // the seeds' own too: equals in a folder stay equal
			}
		}
	}
	return out
}

// filesIn yields the files of a folder, not of those below it; dir ends in a
// slash, or is "" for the top. Files are in path order, so that they stand
// together but for the folders between them.
func (e *Engine) filesIn(dir string) iter.Seq[int32] {
	v := e.st.View
	return func(yield func(int32) bool) {
		for f := v.Seek(dir); f < v.Files(); f++ {
			name, ok := strings.CutPrefix(v.Path(f), dir)
			if !ok {
				return
			}
			if strings.IndexByte(name, '/') < 0 && !yield(f) {
				return
			}
		}
	}
}
