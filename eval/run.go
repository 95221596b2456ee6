package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"cohop/internal/config"
	"cohop/labels"
	"cohop/rank"
)

// RunDepth is how many files of a ranking are kept and scored: a TREC run
// holds no more, and every figure must come out the same from the run.
const RunDepth = 100

// DefaultWorkers is two because an engine uses the other cores itself, and
// two large histories in memory are enough.
const DefaultWorkers = 2

// Variant is one way to ask the engine, for ablations.
type Variant struct {
	Name    string         // "" the engine as it is
	Without []string       // columns or groups that are switched off
	Budgets []int          // packed; nil: the run's
	Config  *config.Config // instead of the engine's; nil: that
}

// Options says how Run asks.
type Options struct {
	Repos    string    // folder that labels' repositories are below
	Repo     string    // repository of labels that name none
	Intent   string    // auto (also "") | ask | change | label: what the label says, auto where it says nothing
	Budgets  []int     // nil: Budgets; must be positive
	Workers  int       // 0: DefaultWorkers
	Variants []Variant // nil: one, the engine as it is
	Progress io.Writer // a line a tree; nil: silent

	// Journal keeps what was done, so that an interrupted run goes on where it
	// was; nil: nothing is kept. Keep is not called for what it holds.
	Journal *Journal

	// Correlate asks for the rank correlation of the columns, of answers that
	// are Columned.
	Correlate bool

	// Keep is called for every answer to the first variant before it is
	// let go: once a label, in no fixed order and from several goroutines; i
	// is the label's place in the set. An error is the label's own failure.
	Keep func(i int, a Answer) error
}

// Run asks every label of every variant and reports one Report a variant.
//
// A label that fails is named in its report and counts as 0, as in a run that
// has no line for it. When ctx ends, what was done is reported and the rest
// counts as skipped. The error is for what makes the whole pointless: no
// label, or options that cannot be meant.
func Run(ctx context.Context, eng Engine, set []labels.Label, opts Options) ([]*Report, error) {
	if err := opts.resolve(); err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	if len(set) == 0 {
		return nil, fmt.Errorf("eval: %w", labels.ErrEmpty)
	}
	r := &runner{eng: eng, set: set, opts: &opts, start: time.Now()}
	r.results = make([][]TaskResult, len(opts.Variants))
	for v := range r.results {
		r.results[v] = make([]TaskResult, len(set))
		for i := range set {
			l := &set[i]
			r.results[v][i] = TaskResult{ID: l.ID, Repo: repoName(l, &opts), Tags: l.Tags, Relevant: l.Files, Measures: zero(l, opts.budgets(v)), Contamination: l.Contamination, skipped: true}
		}
	}
	done := make([]bool, len(set))
	for i := range set {
		done[i] = r.recall(i)
	}
	s, jobs := plan(set, &opts, done)
	r.trees = len(jobs)
	var wg sync.WaitGroup
	for range min(opts.Workers, len(jobs)) {
		wg.Go(func() {
			var at *lane
			for ctx.Err() == nil {
				var j *job
				if at, j = s.next(at); j == nil {
					return
				}
				r.do(ctx, j)
			}
		})
	}
	wg.Wait()
	reports := make([]*Report, len(opts.Variants))
	for v := range reports {
		reports[v] = newReport(opts.Variants[v], r.results[v], opts.budgets(v))
	}
	return reports, nil
}

func (o *Options) resolve() error {
	switch o.Intent {
	case "":
		o.Intent = "auto"
	case "auto", "ask", "change", "label":
	default:
		return fmt.Errorf("intent %q: want auto, ask, change or label", o.Intent)
	}
	if o.Budgets == nil {
		o.Budgets = Budgets
	}
	if len(o.Budgets) == 0 {
		return errors.New("no budget")
	}
	for _, b := range o.Budgets {
		if b <= 0 {
			return fmt.Errorf("budget %d is not positive", b)
		}
	}
	if o.Workers <= 0 {
		o.Workers = DefaultWorkers
	}
	if len(o.Variants) == 0 {
		o.Variants = []Variant{{}}
	}
	return nil
}

