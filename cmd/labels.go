package cmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cohop/internal/git"
	"cohop/internal/redact"
	"cohop/labels"
)

func labelsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "labels",
		Short: "Make, check and divide tasks with known answers",
		Long: `labels is about files of tasks whose answers are known, one a line as JSON (see
rank eval --help). They come from a repository's own history (mine) or from
elsewhere (import); check looks for what would make a figure wrong.`,
		Args: noWords,
		RunE: func(c *cobra.Command, _ []string) error {
			return &usageError{"labels: say what is to be done", "want rank labels mine, check, import, show or split"}
		},
	}
	c.AddCommand(labelsMineCommand(), labelsCheckCommand(), labelsImportCommand(), labelsShowCommand(), labelsSplitCommand())
	return c
}

// labelsPlace holds the flags that say where labels' repositories are.
type labelsPlace struct{ repos, repo string }

func (p *labelsPlace) flags(c *cobra.Command) {
	c.Flags().StringVar(&p.repos, "repos", "", "folder below which the labels' repositories are")
	c.Flags().StringVar(&p.repo, "repo", "", "repository of labels that name none (default the current folder)")
	_ = c.MarkFlagDirname("repos")
	_ = c.MarkFlagDirname("repo")
}

func (p *labelsPlace) of(set []labels.Label) labels.Place {
	repo := p.repo
	if repo == "" && p.repos == "" {
		repo = "."
	}
	return labels.PlaceOf(set, p.repos, repo)
}

// mining holds the flags of rank labels mine.
type mining struct {
	opt                       labels.MineOptions
	repo, since, until, issue string
}

func labelsMineCommand() *cobra.Command {
	m := &mining{}
	c := &cobra.Command{
		Use:   "mine",
		Short: "Make labels of a repository's history",
		Long: `mine takes commits for tasks: the message is the task, the tree before the commit
is ranked, and the files that the commit edited there are the answer. Merges,
reverts, sweeping and mechanical commits and such as change only lock files are
left out, and so are tasks that name an answer's path. Labels go to stdout, one
a line, oldest first; what was left out, and why, to stderr.

--issues takes an export of a tracker (JSON of GitHub or GitLab, issues and
requests mixed): where a commit refers to an issue that was there before it, the
issue's text is the task instead of the message.`,
		Example: `  rank labels mine --count 300 > tasks.jsonl
  rank labels mine --repo ~/src/shop --name acme/shop --since 2024-01-01 --path src/ > tasks.jsonl`,
		Args: noWords,
		RunE: runs(m.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&m.repo, "repo", "", "repository (default the current folder)")
	f.StringVar(&m.opt.Rev, "rev", "", "where the history ends (default HEAD)")
	f.StringVar(&m.opt.Name, "name", "", `what labels call the repository: its path below --repos of rank eval`)
	f.IntVar(&m.opt.Count, "count", labels.MineCount, "labels")
	f.StringVar(&m.since, "since", "", "only commits from this day or time on, such as 2024-01-31 (UTC)")
	f.StringVar(&m.until, "until", "", "only commits before this day or time")
	f.StringSliceVar(&m.opt.Paths, "path", nil, "only answers that match a pattern as in .gitignore")
	f.IntVar(&m.opt.MinFiles, "min-files", 1, "edited files a commit must have")
	f.IntVar(&m.opt.MaxFiles, "max-files", labels.MineMaxFiles, "changed files a commit may have")
	f.Uint64Var(&m.opt.Seed, "sample-seed", 1, "of the draw, if there are more than --count")
	f.StringVar(&m.issue, "issues", "", "file with a tracker's export")
	_ = c.MarkFlagDirname("repo")
	_ = c.MarkFlagFilename("issues", "json", "jsonl")
	return c
}

func (m *mining) run(ctx context.Context, _ []string, _ io.Reader, stdout, stderr io.Writer) error {
	var err error
	if m.opt.Since, err = parseDay("since", m.since); err != nil {
		return err
	}
	if m.opt.Until, err = parseDay("until", m.until); err != nil {
		return err
	}
	if m.opt.Count <= 0 {
		return &usageError{fmt.Sprintf("--count %d: nothing would be mined", m.opt.Count), "give a positive number"}
	}
	if m.issue != "" {
		list, err := readIssues(m.issue, stderr)
		if err != nil {
			return err
		}
		m.opt.Issues = labels.IssuesByNumber(list)
	}
	r, err := git.Open(cmp.Or(m.repo, "."))
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := labels.Mine(ctx, r, m.opt)
	if err != nil {
		return err
	}
	warn(stderr, r.Warnings())
	for i := range got.Labels { // messages and issues may hold secrets
		text, _ := redact.MaskProse([]byte(got.Labels[i].Text))
		got.Labels[i].Text = string(text)
	}
	if err := labels.Write(stdout, got.Labels); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "%s of %d usable among %s\n", count(len(got.Labels), "label"), got.Usable, count(got.Commits, "commit"))
	for _, d := range got.Dropped {
		fmt.Fprintf(stderr, "  left out: %d, %s\n", d.Commits, printable(d.Reason))
	}
	if len(got.Labels) == 0 {
		return &hinted{fmt.Errorf("mine: %w", labels.ErrEmpty), "a wider period, another --path or a higher --max-files may find some"}
	}
	return nil
}

