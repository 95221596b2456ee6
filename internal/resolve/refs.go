package resolve

import (
	"slices"
	"strings"

	"cohop/internal/facts"
)

// Strengths: how much a reference says that a file is meant, by the best
// evidence there is. Their order is what matters; the distances were set by
// looking at edges of real repositories.
const (
	byName    = 1.0 // imported by name, or reached through an imported module
	byImport  = 0.8 // the file is imported
	byBase    = 0.8 // member of a base that the file names
	byOwner   = 0.8 // the qualifier is the name of the owner
	byPackage = 0.9 // visible without an import: same package or namespace
	byLike    = 0.6 // the qualifier reads like the owner: client → HTTPClient
	byDir     = 0.4 // same folder
	byTree    = 0.3 // somewhere in the tree
)

const (
	// maxShare is how many files one reference may fit before it says
	// nothing about any of them.
	maxShare = 20
	// maxGuess is the same for members of a value of unknown type with no
	// evidence but their name: read by eye, above 4 most are wrong.
	maxGuess = 4
	// maxScan bounds the definitions of one name that are looked at: names
	// above it (new, get, main) are everywhere and only imports tell them
	// apart.
	maxScan = 600
	// minGuess is the length in bytes of the shortest name that is looked
	// for in the whole tree.
	minGuess = 4
)

// refs resolves the references of a file: bases first, since members of
// bases depend on them.
func (w *worker) refs(sc *scope) {
	if sc.lang.enter != nil {
		sc.lang.enter(w, sc)
	}
	w.mark(w.s.t.Dir(w.s.dir[sc.f]), clsDir)
	if sc.lang.open {
		sc.spaces = namespaces(sc.fa)
	}
	for i := range sc.fa.Refs {
		if r := &sc.fa.Refs[i]; r.Kind == facts.RefBase {
			if files := w.ref(sc, r, Use); len(files) > 0 && len(files) <= maxGuess {
				sc.bases = append(sc.bases, baseRef{r.Name, slices.Clone(files)})
			}
		}
	}
	for i := range sc.fa.Refs {
		switch r := &sc.fa.Refs[i]; r.Kind {
		case facts.RefBase:
		case facts.RefUse:
			w.ref(sc, r, Use)
		default:
			w.ref(sc, r, Call)
		}
	}
}

// namespaces lists names that qualify types in fa: A of A::B.
func namespaces(fa *facts.Facts) map[string]bool {
	var out map[string]bool
	for i := range fa.Refs {
		r := &fa.Refs[i]
		if q := r.Qualifier; q != "" && r.Name != "" && (r.Name[0] >= 'A' && r.Name[0] <= 'Z' || q[0] >= 'a' && q[0] <= 'z' && r.Kind == facts.RefUse) && !isSelf(q) {
			if out == nil {
				out = map[string]bool{}
			}
			out[lastPart(q)] = true
		}
	}
	return out
}

// ref adds the edges of one reference and returns the files it leads to; they
// are valid until the next call.
func (w *worker) ref(sc *scope, r *facts.Ref, k Kind) []int32 {
	if r.Name == "" {
		return nil
	}
	if r.Kind == facts.RefUse && sc.spaces[r.Name] {
		return nil // what it holds is meant, not the namespace
	}
	if sc.lang.own != nil {
		if files, done := sc.lang.own(w, sc, r, k); done {
			return files
		}
	}
	q := r.Qualifier
	if sc.lang.special != nil {
		if files := sc.lang.special(w, sc, r); len(files) > 0 {
			return w.emit(sc, files, k, byOwner)
		}
	}
	if q == "" {
		if b, ok := sc.bind[r.Name]; ok {
			return w.emit(sc, b.files, k, byName)
		}
		return w.bare(sc, r, k)
	}
	if isSelf(q) {
		return w.member(sc, r, k, true)
	}
	if b, ok := sc.bind[q]; ok {
		if len(b.files) == 0 {
			return nil // from outside of the tree
		}
		if b.module {
			return w.through(sc, r, k, b)
		}
		if files := w.ownedIn(b.files, b.name, r.Name); len(files) > 0 {
			return w.emit(sc, files, k, byName)
		}
		return w.member(sc, r, k, false)
	}
	if sc.lang.qualifier != nil {
		if files := sc.lang.qualifier(w, sc, q); len(files) > 0 {
			if found := w.declarersIn(files, r.Name); len(found) > 0 {
				return w.emit(sc, found, k, byName)
			}
			return w.guess(sc, files, k, byTree)
		}
	}
	return w.member(sc, r, k, false)
}

