package resolve

import (
	"strings"

	"cohop/internal/facts"
)

// MemTree is a Tree of which the names are held in memory and the facts are
// asked for: what the index builder joins and what tests are made of. It is
// immutable once built and safe for concurrent use if what gives the facts is.
type MemTree struct {
	paths     []string
	langs     []string
	facts     func(f int32) *facts.Facts
	byPath    map[string]int32
	byDir     map[string][]int32
	byBase    map[string][]int32
	names     map[string]int32 // name → slot
	starts    []int32          // slot → first of its defs; one more than slots
	defs      []Def
	packages  map[[2]string][]int32 // {language, package} → files
	manifests map[string][]int32
}

// emptyFacts stands in for files without facts, as Facts is never nil.
var emptyFacts = &facts.Facts{Lang: "text"}

// LoadMemTree joins paths (sorted, distinct; they may not change afterwards) and
// the facts of each, nil for a file without. Facts are loaded when they are asked
// for: once each in order, then as resolution needs them, from several
// goroutines. The tree keeps nothing of them but names.
func LoadMemTree(paths []string, load func(f int32) *facts.Facts) *MemTree {
	n := len(paths)
	t := &MemTree{
		paths:     paths,
		langs:     make([]string, n),
		byPath:    make(map[string]int32, n),
		byDir:     make(map[string][]int32, n/8+1),
		byBase:    make(map[string][]int32, n),
		names:     map[string]int32{},
		packages:  map[[2]string][]int32{},
		manifests: map[string][]int32{},
	}
	t.facts = func(f int32) *facts.Facts {
		if fa := load(f); fa != nil {
			return fa
		}
		return emptyFacts
	}
	j := joiner{t: t, text: map[string]string{}}
	for i, p := range paths {
		f := int32(i)
		fa := t.facts(f)
		lang := j.own(fa.Lang)
		t.langs[i] = lang
		t.byPath[p] = f
		dir, base := splitPath(p)
		t.byDir[dir] = append(t.byDir[dir], f)
		t.byBase[base] = append(t.byBase[base], f)
		if fa.Package != "" {
			k := [2]string{lang, j.own(fa.Package)}
			t.packages[k] = append(t.packages[k], f)
		}
		if isManifest(lang) {
			t.manifests[lang] = append(t.manifests[lang], f)
		}
		j.add(f, fa)
	}
	j.finish()
	return t
}

// joiner collects the definers in file and symbol order and orders them by
// name with a counting sort, so that no list needs sorting or growing.
type joiner struct {
	t      *MemTree
	text   map[string]string // own copies of languages, packages and owners
	names  []string          // by slot: own copies
	counts []int32           // by slot
	slots  []int32           // by definition
	defs   []Def
}

// own returns a copy of s that pins nothing.
func (j *joiner) own(s string) string {
	c, ok := j.text[s]
	if !ok {
		c = strings.Clone(s)
		j.text[c] = c
	}
	return c
}

func (j *joiner) add(f int32, fa *facts.Facts) {
	first := len(j.slots)
	for i := range fa.Symbols {
		s, ok := j.t.names[fa.Symbols[i].Name]
		if !ok {
			name := strings.Clone(fa.Symbols[i].Name)
			s = int32(len(j.counts))
			j.t.names[name] = s
			j.names = append(j.names, name)
			j.counts = append(j.counts, 0)
		}
		j.counts[s]++
		j.slots = append(j.slots, s)
	}
	for i := range fa.Symbols {
		s := &fa.Symbols[i]
		d := Def{File: f, Symbol: int32(i), Kind: s.Kind, Exported: s.Exported}
		if s.Parent >= 0 && int(s.Parent) < len(fa.Symbols) {
			d.Parent, d.Within = j.names[j.slots[first+int(s.Parent)]], fa.Symbols[s.Parent].Kind
		}
		if s.Owner != "" {
			d.Parent = j.own(s.Owner)
		}
		j.defs = append(j.defs, d)
	}
}

func (j *joiner) finish() {
	t := j.t
	t.starts = make([]int32, len(j.counts)+1)
	for s, c := range j.counts {
		t.starts[s+1] = t.starts[s] + c
	}
	next := append([]int32(nil), t.starts...)
	t.defs = make([]Def, len(j.defs))
	for k, d := range j.defs {
		slot := j.slots[k]
		t.defs[next[slot]] = d
		next[slot]++
	}
}

// isManifest reports whether lang is a manifest's language id.
func isManifest(lang string) bool {
	switch lang {
	case "gomod", "package.json", "tsconfig", "cargo", "composer", "mix", "pyproject", "buildfile":
		return true
	}
	return false
}

// splitPath cuts p at its last slash; dir is "" at the root.
func splitPath(p string) (dir, base string) {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i], p[i+1:]
	}
	return "", p
}

func (t *MemTree) Len() int                    { return len(t.paths) }
func (t *MemTree) Path(f int32) string         { return t.paths[f] }
func (t *MemTree) Lang(f int32) string         { return t.langs[f] }
func (t *MemTree) Dir(dir string) []int32      { return t.byDir[dir] }
func (t *MemTree) Base(name string) []int32    { return t.byBase[name] }
func (t *MemTree) Facts(f int32) *facts.Facts  { return t.facts(f) }
func (t *MemTree) Manifests(l string) []int32  { return t.manifests[l] }
func (t *MemTree) Package(n, l string) []int32 { return t.packages[[2]string{l, n}] }

// Find returns the file at exactly path.
func (t *MemTree) Find(path string) (int32, bool) {
	f, ok := t.byPath[path]
	return f, ok
}

// Definers returns the definitions of name; the slice must not be changed.
func (t *MemTree) Definers(name string) []Def {
	s, ok := t.names[name]
	if !ok {
		return nil
	}
	return t.defs[t.starts[s]:t.starts[s+1]:t.starts[s+1]]
}
