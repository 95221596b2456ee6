package repo

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"cohop/internal/facts"
	"cohop/internal/git"
	"cohop/internal/index"
	"cohop/internal/resolve"
)

// overlay lays what differs from base over it. Edges of the changed files, and
// of those that the change may concern, are resolved anew; the others are kept.
func (s *State) overlay(ctx context.Context, base *index.Segment) error {
	whole := index.NewView(base)
	changed, gone := s.diff(whole)
	if len(changed) == 0 && len(gone) == 0 {
		s.View = whole
		return nil
	}
	entries := make([]git.Entry, len(changed))
	for i, c := range changed {
		entries[i] = s.entries[c]
	}
	kept := s.overPath(entries, gone, s.typesTag, overExt)
	if len(s.late)+len(s.lost.ids) == 0 {
		s.workPath = s.overPath(entries, gone, "", workExt)
	}
	defer s.workTypes()
	if over, edges, ok := s.openOver(kept, base, entries, gone); ok {
		s.View = index.Overlay(base, over, gone)
		s.View.SetEdges(edges)
		return s.alignEntries()
	}
	s.lookAhead(base, entries, gone)
	l := s.loader()
	defer l.close()
	b := index.NewBuilder()
	docs := make([]index.Doc, 0, len(entries))
	err := s.extract(ctx, entries, func(d index.Doc) error {
		docs = append(docs, d)
		_, err := b.Add(d)
		return err
	})
	if err != nil {
		return err
	}
	old := s.before(l, whole, entries, gone)
	over, err := b.Finish()
	before := <-old
	if err != nil {
		return err
	}
	s.View = index.Overlay(base, over, gone)
	if err := s.alignEntries(); err != nil {
		return err
	}
	fresh := make(map[string]*facts.Facts, len(docs))
	for _, d := range docs {
		fresh[d.Path] = d.Facts
	}
	tree := newViewTree(s.View, func(f int32) *facts.Facts {
		if fa := fresh[s.View.Path(f)]; fa != nil {
			return fa
		}
		return l.load(s.View.Path(f), s.View.ID(f))
	})
	edits := make([]edit, 0, len(docs)+len(gone))
	for _, d := range docs {
		e := edit{path: d.Path, new: d.Facts}
		if f, ok := base.Find(d.Path); ok {
			if e.old = before[d.Path]; e.old == nil { // what the segment knows of it
				edits = append(edits, edit{path: d.Path, old: known(whole, f)})
			}
		}
		edits = append(edits, e)
	}
	for p := range gone {
		if f, ok := base.Find(p); ok {
			old := before[p]
			if old == nil {
				old = known(whole, f)
			}
			edits = append(edits, edit{path: p, old: old})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return strings.Compare(a.path, b.path) })
	again, all := affected(s.View, edits, tree.Facts)
	var files []int32 // nil: all
	if !all {
		files = append(append([]int32{}, s.View.Overlaid()...), again...) // not nil, even if it is empty
		slices.Sort(files)
	}
	found, _ := resolve.Edges(tree, files)
	edges := toIndex(found)
	if !all {
		edges = mergeEdges(s.View.KeptEdges(), edges, files)
	}
	s.View.SetEdges(edges)
	s.settle() // others may write what they made meanwhile
	s.keepOver(kept, over)
	return nil
}

// before loads the facts that the files of entries and gone had in whole, beside
// what the caller does: nil of those that are not to be had.
func (s *State) before(l *loader, whole *index.View, entries []git.Entry, gone map[string]bool) <-chan map[string]*facts.Facts {
	out := make(chan map[string]*facts.Facts, 1)
	go func() {
		old := make(map[string]*facts.Facts, len(entries)+len(gone))
		load := func(p string) {
			if f, ok := whole.Find(p); ok {
				old[p] = l.load(p, whole.ID(f))
			}
		}
		for i := range entries {
			load(entries[i].Path)
		}
		for _, p := range slices.Sorted(maps.Keys(gone)) { // time may be up on the way
			load(p)
		}
		out <- old
	}()
	return out
}

// mergeEdges replaces the edges from files by fresh ones; all lists are sorted.
func mergeEdges(kept, fresh []index.Edge, files []int32) []index.Edge {
	out := make([]index.Edge, 0, len(kept)+len(fresh))
	for _, e := range kept {
		for len(files) > 0 && files[0] < e.From {
			files = files[1:]
		}
		for len(fresh) > 0 && fresh[0].From <= e.From {
			out, fresh = append(out, fresh[0]), fresh[1:]
		}
		if len(files) == 0 || files[0] != e.From {
			out = append(out, e)
		}
	}
	return append(out, fresh...)
}

func toIndex(list []resolve.Edge) []index.Edge {
	out := make([]index.Edge, len(list))
	for i, e := range list {
		out[i] = index.Edge{From: e.From, To: e.To, Kind: uint8(e.Kind), Weight: e.Weight}
	}
	return out
}

// loader gets facts of blobs one by one: from the store, else from the
// repository.
type loader struct {
	s     *State
	store *factStore

	mu sync.Mutex // of the reader and of what the State notes
	rd *git.Reader
}

func (s *State) loader() *loader {
	return &loader{s: s, store: openFacts(s.cache), rd: s.Git.NewReader()}
}

func (l *loader) close() {
	l.store.close()
	l.rd.Close()
}

// load returns what resolution asks of a blob's facts, nil if the blob is not
// to be had. It is safe for concurrent use.
func (l *loader) load(path string, id git.OID) *facts.Facts {
	hint := facts.Language(path, nil)
	if facts.SecretName(path) {
		return &facts.Facts{Lang: hint, Flags: facts.Secret}
	}
	if b, ok := l.store.light(keyOf(id, hint)); ok {
		if f, err := facts.DecodeLight(b); err == nil {
			return f
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.s.over() {
		l.s.cut = true
		return nil
	}
	e := git.Entry{Path: path, ID: id}
	src, err := l.s.read(l.rd, &e)
	switch {
	case errors.Is(err, git.ErrTooLarge):
		return &facts.Facts{Lang: hint, Flags: facts.TooLarge}
	case err != nil:
		return nil
	}
	return trim(facts.Extract(facts.Language(path, src), src))
}
