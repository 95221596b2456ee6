package rank

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"cohop/cochange"
	"cohop/fuse"
	"cohop/graph"
	"cohop/internal/config"
	"cohop/internal/index"
	"cohop/internal/text"
	"cohop/precedent"
	"cohop/similarity"
)

// Query is one question with every column taken over its pool. It is for one
// goroutine at a time.
type Query struct {
	Paths   []string // of the pool, in path order
	Columns []fuse.Column
	Intent  float64 // probability that the task asks for a change

	eng      *Engine
	req      Request
	task     *text.Task
	cfg      *config.Config
	pool     []int32 // files, ascending
	off      map[string]bool
	scores   *similarity.Scores
	evidence evidence
	votes    map[int32]precedent.Vote
	defs     map[int32]float64
	literals []similarity.Literal
	seeds    []graph.Seed
	given    int // how many of seeds the caller named; they stand first
	allowed  *roaring.Bitmap
	warnings []string
	prices   map[int]*priced // by place in spread.chunks
	session  *session        // nil without one
}

// proposals of each column to the pool, as a share of its size.
const (
	poolText     = 0.45
	poolZone     = 0.15
	poolChunk    = 0.25
	poolDefiner  = 0.25
	poolPath     = 0.2
	poolPast     = 0.35
	poolCochange = 0.2
	poolHops     = 0.25
)

// Query draws the pool and takes every column over it.
func (e *Engine) Query(ctx context.Context, req Request) (*Query, error) {
	if strings.TrimSpace(req.Task) == "" {
		return nil, &UsageError{"the task is empty: say in words what is to be done or found"}
	}
	cfg := e.cfg
	if req.Config != nil {
		cfg = req.Config
	}
	q := &Query{eng: e, req: req, cfg: cfg, task: text.Parse(req.Task)}
	if q.task.Truncated {
		q.warnings = append(q.warnings, "the task is longer than 64 KiB: only its start is read")
	}
	var err error
	if q.off, err = config.Expand(req.Without); err != nil {
		return nil, &UsageError{err.Error()}
	}
	if q.allowed, err = e.filter(&req); err != nil {
		return nil, err
	}
	switch req.Intent {
	case "", Auto:
		q.Intent = intentOf(q.task, &cfg.Intent)
	case Ask:
		q.Intent = 0
	case Change:
		q.Intent = 1
	default:
		return nil, &UsageError{"unknown intent " + strconvQuote(req.Intent) + ": want ask, change or auto"}
	}
	sc := e.scratch.Get().(*scratchSpace)
	defer e.scratch.Put(sc)
	q.textColumns()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.takeVotes(sc)
	q.openSession()
	if err := q.drawPool(sc); err != nil {
		return nil, err
	}
	return q, nil
}

func strconvQuote(s string) string { return "\"" + s + "\"" }

// ok tells whether the filter lets a file through.
func (q *Query) ok(f int32) bool { return q.allowed == nil || q.allowed.Contains(uint32(f)) }

func (q *Query) on(column string) bool { return !q.off[column] }

// rolePrior is what a file's role adds to its score, in units of the score.
func (q *Query) rolePrior(f int32) float64 {
	r := q.eng.roles[f]
	p := q.cfg.Priors
	return q.Intent*p.Change[r] + (1-q.Intent)*p.Ask[r]
}

// standing is how much a file's claim to define or hold something counts by
// its role, beside the source's 1: tests, examples and copies repeat what the
// source says. Unlike a prior it does not depend on the intent, and it is not
// fitted with the weights, since it shapes what they are fitted to.
var standing = map[string]float64{
	"source": 1, "reexport": 0.7, "script": 0.7, "configuration": 0.6, "migration": 0.5, "generated": 0.4,
	"test": 0.4, "benchmark": 0.4, "example": 0.4, "documentation": 0.4, "ci": 0.4, "data": 0.3,
	"fixture": 0.25, "vendored": 0.25, "changelog": 0.2, "lock": 0.1, "legal": 0.1,
}

