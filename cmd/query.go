package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"cohop/internal/config"
	"cohop/internal/repo"
	"cohop/rank"
	"cohop/render"
)

// The formats of an answer.
const (
	formatText  = "text"
	formatMD    = "md"
	formatJSON  = "json"
	formatTREC  = "trec"
	formatFiles = "files" // set by --files
)

// maxTask is how much of a task is read; the engine reads 64 KiB of it and
// says so.
const maxTask = 1 << 20

// query holds the flags of the main job.
type query struct {
	place
	taskFile     string
	budget, top  int
	format       string
	files        bool
	json         bool
	explain      bool
	without      []string
	weights      string
	fusion       string
	intent       string
	seeds        []string
	paths        []string
	langs, roles []string
	deadline     time.Duration
	background   func(dir string, args ...string) error // repo.Background
	session      string
	fresh        bool

	set  func(flag string) bool // was it given
	near string                 // a command that the task, one word, may be meant for

	warm      bool        // with a deadline: the repository was indexed before
	ready     atomic.Bool // the index was opened, and lacks nothing
	finishing sync.Once   // what is left after the deadline
	finished  string      // what there is to be said of it
}

func queryCommand() *cobra.Command {
	q := &query{background: repo.Background}
	c := &cobra.Command{
		Use:   "rank TASK…",
		Short: "Name the files that a task needs",
		Long: `rank takes a task in words (a ticket, a stack trace, a question) and a git
repository, and answers with the files that must be read or changed for it,
packed into a token budget. It works offline and runs nothing of the
repository.

The task is the words given, or "-" to read it from stdin, or --task-file. With
neither, what is piped in is the task.

Exit codes: 0 done, 1 failed, 2 usage, 3 not a repository, 4 abstained.`,
		Example: `  rank "rate limit the /export endpoint"
  rank --files --top 5 where are sessions expired
  gh issue view 12 --json title,body --jq '.title,.body' | rank -
  rank --format md --budget 2000 --task-file ticket.txt > context.md`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && c.ArgsLenAtDash() < 0 {
				q.near = nearCommand(c, args[0])
			}
			return q.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	q.set = func(name string) bool { return c.Flags().Changed(name) }
	q.place.flags(c)
	q.flags(c)
	return c
}

func (q *query) flags(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&q.taskFile, "task-file", "", "read the task from this file")
	f.IntVar(&q.budget, "budget", 0, "tokens (o200k) of the packed context (default 8000, or pack.budget of .rank.toml)")
	f.IntVar(&q.top, "top", 20, "files in the list, at most 100")
	f.BoolVar(&q.files, "files", false, "print paths only, one a line")
	f.StringVar(&q.format, "format", formatText, "text, md, json or trec")
	f.BoolVar(&q.json, "json", false, "the same as --format json")
	f.BoolVar(&q.explain, "explain", false, "say of each file how its score came about")
	q.orderFlags(c)
	f.StringVar(&q.session, "session", "", "name of a stream of questions that belong together: a follow-up is drawn to what it is about")
	f.BoolVar(&q.fresh, "fresh", false, "forget what the session was about before this question")
	f.DurationVar(&q.deadline, "deadline", 0, "answer within this time, such as 2s, from what is ready by then")
	_ = c.MarkFlagFilename("task-file")
	complete(c, "format", formatText, formatMD, formatJSON, formatTREC)
}

// orderFlags are those that bear on the order of files.
func (q *query) orderFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&q.without, "without", nil, "columns or groups to switch off")
	f.StringVar(&q.weights, "weights", "", "TOML file with weights, laid over all others")
	f.StringVar(&q.fusion, "fusion", "", "how columns are joined: z or rrf (default z)")
	f.StringVar(&q.intent, "intent", rank.Auto, "what the task asks for: ask (where is it), change, or auto")
	f.StringArrayVar(&q.seeds, "seed", nil, "a file that is known to matter")
	f.StringArrayVar(&q.paths, "path", nil, "rank only paths that match a pattern, as in .gitignore")
	f.StringSliceVar(&q.langs, "lang", nil, "rank only files of these languages")
	f.StringSliceVar(&q.roles, "role", nil, "rank only files of these roles (source, test, documentation, …)")
	_ = c.MarkFlagFilename("weights", "toml")
	complete(c, "fusion", "z", "rrf")
	complete(c, "intent", rank.Auto, rank.Ask, rank.Change)
	complete(c, "role", repo.Roles()...)
	complete(c, "without", append(slices.Clone(config.Columns), config.Literal, "similarity", "priors")...)
}

