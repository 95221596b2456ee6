package repo

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"cohop/internal/facts"
	"cohop/internal/git"
	"cohop/internal/index"
)

// Peek opens a repository without its index and history: the State has Git,
// Config and Snapshot, and its View is nil. It costs a walk of the tree, so it
// answers in time where Open would first have to read every file.
func Peek(ctx context.Context, opt Options) (s *State, err error) {
	if opt.Path == "" {
		opt.Path = "."
	}
	r, err := git.Open(opt.Path)
	if err != nil {
		return nil, err
	}
	s = &State{Git: r, opt: opt, cache: &cache{}}
	s.closers = append(s.closers, func() { r.Close() })
	s.Warnings = append(s.Warnings, r.Warnings()...)
	if !opt.NoCache {
		if c, err := openCache(opt.CacheDir, r.CommonDir); err == nil {
			s.cache = c // for sessions; without one there are none
		}
	}
	if err = s.readConfig(ctx); err == nil {
		err = s.readSnapshot(ctx)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Warm tells whether some tree of the repository at path was indexed before by
// this version, so that Open has little to do. A path that is in no repository
// is not warm.
func Warm(path, cacheDir string) bool {
	if path == "" {
		path = "."
	}
	r, err := git.Open(path)
	if err != nil {
		return false
	}
	defer r.Close()
	c, err := openCache(cacheDir, r.CommonDir)
	if err != nil {
		return false
	}
	entries, err := os.ReadDir(c.dir + string(os.PathSeparator) + fmt.Sprintf("tree-%d", index.FormatVersion))
	if err != nil {
		return false
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".seg") {
			return true
		}
	}
	return false
}

// Languages counts the files of the snapshot by language, as far as their
// names tell.
func (s *State) Languages() map[string]int {
	out := map[string]int{}
	for _, e := range s.Snapshot.Entries {
		out[facts.Language(e.Path, nil)]++
	}
	return out
}

// PathRole is the role of a file as far as its path tells.
func PathRole(path string) (lang, role string) {
	l := facts.Language(path, nil)
	return l, string(facts.RoleOf(path, l, 0))
}

// Background starts this very program with other arguments, apart from the
// caller: it has no streams, is in a session of its own, and outlives it.
func Background(dir string, args ...string) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("start %s in the background: %w", strings.Join(args, " "), err)
	}
	c := exec.Command(exe, args...)
	c.Dir = dir
	detach(c)
	if err := c.Start(); err != nil {
		return fmt.Errorf("start %s in the background: %w", strings.Join(args, " "), err)
	}
	return c.Process.Release()
}
