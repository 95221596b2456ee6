package resolve

import (
	"slices"
	"strings"

	"cohop/internal/facts"
)

// Swift: a module is a folder of the tree, all of whose files see each other.
// What a variable's declaration says of its type comes with the reference
// (facts.Ref); a member of a known type is looked for in that type and its
// extensions, and one of a value of unknown type by the value's name, else as a
// guess, which is made once a file.

// swiftSystem lists frameworks of the platform that folders are called after.
var swiftSystem = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields(`AppKit AVFoundation AVKit Charts Combine CoreData CoreGraphics CoreImage CoreLocation CoreML CryptoKit
		Darwin Dispatch Foundation Glibc ImageIO MapKit Metal MobileCoreServices Musl Network Observation OSLog Photos PhotosUI QuartzCore Security
		StoreKit Swift SwiftData SwiftUI SystemConfiguration Testing TVUIKit UIKit UniformTypeIdentifiers UserNotifications WatchKit WebKit
		WidgetKit XCTest`) {
		m[s] = true
	}
	return m
}()

// swiftEnter makes the files of the same target visible: Swift has no
// imports inside of a module.
func swiftEnter(w *worker, sc *scope) {
	root := swiftTarget(w.s.dir[sc.f])
	key := "sw:" + root
	files, ok := w.memo[key]
	if !ok {
		for i := range w.s.n {
			if w.s.lang[i] == "swift" && below(w.s.dir[i], root) && swiftTarget(w.s.dir[i]) == root {
				files = append(files, int32(i))
			}
		}
		w.memo[key] = files
	}
	w.mark(files, clsPeer)
}

// swiftTarget is the folder of the target that dir belongs to: below Sources
// or Tests, else the first folder.
func swiftTarget(dir string) string {
	segs := strings.Split(dir, "/")
	for i, s := range segs {
		if (s == "Sources" || s == "Tests") && i+1 < len(segs) {
			return strings.Join(segs[:i+2], "/")
		}
	}
	return segs[0]
}

// swiftImport: a module is a folder below Sources, or one of the root.
func swiftImport(w *worker, sc *scope, im *facts.Import) (resolved, internal bool) {
	name, _, _ := strings.Cut(im.Module, ".")
	if swiftSystem[name] {
		return false, false
	}
	key := "swm:" + name
	files, ok := w.memo[key]
	if !ok {
		for i := range w.s.n {
			if w.s.lang[i] != "swift" {
				continue
			}
			if d := swiftTarget(w.s.dir[i]); d == "Sources/"+name || d == "Source" && w.s.swiftName() == name || d == name {
				files = append(files, int32(i))
			} else if strings.HasSuffix(d, "/Sources/"+name) {
				files = append(files, int32(i))
			}
		}
		if len(files) == 0 {
			files = w.swiftWhole(name)
		}
		w.memo[key] = files
	}
	if len(files) == 0 {
		return false, false
	}
	w.openPackage(sc, files)
	return true, true
}

// swiftName guesses the name of the module whose sources stand in Source: the
// project file or the umbrella file carries it.
func (s *site) swiftName() string {
	for _, f := range s.t.Dir("Source") {
		if s.lang[f] == "swift" {
			return stem(s.path[f])
		}
	}
	return ""
}

// swiftWhole lists the files of a module that is all of Sources: a pod of that
// name says so.
func (w *worker) swiftWhole(name string) (files []int32) {
	if _, ok := w.s.t.Find(name + ".podspec"); !ok {
		return nil
	}
	for i := range w.s.n {
		if d := w.s.dir[i]; w.s.lang[i] == "swift" && (below(d, "Sources") || below(d, "Source")) {
			files = append(files, int32(i))
		}
	}
	return files
}

// swiftRef resolves a reference that has a qualifier; others go the common way.
func swiftRef(w *worker, sc *scope, r *facts.Ref, k Kind) (files []int32, done bool) {
	q := r.Qualifier
	if q == "" || isSelf(q) || r.Kind == facts.RefBase {
		return nil, false
	}
	typ, known := strings.CutPrefix(q, ":")
	derived := false
	if known {
		typ, derived = strings.CutSuffix(typ, ":")
	} else if typ[0] < 'A' || typ[0] > 'Z' {
		return w.swiftGuess(sc, r, k, q), true
	} else if head, _, _ := strings.Cut(typ, "."); lowerLast(typ) {
		typ, derived = head, true // DispatchQueue.main: what a member leads to
	}
	outer, name := "", typ
	if i := strings.LastIndexByte(typ, '.'); i >= 0 {
		outer, name = typ[:i], typ[i+1:]
		outer = outer[strings.LastIndexByte(outer, '.')+1:]
	}
	own := w.swiftType(sc, outer, name)
	if !known && !own && outer == "" && w.swiftValue(name) {
		return w.swiftGuess(sc, r, k, name), true
	}
	switch {
	case derived && own:
		return w.swiftGuess(sc, r, k, ""), true
	case own || outer == "": // what leads on from another library's type is often one itself
		if found, _ := w.swiftMembers(sc, r, k, func(d *Def) bool { return d.Parent == name }); len(found) > 0 {
			if outer != "" { // of namesakes that in outer
				if in := w.ownedIn(found, outer, name); len(in) > 0 {
					found = in
				}
			}
			if !own && (isCommon(r.Name) || w.swiftLibrary(r.Name)) {
				return w.once(sc, found, k, byDir), true // the type's own more often than what extends it
			}
			return w.swiftEmit(sc, w.inSight(sc.f, found), k, byOwner), true
		}
	}
	if own {
		return w.swiftGuess(sc, r, k, name), true
	}
	// A type of another library: what extends one of those may extend this.
	found, n := w.swiftMembers(sc, r, k, func(d *Def) bool { return d.Within == facts.KindOther })
	if n != 1 || isCommon(r.Name) || outer != "" || w.swiftLibrary(r.Name) {
		return nil, true
	}
	return w.once(sc, found, k, byDir), true
}

