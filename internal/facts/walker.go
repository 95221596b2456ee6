package facts

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

const (
	// maxSymbols, maxRefs and maxLiterals bound what one file may say; the
	// largest hand-written files stay below.
	maxSymbols  = 20000
	maxRefs     = 4000
	maxLiterals = 4000
	maxImports  = 2000
	// maxName is the longest name kept, in bytes; longer ones are data.
	maxName = 120
	// maxSignature is the most lines a signature may have.
	maxSignature = 60
	// maxLook bounds how many nodes a handler looks at to judge one node.
	maxLook = 64
)

// handler is what a language does with a node of one type. It is called in
// preorder, after the handlers of all that stands above.
type handler func(w *walker, i int32)

// table says what the node types of one language mean.
type table struct {
	nodes    map[string]handler
	builtins map[string]bool         // names that are never refs
	globals  map[string]bool         // objects of the language's library: what they hold is never a ref
	finish   func(w *walker)         // called after the last node
	calm     func(src []byte) []byte // what the parser reads in place of src: same length, same lines
	reads    func(src []byte) bool   // what the grammar is for; the rest is left to patterns
	rival    bool                    // a broken tree gives way to patterns that find more declarations
	exported func(w *walker, s *Symbol) bool
}

// span is a run of bytes.
type span struct{ start, end int32 }

// level is an open symbol: nodes below end belong to it.
type level struct {
	end  int32 // node index
	sym  int32
	anon bool // a function without a name inside sym
}

type refKey struct {
	name, qual, scope int32
	kind              RefKind
	generic           bool
}

// walker goes over the nodes of one file and collects its facts.
type walker struct {
	g     *grammar
	src   []byte
	nodes []node
	f     *Facts

	next   int32 // the node to go on with
	scopes []level
	taken  map[int32]struct{} // nodes that a handler has dealt with

	ids    map[string]int32
	strs   []string
	refs   map[refKey]int32 // to index in f.Refs
	keys   []refKey         // of f.Refs
	locals map[[2]int32]struct{}

	priv    []bool              // by symbol: never exported
	loose   []bool              // by symbol: at top level but for anonymous functions around it
	exports map[string]struct{} // JavaScript: names that an export statement names
	hidden  map[int32]bool      // Ruby: by node of a class, whether methods that follow are private
	gotypes *goTypes            // Go: what the file says of types

	lead lead
	docs []span
	lits *literals
}

// lead is the run of comments and attributes just above the current node.
type lead struct {
	doc, attr, end int32 // rows from zero; doc and attr are -1 when absent
}

func newWalker(g *grammar, src []byte, nodes []node, f *Facts) *walker {
	return &walker{
		g: g, src: src, nodes: nodes, f: f,
		taken: map[int32]struct{}{},
		ids:   map[string]int32{}, refs: map[refKey]int32{}, locals: map[[2]int32]struct{}{},
		lead: lead{-1, -1, -2},
	}
}

// run visits every node.
func (w *walker) run() {
	n := int32(len(w.nodes))
	for i := int32(0); i < n; i = w.next {
		for k := len(w.scopes); k > 0 && i >= w.scopes[k-1].end; k-- {
			w.scopes = w.scopes[:k-1]
		}
		w.next = i + 1
		sym := int(w.nodes[i].sym)
		if sym < len(w.g.handlers) {
			if h := w.g.handlers[sym]; h != nil {
				h(w, i)
			}
		}
	}
	if w.g.table.finish != nil {
		w.g.table.finish(w)
	}
	w.dropLocals()
}

// typ returns the type of node i, "" for an error.
func (w *walker) typ(i int32) string {
	if i < 0 {
		return ""
	}
	if s := int(w.nodes[i].sym); s < len(w.g.names) {
		return w.g.names[s]
	}
	return ""
}

// field returns the name of the field that node i fills in its parent.
func (w *walker) field(i int32) string {
	if f := int(w.nodes[i].field); i >= 0 && f < len(w.g.fields) {
		return w.g.fields[f]
	}
	return ""
}

// parent returns the named node above i, -1 at the root.
func (w *walker) parent(i int32) int32 {
	if i < 0 {
		return -1
	}
	return w.nodes[i].parent
}

