package facts

import "strings"

// walk is the one pass over the tokens.
func (w *fbWalker) walk() {
	for i := 0; i < len(w.toks); {
		for n := len(w.scopes); n > 0 && int(w.scopes[n-1].end) <= i; n-- {
			w.scopes = w.scopes[:n-1]
		}
		if w.starts(i) {
			if j := w.statement(i); j > i {
				i = j
				continue
			}
		}
		if w.kind(i) == '{' && !w.lang.indent {
			// A block without a name: what stands in it is local, unless it
			// is at the top (extern "C", #if'd namespaces).
			if m := int(w.match[i]); m > i && w.class() != inFile {
				w.push(m, -1, inCode)
			}
		}
		i++
	}
	w.scopes = w.scopes[:0]
}

// starts reports whether a statement may start at token i.
func (w *fbWalker) starts(i int) bool {
	switch w.kind(i) {
	case tokWord, '@', '[', '#', tokName, tokDirect, '~', '-', '(', tokString, '<':
	case '.': // the short form of source
		if w.id != "bash" {
			return false
		}
	default:
		return false
	}
	if w.first(i) {
		return true
	}
	switch w.kind(i - 1) {
	case '{', '}', ';':
		return true
	case ',':
		return w.class() == inEnum
	case ':':
		return true // public: int x;
	case '|', '=':
		return w.id == "ocaml" && w.class() == inType // constructors
	}
	return false
}

// statement reads a declaration or an import at token i and returns the
// token to go on with; i when there is none.
func (w *fbWalker) statement(i int) int {
	l := w.lang
	if l.importer != nil {
		bases, imports := len(w.bases), len(w.imports)
		if j := l.importer(w, i); j > i {
			if len(w.imports) > imports {
				w.quiet(i, j, bases)
			}
			return j
		}
	}
	if l.special != nil {
		if j := l.special(w, i); j > i {
			return j
		}
	}
	j, exported := w.modifiers(i)
	if k := w.kind(j); k == tokWord {
		if d, ok := l.words[w.text(j)]; ok {
			if n := w.declaration(i, j, d, exported); n > i {
				return n
			}
		}
	}
	if l.typed && (w.class() == inType || w.class() == inFile && l.typedTop || w.class() == inEnum) {
		if n := w.typedMember(i, j, exported); n > i {
			return n
		}
	}
	if w.class() == inEnum && w.kind(j) == tokWord && !w.in(j, l.skip) {
		if n := w.enumMember(i, j); n > i {
			return n
		}
	}
	return i
}

// quiet keeps the words of an import from being references, but for those
// noted since bases.
func (w *fbWalker) quiet(i, j, bases int) {
	for k := i; k < min(j, len(w.toks)); k++ {
		if w.toks[k].kind == tokWord {
			w.toks[k].kind = tokName
		}
	}
	for _, b := range w.bases[bases:] {
		w.toks[b.tok].kind = tokWord
	}
}

// modifiers skips annotations and modifiers from token i.
func (w *fbWalker) modifiers(i int) (next int, exported bool) {
	l := w.lang
	exported = len(l.public) == 0
	j := i
	for steps := 0; steps < 64 && j < len(w.toks); steps++ {
		switch {
		case w.kind(j) == '@' && l.attrs == '@':
			// @file:Name.Sub(args), @objc(name)
			k := j + 1
			for w.kind(k) == tokWord && (w.kind(k+1) == ':' || w.kind(k+1) == '.') {
				k += 2
			}
			if w.kind(k) != tokWord {
				return j, exported
			}
			k++
			if w.kind(k) == '(' && !w.first(k) && w.match[k] > 0 {
				k = int(w.match[k]) + 1
			}
			j = k
		case w.kind(j) == '[' && l.attrs == '[' && w.match[j] > int32(j):
			w.attribute(j)
			j = int(w.match[j]) + 1
		case w.kind(j) == '#' && (l.attrs == '#' || l.attrs == 'h') && w.kind(j+1) == '[' && w.match[j+1] > 0:
			w.attribute(j + 1)
			j = int(w.match[j+1]) + 1
		case w.in(j, l.mods):
			// A modifier that is a key word too (record, data) is one only
			// before another word.
			if _, key := l.words[w.text(j)]; key {
				if !w.in(j+1, l.mods) && !w.isKey(j+1) || w.is(j, "fun") && !w.is(j+1, "interface") {
					return j, exported
				}
			}
			if w.in(j, l.private) {
				exported = false
			}
			if w.in(j, l.public) {
				exported = true
			}
			j++
			if w.kind(j) == '(' && w.match[j] > 0 && (w.is(j+1, "set") || w.is(j+1, "crate") || w.is(j+1, "super") || w.is(j+1, "in")) {
				j = int(w.match[j]) + 1
			} else if w.kind(j) == '[' && w.id == "scala" && w.match[j] > 0 {
				j = int(w.match[j]) + 1 // private[pkg]
			}
		default:
			return j, exported
		}
	}
	return j, exported
}

