package repo

import (
	"context"
	"sort"

	"cohop/internal/facts"
	"cohop/internal/git"
	"cohop/internal/index"
	"cohop/internal/resolve"
)

// overlay lays what differs from base over it. Edges of the changed files are
// resolved anew; those between unchanged files are kept.
func (s *State) overlay(ctx context.Context, base *index.Segment) error {
	v := index.NewView(base)
	changed, gone := s.diff(v)
	if len(changed) == 0 && len(gone) == 0 {
		s.View = v
		return s.alignEntries()
	}
	entries := make([]git.Entry, len(changed))
	for i, c := range changed {
		entries[i] = s.entries[c]
	}
	docs, err := s.extract(ctx, entries, nil)
	if err != nil {
		return err
	}
	b := index.NewBuilder()
	for _, d := range docs {
		if _, err := b.Add(d); err != nil {
			return err
		}
	}
	over, err := b.Finish()
	if err != nil {
		return err
	}
	s.View = index.Overlay(base, over, gone)
	if err := s.alignEntries(); err != nil {
		return err
	}
	fresh := map[string]*facts.Facts{}
	for _, d := range docs {
		fresh[d.Path] = d.Facts
	}
	store := openFacts(s.cache)
	defer store.close()
	tree := newViewTree(s.View, func(f int32) *facts.Facts {
		if fa := fresh[s.View.Path(f)]; fa != nil {
			return fa
		}
		b, ok := store.get(keyOf(s.View.ID(f), facts.Language(s.View.Path(f), nil)))
		if !ok {
			return nil
		}
		fa, err := facts.Decode(b)
		if err != nil {
			return nil
		}
		return fa
	})
	found, _ := resolve.Edges(tree, s.View.Overlaid())
	edges := append(s.View.KeptEdges(), toIndex(found)...)
	sort.Slice(edges, func(i, j int) bool { return edgeLess(edges[i], edges[j]) })
	s.View.SetEdges(edges)
	return nil
}

func edgeLess(a, b index.Edge) bool {
	if a.From != b.From {
		return a.From < b.From
	}
	if a.To != b.To {
		return a.To < b.To
	}
	return a.Kind < b.Kind
}

func toIndex(list []resolve.Edge) []index.Edge {
	out := make([]index.Edge, len(list))
	for i, e := range list {
		out[i] = index.Edge{From: e.From, To: e.To, Kind: uint8(e.Kind), Weight: e.Weight}
	}
	return out
}
