package rank

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"cohop/cochange"
	"cohop/graph"
	"cohop/internal/config"
	"cohop/internal/history"
	"cohop/internal/index"
	"cohop/internal/repo"
	"cohop/internal/text"
	"cohop/precedent"
)

// Engine answers questions about one snapshot. It is safe for concurrent use.
type Engine struct {
	st  *repo.State
	cfg *config.Config

	past *precedent.Model
	log  *cochange.Log

	derived func() *derived // waits for it

	roles []string
	langs []string

	scratch sync.Pool // *scratchSpace
	prices  priceMemo
}

// derived is made while the first query takes the columns that do without.
type derived struct {
	graph      *graph.Graph
	centrality []float64 // by file
	heat       []float64 // by file
}

type scratchSpace struct {
	past precedent.Scratch
	co   cochange.Scratch
}

// Open opens the repository of a request and prepares what all its questions
// share. Close it when done.
func Open(ctx context.Context, req Request) (*Engine, error) {
	st, err := repo.Open(ctx, repo.Options{Path: req.Repo, Rev: req.Rev, Root: req.Root, CacheDir: req.CacheDir,
		NoCache: req.NoCache, ConfigFile: req.ConfigFile, Exact: req.Exact, Progress: req.Progress, Later: req.Later})
	if err != nil {
		return nil, err
	}
	if w := Barren(st); w != "" {
		st.Warnings = append(st.Warnings, w)
	}
	return New(st), nil
}

// New prepares an opened repository.
func New(st *repo.State) *Engine {
	e := &Engine{st: st, cfg: st.Config}
	e.scratch.New = func() any { return &scratchSpace{} }
	n := int(st.View.Files())
	e.roles, e.langs = make([]string, n), make([]string, n)
	for f := range n {
		e.roles[f], e.langs[f] = st.View.Role(int32(f)), st.View.Lang(int32(f))
	}
	e.derived = sync.OnceValue(e.derive)
	go e.derived()
	if h := st.History; h != nil {
		e.log = st.CoChange
		e.past = precedent.Counted(pastOf{h}, h.AliveBits(), int(h.N), h.Terms)
	}
	return e
}

// graph is the graph of the files.
func (e *Engine) graph() *graph.Graph { return e.derived().graph }

// Close releases what the engine holds.
func (e *Engine) Close() {
	e.derived() // may still be reading what is unmapped now
	e.st.Close()
}

// State gives what the engine was opened on.
func (e *Engine) State() *repo.State { return e.st }

// edgeWeight holds the weights of the kinds of edge (resolve.Kind) in the one
// graph: an import is stated, a call is inferred by name, and so is a use of a
// type or constant, which says less.
var edgeWeight = [...]float32{1, 0.7, 0.5}

func (e *Engine) derive() *derived {
	edges := make([]graph.Edge, 0, e.st.View.EdgeCount())
	for x := range e.st.View.EachEdge {
		w := x.Weight * edgeWeight[min(int(x.Kind), len(edgeWeight)-1)]
		if w > 0 {
			edges = append(edges, graph.Edge{From: x.From, To: x.To, W: w})
		}
	}
	g := graph.New(int(e.st.View.Files()), edges)
	return &derived{g, each(g.InDegree(), math.Log1p), e.st.Heat(e.cfg.CoChange.HeatDays * day)}
}

const day = 24 * 3600.0

// pastOf lets precedent read the commit log.
type pastOf struct{ v *history.View }

func (p pastOf) Len() int           { return len(p.v.When) }
func (p pastOf) Lengths() []int32   { return p.v.Lens }
func (p pastOf) When(c int32) int64 { return p.v.When[c] }
func (p pastOf) Touched(c int32, files []int32) ([]int32, int) {
	return append(files, p.v.Files(c)...), int(p.v.Size[c])
}
func (p pastOf) Postings(term string, commits, tf []int32) (c, f []int32) {
	return p.v.Log.Postings(term, commits, tf)
}

