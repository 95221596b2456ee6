package facts

// body scans the rest of a header from token k, records the symbol and
// enters its body. i is the first token of the declaration, n its name.
func (w *fbWalker) body(i, n, k int, name string, kind Kind, exported bool, class scopeClass) int {
	l := w.lang
	container := class == inType || class == inEnum
	var bases []int
	inBase, where, by := false, false, false
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
			if container && l.baseColon && !where {
				flush()
				inBase = true
			}
		case ',':
			if inBase {
				flush()
				by = false
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
				inBase, where = false, true
			} else if inBase && w.is(k, "by") && w.id == "kotlin" {
				flush()
				by = true
			} else if inBase && !by && !w.in(k, l.mods) {
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
	n, owner := k, ""
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
		owner = w.extended(owner, n)
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
	if sym >= 0 && w.class() == inFile {
		w.syms[sym].Owner = owner
	}
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
