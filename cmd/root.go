// Package cmd is the command line: one file a command, exit codes in one
// place.
package cmd

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// Main runs the command line and returns the exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := &cobra.Command{Use: "rank", SilenceUsage: true, SilenceErrors: true}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.AddCommand(evalCommand(), tuneCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(stderr, "rank: %v\n", err)
		return 1
	}
	return 0
}
