package cmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"cohop/agent"
	"cohop/internal/repo"
)

func hookCommand() *cobra.Command {
	h := &agent.Hook{Start: repo.Background}
	c := &cobra.Command{
		Use:   "hook CLIENT",
		Short: "Answer a coding agent's hook: its event on stdin, context on stdout",
		Long: `hook reads one event of a client (claude, codex, gemini, cursor, copilot) from
stdin, ranks the prompt in the folder that the event names, and answers in the
client's format. It is silent when it has nothing worth saying: a prompt that
only acknowledges, or one that the repository holds too little of.

It never stands in the way: it ends with 0 whatever happens, within its
deadline, and says what went wrong in one line on stderr. When a session starts
it has the index built in the background.

rank install registers it.`,
		Example:   `  echo '{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"'$PWD'","prompt":"where are sessions expired"}' | rank hook claude`,
		ValidArgs: agent.HookClients,
		Args:      cobra.ArbitraryArgs,
		RunE: runs(func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
			if len(args) != 1 {
				fmt.Fprintln(stderr, "rank hook: want the name of one client")
				return nil // a hook that fails may take the user's prompt with it
			}
			h.Client = args[0]
			h.Run(ctx, stdin, stdout, stderr)
			return nil
		}),
	}
	// A flag of a later version in a settings file must not cost a prompt.
	c.FParseErrWhitelist.UnknownFlags = true
	f := c.Flags()
	f.SortFlags = false
	f.DurationVar(&h.Deadline, "deadline", agent.HookDeadline, "answer within this time or not at all")
	f.IntVar(&h.Budget, "budget", agent.HookBudget, "tokens (o200k) of the packed context")
	f.Float64Var(&h.Confidence, "confidence", agent.HookConfidence, "keep silent when the header's confidence is below this")
	f.StringVar(&h.CacheDir, "cache-dir", "", "folder for derived files")
	f.BoolVar(&h.NoCache, "no-cache", false, "neither read nor write derived files")
	return c
}
