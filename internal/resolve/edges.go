package resolve

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"cohop/internal/facts"
)

const (
	// workers that resolve at once. Two: the rest of the machine indexes.
	workers = 2
	// block is how many files a worker takes at a time: small enough to
	// balance, large enough that its memo of re-exports pays.
	block = 64
	// leastWeight drops edges that ambiguity has thinned to noise, after
	// merging; a name shared by 20 files with global evidence is .015.
	leastWeight = 0.02
	// maxGuessed caps what guesses add to one edge: fifty members of the
	// same names as another file's are no import, and count for less than
	// half of one.
	maxGuessed = 0.4
)

// Edges resolves the imports and references of the files in from (nil: all)
// and returns their edges, one for each (From, To, Kind) with the weights of
// its references summed and capped at 1, sorted by From, To, Kind; and what
// became of their imports, a Stat a language, sorted by language. The result
// depends on nothing but t and the set of from.
func Edges(t Tree, from []int32) ([]Edge, []Stat) {
	s := newSite(t)
	list := make([]int32, 0, s.n)
	if from == nil {
		for i := range s.n {
			list = append(list, int32(i))
		}
	} else {
		for _, f := range from {
			if f >= 0 && int(f) < s.n {
				list = append(list, f)
			}
		}
		slices.Sort(list)
		list = slices.Compact(list)
	}

	blocks := (len(list) + block - 1) / block
	parts := make([][]Edge, blocks)
	stats := make([]map[string]*Stat, workers)
	var next atomic.Int64
	var wg sync.WaitGroup
	for k := range min(workers, blocks) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := newWorker(s)
			for {
				b := int(next.Add(1)) - 1
				if b >= blocks {
					break
				}
				var out []Edge
				for _, f := range list[b*block : min(len(list), (b+1)*block)] {
					out = w.file(f, out)
				}
				parts[b] = out
			}
			stats[k] = w.stats
		}()
	}
	wg.Wait()
	return slices.Concat(parts...), mergeStats(stats)
}

func mergeStats(parts []map[string]*Stat) []Stat {
	sum := map[string]*Stat{}
	for _, m := range parts {
		for l, p := range m {
			s := sum[l]
			if s == nil {
				s = &Stat{Lang: l, Missed: map[string]int{}}
				sum[l] = s
			}
			s.Internal += p.Internal
			s.Resolved += p.Resolved
			for k, v := range p.Missed {
				s.Missed[k] += v
			}
		}
	}
	out := make([]Stat, 0, len(sum))
	for _, s := range sum {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Stat) int { return cmp.Compare(a.Lang, b.Lang) })
	return out
}

// language is how imports of one language are resolved.
type language struct {
	// module finds the files that an import's module names, its names left
	// aside, and whether the import looks internal.
	module func(w *worker, f int32, im *facts.Import) (files []int32, internal bool)
	// sub finds a submodule: name taken from the module that file f is.
	sub func(w *worker, f int32, name string) []int32
	// imports replaces the common handling where names, not paths, lead to
	// files.
	imports func(w *worker, sc *scope, im *facts.Import) (resolved, internal bool)
	// enter marks what a file sees without importing it.
	enter func(w *worker, sc *scope)
	// qualifier finds the files of a module named in full at its use,
	// without an import.
	qualifier func(w *worker, sc *scope, q string) []int32
	// strict: a bare name is local, imported, visible or built in; no
	// guess beyond that.
	strict bool
	// inherits: a bare name may be a member of a base.
	inherits bool
	// export replaces the common search for what a module re-exports.
	export func(w *worker, f int32, name string, depth int8) []int32
	// special finds the files of a reference by a rule of its own, before
	// all others.
	special func(w *worker, sc *scope, r *facts.Ref) []int32
	// sees says whether a definition of another file can be what r means, if
	// some cannot.
	sees func(w *worker, sc *scope, d *Def, r *facts.Ref) bool
	// choose picks of several definitions of one name with the same evidence,
	// in more than one file, those that are meant: at least one of an import.
	choose func(w *worker, sc *scope, u use, defs []Def) []Def
	// own goes before the common handling of references; done: it is all.
	own func(w *worker, sc *scope, r *facts.Ref, k Kind) (files []int32, done bool)
	// nearest: of namesakes in sight the nearest is meant, and a module is
	// a mere namespace.
	nearest bool
	// open: members may be called without a qualifier, and functions with
	// any.
	open bool
}

// binding says where a local name of a file comes from. No files: from
// outside of the tree, so that its uses lead nowhere.
type binding struct {
	files  []int32
	name   string // its name there; "" for the module itself
	module bool
	pack   int32 // index into scope.packs + 1; 0 if none
}

// pack is an import that leads to the files of it that get used.
type pack struct {
	files []int32
	used  bool
	share bool // unused: share one edge among its files
}

// scope is what the names of one file may mean.
type scope struct {
	f     int32
	fa    *facts.Facts
	lang  *language
	bind  map[string]binding
	packs []pack
	bases []baseRef
	// spaces are names that the file uses to qualify types.
	spaces  map[string]bool
	peers   []int32           // Go: see goPeers
	reach   []int32           // Go: see goReach
	guessed map[[2]int32]bool // file and kind of the guesses of guessOnce
	said    *said             // see scope.index
	types   map[string]bool   // see scope.ownType
	symbols map[string]bool   // see scope.hasSymbol
}