// through resolves a name of an imported module or package.
func (w *worker) through(sc *scope, r *facts.Ref, k Kind, b binding) []int32 {
	found := w.definedIn(b.files, r.Name)
	if len(found) == 0 && b.pack == 0 {
		found = w.lookup(b.files, r.Name, 0)
	}
	if b.pack == 0 {
		return w.emit(sc, found, k, byName)
	}
	if len(found) == 0 {
		return nil
	}
	p := &sc.packs[b.pack-1]
	p.used = true
	w.add(sc.f, found, Import, byName)
	return w.emit(sc, found, k, byName)
}

// bare resolves a name without a qualifier that no import names.
func (w *worker) bare(sc *scope, r *facts.Ref, k Kind) []int32 {
	defs := w.s.t.Definers(r.Name)
	fam := w.s.fam[sc.f]
	if sc.lang.nearest && r.Kind == facts.RefUse && r.Name[0] >= 'a' && r.Name[0] <= 'z' && segmentOf(sc.fa.Package, r.Name) {
		return nil // part of a package's name
	}
	best, types := clsNone, true
	fit := w.fit[:0]
	scan := defs
	if len(scan) > maxScan {
		scan = w.scan[:0]
		for i := range defs {
			if defs[i].File == sc.f && topLevel(&defs[i]) {
				return nil
			}
		}
		for i := range defs {
			if c := w.cls[defs[i].File]; c > clsDir && topLevel(&defs[i]) && w.s.fam[defs[i].File] == fam {
				scan = append(scan, defs[i])
			}
		}
		w.scan = scan[:0]
	}
	for i := range scan {
		d := &scan[i]
		if w.s.fam[d.File] != fam || !usable(d.Kind, r.Kind) || sc.lang.nearest && d.Kind == facts.KindModule {
			continue
		}
		if d.File == sc.f {
			if topLevel(d) || d.Kind != facts.KindField || !sc.lang.strict || sc.lang.sees != nil && r.Name[0] >= 'a' {
				return nil // its own; a property may be called like its type
			}
			continue
		}
		if !topLevel(d) && !sc.lang.open || w.inner(d) {
			continue
		}
		if sc.lang.sees != nil && d.File != sc.f && !sc.lang.sees(w, sc, d, r) {
			continue
		}
		c := w.cls[d.File]
		if sc.lang.nearest && c < clsImport && nested(d) && !sc.hasSymbol(d.Parent) {
			continue // Result of another type: its owner would stand before it
		}
		if c < clsImport && w.s.test(d.File) && !w.s.test(sc.f) {
			continue // a test of the package defines nothing for its sources
		}
		if c < clsPeer && (w.s.test(d.File) && (!w.s.test(sc.f) || !isType(d.Kind)) || w.s.copy(d.File) || sc.lang.strict) {
			continue
		}
		if c < best {
			continue
		}
		if c > best {
			best, fit, types = c, fit[:0], true
		}
		types = types && isType(d.Kind)
		fit = append(fit, *d)
	}
	w.fit = fit[:0]
	files := w.chosen(sc, r, fit)
	if sc.lang.inherits && best < clsPeer {
		if own := w.inherited(sc, r.Name); len(own) > 0 {
			return w.emit(sc, own, k, byBase)
		}
	}
	if len(files) == 0 {
		return nil
	}
	if sc.lang.nearest && len(files) > 1 {
		files = w.prefer(sc.f, files)
	}
	switch best {
	case clsImport:
		return w.emit(sc, files, k, byImport)
	case clsWild:
		if w.s.lang[sc.f] == "kotlin" && isCommon(r.Name) && isExtension(&fit[0]) && knownOf(sc, r.Name, fit) == 0 {
			return w.guess(sc, files, k, byDir) // rather a member
		}
		w.add(sc.f, files, Import, byPackage)
		w.useWild(sc, files)
		return w.emit(sc, files, k, byPackage)
	case clsPeer:
		return w.emit(sc, files, k, byPackage)
	}
	// No import, no package: a guess, better for a type than for a function.
	if len(r.Name) < minGuess && !types || isCommon(r.Name) && !types {
		return nil
	}
	strength := float32(byTree)
	if best == clsDir {
		strength = byDir
	} else {
		files = w.s.near(sc.f, files)
	}
	switch {
	case len(files) > maxGuess:
		return nil
	case types:
		return w.emit(sc, files, k, 2*strength)
	}
	return w.guess(sc, files, k, strength)
}