// filter returns the files that a request allows as a bitmap, nil for all.
func (e *Engine) filter(req *Request) (*roaring.Bitmap, error) {
	var out *roaring.Bitmap
	and := func(keep func(f int32) bool) {
		b := roaring.New()
		for f := range e.st.View.Files() {
			if keep(f) {
				b.Add(uint32(f))
			}
		}
		if out == nil {
			out = b
		} else {
			out.And(b)
		}
	}
	if len(req.Langs) > 0 {
		if err := known("language", req.Langs, e.langs); err != nil {
			return nil, err
		}
		and(func(f int32) bool { return slices.Contains(req.Langs, e.langs[f]) })
	}
	if len(req.Roles) > 0 {
		if err := e.knownRoles(req.Roles); err != nil {
			return nil, err
		}
		and(func(f int32) bool { return slices.Contains(req.Roles, e.roles[f]) })
	}
	if len(req.Paths) > 0 {
		match, err := repo.PathMatcher(req.Paths)
		if err != nil {
			return nil, &UsageError{err.Error()}
		}
		and(func(f int32) bool { return match(e.st.View.Path(f)) })
	}
	if out != nil && out.IsEmpty() && len(e.langs) > 0 {
		var of []string
		for _, x := range []struct {
			what string
			list []string
		}{{"path", req.Paths}, {"language", req.Langs}, {"role", req.Roles}} {
			if len(x.list) > 0 {
				of = append(of, x.what+" "+strings.Join(x.list, ", "))
			}
		}
		return nil, &UsageError{fmt.Sprintf("no file of the tree passes the filter (%s): widen it; paths are patterns as in .gitignore, from the repository's top", strings.Join(of, "; "))}
	}
	return out, nil
}

// UsageError is a request that cannot be answered as it stands; its text says
// what to do.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

func known(what string, want, have []string) error {
	for _, w := range want {
		if !slices.Contains(have, w) {
			list := slices.Clone(have)
			slices.Sort(list)
			return &UsageError{fmt.Sprintf("no file has the %s %q: there are %s", what, w, strings.Join(slices.Compact(list), ", "))}
		}
	}
	return nil
}

// knownRoles refuses a role that there is not, and names those of this
// repository before the others. One that no file here has is a filter that lets
// nothing through, no mistake in writing.
func (e *Engine) knownRoles(want []string) error {
	here := slices.Clone(e.roles)
	slices.Sort(here)
	here = slices.Compact(here)
	var rest []string
	for _, r := range repo.Roles() {
		if !slices.Contains(here, r) {
			rest = append(rest, r)
		}
	}
	for _, w := range want {
		if !slices.Contains(here, w) && !slices.Contains(rest, w) {
			text := fmt.Sprintf("no file has the role %q: this repository has %s", w, strings.Join(here, ", "))
			if len(rest) > 0 {
				text += "; and there are, without a file here, " + strings.Join(rest, ", ")
			}
			return &UsageError{text}
		}
	}
	return nil
}

// Rank answers one request: open, query, result.
func Rank(ctx context.Context, req Request) (*Result, error) {
	e, err := Open(ctx, req)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	q, err := e.Query(ctx, req)
	if err != nil {
		return nil, err
	}
	return q.Result(req.Budget)
}

// symbolName names a symbol with its owner.
func (e *Engine) symbolName(id int32) string {
	if id < 0 {
		return ""
	}
	s := e.st.View.Symbol(id)
	if s.Parent >= 0 {
		if p := e.st.View.Symbol(s.Parent).Name; p != "" && p != s.Name {
			return p + "." + s.Name
		}
	}
	return s.Name
}

// nearestEdits is how many edits a word is suggested at: with more it is
// another word.
const nearestEdits = 2

// nearest finds a word that the repository writes in a name or path and that
// resembles one it does not hold. Of terms that are equally near the first in
// the alphabet is taken.
func (e *Engine) nearest(word string) string {
	word = strings.ToLower(word)
	stem := string(text.Stem([]byte(word)))
	if len(stem) < 4 {
		return ""
	}
	var near [nearestEdits + 1][]string // terms by distance
	e.st.View.NearTerms(stem[:3], func(t string) bool {
		if d := text.Distance(stem, t, nearestEdits+1); d <= nearestEdits {
			near[d] = append(near[d], t)
		}
		return true
	})
	for _, terms := range near {
		slices.Sort(terms) // they come in order, but one after the other segment's
		for _, t := range slices.Compact(terms) {
			if w := e.written(t); w != "" && text.Distance(word, w, nearestEdits+1) <= nearestEdits {
				return w
			}
		}
	}
	return ""
}

// writtenFiles is how many files are looked through for a written form.
const writtenFiles = 64

// written gives the shortest word of a path or of a symbol's name whose stem a
// term is, "" if only texts hold it: of those the index keeps stems alone.
func (e *Engine) written(term string) (best string) {
	v := e.st.View
	look := func(name string) {
		text.Words(name, func(w []byte) {
			if (best == "" || len(w) < len(best) || len(w) == len(best) && string(w) < best) && string(text.Stem(slices.Clone(w))) == term {
				best = string(w)
			}
		})
	}
	named := v.Postings(nil, term, index.Names)
	for _, p := range named[:min(len(named), writtenFiles)] {
		for _, id := range v.SymbolsOf(p.Doc) {
			look(v.Symbol(id).Name)
		}
	}
	paths := v.Postings(nil, term, index.Path)
	for _, p := range paths[:min(len(paths), writtenFiles)] {
		look(v.Path(p.Doc))
	}
	return best
}
