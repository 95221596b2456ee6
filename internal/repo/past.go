package repo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"cohop/cochange"
	"cohop/internal/git"
	"cohop/internal/history"
	"cohop/internal/index"
)

const (
	pastExt = ".past"

	// maxPast is how many derived histories a repository keeps: those of the
	// branches that are worked on.
	maxPast = 6

	// FirstCommits is how many commits a first query reads, the newest, when
	// it has no time for all.
	FirstCommits = 5000

	secondsPerDay = 24 * 3600.0
)

// readHistory opens the log, grows it up to the ranked commit, and cuts it
// there.
func (s *State) readHistory(ctx context.Context) error {
	var h *histStore
	if s.past != nil {
		<-s.past.done
		h = s.past.h
	} else {
		h = openHistory(s.cache, s.Git, s.opt.Exact)
		s.closers = append(s.closers, func() { h.close() })
	}
	tip := s.Snapshot.Commit
	if _, ok := h.log.Find(tip); !ok {
		// A run that read files did its share.
		if s.overPast() && (s.extracted > 0 || s.opt.Later) {
			s.cut = true
			s.warn("the history was not read in the time given: ranking without co-change and precedent until the next run")
			return nil
		}
		var err error
		if h, err = s.growHistory(ctx, h); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.blind = true
			s.warn("the history cannot be read (%v): ranking without co-change and precedent", err)
			return nil
		}
	}
	s.deriveHistory(h)
	return nil
}

// pastAhead is the log, and a view of it that is derived beside the index.
type pastAhead struct {
	h    *histStore
	key  history.Key
	view *history.View // nil if there is none
	old  *mapping      // of what view was extended from
	done chan struct{}
}

// lookAhead opens the log beside the index, and begins to derive the view that
// what is laid over base (changed, gone) will ask for if all of it depends on what
// is there already: another commit of the log was checked out.
func (s *State) lookAhead(base *index.Segment, changed []git.Entry, gone map[string]bool) {
	if s.opt.NoHistory || s.baseKey == "" || s.Snapshot.Commit.IsZero() || s.hurried() {
		return
	}
	dir := s.pastDir()
	if dir == "" {
		return
	}
	a := &pastAhead{done: make(chan struct{})}
	s.past = a
	s.closers = append(s.closers, func() {
		<-a.done
		a.old.close()
		a.h.close()
	})
	entries := s.entries
	go func() {
		defer close(a.done)
		a.h = openHistory(s.cache, s.Git, s.opt.Exact)
		if _, known := a.h.log.Find(s.Snapshot.Commit); !known {
			return
		}
		own := len(gone) > 0
		for i := 0; i < len(changed) && !own; i++ {
			_, stood := base.Find(changed[i].Path)
			own = !stood && a.h.log.Knows(changed[i].Path)
		}
		tree := s.baseKey
		if own {
			tree = pathsKey(len(entries), func(f int) string { return entries[f].Path })
		}
		a.key = a.h.log.PastKey(s.Snapshot.Commit, tree)
		if _, err := os.Stat(pastPath(dir, a.key)); err == nil {
			return
		}
		if !own {
			a.view, a.old = s.makeView(a.h, dir, base)
			return
		}
		a.view = s.cutLog(a.h, int32(len(entries)), func(p string) (int32, bool) {
			f, ok := git.FindEntry(entries, p)
			return int32(f), ok
		})
	}()
}

// looked returns the view of a key that lookAhead made of h, nil if there is none,
// and the file that it reads on.
func (s *State) looked(h *histStore, k history.Key) (v *history.View, old *mapping) {
	if a := s.past; a != nil && a.h == h && a.key == k {
		return a.view, a.old
	}
	return nil, nil
}

