package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
)

// Defaults of TuneOptions.
const (
	DefaultFolds    = 5
	DefaultRestarts = 3

	// DefaultL2 weighs Σ (w − prior)² against the mean loss of a task. At a thousand
	// tasks it matters only to weights that few tasks speak of.
	DefaultL2 = 1e-3

	// DefaultSmooth: of none, .05, .1 and .3 the last carried over best on
	// synthetic sets with a third of the labels wrong; none did worst but one.
	DefaultSmooth = 0.3
)

// TuneOptions says how Tune fits.
type TuneOptions struct {
	Folds    int       // parts of repositories; 0: DefaultFolds; 1: in-sample only
	Fold     []int     // part of each task, below Folds; nil: dealt by repository
	Restarts int       // of the ascent, the first from the likelihood's weights; 0: DefaultRestarts
	L2       float64   // penalty of the likelihood; 0: DefaultL2
	Smooth   float64   // of the ascent: how much of the loss it minds; 0: DefaultSmooth, negative: none
	Seed     uint64    // of restarts and the order of weights
	Workers  int       // fits at a time; 0: DefaultWorkers
	Signs    []int     // by feature: > 0 keeps a weight ≥ 0, < 0 keeps it ≤ 0, 0 free; nil: all free
	Start    []float64 // weights to compare with and to climb from as well; nil: none
	Prior    []float64 // weights that the penalty pulls to: where labels say nothing, these stay; nil: 0
	Progress io.Writer // a line a fit; nil: silent

	// Save is given the chosen weights as text; nil: not called.
	Save func(text string) error
	// Encode writes weights as text; nil: EncodeTOML.
	Encode func(names []string, weights []float64) string
}

// Stages of a fit, in the order of Tuned.Stages.
const (
	StageStart      = "start"      // TuneOptions.Start, if given
	StageLikelihood = "likelihood" // the convex fit
	StageAscent     = "ascent"     // coordinate ascent from there
)

// Stage is how well the weights of one stage do.
type Stage struct {
	Name      string
	Weights   []float64   // fitted on all tasks
	ByFold    [][]float64 // fitted without each fold; nil without folds
	InSample  []SetFigures
	Folds     []SetFigures // every task by weights that never saw its repository; nil without folds
	Objective float64      // in-sample
	OutOfFold float64
}

// SetFigures are a set's figures by weights of one stage.
type SetFigures struct {
	Set    string
	Tasks  int
	Target float64  // what the weights were fitted to
	Micro  Measures // ndcg@10, all@k, r@k, mrr
	Macro  Measures
	PerRow []float64 // target of each task, in matrix order, for intervals

	repos []string // of each task
}

// Tuned is the outcome of Tune.
type Tuned struct {
	Names   []string
	Sets    []Set
	Stages  []Stage
	Chosen  int // the stage of the best out-of-fold objective; the earlier at a tie
	Fold    []int
	Options TuneOptions
}

// Weights gives the chosen weights.
func (t *Tuned) Weights() []float64 { return t.Stages[t.Chosen].Weights }

