package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"cohop/eval"
	"cohop/internal/config"
)

// calibration holds the flags of rank calibrate.
type calibration struct {
	measured
	labels                        []string
	offtopic, out, data, fromData string
	perTree, folds                int
	tau, force                    bool
}

func calibrateCommand() *cobra.Command {
	k := &calibration{}
	c := &cobra.Command{
		Use:   "calibrate --labels FILE,… --repos DIR --out FILE",
		Short: "Fit τ, the header's confidence, and when to abstain",
		Long: `calibrate asks every task of the files of labels (see rank eval --help) and fits
three things that rank tune does not:

  [adaptive] tau   the temperature at which n_eff tells sharp tasks from diffuse
                   ones best; used for the rest with --tau, else only reported
  [confidence]     how likely the pack holds every needed file, from what the
                   header and the scores show
  [abstain]        when the task is not about the repository, with --offtopic FILE:
                   tasks about other things, JSON Lines with id, kind and text

and says what they are worth on repositories that the fit has not seen. The
result is a TOML file for --config, or for .rank.toml. Calibrate after a change
of weights: the figures belong to them. Fewer than 100 tasks, or tasks of fewer
than 3 repositories, are refused unless --force is given.`,
		Example: `  rank calibrate --labels tasks.jsonl --repo . --out calibrated.toml`,
		Args:    noWords,
		RunE:    runs(k.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringSliceVar(&k.labels, "labels", nil, "files of labels, JSON Lines")
	k.measured.flags(c)
	f.StringVar(&k.offtopic, "offtopic", "", "file of tasks that no repository here is about")
	f.IntVar(&k.perTree, "offtopic-per-tree", 20, "of them asked of each tree")
	f.BoolVar(&k.tau, "tau", false, "use the fitted τ for the confidence and in --out, instead of the one in force")
	f.IntVar(&k.folds, "folds", eval.DefaultFolds, "parts of repositories")
	f.BoolVar(&k.force, "force", false, fmt.Sprintf("fit to fewer than %d tasks or %d repositories too", leastTasks, leastRepos))
	f.StringVar(&k.out, "out", "", "write what was fitted to this file (default: to stdout, after the figures)")
	f.StringVar(&k.data, "data", "", "keep what the answers showed in this file")
	f.StringVar(&k.fromData, "from-data", "", "fit to what --data kept instead of asking again")
	_ = c.MarkFlagFilename("labels", "jsonl")
	_ = c.MarkFlagFilename("offtopic", "jsonl")
	return c
}

func (k *calibration) run(ctx context.Context, _ []string, _ io.Reader, stdout, stderr io.Writer) error {
	if len(k.labels) == 0 && k.fromData == "" {
		return &usageError{"calibrate: --labels is missing", "such as: rank calibrate --labels tasks.jsonl --repo . --out calibrated.toml"}
	}
	if err := k.check(); err != nil {
		return err
	}
	if err := present("from-data", k.fromData, "it takes what --data kept"); err != nil {
		return err
	}
	if err := present("offtopic", k.offtopic, hintOff); err != nil {
		return err
	}
	if err := parents("out", k.out, "data", k.data); err != nil {
		return err
	}
	if k.folds < 1 {
		return &usageError{fmt.Sprintf("--folds %d: nothing would be fitted", k.folds), "give a positive number"}
	}
	signs, err := k.signs(ctx, stderr)
	if err != nil {
		return err
	}
	if err := k.enough(signs, stderr); err != nil {
		return err
	}
	got, err := eval.Calibrate(signs, k.folds)
	if err != nil {
		return err
	}
	cfg, err := k.inForce()
	if err != nil {
		return err
	}
	if k.tau {
		if k.fromData != "" {
			return &usageError{"--tau with --from-data: the signs kept were taken at another τ", "leave out --from-data"}
		}
		// The signs depend on τ, so they are taken anew at the fitted one. What
		// packs buy does not: the temper takes the change back.
		cfg.Pack.Temper *= got.Tau.Tau / cfg.Adaptive.Tau
		cfg.Adaptive.Tau = got.Tau.Tau
		k.eng.Request.Config = cfg
		if signs, err = k.signs(ctx, stderr); err != nil {
			return err
		}
		if got, err = eval.Calibrate(signs, k.folds); err != nil {
			return err
		}
	}
	if err := got.WriteText(stdout); err != nil {
		return err
	}
	text := "# Fitted by: rank calibrate --labels " + strings.Join(baseNames(k.labels), ",") + "\n\n" + got.TOML(cfg.Adaptive.Tau, cfg.Pack.Temper)
	if k.out == "" {
		_, err = io.WriteString(stdout, "\n"+text)
		return err
	}
	return writeFile(k.out, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// leastTasks and leastRepos are the fewest that a fit of probabilities means
// anything on: with fewer it tells the labels' luck, and with fewer
// repositories there is none to leave out and judge by.
const leastTasks, leastRepos = 100, 3

// enough refuses labels that are too few, or with --force only says so.
func (k *calibration) enough(s *eval.Signs, stderr io.Writer) error {
	tasks, repos := 0, map[string]bool{}
	for i := range s.Tasks {
		if s.Tasks[i].Kind == "" {
			tasks++
			repos[s.Tasks[i].Repo] = true
		}
	}
	if tasks >= leastTasks && len(repos) >= leastRepos {
		return nil
	}
	text := fmt.Sprintf("%s of %s are too few to calibrate by: want %d tasks of %d repositories",
		count(tasks, "usable task"), counts(len(repos), "repository", "repositories"), leastTasks, leastRepos)
	if k.force {
		warn(stderr, []string{text + "; what the figures say of them is luck"})
		return nil
	}
	return &hinted{errors.New("calibrate: " + text), "rank labels mine finds more in a history; --force fits to these all the same"}
}

func baseNames(files []string) (out []string) {
	for _, f := range files {
		out = append(out, filepath.Base(f))
	}
	return out
}

// inForce is the configuration that the labels are asked with.
func (k *calibration) inForce() (*config.Config, error) {
	cfg := config.Default()
	if file := k.eng.Request.ConfigFile; file != "" {
		b, err := os.ReadFile(file)
		if err == nil {
			err = cfg.Merge(file, string(b))
		}
		if err != nil {
			return nil, fmt.Errorf("read weights: %w", err)
		}
	}
	return cfg, nil
}

func (k *calibration) signs(ctx context.Context, stderr io.Writer) (*eval.Signs, error) {
	if k.fromData != "" {
		f, err := os.Open(k.fromData)
		if err != nil {
			return nil, fmt.Errorf("read signs: %w", err)
		}
		defer f.Close()
		return eval.ReadSigns(f, k.fromData)
	}
	var sets []eval.NamedLabels
	for _, file := range k.labels {
		set, err := readLabels(file, stderr)
		if err == nil {
			err = k.openable(set)
		}
		if err != nil {
			return nil, err
		}
		sets = append(sets, eval.NamedLabels{Name: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), Labels: set})
	}
	var off []eval.OffTopic
	if k.offtopic != "" {
		err := withFile(k.offtopic, func(r io.Reader) (err error) {
			off, err = eval.ReadOffTopic(r, k.offtopic)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	p := newProgress(stderr)
	opts := k.opts
	opts.Progress = p
	s, failed, err := eval.CollectSigns(ctx, k.eng, sets, off, k.perTree, opts)
	p.done()
	if err != nil {
		return nil, err
	}
	if failed > 0 {
		fmt.Fprintf(stderr, "rank: warning: left out, since asking failed: %s\n", count(failed, "label"))
	}
	if k.data != "" {
		if err := writeFile(k.data, func(w io.Writer) error { return eval.WriteSigns(w, s) }); err != nil {
			return nil, err
		}
	}
	return s, nil
}
