package resolve

import (
	"slices"
	"strings"

	"cohop/internal/facts"
)

// References of Go. What the file itself says of a value's type comes with the
// reference (facts.Ref): a member of a known type is looked for among that
// type's members, one of what a function or member of another file gives among
// the members of that package's types, and one of an unknown value is a guess.
// A bare name is the package's own, never an import's.

const (
	// byType is a member of a type that the file names, byOrigin one of what a
	// function of a package gives, where only one type of it has such a member.
	byType   = 0.9
	byOrigin = 0.8
)

// goOwn resolves one reference of a Go file.
func goOwn(w *worker, sc *scope, r *facts.Ref, k Kind) (files []int32, done bool) {
	return goRef(w, sc, r, k), true
}

func goRef(w *worker, sc *scope, r *facts.Ref, k Kind) []int32 {
	q := r.Qualifier
	if q == "" {
		if r.Kind == facts.RefBase || sc.bind[r.Name].files == nil {
			return w.bare(sc, r, k)
		}
		return nil
	}
	typ, ok := strings.CutPrefix(q, ":")
	if !ok {
		if b, ok := sc.bind[q]; ok {
			if len(b.files) == 0 {
				return nil // from outside of the tree
			}
			return w.through(sc, r, k, b)
		}
		if q == "self" {
			q = ""
		}
		return w.goUnknown(sc, r, k, q)
	}
	if typ == "" {
		return w.goUnknown(sc, r, k, "")
	}
	origin, step, derived := strings.Cut(typ, ":")
	pkg, name, ok := strings.Cut(origin, ".")
	if !ok {
		pkg, name = "", origin
	}
	files := w.goPeers(sc)
	if pkg != "" {
		b, ok := sc.bind[pkg]
		switch {
		case !ok:
			return w.goUnknown(sc, r, k, "") // a variable of another file
		case len(b.files) == 0:
			return nil
		}
		files = b.files
	}
	if derived && step == "" && w.goIsType(files, name) {
		derived = false // a conversion
	}
	if !derived {
		return w.goMember(sc, r, k, files, name, pkg == "")
	}
	return w.goDerived(sc, r, k, files, name, step, pkg == "")
}

// goPeers lists the files of the own package, the file itself among them.
func (w *worker) goPeers(sc *scope) []int32 {
	if sc.peers == nil {
		src := !strings.HasSuffix(w.s.path[sc.f], "_test.go")
		for _, g := range w.s.t.Dir(w.s.dir[sc.f]) {
			if w.s.lang[g] == "go" && (g == sc.f || (w.cls[g] == clsPeer || w.cls[g] == clsWild) && !(src && strings.HasSuffix(w.s.path[g], "_test.go"))) {
				sc.peers = append(sc.peers, g)
			}
		}
	}
	return sc.peers
}

// goReach lists the files of the own package and of those that are imported.
func (w *worker) goReach(sc *scope) []int32 {
	if sc.reach == nil {
		sc.reach = slices.Clone(w.goPeers(sc))
		for i := range sc.packs {
			sc.reach = append(sc.reach, sc.packs[i].files...)
		}
	}
	return sc.reach
}

// goIsType says whether files declare a type called name.
func (w *worker) goIsType(files []int32, name string) bool {
	for _, d := range w.s.t.Definers(name) {
		if d.Parent == "" && isType(d.Kind) && slices.Contains(files, d.File) {
			return true
		}
	}
	return false
}

// goMember finds a member of type owner, declared in one of files, or, in the
// file at hand, of what that type embeds.
func (w *worker) goMember(sc *scope, r *facts.Ref, k Kind, files []int32, owner string, own bool) []int32 {
	if found := w.ownedIn(files, owner, r.Name); len(found) > 0 {
		return w.goEmit(sc, found, k, byType)
	}
	if own {
		for _, i := range sc.index().basesOf(owner) {
			b := &sc.fa.Refs[i]
			at := files
			if b.Qualifier != "" {
				at = sc.bind[b.Qualifier].files
			}
			if found := w.ownedIn(at, b.Name, r.Name); len(found) > 0 {
				return w.goEmit(sc, found, k, byBase)
			}
		}
	}
	// Embedded, or an alias.
	if found, n := w.goOwners(files, r.Name, k, nil); n == 1 {
		if goCommon(r.Name) {
			return w.once(sc, found, k, byDir)
		}
		return w.goEmit(sc, found, k, byBase)
	}
	return nil
}

