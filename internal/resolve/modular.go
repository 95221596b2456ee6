package resolve

import (
	"slices"
	"sort"
	"strings"

	"cohop/internal/facts"
)

const (
	// maxHops bounds how far a re-exported name is followed. Two covers a
	// package that re-exports a subpackage's re-export, four the worst seen.
	maxHops = 4
	// viaWeight is what an import gives the file that only re-exports the
	// name: it is read on the way, seldom changed.
	viaWeight = 0.25
)

// modular handles imports of languages whose modules are files: Python,
// JavaScript, Rust, Lua and the rest that name a path.
func (w *worker) modular(sc *scope, im *facts.Import) (resolved, internal bool) {
	files, internal := sc.lang.module(w, sc.f, im)
	if len(files) == 0 { // names that are bound below are of generated code
		if src := w.madeModule(sc.f, im, ""); len(src) > 0 {
			w.addMade(sc.f, src)
			resolved, internal = true, true
		}
	}
	if len(im.Names) == 0 {
		w.add(sc.f, files, Import, 1)
		w.mark(files, clsImport)
		if local := localModule(im); local != "" {
			sc.set(local, binding{files: files, module: true})
		}
		return resolved || len(files) > 0, internal
	}
	for i := range im.Names {
		local, name := boundName(im, i)
		if name == "*" {
			w.add(sc.f, files, Import, 1)
			w.mark(files, clsImport)
			w.star(sc, files)
			if local != "" && local != "*" { // import * as x
				sc.set(local, binding{files: files, module: true})
			}
			if len(files) > 0 {
				resolved = true
			}
			continue
		}
		found := w.lookup(files, name, 0)
		if len(found) == 0 && sc.lang.sub != nil && len(files) == 0 {
			// A namespace folder has no file but may have submodules.
			found = w.nameSub(sc, im, name)
		}
		b := binding{files: found, name: name}
		switch {
		case len(found) == 0 && w.s.fam[sc.f] == famPython && w.madeName(sc, im, name):
			resolved, internal = true, true
			w.add(sc.f, files, Import, viaWeight)
		case len(found) == 0:
			b.files = files
			w.add(sc.f, files, Import, 1)
		default:
			if w.isModule(sc, found, name) {
				b.module = true
			}
			w.add(sc.f, found, Import, 1)
			for _, g := range files {
				if !slices.Contains(found, g) {
					w.add(sc.f, []int32{g}, Import, viaWeight)
				}
			}
		}
		w.mark(b.files, clsImport)
		if len(b.files) > 0 {
			resolved = true
		}
		if local != "" {
			sc.set(local, b)
		}
	}
	return resolved, internal || resolved
}

// madeName adds the edge of a module that is taken from a package, if it is
// generated: from package import foo_pb2.
func (w *worker) madeName(sc *scope, im *facts.Import, name string) bool {
	src := w.madeModule(sc.f, im, name)
	w.addMade(sc.f, src)
	return len(src) > 0
}

// isModule reports whether found are modules called name rather than files
// that define it.
func (w *worker) isModule(sc *scope, found []int32, name string) bool {
	for _, g := range found {
		if w.defines(g, name) {
			return false
		}
	}
	return true
}

// nameSub resolves module + name as a module of its own.
func (w *worker) nameSub(sc *scope, im *facts.Import, name string) []int32 {
	sub := *im
	sub.Names = nil
	if sub.Module != "" {
		sub.Module += "."
	}
	sub.Module += name
	files, _ := sc.lang.module(w, sc.f, &sub)
	return files
}

// star makes what files re-export by star visible, one step.
func (w *worker) star(sc *scope, files []int32) {
	for _, g := range files {
		if fa := w.s.t.Facts(g); fa != nil {
			for i := range fa.Imports {
				if im := &fa.Imports[i]; hasStar(im) && (im.Reexport || w.s.fam[g] == famPython) {
					if l := languages[w.s.lang[g]]; l != nil && l.module != nil {
						more, _ := l.module(w, g, im)
						w.mark(more, clsImport)
					}
				}
			}
		}
	}
}