// budgets are those that a variant is packed at.
func (o *Options) budgets(v int) []int {
	if b := o.Variants[v].Budgets; len(b) > 0 {
		return b
	}
	return o.Budgets
}

// zero is the row of a task that has no answer.
func zero(l *labels.Label, budgets []int) Measures {
	m := fileMeasures(nil, l.Files)
	m[namePool] = 0
	for _, b := range budgets {
		m[nameBody(b)], m[nameSignature(b)] = 0, 0
		if len(l.Spans) > 0 {
			m[nameSpan(b)] = 0
		}
	}
	return m
}

// runner carries one Run. Each label's slot in results is written by the one
// worker that has its tree.
type runner struct {
	eng     Engine
	set     []labels.Label
	opts    *Options
	results [][]TaskResult // variant × label
	start   time.Time

	mu         sync.Mutex // for Keep, the counts and the progress
	trees      int
	doneTrees  int
	doneLabels int
}

func (r *runner) do(ctx context.Context, j *job) {
	began := time.Now()
	snap, err := r.open(ctx, j)
	opened := time.Since(began)
	if err != nil {
		if ctx.Err() != nil {
			return // the interruption, not the tree
		}
		for _, i := range j.labels {
			for v := range r.results {
				r.results[v][i].fail(fmt.Errorf("open %s: %w", j.name, err))
			}
		}
		r.progress(j, "cannot be opened: %v", err)
		return
	}
	failed := 0
	for _, i := range j.labels {
		for v := range r.results {
			if ctx.Err() != nil {
				break
			}
			if !r.ask(ctx, snap, v, i) {
				failed++
			}
		}
	}
	asked := time.Since(began) - opened
	if err := safely(snap.Close); err != nil {
		r.note("close %s: %v", j.name, err)
	}
	if ctx.Err() != nil {
		return
	}
	fails := ""
	if failed > 0 {
		fails = fmt.Sprintf(", %d FAILED", failed)
	}
	r.progress(j, "opened in %s, asked in %s%s", short(opened), short(asked), fails)
}

func (r *runner) open(ctx context.Context, j *job) (snap Snapshot, err error) {
	if j.err != nil {
		return nil, j.err
	}
	err = safely(func() (err error) {
		snap, err = r.eng.Open(ctx, j.tree)
		return err
	})
	return snap, err
}

// ask asks one label in one variant and says whether all went well. Nothing
// is recorded once ctx has ended: a half answer would count as a miss.
func (r *runner) ask(ctx context.Context, snap Snapshot, v, i int) bool {
	t := r.results[v][i] // a copy: the slot stays "skipped" until this is done
	l := &r.set[i]
	intent := r.opts.Intent
	if intent == "label" {
		intent = l.Intent
		if intent == "" {
			intent = "auto"
		}
	}
	err := safely(func() error {
		a, err := snap.Query(ctx, Question{ID: l.ID, Text: l.Text, Intent: intent, Without: r.opts.Variants[v].Without, Config: r.opts.Variants[v].Config})
		if err != nil {
			return err
		}
		if err := t.measure(a, l, r.opts.budgets(v)); err != nil {
			return err
		}
		if c, ok := a.(Columned); ok && v == 0 && r.opts.Correlate {
			t.pairs = correlate(c.Columns())
		}
		if v == 0 && r.opts.Keep != nil {
			return r.opts.Keep(i, a)
		}
		return nil
	})
	if ctx.Err() != nil {
		return true
	}
	if lister, ok := snap.(Lister); ok {
		for _, f := range l.Files {
			if !lister.Has(f) {
				t.Absent = append(t.Absent, f)
			}
		}
	}
	t.skipped = false
	if err != nil {
		t.fail(err)
	}
	r.results[v][i] = t
	if err := r.opts.Journal.put(l, &r.opts.Variants[v], &t); err != nil {
		r.note("%v", err)
	}
	return err == nil && t.Error == ""
}

