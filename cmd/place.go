package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"cohop/internal/git"
	"cohop/internal/repo"
	"cohop/rank"
)

// place holds the flags that say what is ranked and where derived files go.
type place struct {
	repo, rev, root  string
	config, cacheDir string
	noCache          bool
}

func (p *place) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&p.repo, "repo", "", "repository, or a folder in it (default the current folder)")
	f.StringVar(&p.rev, "rev", "", "branch, tag or commit to rank (default the working tree)")
	f.StringVar(&p.root, "root", "", "rank only this folder of the tree")
	f.StringVar(&p.config, "config", "", "TOML file laid over .rank.toml")
	f.StringVar(&p.cacheDir, "cache-dir", "", "folder for derived files (default cohop in the user's cache folder)")
	f.BoolVar(&p.noCache, "no-cache", false, "neither read nor write derived files")
	_ = c.MarkFlagDirname("repo")
	_ = c.MarkFlagDirname("cache-dir")
	_ = c.MarkFlagFilename("config", "toml")
}

func (p *place) check() error {
	if p.noCache && p.cacheDir != "" {
		return &usageError{"--no-cache and --cache-dir contradict each other", "give one of them"}
	}
	if p.repo != "" {
		if _, err := os.Stat(p.repo); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("open repository %s: there is no such folder: %w", p.repo, git.ErrNotRepository)
		}
	}
	return present("config", p.config, hintTOML)
}

// What files that a flag names hold.
const (
	hintTOML = "it takes a TOML file with keys of .rank.toml (doc/format.md)"
	hintTask = "it takes a file with the task, or - for stdin; or give the task in words"
	hintRun  = "it takes a TREC run, such as rank eval --run writes"
	hintOff  = "it takes JSON Lines with id, kind and text"
)

// present finds out before any work is done that a file is not there which a
// flag names.
func present(flag, file, hint string) error {
	if file == "" || file == "-" {
		return nil
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &usageError{fmt.Sprintf("--%s %s: there is no such file", flag, file), hint}
	case err == nil && info.IsDir():
		return &usageError{fmt.Sprintf("--%s %s: this is a folder", flag, file), hint}
	}
	return nil
}

func (p *place) request() rank.Request {
	return rank.Request{Repo: p.repo, Rev: p.rev, Root: p.root, ConfigFile: p.config, CacheDir: p.cacheDir, NoCache: p.noCache}
}

// options is request for commands that need no engine.
func (p *place) options() repo.Options {
	return repo.Options{Path: p.repo, Rev: p.rev, Root: p.root, ConfigFile: p.config, CacheDir: p.cacheDir, NoCache: p.noCache}
}
