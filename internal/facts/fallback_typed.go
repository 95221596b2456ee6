package facts

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
	line := false // the line ends the declaration
	for ; k < len(w.toks) && k < j+64; k++ {
		if l.newline && k > j && w.first(k) {
			line = true
			break
		}
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
		case '*', '&', '.', '?', tokColons, '~':
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
	if line {
		if words < 2 || w.class() == inFile || k != n+1 {
			return i
		}
		w.name(n)
		w.add(name, KindField, i, n, k, exported)
		return k
	}
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
		for w.in(next, l.cont) {
			// throws A, b.C; noexcept(x); where T : class
			for next++; next < min(m+64, len(w.toks)); next++ {
				if k := w.kind(next); k == '(' && w.match[next] > 0 {
					next = int(w.match[next])
				} else if k != ',' && k != '.' && k != tokWord || w.in(next, l.cont) {
					break
				}
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
