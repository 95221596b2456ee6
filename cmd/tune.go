package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cohop/eval"
	"cohop/internal/config"
	"cohop/labels"
	"cohop/rank"
)

// tuning holds the flags of rank tune.
type tuning struct {
	measured
	labels        []string
	out           string
	matrix, reuse string
	folds         int
	restarts      int
	seed          uint64
	smooth        float64
	by            string
	share         float64
	force         bool
	constants     bool

	read []labels.Label // of all files, for the division by time
}

func tuneCommand() *cobra.Command {
	t := &tuning{}
	c := &cobra.Command{
		Use:   "tune --labels FILE,…",
		Short: "Fit the weights of the columns to tasks with known answers",
		Long: `tune asks every task of one or more files of labels (see rank eval --help),
fits the weights of the columns and the priors of roles to the answers, and says
what they are worth in-sample and on repositories that the fit has not seen.

Each file is fitted to a measure of its own kind: NDCG@10 by repository if its
labels ask where something is, all@1 and all@5 if they ask for a change of one
file, recall@10 if for a change of several or if they were mined. NAME=FILE says which: ask, fix or
edit.

What is reported is what the weights are worth on tasks that they were not fitted
to. --by time (the default for one repository) fits on the earlier trees and
reports on the later ones; --by repo (the default for several) reports each
repository by weights fitted on the others. The weights go to --out, or into
.rank.toml of --repo, only if they are better there by more than chance, or with
--force; what changes and what gets worse is shown either way.

The fit: a convex likelihood of the answers, held near the weights in force, then
coordinate ascent on the measures with restarts.`,
		Example: `  rank labels mine > tasks.jsonl && rank tune --labels tasks.jsonl
  rank eval --labels others.jsonl --repo . --weights weights.toml`,
		Args: func(c *cobra.Command, args []string) error {
			for _, a := range args {
				if !strings.Contains(a, "=") {
					return noWords(c, args)
				}
			}
			t.labels = append(t.labels, args...)
			return nil
		},
		RunE: runs(t.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringSliceVar(&t.labels, "labels", nil, "files of labels, JSON Lines; NAME=FILE fits it as ask, fix or edit")
	t.measured.flags(c)
	f.StringVar(&t.out, "out", "", "write the weights to this file (default: .rank.toml of --repo)")
	f.BoolVar(&t.force, "force", false, "write them even if they are no better")
	f.BoolVar(&t.constants, "constants", false, "also try half-lives, the clip, caps, the literal limit and the values of the pack (asks the labels some forty times)")
	f.StringVar(&t.by, "by", "", "divide into a part to fit on and one to report on by time or repo")
	f.Float64Var(&t.share, "share", 0.5, "with --by time: of the tasks to fit on")
	f.StringVar(&t.matrix, "matrix", "", "keep what the columns said in this file")
	f.StringVar(&t.reuse, "from-matrix", "", "fit to what --matrix kept instead of asking again")
	f.IntVar(&t.folds, "folds", eval.DefaultFolds, "parts of repositories; 1 is in-sample only")
	f.IntVar(&t.restarts, "restarts", eval.DefaultRestarts, "of the ascent")
	f.Float64Var(&t.smooth, "smooth", 0, fmt.Sprintf("how much of the smooth loss the ascent minds (default %v)", eval.DefaultSmooth))
	f.Uint64Var(&t.seed, "random-seed", 1, "of the restarts")
	return c
}

// fewTasks is below what any gain can be told from chance on.
const fewTasks = 20

func (t *tuning) run(ctx context.Context, _ []string, _ io.Reader, stdout, stderr io.Writer) error {
	if len(t.labels) == 0 && t.reuse == "" {
		return &usageError{"tune: --labels is missing", "such as: rank tune --labels tasks.jsonl --repo . --out weights.toml"}
	}
	if err := t.check(); err != nil {
		return err
	}
	if err := present("from-matrix", t.reuse, "it takes what --matrix kept"); err != nil {
		return err
	}
	if err := parents("out", t.out, "matrix", t.matrix); err != nil {
		return err
	}
	if t.folds < 1 || t.restarts < 1 {
		return &usageError{fmt.Sprintf("--folds %d, --restarts %d: nothing would be fitted", t.folds, t.restarts), "give positive numbers"}
	}
	p := newProgress(stderr)
	defer p.done()
	m, err := t.features(ctx, stdout, stderr, p)
	if err != nil {
		return err
	}
	if n := len(m.Tasks); n < fewTasks {
		p.done()
		warn(stderr, []string{fmt.Sprintf("%s: too few to tell better weights from luck; want at least %d, better 100", count(n, "usable task"), fewTasks)})
	}
	start, signs, err := t.start(m.Names)
	if err != nil {
		return err
	}
	opts := eval.TuneOptions{Folds: t.folds, Restarts: t.restarts, Seed: t.seed, Smooth: t.smooth, Signs: signs, Start: start, Progress: p,
		Encode: encodeWeights}
	by, err := t.division(m)
	if err != nil {
		return err
	}
	var weights []float64
	var judged []eval.Verdict
	var on string
	if by == "time" {
		weights, judged, err = t.fitEarly(ctx, m, opts, start, stdout, p)
		on = "the later trees"
	} else {
		var got *eval.Tuned
		if got, err = eval.Tune(ctx, m, opts); err == nil {
			p.done()
			weights, judged = got.Weights(), got.Verdicts(m)
			on = "repositories left out of the fit"
			err = got.WriteText(stdout)
		}
	}
	p.done()
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout)
	if err := eval.WriteVerdicts(stdout, judged, on); err != nil {
		return err
	}
	if err := eval.WriteChanges(stdout, m.Names, start, weights); err != nil {
		return err
	}
	swept := ""
	better := eval.Improves(judged)
	if t.constants {
		var sweptBetter bool
		if swept, sweptBetter, err = t.sweep(ctx, m, stdout, p); err != nil {
			return err
		}
		if !sweptBetter && !t.force {
			swept = ""
		}
		if sweptBetter && !better && !t.force {
			weights, better = start, true // the constants alone
		}
	}
	return t.save(stdout, m.Names, weights, swept, better)
}

// sweep fits the constants on the part to fit on, and judges them on the other.
func (t *tuning) sweep(ctx context.Context, m *eval.Matrix, stdout io.Writer, p *progress) (text string, better bool, err error) {
	if len(t.read) == 0 {
		return "", false, &usageError{"--constants with --from-matrix: the labels must be asked again", "give --labels too"}
	}
	place := labels.PlaceOf(t.read, t.opts.Repos, t.opts.Repo)
	first, second, _, err := splitLabels(ctx, t.read, t.by, t.share, place)
	if err != nil {
		return "", false, err
	}
	base := config.Default()
	if file := t.eng.Request.ConfigFile; file != "" {
		b, err := os.ReadFile(file)
		if err == nil {
			err = base.Merge(file, string(b))
		}
		if err != nil {
			return "", false, fmt.Errorf("read weights: %w", err)
		}
	}
	measure := m.Sets[0].Target.Measures[0]
	opts := t.opts
	opts.Progress = p
	fits, err := eval.Sweep(ctx, t.eng, first, measure, base, eval.Constants, opts)
	p.done()
	if err != nil {
		return "", false, err
	}
	fmt.Fprintln(stdout)
	if err := eval.WriteSweep(stdout, fits); err != nil {
		return "", false, err
	}
	after, any := eval.Swept(base, fits)
	if !any {
		return "", false, nil
	}
	ranking, packs, err := eval.CompareConfigs(ctx, t.eng, second, measure, base, after, opts)
	p.done()
	if err != nil {
		return "", false, err
	}
	_, err = fmt.Fprintf(stdout, "  all that change together, on the part to report on: %s %s, packs %s\n", measure, ranking, packs)
	better = (ranking.Lo > 0 || packs.Lo > 0) && ranking.Hi >= 0 && packs.Hi >= 0
	return eval.SweptTOML(fits), better, err
}

// division says how the tasks are divided.
func (t *tuning) division(m *eval.Matrix) (string, error) {
	repos := map[string]bool{}
	for i := range m.Tasks {
		repos[m.Tasks[i].Repo] = true
	}
	switch {
	case t.by == "" && len(repos) > 1:
		return "repo", nil
	case t.by == "repo", t.by == "" && len(t.read) == 0:
		return "repo", nil
	case t.by == "time" && len(t.read) == 0:
		return "", &usageError{"--by time: a matrix does not know when its trees were made", "give --labels beside --from-matrix too"}
	case t.by == "time", t.by == "":
		return "time", nil
	}
	return "", &usageError{fmt.Sprintf("--by %q: tasks cannot be divided so", t.by), "want time or repo"}
}

// holds are how firmly the fit is held to the weights in force, the firmest
// first; which of them carries over best is found on the part to fit on alone.
// A looser one must be better by surer: a repository's past is no draw of its
// future, and a hundred tasks fit much by luck.
var holds = []float64{1, 0.1, 0.01}

// surer is what a looser hold must add to the objective.
const surer = 0.01

// fitEarly fits on the earlier trees and judges on the later ones. Within the
// earlier ones, stretches of time are left out in turn to choose between the
// stages and how firmly they are held.
func (t *tuning) fitEarly(ctx context.Context, m *eval.Matrix, opts eval.TuneOptions, start []float64, stdout io.Writer, p *progress) ([]float64, []eval.Verdict, error) {
	place := labels.PlaceOf(t.read, t.opts.Repos, t.opts.Repo)
	first, _, err := labels.SplitByTime(ctx, t.read, t.share, place)
	if err != nil {
		return nil, nil, err
	}
	when, err := labels.Times(ctx, first, place)
	if err != nil {
		return nil, nil, err
	}
	at := map[string]int64{}
	for i := range first {
		at[first[i].ID] = when[i]
	}
	early, late := m.Divide(func(id string) bool { _, ok := at[id]; return ok })
	if len(early.Tasks) == 0 || len(late.Tasks) == 0 {
		return nil, nil, &hinted{fmt.Errorf("tune by time: one part is empty: %w", labels.ErrEmpty), "give more labels, or another --share"}
	}
	opts.Folds = max(2, min(t.folds, len(early.Tasks)))
	order := make([]int, len(early.Tasks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at[early.Tasks[a].ID], at[early.Tasks[b].ID]) })
	opts.Fold = make([]int, len(early.Tasks))
	for k, i := range order {
		opts.Fold[i] = k * opts.Folds / len(order)
	}
	opts.Prior = start
	var best *eval.Tuned
	for _, l2 := range holds {
		opts.L2 = l2
		got, err := eval.Tune(ctx, early, opts)
		if err != nil {
			return nil, nil, err
		}
		if best == nil || got.Stages[got.Chosen].OutOfFold > best.Stages[best.Chosen].OutOfFold+surer {
			best = got
		}
	}
	p.done()
	// Weights that are not better by a standard error on what they were not
	// fitted to are not taken at all.
	if !best.Sure(early) {
		best.Chosen = 0
	}
	if err := best.WriteText(stdout); err != nil {
		return nil, nil, err
	}
	judged, err := eval.Judge(late, start, best.Weights(), t.seed)
	return best.Weights(), judged, err
}