func complete(c *cobra.Command, flag string, values ...string) {
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// check finds what cannot be meant before any work is done.
func (q *query) check() error {
	if err := q.place.check(); err != nil {
		return err
	}
	if err := present("weights", q.weights, hintTOML); err != nil {
		return err
	}
	if err := present("task-file", q.taskFile, hintTask); err != nil {
		return err
	}
	if q.files && (q.json || q.set("format")) {
		return &usageError{"--files prints paths only, and no other format", "leave out --json and --format, or --files"}
	}
	if q.json {
		if q.set("format") && q.format != formatJSON {
			return &usageError{"--json and --format " + q.format + " contradict each other", "give one of them"}
		}
		q.format = formatJSON
	}
	if q.files {
		q.format = formatFiles
	}
	if !slices.Contains([]string{formatText, formatMD, formatJSON, formatTREC, formatFiles}, q.format) {
		return &usageError{fmt.Sprintf("--format %q: there is no such format", q.format), "want text, md, json or trec"}
	}
	if q.explain && q.format != formatText && q.format != formatJSON {
		return &usageError{"--explain has no place in " + q.format, "use it with text or json, or ask about one file: rank explain PATH -- TASK"}
	}
	if q.top < 1 || q.top > rank.MaxRun {
		return &usageError{fmt.Sprintf("--top %d: a list holds 1 to %d files", q.top, rank.MaxRun), "give a number in between"}
	}
	if q.fusion != "" && q.fusion != "z" && q.fusion != "rrf" {
		return &usageError{fmt.Sprintf("--fusion %q: there is no such fusion", q.fusion), "want z or rrf"}
	}
	if q.fresh && q.session == "" {
		return &usageError{"--fresh without a session", "name one with --session"}
	}
	if q.set("deadline") && q.deadline <= 0 {
		return &usageError{fmt.Sprintf("--deadline %v is over before anything can be done", q.deadline), "give a time such as 2s"}
	}
	return nil
}

func (q *query) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := q.check(); err != nil {
		return err
	}
	task, err := readTask(args, q.taskFile, stdin, stderr)
	if err != nil {
		return err
	}
	if q.deadline > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.deadline)
		defer cancel()
	}
	p := newProgress(stderr)
	r, err := q.answer(ctx, task, p)
	p.done()
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("answer within %v: %w", q.deadline, err)
		}
		return err
	}
	if err := q.write(r, stdout, stderr); err != nil {
		return err
	}
	if q.near != "" && len(r.Header.Missing) > 0 { // else it is a word of the repository
		fmt.Fprintf(stderr, "rank: note: %q was taken as a task; did you mean the command `rank %s`?\n", task, q.near)
	}
	if r.Header.Abstained {
		return said(exitAbstained)
	}
	return nil
}

// outcome is what a goroutine comes to.
type outcome struct {
	r   *rank.Result
	err error
}

// answer asks the engine. It returns when ctx ends even where the engine is
// busy with something that cannot be interrupted: the process ends then, and
// what is written to the cache is written whole or not at all. When time is up
// what names alone tell stands in for the answer.
func (q *query) answer(ctx context.Context, task string, p io.Writer) (*rank.Result, error) {
	end, hurried := ctx.Deadline()
	warm := make(chan bool, 1) // asked of those alone who come late
	if hurried {
		go func() { warm <- !q.noCache && repo.Warm(q.repo, q.cacheDir) }()
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := q.ask(ctx, task, p)
		done <- outcome{r, err}
	}()
	var names chan outcome
	if hurried {
		names = make(chan outcome, 1)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			select { // names are quick to look at, and it is not known how quick
			case <-time.After(time.Until(end) / 2):
				r, err := q.quick(context.WithoutCancel(ctx), task)
				names <- outcome{r, err}
			case <-stop:
			}
		}()
	}
	select {
	case o := <-done:
		if names == nil || !errors.Is(o.err, context.DeadlineExceeded) {
			return o.r, o.err
		}
	case <-ctx.Done():
		if names == nil || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			select {
			case o := <-done:
				return o.r, o.err
			case <-time.After(grace):
				return nil, ctx.Err()
			}
		}
	}
	select {
	case o := <-done: // just in time
		if !errors.Is(o.err, context.DeadlineExceeded) {
			return o.r, o.err
		}
	default:
	}
	q.warm = <-warm
	more := q.short() // before this process is gone
	o := <-names
	if o.err == nil {
		if q.warm {
			o.r.InTime()
		}
		o.r.Header.Warnings = append(o.r.Header.Warnings, more)
	}
	return o.r, o.err
}