func (q *Query) standing(f int32) float64 {
	if s, ok := standing[q.eng.roles[f]]; ok {
		return s
	}
	return 1 // a role of the user's own
}

func (q *Query) textColumns() {
	c := &q.cfg.Text
	p := similarity.Params{K1: c.K1, B: c.B, ChunkK1: c.ChunkK1, ChunkB: c.ChunkB, QueryK: c.QueryK, PlainWord: c.PlainWord}
	p.Weight[index.Body], p.Weight[index.Names] = c.BodyWeight, c.NameWeight
	p.Weight[index.Docs], p.Weight[index.Path] = c.DocWeight, c.PathWeight
	v := q.eng.st.View
	q.scores = similarity.Score(v, q.task, p)
	if q.on("definition") {
		q.defs = similarity.Definition(v, q.task, p, q.standing)
	}
	if q.on(config.Literal) {
		q.literals = similarity.Literals(v, q.task, q.cfg.Fusion.LiteralFiles)
	}
	q.evidence = q.weighEvidence()
}

// takeVotes asks the history for precedents.
func (q *Query) takeVotes(sc *scratchSpace) {
	q.votes = map[int32]precedent.Vote{}
	if q.eng.past == nil || !q.on("precedent") {
		return
	}
	terms, opt := q.pastQuery()
	for _, v := range q.eng.past.Votes(terms, opt, &sc.past) {
		q.votes[v.File] = v
	}
}

// topOf appends the best n files by score to pool.
func (q *Query) topOf(pool *roaring.Bitmap, n int, score func(f int32) float64) {
	type hit struct {
		f int32
		s float64
	}
	hits := make([]hit, 0, 256)
	for f := range q.eng.st.View.Files() {
		if s := score(f); s > 0 && q.ok(f) {
			hits = append(hits, hit{f, s})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.s, a.s), cmp.Compare(a.f, b.f)) })
	for _, h := range hits[:min(n, len(hits))] {
		pool.Add(uint32(h.f))
	}
}

func (q *Query) topMap(pool *roaring.Bitmap, n int, m map[int32]float64) {
	q.topOf(pool, n, func(f int32) float64 { return m[f] })
}

