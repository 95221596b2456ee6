package facts

import "strings"

// Types of Go's expressions; see lang_go_types.go for what a type is.

// goNamed says whether values of type t may have members outside of the file.
func goNamed(t string) bool {
	if t == "" {
		return false
	}
	switch t[0] {
	case goNone[0], goList, goMap, goChan, goGives, goAnon, '=':
		return false
	}
	return true
}

// derive is what step leads to from a value of type t.
func derive(t, step string) string {
	if !goNamed(t) {
		if t == goNone {
			return t
		}
		return ""
	}
	origin, _, _ := strings.Cut(t, ":")
	return origin + ":" + step
}

// elem is the type of what a container holds.
func (g *goTypes) elem(t string) string {
	if t == "" {
		return ""
	}
	switch t[0] {
	case goList, goMap, goChan:
		return t[1:]
	case goGives, goAnon:
		return ""
	}
	if strings.Contains(t, ":") {
		return t
	}
	if u := g.under[t]; u != "" && (u[0] == goList || u[0] == goMap || u[0] == goChan) {
		return u[1:]
	}
	return derive(t, "")
}

// member is the type of t.name; ok is false if the file does not tell.
func (g *goTypes) member(t, name string, depth int) (typ string, ok bool) {
	if t == "" || depth > 3 {
		return "", false
	}
	if typ, ok = g.members[t+"."+name]; ok {
		return typ, true
	}
	for _, b := range g.bases[t] {
		if typ, ok = g.member(b, name, depth+1); ok {
			return typ, true
		}
	}
	return "", false
}

// goExpr is the type of an expression.
func (w *walker) goExpr(i int32, depth int) string {
	if i < 0 || depth > maxGoDepth {
		return ""
	}
	g := w.types()
	switch w.typ(i) {
	case "identifier":
		name := w.text(i)
		if t, ok := g.look(name, i); ok {
			return strings.TrimPrefix(t, "=")
		}
		if t, ok := g.values[name]; ok {
			return t
		}
		if g.types[name] {
			return name // of (*T)(x), T.method
		}
		return ""
	case "composite_literal":
		return w.goTypeOf(w.child(i, "type"), depth+1)
	case "type_assertion_expression", "type_conversion_expression":
		return w.goTypeOf(w.child(i, "type"), depth+1)
	case "parenthesized_expression", "type_instantiation_expression":
		if f := w.first(i); f >= 0 && strings.HasSuffix(w.typ(f), "_type") {
			return w.goTypeOf(f, depth+1)
		}
		return w.goExpr(w.first(i), depth+1)
	case "unary_expression":
		t := w.goExpr(w.child(i, "operand"), depth+1)
		if b := w.bytes(i); len(b) > 0 {
			switch b[0] {
			case '&', '*':
				return t
			case '<':
				return g.elem(t)
			}
		}
		return goNone
	case "index_expression":
		t := w.goExpr(w.child(i, "operand"), depth+1)
		if t != "" && t[0] == goGives {
			return t // instantiated
		}
		return g.elem(t)
	case "slice_expression":
		return w.goExpr(w.child(i, "operand"), depth+1)
	case "func_literal":
		return w.goFuncType(i, depth)
	case "selector_expression":
		return w.goSelected(i, depth)
	case "call_expression":
		return w.goCalled(i, depth)
	case "binary_expression", "int_literal", "float_literal", "imaginary_literal", "rune_literal", "interpreted_string_literal",
		"raw_string_literal", "true", "false", "nil", "iota":
		return goNone
	}
	return ""
}

func (w *walker) goFuncType(i int32, depth int) string {
	if list := w.goResults(i, depth+1); len(list) > 0 {
		return string(goGives) + list[0]
	}
	return string(goGives) + goNone
}

// goSelected is the type of x.name.
func (w *walker) goSelected(i int32, depth int) string {
	g := w.types()
	op, name := w.child(i, "operand"), w.text(w.child(i, "field"))
	if w.goForeign(op) { // a package, or a variable of another file
		return w.text(op) + "." + name + ":"
	}
	t := w.goExpr(op, depth+1)
	if t == goNone {
		return goNone
	}
	if m, ok := g.member(t, name, 0); ok {
		return m
	}
	return derive(t, name)
}

// goForeign says whether an operand is a name that the file does not declare.
func (w *walker) goForeign(op int32) bool {
	if w.typ(op) != "identifier" {
		return false
	}
	name := w.text(op)
	if _, ok := w.types().look(name, op); ok {
		return false
	}
	_, ok := w.types().values[name]
	return !ok && !w.types().types[name]
}

// goCalled is the type of the first result of a call.
func (w *walker) goCalled(i int32, depth int) string {
	g := w.types()
	f := w.child(i, "function")
	if w.typ(f) == "identifier" {
		name := w.text(f)
		if t, ok := g.look(name, f); ok {
			if s, ok := strings.CutPrefix(t, "="); ok {
				return s // a conversion
			}
		} else if t, ok := g.values[name]; !ok {
			switch {
			case g.alias[name] != "":
				return g.alias[name]
			case g.types[name]:
				return name
			case name == "new" || name == "make":
				if a := w.first(w.child(i, "arguments")); a >= 0 {
					if w.typ(a) == "identifier" { // some versions of the grammar read it as a value
						return w.text(a)
					}
					return w.goTypeOf(a, depth+1)
				}
				return ""
			case name == "append":
				return w.goExpr(w.first(w.child(i, "arguments")), depth+1)
			case w.g.table.builtins[name]:
				return goNone
			}
			return name + ":"
		} else if t == "" {
			return ""
		}
	}
	t := w.goExpr(f, depth+1)
	switch {
	case t == "" || t == goNone:
		return t
	case t[0] == goGives:
		return t[1:]
	case !goNamed(t):
		return ""
	case w.typ(f) == "parenthesized_expression":
		return t // (*T)(x)
	case strings.Contains(t, ":"):
		return t
	}
	if u := g.under[t]; u != "" && u[0] == goGives {
		return u[1:]
	}
	return derive(t, "")
}

// decimal writes a node's number.
func decimal(i int32) string {
	var b [10]byte
	n := len(b)
	for {
		n--
		b[n] = byte('0' + i%10)
		if i /= 10; i == 0 {
			return string(b[n:])
		}
	}
}