// save writes weights that are better, or all with --force.
func (t *tuning) save(stdout io.Writer, names []string, weights []float64, constants string, better bool) error {
	text := encodeWeights(names, weights) + constants
	file := t.out
	if file == "" && t.opts.Repo != "" {
		file = filepath.Join(t.opts.Repo, config.FileName)
	}
	say := func(format string, args ...any) error {
		_, err := fmt.Fprintf(stdout, "\n"+format+"\n", args...)
		return err
	}
	switch {
	case !better && !t.force:
		return say("not better by more than chance: nothing is written (--force writes all the same)")
	case file == "":
		return say("not written: name a file with --out")
	}
	if t.out == "" {
		old, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("write weights: %w", err)
		}
		text, err = config.ReplaceTables(string(old), text)
		if err != nil {
			return &hinted{fmt.Errorf("write weights to %s: %w", file, err), "write them elsewhere with --out, and put them in by hand"}
		}
	} else {
		text = "# Fitted by: " + t.command() + "\n\n" + text
	}
	if err := writeFile(file, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		return err
	}
	return say("written to %s", file)
}

// features asks the labels, or reads what an earlier run kept of the answers.
func (t *tuning) features(ctx context.Context, stdout, stderr io.Writer, p *progress) (*eval.Matrix, error) {
	if t.reuse != "" {
		for _, l := range t.labels {
			_, file, named := strings.Cut(l, "=")
			if !named {
				file = l
			}
			set, err := readLabels(file, stderr)
			if err != nil {
				return nil, err
			}
			t.read = append(t.read, set...)
		}
		f, err := os.Open(t.reuse)
		if err != nil {
			return nil, fmt.Errorf("read matrix: %w", err)
		}
		defer f.Close()
		return eval.ReadMatrix(f, t.reuse)
	}
	var sets []eval.LabelSet
	for _, l := range t.labels {
		name, file, named := strings.Cut(l, "=")
		if !named {
			file = l
		}
		set, err := readLabels(file, stderr)
		if err != nil {
			return nil, err
		}
		if err := t.openable(set); err != nil {
			return nil, err
		}
		kind := name
		if !named {
			name, kind = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), kindOf(set)
		}
		target, ok := targets[kind]
		if !ok {
			return nil, &usageError{fmt.Sprintf("--labels %s: there is no kind %q", l, kind), "want ask, fix or edit before the ="}
		}
		t.read = append(t.read, set...)
		sets = append(sets, eval.LabelSet{Set: eval.Set{Name: name, Target: target}, Labels: set})
	}
	opts := t.opts
	opts.Progress = p
	opts.Budgets = []int{1000} // packing is not what is fitted
	m, reports, err := eval.Collect(ctx, t.eng, sets, opts)
	p.done()
	for i, r := range reports {
		fmt.Fprintf(stdout, "%s as it is\n", sets[i].Name)
		if err := r.WriteText(stdout, ""); err != nil {
			return nil, err
		}
		fmt.Fprintln(stdout)
	}
	if err != nil {
		return nil, err
	}
	if t.matrix != "" {
		if err := writeFile(t.matrix, func(w io.Writer) error { return eval.WriteMatrix(w, m) }); err != nil {
			return nil, err
		}
	}
	return m, nil
}

