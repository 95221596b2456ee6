package repo

import (
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"cohop/internal/git"
)

const (
	// markName is the file of a cache that a process holds locked while it
	// builds the index to the end. (The writer's lock does not tell: queries
	// take it too.)
	markName = "indexing"

	// startup is how long a process that was claimed has until it holds the
	// mark.
	startup = 2 * time.Second
)

// mark tells others that this process builds the index to the end, until
// release is called or the process ends.
func (c *cache) mark() (release func()) {
	if c.dir == "" {
		return func() {}
	}
	l := flock.New(filepath.Join(c.dir, markName))
	_, _ = l.TryLock() // one that is marked is enough
	return func() { _ = l.Close() }
}

// Claim tells whether it is up to the caller to start a process that builds the
// index of the repository at path: nobody does, and no caller was told so a
// moment ago. It fails where there is no repository or nothing can be kept.
func Claim(path, cacheDir string) (bool, error) {
	if path == "" {
		path = "."
	}
	r, err := git.Open(path)
	if err != nil {
		return false, err
	}
	defer r.Close()
	c, err := openCache(cacheDir, r.CommonDir)
	if err != nil {
		return false, err
	}
	name := filepath.Join(c.dir, markName)
	info, statErr := os.Stat(name)
	l := flock.New(name)
	defer l.Close()
	ok, err := l.TryLock()
	if err != nil || !ok {
		return false, err
	}
	now := time.Now()
	if statErr == nil && now.Sub(info.ModTime()).Abs() < startup {
		return false, nil
	}
	return true, os.Chtimes(name, now, now)
}
