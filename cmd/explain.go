package cmd

import "github.com/spf13/cobra"

func explainCommand() *cobra.Command { return &cobra.Command{Use: "explain PATH -- TASK"} }
