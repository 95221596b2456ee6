package repo

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

	"cohop/internal/git"
	"cohop/internal/history"
	"cohop/internal/redact"
)

// maxLogParts is when the parts of a log are joined into one.
const maxLogParts = 8

// histStore is the commit log on disk.
type histStore struct {
	dir   string
	maps  []*mapping
	paths []string
	log   *history.Log
	parts []*history.Part
}

// openHistory reads the log; a part that does not check ends it, and what
// follows is walked again.
func openHistory(c *cache) *histStore {
	h := &histStore{dir: c.sub(fmt.Sprintf("log-%d", history.FormatVersion))}
	h.log, _ = history.NewLog(nil)
	if h.dir == "" {
		return h
	}
	paths, _ := numbered(h.dir, ".log")
	for _, p := range paths {
		m, err := mapFile(p)
		if err != nil {
			break
		}
		part, err := history.Open(m.data)
		if err != nil {
			m.close()
			break
		}
		log, err := history.NewLog(append(h.parts[:len(h.parts):len(h.parts)], part))
		if err != nil {
			m.close()
			break
		}
		h.maps, h.paths, h.parts, h.log = append(h.maps, m), append(h.paths, p), append(h.parts, part), log
	}
	return h
}

func (h *histStore) close() {
	for _, m := range h.maps {
		m.close()
	}
}

// grow adds the commits up to tip that the log does not hold. It returns the
// bytes of the new part, nil if there is nothing new.
func (h *histStore) grow(ctx context.Context, r *git.Repo, tip git.OID) ([]byte, error) {
	if _, ok := h.log.Find(tip); ok {
		return nil, nil
	}
	var index map[[20]byte]int32
	known := func(id git.OID) bool {
		if h.log.Commits() == 0 {
			return false
		}
		if index == nil {
			index = make(map[[20]byte]int32, h.log.Commits())
			h.log.IDs(func(id [20]byte, c int32) { index[id] = c })
		}
		_, ok := index[id]
		return ok
	}
	commits, err := r.Commits(ctx, tip, known, 0)
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", tip, err)
	}
	if len(commits) == 0 {
		return nil, nil
	}
	return h.append(commits)
}

func (h *histStore) append(commits []git.Commit) ([]byte, error) {
	list := make([]history.Commit, len(commits))
	for i := range commits {
		list[i] = fromGit(&commits[i])
	}
	raw, err := history.Build(list, h.log.Commits(), h.log.Find)
	if err != nil {
		return nil, err
	}
	part, err := history.Open(raw)
	if err != nil {
		return nil, err
	}
	log, err := history.NewLog(append(h.parts[:len(h.parts):len(h.parts)], part))
	if err != nil {
		return nil, err
	}
	h.parts, h.log = append(h.parts, part), log
	return raw, nil
}

// save writes a new part; the caller holds the writer's lock. Parts that
// another process has written meanwhile make it give up: they are as good.
func (h *histStore) save(raw []byte) error {
	paths, next := numbered(h.dir, ".log")
	if h.dir == "" || len(paths) > len(h.paths) {
		return nil
	}
	// A part that no longer checks stands in the way of the numbering: what
	// follows the last good one goes.
	for _, p := range paths[min(len(h.paths), len(paths)):] {
		os.Remove(p)
	}
	p := numberedName(h.dir, next, ".log")
	if err := writeAtomic(p, raw); err != nil {
		return err
	}
	h.paths = append(h.paths, p)
	return nil
}

// fromGit turns a commit into what the log keeps, secrets masked.
func fromGit(c *git.Commit) history.Commit {
	msg, _ := redact.Mask([]byte(c.Message))
	out := history.Commit{ID: c.ID, Time: c.Time, Merge: c.Merge, Message: string(msg)}
	for _, p := range c.Parents {
		out.Parents = append(out.Parents, p)
	}
	for _, ch := range c.Changes {
		switch ch.Status {
		case 'A':
			out.Changes = append(out.Changes, history.Change{Path: ch.Path, Status: history.Added})
		case 'D':
			out.Changes = append(out.Changes, history.Change{Path: ch.Path, Status: history.Deleted})
		case 'R':
			out.Changes = append(out.Changes, history.Change{Path: ch.Old, Status: history.From},
				history.Change{Path: ch.Path, Status: history.To})
		default:
			out.Changes = append(out.Changes, history.Change{Path: ch.Path, Status: history.Modified})
		}
	}
	return out
}

// noisePath names files whose changes say nothing about what belongs
// together: lock files, changelogs, version stamps.
func noisePath(p string) bool {
	base := strings.ToLower(path.Base(p))
	if noiseNames[base] || strings.HasSuffix(base, ".lock") {
		return true
	}
	stem, _, _ := strings.Cut(base, ".")
	return noiseStems[stem] && (base == stem || docEnding(base))
}

func docEnding(base string) bool {
	switch path.Ext(base) {
	case ".md", ".rst", ".txt", ".adoc", ".markdown", ".xml", ".html", ".yml", ".yaml":
		return true
	}
	return false
}

var (
	noiseNames = map[string]bool{"package-lock.json": true, "npm-shrinkwrap.json": true, "pnpm-lock.yaml": true, "yarn.lock": true,
		"go.sum": true, "go.work.sum": true, "gradle.lockfile": true, "packages.lock.json": true, "version.txt": true, "version": true, "pubspec.lock": true}
	noiseStems = map[string]bool{"changelog": true, "changes": true, "change_log": true, "history": true, "news": true, "releases": true,
		"release_notes": true, "release-notes": true, "releasenotes": true, "whatsnew": true}
)