// bytes returns the text of node i.
func (w *walker) bytes(i int32) []byte {
	if i < 0 {
		return nil
	}
	n := &w.nodes[i]
	return w.src[min(int(n.start), len(w.src)):min(int(n.end), len(w.src))]
}

// id interns b.
func (w *walker) id(b []byte) int32 {
	if id, ok := w.ids[string(b)]; ok {
		return id
	}
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	id := int32(len(w.strs))
	w.ids[s] = id
	w.strs = append(w.strs, s)
	return id
}

// text returns the text of node i as a string that shares nothing with src.
func (w *walker) text(i int32) string {
	b := w.bytes(i)
	if len(b) == 0 {
		return ""
	}
	return w.strs[w.id(b)]
}

// children calls f for the named children of i until it says false.
func (w *walker) children(i int32, f func(c int32) bool) {
	if i < 0 {
		return
	}
	for c := i + 1; c < w.nodes[i].next; c = w.nodes[c].next {
		if !f(c) {
			return
		}
	}
}

// child returns the first named child of i with that field, -1 if none.
func (w *walker) child(i int32, field string) int32 {
	if i < 0 {
		return -1
	}
	for c := i + 1; c < w.nodes[i].next; c = w.nodes[c].next {
		if w.nodes[c].field != 0 && w.field(c) == field {
			return c
		}
	}
	return -1
}

// kid returns the first named child of i of one of the types, -1 if none.
func (w *walker) kid(i int32, types ...string) int32 {
	if i < 0 {
		return -1
	}
	for c := i + 1; c < w.nodes[i].next; c = w.nodes[c].next {
		if slices.Contains(types, w.typ(c)) {
			return c
		}
	}
	return -1
}

// first returns the first named child of i, -1 if none.
func (w *walker) first(i int32) int32 {
	if i >= 0 && i+1 < w.nodes[i].next {
		return i + 1
	}
	return -1
}

// last returns the last named child of i, -1 if none.
func (w *walker) last(i int32) int32 {
	l := int32(-1)
	w.children(i, func(c int32) bool { l = c; return true })
	return l
}

// skip leaves out what is below node i.
func (w *walker) skip(i int32) { w.next = w.nodes[i].next }

// take marks i as dealt with, so that its own handler leaves it.
func (w *walker) take(i int32) {
	if i >= 0 {
		w.taken[i] = struct{}{}
	}
}

func (w *walker) isTaken(i int32) bool {
	_, ok := w.taken[i]
	return ok
}

// scope returns the index of the innermost open symbol, -1 at top level.
func (w *walker) scope() int32 {
	if n := len(w.scopes); n > 0 {
		return w.scopes[n-1].sym
	}
	return -1
}

// inFunc says whether an open symbol is a function or method.
func (w *walker) inFunc() bool {
	for _, s := range w.scopes {
		if s.anon {
			return true
		}
		switch w.f.Symbols[s.sym].Kind {
		case KindFunction, KindMethod:
			return true
		}
	}
	return false
}

// scopeKind returns the kind of the innermost open symbol; ok is false at top level.
func (w *walker) scopeKind() (k Kind, ok bool) {
	if s := w.scope(); s >= 0 {
		return w.f.Symbols[s].Kind, true
	}
	return 0, false
}

// anonymous opens a function without a name at node i.
func (w *walker) anonymous(i int32) {
	w.scopes = append(w.scopes, level{end: w.nodes[i].next, sym: w.scope(), anon: true})
}

// inType says whether the innermost open symbol holds members.
func (w *walker) inType() bool {
	if n := len(w.scopes); n == 0 || w.scopes[n-1].anon {
		return false
	}
	k, ok := w.scopeKind()
	return ok && (k == KindClass || k == KindInterface || k == KindStruct || k == KindEnum || k == KindOther)
}

// firstOnLine says whether only blanks stand before byte at on its line.
func (w *walker) firstOnLine(at int) bool {
	for at--; at >= 0; at-- {
		switch w.src[at] {
		case '\n':
			return true
		case ' ', '\t', '\r', '\f':
		default:
			return false
		}
	}
	return true
}

// endRow is the last row on which node i has a byte. (The nodes of some
// grammars end with the newline.)
func (w *walker) endRow(i int32) int32 {
	n := &w.nodes[i]
	row, at := int32(n.erow), min(int(n.end), len(w.src))
	for at > int(n.start) && (w.src[at-1] == '\n' || w.src[at-1] == '\r' || w.src[at-1] == ' ' || w.src[at-1] == '\t') {
		at--
		if w.src[at] == '\n' {
			row--
		}
	}
	return max(row, int32(n.srow))
}

