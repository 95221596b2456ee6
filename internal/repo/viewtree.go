package repo

import (
	"hash/maphash"
	"path"
	"sync/atomic"

	"cohop/internal/facts"
	"cohop/internal/index"
	"cohop/internal/resolve"
)

// maxNames is how many names' definitions are held, a power of two: those of a
// file are asked for together, and those of a large tree never fit.
const maxNames = 1 << 16

// viewTree lets resolution ask a View; load gives the facts of a file, nil if
// they are not to be had: then what the index kept of them serves. Several
// goroutines load at once.
type viewTree struct {
	v    *index.View
	load func(f int32) *facts.Facts

	dirs, bases map[string][]int32
	packages    map[[2]string][]int32
	langs       map[string][]int32

	// What was asked last. Both are asked many times a microsecond by all
	// workers, which a lock would put to sleep in turn.
	seed maphash.Seed
	defs []atomic.Pointer[definers]    // of a name in the slot of its hash
	memo []atomic.Pointer[facts.Facts] // by file

	held atomic.Int32 // files in memo
	most int          // files that memo is emptied at; 0: never
}

// definers are the definitions of a name.
type definers struct {
	name string
	defs []resolve.Def
}

// newViewTree fills the look-up tables.
func newViewTree(v *index.View, load func(f int32) *facts.Facts) *viewTree {
	t := &viewTree{v: v, load: load, dirs: map[string][]int32{}, bases: map[string][]int32{},
		packages: map[[2]string][]int32{}, langs: map[string][]int32{},
		seed: maphash.MakeSeed(), defs: make([]atomic.Pointer[definers], maxNames), memo: make([]atomic.Pointer[facts.Facts], v.Files())}
	for f := range t.v.Files() {
		p := t.v.Path(f)
		dir := path.Dir(p)
		if dir == "." {
			dir = ""
		}
		t.dirs[dir] = append(t.dirs[dir], f)
		t.bases[path.Base(p)] = append(t.bases[path.Base(p)], f)
		lang := t.v.Lang(f)
		t.langs[lang] = append(t.langs[lang], f)
		if pkg := t.v.Package(f); pkg != "" {
			k := [2]string{lang, pkg}
			t.packages[k] = append(t.packages[k], f)
		}
	}
	return t
}

var _ resolve.Tree = (*viewTree)(nil)

func (t *viewTree) Len() int                      { return int(t.v.Files()) }
func (t *viewTree) Path(f int32) string           { return t.v.Path(f) }
func (t *viewTree) Lang(f int32) string           { return t.v.Lang(f) }
func (t *viewTree) Find(p string) (int32, bool)   { return t.v.Find(p) }
func (t *viewTree) Manifests(lang string) []int32 { return t.langs[lang] }
func (t *viewTree) Dir(dir string) []int32        { return t.dirs[dir] }
func (t *viewTree) Base(name string) []int32      { return t.bases[name] }
func (t *viewTree) Package(n, lang string) []int32 {

	return t.packages[[2]string{lang, n}]
}

// Definers is asked for the same names over and over.
func (t *viewTree) Definers(name string) []resolve.Def {
	at := &t.defs[maphash.String(t.seed, name)&(maxNames-1)]
	if d := at.Load(); d != nil && d.name == name {
		return d.defs
	}
	d := &definers{name, t.define(name)}
	at.Store(d)
	return d.defs
}

func (t *viewTree) define(name string) (defs []resolve.Def) {
	for _, id := range t.v.DefinersOf(name) {
		s := t.v.Symbol(id)
		d := resolve.Def{File: s.File, Symbol: t.v.SymbolIndex(id), Kind: s.Kind, Exported: s.Exported}
		if s.Parent >= 0 {
			p := t.v.Symbol(s.Parent)
			d.Parent, d.Within = p.Name, p.Kind
		}
		if s.Owner != "" {
			d.Parent = s.Owner
		}
		defs = append(defs, d)
	}
	return defs
}

// Facts is asked by all workers at once; two of them may load the same facts.
func (t *viewTree) Facts(f int32) *facts.Facts {
	if fa := t.memo[f].Load(); fa != nil {
		return fa
	}
	fa := t.load(f)
	if fa == nil {
		fa = known(t.v, f)
	}
	if t.memo[f].Swap(fa) == nil && t.most > 0 && int(t.held.Add(1)) > t.most {
		t.held.Store(0)
		for i := range t.memo {
			t.memo[i].Store(nil)
		}
	}
	return fa
}

// known is what the index itself keeps of a file's facts.
func known(v *index.View, f int32) *facts.Facts {
	fa := &facts.Facts{Lang: v.Lang(f), Package: v.Package(f)}
	for _, id := range v.SymbolsOf(f) {
		s := v.Symbol(id)
		parent := int32(-1)
		if s.Parent >= 0 {
			parent = v.SymbolIndex(s.Parent)
		}
		fa.Symbols = append(fa.Symbols, facts.Symbol{Name: s.Name, Owner: s.Owner, Kind: s.Kind, Parent: parent, DocStart: s.DocStart,
			Start: s.Start, SigEnd: s.SigEnd, End: s.End, Exported: s.Exported})
	}
	return fa
}
