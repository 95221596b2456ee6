package repo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cohop/internal/facts"
	"cohop/internal/git"
	"cohop/internal/index"
	"cohop/internal/resolve"
)

// edgesVersion is raised when resolution changes what a segment holds.
const edgesVersion = 1

const (
	// batch is how many files are extracted before they are joined: enough to
	// keep the workers busy, few enough to keep memory flat.
	batch = 256
	// flushBytes is how many bytes of fresh facts are kept before they are
	// written.
	flushBytes = 48 << 20
	// maxOverlay is the share of files that may differ from the nearest
	// segment before a new one is built.
	maxOverlay = 0.1
)

// buildView gives the State its View: the segment of its tree if there is one,
// an overlay of the nearest one, or a new segment.
func (s *State) buildView(ctx context.Context) error {
	s.entries = s.Snapshot.Entries
	dir := s.cache.sub(fmt.Sprintf("tree-%d", index.FormatVersion))
	clean := !s.Snapshot.Dirty
	path := ""
	if dir != "" {
		path = filepath.Join(dir, s.segKey()+".seg")
	}
	if base := s.openSegment(path); base != nil {
		if clean {
			s.View = index.NewView(base)
			return s.alignEntries()
		}
		return s.overlay(ctx, base)
	}
	if !s.opt.Exact {
		if base := s.nearest(dir); base != nil {
			return s.overlay(ctx, base)
		}
	}
	// A dirty tree is built over its commit's segment, so that the next query,
	// whatever is dirty then, finds a base.
	if !clean && !s.Snapshot.Tree.IsZero() {
		head, err := s.Git.AtCommit(ctx, s.Snapshot.Commit, s.opt.Root)
		if err == nil {
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

func (s *State) openSegment(path string) *index.Segment {
	if path == "" {
		return nil
	}
	m, err := mapFile(path)
	if err != nil {
		return nil
	}
	seg, err := index.OpenBytes(m.data)
	if err != nil {
		m.close()
		s.warn("the index kept for this tree does not check: it is built again")
		os.Remove(path)
		return nil
	}
	s.closers = append(s.closers, m.close)
	now := time.Now()
	_ = os.Chtimes(path, now, now) // the age by which old segments go
	return seg
}

// nearest returns the most recently used segment of the same settings if few
// files differ from it.
func (s *State) nearest(dir string) *index.Segment {
	if dir == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(dir, s.latestName()))
	if err != nil {
		return nil
	}
	name := strings.TrimSpace(string(b))
	if name != filepath.Base(name) || !strings.HasSuffix(name, ".seg") {
		return nil
	}
	seg := s.openSegment(filepath.Join(dir, name))
	if seg == nil {
		return nil
	}
	changed, gone := s.diff(index.NewView(seg))
	if float64(len(changed)+len(gone)) > maxOverlay*float64(len(s.entries))+20 {
		return nil
	}
	return seg
}

func (s *State) latestName() string {
	return fmt.Sprintf("latest-%x", facts.Version<<32|int(hash32(s.settingsKey())))
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

// build makes the segment of entries and keeps it at path ("" to not).
func (s *State) build(ctx context.Context, entries []git.Entry, path string) (*index.Segment, error) {
	var release func()
	if path != "" {
		release = s.cache.lock(lockWait)
		if release == nil {
			path = ""
		} else {
			defer release()
			sweepTemp(filepath.Dir(path))
			if seg := s.openSegment(path); seg != nil { // another process was quicker
				return seg, nil
			}
		}
	}
	b := index.NewBuilder()
	paths := make([]string, 0, len(entries))
	light := make([]*facts.Facts, 0, len(entries))
	_, err := s.extract(ctx, entries, func(d index.Doc) error {
		if _, err := b.Add(d); err != nil {
			return err
		}
		paths = append(paths, d.Path)
		light = append(light, trim(d.Facts))
		return nil
	})
	if err != nil {
		return nil, err
	}
	seg, err := b.Finish()
	if err != nil {
		return nil, err
	}
	edges, stats := resolve.Edges(resolve.NewMemTree(paths, light), nil)
	if seg, err = seg.WithEdges(toIndex(edges)); err != nil {
		return nil, err
	}
	if path != "" {
		if err := writeAtomic(path, seg.Bytes()); err != nil {
			s.warn("the index cannot be kept (%v): it is built again next time", cause(err))
		} else {
			keepStats(path, stats)
			_ = writeAtomic(filepath.Join(filepath.Dir(path), s.latestName()), []byte(filepath.Base(path)))
		}
	}
	return seg, nil
}

// trim keeps of facts what resolution asks for.
func trim(f *facts.Facts) *facts.Facts {
	t := *f
	t.Terms, t.Body, t.Names, t.Docs, t.Literals, t.Chunks = nil, nil, nil, nil, nil, nil
	return &t
}

// extract gets the facts of entries, from the store or by reading the blobs,
// on all cores but in order. With a sink every document is handed to it and
// then dropped; without, they are returned.
func (s *State) extract(ctx context.Context, entries []git.Entry, sink func(index.Doc) error) ([]index.Doc, error) {
	store := openFacts(s.cache)
	defer store.close()
	workers := min(runtime.GOMAXPROCS(0), 8)
	readers := make([]*git.Reader, workers)
	for i := range readers {
		readers[i] = s.Git.NewReader()
		defer readers[i].Close()
	}
	var all []index.Doc
	start, said := time.Now(), time.Time{}
	missing := 0
	for at := 0; at < len(entries); at += batch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if now := time.Now(); now.Sub(start) > quiet && now.Sub(said) > quiet {
			s.progress("indexing … %d of %d files", at, len(entries))
			said = now
		}
		part := entries[at:min(at+batch, len(entries))]
		got := make([]extracted, len(part))
		var next atomic.Int64
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for {
					i := int(next.Add(1)) - 1
					if i >= len(part) {
						return
					}
					got[i] = s.one(store, readers[w], &part[i])
				}
			})
		}
		wg.Wait()
		for i := range part {
			g := &got[i]
			if g.err != nil {
				if errors.Is(g.err, git.ErrMissing) {
					missing++
				} else if !errors.Is(g.err, git.ErrTooLarge) {
					s.warn("%s cannot be read (%v): left out of the index", part[i].Path, g.err)
				}
			}
			if g.fresh != nil {
				store.add(g.key, g.fresh)
			}
			d := index.Doc{Path: part[i].Path, ID: part[i].ID, Role: s.role(part[i].Path, g.facts), Facts: g.facts}
			if sink == nil {
				all = append(all, d)
			} else if err := sink(d); err != nil {
				return nil, err
			}
		}
		if store.freshBytes() > flushBytes {
			s.flush(store)
		}
	}
	s.flush(store)
	if missing > 0 {
		s.warn("%d files are not in this clone (partial or shallow): they are ranked by path alone", missing)
	}
	return all, nil
}