// recall takes a label's results from the journal, if it has all of them.
func (r *runner) recall(i int) bool {
	was := make([]TaskResult, len(r.results))
	for v := range r.results {
		var ok bool
		if was[v], ok = r.opts.Journal.get(&r.set[i], &r.opts.Variants[v], r.results[v][i].Repo); !ok {
			return false
		}
	}
	for v := range was {
		r.results[v][i] = was[v]
	}
	return true
}

// measure fills t from an answer. A budget that cannot be packed counts as 0
// there and is named, and the ranking still counts.
func (t *TaskResult) measure(a Answer, l *labels.Label, budgets []int) error {
	m := Measures{}
	for name := range t.Measures {
		m[name] = 0
	}
	t.Measures = m
	pool := a.Pool()
	m[namePool] = PoolRecall(pool, l.Files)
	inPool := make(map[string]bool, len(pool))
	for _, p := range pool {
		inPool[p] = true
	}
	for _, f := range l.Files {
		if !inPool[f] {
			t.PoolMissed = append(t.PoolMissed, f)
		}
	}
	ranked := false
	var firstErr error
	for _, b := range budgets {
		res, err := a.Result(b)
		if err != nil || res == nil {
			if err == nil {
				err = errors.New("no result")
			}
			err = fmt.Errorf("budget %d: %w", b, err)
			if firstErr == nil {
				firstErr = err
			}
			continue
		}
		if !ranked {
			ranked = true
			if err := t.rank(res, l); err != nil {
				return err
			}
		}
		m[nameBody(b)], m[nameSignature(b)] = BudgetRecall(res.Pack, l.Files)
		if t.Tokens == nil {
			t.Tokens = map[string]int{}
		}
		t.Tokens[strconv.Itoa(b)] = res.Header.Tokens
		if b == reportedBudget {
			t.Confidence = res.Header.Confidence
		}
		if len(l.Spans) > 0 {
			m[nameSpan(b)] = SpanRecall(res.Pack, l.Spans)
		}
		if res.Header.Tokens > b {
			t.OverBudget = append(t.OverBudget, b)
		}
	}
	if !ranked {
		return firstErr
	}
	t.answered = true
	if firstErr != nil {
		t.Error = firstErr.Error()
	}
	return nil
}

func (t *TaskResult) rank(res *rank.Result, l *labels.Label) error {
	n := min(RunDepth, len(res.Files))
	paths := make([]string, n)
	t.Ranked = make([]labels.Scored, n)
	seen := make(map[string]bool, n)
	for i := range n {
		p := filePath(&res.Files[i])
		if seen[p] {
			return fmt.Errorf("%q is ranked twice", p)
		}
		seen[p] = true
		paths[i], t.Ranked[i] = p, labels.Scored{Path: p, Score: res.Files[i].Score}
	}
	for name, v := range fileMeasures(paths, l.Files) {
		t.Measures[name] = v
	}
	t.Lost = lost(res, l.Files)
	t.NEff, t.Intent, t.Abstained = res.Header.NEff, res.Header.Intent, res.Header.Abstained
	return nil
}

func (t *TaskResult) fail(err error) {
	for name := range t.Measures {
		t.Measures[name] = 0
	}
	t.Ranked, t.answered, t.skipped = nil, false, false
	t.Error = err.Error()
}

// safely turns a panic into an error: one broken task must not cost the
// hours that the others took.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

func (r *runner) progress(j *job, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.doneTrees++
	r.doneLabels += len(j.labels)
	if r.opts.Progress != nil {
		fmt.Fprintf(r.opts.Progress, "%s: %d/%d trees, %d/%d labels: %s (%d): %s\n", short(time.Since(r.start)),
			r.doneTrees, r.trees, r.doneLabels, len(r.set), j.name, len(j.labels), fmt.Sprintf(format, args...))
	}
}

func (r *runner) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opts.Progress != nil {
		fmt.Fprintf(r.opts.Progress, format+"\n", args...)
	}
}

func short(d time.Duration) string { return d.Round(10 * time.Millisecond).String() }
