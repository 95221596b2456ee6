package resolve

import (
	"cmp"
	"slices"
	"strings"

	"cohop/internal/facts"
)

// modWeight is what `mod x;` gives: the parent owns the child, which is less
// than using it.
const modWeight = 0.5

// cargoSite lists the crates of the tree.
type cargoSite struct {
	crates []crate // deepest folder first
	byName map[string][]int
}

type crate struct {
	name string // with underscores, as paths write it
	lib  string // the library's name where it differs
	dir  string
	root int32 // lib.rs or main.rs, -1 if none
}

func (s *site) buildCargo() *cargoSite {
	c := &cargoSite{byName: map[string][]int{}}
	for _, f := range s.t.Manifests("cargo") {
		k := crate{dir: s.dir[f], root: -1}
		lib := ""
		for _, p := range s.t.Facts(f).Props {
			switch p.Key {
			case "name":
				if k.name == "" {
					k.name = strings.ReplaceAll(p.Value, "-", "_")
				}
			case "lib":
				k.lib = strings.ReplaceAll(p.Value, "-", "_")
			case "path":
				lib = p.Value
			}
		}
		if k.name == "" {
			continue
		}
		for _, r := range []string{lib, "src/lib.rs", "src/main.rs", "lib.rs", "main.rs", "src/mod.rs"} {
			if r == "" {
				continue
			}
			if p, ok := joinPath(k.dir, r); ok {
				if g, ok := s.t.Find(p); ok {
					k.root = g
					break
				}
			}
		}
		c.crates = append(c.crates, k)
	}
	slices.SortStableFunc(c.crates, func(a, b crate) int {
		return cmp.Or(cmp.Compare(len(b.dir), len(a.dir)), cmp.Compare(a.dir, b.dir))
	})
	for i, k := range c.crates {
		if k.root >= 0 {
			c.byName[k.name] = append(c.byName[k.name], i)
			if k.lib != "" && k.lib != k.name {
				c.byName[k.lib] = append(c.byName[k.lib], i)
			}
		}
	}
	return c
}

// rustHome returns the root file of the crate that f belongs to. Each file
// directly below tests, examples, benches and src/bin is a crate of its own.
func (w *worker) rustHome(f int32) int32 {
	s := w.s
	if rustOwnRoot(s.path[f]) {
		return f
	}
	key := "rh:" + s.dir[f]
	if out, ok := w.memo[key]; ok {
		return out[0]
	}
	root := int32(-1)
	for d := s.dir[f]; ; d, _ = splitPath(d) {
		_, b := splitPath(d)
		for _, r := range []string{"main.rs", "lib.rs"} {
			if g, ok := s.t.Find(at(d, r)); ok && (b == "src" || d == "" || r == "main.rs") && root < 0 {
				root = g
				// lib.rs beside main.rs holds the modules.
				if l, ok := s.t.Find(at(d, "lib.rs")); ok {
					root = l
				}
			}
		}
		if root < 0 { // a folder of modules of a test that is a file beside it
			up, _ := splitPath(d)
			if _, u := splitPath(up); u == "tests" || u == "examples" || u == "benches" {
				root = w.rustOwner(up, b)
			}
		}
		if root >= 0 || d == "" {
			break
		}
		if _, ok := s.t.Find(at(d, "Cargo.toml")); ok {
			for _, k := range s.cargo().crates {
				if k.dir == d && k.root >= 0 && below(s.path[f], s.dir[k.root]) {
					root = k.root
					break
				}
			}
			break
		}
	}
	w.memo[key] = []int32{root}
	return root
}

// rustOwner finds the file of a folder that has module name, -1 if none.
func (w *worker) rustOwner(dir, name string) int32 {
	for _, g := range w.s.t.Dir(dir) {
		if w.s.lang[g] != "rust" {
			continue
		}
		fa := w.s.t.Facts(g)
		for i := range fa.Imports {
			if fa.Imports[i].Mod && fa.Imports[i].Module == name {
				return g
			}
		}
	}
	return -1
}