var targets = map[string]eval.Target{"ask": eval.AskTarget, "fix": eval.FixTarget, "edit": eval.EditTarget}

// kindOf tells what a file of labels is about by most of its labels. Mined ones
// are edits whatever their size: one message, all that it took.
func kindOf(set []labels.Label) string {
	ask, single, mined := 0, 0, 0
	for i := range set {
		if slices.Contains(set[i].Tags, labels.TagMined) {
			mined++
		}
		if set[i].Intent == rank.Ask {
			ask++
		}
		if len(set[i].Files) == 1 {
			single++
		}
	}
	switch {
	case 2*mined > len(set):
		return "edit"
	case 2*ask > len(set):
		return "ask"
	case 2*single > len(set):
		return "fix"
	}
	return "edit"
}

// start gives the weights in force for the features, to compare with, and the
// signs that a fit must keep: what a column of evidence says never counts
// against a file.
func (t *tuning) start(names []string) (weights []float64, signs []int, err error) {
	cfg := config.Default()
	if file := t.eng.Request.ConfigFile; file != "" {
		b, err := os.ReadFile(file)
		if err == nil {
			err = cfg.Merge(file, string(b))
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read weights: %w", err)
		}
	}
	role := cfg.Weights["priors.role"]
	for _, n := range names {
		w, sign := cfg.Weights[n], 1
		if r, ok := strings.CutPrefix(n, config.PriorAsk); ok {
			w, sign = role*cfg.Priors.Ask[r], 0
		} else if r, ok := strings.CutPrefix(n, config.PriorChange); ok {
			w, sign = role*cfg.Priors.Change[r], 0
		} else if r, ok := strings.CutPrefix(n, config.PriorReport); ok {
			w, sign = role*cfg.Priors.Report[r], 0
		} else if r, ok := strings.CutPrefix(n, config.PriorNamed); ok {
			w, sign = role*cfg.Priors.Named[r], 0
		} else if config.Group(n) == "priors" {
			sign = 0
		}
		weights, signs = append(weights, w), append(signs, sign)
	}
	return weights, signs, nil
}