// chosen lists the files of definitions with the same evidence, ascending:
// those that the language chooses for r. Valid until the next call.
func (w *worker) chosen(sc *scope, r *facts.Ref, fit []Def) []int32 {
	if sc.lang.choose != nil && len(fit) > 1 && fit[0].File != fit[len(fit)-1].File {
		fit = sc.lang.choose(w, sc, use{r.Name, r.Name, r.Kind, r.Generic, r.Qualifier == ""}, fit)
	}
	w.files = filesOf(w.files[:0], fit)
	return w.files
}

// filesOf appends the distinct files of ascending definitions.
func filesOf(out []int32, defs []Def) []int32 {
	for i := range defs {
		if n := len(out); n == 0 || out[n-1] != defs[i].File {
			out = append(out, defs[i].File)
		}
	}
	return out
}

// segmentOf says whether name is a segment of a dotted package.
func segmentOf(pkg, name string) bool {
	for pkg != "" {
		var seg string
		seg, pkg, _ = strings.Cut(pkg, ".")
		if seg == name {
			return true
		}
	}
	return false
}

// isType says whether a kind of definition is a type.
func isType(k facts.Kind) bool {
	switch k {
	case facts.KindModule, facts.KindClass, facts.KindInterface, facts.KindStruct, facts.KindEnum, facts.KindType:
		return true
	}
	return false
}

// useWild notes that the packages which hold files were used.
func (w *worker) useWild(sc *scope, files []int32) {
	for i := range sc.packs {
		if p := &sc.packs[i]; !p.used {
			for _, g := range files {
				if slices.Contains(p.files, g) {
					p.used = true
					break
				}
			}
		}
	}
}