func (s *State) flush(store *factStore) {
	if err := store.flush(); err != nil {
		s.warn("facts cannot be kept (%v): they are extracted again next time", cause(err))
		store.dir = ""
	}
}

type extracted struct {
	key   factsKey
	facts *facts.Facts
	fresh []byte // encoded, when the store lacked it
	err   error
}

// one gets the facts of one file. A file that cannot be read has facts without
// terms: it is ranked by its path.
func (s *State) one(store *factStore, rd *git.Reader, e *git.Entry) extracted {
	hint := facts.Language(e.Path, nil)
	if facts.SecretName(e.Path) {
		return extracted{facts: &facts.Facts{Lang: hint, Flags: facts.Secret}}
	}
	key := keyOf(e.ID, hint)
	if b, ok := store.get(key); ok {
		if f, err := facts.Decode(b); err == nil {
			return extracted{facts: f}
		}
	}
	src, err := s.read(rd, e)
	if err != nil {
		f := &facts.Facts{Lang: hint}
		if errors.Is(err, git.ErrTooLarge) {
			f.Flags |= facts.TooLarge
		}
		return extracted{facts: f, err: err}
	}
	f := facts.Extract(facts.Language(e.Path, src), src)
	return extracted{key: key, facts: f, fresh: f.Encode(nil)}
}

// read returns a file's bytes as the snapshot has them.
func (s *State) read(rd *git.Reader, e *git.Entry) ([]byte, error) {
	if e.OnDisk {
		return s.Git.ReadFile(e.Path, maxFile)
	}
	_, size, err := rd.Size(e.ID)
	if err == nil && size > maxFile {
		return nil, git.ErrTooLarge
	}
	_, data, err := rd.Object(e.ID)
	return data, err
}

// role applies the user's patterns, then the rules.
func (s *State) role(path string, f *facts.Facts) string {
	for _, r := range s.Config.Roles {
		if p, ok := git.CompilePattern(r.Pattern); ok && (p.Match(path, false) || underMatch(&p, path)) {
			return r.Role
		}
	}
	return string(f.Role(path))
}

// Text returns a file's text as it is shown: decoded, secrets masked, with the
// lines that its chunks count. masked is how many secrets were.
func (s *State) Text(f int32) (text []byte, masked int, err error) {
	if s.View.Flags(f)&(facts.Secret|facts.Binary|facts.TooLarge) != 0 {
		return nil, 0, nil
	}
	rd := s.Git.NewReader()
	defer rd.Close()
	return s.textWith(rd, f)
}

func (s *State) textWith(rd *git.Reader, f int32) (text []byte, masked int, err error) {
	src, err := s.read(rd, &s.entries[f])
	if err != nil {
		return nil, 0, fmt.Errorf("read %s: %w", s.entries[f].Path, err)
	}
	text, masked = facts.Visible(slices.Clone(src))
	return text, masked, nil
}

// Texts reads several files with one reader; see Text. A file that cannot be
// read gives nil.
func (s *State) Texts(files []int32) [][]byte {
	rd := s.Git.NewReader()
	defer rd.Close()
	out := make([][]byte, len(files))
	for i, f := range files {
		if s.View.Flags(f)&(facts.Secret|facts.Binary|facts.TooLarge) == 0 {
			out[i], _, _ = s.textWith(rd, f)
		}
	}
	return out
}
