package cmd

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"cohop/render"
)

// explaining holds the flags of rank explain: those of a query that bear on
// the order of files.
type explaining struct {
	query
	dash int // index of the first argument behind --, −1 for none
}

func explainCommand() *cobra.Command {
	x := &explaining{}
	c := &cobra.Command{
		Use:   "explain PATH -- TASK…",
		Short: "Say how a file came to its place for a task",
		Long: `explain shows every column of one file: its raw value, its z-score, its weight
and what it added to the score; then the evidence: commits that voted for the
file, commits it shares with the seeds, edges that lead to them, literals and
definitions of the task. Of a file that was not scored it says why.`,
		Example: `  rank explain src/session.go -- where are sessions expired
  rank explain src/session.go --json -- where are sessions expired`,
		RunE: func(c *cobra.Command, args []string) error {
			x.dash = c.ArgsLenAtDash()
			return x.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	x.set = func(name string) bool { return c.Flags().Changed(name) }
	x.place.flags(c)
	x.orderFlags(c)
	c.Flags().StringVar(&x.taskFile, "task-file", "", "read the task from this file")
	c.Flags().BoolVar(&x.json, "json", false, "print JSON")
	c.Flags().SortFlags = false
	x.format, x.top = formatText, 1
	return c
}

func (x *explaining) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	fromFile := x.taskFile != "" && len(args) == 1
	if !fromFile && (x.dash != 1 || len(args) < 2) {
		hint := "write rank explain PATH -- TASK"
		if x.dash < 0 && len(args) > 1 {
			words := []string{"explain"}
			for _, a := range args {
				words = append(words, shellWord(a))
			}
			hint += "; if that is the task, rank -- " + strings.Join(words, " ")
		}
		return &usageError{"explain takes one path, and a task behind --", hint}
	}
	if err := x.check(); err != nil {
		return err
	}
	task, err := readTask(args[1:], x.taskFile, stdin, stderr)
	if err != nil {
		return err
	}
	p := newProgress(stderr)
	defer p.done()
	e, req, err := x.open(ctx, task, p)
	p.done()
	if err != nil {
		return err
	}
	defer e.Close()
	a, err := e.Query(ctx, req)
	if err != nil {
		return err
	}
	got, err := a.Explain(args[0])
	if err != nil {
		return err
	}
	warn(stderr, e.State().Warnings)
	if x.json {
		return render.ExplanationJSON(stdout, got)
	}
	return render.Explanation(stdout, got)
}