func (w *fbWalker) isKey(i int) bool {
	if w.kind(i) != tokWord {
		return false
	}
	_, ok := w.lang.words[w.text(i)]
	return ok
}

// attribute notes the names in a bracketed attribute list as decorators.
func (w *fbWalker) attribute(open int) {
	for k := open; k < int(w.match[open]); k++ {
		if (k == open || w.kind(k) == ',') && w.kind(k+1) == tokWord {
			k++
			for (w.kind(k+1) == '.' || w.kind(k+1) == tokColons || w.kind(k+1) == ':') && w.kind(k+2) == tokWord {
				k += 2
			}
			w.bases = append(w.bases, pendingRef{int32(k), -1, RefDecorator})
			if w.kind(k+1) == '(' && w.match[k+1] > 0 {
				k = int(w.match[k+1])
			}
		}
	}
}

// ofType says whether what stands at token k, behind struct and the like of C,
// is the type of a variable: struct list *head, struct list head;
func (w *fbWalker) ofType(k int) bool {
	if w.id != "c" && w.id != "cpp" && w.id != "objc" || w.kind(k) != tokWord {
		return false
	}
	switch w.kind(k + 1) {
	case '*', '&':
		return true
	case tokWord:
		switch w.kind(k + 2) {
		case ';', '=', ',', '[', ')':
			return true
		}
	}
	return false
}

// declaration reads what follows key word j of a statement that starts at i.
func (w *fbWalker) declaration(i, j int, d declKind, exported bool) int {
	k := j + 1
	if w.in(j, w.lang.private) {
		exported = false
	}
	switch d.form {
	case formNS:
		return w.namespace(i, j, d.kind)
	case formType, formImpl:
		if w.ofType(k) {
			return i
		}
		return w.typeDecl(i, k, d, exported)
	case formFunc:
		return w.funcDecl(i, k, d.kind, exported)
	case formCtor:
		switch w.kind(k) {
		case '(', '{', '?', '!', '<':
		default:
			if !w.in(k, w.lang.cont) {
				return i
			}
		}
		if w.class() != inType && w.class() != inEnum {
			return i
		}
		w.name(j)
		return w.body(i, j, k, w.text(j), KindMethod, exported, inCode)
	case formVar:
		if w.class() == inCode {
			return i
		}
		return w.varDecl(i, k, d.kind, exported)
	case formAlias:
		if w.class() == inCode || w.kind(k) != tokWord {
			return i
		}
		if !w.in(k, w.lang.skip) {
			n := k
			end := w.exprEnd(i, k+1)
			w.name(n)
			w.add(w.text(n), d.kind, i, end-1, end, w.exportedName(n, exported))
			return end
		}
	case formString:
		if w.kind(k) != tokString {
			return i
		}
		name := unquote(w.text(k))
		return w.body(i, k, k+1, name, d.kind, exported, inCode)
	case formCase:
		if w.class() != inEnum && w.class() != inType {
			return i
		}
		return w.cases(i, k)
	}
	return i
}

func unquote(s string) string {
	s = strings.Trim(s, "\"'`")
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "")
	}
	return s
}

// exportedName applies the rules that hang on the name itself.
func (w *fbWalker) exportedName(n int, exported bool) bool {
	if w.lang.upper {
		c := w.src[w.toks[n].start]
		return c >= 'A' && c <= 'Z'
	}
	return exported
}

// name marks a token as declared, so that it is no reference.
func (w *fbWalker) name(i int) {
	if i >= 0 && i < len(w.toks) && w.toks[i].kind == tokWord {
		w.toks[i].kind = tokName
	}
}

// dotted reads a.b.c or a\b or a::b from token k; it returns the text and
// the token after it.
func (w *fbWalker) dotted(k int) (string, int) {
	if w.kind(k) != tokWord && w.kind(k) != tokName {
		return "", k
	}
	from := w.toks[k].start
	for (w.kind(k+1) == '.' || w.kind(k+1) == tokColons || w.kind(k+1) == '\\') && (w.kind(k+2) == tokWord || w.kind(k+2) == tokName) && w.adjacent(k+1) {
		k += 2
	}
	return string(w.src[from:w.toks[k].end]), k + 1
}

func (w *fbWalker) namespace(i, j int, kind Kind) int {
	name, k := w.dotted(j + 1)
	if name == "" {
		return i
	}
	if w.pkg == "" {
		w.pkg = name
	} else if w.id == "scala" && w.class() == inFile && w.kind(k) != '{' {
		w.pkg += "." + name // package a; package b
	}
	for t := j + 1; t < k; t++ {
		w.name(t)
	}
	if w.kind(k) == '{' && w.match[k] > 0 {
		sym := w.add(name, kind, i, k, int(w.match[k])+1, true)
		w.push(int(w.match[k]), sym, inFile)
		return k + 1
	}
	return k
}