// parseDay reads a day or a time in seconds; "" is 0.
func parseDay(flag, s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	for _, form := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(form, s); err == nil {
			return t.Unix(), nil
		}
	}
	return 0, &usageError{fmt.Sprintf("--%s %q is no day", flag, s), "such as 2024-01-31 or 2024-01-31T12:00:00Z"}
}

func readIssues(file string, stderr io.Writer) ([]labels.Issue, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &usageError{fmt.Sprintf("read issues %s: there is no such file", file), "it takes a tracker's export, JSON or JSON Lines"}
	}
	if err != nil {
		return nil, fmt.Errorf("read issues: %w", err)
	}
	defer f.Close()
	list, problems, err := labels.ReadIssues(f, file)
	for _, p := range problems {
		fmt.Fprintf(stderr, "rank: warning: %s\n", printable(p.Error()))
	}
	return list, err
}

func labelsCheckCommand() *cobra.Command {
	p := &labelsPlace{}
	c := &cobra.Command{
		Use:   "check FILE",
		Short: "Look for labels that cannot be measured on, or that leak",
		Long: `check reads labels and asks their repositories: does every commit and file exist,
and can the ranking see the answer? That is so when the task names an answer's
path, when the tree or its history holds the answer's commit already, when a file
or its pinned blob is younger than the tree, or when the tree is named by a tag
or branch. Findings go to stdout, one a line. The exit code is 1 if there is any
that rank eval would not measure on, else 0.`,
		Example: "  rank labels check tasks.jsonl --repos ~/src",
		Args:    labelFile,
	}
	p.flags(c)
	c.RunE = runs(func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
		set, lines, problems, err := readLabelLines(args[0])
		for _, pr := range problems {
			fmt.Fprintf(stdout, "%s\n", printable(pr.Error()))
		}
		if err != nil {
			return err
		}
		found, err := labels.Check(ctx, set, p.of(set))
		if err != nil {
			return err
		}
		leaks := 0
		unusable := map[int]bool{}
		w := bufio.NewWriter(stdout)
		for _, f := range found {
			if f.Leak {
				leaks++
			}
			if f.Unusable {
				unusable[f.Index] = true
			}
			fmt.Fprintf(w, "%s:%d: %s\n", printable(args[0]), lines[f.Index], printable(f.String()))
		}
		if err := w.Flush(); err != nil {
			return fmt.Errorf("write findings: %w", err)
		}
		bad := len(unusable) + len(problems)
		fmt.Fprintf(stderr, "%s, %s, %d of them leaks; %s cannot be measured on\n", count(len(set)+len(problems), "label"), count(len(found)+len(problems), "finding"), leaks, count(bad, "label"))
		if bad > 0 {
			return said(exitFailed)
		}
		return nil
	})
	return c
}

// labelFile wants the one file of labels that a command is about.
func labelFile(c *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	return &usageError{fmt.Sprintf("%s takes one file of labels", c.CommandPath()[len("rank "):]), "such as: " + c.CommandPath() + " tasks.jsonl"}
}

// readLabelLines reads labels and the line of each, which messages need.
func readLabelLines(file string) (set []labels.Label, lines []int, problems []labels.Problem, err error) {
	f, err := openLabels(file)
	if err != nil {
		return nil, nil, nil, err
	}
	defer f.Close()
	return labels.ReadLines(f, file)
}

// importing holds the flags of rank labels import.
type importing struct {
	from, qrels, commit, name string
}

