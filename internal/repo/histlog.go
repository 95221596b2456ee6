package repo

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"cohop/internal/git"
	"cohop/internal/history"
	"cohop/internal/redact"
)

const (
	// maxLogParts is when the last parts of a log are joined into one.
	maxLogParts = 8

	// joinShare is how many times the commits behind it a part may hold before
	// it is left as it is when they are joined: a long history is not written
	// again for the sake of a day's commits.
	joinShare = 4
)

// histStore is the commit log on disk: parts in the order of their numbers. A
// part that starts where an earlier one does makes that one and those behind it
// superfluous, so that joined parts take over at the moment they are named.
//
// A part ends where the history of the clone does. In a shallow one its name
// tells where that is: when git has fetched more, or less, there is no log, and
// it is read as a whole, since nothing can be put in front of a part.
type histStore struct {
	dir   string
	ext   string // of the parts' names
	maps  []*mapping
	paths []string
	log   *history.Log
	parts []*history.Part
}

// openHistory reads the log: parts that check and follow each other, of those
// that start at the same commit the newest. full checks all bytes of all of
// them.
func openHistory(c *cache, r *git.Repo, full bool) *histStore {
	h := &histStore{dir: c.sub(fmt.Sprintf("log-%d", history.FormatVersion)), ext: logExt}
	if at := r.Boundary(); at != "" {
		h.ext = "." + at + logExt
	}
	h.log, _ = history.NewLog(nil)
	if h.dir == "" {
		return h
	}
	paths, _ := numbered(h.dir, h.ext)
	for _, p := range paths {
		part, m, err := openChecked(p, full, history.OpenTrusted, history.Open)
		if err != nil {
			continue
		}
		at := len(h.parts)
		if part.Base() < h.log.Commits() {
			at = slices.IndexFunc(h.parts, func(o *history.Part) bool { return o.Base() == part.Base() })
		}
		if at >= 0 {
			if log, err := history.NewLog(append(h.parts[:at:at], part)); err == nil {
				for _, o := range h.maps[at:] {
					o.close()
				}
				h.maps, h.paths, h.parts, h.log = append(h.maps[:at:at], m), append(h.paths[:at:at], p), append(h.parts[:at:at], part), log
				continue
			}
		}
		m.close()
	}
	return h
}

func (h *histStore) close() {
	for _, m := range h.maps {
		m.close()
	}
}

// grow adds the commits up to tip that the log does not hold; b (nil: nothing)
// is what was compared of them before. It returns the bytes of the new part,
// nil if there is nothing new.
func (h *histStore) grow(ctx context.Context, r *git.Repo, tip git.OID, b *begun) ([]byte, error) {
	if _, ok := h.log.Find(tip); ok {
		return nil, nil
	}
	var index map[[20]byte]int32
	asked := 0
	known := func(id git.OID) bool {
		if h.log.Commits() == 0 {
			return false
		}
		// A few commits are looked for one by one; for many the log is
		// turned into a map.
		if asked++; asked <= 32 {
			_, ok := h.log.Find(id)
			return ok
		}
		if index == nil {
			index = make(map[[20]byte]int32, h.log.Commits())
			h.log.IDs(func(id [20]byte, c int32) { index[id] = c })
		}
		_, ok := index[id]
		return ok
	}
	var compared func(*git.Commit) bool
	if b != nil {
		compared = b.fill
	}
	commits, err := r.CommitsAnew(ctx, tip, known, 0, compared)
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", tip, err)
	}
	if len(commits) == 0 {
		return nil, nil
	}
	return h.append(commits)
}

func (h *histStore) append(commits []git.Commit) ([]byte, error) {
	n := len(commits)
	next := func(yield func(int, history.Commit) bool) {
		for i := range commits {
			c := fromGit(&commits[i])
			commits[i] = git.Commit{} // the log is what stays of it
			if !yield(i, c) {
				return
			}
		}
	}
	raw, err := history.Build(next, n, h.log.Commits(), h.log.Find)
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

// logExt ends the name of every part.
const logExt = ".log"

// save writes a new part and removes what is no part of the log; the caller
// holds the writer's lock and opened the log under it.
func (h *histStore) save(raw []byte) error {
	if h.dir == "" {
		return nil
	}
	_, next := numbered(h.dir, h.ext)
	p := numberedName(h.dir, next, h.ext)
	if err := keep(p, raw); err != nil {
		return err
	}
	h.paths = append(h.paths, p)
	h.sweep()
	return nil
}

// sweep removes what is no part of the log.
func (h *histStore) sweep() {
	entries, _ := os.ReadDir(h.dir)
	for _, e := range entries {
		p := filepath.Join(h.dir, e.Name())
		if strings.HasSuffix(p, logExt) && !slices.Contains(h.paths, p) {
			removeChecked(p)
		}
	}
}

// join writes the last parts of the log as one, by walking from tip once more
// down to those that stay. The old parts go when the new one stands. What only
// other commits lead to is forgotten, and read again when it is asked for.
func (h *histStore) join(ctx context.Context, r *git.Repo, tip git.OID) error {
	k := len(h.parts) - 1
	for behind := h.parts[k].Commits(); k > 0 && h.parts[k-1].Commits() <= joinShare*behind; k-- {
		behind += h.parts[k-1].Commits()
	}
	fresh := &histStore{dir: h.dir, ext: h.ext, paths: slices.Clone(h.paths[:k]), parts: slices.Clone(h.parts[:k])}
	var err error
	if fresh.log, err = history.NewLog(fresh.parts); err != nil {
		return err
	}
	raw, err := fresh.grow(ctx, r, tip, nil)
	if err != nil || raw == nil {
		return err
	}
	return fresh.save(raw)
}

// fromGit turns a commit into what the log keeps, secrets masked.
func fromGit(c *git.Commit) history.Commit {
	msg, _ := redact.MaskProse([]byte(c.Message))
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
