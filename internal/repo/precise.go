package repo

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"cohop/internal/git"
	"cohop/internal/index"
	"cohop/internal/precise"
	"cohop/internal/resolve"
)

// The edges that type-checking gives are kept beside the segment, or beside the
// overlay, of the very tree that was typed, as all edges of that tree: a query
// takes them instead of the segment's when they are there, and never makes
// them. A tree that is laid over a typed one keeps its edges as it would the
// segment's: those of changed files, and of files that the change may concern,
// are found by names.

const (
	// typesExt ends the edges of a segment, workExt those of a tree that no
	// commit names.
	typesExt = ".types"
	workExt  = ".work.types"

	// maxWork is how many trees without a commit keep theirs.
	maxWork = 4

	// PreciseLimit is how long typing may take. A tree of a hundred modules
	// takes a minute; what takes three times as long hangs.
	PreciseLimit = 3 * time.Minute

	// mostModules bounds how often the go command is run.
	mostModules = 500
)

// ErrPrecise says why a state cannot be typed at all, whatever is in it.
var ErrPrecise = errors.New("cannot type the tree")

// Precise says what the typed edges of a tree are made of. It is kept with
// them.
type Precise struct {
	Files    int      `json:"files"`             // Go files that were typed
	Partial  int      `json:"partial,omitempty"` // of them, that keep their guessed edges too, since a part of their names led nowhere
	Packages int      `json:"packages"`
	Edges    int      `json:"edges"` // from those files
	Missing  []string `json:"missing,omitempty"`
	Failed   []string `json:"failed,omitempty"` // modules, with the reason
	Made     string   `json:"made"`             // versions that it was made with
	Changed  bool     `json:"-"`                // of the tree below this one; what differs goes by names
	Reused   bool     `json:"-"`                // it was kept before
}

// mostGaps is how many names a warning lists.
const mostGaps = 3

// Gaps says in at most one line what was not to be had, and what to do.
func (p *Precise) Gaps() []string {
	some := func(list []string, noun string) string {
		s := counted(len(list), noun) + ": " + strings.Join(list[:min(mostGaps, len(list))], ", ")
		if len(list) > mostGaps {
			s += ", …"
		}
		return s
	}
	var parts []string
	if len(p.Failed) > 0 {
		parts = append(parts, "go could not follow the go.mod of "+some(p.Failed, "module"))
	}
	if len(p.Missing) > 0 {
		parts = append(parts, "not to be had were "+some(p.Missing, "package")+" (go mod download brings what go.mod names)")
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"types have gaps: " + strings.Join(parts, "; ")}
}

// withTypes gives the base segment the edges that were typed for it, if any.
func (s *State) withTypes(path string, base *index.Segment) *index.Segment {
	s.typed, s.typesTag = nil, ""
	if s.opt.Plain {
		return base
	}
	t := s.openTypes(strings.TrimSuffix(path, ".seg") + typesExt)
	if t == nil {
		return base
	}
	with := base.WithTypes(t)
	if with == nil {
		return base
	}
	s.typed, s.typesTag = t, t.Tag
	return with
}

// workTypes gives a view that no commit names the edges that were typed for it.
func (s *State) workTypes() {
	if s.opt.Plain || s.workPath == "" {
		return
	}
	t := s.openTypes(s.workPath)
	if t == nil || t.Files != s.View.Files() {
		s.typedBelow = s.typed != nil
		return
	}
	if edges, ok := t.Edges(); ok {
		s.View.SetEdges(edges)
		s.typed = t
	}
}

func (s *State) openTypes(path string) *index.Types {
	open := func(check bool) func(b []byte) (*index.Types, error) {
		return func(b []byte) (*index.Types, error) { return index.OpenTypes(b, check) }
	}
	t, m, err := openChecked(path, s.opt.Exact, open(false), open(true))
	if err != nil {
		if !notExist(err) {
			removeChecked(path)
		}
		return nil
	}
	s.closers = append(s.closers, m.close)
	return t
}

// Typed says what the edges of Go files were typed with, nil when they are
// found by names.
func (s *State) Typed() *Precise {
	if s.typed == nil {
		return nil
	}
	p := &Precise{}
	if json.Unmarshal(s.typed.Note, p) != nil {
		return nil
	}
	p.Changed = s.typedBelow
	return p
}

// Retype types the Go files of the working tree, joins the edges with those of
// the others, and keeps them for queries. The State must have been opened with
// Plain and Exact; its View has the new edges afterwards. An error leaves all
// as it was; with ErrPrecise it is of the request, else of the tree or of this
// machine.
func (s *State) Retype(ctx context.Context) (*Precise, error) {
	if s.Git.Worktree == "" || s.opt.Rev != "" {
		return nil, fmt.Errorf("%w: go needs a working tree, and a bare repository or a revision has none", ErrPrecise)
	}
	if s.cache.dir == "" {
		return nil, fmt.Errorf("%w: the edges are kept in the cache, and there is none", ErrPrecise)
	}
	path := s.typesPath()
	if path == "" {
		return nil, errors.New("type Go packages: the index of this tree could not be kept: run rank index again")
	}
	made := fmt.Sprintf("%s %s/%s types-%d", runtime.Version(), runtime.GOOS, runtime.GOARCH, index.TypesVersion)
	if t := s.openTypes(path); t != nil && t.Files == s.View.Files() {
		p := &Precise{}
		edges, ok := t.Edges()
		if ok && json.Unmarshal(t.Note, p) == nil && p.Made == made && len(p.Missing)+len(p.Failed) == 0 {
			s.relink(t, edges)
			p.Reused = true
			return p, nil
		}
	}
	in, files, err := s.preciseInput()
	if err != nil {
		return nil, err
	}
	got, err := typeApart(ctx, in, files, preciseLimits)
	if err != nil {
		return nil, err
	}
	if changed, err := s.changedSince(ctx); err != nil || changed {
		return nil, cmp.Or(err, errors.New("type Go packages: the working tree changed meanwhile: run it again"))
	}
	edges, p := s.join(got)
	p.Made = made
	note, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("keep edges: %w", err)
	}
	b, err := index.EncodeTypes(s.View.Files(), edges, note)
	if err != nil {
		return nil, err
	}
	t, err := index.OpenTypes(b, true)
	if err != nil {
		return nil, err
	}
	release := s.cache.lock(lockWait)
	if release == nil {
		return nil, errors.New("keep edges: another process writes the cache: run it again")
	}
	defer release()
	if err := keep(path, b); err != nil {
		return nil, fmt.Errorf("keep edges: %w", cause(err))
	}
	sweepOld(filepath.Dir(path), workExt, maxWork)
	s.relink(t, edges)
	return p, nil
}

