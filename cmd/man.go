package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func manCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:     "man",
		Short:   "Print the manual page, or write those of all commands to a folder",
		Example: "  rank man | man -l -\n  rank man --dir ~/.local/share/man/man1",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				return &usageError{"man takes no words", "a folder for the pages goes behind --dir; did you mean `rank -- man " + shellWord(args[0]) + "`?"}
			}
			return noWords(c, args)
		},
	}
	c.RunE = runs(func(_ context.Context, _ []string, _ io.Reader, stdout, _ io.Writer) error {
		root := c.Root()
		root.DisableAutoGenTag = true // no date: the same program gives the same pages
		// The date of a page is a field of its header: a fixed one, for the
		// same reason.
		day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		head := &doc.GenManHeader{Title: "RANK", Section: "1", Source: "rank", Manual: "rank", Date: &day}
		if dir == "" {
			if err := doc.GenMan(root, head, stdout); err != nil {
				return fmt.Errorf("write manual page: %w", err)
			}
			return nil
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("write manual pages: %w", err)
		}
		head.Title = "" // each page's own
		if err := doc.GenManTree(root, head, dir); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("write manual pages to %s: %w", dir, err)
		}
		return nil
	})
	c.Flags().StringVar(&dir, "dir", "", "write one page a command to this folder")
	_ = c.MarkFlagDirname("dir")
	return c
}