// growHistory brings the log up to the ranked commit. One process at a time
// writes it; another one that needs it meanwhile reads for itself.
func (s *State) growHistory(ctx context.Context, h *histStore) (*histStore, error) {
	release := s.cache.lock(0)
	if release == nil && s.cache.dir != "" && h.log.Commits() == 0 && !s.hurried() {
		release = s.cache.lock(s.patience())
	}
	if release != nil {
		defer release()
		h.close()
		h = openHistory(s.cache, s.Git, false) // another process may have been quicker
		opened := h
		s.closers = append(s.closers, func() { opened.close() })
		if _, ok := h.log.Find(s.Snapshot.Commit); ok {
			return h, nil
		}
	}
	var b *begun
	if h.log.Commits() == 0 {
		s.progress("reading the history …")
		if s.hurried() {
			return s.beginHistory(ctx, h, release != nil)
		}
		b = readBegun(h.dir)
	}
	raw, err := h.grow(ctx, s.Git, s.Snapshot.Commit, b)
	if err != nil || raw == nil {
		return h, err
	}
	if release == nil {
		return h, nil
	}
	if err := h.save(raw); err != nil {
		s.warn("the history cannot be kept (%v): it is read again next time", cause(err))
		return h, nil
	}
	if b != nil {
		dropBegun(h.dir)
	}
	if len(h.paths) > maxLogParts && !s.hurried() {
		if h.join(ctx, s.Git, s.Snapshot.Commit) == nil { // if not, the parts serve as well
			// What is derived next is derived of what the next run finds.
			joined := openHistory(s.cache, s.Git, false)
			s.closers = append(s.closers, func() { joined.close() })
			if _, ok := joined.log.Find(s.Snapshot.Commit); ok {
				h = joined
			}
		}
	}
	return h, nil
}

// deriveHistory gives the State its History and CoChange: mapped if they were
// derived before for this log, commit and tree.
//
// Files that are laid over a segment and that no commit ever touched under
// their path (most untracked files) do not change what a view holds: the
// segment's own view serves, with its ids moved. Any other difference in paths
// needs a view of its own, since names are followed through renames to the
// paths that stand.
func (s *State) deriveHistory(h *histStore) {
	m := &messages{repo: s.Git}
	s.closers = append(s.closers, m.close)
	h.log.Messages(m.get)
	tip := s.Snapshot.Commit
	v, base := s.View, s.View.Base()
	dir := s.pastDir()
	open := func(k history.Key, files int32) *history.View {
		past, m := openPast(dir, h.log, k, int(files))
		if past != nil {
			s.closers = append(s.closers, m.close)
		}
		return past
	}
	if base != nil && dir != "" {
		k := h.log.PastKey(tip, s.baseKey)
		knows := h.log.Knows
		past := open(k, base.Files())
		if past != nil {
			knows = past.Knows
		}
		serves := !slices.ContainsFunc(v.New(), func(f int32) bool { return knows(v.Path(f)) })
		if past == nil && serves {
			past = s.viewOver(h, dir, k, base)
		}
		if past != nil && serves {
			if to := v.Moved(); to != nil {
				past = past.Moved(to, int(v.Files()))
			}
			s.setHistory(past)
			return
		}
	}
	k := history.Key{}
	if dir != "" {
		k = h.log.PastKey(tip, pathsKey(int(v.Files()), func(f int) string { return v.Path(int32(f)) }))
		if past := open(k, v.Files()); past != nil {
			s.setHistory(past)
			return
		}
	}
	past, _ := s.looked(h, k)
	if past == nil {
		past = s.cutLog(h, v.Files(), v.Find)
	}
	if past != nil {
		s.keepPast(dir, k, past)
		s.setHistory(past)
	}
}

// pastDir is where views of the history are kept, "" if they are not.
func (s *State) pastDir() string {
	if s.baseKey == "" {
		return ""
	}
	return s.cache.sub(fmt.Sprintf("past-%d", history.PastVersion))
}

// pathsKey names the paths of a tree of n files.
func pathsKey(n int, path func(f int) string) string {
	h := sha256.New()
	for f := range n {
		h.Write([]byte(path(f)))
		h.Write([]byte{0})
	}
	return "paths " + hex.EncodeToString(h.Sum(nil))
}

func openPast(dir string, log *history.Log, k history.Key, files int) (*history.View, *mapping) {
	open := func(check bool) func(b []byte) (*history.View, error) {
		return func(b []byte) (*history.View, error) { return log.OpenPast(b, k, files, check) }
	}
	path := pastPath(dir, k)
	v, m, err := openChecked(path, false, open(false), open(true))
	if err != nil {
		if !notExist(err) {
			removeChecked(path)
		}
		return nil, nil
	}
	return v, m
}

func pastPath(dir string, k history.Key) string {
	return filepath.Join(dir, hex.EncodeToString(k[:16])+pastExt)
}

// viewOver makes the view of the ranked commit over base, or takes the one that
// lookAhead made, and keeps it in dir unless it was extended.
func (s *State) viewOver(h *histStore, dir string, k history.Key, base *index.Segment) *history.View {
	v, old := s.looked(h, k)
	if v == nil {
		v, old = s.makeView(h, dir, base)
	}
	switch {
	case old != nil:
		s.closers = append(s.closers, old.close)
	case v != nil:
		s.keepPast(dir, k, v)
	}
	return v
}