// grace is how long the engine has to end by itself once its time is over.
const grace = 100 * time.Millisecond

// quick answers from names.
func (q *query) quick(ctx context.Context, task string) (*rank.Result, error) {
	req := q.request(task)
	if req.Budget = q.budget; q.set("budget") && q.budget == 0 {
		req.Budget = -1
	}
	return rank.Quick(ctx, req)
}

func (q *query) ask(ctx context.Context, task string, p io.Writer) (*rank.Result, error) {
	e, req, err := q.open(ctx, task, p)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	q.ready.Store(!e.State().Unfinished())
	a, err := e.Query(ctx, req)
	if err != nil {
		return nil, err
	}
	budget := q.budget
	if q.set("budget") && budget == 0 {
		budget = -1 // 0 is the configuration's to the engine; here it is a mistake
	}
	r, err := a.Result(budget)
	if err == nil && e.State().Unfinished() {
		r.Header.Warnings = append(r.Header.Warnings, q.finish())
	}
	if err == nil && q.session != "" {
		if err := a.Keep(); err != nil { // the answer stands, the next one starts anew
			r.Header.Warnings = append(r.Header.Warnings, err.Error())
		}
	}
	if err != nil && q.set("budget") && q.budget <= 0 {
		err = leastBudget(a, q.budget, err)
	}
	return r, err
}

// leastBudget turns the refusal of a budget that is no number of tokens into
// one that names the least that works.
func leastBudget(a *rank.Query, budget int, err error) error {
	var usage *rank.UsageError
	if !errors.As(err, &usage) {
		return err
	}
	given := fmt.Sprintf("a budget of %d tokens", budget)
	_, one := a.Result(1)
	if !errors.As(one, &usage) { // any will do, since it abstains
		return &rank.UsageError{Text: strings.Replace(usage.Text, "a budget of -1 tokens", given, 1)}
	}
	return &rank.UsageError{Text: strings.Replace(usage.Text, "a budget of 1 tokens", given, 1)}
}

// leastTime is the shortest deadline that says something of the index when it
// passes: a query of a tree that is indexed ends before, on slow machines and
// with 100,000 files too.
const leastTime = 500 * time.Millisecond

// short says what to do about a deadline that passed before there was an answer:
// nothing is to be built where the index was opened, or where there is one and
// even a query of it takes longer.
func (q *query) short() string {
	if !q.ready.Load() && (!q.warm || q.deadline >= leastTime) {
		return q.finish()
	}
	return fmt.Sprintf("the repository is indexed and nothing is being built, but a query of it takes longer than %v: give more time, such as --deadline %v", q.deadline, max(2*leastTime, 2*q.deadline))
}

// finish has what is left be done by a process that outlives this one, unless
// there is one already, and returns the warning that says so. That it cannot be
// started is no matter: the warning names what does the same.
func (q *query) finish() string {
	q.finishing.Do(func() {
		if q.noCache {
			q.finished = "with --no-cache every run begins anew: leave it out, or give more time"
			return
		}
		args := []string{"index"}
		config := q.config
		if config == "" {
			config = q.weights // may set roles, which the index depends on
		}
		for _, f := range [][2]string{{"--repo", q.repo}, {"--rev", q.rev}, {"--root", q.root}, {"--config", config}, {"--cache-dir", q.cacheDir}} {
			if f[1] != "" {
				args = append(args, f[0], f[1])
			}
		}
		command := "rank " + strings.Join(args, " ")
		mine, err := repo.Claim(q.repo, q.cacheDir)
		if err == nil && mine {
			err = q.background("", args...)
		}
		if err != nil {
			q.finished = "the index is not complete: " + command + " builds it now"
			return
		}
		q.finished = "the index is being built in the background: ask again later, or wait for " + command + ", which builds it now"
	})
	return q.finished
}

