package resolve

import (
	"strings"

	"cohop/internal/facts"
)

// MemTree is a Tree held in memory: what the index builder joins and what
// tests are made of. It is immutable once built and safe for concurrent use.
type MemTree struct {
	paths     []string
	facts     []*facts.Facts
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

// NewMemTree joins paths (sorted, distinct) and the facts of each; a nil entry
// stands for a file without facts. Neither slice may change afterwards.
func NewMemTree(paths []string, fs []*facts.Facts) *MemTree {
	n := len(paths)
	t := &MemTree{
		paths:     paths,
		facts:     make([]*facts.Facts, n),
		byPath:    make(map[string]int32, n),
		byDir:     make(map[string][]int32, n/8+1),
		byBase:    make(map[string][]int32, n),
		packages:  map[[2]string][]int32{},
		manifests: map[string][]int32{},
	}
	total := 0
	for i, p := range paths {
		f := int32(i)
		fa := emptyFacts
		if i < len(fs) && fs[i] != nil {
			fa = fs[i]
		}
		t.facts[i] = fa
		total += len(fa.Symbols)
		t.byPath[p] = f
		dir, base := splitPath(p)
		t.byDir[dir] = append(t.byDir[dir], f)
		t.byBase[base] = append(t.byBase[base], f)
		if fa.Package != "" {
			k := [2]string{fa.Lang, fa.Package}
			t.packages[k] = append(t.packages[k], f)
		}
		if isManifest(fa.Lang) {
			t.manifests[fa.Lang] = append(t.manifests[fa.Lang], f)
		}
	}
	t.join(total)
	return t
}

// join builds the definers by counting sort: one slot a name, filled in file
// and symbol order, so that no list needs sorting or growing.
func (t *MemTree) join(total int) {
	t.names = make(map[string]int32, total/2+1)
	slots := make([]int32, 0, total)
	var counts []int32
	for _, fa := range t.facts {
		for i := range fa.Symbols {
			s, ok := t.names[fa.Symbols[i].Name]
			if !ok {
				s = int32(len(counts))
				t.names[fa.Symbols[i].Name] = s
				counts = append(counts, 0)
			}
			counts[s]++
			slots = append(slots, s)
		}
	}
	t.starts = make([]int32, len(counts)+1)
	for s, c := range counts {
		t.starts[s+1] = t.starts[s] + c
	}
	next := append([]int32(nil), t.starts...)
	t.defs = make([]Def, total)
	k := 0
	for f, fa := range t.facts {
		for i := range fa.Symbols {
			s := &fa.Symbols[i]
			d := Def{File: int32(f), Symbol: int32(i), Kind: s.Kind, Exported: s.Exported}
			if s.Parent >= 0 && int(s.Parent) < len(fa.Symbols) {
				d.Parent, d.Within = fa.Symbols[s.Parent].Name, fa.Symbols[s.Parent].Kind
			}
			if s.Owner != "" {
				d.Parent = s.Owner
			}
			slot := slots[k]
			t.defs[next[slot]] = d
			next[slot]++
			k++
		}
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
func (t *MemTree) Lang(f int32) string         { return t.facts[f].Lang }
func (t *MemTree) Dir(dir string) []int32      { return t.byDir[dir] }
func (t *MemTree) Base(name string) []int32    { return t.byBase[name] }
func (t *MemTree) Facts(f int32) *facts.Facts  { return t.facts[f] }
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