// comment records the comment i: documentation of what follows if it is alone
// on its line.
func (w *walker) comment(i int32) {
	n := &w.nodes[i]
	w.docs = append(w.docs, span{int32(n.start), int32(min(int(n.end), len(w.src)))})
	if !w.firstOnLine(int(n.start)) {
		return
	}
	row := int32(n.srow)
	if row <= w.lead.end+1 && w.lead.end >= 0 {
		if w.lead.doc < 0 {
			w.lead.doc = row
		}
	} else {
		w.lead.doc, w.lead.attr = row, -1
	}
	w.lead.end = w.endRow(i)
}

// attribute records that node i (a sibling before its declaration) belongs to
// the declaration that follows.
func (w *walker) attribute(i int32) {
	row := int32(w.nodes[i].srow)
	if row > w.lead.end+1 || w.lead.end < 0 {
		w.lead.doc, w.lead.attr = -1, row
	} else if w.lead.attr < 0 {
		w.lead.attr = row
	}
	w.lead.end = w.endRow(i)
}

// decl is one declaration for define.
type decl struct {
	node  int32 // where its lines are: decorators and modifiers included
	name  string
	kind  Kind
	body  int32 // -1: the signature is its first line… or all, see sig
	sig   bool  // without a body: the whole is the signature
	owner string
	scope int32 // node whose subtree belongs to the symbol; -1: no scope is opened
	priv  bool
}

// define adds the symbol and returns its index, -1 if there is no room or no name.
func (w *walker) define(d decl) int32 {
	if d.name == "" || len(d.name) > maxName {
		return -1
	}
	if len(w.f.Symbols) >= maxSymbols {
		w.f.Flags |= Truncated
		return -1
	}
	n := &w.nodes[d.node]
	start, end := int32(n.srow), w.endRow(d.node)
	s := Symbol{Name: d.name, Kind: d.kind, Parent: w.scope(), Owner: d.owner}
	s.SigEnd = start
	if d.body >= 0 {
		at := min(int(w.nodes[d.body].start), len(w.src))
		text := w.src[n.start:max(at, int(n.start))]
		if n := int32(bytes.Count(bytes.TrimRight(text, " \t\r\n\f"), []byte{'\n'})); n < maxSignature {
			s.SigEnd = start + n // a longer one is a body that the grammar could not read
		}
	} else if d.sig {
		s.SigEnd = end
	}
	doc := start
	if w.lead.end >= 0 && (w.lead.end == start-1 || w.lead.end == start) {
		if w.lead.attr >= 0 {
			start = min(start, w.lead.attr)
			doc = start
		}
		if w.lead.doc >= 0 {
			doc = min(doc, w.lead.doc)
		}
		w.lead = lead{-1, -1, -2} // it is this symbol's and no other's
	}
	s.DocStart, s.Start, s.SigEnd, s.End = doc+1, start+1, min(max(s.SigEnd, start), end)+1, end+1
	s.Exported = !d.priv && (s.Parent < 0 || w.f.Symbols[s.Parent].Exported || w.f.Symbols[s.Parent].Kind == KindOther)
	if s.Exported && w.g.table.exported != nil {
		s.Exported = w.g.table.exported(w, &s)
	}
	if s.Parent >= 0 {
		switch w.f.Symbols[s.Parent].Kind {
		case KindFunction, KindMethod:
			s.Exported = false
		}
	}
	at := int32(len(w.f.Symbols))
	w.f.Symbols = append(w.f.Symbols, s)
	w.priv = append(w.priv, d.priv)
	w.loose = append(w.loose, s.Parent < 0 && len(w.scopes) > 0)
	if d.scope >= 0 {
		w.scopes = append(w.scopes, level{end: w.nodes[d.scope].next, sym: at})
	}
	return at
}

// unnamed qualifies a member of what has no name, like the result of a call, in
// languages where such a member is none of what bare names reach.
var unnamed = []byte("()")

// ref records a use of a name.
func (w *walker) ref(name, qual []byte, kind RefKind) {
	w.refOf(name, qual, kind, false)
}