// request is what the flags say.
func (q *query) request(task string) rank.Request {
	req := q.place.request()
	req.Task, req.Top, req.Intent, req.Fusion = task, q.top, q.intent, q.fusion
	req.Without, req.Seeds, req.Paths, req.Langs, req.Roles = q.without, q.seeds, q.paths, q.langs, q.roles
	req.Session, req.Fresh = q.session, q.fresh
	return req
}

// open opens the engine for the flags and returns the request.
func (q *query) open(ctx context.Context, task string, p io.Writer) (*rank.Engine, rank.Request, error) {
	req := q.request(task)
	req.Progress = p
	req.Later = q.deadline > 0 && !req.NoCache
	over := q.weights
	if req.ConfigFile == "" {
		req.ConfigFile, over = q.weights, ""
	}
	if strings.TrimSpace(task) == "" { // before the index is built for it
		return nil, req, &rank.UsageError{Text: "the task is empty: say in words what is to be done or found"}
	}
	if _, err := config.Expand(q.without); err != nil {
		return nil, req, &rank.UsageError{Text: err.Error()}
	}
	e, err := rank.Open(ctx, req)
	if err != nil {
		return nil, req, err
	}
	req.Seeds = slices.Clone(req.Seeds)
	for i, name := range req.Seeds { // as seen from here, if that is a file
		paths, err := pathsFrom(e.State(), name)
		if err != nil {
			e.Close()
			return nil, req, err
		}
		for _, p := range paths {
			if _, ok := e.State().View.Find(p); ok {
				req.Seeds[i] = p
				break
			}
		}
	}
	if over != "" {
		b, err := repo.ReadConfig(over)
		if err == nil {
			cfg := *e.State().Config
			if err = cfg.Merge(over, string(b)); err == nil {
				req.Config = &cfg
			}
		}
		if err != nil {
			e.Close()
			return nil, req, err
		}
	}
	return e, req, nil
}

func (q *query) write(r *rank.Result, stdout, stderr io.Writer) error {
	if q.format == formatFiles || q.format == formatTREC { // no place for a header
		warn(stderr, r.Header.Warnings)
		if r.Header.Abstained {
			fmt.Fprintf(stderr, "rank: %v; missing: %s\n", rank.ErrAbstained, strings.Join(r.Header.Missing, ", "))
		}
	}
	switch q.format {
	case formatJSON:
		return render.JSON(stdout, r)
	case formatMD:
		if _, is := terminal(stdout); is {
			stdout = tame{stdout}
		}
		return render.Markdown(stdout, r)
	case formatTREC:
		return render.TREC(stdout, "task", r.Files)
	case formatFiles:
		return writePaths(stdout, r.Files)
	}
	opt := render.TextOptions{Color: colour(stdout)}
	opt.Width, _ = terminal(stdout)
	if err := render.Text(stdout, r, opt); err != nil {
		return err
	}
	if q.explain {
		for i := range r.Files {
			if _, err := io.WriteString(stdout, "\n"); err != nil {
				return err
			}
			if err := render.Explain(stdout, r, r.Files[i].Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// readTask takes the task from the words, from stdin, or from a file.
func readTask(args []string, file string, stdin io.Reader, stderr io.Writer) (string, error) {
	fromStdin := len(args) == 1 && args[0] == "-"
	switch {
	case file != "" && len(args) > 0:
		return "", &usageError{"the task is given twice: as words and by --task-file", "give one of them"}
	case file != "" && file != "-":
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("read task: %w", err)
		}
		defer f.Close()
		return readAll(f, file)
	case len(args) > 0 && !fromStdin:
		return strings.Join(args, " "), nil
	case len(args) == 0 && file == "":
		if _, isTerm := terminal(stdin); isTerm {
			fmt.Fprint(stderr, shortHelp)
			return "", said(exitUsage)
		}
	}
	return readAll(stdin, "stdin")
}

const shortHelp = `usage: rank TASK…          name the files that a task needs
       rank -              read the task from stdin
       rank --help         all flags and commands
such as: rank "rate limit the /export endpoint"
`

func readAll(r io.Reader, name string) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxTask))
	if err != nil {
		return "", fmt.Errorf("read task from %s: %w", name, err)
	}
	return string(b), nil
}
