package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"cohop/eval"
	"cohop/internal/config"
	"cohop/labels"
	"cohop/rank"
	"cohop/render"
)

// measured says whose rankings are measured on which labels.
type measured struct {
	opts eval.Options
	eng  eval.Ranker
}

func (m *measured) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&m.opts.Repos, "repos", "", "folder below which the labels' repositories are")
	f.StringVar(&m.opts.Repo, "repo", "", "repository of labels that name none")
	f.StringVar(&m.opts.Intent, "intent", rank.Auto, "auto, ask, change, or label: what the label says")
	f.StringVar(&m.eng.Request.ConfigFile, "weights", "", "TOML file laid over the configuration")
	f.StringVar(&m.eng.Request.Fusion, "fusion", "", "how columns are joined: z or rrf (default z)")
	f.StringVar(&m.eng.Request.CacheDir, "cache-dir", "", "folder for derived files")
	f.IntVar(&m.opts.Workers, "workers", 0, fmt.Sprintf("trees at a time (default %d)", eval.DefaultWorkers))
	_ = c.MarkFlagDirname("repos")
	_ = c.MarkFlagDirname("repo")
	_ = c.MarkFlagDirname("cache-dir")
	_ = c.MarkFlagFilename("weights", "toml")
}

func (m *measured) check() error {
	if m.opts.Repo == "" && m.opts.Repos == "" {
		m.opts.Repo = "."
	}
	switch m.opts.Intent {
	case rank.Auto, rank.Ask, rank.Change, "label":
	default:
		return &usageError{fmt.Sprintf("--intent %q: there is no such intent", m.opts.Intent), "want auto, ask, change or label"}
	}
	if m.opts.Workers < 0 {
		return &usageError{fmt.Sprintf("--workers %d: nobody would work", m.opts.Workers), "give a positive number"}
	}
	return nil
}

// readLabels reads a file of labels; what is wrong with single lines goes to
// stderr.
func readLabels(file string, stderr io.Writer) ([]labels.Label, error) {
	f, err := os.Open(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, &usageError{fmt.Sprintf("read labels %s: there is no such file", file), "labels are JSON Lines: see rank eval --help"}
		}
		return nil, fmt.Errorf("read labels: %w", err)
	}
	defer f.Close()
	set, problems, err := labels.Read(f, file)
	for _, p := range problems {
		fmt.Fprintf(stderr, "rank: warning: %v\n", p)
	}
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	return set, nil
}

// evaluation holds the flags of rank eval.
type evaluation struct {
	measured
	labels, runFile, by string
	json, ablate        bool
}

func evalCommand() *cobra.Command {
	e := &evaluation{}
	c := &cobra.Command{
		Use:   "eval --labels FILE --repos DIR",
		Short: "Measure the ranking on tasks with known answers",
		Long: `eval asks every task of a file of labels and compares the answers with the
known ones. A label is a line of JSON:

  {"id":"…","text":"the task","files":["path",…],"commit":"the tree to rank","repo":"path below --repos"}

and, if wanted, "intent", "root", "spans", "tags". Without "repo" the label is
about --repo; history after "commit" is not seen. --ablate leaves each column
out in turn and shows what that costs, with 95 % intervals.`,
		Example: `  rank eval --labels tasks.jsonl --repo .
  rank eval --labels tasks.jsonl --repos ~/src --run out.trec --by repo`,
		Args: noWords,
		RunE: runs(e.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&e.labels, "labels", "", "file of labels, JSON Lines (required)")
	e.measured.flags(c)
	f.StringSliceVar(&e.eng.Request.Without, "without", nil, "columns or groups to switch off")
	f.BoolVar(&e.ablate, "ablate", false, "leave each column out in turn")
	f.StringVar(&e.by, "by", "", "figures by repo or by tag too")
	f.StringVar(&e.runFile, "run", "", "write the rankings to this file as a TREC run")
	f.BoolVar(&e.json, "json", false, "print JSON; with --ablate a list, one report a variant")
	_ = c.MarkFlagFilename("labels", "jsonl")
	return c
}

func (e *evaluation) run(ctx context.Context, _ []string, _ io.Reader, stdout, stderr io.Writer) error {
	if e.labels == "" {
		return &usageError{"eval: --labels is missing", "such as: rank eval --labels tasks.jsonl --repo ."}
	}
	if e.by != "" && e.by != "repo" && e.by != "tag" {
		return &usageError{fmt.Sprintf("--by %q: figures cannot be grouped so", e.by), "want repo or tag"}
	}
	if err := e.check(); err != nil {
		return err
	}
	if _, err := config.Expand(e.eng.Request.Without); err != nil {
		return &usageError{err.Error(), "give --without one of them"}
	}
	set, err := readLabels(e.labels, stderr)
	if err != nil {
		return err
	}
	p := newProgress(stderr)
	e.opts.Progress = p
	if e.ablate {
		e.opts.Variants = eval.Ablations()
	}
	reports, err := eval.Run(ctx, e.eng, set, e.opts)
	p.done()
	if err != nil {
		return err
	}
	if e.runFile != "" {
		if err := writeFile(e.runFile, func(w io.Writer) error { return reports[0].WriteRun(w, render.Tag) }); err != nil {
			return err
		}
	}
	if err := e.write(stdout, reports); err != nil {
		return err
	}
	for _, f := range reports[0].Failed {
		fmt.Fprintf(stderr, "rank: label %s failed: %s\n", f.ID, f.Error)
	}
	if n := reports[0].Skipped; n > 0 {
		return fmt.Errorf("eval %s: interrupted with %d of %d labels not asked", e.labels, n, len(set))
	}
	return nil
}

// ablated are the measures that an ablation is told in.
var ablated = []string{"ndcg@10", "all@1", "all@5", "r@10", "mrr", "pool_recall"}

func (e *evaluation) write(w io.Writer, reports []*eval.Report) error {
	switch {
	case e.json && e.ablate:
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		bare := make([]eval.Report, len(reports))
		for i, r := range reports {
			bare[i] = *r
			bare[i].TaskResults = nil
		}
		return enc.Encode(bare)
	case e.json:
		return reports[0].WriteJSON(w, true)
	}
	if err := reports[0].WriteText(w, e.by); err != nil {
		return err
	}
	if !e.ablate {
		return nil
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return eval.WriteAblation(w, reports, ablated, 1)
}

// writeFile makes a file of what write writes; half a file is an error.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	err = write(f)
	if e := f.Close(); err == nil && e != nil {
		err = fmt.Errorf("write %s: %w", name, e)
	}
	return err
}
