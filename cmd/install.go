package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cohop/agent"
	"cohop/internal/git"
	"cohop/skills"
)

// installing holds the flags of rank install.
type installing struct {
	agent.Install
	repo  string
	kinds map[string]*bool
}

func installCommand() *cobra.Command {
	x := &installing{kinds: map[string]*bool{}}
	c := &cobra.Command{
		Use:   "install CLIENT",
		Short: "Put hook, MCP server, skill and note into an agent's settings, or take them out",
		Long: `install edits the settings of a client (` + strings.Join(agent.InstallClients, ", ") + `), in the
project or with --user for all projects. Without a kind it installs all that the
client has a place for.

What is there already stays as it is: comments, order, permissions. A settings
file that does not parse is refused, and then nothing is written. --remove
brings a file back byte for byte when nobody changed it since, and otherwise
takes out what install put in.`,
		Example:   "  rank install claude --dry-run\n  rank install codex --hook --mcp --user\n  rank install claude --remove",
		ValidArgs: agent.InstallClients,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{"install takes the name of one client", "there are " + strings.Join(agent.InstallClients, ", ")}
			}
			return nil
		},
		RunE: runs(x.run),
	}
	f := c.Flags()
	f.SortFlags = false
	for _, k := range []struct{ name, text string }{
		{agent.KindHook, "the hook, which gives the client context for every prompt"},
		{agent.KindMCP, "the MCP server with its two tools"},
		{agent.KindSkill, "the skill, which tells how to run rank and read its answers"},
		{agent.KindInstructions, "a note in the client's file of instructions"},
	} {
		x.kinds[k.name] = f.Bool(k.name, false, k.text)
	}
	f.BoolVar(&x.User, "user", false, "for the user in all projects, not for this one")
	f.StringVar(&x.repo, "repo", "", "the project, or a folder in it (default the current folder)")
	f.StringVar(&x.Dir, "dir", "", "edit the settings in this very folder; with --user instead of the home folder")
	f.StringVar(&x.Command, "command", "rank", "how clients call this program")
	f.BoolVar(&x.DryRun, "dry-run", false, "show what would change and change nothing")
	f.BoolVar(&x.Remove, "remove", false, "take out what install put in")
	_ = c.MarkFlagDirname("repo")
	_ = c.MarkFlagDirname("dir")
	_ = f.MarkHidden("dir") // what --repo was called, and for homes elsewhere
	return c
}

func (x *installing) run(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	x.Client, x.Skill = args[0], skills.Rank
	for _, k := range agent.Kinds {
		if *x.kinds[k] {
			x.Kinds = append(x.Kinds, k)
		}
	}
	var err error
	if x.Dir, err = x.where(); err != nil {
		return err
	}
	done, err := x.Run()
	changed := slices.ContainsFunc(done, func(d agent.Done) bool { return d.What != agent.AsItWas })
	if x.Remove && err == nil && !changed {
		fmt.Fprintln(stdout, "nothing was installed here")
		return nil
	}
	for _, d := range done {
		if x.DryRun {
			if d.Diff == "" {
				fmt.Fprintf(stdout, "%s: as it is\n", d.File)
			}
			io.WriteString(stdout, d.Diff)
			continue
		}
		fmt.Fprintf(stdout, "%s: %s\n", d.File, d.What)
	}
	if err != nil || x.Remove {
		return err
	}
	if program := commandOf(x.Command); !onPath(program) {
		warn(stderr, []string{program + " is not on PATH, so that " + x.Client + " will not find it: name it with --command /path/to/rank, or put it there"})
	}
	if changed && !x.DryRun {
		fmt.Fprintf(stdout, "next: restart %s, which reads its settings when it starts\n", x.Client)
	}
	return nil
}

// commandOf is the program that a command calls.
func commandOf(command string) string {
	if _, err := os.Stat(command); err == nil { // a path may hold blanks
		return command
	}
	if words := strings.Fields(command); len(words) > 0 {
		return words[0]
	}
	return command
}

// onPath tells whether a shell finds a program. It is not os/exec's LookPath:
// that package is for what starts processes.
func onPath(program string) bool {
	runs := func(file string) bool {
		info, err := os.Stat(file)
		return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
	}
	dirs := filepath.SplitList(os.Getenv("PATH"))
	if filepath.Base(program) != program {
		dirs = []string{""}
	}
	return slices.ContainsFunc(dirs, func(dir string) bool {
		file := filepath.Join(dir, program)
		return runs(file) || runtime.GOOS == "windows" && runs(file+".exe")
	})
}

// where is the folder whose settings are edited.
func (x *installing) where() (string, error) {
	given, flag := x.repo, "repo"
	switch {
	case x.repo != "" && x.Dir != "":
		return "", &usageError{"--repo and --dir name the folder twice", "give --repo"}
	case x.repo != "" && x.User:
		return "", &usageError{"--repo and --user contradict each other: one is for a project, one for all", "give one of them"}
	case x.Dir != "":
		given, flag = x.Dir, "dir"
	case x.User:
		return os.UserHomeDir()
	}
	if given != "" { // a mistyped one would be made
		if info, err := os.Stat(given); err != nil || !info.IsDir() {
			return "", &usageError{fmt.Sprintf("--%s %s: there is no such folder", flag, given), "it takes the folder of a project"}
		}
	}
	if x.Dir != "" {
		return filepath.Abs(x.Dir)
	}
	r, err := git.Open(cmp.Or(given, "."))
	if err == nil {
		defer r.Close()
		if r.Worktree != "" {
			return r.Worktree, nil
		}
	}
	if given != "" {
		return filepath.Abs(given)
	}
	return os.Getwd()
}
