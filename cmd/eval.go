package cmd

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"cohop/eval"
	"cohop/labels"
	"cohop/rank"
)

func readLabels(c *cobra.Command, file string) ([]labels.Label, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	defer f.Close()
	set, problems, err := labels.Read(f, file)
	for _, p := range problems {
		fmt.Fprintln(c.ErrOrStderr(), p)
	}
	return set, err
}

func evalCommand() *cobra.Command {
	var (
		opts           eval.Options
		eng            eval.Ranker
		file, run, by  string
		asJSON, ablate bool
	)
	c := &cobra.Command{
		Use:   "eval --labels FILE --repos DIR",
		Short: "Measure the ranking on labelled tasks",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			set, err := readLabels(c, file)
			if err != nil {
				return err
			}
			opts.Progress = c.ErrOrStderr()
			if ablate {
				opts.Variants = eval.Ablations()
			}
			reports, err := eval.Run(c.Context(), eng, set, opts)
			if err != nil {
				return err
			}
			if run != "" {
				f, err := os.Create(run)
				if err != nil {
					return err
				}
				if err := reports[0].WriteRun(f, "rank"); err != nil {
					return err
				}
				if err := f.Close(); err != nil {
					return err
				}
			}
			if asJSON {
				return reports[0].WriteJSON(c.OutOrStdout(), true)
			}
			return reports[0].WriteText(c.OutOrStdout(), by)
		},
	}
	f := c.Flags()
	f.StringVar(&file, "labels", "", "labels, JSON Lines")
	f.StringVar(&opts.Repos, "repos", "", "folder below which the labels' repositories are")
	f.StringVar(&opts.Repo, "repo", "", "repository of labels that name none")
	f.StringVar(&opts.Intent, "intent", rank.Auto, "auto, ask, change, or label: what the label says")
	f.StringSliceVar(&eng.Request.Without, "without", nil, "columns or groups to switch off")
	f.StringVar(&eng.Request.CacheDir, "cache-dir", "", "cache folder")
	f.StringVar(&eng.Request.ConfigFile, "weights", "", "TOML laid over the configuration")
	f.StringVar(&run, "run", "", "write the rankings as a TREC run")
	f.StringVar(&by, "by", "", "also by repo or tag")
	f.BoolVar(&asJSON, "json", false, "JSON on standard output")
	f.BoolVar(&ablate, "ablate", false, "leave each column out in turn")
	f.IntVar(&opts.Workers, "workers", 0, "trees at once")
	return c
}

func tuneCommand() *cobra.Command {
	var (
		opts   eval.Options
		eng    eval.Ranker
		matrix string
	)
	c := &cobra.Command{
		Use:  "tune NAME=FILE…",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var sets []eval.LabelSet
			for _, a := range args {
				var s eval.LabelSet
				var file string
				for i := range a {
					if a[i] == '=' {
						s.Name, file = a[:i], a[i+1:]
					}
				}
				var err error
				if s.Labels, err = readLabels(c, file); err != nil {
					return err
				}
				s.Target = map[string]eval.Target{"ask": eval.AskTarget, "fix": eval.FixTarget, "edit": eval.EditTarget}[s.Name]
				sets = append(sets, s)
			}
			opts.Progress = c.ErrOrStderr()
			opts.Budgets = []int{1000}
			m, reports, err := eval.Collect(c.Context(), eng, sets, opts)
			for _, r := range reports {
				r.WriteText(c.OutOrStdout(), "")
			}
			if err != nil {
				return err
			}
			f, err := os.Create(matrix)
			if err != nil {
				return err
			}
			if err := eval.WriteMatrix(f, m); err != nil {
				return err
			}
			return f.Close()
		},
	}
	f := c.Flags()
	f.StringVar(&opts.Repos, "repos", "", "")
	f.StringVar(&eng.Request.CacheDir, "cache-dir", "", "")
	f.StringVar(&eng.Request.ConfigFile, "weights", "", "")
	f.StringVar(&matrix, "matrix", "", "")
	f.IntVar(&opts.Workers, "workers", 0, "")
	return c
}