// Tune fits weights to m on all tasks and, to say what they are worth on
// repositories nobody has seen, once more without each fold. Weights are
// rounded as they will be written before they are measured. The same matrix
// and options give the same weights whatever the workers.
//
// Choosing between stages by out-of-fold figures makes those of the chosen a
// little too good: it is a choice of two.
func Tune(ctx context.Context, m *Matrix, opts TuneOptions) (*Tuned, error) {
	if err := opts.resolve(len(m.Names)); err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	if opts.Fold != nil && len(opts.Fold) != len(m.Tasks) {
		return nil, fmt.Errorf("tune: %d tasks in %d folds", len(m.Tasks), len(opts.Fold))
	}
	for _, f := range opts.Fold {
		if f < 0 || f >= opts.Folds {
			return nil, fmt.Errorf("tune: fold %d of %d", f, opts.Folds)
		}
	}
	for i := range m.Tasks {
		m.Tasks[i].index(len(m.Names))
	}
	fold := opts.Fold
	if fold == nil {
		fold = taskFolds(m, opts.Folds)
	}
	fits := 1 // fit 0 is on all tasks, fit f+1 without fold f
	if opts.Folds > 1 {
		fits += opts.Folds
	}
	got := make([][][]float64, fits) // fit × stage × feature
	var wg sync.WaitGroup
	var mu sync.Mutex
	next := 0
	for range min(opts.Workers, fits) {
		wg.Go(func() {
			for ctx.Err() == nil {
				mu.Lock()
				f := next
				next++
				mu.Unlock()
				if f >= fits {
					return
				}
				o := newObjective(m, func(i int) bool { return f == 0 || fold[i] != f-1 })
				if len(o.tasks) > 0 {
					got[f] = opts.fit(ctx, o, len(m.Names), uint64(f))
				} else {
					got[f] = make([][]float64, len(opts.stages()))
					for s := range got[f] {
						got[f][s] = make([]float64, len(m.Names))
					}
				}
				if opts.Progress != nil && ctx.Err() == nil {
					what := "all tasks"
					if f > 0 {
						what = fmt.Sprintf("without fold %d", f)
					}
					mu.Lock()
					fmt.Fprintf(opts.Progress, "fitted %s (%d)\n", what, len(o.tasks))
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	out := &Tuned{Names: m.Names, Sets: m.Sets, Fold: fold, Options: opts}
	for s, name := range opts.stages() {
		st := Stage{Name: name, Weights: got[0][s]}
		st.InSample, st.Objective = measure(m, func(int) []float64 { return st.Weights })
		st.OutOfFold = st.Objective
		if fits > 1 {
			for _, g := range got[1:] {
				st.ByFold = append(st.ByFold, g[s])
			}
			st.Folds, st.OutOfFold = measure(m, func(i int) []float64 { return st.ByFold[fold[i]] })
		}
		out.Stages = append(out.Stages, st)
		if st.OutOfFold > out.Stages[out.Chosen].OutOfFold {
			out.Chosen = s
		}
	}
	if opts.Save != nil {
		if err := opts.Save(opts.Encode(m.Names, out.Weights())); err != nil {
			return out, fmt.Errorf("tune: save weights: %w", err)
		}
	}
	return out, nil
}

func (o *TuneOptions) resolve(features int) error {
	if o.Folds <= 0 {
		o.Folds = DefaultFolds
	}
	if o.Restarts <= 0 {
		o.Restarts = DefaultRestarts
	}
	if o.L2 == 0 {
		o.L2 = DefaultL2
	}
	if !(o.L2 > 0) || math.IsInf(o.L2, 0) {
		return fmt.Errorf("penalty %v is not positive", o.L2)
	}
	switch {
	case o.Smooth == 0:
		o.Smooth = DefaultSmooth
	case o.Smooth < 0:
		o.Smooth = 0
	case math.IsNaN(o.Smooth) || math.IsInf(o.Smooth, 0):
		return fmt.Errorf("smoothing %v is not finite", o.Smooth)
	}
	if o.Workers <= 0 {
		o.Workers = DefaultWorkers
	}
	if o.Encode == nil {
		o.Encode = EncodeTOML
	}
	if o.Signs != nil && len(o.Signs) != features {
		return fmt.Errorf("%d signs for %d features", len(o.Signs), features)
	}
	if o.Start != nil && len(o.Start) != features {
		return fmt.Errorf("%d weights to start with for %d features", len(o.Start), features)
	}
	if o.Prior != nil && len(o.Prior) != features {
		return fmt.Errorf("%d prior weights for %d features", len(o.Prior), features)
	}
	for _, w := range slices.Concat(o.Start, o.Prior) {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return errors.New("a weight to start with is not finite")
		}
	}
	return nil
}

func (o *TuneOptions) stages() []string {
	if o.Start != nil {
		return []string{StageStart, StageLikelihood, StageAscent}
	}
	return []string{StageLikelihood, StageAscent}
}

// fit gives the weights of each stage on the tasks of o.
func (opts *TuneOptions) fit(ctx context.Context, o *objective, features int, stream uint64) [][]float64 {
	convex := make([]float64, features)
	lik := newLikelihood(o, opts.L2, opts.Prior)
	copy(convex, opts.Prior)
	minimise(ctx, lik.at, convex, opts.Signs)

	rng := rand.New(rand.NewPCG(opts.Seed, stream))
	a := newAscent(o, opts.Signs, opts.Smooth, lik)
	starts := [][]float64{append([]float64(nil), convex...)}
	if opts.Start != nil {
		starts = append(starts, append([]float64(nil), opts.Start...))
	}
	for len(starts) < opts.Restarts {
		starts = append(starts, a.shaken(convex, rng))
	}
	var best []float64
	top := math.Inf(-1)
	for _, w := range starts {
		if v := a.climb(ctx, w, rng); v > top {
			best, top = w, v
		}
	}
	// A ranking has no scale, but what reads the scores afterwards has: the
	// likelihood's is the one at which they are log-odds. Smoothing holds to
	// it by itself.
	if n, c := math.Sqrt(dot(best, best)), math.Sqrt(dot(convex, convex)); opts.Smooth == 0 && n > 0 && c > 0 {
		for j := range best {
			best[j] *= c / n
		}
	}
	out := [][]float64{rounded(convex), rounded(best)}
	if opts.Start != nil {
		out = append([][]float64{opts.Start}, out...)
	}
	return out
}

// weightDigits is how many digits of a weight are written: a measure moves by
// single tasks at the third.
const weightDigits = 4

func rounded(w []float64) []float64 {
	out := make([]float64, len(w))
	for j, v := range w {
		out[j], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', weightDigits, 64), 64)
		if math.Abs(out[j]) < 1e-6 {
			out[j] = 0 // also −0
		}
	}
	return out
}

func taskFolds(m *Matrix, k int) []int {
	repos, sets := make([]string, len(m.Tasks)), make([]int, len(m.Tasks))
	for i := range m.Tasks {
		repos[i], sets[i] = m.Tasks[i].Repo, m.Tasks[i].Set
	}
	return Folds(repos, sets, k)
}

// measure gives each set's figures, every task by the weights that of gives,
// and the objective over all.
func measure(m *Matrix, of func(i int) []float64) ([]SetFigures, float64) {
	o := newObjective(m, func(int) bool { return true })
	figures := make([]SetFigures, len(m.Sets))
	rows := make([][]Row, len(m.Sets))
	var total float64
	var hits []int
	var s []float64
	for i, t := range o.tasks {
		if cap(s) < t.N {
			s = make([]float64, t.N)
		}
		s = s[:t.N]
		t.score(s, of(i))
		hits = t.ranks(hits, s, 0, nil)
		v := o.value(i, hits)
		total += o.coef[i] * v
		row := hitMeasures(hits, t.Answers)
		row[targetName] = v
		rows[t.Set] = append(rows[t.Set], Row{t.Repo, row})
		figures[t.Set].PerRow = append(figures[t.Set].PerRow, v)
		figures[t.Set].repos = append(figures[t.Set].repos, t.Repo)
	}
	for k := range figures {
		f := &figures[k]
		f.Set, f.Tasks = m.Sets[k].Name, len(rows[k])
		f.Micro, f.Macro = Micro(rows[k]), Macro(rows[k])
		if f.Target = f.Micro[targetName]; m.Sets[k].Target.Macro {
			f.Target = f.Macro[targetName]
		}
	}
	return figures, total
}

// targetName is where measure keeps a task's target among its measures.
const targetName = "target"
