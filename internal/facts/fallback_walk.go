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
	end := w.body(i, n, next, name, kind, w.exportedName(n, exported), class)
	return end
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
	n := -1
	for steps := 0; steps < 64; steps++ {
		if w.kind(k) != tokWord && w.kind(k) != tokString {
			break
		}
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
	return w.body(i, n, k, name, kind, w.exportedName(n, exported), inCode)
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

// body scans the rest of a header from token k, records the symbol and
// enters its body. i is the first token of the declaration, n its name.
func (w *fbWalker) body(i, n, k int, name string, kind Kind, exported bool, class scopeClass) int {
	l := w.lang
	container := class == inType || class == inEnum
	var bases []int
	inBase := false
	lastBase := -1
	params := [2]int{}
	flush := func() {
		if lastBase >= 0 {
			bases = append(bases, lastBase)
		}
		lastBase = -1
	}
	open, end, sig := -1, -1, k-1
	start := k
scan:
	for ; k < len(w.toks); k++ {
		if k > start+maxHeaderTokens || !w.spend() {
			break
		}
		t := w.toks[k].kind
		if w.first(k) && (l.newline || l.indent) && t != '{' && !w.joins(k) {
			if t != '(' && t != '<' || w.toks[k].col <= w.indentOf(i) {
				end = k
				break scan
			}
		}
		switch t {
		case '(', '[':
			m := int(w.match[k])
			if m < 0 {
				end = k
				break scan
			}
			if t == '(' && params[1] == 0 {
				params = [2]int{k, m}
			}
			k = m
			sig = m
			continue
		case '<':
			if l.angles {
				if j := w.angle(k); j > k {
					k = j - 1
					sig = k
					continue
				}
			}
		case '{':
			if l.indent && !container {
				if m := int(w.match[k]); m > k && w.id != "r" && w.id != "julia" {
					k = m
					continue
				}
			}
			open = k
			break scan
		case ';':
			end = k + 1
			break scan
		case '}', ')', ']':
			end = k
			break scan
		case '=', tokFat:
			if l.exprBody || l.indent {
				sig = max(sig, k)
				if t == '=' && w.kind(k+1) == '{' && !l.indent && w.match[k+1] > 0 && class == inCode {
					open = k + 1
					break scan
				}
				if t == tokFat || !container {
					end = w.exprEnd(i, k+1)
					break scan
				}
			}
		case ':':
			if container && l.baseColon {
				flush()
				inBase = true
			}
		case ',':
			if inBase {
				flush()
			} else if !container && w.class() != inFile && w.class() != inCode && !l.newline {
				end = k
				break scan
			}
		case '&':
			if inBase {
				flush()
			}
		case tokWord:
			if w.in(k, l.extends) {
				flush()
				inBase = container
			} else if w.is(k, "where") || w.is(k, "derives") {
				flush()
				inBase = false
			} else if inBase && !w.in(k, l.mods) {
				lastBase = k
			}
		}
		sig = k
	}
	flush()
	if open < 0 && end < 0 {
		end = k
	}
	to := end
	from := end
	switch {
	case l.indent:
		at := max(n+1, start)
		if open >= 0 && w.match[open] > 0 {
			to = int(w.match[open]) + 1
		} else {
			to = w.indentEnd(i, at)
			if end > at {
				to = max(to, end)
			}
		}
		from = min(max(sig+1, n+1), to)
	case open >= 0:
		from = open + 1
		if m := int(w.match[open]); m > 0 {
			to = m + 1
		} else {
			to = w.indentEnd(i, open+1)
		}
		sig = open
	default:
		// Scala 3 and the like: a header without a brace whose next lines
		// are indented more.
		if w.id == "scala" && container && (w.kind(end-1) == ':' || w.is(end-1, "with")) {
			to = w.indentEnd(i, end)
		}
		from = end
		if l.exprBody && sig+1 < end {
			from = sig + 1
		}
	}
	if open >= 0 {
		// The line of the brace alone is not worth a signature line.
		if w.first(open) && open > i {
			sig = open - 1
		}
	}
	sym := w.add(name, kind, i, sig, to, exported)
	for _, b := range bases {
		w.bases = append(w.bases, pendingRef{int32(b), sym, RefBase})
	}
	if from > to {
		from = to
	}
	bodyEnd := to
	if open >= 0 && w.match[open] > 0 {
		bodyEnd = int(w.match[open])
	}
	if from < bodyEnd && (from > n) {
		w.push(bodyEnd, sym, class)
	}
	if container && params[1] > 0 {
		w.ctorParams(params[0], params[1], sym)
	}
	if from <= i {
		return max(n, k) // never go back
	}
	return max(from, n+1)
}

// ctorParams records val and var parameters of a primary constructor, and
// every parameter of a record or case class.
func (w *fbWalker) ctorParams(open, closing int, sym int32) {
	if sym < 0 || w.id != "kotlin" && w.id != "scala" {
		return
	}
	all := w.id == "scala"
	w.push(closing, sym, inType)
	for k := open + 1; k < closing; k++ {
		if m := int(w.match[k]); m > k {
			k = m
			continue
		}
		if (w.is(k, "val") || w.is(k, "var")) && w.kind(k+1) == tokWord || all && (k == open+1 || w.kind(k-1) == ',') && w.kind(k) == tokWord && w.kind(k+1) == ':' && w.caseClass(sym) {
			n := k + 1
			if w.kind(k+1) == ':' {
				n = k
			}
			e := n + 1
			for e < closing && w.kind(e) != ',' {
				if m := int(w.match[e]); m > e {
					e = m
				}
				e++
			}
			w.name(n)
			w.add(w.text(n), KindField, k, e-1, e, true)
			k = e
		}
	}
	w.scopes = w.scopes[:len(w.scopes)-1]
}

func (w *fbWalker) caseClass(sym int32) bool {
	from := int(w.from[sym])
	return j0(w, from, min(from+6, len(w.toks)), "case")
}

// varDecl reads val, var, let, const and their kin.
func (w *fbWalker) varDecl(i, k int, kind Kind, exported bool) int {
	if w.kind(k) == '<' {
		k = w.angle(k)
	}
	if w.in(k, w.lang.mods) && w.kind(k+1) == tokWord {
		k++
	}
	// Typed constants: const int X = 1; const string X
	for w.kind(k) == tokWord && w.kind(k+1) == tokWord && !w.first(k+1) && w.lang.typed {
		k++
	}
	// Kotlin extension properties: val A<B>.name
	n := k
	for steps := 0; steps < 16 && w.kind(n) == tokWord; steps++ {
		at := n + 1
		if w.kind(at) == '<' && w.id == "kotlin" {
			at = w.angle(at)
		}
		if w.kind(at) == '?' {
			at++
		}
		if w.kind(at) != '.' || w.kind(at+1) != tokWord {
			break
		}
		n = at + 1
	}
	if w.kind(n) != tokWord || w.in(n, w.lang.skip) {
		return i
	}
	if (w.class() == inType || w.class() == inEnum) && kind == KindVar {
		kind = KindField
	}
	end := w.varEnd(i, n+1)
	name := n
	w.name(name)
	sig := n
	for sig+1 < end && w.toks[sig+1].line == w.toks[n].line {
		sig++
	}
	sym := w.add(w.text(name), kind, i, sig, end, w.exportedName(name, exported))
	if end > n+1 {
		w.push(end, sym, inCode)
	}
	return n + 1
}

// varEnd is the token after a variable's type, initialiser, accessors.
func (w *fbWalker) varEnd(i, k int) int {
	col := w.indentOf(i)
	for ; k < len(w.toks); k++ {
		if !w.spend() {
			return k
		}
		if w.lang.newline && w.first(k) && w.toks[k].col <= col && !w.joins(k) && w.kind(k) != '{' && w.kind(k) != '}' {
			return k
		}
		switch w.kind(k) {
		case '(', '[', '{':
			if m := int(w.match[k]); m > 0 {
				k = m
				continue
			}
			return min(k+1, len(w.toks))
		case ')', ']', '}':
			return k
		case ';':
			return k + 1
		case ',':
			if w.class() == inEnum && !w.lang.newline {
				return k
			}
		}
	}
	return len(w.toks)
}

// cases reads enum members: case a, b(Int), c = 1
func (w *fbWalker) cases(i, k int) int {
	at := k
	for at < len(w.toks) && w.kind(at) == tokWord {
		n := at
		at++
		if w.kind(at) == '(' && w.match[at] > 0 {
			at = int(w.match[at]) + 1
		}
		if w.kind(at) == '=' {
			at += 2
		}
		w.name(n)
		w.add(w.text(n), KindField, n, at-1, at, true)
		if w.kind(at) != ',' {
			break
		}
		at++
	}
	if at == k {
		return i
	}
	return at
}

// enumMember reads a member without a key word: A, B(1), C = 2, D { … }
func (w *fbWalker) enumMember(i, j int) int {
	k := j + 1
	switch w.kind(k) {
	case ',', ';', '}', '=', '(', '{':
	default:
		if k < len(w.toks) && !w.first(k) {
			return i
		}
	}
	if w.id == "php" || w.id == "swift" || w.id == "scala" || w.id == "rust" && w.kind(k) == '!' {
		return i
	}
	open := -1
	for k < len(w.toks) && w.kind(k) != ',' && w.kind(k) != ';' && w.kind(k) != '}' {
		if m := int(w.match[k]); m > k {
			if w.kind(k) == '{' && open < 0 {
				open = k
			}
			k = m
		}
		k++
		if !w.spend() {
			break
		}
	}
	w.name(j)
	sym := w.add(w.text(j), KindField, i, k-1, k, true)
	if open > 0 && w.id != "csharp" && w.id != "zig" { // a member with a body of its own
		w.push(int(w.match[open]), sym, inType)
		return open + 1
	}
	return min(k+1, len(w.toks))
}

// typedMember reads declarations of the C family: T name(…) { … }, T name;
// T name { get; set; }, Name(…) in a type of that name.
func (w *fbWalker) typedMember(i, j int, exported bool) int {
	l := w.lang
	if w.in(j, l.stop) {
		return i
	}
	n := -1
	words := 0
	k := j
	for ; k < len(w.toks) && k < j+64; k++ {
		switch w.kind(k) {
		case tokWord:
			if w.in(k, l.stop) {
				return i
			}
			if w.is(k, "operator") {
				return w.operator(i, k)
			}
			n = k
			words++
			continue
		case '*', '&', '.', '?', tokColons, '~', '@':
			continue
		case '[':
			if w.match[k] < 0 {
				return i
			}
			k = int(w.match[k])
			continue
		case '<':
			e := w.angle(k)
			if e == k {
				return i
			}
			k = e - 1
			continue
		case '(':
			// C#: a tuple type, C: (*name)(…)
			if w.match[k] > 0 && n < 0 {
				k = int(w.match[k])
				words++
				continue
			}
		}
		break
	}
	if n < 0 {
		return i
	}
	name := w.text(n)
	switch w.kind(k) {
	case '(':
		m := int(w.match[k])
		if m < 0 {
			return i
		}
		class := w.class()
		ctor := words == 1
		if ctor {
			p := w.parent()
			if p < 0 || w.syms[p].Name != name && w.kind(n-1) != '~' {
				return i
			}
		}
		if class == inEnum && words == 1 {
			return i
		}
		// C and C++ out of class: T A::name(…)
		next := m + 1
		for w.kind(next) == tokWord && w.in(next, l.cont) {
			next++
			if w.kind(next) == '(' && w.match[next] > 0 {
				next = int(w.match[next]) + 1
			}
		}
		switch w.kind(next) {
		case '{', ';', tokFat, '=', ':', tokArrow, tokEOF:
		default:
			if !w.in(next, l.cont) {
				return i
			}
		}
		kind := KindFunction
		if class == inType || w.kind(n-1) == tokColons {
			kind = KindMethod
		}
		if w.kind(next) == ':' && w.id != "csharp" && w.id != "cpp" && w.id != "dart" {
			return i
		}
		w.name(n)
		if w.kind(next) == ':' { // initialisers
			b := next
			for b < len(w.toks) && w.kind(b) != '{' && w.kind(b) != ';' {
				if mm := int(w.match[b]); mm > b {
					b = mm
				}
				b++
				if !w.spend() {
					break
				}
				if w.kind(b) == '{' && w.kind(b-1) == tokWord { // member{init}
					if mm := int(w.match[b]); mm > b && (w.kind(mm+1) == ',' || w.kind(mm+1) == '{') {
						b = mm + 1
					}
				}
			}
			next = b
		}
		return w.body(i, n, next, name, kind, exported, inCode)
	case '{':
		if words < 2 || w.id != "csharp" || w.class() == inFile {
			return i
		}
		w.name(n)
		return w.body(i, n, k, name, KindField, exported, inCode)
	case ';', '=', ',', tokFat:
		if words < 2 || w.class() == inFile && !l.typedTop {
			return i
		}
		kind := KindField
		if w.class() == inFile {
			kind = KindVar
		}
		w.name(n)
		if w.kind(k) == tokFat {
			return w.body(i, n, k, name, kind, exported, inCode)
		}
		end := w.varEnd(i, k)
		sym := w.add(name, kind, i, n, end, exported)
		w.push(end, sym, inCode)
		return k
	}
	return i
}

// operator skips an overloaded operator; its body is code.
func (w *fbWalker) operator(i, k int) int {
	for n := 0; n < 8 && w.kind(k) != '(' && w.kind(k) != tokEOF; n++ {
		k++
	}
	if w.kind(k) != '(' || w.match[k] < 0 {
		return i
	}
	return w.body(i, k-1, int(w.match[k])+1, "operator", KindMethod, true, inCode)
}
