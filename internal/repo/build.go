package repo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"cohop/internal/facts"
	"cohop/internal/git"
	"cohop/internal/index"
	"cohop/internal/resolve"
)

// edgesVersion is raised when resolution changes what a segment holds.
const edgesVersion = 10

const (
	// maxOverlay is the share of files that may differ from the nearest
	// segment before a new one is built at once. A quarter costs each query a
	// tenth of its time.
	maxOverlay = 0.25

	// lightOverlay is the share up to which an overlay is made again for
	// every new tree. Beyond, one is made for a tree most of whose files must
	// be read first (another branch was checked out); when those are known
	// (work goes on there), a segment costs little more and serves what
	// comes.
	lightOverlay = 0.1
)

// manyFiles is when the facts of a tree are no longer held in memory while its
// edges are resolved: half a gigabyte at 150,000 files.
const manyFiles = 40_000

// maxMemo is how many files' facts are held then.
const maxMemo = 8192

// buildView gives the State its View: the segment of its tree if there is one,
// an overlay of the nearest one, or a new segment.
func (s *State) buildView(ctx context.Context) error {
	err := s.findView(ctx)
	if err == nil {
		s.warnLate()
		s.findLacks()
	}
	return err
}

func (s *State) findView(ctx context.Context) error {
	s.entries = s.Snapshot.Entries
	dir := s.cache.sub(fmt.Sprintf("tree-%d", index.FormatVersion))
	// What cannot be read now is no part of the tree now, though it is of the
	// commit's: its segment must neither be taken for this tree nor lack it.
	clean := !s.Snapshot.Dirty && s.Snapshot.Skipped == 0
	path := ""
	if dir != "" {
		path = filepath.Join(dir, s.segKey()+".seg")
	}
	if base := s.openSegment(path); base != nil {
		return s.overlay(ctx, base)
	}
	if !s.opt.Exact {
		if base := s.nearest(dir, false); base != nil {
			return s.overlay(ctx, base)
		}
	}
	release := s.cache.lock(0)
	if release == nil && s.cache.dir != "" {
		// Another process is building. What there is serves; without, its
		// outcome is worth a wait.
		if base := s.nearest(dir, true); base != nil {
			return s.overlay(ctx, base)
		}
		release = s.cache.lock(s.patience())
	}
	if release != nil {
		defer release()
		if base := s.openSegment(path); base != nil { // another process was quicker
			return s.overlay(ctx, base)
		}
	} else {
		path = ""
	}
	// A dirty tree is built over its commit's segment, so that the next query,
	// whatever is dirty then, finds a base.
	if !clean && path != "" && !s.Snapshot.Tree.IsZero() {
		// Of .rankignore files that HEAD lacks only the working tree knows:
		// what they leave out is no part of what the segment is named by.
		if head, err := s.Git.AtCommit(ctx, s.Snapshot.Commit, s.opt.Root); err == nil && head.Rules == s.Snapshot.Rules {
			base, err := s.build(ctx, head.Entries, path)
			if err != nil {
				return err
			}
			return s.overlay(ctx, base)
		}
	}
	if !clean {
		path = "" // no commit names this tree
	}
	seg, err := s.build(ctx, s.entries, path)
	if err != nil {
		return err
	}
	s.View = index.NewView(seg)
	return s.alignEntries()
}

// openSegment maps a segment, nil if there is none that checks and is not
// outlived, and makes it the base of what is kept of this state.
func (s *State) openSegment(path string) *index.Segment {
	if path == "" {
		return nil
	}
	seg, m, err := openChecked(path, s.opt.Exact, index.OpenTrusted, index.OpenBytes)
	if err != nil {
		if !notExist(err) {
			s.warn("the index kept for this tree does not check: it is built again")
			removeChecked(path)
		}
		return nil
	}
	lost, outlived := s.outlived(path, m)
	if outlived {
		m.close()
		removeChecked(path)
		removeChecked(strings.TrimSuffix(path, ".seg") + typesExt) // joined with its edges
		return nil
	}
	s.closers = append(s.closers, m.close)
	s.baseLost = lost
	s.baseKey = strings.TrimSuffix(filepath.Base(path), ".seg")
	return s.withTypes(path, seg)
}

// nearest returns the most recently used segment of the same settings, nil if
// there is none or, unless any will do, more than a few files differ.
func (s *State) nearest(dir string, any bool) *index.Segment {
	if dir == "" {
		return nil
	}
	b, err := readKept(filepath.Join(dir, s.latestName()), maxNote)
	if err != nil {
		return nil
	}
	name := strings.TrimSpace(string(b))
	if name != filepath.Base(name) || !strings.HasSuffix(name, ".seg") {
		return nil
	}
	seg := s.openSegment(filepath.Join(dir, name))
	if seg == nil || any {
		return seg
	}
	if !s.worthOverlay(seg) {
		s.baseKey, s.baseLost, s.typed, s.typesTag = "", nil, nil, ""
		return nil
	}
	return seg
}

