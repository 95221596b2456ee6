package rank

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"cohop/fuse"
	"cohop/graph"
	"cohop/internal/config"
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

	report   float64         // likeness to a report: a change told by its symptoms
	named    map[string]bool // roles that the title names
	eng      *Engine
	req      Request
	task     *text.Task
	cfg      *config.Config
	pool     []int32 // files, ascending
	off      map[string]bool
	scores   *similarity.Scores
	evidence evidence
	votes    map[int32]precedent.Vote
	spoken   map[string]int       // how many commits speak of a term, of those that were looked up
	raw      map[string][]float64 // of every column, by file, over all files
	literals []similarity.Literal
	seeds    []graph.Seed
	given    int // how many of seeds the caller named; they stand first
	allowed  *roaring.Bitmap
	warnings []string
	prices   map[int]*priced // by place in spread.chunks
	session  *session        // nil without one
}

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
		return nil, &UsageError{"unknown intent " + strconv.Quote(req.Intent) + ": want ask, change or auto"}
	}
	switch q.method() {
	case "z", "rrf":
	default:
		return nil, &UsageError{"unknown fusion " + strconv.Quote(q.method()) + ": want z or rrf"}
	}
	q.report, q.named = reportOf(q.task, &cfg.Intent), namedRoles(q.task.Text)
	sc := e.scratch.Get().(*scratchSpace)
	defer e.scratch.Put(sc)
	q.textColumns(sc)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.openSession()
	if err := q.drawPool(sc); err != nil {
		return nil, err
	}
	return q, nil
}

// ok tells whether the filter lets a file through.
func (q *Query) ok(f int32) bool { return q.allowed == nil || q.allowed.Contains(uint32(f)) }

func (q *Query) on(column string) bool { return !q.off[column] }

// rolePrior is what a role adds to a file's score, in units of the score.
func (q *Query) rolePrior(r string) float64 {
	p := q.cfg.Priors
	change := p.Change[r] + q.report*p.Report[r]
	if q.named[r] {
		change += p.Named[r]
	}
	return q.Intent*change + (1-q.Intent)*p.Ask[r]
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

func (q *Query) standing(f int32) float64 { return standingOf(q.eng.roles[f]) }

func standingOf(role string) float64 {
	if s, ok := standing[role]; ok {
		return s
	}
	return 1 // a role of the user's own
}

// byRole asks once a role rather than once a file.
func byRole(roles []string, value func(role string) float64) func(f int32) float64 {
	known := map[string]float64{}
	out := make([]float64, len(roles))
	last, x := "", 0.0
	for f, r := range roles {
		if f == 0 || r != last { // files of a folder have mostly one role
			var ok bool
			if x, ok = known[r]; !ok {
				x = value(r)
				known[r] = x
			}
			last = r
		}
		out[f] = x
	}
	return func(f int32) float64 { return out[f] }
}

// ErrAbstained says that the repository holds too little of the task's words.
var ErrAbstained = errors.New("the repository holds too little of what the task speaks of")

// evidence is what the repository holds of the task's words.
type evidence struct {
	sum     float64  // idf of the terms it holds
	missing []string // words none of whose terms it holds
	nearest []string
	parts   map[string]int // words that it does not hold → files that hold all their parts, if any
}

// maxMissing is the most characters of a missing word that are told: a task can be
// one word of 64 KiB, and the header must stay a header.
const maxMissing = 64

// weighEvidence sums the idf of the task's words in the repository: of each
// word its best term.
func (q *Query) weighEvidence() (ev evidence) {
	var sp text.Splitter
	for _, w := range q.task.Words {
		top := 0.0
		sp.Each([]byte(w), func(t []byte, _ bool) { top = math.Max(top, q.scores.IDF[string(t)]) })
		if top == 0 {
			if len(ev.missing) < 20 {
				ev.missing = append(ev.missing, shorten(w, maxMissing))
			}
			if n := q.holdParts(w); n > 0 {
				if ev.parts == nil {
					ev.parts = map[string]int{}
				}
				ev.parts[w] = n
				ev.sum += q.scores.MaxIDF // a name that is no more, or not yet
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
