package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"cohop/eval"
	"cohop/internal/config"
	"cohop/internal/git"
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
		m.opts.Repo = here
	}
	for _, dir := range []struct{ flag, name string }{{"repo", m.opts.Repo}, {"repos", m.opts.Repos}} {
		if dir.name == "" {
			continue
		}
		if _, err := os.Stat(dir.name); errors.Is(err, fs.ErrNotExist) {
			return &usageError{fmt.Sprintf("--%s %s: there is no such folder", dir.flag, dir.name), "it takes the folder of a repository, or with --repos the one above all of them"}
		}
	}
	if f := m.eng.Request.Fusion; f != "" && f != "z" && f != "rrf" {
		return &usageError{fmt.Sprintf("--fusion %q: there is no such fusion", f), "want z or rrf"}
	}
	switch m.opts.Intent {
	case rank.Auto, rank.Ask, rank.Change, "label":
	default:
		return &usageError{fmt.Sprintf("--intent %q: there is no such intent", m.opts.Intent), "want auto, ask, change or label"}
	}
	if m.opts.Workers < 0 {
		return &usageError{fmt.Sprintf("--workers %d: nobody would work", m.opts.Workers), "give a positive number"}
	}
	return present("weights", m.eng.Request.ConfigFile, hintTOML)
}

// here is the current folder, where neither --repo nor --repos is given.
const here = "."

// openable refuses labels of which no repository can be opened, which says once
// what is missing rather than a label at a time.
func (m *measured) openable(set []labels.Label) error {
	place := labels.PlaceOf(set, m.opts.Repos, m.opts.Repo)
	seen, homeless := map[string]bool{}, 0
	var first error
	for i := range set {
		dir, err := place.Dir(&set[i])
		if err == nil {
			if seen[dir] {
				continue
			}
			seen[dir] = true
			var r *git.Repo
			if r, err = git.Open(dir); err == nil {
				r.Close()
				return nil
			}
		} else {
			homeless++
		}
		if first == nil {
			first = err
		}
	}
	switch {
	case first == nil:
		return nil
	case homeless == len(set):
		return &usageError{"no label can be asked: " + first.Error(), "--repo DIR is the repository of labels that name none, --repos DIR the folder below which the others' are"}
	case m.opts.Repo == here && len(seen) == 1 && seen[here]:
		return &usageError{"the labels are about a repository, and the current folder is in none", "name it with --repo DIR, or with --repos DIR the folder below which the labels' repositories are"}
	}
	return &usageError{fmt.Sprintf("none of the labels' repositories (%d) can be opened, the first: %v", len(seen), first), "--repo DIR names a repository, --repos DIR the folder below which the labels' repositories are"}
}

// parent finds out before any work is done that a file cannot be written since
// its folder is not there.
func parent(flag, file string) error {
	if file == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(file)); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return &usageError{fmt.Sprintf("--%s %s: there is no folder %s", flag, file, filepath.Dir(file)), "make it first, or name another"}
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return &usageError{fmt.Sprintf("--%s %s: this is a folder", flag, file), "name a file in it"}
	}
	return nil
}

