package resolve

import (
	"path"
	"slices"
	"sort"
	"strings"

	"cohop/internal/facts"
)

// Languages whose imports name declarations of packages or namespaces, not
// files: Java, Kotlin, Scala, Groovy, C#, PHP. The files of a package are
// those that say so, wherever they stand.

// namedStyle is how such a language writes names.
type namedStyle struct {
	langs []string // languages whose packages an import may name
	sep   string
	// outer: what encloses the own package is visible too (C#, Scala).
	outer bool
}

var (
	jvmStyle   = namedStyle{langs: []string{"java", "kotlin", "scala", "groovy"}, sep: "."}
	scalaStyle = namedStyle{langs: []string{"scala", "java", "kotlin"}, sep: ".", outer: true}
	csStyle    = namedStyle{langs: []string{"csharp"}, sep: ".", outer: true}
	phpStyle   = namedStyle{langs: []string{"php"}, sep: `\`}
)

// maxPackage bounds the files of one package that are marked as visible: more
// are one flat namespace, where names alone must do.
const maxPackage = 5000

// packageFiles lists the files of package name in any language of the style.
func (w *worker) packageFiles(st *namedStyle, name string) []int32 {
	if name == "" {
		return nil
	}
	var out []int32
	many := false
	for _, l := range st.langs {
		fs := w.s.t.Package(name, l)
		if len(fs) > 0 && out != nil {
			out, many = append(slices.Clone(out), fs...), true
		} else if len(fs) > 0 {
			out = fs
		}
	}
	if many {
		slices.Sort(out)
	}
	return out
}

// has reports whether ascending files hold f.
func has(files []int32, f int32) bool {
	i := sort.Search(len(files), func(i int) bool { return files[i] >= f })
	return i < len(files) && files[i] == f
}

// definersIn returns the files of ascending files that declare name outside of
// any type, or, failing that, those called so.
func (w *worker) definersIn(files []int32, name string) []int32 {
	var out []int32
	defs := w.s.t.Definers(name)
	if len(files) < len(defs) {
		for _, f := range files {
			if w.defines(f, name) {
				out = append(out, f)
			}
		}
	} else {
		for i := range defs {
			d := &defs[i]
			if topLevel(d) && d.Kind != facts.KindOther && d.Kind != facts.KindSection && d.Kind != facts.KindKey && has(files, d.File) && (len(out) == 0 || out[len(out)-1] != d.File) {
				out = append(out, d.File)
			}
		}
	}
	if len(out) == 0 {
		for _, f := range files {
			if stem(w.s.path[f]) == name {
				out = append(out, f)
			}
		}
	}
	return out
}

// domains begin the names of everyone's packages.
var domains = map[string]bool{"org": true, "com": true, "net": true, "io": true, "dev": true, "edu": true, "gov": true, "de": true, "fr": true, "uk": true}

// namedImport resolves an import of st. full is the dotted name without the
// star, local the name that it binds.
func (w *worker) namedImport(sc *scope, st *namedStyle, full, local string, star bool) (resolved, internal bool) {
	return w.namedBelow(sc, st, "", full, local, star)
}

// namedBelow is namedImport relative to package p: what encloses p is not
// asked, else a package object would take every import in its package.
func (w *worker) namedBelow(sc *scope, st *namedStyle, p, full, local string, star bool) (resolved, internal bool) {
	if p != "" {
		full = p + st.sep + full
	}
	full = strings.Trim(full, st.sep)
	if full == "" {
		return false, false
	}
	if star {
		if files := w.packageFiles(st, full); len(files) > 0 {
			w.openPackage(sc, files)
			return true, true
		}
	}
	// The longest prefix that is a package and declares the next name holds
	// the declaration.
	first := []int32(nil) // files of the longest package, within,
	within, deep := "", []string(nil)
	for end := len(full); end > 0; {
		i := strings.LastIndex(full[:end], st.sep)
		if i <= 0 || i < len(p) {
			break
		}
		end = i
		files := w.packageFiles(st, full[:i])
		if len(files) == 0 {
			continue
		}
		rest := strings.Split(full[i+len(st.sep):], st.sep)
		found := w.definersIn(files, rest[0])
		if len(found) > 0 && len(rest) > 1 && !star && (p != "" || len(rest) > 2 && st.outer && len(w.packageFiles(st, full[:i+len(st.sep)]+rest[0])) > 0) && len(w.declarersIn(found, rest[1])) == 0 {
			// scalajs.js.Dynamic in package io.circe is the library's, though
			// io.circe.scalajs is there: what encloses must hold it all. So
			// must a package's object what is deeper than its members, which
			// it may have inherited: the package may be others' too.
			continue
		}
		if len(found) == 0 {
			if first == nil {
				first, within, deep = files, full[:i], rest
			}
			continue
		}
		w.namedFound(sc, found, rest, local, star)
		return true, true
	}
	if files := w.packageFiles(st, full); len(files) > 0 { // the package itself
		w.openPackage(sc, files)
		if local != "" {
			sc.set(local, binding{files: files, module: true, pack: int32(len(sc.packs))})
		}
		return true, true
	}
	if first != nil {
		// A member of a package object; or of the class that a file of
		// functions is to Java. Deeper names are another package's.
		last := deep[len(deep)-1]
		if len(deep) == 1 || len(deep) == 2 && strings.HasSuffix(deep[0], "Kt") {
			if found := w.declarersIn(first, last); len(found) > 0 && len(found) <= maxGuess {
				w.namedFound(sc, found, []string{last}, local, star)
				return true, true
			}
		}
		return false, !domains[within]
	}
	if !star && local != "" {
		sc.set(local, binding{name: local})
	}
	return false, false
}

// namedFound adds the edges of an import that leads to found.
func (w *worker) namedFound(sc *scope, found []int32, rest []string, local string, star bool) {
	if sc.lang.choose != nil && len(found) > 1 {
		found = w.chosenOf(sc, found, rest, local)
	}
	found = w.prefer(sc.f, found)
	w.add(sc.f, found, Import, 1)
	w.mark(found, clsImport)
	if !star && local != "" {
		sc.set(local, binding{files: found, name: rest[len(rest)-1]})
	}
}

// chosenOf picks of the files found for an import, each of which declares
// rest[0], those that the language chooses.
func (w *worker) chosenOf(sc *scope, found []int32, rest []string, local string) []int32 {
	u := use{name: local, defined: rest[0], kind: facts.RefCall}
	if sc.index().asType(local) {
		u.kind = facts.RefUse
	}
	if last := rest[len(rest)-1]; len(rest) > 1 && last != "*" {
		if in := w.declarersIn(found, last); len(in) > 0 {
			found = in
		}
	}
	var fit []Def
	defs := w.s.t.Definers(rest[0])
	for i := range defs {
		if d := &defs[i]; has(found, d.File) && topLevel(d) && !nested(d) {
			fit = append(fit, *d)
		}
	}
	if len(fit) == 0 {
		return found
	}
	return filesOf(nil, sc.lang.choose(w, sc, u, fit))
}

// prefer keeps of equals the sources unless f is a test, then the nearest.
func (w *worker) prefer(f int32, files []int32) []int32 {
	if len(files) < 2 {
		return files
	}
	if !w.s.test(f) {
		if src := w.sources(files); len(src) > 0 {
			files = src
		}
	}
	return w.s.near(f, files)
}

// declarersIn returns those of ascending files that declare name at any depth.
func (w *worker) declarersIn(files []int32, name string) []int32 {
	var out []int32
	for _, d := range w.s.t.Definers(name) {
		if has(files, d.File) && (len(out) == 0 || out[len(out)-1] != d.File) {
			out = append(out, d.File)
		}
	}
	return out
}

// sources drops the tests and copies of files.
func (w *worker) sources(files []int32) []int32 {
	var out []int32
	for _, f := range files {
		if !w.s.test(f) && !w.s.copy(f) {
			out = append(out, f)
		}
	}
	return out
}

// openPackage makes all of a package visible; edges follow the use.
func (w *worker) openPackage(sc *scope, files []int32) {
	sc.packs = append(sc.packs, pack{files: files})
	if len(files) <= maxPackage {
		w.mark(files, clsWild)
	}
}

// namedEnter marks the rest of the own package and of what encloses it.
func namedEnter(st *namedStyle) func(w *worker, sc *scope) {
	return func(w *worker, sc *scope) {
		for p := sc.fa.Package; p != ""; {
			if files := w.packageFiles(st, p); len(files) <= maxPackage {
				w.mark(files, clsPeer)
			}
			i := strings.LastIndex(p, st.sep)
			if i < 0 || !st.outer {
				break
			}
			p = p[:i]
		}
	}
}

// jvmImport handles Java, Kotlin, Scala and Groovy. Names, if any, are taken
// from Module; a trailing * or _ takes all.
func jvmImport(st *namedStyle) func(w *worker, sc *scope, im *facts.Import) (bool, bool) {
	find := func(w *worker, sc *scope, full, local string) (resolved, internal bool) {
		full = strings.TrimPrefix(full, "static ")
		full = strings.TrimPrefix(full, "_root_.")
		star := false
		for _, s := range []string{".*", "._", ".given"} {
			if t, ok := strings.CutSuffix(full, s); ok {
				full, star = t, true
			}
		}
		resolved, internal = w.namedImport(sc, st, full, local, star)
		if resolved || !st.outer {
			return resolved, internal
		}
		// Scala: relative to the own package or what encloses it, or to a
		// name that is imported already.
		for p := sc.fa.Package; p != ""; {
			if r, _ := w.namedBelow(sc, st, p, full, local, star); r {
				return true, true
			}
			i := strings.LastIndexByte(p, '.')
			if i < 0 {
				break
			}
			p = p[:i]
		}
		head, _, _ := strings.Cut(full, ".")
		if b, ok := sc.bind[head]; ok && len(b.files) > 0 {
			if !star && local != "" {
				sc.set(local, binding{files: b.files, name: local})
			}
			return true, true
		}
		return false, internal
	}
	one := func(w *worker, sc *scope, full, local string) (resolved, internal bool) {
		if resolved, internal = find(w, sc, full, local); resolved {
			return resolved, internal
		}
		src := w.madeClass(sc.f, strings.TrimPrefix(full, "static "))
		if len(src) == 0 {
			return false, internal
		}
		w.addMade(sc.f, src)
		sc.set(local, binding{name: local}) // it is not in the tree
		return true, true
	}
	return func(w *worker, sc *scope, im *facts.Import) (resolved, internal bool) {
		if len(im.Names) == 0 {
			local := im.Alias
			if local == "" {
				local = lastPart(im.Module)
			}
			return one(w, sc, im.Module, local)
		}
		for i := range im.Names {
			local, name := boundName(im, i)
			r, in := one(w, sc, im.Module+"."+name, local)
			resolved, internal = resolved || r, internal || in
		}
		return resolved, internal
	}
}

// csImport handles using directives: of a namespace, static, or an alias.
func csImport(w *worker, sc *scope, im *facts.Import) (resolved, internal bool) {
	full := strings.TrimPrefix(strings.TrimPrefix(im.Module, "static "), "global::")
	if files := w.packageFiles(&csStyle, full); len(files) > 0 && im.Alias == "" {
		w.openPackage(sc, files)
		return true, true
	}
	local := im.Alias
	if local == "" {
		local = lastPart(full)
	}
	resolved, internal = w.namedImport(sc, &csStyle, full, local, hasStar(im))
	if !resolved && len(im.Names) == 0 {
		// using B inside of namespace A may mean A.B.
		for p := sc.fa.Package; p != ""; {
			if files := w.packageFiles(&csStyle, p+"."+full); len(files) > 0 {
				w.openPackage(sc, files)
				return true, true
			}
			i := strings.LastIndexByte(p, '.')
			if i < 0 {
				break
			}
			p = p[:i]
		}
	}
	// A polyfill in the library's namespace does not make the library ours.
	if head, _, _ := strings.Cut(full, "."); !resolved && (head == full || head == "System" || head == "Microsoft" && !strings.HasPrefix(sc.fa.Package, "Microsoft")) {
		internal = false
	}
	return resolved, internal
}

// psr4Root maps a namespace prefix of PHP to a folder.
type psr4Root struct{ prefix, dir string }

// buildPSR4 reads composer.json files, longest prefix first.
func (s *site) buildPSR4() []psr4Root {
	var out []psr4Root
	for _, f := range s.t.Manifests("composer") {
		for _, p := range s.t.Facts(f).Props {
			if !strings.HasPrefix(p.Key, "psr") {
				continue
			}
			ns, dir, ok := strings.Cut(p.Value, "=>")
			if !ok {
				continue
			}
			if d, ok := joinPath(s.dir[f], dir); ok {
				out = append(out, psr4Root{strings.Trim(ns, `\`), d})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b psr4Root) int { return len(b.prefix) - len(a.prefix) })
	return out
}

// phpImport handles use: of classes, functions, constants, and groups.
func phpImport(w *worker, sc *scope, im *facts.Import) (resolved, internal bool) {
	if strings.ContainsAny(im.Module, "/.") && !strings.Contains(im.Module, `\`) {
		if path.Ext(im.Module) == im.Module {
			return false, false // of require $x.'.php': its name is not known
		}
		files, in := pathModule(w, sc.f, im) // require 'x.php'
		if len(files) == 0 {
			files = w.tail(sc.f, im.Module)
		}
		w.add(sc.f, files, Import, 1)
		w.mark(files, clsImport)
		return len(files) > 0, in || len(files) > 0
	}
	one := func(full, local string) (bool, bool) {
		full = strings.Trim(full, `\`)
		if files, in := w.s.phpFile(full); in {
			if len(files) > 0 {
				w.add(sc.f, files, Import, 1)
				w.mark(files, clsImport)
				sc.set(local, binding{files: files, name: lastPart(full)})
				return true, true
			}
			internal = true
		}
		r, in := w.namedImport(sc, &phpStyle, full, local, false)
		if k := strings.LastIndexByte(full, '\\'); in && !r && k > 0 {
			// Else another package's, see phpFile; so is a name that the file
			// only puts before others: use A\B; B\C.
			in = len(w.packageFiles(&phpStyle, full[:k])) > 0 && sc.index().named(local)
			internal = internal && in
		}
		return r, in || internal
	}
	if len(im.Names) == 0 {
		local := im.Alias
		if local == "" {
			local = lastPart(im.Module)
		}
		return one(im.Module, local)
	}
	for i := range im.Names {
		local, name := boundName(im, i)
		r, in := one(im.Module+`\`+name, lastPart(local))
		resolved, internal = resolved || r, internal || in
	}
	return resolved, internal
}

// phpFile finds a class by PSR-4; internal says that its prefix is the
// tree's.
func (s *site) phpFile(full string) (files []int32, internal bool) {
	for _, r := range s.psr4() {
		if r.prefix != "" && !(strings.HasPrefix(full, r.prefix) && len(full) > len(r.prefix) && full[len(r.prefix)] == '\\') {
			continue
		}
		rest := full
		if r.prefix != "" {
			rest = full[len(r.prefix)+1:]
		}
		if out := s.find(at(r.dir, strings.ReplaceAll(rest, `\`, "/")) + ".php"); out != nil {
			return out, true
		}
		// Packages share the vendor's prefix: a namespace that has no folder
		// here is another package's.
		d, _ := splitPath(at(r.dir, strings.ReplaceAll(rest, `\`, "/")))
		internal = internal || r.prefix != "" && s.dirs[d]
	}
	return nil, internal
}

// phpQualifier finds a class named in full, \A\B, at its use.
func phpQualifier(w *worker, sc *scope, q string) []int32 {
	if !strings.Contains(q, `\`) {
		return nil
	}
	files, _ := w.s.phpFile(strings.Trim(q, `\`))
	return files
}
