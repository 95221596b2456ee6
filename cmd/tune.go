package cmd

import (
	"context"
	"fmt"
	"io"
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
}

func tuneCommand() *cobra.Command {
	t := &tuning{}
	c := &cobra.Command{
		Use:   "tune --labels FILE,… --repos DIR --out FILE",
		Short: "Fit the weights of the columns to tasks with known answers",
		Long: `tune asks every task of one or more files of labels (see rank eval --help),
fits the weights of the columns and the priors of roles to the answers, and says
what they are worth in-sample and on repositories that the fit has not seen.

Each file is fitted to a measure of its own kind: NDCG@10 by repository if its
labels ask where something is, all@1 and all@5 if they ask for a change of one
file, recall@10 if for a change of several. NAME=FILE says which: ask, fix or
edit. The result is a TOML file for rank --weights, or for .rank.toml.`,
		Example: `  rank tune --labels tasks.jsonl --repo . --out weights.toml
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
	f.StringVar(&t.out, "out", "", "write the weights to this file")
	f.StringVar(&t.matrix, "matrix", "", "keep what the columns said in this file")
	f.StringVar(&t.reuse, "from-matrix", "", "fit to what --matrix kept instead of asking again")
	f.IntVar(&t.folds, "folds", eval.DefaultFolds, "parts of repositories; 1 is in-sample only")
	f.IntVar(&t.restarts, "restarts", eval.DefaultRestarts, "of the ascent")
	f.Float64Var(&t.smooth, "smooth", 0, fmt.Sprintf("how much of the smooth loss the ascent minds (default %v)", eval.DefaultSmooth))
	f.Uint64Var(&t.seed, "random-seed", 1, "of the restarts")
	return c
}

func (t *tuning) run(ctx context.Context, _ []string, _ io.Reader, stdout, stderr io.Writer) error {
	if len(t.labels) == 0 && t.reuse == "" {
		return &usageError{"tune: --labels is missing", "such as: rank tune --labels tasks.jsonl --repo . --out weights.toml"}
	}
	if err := t.check(); err != nil {
		return err
	}
	p := newProgress(stderr)
	defer p.done()
	m, err := t.features(ctx, stdout, stderr, p)
	if err != nil {
		return err
	}
	start, signs, err := t.start(m.Names)
	if err != nil {
		return err
	}
	opts := eval.TuneOptions{Folds: t.folds, Restarts: t.restarts, Seed: t.seed, Smooth: t.smooth, Signs: signs, Start: start, Progress: p,
		Encode: encodeWeights}
	if t.out != "" {
		opts.Save = func(text string) error {
			return writeFile(t.out, func(w io.Writer) error {
				_, err := io.WriteString(w, "# Fitted by: "+t.command()+"\n\n"+text)
				return err
			})
		}
	}
	got, err := eval.Tune(ctx, m, opts)
	p.done()
	if err != nil {
		return err
	}
	return got.WriteText(stdout)
}

// features asks the labels, or reads what an earlier run kept of the answers.
func (t *tuning) features(ctx context.Context, stdout, stderr io.Writer, p *progress) (*eval.Matrix, error) {
	if t.reuse != "" {
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
		kind := name
		if !named {
			name, kind = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), kindOf(set)
		}
		target, ok := targets[kind]
		if !ok {
			return nil, &usageError{fmt.Sprintf("--labels %s: there is no kind %q", l, kind), "want ask, fix or edit before the ="}
		}
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

// kindOf tells what a file of labels is about by most of its labels.
func kindOf(set []labels.Label) string {
	ask, single := 0, 0
	for i := range set {
		if set[i].Intent == rank.Ask {
			ask++
		}
		if len(set[i].Files) == 1 {
			single++
		}
	}
	switch {
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
		if r, ok := strings.CutPrefix(n, rank.PriorAsk); ok {
			w, sign = role*cfg.Priors.Ask[r], 0
		} else if r, ok := strings.CutPrefix(n, rank.PriorChange); ok {
			w, sign = role*cfg.Priors.Change[r], 0
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