// parents is parent for pairs of a flag and its file.
func parents(pairs ...string) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if err := parent(pairs[i], pairs[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// openLabels opens a file of labels.
func openLabels(file string) (*os.File, error) {
	what := ""
	if info, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		what = "there is no such file"
	} else if err == nil && info.IsDir() {
		what = "this is a folder"
	}
	if what != "" {
		return nil, &usageError{fmt.Sprintf("read labels %s: %s", file, what), "labels are JSON Lines: see rank eval --help"}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	return f, nil
}

// readLabels reads a file of labels; what is wrong with single lines goes to
// stderr.
func readLabels(file string, stderr io.Writer) ([]labels.Label, error) {
	f, err := openLabels(file)
	if err != nil {
		return nil, err
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
	labels, runFile, by       string
	qrels, csv, html, journal string
	against                   string
	json, ablate, unchecked   bool
}

func evalCommand() *cobra.Command {
	e := &evaluation{}
	c := &cobra.Command{
		Use:   "eval --labels FILE [--repo DIR | --repos DIR]",
		Short: "Measure the ranking on tasks with known answers",
		Long: `eval asks every task of a file of labels and compares the answers with the
known ones. A label is a line of JSON:

  {"id":"…","text":"the task","files":["path",…],"commit":"the tree to rank","repo":"path below --repos"}

and, if wanted, "intent", "root", "spans", "tags". Without "repo" the label is
about --repo; history after "commit" is not seen. Labels that leak their answer or
name what is not there (rank labels check) are named and left out; labels with
"contamination" stand apart.

--ablate leaves each column out in turn, then asks each alone, with 95 %
intervals. --against compares with a TREC run of another version or system.
--html writes one page with plots, for a browser. --journal keeps each result as
soon as it is known: an interrupted run goes on where it was.`,
		Example: `  rank eval --labels tasks.jsonl --repo .
  rank eval --labels tasks.jsonl --repos ~/src --run out.trec --by repo
  rank eval --labels tasks.jsonl --repo . --against old.trec --html report.html`,
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
	f.StringVar(&e.qrels, "qrels", "", "write the known answers to this file as TREC qrels")
	f.StringVar(&e.csv, "csv", "", "write a line a task with every measure to this file")
	f.StringVar(&e.html, "html", "", "write the report as a page of its own to this file")
	f.StringVar(&e.against, "against", "", "compare with this TREC run")
	f.StringVar(&e.journal, "journal", "", "keep results in this file as they come, and do not ask again what it holds")
	f.BoolVar(&e.unchecked, "unchecked", false, "do not look for labels that leak first")
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
	if err := present("against", e.against, hintRun); err != nil {
		return err
	}
	if _, err := config.Expand(e.eng.Request.Without); err != nil {
		return &usageError{err.Error(), "give --without one of them"}
	}
	if err := parents("run", e.runFile, "qrels", e.qrels, "csv", e.csv, "html", e.html, "journal", e.journal); err != nil {
		return err
	}
	set, unusable, err := e.read(ctx, stderr)
	if err != nil {
		return err
	}
	var against []labels.Ranking
	if e.against != "" {
		err := withFile(e.against, func(r io.Reader) (err error) {
			against, err = labels.ReadRun(r, e.against)
			return err
		})
		if err != nil {
			return err
		}
	}
	p := newProgress(stderr)
	e.opts.Progress, e.opts.Correlate = p, true
	if e.ablate {
		e.opts.Variants = eval.Ablations()
	}
	closeJournal, err := e.openJournal()
	if err != nil {
		return err
	}
	reports, err := eval.Run(ctx, e.eng, set, e.opts)
	p.done()
	if cerr := closeJournal(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	reports[0].Unusable = unusable
	if len(unusable) > 0 {
		reports[0].Warnings = append(reports[0].Warnings, fmt.Sprintf("not asked, since it leaks or is not there: %s", count(len(unusable), "label")))
	}
	var compared []eval.Difference
	if e.against != "" {
		other := reports[0].OfRun(against, filepath.Base(e.against))
		for _, w := range other.Warnings {
			reports[0].Warnings = append(reports[0].Warnings, filepath.Base(e.against)+": "+w)
		}
		if compared, err = eval.Differences(reports[0], other, ablated, 1); err != nil {
			return err
		}
	}
	if err := e.files(set, reports, compared); err != nil {
		return err
	}
	if err := e.write(stdout, reports); err != nil {
		return err
	}
	if len(compared) > 0 && !e.json {
		if _, err := io.WriteString(stdout, "\n"); err != nil {
			return err
		}
		if err := eval.WriteDifferences(stdout, compared, filepath.Base(e.against)); err != nil {
			return err
		}
	}
	for _, f := range reports[0].Failed {
		fmt.Fprintf(stderr, "rank: label %s failed: %s\n", f.ID, f.Error)
	}
	if n := reports[0].Skipped; n > 0 {
		return fmt.Errorf("eval %s: interrupted with %d of %d labels not asked", e.labels, n, len(set))
	}
	return nil
}

// read reads the labels and leaves out those that cannot be measured on.
func (e *evaluation) read(ctx context.Context, stderr io.Writer) (set []labels.Label, unusable []eval.Failure, err error) {
	set, lines, problems, err := readLabelLines(e.labels)
	reportProblems(stderr, problems)
	if err == nil {
		err = e.openable(set)
	}
	if err != nil || e.unchecked {
		return set, nil, err
	}
	found, err := labels.Check(ctx, set, labels.PlaceOf(set, e.opts.Repos, e.opts.Repo))
	if err != nil {
		return nil, nil, err
	}
	kept, bad := labels.Usable(set, found)
	told := map[string]bool{} // repositories that cannot be opened, each told once
	for _, f := range bad {
		if repo := set[f.Index].Repo; f.Kind != labels.KindRepository {
			fmt.Fprintf(stderr, "rank: warning: %s:%d: left out: %s\n", printable(e.labels), lines[f.Index], printable(f.String()))
		} else if !told[repo] {
			told[repo] = true
			n := 0
			for _, g := range bad {
				if g.Kind == labels.KindRepository && set[g.Index].Repo == repo {
					n++
				}
			}
			fmt.Fprintf(stderr, "rank: warning: %s:%d: left out, %s: %s\n", printable(e.labels), lines[f.Index], count(n, "label"), printable(f.Text))
		}
		if n := len(unusable); n == 0 || unusable[n-1].ID != f.ID {
			unusable = append(unusable, eval.Failure{ID: f.ID, Error: f.Kind + ": " + f.Text})
		}
	}
	if len(kept) == 0 {
		return nil, nil, &hinted{fmt.Errorf("eval %s: %w", e.labels, labels.ErrEmpty), "rank labels check says what is wrong with them"}
	}
	return kept, unusable, nil
}

// openJournal opens the file that results are kept in, if there is to be one.
func (e *evaluation) openJournal() (closeIt func() error, err error) {
	if e.journal == "" {
		return func() error { return nil }, nil
	}
	what := version() + "\x00" + fmt.Sprint(e.opts.Intent, e.opts.Budgets, e.eng.Request.Without, e.eng.Request.Fusion, e.opts.Repo, e.opts.Repos)
	if file := e.eng.Request.ConfigFile; file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read weights: %w", err)
		}
		what += "\x00" + string(b)
	}
	f, err := os.OpenFile(e.journal, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	j, torn, err := eval.NewJournal(f, f, what)
	if err == nil && torn {
		_, err = io.WriteString(f, "\n")
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open journal %s: %w", e.journal, err)
	}
	e.opts.Journal = j
	return func() error {
		if err := f.Close(); err != nil {
			return fmt.Errorf("close journal: %w", err)
		}
		return nil
	}, nil
}

// files writes what was asked for beside the report.
func (e *evaluation) files(set []labels.Label, reports []*eval.Report, compared []eval.Difference) error {
	for _, o := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{e.runFile, func(w io.Writer) error { return reports[0].WriteRun(w, render.Tag) }},
		{e.qrels, func(w io.Writer) error { return labels.WriteQrels(w, set) }},
		{e.csv, reports[0].WriteCSV},
		{e.html, func(w io.Writer) error {
			opt := eval.HTMLOptions{Title: "rank on " + filepath.Base(e.labels), Command: "rank eval --labels " + filepath.Base(e.labels), Compared: compared}
			if e.against != "" {
				opt.Against = filepath.Base(e.against)
			}
			if e.ablate {
				opt.Command += " --ablate"
				opt.Ablations = reports
			}
			return reports[0].WriteHTML(w, opt)
		}},
	} {
		if o.file == "" {
			continue
		}
		if err := writeFile(o.file, o.write); err != nil {
			return err
		}
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
