// Package cmd is the command line: one file a command, every command a
// function of (ctx, args, stdin, stdout, stderr), exit codes in one switch.
// Data goes to stdout; progress, warnings and errors go to stderr.
package cmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"cohop/internal/repo"
	"cohop/internal/text"
)

// Main runs the command line and returns the exit code. An interrupt cancels
// what is running; a second one ends the process as usual.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 1 && args[0] == repo.TypesArgument { // this program, called by itself
		return repo.ServeTypes(stdin, stdout)
	}
	postponeCollection()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	return report(stderr, root.ExecuteContext(ctx))
}

// run is what a command does once its flags are read.
type run func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error

// runs lets cobra call f.
func runs(f run) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return f(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
	}
}

func rootCommand() *cobra.Command {
	root := queryCommand()
	root.SilenceUsage, root.SilenceErrors = true, true
	root.CompletionOptions.DisableDefaultCmd = true // ours knows what a task is
	root.DisableSuggestions = true                  // any word may be a task's
	root.Version = version()
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(indexCommand(), explainCommand(), doctorCommand(), evalCommand(), tuneCommand(), hookCommand(), mcpCommand(), installCommand(),
		completionCommand(), manCommand(), versionCommand())
	root.AddCommand(labelsCommand(), calibrateCommand())
	root.SetHelpCommand(helpCommand())
	return root
}

// flagError says what is wrong with a flag in words that are not Go's. A flag
// that a command lacks and a query has means a task that begins with the
// command's name.
func flagError(c *cobra.Command, err error) error {
	what, hint := err.Error(), "see "+c.CommandPath()+" --help"
	if head, parse, ok := strings.Cut(what, ": strconv.Parse"); ok {
		kind := "a whole number"
		switch {
		case strings.HasPrefix(parse, "Bool"):
			kind = "true or false"
		case strings.HasPrefix(parse, "Float"):
			kind = "a number"
		}
		if strings.HasSuffix(parse, "out of range") {
			kind += " that is not as large"
		}
		what = head + ": want " + kind
	}
	if !strings.HasPrefix(what, "unknown ") {
		return &usageError{what, hint}
	}
	name, _ := strings.CutPrefix(what, "unknown flag: --")
	if c.HasParent() && c.Root().Flags().Lookup(name) != nil {
		return &usageError{fmt.Sprintf("%s: %s was read as a command, which has no such flag", what, c.Name()),
			"a task that begins with that word goes behind --, and flags before: rank --" + name + " … -- " + c.Name() + " …"}
	}
	return &usageError{what, hint + "; a task that holds words with dashes goes behind --: rank -- TASK"}
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Say more about a command",
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			if len(args) == 0 {
				return root.Help()
			}
			for _, sub := range root.Commands() {
				if len(args) == 1 && sub.Name() == args[0] {
					return sub.Help()
				}
			}
			return didYouMean("help", args, "help takes the name of a command")
		},
	}
}

// noWords refuses words after the name of a command that takes none: they are
// more likely a task that begins with that name.
func noWords(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return didYouMean(c.Name(), args, c.Name()+" takes no words")
}

// nearCommand is the command that a word is a slip of the hand from, "" if there
// is none: two edits in a long name, one in a short one.
func nearCommand(root *cobra.Command, word string) string {
	best, least := "", 3
	for _, c := range root.Commands() {
		name := c.Name()
		if d := text.Distance(word, name, 3); d > 0 && d < least && d <= max(1, len(name)/3) && len(name) > 2 && !c.Hidden {
			best, least = name, d
		}
	}
	return best
}

func didYouMean(name string, args []string, what string) error {
	words := []string{name}
	for _, a := range args {
		words = append(words, shellWord(a))
	}
	return &usageError{what, "did you mean `rank -- " + strings.Join(words, " ") + "`?"}
}

// shellWord quotes a word as a POSIX shell needs it.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:,=@%+", r) || r > 0x7f
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