// typeDecl reads name, generics, parameters of the primary constructor,
// bases and enters the body.
func (w *fbWalker) typeDecl(i, k int, d declKind, exported bool) int {
	if w.in(k, w.lang.mods) || w.is(k, "class") || w.is(k, "struct") { // record struct, enum class
		if w.kind(k+1) == tokWord && (d.kind != KindClass || !w.is(k, "data")) {
			k++
		}
	}
	if w.kind(k) != tokWord || w.in(k, w.lang.skip) && d.form != formImpl {
		if d.kind == KindClass && w.is(k-1, "object") && (w.kind(k) == '{' || w.kind(k) == ':') && i < k-1 {
			// companion object without a name
			return w.body(i, k-1, k, "Companion", d.kind, exported, inType)
		}
		return i
	}
	n := k
	name, next := w.dotted(k)
	if d.form == formImpl {
		if at := strings.LastIndexByte(name, '.'); at >= 0 {
			name = name[at+1:]
		}
		if w.kind(next) == '<' {
			next = w.angle(next)
		}
	} else {
		name, next = w.text(k), k+1
	}
	w.name(n)
	class := inType
	kind := d.kind
	if kind == KindEnum || kind == KindClass && j0(w, i, n, "enum") {
		class = inEnum
		kind = KindEnum
	}
	sym := len(w.syms)
	if w.id == "ruby" && w.kind(next) == '<' { // class A < B::C
		if _, after := w.dotted(next + 1); after > next+1 {
			w.bases = append(w.bases, pendingRef{int32(after - 1), int32(sym), RefBase})
			next = after
		}
	}
	return w.body(i, n, next, name, kind, w.exportedName(n, exported), class)
}

// j0 reports whether a word stands among the tokens [i, n).
func j0(w *fbWalker, i, n int, word string) bool {
	for ; i < n; i++ {
		if w.is(i, word) {
			return true
		}
	}
	return false
}

// funcDecl finds the name before the parameters and enters the body.
func (w *fbWalker) funcDecl(i, k int, kind Kind, exported bool) int {
	if w.kind(k) == '<' {
		k = w.angle(k)
	}
	if w.kind(k) == '(' && w.match[k] > 0 && (w.kind(int(w.match[k])+1) == '.' || w.id == "go") { // receiver
		k = int(w.match[k]) + 1
		if w.kind(k) == '.' {
			k++
		}
		if w.id == "go" {
			kind = KindMethod
		}
	}
	if w.kind(k) == '&' || w.kind(k) == '*' {
		k++ // by reference, generator
	}
	n, owner := -1, ""
	for steps := 0; steps < 64; steps++ {
		if w.kind(k) != tokWord && w.kind(k) != tokString {
			break
		}
		owner = w.extended(owner, n)
		n = k
		k++
		at := k
		if w.kind(at) == '<' {
			at = w.angle(at)
		} else if w.kind(at) == '[' && w.id == "scala" && w.match[at] > 0 {
			break
		}
		for w.kind(at) == '?' || w.kind(at) == '!' {
			at++
		}
		if w.kind(at) == '.' || w.kind(at) == ':' && w.id == "lua" || w.kind(at) == tokColons && w.id != "haskell" {
			if w.kind(at+1) == tokWord {
				k = at + 1
				continue
			}
		}
		break
	}
	if n < 0 {
		if k > i && w.kind(k) != '(' && w.kind(k) != '{' && !w.first(k) {
			// An operator is a name too; symbols are not worth an entry.
			for w.kind(k) != '(' && w.kind(k) != '{' && w.kind(k) != tokEOF && !w.first(k) && w.kind(k) != tokWord {
				k++
			}
			return k
		}
		return i
	}
	if kind == KindFunction && (w.class() == inType || w.class() == inEnum) {
		kind = KindMethod
	}
	name := w.text(n)
	w.name(n)
	at, top := len(w.syms), w.class() == inFile
	end := w.body(i, n, k, name, kind, w.exportedName(n, exported), inCode)
	if top && at < len(w.syms) {
		w.syms[at].Owner = owner
	}
	return end
}

// extended is the receiver of a Kotlin extension of which the name n was read
// before the one at hand, owner being what it was until then. A single letter
// is a type parameter, which may be Any.
func (w *fbWalker) extended(owner string, n int) string {
	if w.id != "kotlin" || n < 0 {
		return owner
	}
	switch name := w.text(n); {
	case name == "Companion" && owner != "":
		return owner
	case len(name) > 1:
		return name
	}
	return "Any"
}

// angle is the token after a balanced <…> that opens at k, or k when it is
// none.
func (w *fbWalker) angle(k int) int {
	depth := 0
	for j := k; j < len(w.toks) && j < k+maxAngleTokens; j++ {
		switch w.kind(j) {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return j + 1
			}
		case '(', '[':
			if w.match[j] < 0 {
				return k
			}
			j = int(w.match[j])
		case ';', '{', '}', ')', ']':
			return k
		}
	}
	return k
}