// rustOwnRoot says whether a file is a crate root by where it stands.
func rustOwnRoot(p string) bool {
	d, b := splitPath(p)
	_, last := splitPath(d)
	switch last {
	case "tests", "examples", "benches", "bin":
		return b != "mod.rs"
	}
	return b == "build.rs"
}

// rustChildren is the folder where the child modules of file f stand.
func (s *site) rustChildren(f int32) string {
	d, b := splitPath(s.path[f])
	switch b {
	case "mod.rs", "lib.rs", "main.rs":
		return d
	}
	if rustOwnRoot(s.path[f]) {
		return d
	}
	return at(d, strings.TrimSuffix(b, ".rs"))
}

// rustChild finds module name below file f, -1 if none.
func (w *worker) rustChild(f int32, name string) int32 {
	name = strings.TrimPrefix(name, "r#")
	if name == "" || strings.ContainsAny(name, "/.") {
		return -1
	}
	d := w.s.rustChildren(f)
	for _, p := range []string{name + ".rs", name + "/mod.rs"} {
		if g, ok := w.s.t.Find(at(d, p)); ok && g != f {
			return g
		}
	}
	return -1
}

// rustParent finds the file of the module above f's, -1 if none.
func (w *worker) rustParent(f int32) int32 {
	d, b := splitPath(w.s.path[f])
	if b == "lib.rs" || b == "main.rs" {
		return -1
	}
	if b == "mod.rs" {
		d, _ = splitPath(d)
	}
	for _, p := range []string{at(d, "mod.rs"), at(d, "lib.rs"), at(d, "main.rs"), d + ".rs"} {
		if g, ok := w.s.t.Find(p); ok && g != f {
			return g
		}
	}
	return -1
}

// rustPath walks a path from file f as far as files go. rest is what is left:
// inline modules and declarations. from < 0: outside of the tree.
func (w *worker) rustPath(f int32, segs []string, line int32) (at int32, rest []string, internal bool) {
	if len(segs) == 0 {
		return -1, nil, false
	}
	cur := int32(-1)
	switch head := segs[0]; head {
	case "crate", "$crate":
		cur, segs = w.rustHome(f), segs[1:]
		if cur < 0 {
			return -1, nil, true
		}
	case "self":
		cur, segs = f, segs[1:]
	case "super":
		cur = f
		inline := w.rustInline(f, line)
		for len(segs) > 0 && segs[0] == "super" {
			segs = segs[1:]
			if inline > 0 {
				inline--
				continue
			}
			if cur = w.rustParent(cur); cur < 0 {
				return -1, nil, true
			}
		}
	case "std", "core", "alloc":
		return -1, nil, false
	default:
		if g := w.rustChild(f, head); g >= 0 {
			cur, segs = g, segs[1:]
			break
		}
		if ks := w.s.cargo().byName[strings.TrimPrefix(head, "r#")]; len(ks) > 0 {
			var roots []int32
			for _, k := range ks {
				roots = append(roots, w.s.cargo().crates[k].root)
			}
			cur, segs, internal = w.s.near(f, roots)[0], segs[1:], true
			break
		}
		// An inline module or a declaration of this file, or (2015) a module
		// of the crate root.
		if w.defines(f, head) {
			return f, segs, true
		}
		if home := w.rustHome(f); home >= 0 && home != f {
			if g := w.rustChild(home, head); g >= 0 && head != "tests" {
				cur, segs = g, segs[1:]
				break
			}
		}
		return -1, nil, false
	}
	for len(segs) > 0 {
		g := w.rustChild(cur, segs[0])
		if g < 0 {
			break
		}
		cur, segs = g, segs[1:]
	}
	return cur, segs, true
}

// rustInline counts the inline modules of f around line.
func (w *worker) rustInline(f int32, line int32) int {
	n := 0
	syms := w.s.t.Facts(f).Symbols
	for i := range syms {
		if s := &syms[i]; s.Kind == facts.KindModule && s.Start <= line && line <= s.End && s.End > s.Start {
			n++
		}
	}
	return n
}