// makeView extends an older view over base, or cuts the log for it; see extend.
func (s *State) makeView(h *histStore, dir string, base *index.Segment) (v *history.View, old *mapping) {
	if v, old = s.extend(h, dir, base); v == nil {
		v = s.cutLog(h, base.Files(), base.Find)
	}
	return v, old
}

// keepPast keeps a view in dir ("" to not), beside what is done until the State
// is closed: to write it takes as long as to answer.
func (s *State) keepPast(dir string, k history.Key, v *history.View) {
	if dir == "" {
		return
	}
	release := s.cache.lock(0)
	if release == nil {
		return // the next one keeps it
	}
	kept := make(chan struct{})
	s.closers = append(s.closers, func() { <-kept })
	go func() {
		defer close(kept)
		defer release()
		raw, err := v.Encode(k)
		if err == nil {
			err = keep(pastPath(dir, k), raw)
		}
		if err == nil {
			sweepOld(dir, pastExt, maxPast)
		}
	}()
}

// cutLog cuts the log at the ranked commit for a tree of files files, nil if
// it does not hold it.
func (s *State) cutLog(h *histStore, files int32, find func(string) (int32, bool)) *history.View {
	v, ok := h.log.At(s.Snapshot.Commit, find, noisePath)
	if !ok {
		return nil
	}
	start, touched := v.Touched()
	narrow := make([]uint32, files)
	for c, size := range v.Size {
		if size >= cochange.MinFiles && size <= cochange.MaxFiles {
			for _, f := range touched[start[c]:start[c+1]] {
				narrow[f]++
			}
		}
	}
	v.Derive(int(files))
	s.tables(v, narrow)
	return v
}

// tables fills in what is kept with a view.
func (s *State) tables(v *history.View, narrow []uint32) {
	start, touched := v.Touched()
	v.Tables = history.Tables{Narrow: narrow, HalfLife: s.Config.CoChange.HeatDays * secondsPerDay}
	log := cochange.Open(cochange.Table{Files: len(narrow), When: v.When, Size: v.Size, Start: start, Touched: touched, Narrow: narrow})
	v.Tables.Heat = log.Heat(s.Snapshot.CommitTime, v.Tables.HalfLife, 0, nil)
}

// extend returns the view of a tip that a few commits lead to from where the
// log ended before it grew, if there is a view of that. It is not kept: to
// extend it costs no more than to read and write it.
// old is the file of that one, which the view reads on.
func (s *State) extend(h *histStore, dir string, base *index.Segment) (v *history.View, old *mapping) {
	for k := len(h.parts) - 1; k > 0; k-- {
		log, err := history.NewLog(h.parts[:k])
		if err != nil || log.Commits() == 0 {
			return nil, nil
		}
		from := log.ID(log.Commits() - 1) // what the log was grown for comes last
		before, m := openPast(dir, log, log.PastKey(from, s.baseKey), int(base.Files()))
		if before == nil {
			continue
		}
		v, ok := before.Extend(h.log, s.Snapshot.Commit, base.Find, noisePath)
		if !ok {
			m.close()
			continue
		}
		narrow := slices.Clone(before.Tables.Narrow)
		start, touched := v.Touched()
		for c := len(before.When); c < len(v.When); c++ {
			if size := v.Size[c]; size >= cochange.MinFiles && size <= cochange.MaxFiles {
				for _, f := range touched[start[c]:start[c+1]] {
					narrow[f]++
				}
			}
		}
		s.tables(v, narrow)
		return v, m
	}
	return nil, nil
}

func (s *State) setHistory(v *history.View) {
	s.History = v
	start, touched := v.Touched()
	s.CoChange = cochange.Open(cochange.Table{Files: int(s.View.Files()), When: v.When, Size: v.Size, Start: start, Touched: touched,
		Narrow: v.Tables.Narrow, Changes: v.Commits})
}

// Heat returns, per file, log(1 + its decayed changes); see cochange.Log.Heat.
func (s *State) Heat(halfLife float64) []float64 {
	out := make([]float64, s.View.Files())
	if s.History == nil {
		return out
	}
	heat := s.History.Tables.Heat
	if s.History.Tables.HalfLife != halfLife || len(heat) != len(out) {
		heat = s.CoChange.Heat(s.Snapshot.CommitTime, halfLife, 0, nil)
	}
	for f, x := range heat {
		out[f] = math.Log1p(x)
	}
	return out
}