// worthOverlay tells whether to lay the tree over base rather than to build its
// segment.
func (s *State) worthOverlay(base *index.Segment) bool {
	changed, gone := s.diff(index.NewView(base))
	n := float64(len(changed) + len(gone))
	all := float64(len(s.entries))
	if n <= lightOverlay*all+20 || n > maxOverlay*all+20 {
		return n <= maxOverlay*all+20
	}
	entries := make([]git.Entry, len(changed))
	for i, c := range changed {
		entries[i] = s.entries[c]
	}
	if path := s.overPath(entries, gone, s.typesTag, overExt); path != "" {
		if _, err := os.Stat(path); err == nil {
			return true
		}
	}
	store := openFacts(s.cache)
	defer store.close()
	unread := 0
	for i := range entries {
		if !store.has(keyOf(entries[i].ID, facts.Language(entries[i].Path, nil))) {
			unread++
		}
	}
	return unread > len(entries)/2
}

// latestName names the note of the segment that was used last. Whatever makes
// segments of an older program unfit is in it: else a tree that has one would be
// laid over it, without a difference, and keep its edges.
func (s *State) latestName() string {
	return fmt.Sprintf("latest-%x", facts.Version<<32|int(hash32(fmt.Sprint(edgesVersion, s.settingsKey()))))
}

func hash32(t string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(t); i++ {
		h = (h ^ uint32(t[i])) * 16777619
	}
	return h
}

// diff returns the indexes of entries that the view lacks or has another
// content for, and the paths that it has too many.
func (s *State) diff(v *index.View) (changed []int, gone map[string]bool) {
	gone = map[string]bool{}
	f := int32(0)
	for i := range s.entries {
		e := &s.entries[i]
		for f < v.Files() && v.Path(f) < e.Path {
			gone[v.Path(f)] = true
			f++
		}
		if f < v.Files() && v.Path(f) == e.Path {
			if v.ID(f) != e.ID {
				changed = append(changed, i)
			}
			f++
			continue
		}
		changed = append(changed, i)
	}
	for ; f < v.Files(); f++ {
		gone[v.Path(f)] = true
	}
	return changed, gone
}

// alignEntries checks that the view's files are the snapshot's.
func (s *State) alignEntries() error {
	if int(s.View.Files()) == len(s.entries) {
		return nil
	}
	kept := make([]git.Entry, 0, s.View.Files())
	i := 0
	for f := range s.View.Files() {
		p := s.View.Path(f)
		for i < len(s.entries) && s.entries[i].Path < p {
			i++
		}
		if i == len(s.entries) || s.entries[i].Path != p {
			return fmt.Errorf("open index: it holds %q, which the tree does not: run rank index --gc", p)
		}
		kept = append(kept, s.entries[i])
	}
	s.entries = kept
	return nil
}

// build makes the segment of entries and keeps it at path ("" to not; else the
// caller holds the lock).
func (s *State) build(ctx context.Context, entries []git.Entry, path string) (*index.Segment, error) {
	if path != "" {
		sweepTemp(filepath.Dir(path))
	}
	if s.hopeless(len(entries)) {
		store := openFacts(s.cache)
		room := s.ahead(store, entries)
		store.close()
		if room < len(entries) {
			return nil, fmt.Errorf("join %s: %w", counted(len(entries), "file"), context.DeadlineExceeded)
		}
	}
	b := index.NewBuilder()
	// Of a huge tree the facts are read again when edges are resolved.
	many := path != "" && len(entries) > manyFiles
	var paths []string
	light := &lightFacts{}
	var store [16]byte // as it is before anything is found missing
	if path != "" {
		store = s.Git.ObjectsStamp()
	}
	before := s.lost
	err := s.extract(ctx, entries, func(d index.Doc) error {
		if _, err := b.Add(d); err != nil {
			return err
		}
		if !many {
			paths = append(paths, d.Path)
			light.add(d.Facts)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	seg, err := b.Finish()
	if err != nil {
		return nil, err
	}
	b = nil
	var edges []resolve.Edge
	var stats []resolve.Stat
	if many {
		s.settle() // they come from the store
		l := s.loader()
		view := index.NewView(seg)
		tree := newViewTree(view, func(f int32) *facts.Facts { return l.load(view.Path(f), view.ID(f)) })
		tree.most = maxMemo
		edges, stats = resolve.Edges(tree, nil)
		l.close()
	} else {
		tree := resolve.LoadMemTree(paths, light.get)
		light.remember()
		edges, stats = resolve.Edges(tree, nil)
	}
	if seg, err = seg.WithEdges(toIndex(edges)); err != nil {
		return nil, err
	}
	if path != "" && len(s.late) == 0 {
		if err := keepNoted(path, seg.Bytes(), s.lost.since(before).note(store)); err != nil {
			s.warn("the index cannot be kept (%v): it is built again next time", cause(err))
		} else {
			s.baseKey = strings.TrimSuffix(filepath.Base(path), ".seg")
			keepStats(path, stats)
			_ = writeAtomic(filepath.Join(filepath.Dir(path), s.latestName()), []byte(filepath.Base(path)))
			// From here on only its pages that are asked for are in memory.
			if kept := s.openSegment(path); kept != nil {
				seg = kept
			}
		}
	}
	if len(entries) > batch {
		s.settle()
		// What was needed to build it goes before the history is read: else
		// the most that is held is the sum of both.
		debug.FreeOSMemory()
	}
	return seg, nil
}

// trim keeps of facts what resolution asks for.
func trim(f *facts.Facts) *facts.Facts {
	t := *f
	t.Terms, t.Body, t.Names, t.Docs, t.Literals, t.Chunks = nil, nil, nil, nil, nil, nil
	return &t
}