// rustNorm splits a use into the module and the names taken from it, braces
// that were left in place included.
func rustNorm(im *facts.Import) (module []string, names [][2]string) {
	m := strings.TrimPrefix(strings.TrimSpace(im.Module), "::")
	if i := strings.IndexByte(m, '{'); i >= 0 {
		names = appendBraces(names, strings.Trim(m[i:], "{} \t\n"))
		m = m[:i]
	}
	segs := strings.Split(strings.Trim(strings.ReplaceAll(m, " ", ""), ":"), "::")
	if m == "" {
		segs = nil
	}
	for i := range im.Names {
		local, name := boundName(im, i)
		names = append(names, [2]string{local, name})
	}
	if len(names) == 0 && len(segs) > 0 {
		last := segs[len(segs)-1]
		local := last
		if im.Alias != "" {
			local = im.Alias
		}
		if len(segs) == 1 { // use x;
			return segs, nil
		}
		return segs[:len(segs)-1], [][2]string{{local, last}}
	}
	return segs, names
}

// appendBraces flattens the inside of one pair of braces; nested paths keep
// their last name only when they have one.
func appendBraces(names [][2]string, s string) [][2]string {
	for _, n := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '{' || r == '}' }) {
		n = strings.TrimSpace(n)
		if n == "" || strings.HasSuffix(n, "::") {
			continue
		}
		local := lastPart(n)
		if a, b, ok := strings.Cut(n, " as "); ok {
			n, local = strings.TrimSpace(a), strings.TrimSpace(b)
		}
		names = append(names, [2]string{local, n})
	}
	return names
}

// rustImport resolves use and mod.
func rustImport(w *worker, sc *scope, im *facts.Import) (resolved, internal bool) {
	if im.Mod {
		g := w.rustChild(sc.f, lastPart(im.Module))
		if g < 0 {
			// Below an inline module, or by a path attribute: the only
			// such file beneath.
			if d := w.s.dir[sc.f]; d != "" {
				for _, p := range []string{"/" + lastPart(im.Module) + ".rs", "/" + lastPart(im.Module) + "/mod.rs"} {
					for _, c := range w.s.suffix(p) {
						if g < 0 && below(w.s.path[c], d) {
							g = c
						}
					}
				}
			}
			if g < 0 {
				return false, true
			}
		}
		w.add(sc.f, []int32{g}, Import, modWeight)
		sc.set(lastPart(im.Module), binding{files: []int32{g}, module: true})
		return true, true
	}
	mod, names := rustNorm(im)
	if len(names) == 0 {
		at, rest, in := w.rustPath(sc.f, mod, im.Line)
		if at < 0 || len(rest) > 0 {
			return false, in
		}
		w.add(sc.f, []int32{at}, Import, 1)
		sc.set(localModule(im), binding{files: []int32{at}, module: true})
		return true, true
	}
	for _, n := range names {
		segs := mod
		if n[1] != "*" && n[1] != "self" {
			segs = append(slices.Clone(mod), strings.Split(n[1], "::")...)
		}
		at, rest, in := w.rustPath(sc.f, segs, im.Line)
		internal = internal || in
		local := n[0]
		if n[1] == "self" && len(mod) > 0 && (local == "self" || local == "") {
			local = mod[len(mod)-1]
		}
		if at < 0 {
			if !in && local != "*" {
				sc.set(local, binding{name: local})
			}
			continue
		}
		files, module := w.rustFind(at, rest, 0)
		if len(files) == 0 {
			files = []int32{at}
		}
		resolved = true
		w.add(sc.f, files, Import, 1)
		if at != files[0] && at != sc.f {
			w.add(sc.f, []int32{at}, Import, viaWeight)
		}
		w.mark(files, clsImport)
		if n[1] == "*" {
			w.rustStar(files)
			continue
		}
		b := binding{files: files, name: lastPart(n[1]), module: module}
		sc.set(local, b)
	}
	return resolved, internal
}