func labelsImportCommand() *cobra.Command {
	m := &importing{}
	c := &cobra.Command{
		Use:   "import --from swebench|github|gitlab|trec FILE…",
		Short: "Make labels of tasks from elsewhere",
		Long: `import turns what others export into labels on stdout.

  swebench  JSON Lines with instance_id, repo, base_commit, problem_statement, patch
  github    issues and pull requests, JSON or JSON Lines: REST answers (with the
            requests' "files") or what the command line of the service prints
  gitlab    issues and merge requests with their "changes" and "closes_issues"
  trec      topics (<top> blocks, or id, tab, text), with --qrels and --commit

What cannot be used is said on stderr and skipped. Run rank labels check next.`,
		Example: `  rank labels import --from github --name acme/shop issues.json pulls.json > tasks.jsonl`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &usageError{"labels import takes at least one file", "such as: " + c.CommandPath() + " --from swebench tasks.jsonl"}
			}
			return nil
		},
		RunE: runs(m.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&m.from, "from", "", "what the files are: swebench, github, gitlab or trec (required)")
	f.StringVar(&m.name, "name", "", "what labels call the repository, where the export does not say")
	f.StringVar(&m.qrels, "qrels", "", "trec: the judgements")
	f.StringVar(&m.commit, "commit", "", "trec: the commit that was judged")
	return c
}

func (m *importing) run(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	var set []labels.Label
	var problems []labels.Problem
	switch m.from {
	case "swebench":
		for _, file := range args {
			err := withFile(file, func(r io.Reader) error {
				got, bad, err := labels.ImportSWE(r, file)
				set, problems = append(set, got...), append(problems, bad...)
				return err
			})
			if err != nil {
				return err
			}
		}
	case "github", "gitlab":
		var all []labels.Issue
		for _, file := range args {
			list, err := readIssues(file, stderr)
			if err != nil {
				return err
			}
			all = append(all, list...)
		}
		got, bad, err := labels.ImportTracker(all, strings.Join(args, ","), m.name)
		set, problems = got, bad
		if err != nil {
			reportProblems(stderr, problems)
			return err
		}
	case "trec":
		if m.qrels == "" || len(args) != 1 {
			return &usageError{"trec topics need their judgements", "give one file of topics and --qrels FILE"}
		}
		err := withFile(args[0], func(topics io.Reader) error {
			return withFile(m.qrels, func(qrels io.Reader) (err error) {
				set, problems, err = labels.ImportTREC(topics, qrels, args[0], m.commit, m.name)
				return err
			})
		})
		if err != nil {
			reportProblems(stderr, problems)
			return err
		}
	default:
		return &usageError{fmt.Sprintf("--from %q: there is no such format", m.from), "want swebench, github, gitlab or trec"}
	}
	reportProblems(stderr, problems)
	return labels.Write(stdout, set)
}

func reportProblems(stderr io.Writer, problems []labels.Problem) {
	for _, p := range problems {
		fmt.Fprintf(stderr, "rank: warning: %s\n", printable(p.Error()))
	}
}

func withFile(name string, f func(io.Reader) error) error {
	in, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &usageError{fmt.Sprintf("read %s: there is no such file", name), "name one that is there"}
	}
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	defer in.Close()
	return f(in)
}

func labelsShowCommand() *cobra.Command {
	var id string
	c := &cobra.Command{
		Use:     "show FILE",
		Short:   "Say what a file of labels holds, or print one of them",
		Example: "  rank labels show tasks.jsonl\n  rank labels show tasks.jsonl --id shop-1a2b3c4d5e",
		Args:    labelFile,
	}
	c.Flags().StringVar(&id, "id", "", "print this label in full")
	c.RunE = runs(func(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
		set, err := readLabels(args[0], stderr)
		if err != nil {
			return err
		}
		if id != "" {
			for i := range set {
				if set[i].ID == id {
					return showLabel(stdout, &set[i])
				}
			}
			return &usageError{fmt.Sprintf("no label has the id %q", id), "rank labels show FILE lists repositories; ids are in the file"}
		}
		return showLabels(stdout, set)
	})
	return c
}