// typesPath is where the edges of the State's tree are kept.
func (s *State) typesPath() string {
	if s.workPath != "" {
		return s.workPath
	}
	dir := s.cache.sub(fmt.Sprintf("tree-%d", index.FormatVersion))
	if dir == "" || s.baseKey == "" || len(s.late)+len(s.lost.ids) > 0 {
		return ""
	}
	return filepath.Join(dir, s.baseKey+typesExt)
}

func (s *State) relink(t *index.Types, edges []index.Edge) {
	s.typed = t
	if s.View.Base() != nil && s.workPath == "" {
		if with := s.View.Base().WithTypes(t); with != nil {
			s.View = index.NewView(with)
		}
		return
	}
	s.View.SetEdges(edges)
}

// preciseInput says which Go files of the tree may be read, and where its
// modules are.
func (s *State) preciseInput() (in precise.Input, files []string, err error) {
	root, err := filepath.EvalSymlinks(s.Git.Worktree)
	if err != nil {
		return in, nil, fmt.Errorf("type Go packages: %w", err)
	}
	in = precise.Input{Root: root, Folder: s.opt.Root, Say: func(line string) { s.progress("%s", line) }}
	in.Private = []string{s.Git.Dir, s.Git.CommonDir}
	if filepath.Base(s.Git.CommonDir) == ".git" { // the main worktree, beside which this one is
		in.Private = append(in.Private, filepath.Dir(s.Git.CommonDir))
	}
	for i := range s.entries {
		if e := &s.entries[i]; e.IsRegular() {
			if strings.HasSuffix(e.Path, ".go") {
				files = append(files, e.Path)
			}
			if dir, ok := strings.CutSuffix("/"+e.Path, "/go.mod"); ok && listed(dir) {
				in.Modules = append(in.Modules, strings.TrimPrefix(dir, "/"))
			}
		}
	}
	if s.opt.Root != "" && !slices.Contains(in.Modules, s.opt.Root) {
		// The module of the folder is above it.
		for dir := s.opt.Root; dir != ""; {
			dir = folder(dir)
			if _, err := s.Git.ReadFile(join(dir, "go.mod"), maxConfig); err == nil {
				in.Modules = append(in.Modules, dir)
				break
			}
		}
	}
	slices.Sort(in.Modules)
	if len(in.Modules) > mostModules {
		return in, nil, fmt.Errorf("type Go packages: %d modules are more than %d: give --root", len(in.Modules), mostModules)
	}
	return in, files, nil
}

// listed reports whether the go command's ./... would look into a folder.
func listed(dir string) bool {
	for _, part := range strings.Split(dir, "/") {
		if part == "testdata" || part == "vendor" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") {
			return false
		}
	}
	return true
}

// changedSince reports whether the working tree is not the one of the snapshot
// any more.
func (s *State) changedSince(ctx context.Context) (bool, error) {
	t := &State{Git: s.Git, Config: s.Config, opt: s.opt}
	if err := t.readSnapshot(ctx); err != nil {
		return false, fmt.Errorf("type Go packages: %w", err)
	}
	now := t.Snapshot
	return now.Commit != s.Snapshot.Commit || !slices.EqualFunc(now.Entries, s.Snapshot.Entries, func(a, b git.Entry) bool {
		return a.Path == b.Path && a.ID == b.ID
	}), nil
}

// join puts the typed edges of Go files in place of those that were found by
// names, and lays them over those of files that are known in part.
func (s *State) join(got *precise.Result) ([]index.Edge, *Precise) {
	p := &Precise{Packages: got.Packages, Missing: got.Missing, Failed: got.Failed}
	whole := make(map[int32]bool, len(got.Files))
	for _, f := range got.Files {
		id, ok := s.View.Find(f.Path)
		if !ok {
			continue
		}
		p.Files++
		if f.Whole() {
			whole[id] = true
		} else {
			p.Partial++
		}
	}
	kinds := [...]resolve.Kind{precise.Import: resolve.Import, precise.Call: resolve.Call, precise.Use: resolve.Use}
	var edges []index.Edge
	for _, e := range got.Edges {
		from, ok1 := s.View.Find(e.From)
		to, ok2 := s.View.Find(e.To)
		if ok1 && ok2 {
			edges = append(edges, index.Edge{From: from, To: to, Kind: uint8(kinds[e.Kind]), Weight: e.Weight})
		}
	}
	p.Edges = len(edges)
	for _, e := range s.View.Edges() {
		if !whole[e.From] || s.View.Lang(e.To) != "go" {
			edges = append(edges, e)
		}
	}
	slices.SortStableFunc(edges, func(a, b index.Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Weight, a.Weight))
	})
	edges = slices.CompactFunc(edges, func(a, b index.Edge) bool { return a.From == b.From && a.To == b.To && a.Kind == b.Kind })
	return edges, p
}
