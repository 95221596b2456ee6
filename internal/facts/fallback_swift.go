package facts

import "strings"

// swiftTypes says what the names of a Swift file hold, as far as their
// declarations tell: by the symbol that they are declared in (-1: none) and
// name, the name of the type, with ":" behind it where the type only leads to
// the value (T.make()), "" where declarations disagree.
type swiftTypes map[swiftName]string

type swiftName struct {
	scope int32
	name  string
}

// maxSwiftType is how many tokens of a declaration are looked at for its type.
const maxSwiftType = 24

// swiftVars reads the declarations of variables and parameters.
func (w *fbWalker) swiftVars() swiftTypes {
	t := swiftTypes{}
	put := func(scope int32, name, typ string) {
		if len(typ) == 1 {
			typ = "" // a parameter of the type around
		}
		k := swiftName{scope, name}
		if old, ok := t[k]; ok && old != typ {
			typ = ""
		}
		t[k] = typ
	}
	w.eachToken(func(i int, open []int32) {
		if w.kind(i) != tokWord && w.kind(i) != tokName || w.kind(i-1) == '.' {
			return
		}
		scope := innermost(open)
		switch {
		case w.is(i, "let") || w.is(i, "var"):
			if n := len(open); n > 1 && int(w.from[scope]) <= i && w.syms[scope].Kind != KindFunction && w.syms[scope].Kind != KindMethod && w.named(scope, i+1) {
				scope = open[n-2] // a property is its owner's
			} else if n == 1 && w.named(scope, i+1) {
				scope = -1
			}
			if w.kind(i+1) == '(' && w.match[i+1] > 0 { // let (a, b) = …
				end := int(w.match[i+1])
				typ := ""
				if w.kind(end+1) == '=' {
					if typ = w.swiftValue(end + 2); typ != "" && !strings.HasSuffix(typ, ":") {
						typ = ""
					}
				}
				for k := i + 2; k < end && k < i+maxSwiftType; k++ {
					if w.kind(k) == tokWord {
						put(scope, w.text(k), typ)
					}
				}
				return
			}
			if w.kind(i+1) != tokWord && w.kind(i+1) != tokName {
				return
			}
			switch w.kind(i + 2) {
			case ':':
				put(scope, w.text(i+1), w.swiftType(i+3))
			case '=':
				put(scope, w.text(i+1), w.swiftValue(i+3))
			default:
				put(scope, w.text(i+1), "")
			}
		case w.is(i, "func") || w.is(i, "init") || w.is(i, "subscript"):
			k := i + 1
			var generic map[string]string // parameter → what it must be
			for n := 0; n < 4 && w.kind(k) != '(' && w.kind(k) != tokEOF; n++ {
				if w.kind(k) == '<' {
					if e := w.angle(k); e > k {
						generic = w.swiftGenerics(k, e)
						k = e
						continue
					}
				}
				k++
			}
			if w.kind(k) != '(' || w.match[k] < 0 {
				return
			}
			for p := k + 1; p < int(w.match[k]); p++ {
				switch w.kind(p) {
				case '(', '[', '{':
					if m := int(w.match[p]); m > p {
						p = m
					}
				case ':':
					if w.kind(p-1) == tokWord || w.kind(p-1) == tokName {
						typ := w.swiftType(p + 1)
						if must, ok := generic[typ]; ok {
							typ = must
						}
						put(scope, w.text(p-1), typ)
					}
				}
			}
		}
	})
	return t
}

// named says whether symbol s begins with the name at token i: it is that
// variable.
func (w *fbWalker) named(s int32, i int) bool {
	return i < len(w.toks) && w.syms[s].Name == strings.Trim(w.text(i), "`")
}

// innermost is the last of open symbols, -1 at top level.
func innermost(open []int32) int32 {
	if n := len(open); n > 0 {
		return open[n-1]
	}
	return -1
}

// eachToken calls f for every token with the symbols that are open there,
// innermost last.
func (w *fbWalker) eachToken(f func(i int, open []int32)) {
	var open []int32
	next := 0
	for i := range w.toks {
		for next < len(w.syms) && int(w.from[next]) <= i {
			open = append(open, int32(next))
			next++
		}
		for len(open) > 0 && int(w.to[open[len(open)-1]]) <= i {
			open = open[:len(open)-1]
		}
		f(i, open)
	}
}

// swiftGenerics reads <S: Store, T> between two tokens.
func (w *fbWalker) swiftGenerics(from, to int) map[string]string {
	out := map[string]string{}
	for k := from + 1; k < to && k < from+maxSwiftType; k++ {
		if w.kind(k) != tokWord || w.kind(k-1) != '<' && w.kind(k-1) != ',' {
			continue
		}
		out[w.text(k)] = ""
		if w.kind(k+1) == ':' {
			out[w.text(k)] = w.swiftType(k + 2)
		}
	}
	return out
}

// swiftType is the name of the type written at token k.
func (w *fbWalker) swiftType(k int) string {
	for n := 0; n < 8; n++ {
		switch {
		case w.kind(k) == '@':
			k += 2
		case w.is(k, "inout") || w.is(k, "any") || w.is(k, "some") || w.is(k, "borrowing") || w.is(k, "consuming") || w.is(k, "sending") || w.is(k, "isolated") || w.is(k, "__owned"):
			k++
		default:
			n = 8
		}
	}
	switch w.kind(k) {
	case '[':
		return "Array"
	case tokWord:
	default:
		return ""
	}
	name, end := w.swiftPath(k)
	if w.kind(end) == tokArrow || w.kind(end) == '&' {
		return "" // a function, several protocols
	}
	return name
}

// swiftPath reads A.B<C>.D at token k: its last name that begins in upper case,
// with those before, and the token behind.
func (w *fbWalker) swiftPath(k int) (name string, end int) {
	for n := 0; n < maxSwiftType; n++ {
		t := w.text(k)
		if w.kind(k) != tokWord || t == "" || t[0] < 'A' || t[0] > 'Z' {
			return name, k
		}
		if name != "" {
			name += "."
		}
		name += t
		k++
		if w.kind(k) == '<' {
			if e := w.angle(k); e > k {
				k = e
			}
		}
		if w.kind(k) != '.' || w.kind(k+1) != tokWord {
			return name, k
		}
		if c := w.text(k + 1); c[0] < 'A' || c[0] > 'Z' {
			return name, k
		}
		k++
	}
	return "", k
}

// swiftValue is the type of the expression at token k.
func (w *fbWalker) swiftValue(k int) string {
	for n := 0; n < 6 && (w.is(k, "try") || w.is(k, "await") || w.kind(k) == '!' || w.kind(k) == '?' && n > 0); n++ {
		k++
	}
	switch w.kind(k) {
	case tokString:
		return "String"
	case '[':
		return "Array"
	case tokWord:
	default:
		return ""
	}
	name, end := w.swiftPath(k)
	if name == "" {
		return ""
	}
	switch w.kind(end) {
	case '(':
		m := int(w.match[end])
		if m > 0 && (w.kind(m+1) == '.' || w.kind(m+1) == '?' || w.kind(m+1) == '!') {
			return name + ":" // goes on from there
		}
		return name
	case '.':
		return name + ":"
	}
	return ""
}

// swiftQualifier puts the type of a variable in its place: ":T".
func (t swiftTypes) qualifier(q string, open []int32) string {
	for k := len(open); k >= 0; k-- {
		scope := int32(-1)
		if k > 0 {
			scope = open[k-1]
		}
		if typ, ok := t[swiftName{scope, q}]; ok {
			if typ == "" {
				return q
			}
			return ":" + typ
		}
	}
	return q
}
