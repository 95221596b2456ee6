package cmd

import (
	"github.com/spf13/cobra"
)

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands and flags in a shell",
		Example: `  source <(rank completion bash)
  rank completion zsh > "${fpath[1]}/_rank"
  rank completion fish > ~/.config/fish/completions/rank.fish`,
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(c *cobra.Command, args []string) error {
			root, w := c.Root(), c.OutOrStdout()
			if len(args) == 1 {
				switch args[0] {
				case "bash":
					return root.GenBashCompletionV2(w, true)
				case "zsh":
					return root.GenZshCompletion(w)
				case "fish":
					return root.GenFishCompletion(w, true)
				case "powershell":
					return root.GenPowerShellCompletionWithDesc(w)
				}
			}
			if len(args) > 0 {
				return didYouMean("completion", args, "completion takes one of bash, zsh, fish and powershell")
			}
			return &usageError{"completion: the shell is missing", "give one of bash, zsh, fish and powershell"}
		},
	}
}