// encodeWeights writes weights as TOML. The fit takes the priors as they
// stand, so their column's weight is 1.
func encodeWeights(names []string, weights []float64) string {
	return eval.EncodeTOML(append(slices.Clone(names), "priors.role"), append(slices.Clone(weights), 1))
}

// command restates the fit for the file that it made; folders are left out,
// since they are the machine's.
func (t *tuning) command() string {
	var b strings.Builder
	b.WriteString("rank tune")
	if len(t.labels) > 0 {
		var names []string
		for _, l := range t.labels {
			kind, file, named := strings.Cut(l, "=")
			if !named {
				names = append(names, filepath.Base(l))
				continue
			}
			names = append(names, kind+"="+filepath.Base(file))
		}
		b.WriteString(" --labels " + strings.Join(names, ","))
	}
	if t.opts.Repos != "" {
		b.WriteString(" --repos DIR")
	}
	if t.reuse != "" {
		b.WriteString(" --from-matrix " + filepath.Base(t.reuse))
	}
	fmt.Fprintf(&b, " --intent %s --folds %d --restarts %d --random-seed %d", t.opts.Intent, t.folds, t.restarts, t.seed)
	if t.smooth != 0 {
		fmt.Fprintf(&b, " --smooth %v", t.smooth)
	}
	return b.String()
}