// refOf is ref of a name with type arguments or without.
func (w *walker) refOf(name, qual []byte, kind RefKind, generic bool) {
	if len(name) == 0 || len(name) > maxName || len(qual) > maxName || len(name) == 1 && name[0] == '_' {
		return
	}
	if (len(qual) == 0 || &qual[0] == &unnamed[0]) && kind != RefBase && w.g.table.builtins[string(name)] || w.g.table.globals[string(qual)] {
		return
	}
	k := refKey{w.id(name), -1, w.scope(), kind, generic}
	if len(qual) > 0 {
		k.qual = w.id(qual)
	}
	if at, ok := w.refs[k]; ok {
		w.f.Refs[at].N++
		return
	}
	if len(w.f.Refs) >= maxRefs {
		w.f.Flags |= Truncated
		return
	}
	r := Ref{Name: w.strs[k.name], Scope: k.scope, Kind: kind, Generic: generic, N: 1}
	if k.qual >= 0 {
		r.Qualifier = w.strs[k.qual]
	}
	w.refs[k] = int32(len(w.f.Refs))
	w.f.Refs = append(w.f.Refs, r)
	w.keys = append(w.keys, k)
}

// local says that the innermost function declares a name of its own.
func (w *walker) local(i int32) {
	if i < 0 || !w.inFunc() {
		return
	}
	w.locals[[2]int32{w.scope(), w.id(w.bytes(i))}] = struct{}{}
}

// localsIn takes every node of the given types below i as a local name.
func (w *walker) localsIn(i int32, types ...string) {
	if i < 0 {
		return
	}
	for c, n := i, 0; c < w.nodes[i].next && n < maxLook; c, n = c+1, n+1 {
		if slices.Contains(types, w.typ(c)) {
			w.local(c)
		}
	}
}

// dropLocals removes the refs whose plain name is declared in the function
// they stand in, or in one around it.
func (w *walker) dropLocals() {
	if len(w.locals) == 0 {
		return
	}
	kept := w.f.Refs[:0]
	for i, r := range w.f.Refs {
		k, local := w.keys[i], false
		if k.qual < 0 && k.kind != RefBase {
			for s := k.scope; !local; s = w.f.Symbols[s].Parent {
				// Anonymous functions at top level keep their names under -1;
				// those hide nothing from named functions outside of them.
				if _, local = w.locals[[2]int32{s, k.name}]; s < 0 || w.f.Symbols[s].Parent < 0 && !w.loose[s] {
					break
				}
			}
		}
		if !local {
			kept = append(kept, r)
		}
	}
	clear(w.f.Refs[len(kept):])
	w.f.Refs = kept
}

// imp records an import.
func (w *walker) imp(m Import) {
	if len(m.Module) > 4*maxName {
		return
	}
	if len(w.f.Imports) >= maxImports {
		w.f.Flags |= Truncated
		return
	}
	w.f.Imports = append(w.f.Imports, m)
}

// line returns the one-based line of node i.
func (w *walker) line(i int32) int32 { return int32(w.nodes[i].srow) + 1 }

// orderSymbols sorts the symbols by their start, outer first, and renumbers
// what points at them.
func orderSymbols(f *Facts) {
	less := func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	}
	if slices.IsSortedFunc(f.Symbols, less) {
		return
	}
	// Outer before inner must hold even for symbols of the same lines, so the
	// sort is stable over the preorder in which they were found.
	idx := make([]int32, len(f.Symbols))
	for i := range idx {
		idx[i] = int32(i)
	}
	slices.SortStableFunc(idx, func(a, b int32) int { return less(f.Symbols[a], f.Symbols[b]) })
	to := make([]int32, len(idx))
	sorted := make([]Symbol, len(idx))
	for new, old := range idx {
		to[old] = int32(new)
		sorted[new] = f.Symbols[old]
	}
	for i := range sorted {
		if p := sorted[i].Parent; p >= 0 {
			sorted[i].Parent = to[p]
		}
	}
	for i := range f.Refs {
		if s := f.Refs[i].Scope; s >= 0 {
			f.Refs[i].Scope = to[s]
		}
	}
	f.Symbols = sorted
}

// literal keeps the content of a string.
func (w *walker) literal(s []byte) { w.lits.text(s) }
