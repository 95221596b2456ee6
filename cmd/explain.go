package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"cohop/internal/git"
	"cohop/internal/repo"
	"cohop/rank"
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
definitions of the task. Of a file that was not scored, or is not in the ranked
tree (ignored, a link, of another commit), it says why. The path is as seen from
the current folder, or from the repository's top.`,
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
	got, err := x.of(e.State(), a, args[0])
	if err != nil {
		return err
	}
	warn(stderr, e.State().Warnings)
	if x.json {
		return render.ExplanationJSON(stdout, got)
	}
	return render.Explanation(stdout, got)
}

// of explains the file that the user names.
func (x *explaining) of(st *repo.State, a *rank.Query, name string) (*rank.Explanation, error) {
	paths, err := pathsFrom(st, name)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if _, ok := st.View.Find(p); ok {
			return a.Explain(p)
		}
	}
	commit := st.Snapshot.Commit
	if x.rev == "" && !st.Git.Bare {
		commit = git.OID{}
	}
	root := strings.Trim(filepath.ToSlash(filepath.Clean(x.root)), "/")
	for _, p := range paths {
		why := st.Git.Absence(p, commit)
		switch {
		case why == git.AbsentFolder:
			return nil, &usageError{fmt.Sprintf("%s is a folder", strconv.Quote(name)), "explain takes a file" + suchAs(filesBelow(st, p))}
		case why == "" && root != "." && !strings.HasPrefix(p, root+"/") && st.Git.Worktree != "":
			if _, err := os.Lstat(filepath.Join(st.Git.Worktree, p)); err != nil {
				continue
			}
			why = "it is not below --root " + root
		}
		if why != "" {
			return a.ExplainAbsent(p, why), nil
		}
	}
	return a.Explain(name) // says what is near
}

// pathsFrom lists what a path that a user gives may mean in the ranked tree, the
// likeliest first: as seen from the current folder, if that is in the working
// tree, and as answers write it, from the top.
func pathsFrom(st *repo.State, name string) (list []string, err error) {
	top := st.Git.Worktree
	if top != "" {
		if real, err := filepath.EvalSymlinks(top); err == nil {
			top = real
		}
		here, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("find the current folder: %w", err)
		}
		if real, err := filepath.EvalSymlinks(here); err == nil {
			here = real
		}
		full := name
		if !filepath.IsAbs(name) {
			full = filepath.Join(here, name)
		} else if dir, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
			full = filepath.Join(dir, filepath.Base(name))
		}
		if p, ok := below(top, full); ok {
			if _, in := below(top, here); in || filepath.IsAbs(name) {
				list = append(list, p)
			}
		} else if filepath.IsAbs(name) {
			return nil, &usageError{fmt.Sprintf("%s is not in the repository %s", strconv.Quote(name), top), "--repo DIR names another"}
		}
	}
	if p := path.Clean(filepath.ToSlash(name)); !path.IsAbs(p) && p != "." && p != ".." && !strings.HasPrefix(p, "../") && !slices.Contains(list, p) {
		list = append(list, p)
	}
	return list, nil
}

// below gives a file's path below a folder, slash-separated.
func below(dir, file string) (string, bool) {
	p, err := filepath.Rel(dir, file)
	p = filepath.ToSlash(p)
	return p, err == nil && p != ".." && !strings.HasPrefix(p, "../")
}

// filesBelow lists the first files of a folder.
func filesBelow(st *repo.State, dir string) (list []string) {
	for f := range st.View.Files() {
		if p := st.View.Path(f); len(list) < 3 && strings.HasPrefix(p, dir+"/") {
			list = append(list, printable(p))
		}
	}
	return list
}

func suchAs(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return ", such as " + strings.Join(list, ", ")
}
