package resolve

import (
	"iter"

	"cohop/internal/facts"
)

// What a file says, by the names that it says it with. Questions about all
// references of a file are asked for one of them, or for one of its imports, so
// that going over the list each time takes time that grows with its square: a
// list of each name is made when the first such question is.

// said indexes the references of one file.
type said struct {
	fa                 *facts.Facts
	names, qualifiers  map[string]int32 // → first reference
	nextName, nextQual []int32          // → next one of the same; -1 behind the last
	bases              map[string][]int32
	imports            map[string]bool // last parts of modules
	types, owners      map[string]bool // names of types, owners of other symbols
	known              map[[2]string]int
	used               map[ownedAt]int
}

// ownedAt is the members of one owner in one file.
type ownedAt struct {
	owner string
	file  int32
}

// index returns what the file says, made once.
func (sc *scope) index() *said {
	if sc.said != nil {
		return sc.said
	}
	refs := sc.fa.Refs
	x := &said{fa: sc.fa, names: make(map[string]int32, len(refs)/2), qualifiers: map[string]int32{}}
	next := make([]int32, 2*len(refs))
	x.nextName, x.nextQual = next[:len(refs)], next[len(refs):]
	chain := func(first map[string]int32, next []int32, key string, i int) {
		next[i] = -1
		if j, ok := first[key]; ok {
			next[i] = j
		}
		first[key] = int32(i)
	}
	for i := len(refs) - 1; i >= 0; i-- {
		chain(x.names, x.nextName, refs[i].Name, i)
		chain(x.qualifiers, x.nextQual, refs[i].Qualifier, i)
	}
	sc.said = x
	return x
}

// called goes over the references of a name, in order.
func (x *said) called(name string) iter.Seq[*facts.Ref] {
	return x.each(x.names, x.nextName, name)
}

// behind goes over the references with a qualifier, in order.
func (x *said) behind(qualifier string) iter.Seq[*facts.Ref] {
	return x.each(x.qualifiers, x.nextQual, qualifier)
}

func (x *said) each(first map[string]int32, next []int32, key string) iter.Seq[*facts.Ref] {
	return func(yield func(*facts.Ref) bool) {
		i, ok := first[key]
		for ; ok && i >= 0; i = next[i] {
			if !yield(&x.fa.Refs[i]) {
				return
			}
		}
	}
}

// named says whether the file uses name as such, not only before another.
func (x *said) named(name string) bool {
	_, ok := x.names[name]
	return ok
}

// asType says whether the file uses name other than to call it.
func (x *said) asType(name string) bool {
	if _, ok := x.qualifiers[name]; ok {
		return true
	}
	for r := range x.called(name) {
		if r.Qualifier == "" && r.Kind != facts.RefCall {
			return true
		}
	}
	return false
}

// basesOf lists the references to bases of the types called owner, in order.
func (x *said) basesOf(owner string) []int32 {
	if x.bases == nil {
		x.bases = map[string][]int32{}
		for i := range x.fa.Refs {
			if r := &x.fa.Refs[i]; r.Kind == facts.RefBase && r.Scope >= 0 && int(r.Scope) < len(x.fa.Symbols) {
				n := x.fa.Symbols[r.Scope].Name
				x.bases[n] = append(x.bases[n], int32(i))
			}
		}
	}
	return x.bases[owner]
}

// bareCount counts the references of name without a qualifier.
func (x *said) bareCount(name string) (n int) {
	for r := range x.called(name) {
		if r.Qualifier == "" {
			n++
		}
	}
	return n
}

// usedBare counts what the file uses without a qualifier of the members that
// are defined in a tree's files.
func (w *worker) usedBare(sc *scope) map[ownedAt]int {
	x := sc.index()
	if x.used == nil {
		x.used = map[ownedAt]int{}
		for name := range x.names {
			n := x.bareCount(name)
			if n == 0 {
				continue
			}
			for _, d := range w.s.t.Definers(name) {
				if d.Parent != "" {
					x.used[ownedAt{d.Parent, d.File}] += n
				}
			}
		}
	}
	return x.used
}

// receiverKnown says how much speaks for calls of name in the file to be of type
// owner: most that the file declares it and calls name without a qualifier,
// then that what stands before the name reads like it, that the file extends
// it, names it as a base, names it at all.
func (sc *scope) receiverKnown(owner, name string) int {
	x := sc.index()
	key := [2]string{owner, name}
	n, ok := x.known[key]
	if !ok {
		if x.known == nil {
			x.known = map[[2]string]int{}
			x.declared()
		}
		n = x.receiver(owner, name)
		x.known[key] = n
	}
	return n
}

// declared lists what receiver asks of symbols and imports.
func (x *said) declared() {
	x.types, x.owners, x.imports = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for i := range x.fa.Symbols {
		s := &x.fa.Symbols[i]
		if isType(s.Kind) {
			x.types[s.Name] = true
		}
		x.owners[s.Owner] = true
	}
	for i := range x.fa.Imports {
		x.imports[lastPart(x.fa.Imports[i].Module)] = true
	}
}

func (x *said) receiver(owner, name string) int {
	bare, called, like := false, false, false
	for r := range x.called(name) {
		if r.Kind != facts.RefBase {
			called = true
			bare = bare || r.Qualifier == "" || isSelf(r.Qualifier)
			like = like || owner != "" && reads(r.Qualifier, owner) == same
		}
	}
	switch {
	case owner == "": // no receiver
		if bare || !called {
			return 1
		}
		return 0
	case x.types[owner] && (bare || !called):
		return 6
	case like:
		return 5
	case x.types[owner]:
		return 4
	case x.owners[owner]:
		return 3
	}
	n := 0
	for r := range x.called(owner) {
		if r.Kind == facts.RefBase {
			return 2
		}
		n = 1
	}
	if _, ok := x.qualifiers[owner]; ok || x.imports[owner] {
		n = 1
	}
	return n
}

// hasSymbol says whether the file declares or extends what is called name.
func (sc *scope) hasSymbol(name string) bool {
	if sc.symbols == nil {
		sc.symbols = make(map[string]bool, len(sc.fa.Symbols))
		for i := range sc.fa.Symbols {
			sc.symbols[sc.fa.Symbols[i].Name] = true
		}
	}
	return sc.symbols[name]
}

// ownType says whether the file declares a type that q names or reads like (see
// reads).
func (sc *scope) ownType(q string) bool {
	if sc.types == nil {
		sc.types = map[string]bool{}
		for i := range sc.fa.Symbols {
			if s := &sc.fa.Symbols[i]; isType(s.Kind) && s.Kind != facts.KindModule {
				sc.types[string(plainLetters(nil, s.Name, "_"))] = true
			}
		}
	}
	if len(sc.types) == 0 {
		return false
	}
	var room [64]byte
	b := plainLetters(room[:0], q, "_$@")
	return len(b) > 1 && sc.types[string(b)]
}

// plainLetters appends s in small letters, those of without left out: what
// reads compares of a type's name without "_", of a value's without "_$@".
func plainLetters(b []byte, s, without string) []byte {
next:
	for i := range len(s) {
		for k := range len(without) {
			if s[i] == without[k] {
				continue next
			}
		}
		b = append(b, lower(s[i]))
	}
	return b
}