// goDerived finds a member of what name of files gives, or what step gives that
// leads on from there: of the types that read like one of the two, else of one
// beside name, else of the only type of the package with such a member.
func (w *worker) goDerived(sc *scope, r *facts.Ref, k Kind, files []int32, name, step string, own bool) []int32 {
	made := strings.TrimPrefix(strings.TrimPrefix(name, "New"), "new")
	found, n := w.goOwners(files, r.Name, k, func(d *Def) bool { return reads(made, d.Parent) == same || reads(step, d.Parent) == same })
	if n == 0 {
		found, n = w.goOwners(w.definedIn(files, name), r.Name, k, nil)
	}
	if n == 0 && (step == "" || !goCommon(r.Name)) {
		found, n = w.goOwners(files, r.Name, k, func(d *Def) bool { return within(name, d.Parent) || within(step, d.Parent) })
	}
	if n > 0 {
		return w.goEmit(sc, found, k, byOrigin)
	}
	if found, n = w.goOwners(files, r.Name, k, nil); n != 1 || goCommon(r.Name) {
		return nil
	}
	if own && step == "" {
		return w.goEmit(sc, found, k, byOrigin)
	}
	return w.once(sc, found, k, byDir)
}

// goCommon says whether a method is everyone's: of most libraries' types, or of
// fmt.Stringer.
func goCommon(name string) bool { return name == "String" || isCommon(name) }

// within says whether the name of a type is part of another name: Client of
// NewClient, buffer of newBuffer.
func within(name, typ string) bool {
	n := len(typ)
	if n < 2 {
		return false
	}
	for i := 0; i+n <= len(name); i++ {
		if lower(name[i]) == lower(typ[0]) && strings.EqualFold(name[i:i+n], typ) && (i == 0 || wordStart(name, i)) && (i+n == len(name) || wordStart(name, i+n) || name[i+n] < 'a' || name[i+n] > 'z') {
			return true
		}
	}
	return false
}

// goOwners lists those of files that declare a member called name, of a type
// that fits if fits is not nil, and counts these types.
func (w *worker) goOwners(files []int32, name string, k Kind, fits func(d *Def) bool) (out []int32, types int) {
	var owners []string
	defs := w.s.t.Definers(name)
	if len(defs) > maxScan {
		return nil, 0
	}
	for i := range defs {
		d := &defs[i]
		if d.Parent == "" || d.Kind == facts.KindField && k == Call || !slices.Contains(files, d.File) || w.inner(d) || fits != nil && !fits(d) {
			continue
		}
		if !slices.Contains(owners, d.Parent) {
			owners = append(owners, d.Parent)
		}
		if len(out) == 0 || out[len(out)-1] != d.File {
			out = append(out, d.File)
		}
	}
	return out, len(owners)
}

// goEmit is emit of files other than the one at hand.
func (w *worker) goEmit(sc *scope, files []int32, k Kind, strength float32) []int32 {
	if slices.Contains(files, sc.f) {
		return nil
	}
	return w.emit(sc, files, k, strength)
}

// goUnknown guesses at a member of a value of unknown type; q is the value's
// name, "" if it has none.
func (w *worker) goUnknown(sc *scope, r *facts.Ref, k Kind, q string) []int32 {
	if goCommon(r.Name) {
		return nil
	}
	files := w.goReach(sc)
	found, n := w.goOwners(files, r.Name, k, func(d *Def) bool { return within(q, d.Parent) })
	if n == 0 {
		found, n = w.goOwners(files, r.Name, k, nil)
	}
	if n != 1 {
		return nil
	}
	return w.once(sc, found, k, byDir)
}