// member resolves a name of a value whose type is not known, or of the object
// at hand.
func (w *worker) member(sc *scope, r *facts.Ref, k Kind, self bool) []int32 {
	if self {
		if w.declares(sc.f, r.Name) {
			return nil
		}
		if own := w.inherited(sc, r.Name); len(own) > 0 {
			return w.emit(sc, own, k, byBase)
		}
	}
	defs := w.s.t.Definers(r.Name)
	if len(defs) > maxScan {
		return nil
	}
	if q := r.Qualifier; sc.lang.sees != nil && !self && (q[0] >= 'A' && q[0] <= 'Z' && q != "String" && len(w.s.t.Definers(q)) == 0 || strings.ContainsAny(q, ".:")) {
		return nil // the library's type, or one whose namespace would have been found
	}
	const (
		none = iota
		tree
		peer    // same folder or package
		likeish // the owner's name ends like the qualifier, or the other way
		local
		imported
		like
		owner
	)
	if !self && sc.ownType(r.Qualifier) {
		return nil // a value of a type of this file
	}
	// An attribute that is not called is a field of anything; a member of
	// the object at hand that no base is known to have is a mixin's, or no
	// one's.
	limit := maxGuess
	switch {
	case r.Kind == facts.RefUse:
		limit = 0
	case self:
		limit = 1
	}
	fam := w.s.fam[sc.f]
	best := none
	rivals := 0 // of the own package or what reads like it, as good as what is imported
	fit := w.fit[:0]
	for i := range defs {
		d := &defs[i]
		if w.s.fam[d.File] != fam || !usable(d.Kind, r.Kind) || d.File != sc.f && w.inner(d) {
			continue
		}
		if d.Kind == facts.KindMethod && d.Parent == r.Name && sc.lang.nearest {
			continue // a constructor is no member of a value
		}
		if sc.lang.sees != nil && d.File != sc.f && !sc.lang.sees(w, sc, d, r) {
			continue
		}
		c, ev := w.cls[d.File], tree
		switch {
		case isExtension(d) && sc.lang.nearest && c < clsPeer && d.File != sc.f:
			continue // an extension has to be in sight
		case !self && d.Parent != "" && d.Parent == r.Qualifier:
			ev = owner
		case d.Kind == facts.KindField:
			continue // fields are too many to guess at
		case !self && d.Parent != "" && r.Kind != facts.RefUse && reads(r.Qualifier, d.Parent) == same:
			ev = like
		case d.Parent == "" && !self && d.File != sc.f && (!sc.lang.strict || c >= clsDir || sharedSegs(w.s.dir[sc.f], w.s.dir[d.File]) > 0) && reads(r.Qualifier, w.s.moduleName(d.File)) == same:
			ev = like
		case d.Parent == "" && d.Kind != facts.KindMethod && !sc.lang.open:
			continue // a value has no top-level function
		case d.File == sc.f:
			ev = local
		case c >= clsWild:
			ev = imported
		case c >= clsDir:
			ev = peer
		}
		if ev < likeish && !self && r.Kind != facts.RefUse && reads(r.Qualifier, d.Parent) == ends {
			ev = likeish
		}
		if w.s.copy(d.File) && c < clsWild && d.File != sc.f {
			continue
		}
		if w.s.test(d.File) && d.File != sc.f && (ev <= peer || !w.s.test(sc.f) && c < clsPeer) {
			continue
		}
		if (c == clsPeer || ev == likeish) && ev < imported && sc.lang.sees != nil {
			rivals++
		}
		if ev < best {
			continue
		}
		if ev > best {
			best, fit = ev, fit[:0]
		}
		fit = append(fit, *d)
	}
	w.fit = fit[:0]
	files := w.chosen(sc, r, fit)
	// Of owners alike, those in sight are meant.
	if best >= like || best == likeish {
		if files = w.inSight(sc.f, files); sc.lang.nearest {
			files = w.s.near(sc.f, files)
		}
	}
	switch best {
	case owner:
		return w.emit(sc, files, k, byOwner)
	case like:
		return w.emit(sc, files, k, byLike)
	case imported:
		// Whether the file knows the type that it is a member of.
		known, asked := 0, w.s.lang[sc.f] == "kotlin"
		if asked {
			known = knownOf(sc, r.Name, fit)
		}
		switch n := len(files) + rivals; {
		case isCommon(r.Name) && !(known > 0 && r.Qualifier == "()" && isExtension(&fit[0])) || n > max(limit, 1):
			return nil
		case rivals > 0:
			return w.guess(sc, files, k, byDir)
		case n > 1:
			return w.guess(sc, files, k, byImport)
		case asked && known == 0 || !asked && r.Qualifier == "()":
			return w.guess(sc, files, k, byDir)
		}
		return w.emit(sc, files, k, byImport)
	case likeish:
		if len(files) > maxGuess {
			return nil
		}
		return w.guess(sc, files, k, byDir)
	case peer:
		if isCommon(r.Name) || len(files) > limit {
			return nil
		}
		return w.guess(sc, files, k, byDir)
	case tree:
		if isCommon(r.Name) || len(r.Name) < minGuess || len(files) > limit {
			return nil
		}
		return w.guess(sc, files, k, byTree)
	}
	return nil
}