// rustFind finds what rest names below file at: declarations, re-exports,
// members of inline modules. module says that files are modules.
func (w *worker) rustFind(at int32, rest []string, depth int8) (files []int32, module bool) {
	if len(rest) == 0 {
		return []int32{at}, true
	}
	found := w.export(at, rest[0], depth)
	if len(found) == 0 {
		return nil, false
	}
	if len(rest) == 1 {
		return found, !w.defines(found[0], rest[0])
	}
	// An enum's variant, an inline module's item, or a re-exported module.
	if found[0] != at || !w.defines(at, rest[0]) {
		if depth < maxHops {
			if deeper, m := w.rustFind(found[0], rest[1:], depth+1); len(deeper) > 0 {
				return deeper, m
			}
		}
	}
	for _, r := range rest[1:] {
		if out := w.definedIn(found, r); len(out) > 0 {
			return out, false
		}
	}
	return found, false
}

// rustStar makes what files re-export visible, one step.
func (w *worker) rustStar(files []int32) {
	for _, g := range files {
		fa := w.s.t.Facts(g)
		for i := range fa.Imports {
			if im := &fa.Imports[i]; im.Reexport {
				more, _ := rustModule(w, g, im)
				w.mark(more, clsImport)
			}
		}
	}
}

// rustModule finds the module that the names of im are taken from; for the
// names themselves see rustExport.
func rustModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	return w.rustModule(f, im, 1)
}

// rustModule follows re-exports of the module itself from depth on; the depth
// is what ends a circle of stars.
func (w *worker) rustModule(f int32, im *facts.Import, depth int8) ([]int32, bool) {
	if im.Mod {
		if g := w.rustChild(f, lastPart(im.Module)); g >= 0 {
			return []int32{g}, true
		}
		return nil, true
	}
	mod, _ := rustNorm(im)
	at, rest, in := w.rustPath(f, mod, im.Line)
	if at < 0 {
		return nil, in
	}
	files, _ := w.rustFind(at, rest, depth)
	if len(files) == 0 {
		files = []int32{at}
	}
	return files, true
}

// rustExport finds the files of what module f calls name: by its use
// declarations, then by its child modules, then by stars.
func rustExport(w *worker, f int32, name string, depth int8) []int32 {
	fa := w.s.t.Facts(f)
	var stars []*facts.Import
	for i := range fa.Imports {
		im := &fa.Imports[i]
		if im.Mod {
			continue
		}
		mod, names := rustNorm(im)
		if len(names) == 0 && len(mod) == 1 && im.Alias == name { // extern crate a as b
			if at, rest, _ := w.rustPath(f, mod, im.Line); at >= 0 && at != f && len(rest) == 0 {
				return []int32{at}
			}
		}
		for _, n := range names {
			if n[1] == "*" {
				stars = append(stars, im)
				continue
			}
			if n[0] != name {
				continue
			}
			segs := append(slices.Clone(mod), strings.Split(n[1], "::")...)
			if n[1] == "self" {
				segs = mod
			}
			at, rest, _ := w.rustPath(f, segs, im.Line)
			if at < 0 || at == f && len(rest) > 0 && rest[0] == name {
				continue
			}
			if found, _ := w.rustFind(at, rest, depth+1); len(found) > 0 {
				return found
			}
		}
	}
	if g := w.rustChild(f, name); g >= 0 {
		return []int32{g}
	}
	for _, im := range stars {
		files, _ := w.rustModule(f, im, depth+1)
		for _, g := range files {
			if g == f {
				continue
			}
			if found := w.export(g, name, depth+1); len(found) > 0 {
				return found
			}
		}
	}
	if _, b := splitPath(w.s.path[f]); b == "lib.rs" {
		return w.rustMacro(f, name)
	}
	return nil
}

// rustMacro finds a macro of the crate whose root is f: one that is exported
// stands in the root, wherever it is written.
func (w *worker) rustMacro(f int32, name string) []int32 {
	var out []int32
	for _, d := range w.s.t.Definers(name) {
		if d.Kind == facts.KindMacro && below(w.s.path[d.File], w.s.dir[f]) && !slices.Contains(out, d.File) {
			out = append(out, d.File)
		}
	}
	if len(out) > maxGuess {
		return nil
	}
	return out
}