func showLabel(w io.Writer, l *labels.Label) error {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-14s %s\n", name, printable(value))
		}
	}
	line("id", l.ID)
	line("repo", l.Repo)
	line("commit", l.Commit)
	line("answer", l.Answer)
	line("root", l.Root)
	line("intent", l.Intent)
	line("tags", strings.Join(l.Tags, ", "))
	line("contamination", l.Contamination)
	for _, f := range l.Files {
		line("file", f)
	}
	for _, s := range l.Spans {
		line("span", fmt.Sprintf("%s:%d-%d", s.Path, s.Start, s.End))
	}
	b.WriteByte('\n')
	for t := range strings.Lines(l.Text) {
		b.WriteString(printable(strings.TrimRight(t, "\r\n")) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// showLabels tells what a set is made of, by repository.
func showLabels(w io.Writer, set []labels.Label) error {
	type sum struct {
		labels, files, words, trees int
		seen                        map[string]bool
	}
	all := sum{seen: map[string]bool{}}
	byRepo := map[string]*sum{}
	tags, intents, seen := map[string]int{}, map[string]int{}, map[string]int{}
	for i := range set {
		l := &set[i]
		r := byRepo[l.Repo]
		if r == nil {
			r = &sum{seen: map[string]bool{}}
			byRepo[l.Repo] = r
		}
		for _, s := range []*sum{r, &all} {
			s.labels++
			s.files += len(l.Files)
			s.words += len(strings.Fields(l.Text))
			if key := l.Repo + "\x00" + l.Commit; !s.seen[key] {
				s.seen[key] = true
				s.trees++
			}
		}
		for _, t := range l.Tags {
			tags[t]++
		}
		intents[cmp.Or(l.Intent, "not said")]++
		if l.Contamination != "" {
			seen[l.Contamination]++
		}
	}
	rows := [][]string{{"", "labels", "trees", "files a label", "words a label"}}
	row := func(name string, s *sum) {
		n := float64(s.labels)
		rows = append(rows, []string{printable(name), fmt.Sprint(s.labels), fmt.Sprint(s.trees), fmt.Sprintf("%.1f", float64(s.files)/n), fmt.Sprintf("%.0f", float64(s.words)/n)})
	}
	for _, name := range slices.Sorted(maps.Keys(byRepo)) {
		row(cmp.Or(name, "(names no repository)"), byRepo[name])
	}
	row("all", &all)
	if err := table(w, rows); err != nil {
		return err
	}
	var b strings.Builder
	for _, g := range []struct {
		name string
		m    map[string]int
	}{{"intents", intents}, {"tags", tags}, {"contamination", seen}} {
		if len(g.m) == 0 {
			continue
		}
		b.WriteString(g.name + ":")
		for i, k := range slices.Sorted(maps.Keys(g.m)) {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %s %d", printable(k), g.m[k])
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// splitting holds the flags of rank labels split.
type splitting struct {
	labelsPlace
	by, train, test string
	share           float64
}

func labelsSplitCommand() *cobra.Command {
	s := &splitting{}
	c := &cobra.Command{
		Use:   "split FILE --train FILE --test FILE",
		Short: "Divide labels into a part to fit on and one to report on",
		Long: `split divides by time (the default for one repository: what is ranked earlier is
fitted on, what came later is reported on) or by repository (the default for
several: whole repositories go to one part).`,
		Example: "  rank labels split tasks.jsonl --train train.jsonl --test test.jsonl",
		Args:    labelFile,
		RunE:    runs(s.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&s.train, "train", "", "write the part to fit on to this file (required)")
	f.StringVar(&s.test, "test", "", "write the part to report on to this file (required)")
	f.StringVar(&s.by, "by", "", "time or repo")
	f.Float64Var(&s.share, "share", 0.5, "of the labels in --train")
	s.labelsPlace.flags(c)
	return c
}

func (s *splitting) run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	if s.train == "" || s.test == "" {
		return &usageError{"labels split: --train and --test are needed", "such as: rank labels split tasks.jsonl --train train.jsonl --test test.jsonl"}
	}
	if a, err := filepath.Abs(s.train); err == nil {
		if b, err := filepath.Abs(s.test); err == nil && a == b {
			return &usageError{"labels split: --train and --test are the same file", "give two"}
		}
	}
	set, err := readLabels(args[0], stderr)
	if err != nil {
		return err
	}
	first, second, by, err := splitLabels(ctx, set, s.by, s.share, s.of(set))
	if err != nil {
		return err
	}
	for _, p := range []struct {
		file string
		set  []labels.Label
	}{{s.train, first}, {s.test, second}} {
		if len(p.set) == 0 {
			return &hinted{fmt.Errorf("split by %s: %s would be empty: %w", by, p.file, labels.ErrEmpty), "give another --share or --by"}
		}
		if err := writeFile(p.file, func(w io.Writer) error { return labels.Write(w, p.set) }); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(stdout, "by %s: %s to fit on, %d to report on\n", by, count(len(first), "label"), len(second))
	return err
}

// splitLabels divides labels by time or by repository; by "" it chooses.
func splitLabels(ctx context.Context, set []labels.Label, by string, share float64, at labels.Place) (first, second []labels.Label, how string, err error) {
	if !(share > 0 && share < 1) {
		return nil, nil, by, &usageError{fmt.Sprintf("--share %v: a part would be empty", share), "give a number between 0 and 1"}
	}
	if by == "" {
		by = "time"
		for i := range set {
			if set[i].Repo != set[0].Repo {
				by = "repo"
			}
		}
	}
	switch by {
	case "time":
		first, second, err = labels.SplitByTime(ctx, set, share, at)
	case "repo":
		first, second, err = labels.SplitByRepo(set, share)
	default:
		err = &usageError{fmt.Sprintf("--by %q: labels cannot be divided so", by), "want time or repo"}
	}
	return first, second, by, err
}