// guess is emit for evidence that does not add up.
func (w *worker) guess(sc *scope, files []int32, k Kind, strength float32) []int32 {
	if sc.lang.nearest && strength > byTree {
		files = w.s.near(sc.f, files)
	}
	w.addRaw(sc.f, files, k, strength, true)
	return nil
}

// once adds edges that stand for themselves alone, however often they are found.
func (w *worker) once(sc *scope, files []int32, k Kind, strength float32) []int32 {
	for _, g := range files {
		key := [2]int32{g, int32(k)}
		if g == sc.f || sc.guessed[key] {
			continue
		}
		if sc.guessed == nil {
			sc.guessed = map[[2]int32]bool{}
		}
		sc.guessed[key] = true
		w.addRaw(sc.f, []int32{g}, k, strength/float32(len(files)), true)
	}
	return nil
}

// inner says whether d stands in a function, so that no other file sees it.
// (Elixir's quoted code reads like that but is not.)
func (w *worker) inner(d *Def) bool {
	return (d.Within == facts.KindFunction || d.Within == facts.KindMethod) && w.s.lang[d.File] != "elixir"
}

// inSight keeps the files of the best class, then the nearest.
func (w *worker) inSight(f int32, files []int32) []int32 {
	if len(files) < 2 {
		return files
	}
	best, out := clsNone, []int32(nil)
	for _, g := range files {
		c := w.cls[g]
		if g == f {
			c = clsImport
		}
		if c > best {
			best, out = c, nil
		}
		if c == best {
			out = append(out, g)
		}
	}
	if best == clsNone {
		return w.s.near(f, out)
	}
	return out
}

// inherited finds name among the members of the bases that the file names,
// and of their bases, one step.
func (w *worker) inherited(sc *scope, name string) []int32 {
	for _, b := range sc.bases {
		if files := w.ownedIn(b.files, b.name, name); len(files) > 0 {
			return files
		}
	}
	return nil
}

// emit adds the edges of a reference, shared among files.
func (w *worker) emit(sc *scope, files []int32, k Kind, strength float32) []int32 {
	if len(files) == 0 || len(files) > maxShare {
		return nil
	}
	w.add(sc.f, files, k, strength)
	return files
}

// definedIn returns those of files that define name at top level.
func (w *worker) definedIn(files []int32, name string) []int32 {
	var out []int32
	if len(files) == 1 {
		if w.defines(files[0], name) {
			return files
		}
		return nil
	}
	defs := w.s.t.Definers(name)
	for i := range defs {
		d := &defs[i]
		if topLevel(d) && slices.Contains(files, d.File) && (len(out) == 0 || out[len(out)-1] != d.File) {
			out = append(out, d.File)
		}
	}
	return out
}

// ownedIn returns those of files that define name as a member of owner.
func (w *worker) ownedIn(files []int32, owner, name string) []int32 {
	var out []int32
	defs := w.s.t.Definers(name)
	for i := range defs {
		d := &defs[i]
		if d.Parent == owner && slices.Contains(files, d.File) && (len(out) == 0 || out[len(out)-1] != d.File) {
			out = append(out, d.File)
		}
	}
	return out
}

// declares reports whether f declares name at any depth.
func (w *worker) declares(f int32, name string) bool {
	defs := w.s.t.Definers(name)
	lo, hi := 0, len(defs)
	for lo < hi {
		if m := (lo + hi) / 2; defs[m].File < f {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < len(defs) && defs[lo].File == f
}