// baseRef is a base that a class of the file names, and where it is.
type baseRef struct {
	name  string
	files []int32
}

// use is a name as a file uses it.
type use struct {
	name    string
	defined string // its name there
	kind    facts.RefKind
	generic bool
	bare    bool // a reference without a qualifier, no import
}

// class of evidence that a file is meant, by how the file at hand sees it.
type class uint8

const (
	clsNone   class = iota
	clsDir          // same folder
	clsPeer         // same package, visible without an import
	clsWild         // visible through a package or namespace import
	clsImport       // imported itself
)

// rawEdge is an edge before merging. A guess rests on a member's name alone;
// many of them say hardly more than one.
type rawEdge struct {
	to    int32
	kind  Kind
	guess bool
	w     float32
}

type exportKey struct {
	f     int32
	depth int8
	name  string
}

type worker struct {
	s       *site
	raw     []rawEdge
	cls     []class
	touched []int32
	files   []int32 // scratch of one reference
	scan    []Def   // likewise
	fit     []Def   // likewise: those that are best so far
	sufs    map[string][]int32
	exports map[exportKey][]int32
	stats   map[string]*Stat
	memo    map[string][]int32 // by language-made key
	sets    map[int32]sourceSet
	crowds  map[crowdKey]*crowd
	none    *crowd // of no sources
	looks   int    // sources of generated code that were looked at: tests count them
}

func newWorker(s *site) *worker {
	none := &crowd{}
	none.whole, none.sure = &bucket{of: none}, &bucket{of: none}
	return &worker{
		none: none,
		s:    s, cls: make([]class, s.n), sufs: map[string][]int32{}, exports: map[exportKey][]int32{},
		stats: map[string]*Stat{}, memo: map[string][]int32{}, sets: map[int32]sourceSet{}, crowds: map[crowdKey]*crowd{},
	}
}

// file appends the edges of f to out.
func (w *worker) file(f int32, out []Edge) []Edge {
	fa := w.s.t.Facts(f)
	if fa == nil || len(fa.Imports) == 0 && len(fa.Refs) == 0 {
		return out
	}
	l := languages[w.s.lang[f]]
	if l == nil {
		l = &plain
	}
	sc := &scope{f: f, fa: fa, lang: l}
	w.raw = w.raw[:0]
	if len(fa.Imports) > 0 {
		sc.bind = make(map[string]binding, 2*len(fa.Imports))
	}
	for i := range fa.Imports {
		w.importEdges(sc, &fa.Imports[i])
	}
	if len(fa.Refs) > 0 && w.s.fam[f] != famNone {
		w.refs(sc)
	}
	for i := range sc.packs {
		if p := &sc.packs[i]; !p.used && p.share {
			w.add(f, p.files, Import, 1)
		}
	}
	for _, g := range w.touched {
		w.cls[g] = clsNone
	}
	w.touched = w.touched[:0]
	return merge(f, w.raw, out)
}

// importEdges resolves one import, binds its names and counts it.
func (w *worker) importEdges(sc *scope, im *facts.Import) {
	var resolved, internal bool
	if sc.lang.imports != nil {
		resolved, internal = sc.lang.imports(w, sc, im)
	} else {
		resolved, internal = w.modular(sc, im)
	}
	if !internal && !resolved {
		return
	}
	lang := w.s.lang[sc.f]
	st := w.stats[lang]
	if st == nil {
		st = &Stat{Lang: lang, Missed: map[string]int{}}
		w.stats[lang] = st
	}
	st.Internal++
	if resolved {
		st.Resolved++
		return
	}
	st.Missed[importName(im, w.s.fam[sc.f])]++
}

// add appends edges that share weight among files, which may hold f itself.
func (w *worker) add(f int32, files []int32, k Kind, weight float32) {
	w.addRaw(f, files, k, weight, false)
}

func (w *worker) addRaw(f int32, files []int32, k Kind, weight float32, guess bool) {
	share := weight / float32(max(1, len(files)))
	for _, g := range files {
		if g != f {
			w.raw = append(w.raw, rawEdge{g, k, guess, share})
		}
	}
}

// mark raises the class of files for the file at hand.
func (w *worker) mark(files []int32, c class) {
	for _, g := range files {
		if w.cls[g] == clsNone {
			w.touched = append(w.touched, g)
		}
		w.cls[g] = max(w.cls[g], c)
	}
}

// merge sums raw by (To, Kind) and appends the edges of f to out, sorted.
func merge(f int32, raw []rawEdge, out []Edge) []Edge {
	slices.SortStableFunc(raw, func(a, b rawEdge) int {
		return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.kind, b.kind))
	})
	for i := 0; i < len(raw); {
		e := Edge{From: f, To: raw[i].to, Kind: raw[i].kind}
		var guess float32
		for ; i < len(raw) && raw[i].to == e.To && raw[i].kind == e.Kind; i++ {
			if raw[i].guess {
				guess += raw[i].w
			} else {
				e.Weight += raw[i].w
			}
		}
		e.Weight = min(e.Weight+min(guess, maxGuessed), 1)
		if e.Weight >= leastWeight {
			out = append(out, e)
		}
	}
	return out
}