// lowerLast says whether the last part of a dotted name begins in lower case.
func lowerLast(q string) bool {
	i := strings.LastIndexByte(q, '.') + 1
	return i > 0 && i < len(q) && q[i] >= 'a' && q[i] <= 'z'
}

// swiftValue says whether the tree declares a variable called name at top level.
func (w *worker) swiftValue(name string) bool {
	defs := w.s.t.Definers(name)
	for i := range defs {
		if d := &defs[i]; (d.Kind == facts.KindVar || d.Kind == facts.KindConst) && d.Parent == "" && w.s.lang[d.File] == "swift" && !w.inner(d) {
			return true
		}
	}
	return false
}

// swiftEmit is emit for one file; overloads in several are told apart by their
// arguments, so that of these each is a guess.
func (w *worker) swiftEmit(sc *scope, files []int32, k Kind, strength float32) []int32 {
	if len(files) > 1 {
		return w.once(sc, files, k, strength)
	}
	return w.emit(sc, files, k, strength)
}

// swiftLibrary says whether a member is one of the standard library's types,
// whose values trees hold everywhere.
func (w *worker) swiftLibrary(name string) bool {
	switch name {
	case "random", "finish", "resume", "allocate", "deallocate", "firstIndex", "reserveCapacity", "removeFirst", "popFirst", "withLock", "cancel":
		return true
	}
	return false
}

// swiftType says whether the tree declares type name, in outer if that is not "".
func (w *worker) swiftType(sc *scope, outer, name string) bool {
	defs := w.s.t.Definers(name)
	for i := range defs {
		if d := &defs[i]; isType(d.Kind) && w.s.lang[d.File] == "swift" && (outer == "" || d.Parent == outer) && (d.File == sc.f || w.cls[d.File] >= clsPeer || !w.s.test(d.File)) {
			return true
		}
	}
	return false
}

// swiftMembers lists the files in sight that declare the member, of owners that
// fit, and counts these owners. What stands in the file at hand goes before.
func (w *worker) swiftMembers(sc *scope, r *facts.Ref, k Kind, fits func(d *Def) bool) (files []int32, owners int) {
	var names []string
	defs := w.s.t.Definers(r.Name)
	if len(defs) > maxScan {
		return nil, 0
	}
	for i := range defs {
		d := &defs[i]
		if d.Parent == "" || w.s.lang[d.File] != "swift" || d.File != sc.f && w.cls[d.File] < clsPeer || !usable(d.Kind, r.Kind) || w.inner(d) || !fits(d) {
			continue
		}
		if d.File != sc.f && w.s.test(d.File) && !w.s.test(sc.f) {
			continue
		}
		if r.Kind == facts.RefCall && (d.Kind == facts.KindField && d.File != sc.f || d.Kind == facts.KindVar) {
			continue // a property is seldom called
		}
		if !slices.Contains(names, d.Parent) {
			names = append(names, d.Parent)
		}
		if n := len(files); n == 0 || files[n-1] != d.File {
			files = append(files, d.File)
		}
	}
	if slices.Contains(files, sc.f) {
		return []int32{sc.f}, len(names)
	}
	return files, len(names)
}

// swiftGuess finds a member of a value of unknown type that is called q: of the
// types that read like it, else of the only one that has such a member.
func (w *worker) swiftGuess(sc *scope, r *facts.Ref, k Kind, q string) []int32 {
	if q != "" && r.Kind == facts.RefCall {
		for _, how := range [...]int{same, ends} {
			found, n := w.swiftMembers(sc, r, k, func(d *Def) bool { return reads(q, d.Parent) == how })
			switch {
			case n == 0:
			case how == same && q[0] >= 'a' && n == 1:
				return w.swiftEmit(sc, w.inSight(sc.f, found), k, byLike)
			default:
				return w.once(sc, w.inSight(sc.f, found), k, byDir)
			}
		}
	}
	found, n := w.swiftMembers(sc, r, k, func(d *Def) bool { return d.Kind != facts.KindField })
	if n != 1 || isCommon(r.Name) || r.Kind != facts.RefCall || w.swiftLibrary(r.Name) {
		return nil
	}
	if len(found) == 1 && len(w.s.t.Definers(r.Name)) == 1 && len(r.Name) >= plainName {
		return w.emit(sc, found, k, byImport)
	}
	return w.once(sc, found, k, byDir)
}

// plainName is the length in bytes of a name from which on its only definition
// is meant.
const plainName = 7