// drawPool unites what the columns propose, picks the seeds among it, adds
// what they lead to, and takes the columns over the whole.
func (q *Query) drawPool(sc *scratchSpace) error {
	e, size := q.eng, float64(q.cfg.Pool.Size)
	share := func(x float64) int { return max(5, int(x*size)) }
	v := e.st.View
	files := int(v.Files())
	best := q.bestChunks()
	mentions := map[int32]float64{}
	if q.on("mention") {
		mentions = similarity.Mentions(v, q.task)
	}
	paths := make([]float64, files)
	if q.on("path") {
		match := similarity.NewPathMatch(q.task, q.scores)
		for f := range paths {
			paths[f] = match.Of(v.Path(int32(f)))
		}
	}
	pool := roaring.New()
	q.topMap(pool, share(poolDefiner), q.defs)
	q.topMap(pool, share(poolPath), mentions)
	at := func(s []float64) func(int32) float64 { return func(f int32) float64 { return s[f] } }
	// Roles speak here too, mildly, or a hundred tests crowd out the source.
	soft := func(s []float64) func(int32) float64 {
		return func(f int32) float64 { return s[f] * math.Cbrt(q.standing(f)) }
	}
	if q.on("similarity.file") {
		q.topOf(pool, share(poolText), soft(q.scores.File))
	}
	if q.on("similarity.title") {
		q.topOf(pool, share(poolZone), soft(q.scores.Title))
	}
	if q.on("similarity.code") {
		q.topOf(pool, share(poolZone), soft(q.scores.Code))
	}
	if q.on("similarity.chunk") {
		q.topOf(pool, share(poolChunk), soft(best))
	}
	q.topOf(pool, share(poolPath), at(paths))
	for _, l := range q.literals {
		for _, f := range l.Files {
			if q.ok(f) {
				pool.Add(uint32(f))
			}
		}
	}
	q.topOf(pool, share(poolPast), func(f int32) float64 { return q.votes[f].Score })

	explicit, err := q.explicitSeeds()
	if err != nil {
		return err
	}
	q.pickSeeds(pool, best, paths, mentions, explicit)
	hops := q.hopScores()
	co := map[int32]float64{}
	if e.log != nil && q.on("cochange") && len(q.seeds) > 0 {
		seeds := make([]cochange.Seed, len(q.seeds))
		for i, s := range q.seeds {
			seeds[i] = cochange.Seed{File: s.Node, Weight: s.Weight}
		}
		c := &q.cfg.CoChange
		for _, x := range e.log.Score(cochange.Query{Seeds: seeds, Now: e.st.Snapshot.CommitTime, HalfLife: c.HalfLifeDays * day,
			MinFiles: c.MinFiles, MaxFiles: c.MaxFiles}, &sc.co) {
			co[x.File] = x.Score
		}
	}
	q.topMap(pool, share(poolCochange), co)
	q.topOf(pool, share(poolHops), func(f int32) float64 { return hops[f] })
	for _, s := range q.seeds {
		if q.ok(s.Node) {
			pool.Add(uint32(s.Node))
		}
	}

	q.recall(pool)

	q.pool = make([]int32, 0, pool.GetCardinality())
	for _, f := range pool.ToArray() {
		q.pool = append(q.pool, int32(f))
		q.Paths = append(q.Paths, v.Path(int32(f)))
	}
	rest := q.outside(pool)
	add := func(id string, value func(f int32) float64, ranked func(f int32) bool) {
		if !q.on(id) {
			return
		}
		c := fuse.Column{ID: id, Raw: make([]float64, len(q.pool)), Ranked: make([]bool, len(q.pool)), Weight: q.cfg.Weights[id]}
		for i, f := range q.pool {
			c.Raw[i] = value(f)
			if ranked == nil {
				c.Ranked[i] = c.Raw[i] > 0
			} else {
				c.Ranked[i] = ranked(f)
			}
		}
		for _, f := range rest {
			c.Rest = append(c.Rest, value(f))
		}
		c.Unit = id == "priors.role"
		q.Columns = append(q.Columns, c)
	}
	all := func(int32) bool { return true }
	add("similarity.file", at(q.scores.File), nil)
	add("similarity.chunk", at(best), nil)
	add("similarity.title", at(q.scores.Title), nil)
	add("similarity.code", at(q.scores.Code), nil)
	add("path", at(paths), nil)
	add("definition", func(f int32) float64 { return q.defs[f] }, nil)
	add("hops", at(hops), func(f int32) bool { return hops[f] > q.hopFloor() })
	add("cochange", func(f int32) float64 { return co[f] }, nil)
	add("precedent", func(f int32) float64 { return math.Sqrt(q.votes[f].Score) }, nil)
	add("mention", func(f int32) float64 { return mentions[f] }, nil)
	add("priors.role", q.rolePrior, all)
	add("priors.centrality", at(e.centrality), nil)
	add("priors.heat", at(e.heat), nil)
	return nil
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

// bestChunks gives each file the score of its best chunk.
func (q *Query) bestChunks() []float64 {
	v := q.eng.st.View
	best := make([]float64, v.Files())
	for f := range v.Files() {
		for c := v.FirstChunk(f); c < v.FirstChunk(f+1); c++ {
			best[f] = math.Max(best[f], q.scores.Chunk[c])
		}
	}
	return best
}

// explicitSeeds are the files that the caller named, and the dirty ones if
// asked for.
func (q *Query) explicitSeeds() (files []int32, err error) {
	v := q.eng.st.View
	for _, p := range q.req.Seeds {
		f, ok := v.Find(strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/"))
		if !ok {
			return nil, &UsageError{"the seed " + strconvQuote(p) + " is no file of the ranked tree: give its path from the repository's top"}
		}
		files = append(files, f)
	}
	return files, nil
}

// pickSeeds fuses the text columns over the pool so far and takes the best.
// Their weight falls with their rank, as the trust in them does.
func (q *Query) pickSeeds(pool *roaring.Bitmap, best, paths []float64, mentions map[int32]float64, explicit []int32) {
	files := make([]int32, 0, pool.GetCardinality())
	for _, f := range pool.ToArray() {
		files = append(files, int32(f))
	}
	rest := q.outside(pool)
	var cols []fuse.Column
	add := func(id string, value func(f int32) float64) {
		if !q.on(id) {
			return
		}
		c := fuse.Column{ID: id, Raw: make([]float64, len(files)), Weight: q.cfg.Weights[id], Unit: id == "priors.role"}
		for i, f := range files {
			c.Raw[i] = value(f)
		}
		for _, f := range rest {
			c.Rest = append(c.Rest, value(f))
		}
		cols = append(cols, c)
	}
	at := func(s []float64) func(int32) float64 { return func(f int32) float64 { return s[f] } }
	add("similarity.file", at(q.scores.File))
	add("similarity.chunk", at(best))
	add("similarity.title", at(q.scores.Title))
	add("similarity.code", at(q.scores.Code))
	add("path", at(paths))
	add("definition", func(f int32) float64 { return q.defs[f] })
	add("mention", func(f int32) float64 { return mentions[f] })
	add("precedent", func(f int32) float64 { return math.Sqrt(q.votes[f].Score) })
	add("priors.role", q.rolePrior)
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

// hopFloor is the column's value for files that no seed leads to.
func (q *Query) hopFloor() float64 {
	if q.cfg.Hops.Spread {
		return 0
	}
	return -float64(q.cfg.Hops.Max + 1)
}

// hopScores is the hops column over all files: what spreads from the seeds, or
// the negative distance.
func (q *Query) hopScores() []float64 {
	e, c := q.eng, &q.cfg.Hops
	if !q.on("hops") || len(q.seeds) == 0 {
		out := make([]float64, e.st.View.Files())
		for i := range out {
			out[i] = q.hopFloor()
		}
		return out
	}
	if c.Spread {
		out := e.graph.Spread(q.seeds, c.Steps, c.Damping)
		// What the text columns picked has had their say: its own weight would
		// count them twice, and set the first of equals above the rest.
		for _, s := range q.seeds[q.given:] {
			out[s.Node] = math.Max(0, out[s.Node]-s.Weight)
		}
		for i, x := range out {
			out[i] = math.Sqrt(x) // a few neighbours hold nearly all of it
		}
		return out
	}
	nodes := make([]int32, len(q.seeds))
	for i, s := range q.seeds {
		nodes[i] = s.Node
	}
	out := make([]float64, e.st.View.Files())
	for i, h := range e.graph.Hops(nodes, c.Max) {
		out[i] = -float64(h)
		if h < 0 {
			out[i] = q.hopFloor()
		}
	}
	return out
}

// ErrAbstained says that the repository holds too little of the task's words.
var ErrAbstained = errors.New("the repository holds too little of what the task speaks of")

// evidence is what the repository holds of the task's words.
type evidence struct {
	sum     float64  // idf of the terms it holds
	missing []string // words none of whose terms it holds
	nearest []string
}

// weighEvidence sums the idf of the task's words in the repository: of each
// word its best term.
func (q *Query) weighEvidence() (ev evidence) {
	var sp text.Splitter
	for _, w := range q.task.Words {
		top := 0.0
		sp.Each([]byte(w), func(t []byte, _ bool) { top = math.Max(top, q.scores.IDF[string(t)]) })
		if top == 0 {
			if len(ev.missing) < 20 {
				ev.missing = append(ev.missing, w)
			}
			continue
		}
		ev.sum += top
	}
	for _, w := range ev.missing {
		if n := q.eng.nearest(w); n != "" && !slices.Contains(ev.nearest, n) && len(ev.nearest) < 5 {
			ev.nearest = append(ev.nearest, n)
		}
	}
	return ev
}