// lookup finds the files that define name, asked of modules files: the files
// themselves, a submodule, or what they re-export. None if not found.
func (w *worker) lookup(files []int32, name string, depth int8) []int32 {
	if len(files) == 1 {
		return w.export(files[0], name, depth)
	}
	var out []int32
	for _, f := range files {
		for _, g := range w.export(f, name, depth) {
			if !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// export finds the files that define what module f calls name.
func (w *worker) export(f int32, name string, depth int8) []int32 {
	if w.defines(f, name) {
		return []int32{f}
	}
	if depth >= maxHops {
		return nil
	}
	key := exportKey{f, depth, name}
	if out, ok := w.exports[key]; ok {
		return out
	}
	out := w.exportSlow(f, name, depth)
	w.exports[key] = out
	return out
}

func (w *worker) exportSlow(f int32, name string, depth int8) []int32 {
	l := languages[w.s.lang[f]]
	fa := w.s.t.Facts(f)
	if l == nil || fa == nil {
		return nil
	}
	if l.export != nil {
		return l.export(w, f, name, depth)
	}
	if l.module == nil {
		return nil
	}
	for i := range fa.Imports {
		im := &fa.Imports[i]
		for k := range im.Names {
			local, orig := boundName(im, k)
			if local != name || orig == "*" && !im.Reexport {
				continue
			}
			files, _ := l.module(w, f, im)
			if orig == "*" {
				return files
			}
			if found := w.lookup(files, orig, depth+1); len(found) > 0 {
				return found
			}
			if l.sub != nil && len(files) == 0 {
				sc := &scope{f: f, fa: fa, lang: l}
				if found := w.nameSub(sc, im, orig); len(found) > 0 {
					return found
				}
			}
			if len(files) > 0 && !slices.Contains(files, f) {
				return files
			}
		}
	}
	if l.sub != nil {
		if out := l.sub(w, f, name); len(out) > 0 {
			return out
		}
	}
	for i := range fa.Imports {
		im := &fa.Imports[i]
		if !hasStar(im) || w.s.fam[f] == famJS && !im.Reexport {
			continue
		}
		files, _ := l.module(w, f, im)
		if found := w.lookup(files, name, depth+1); len(found) > 0 {
			return found
		}
	}
	return nil
}

// defines reports whether f declares name itself, as more than a member. A
// field of Haskell is a function.
func (w *worker) defines(f int32, name string) bool {
	fields := w.s.lang[f] == "haskell"
	defs := w.s.t.Definers(name)
	i := sort.Search(len(defs), func(i int) bool { return defs[i].File >= f })
	for ; i < len(defs) && defs[i].File == f; i++ {
		if d := &defs[i]; d.Kind != facts.KindOther && (d.Kind != facts.KindField || fields) && d.Kind != facts.KindKey && d.Kind != facts.KindSection && (d.Parent == "" || d.Kind != facts.KindMethod) {
			return true
		}
	}
	return false
}

// set binds local unless an earlier import that leads somewhere has it.
func (sc *scope) set(local string, b binding) {
	if sc.bind == nil {
		sc.bind = map[string]binding{}
	}
	if old, ok := sc.bind[local]; ok && len(old.files) > 0 {
		if len(b.files) == 0 {
			return
		}
		if b.module == old.module { // import a.b; import a.c both bind a
			for _, g := range old.files {
				if !slices.Contains(b.files, g) {
					b.files = append(b.files[:len(b.files):len(b.files)], g)
				}
			}
		}
	}
	sc.bind[local] = b
}

// boundName returns the local name of the i-th name of im and its name in
// the module.
func boundName(im *facts.Import, i int) (local, name string) {
	name = im.Names[i]
	if a, b, ok := strings.Cut(name, " as "); ok {
		return strings.TrimSpace(b), strings.TrimSpace(a)
	}
	if im.Alias != "" && len(im.Names) == 1 {
		return im.Alias, name
	}
	return name, name
}

// localModule is the name that an import without names binds.
func localModule(im *facts.Import) string {
	if im.Alias != "" {
		return im.Alias
	}
	return lastPart(im.Module)
}

// lastPart is the last name of a module however its parts are joined, its
// extension dropped.
func lastPart(m string) string {
	m = strings.TrimRight(m, "/")
	if strings.Contains(m, "/") {
		_, m = splitPath(m)
		if i := strings.IndexByte(m, '.'); i > 0 {
			m = m[:i]
		}
		return m
	}
	if i := strings.LastIndexAny(m, `.:\`); i >= 0 {
		return m[i+1:]
	}
	return m
}

// importName is how a missed import is reported.
func importName(im *facts.Import, fam family) string {
	m := im.Module
	if fam == famPython && im.Relative > 0 && im.Relative < 16 {
		m = strings.Repeat(".", int(im.Relative)) + m
	}
	const long = 120
	if len(m) > long {
		m = strings.ToValidUTF8(m[:long], "")
	}
	return m
}

func hasStar(im *facts.Import) bool {
	for _, n := range im.Names {
		if n == "*" || n == "_" {
			return true
		}
	}
	return false
}
