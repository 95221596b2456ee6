package facts

import (
	"bytes"
	"strings"
)

func pythonTable() *table {
	t := &table{
		calm: calmCython,
		builtins: set(`self cls super len print str int float bool bytes list dict set tuple range isinstance issubclass
			getattr setattr hasattr type object property staticmethod classmethod enumerate zip map filter sorted
			reversed min max sum any all abs repr open iter next id hash vars dir callable format input round
			ValueError TypeError KeyError Exception AttributeError RuntimeError NotImplementedError IndexError
			__name__ __file__ NotImplemented`),
		exported: func(_ *walker, s *Symbol) bool {
			return !strings.HasPrefix(s.Name, "_") || strings.HasPrefix(s.Name, "__") && strings.HasSuffix(s.Name, "__")
		},
	}
	t.nodes = map[string]handler{
		"comment":                 (*walker).comment,
		"string":                  pyString,
		"decorated_definition":    pyDecorated,
		"class_definition":        pyDef,
		"function_definition":     pyDef,
		"assignment":              pyAssignment,
		"augmented_assignment":    nil,
		"type_alias_statement":    pyTypeAlias,
		"import_statement":        pyImport,
		"import_from_statement":   pyFrom,
		"future_import_statement": func(w *walker, i int32) { w.skip(i) },
		"parameters":              pyParameters,
		"lambda_parameters":       pyParameters,
		"for_statement":           pyLeft,
		"for_in_clause":           pyLeft,
		"named_expression":        func(w *walker, i int32) { w.local(w.child(i, "name")) },
		"as_pattern_target":       func(w *walker, i int32) { w.localsIn(i, "identifier") },
		"global_statement":        func(w *walker, i int32) { w.skip(i) },
		"nonlocal_statement":      func(w *walker, i int32) { w.skip(i) },
		"keyword_argument":        func(w *walker, i int32) { w.take(w.child(i, "name")) },
		"attribute":               pyAttribute,
		"identifier":              pyIdentifier,
	}
	return t
}

func pyDecorated(w *walker, i int32) {
	d := w.child(i, "definition")
	if d < 0 {
		return
	}
	w.take(d)
	pyDefine(w, d, i)
}

func pyDef(w *walker, i int32) {
	if !w.isTaken(i) {
		pyDefine(w, i, i)
	}
}

func pyDefine(w *walker, d, outer int32) {
	name := w.child(d, "name")
	w.take(name)
	kind := KindClass
	if w.typ(d) == "function_definition" {
		kind = KindFunction
		if w.inType() {
			kind = KindMethod
		}
	}
	w.define(decl{node: outer, name: w.text(name), kind: kind, body: w.child(d, "body"), scope: outer})
}

// pyAssignment declares variables of modules, attributes of classes, and
// locals of functions.
func pyAssignment(w *walker, i int32) {
	left := w.child(i, "left")
	if left < 0 {
		return
	}
	if w.inFunc() {
		if t := w.typ(left); t == "identifier" || t == "pattern_list" || t == "tuple_pattern" || t == "list_pattern" {
			w.localsIn(left, "identifier")
		}
		return
	}
	one := func(c int32) {
		if w.typ(c) != "identifier" {
			return
		}
		name := w.text(c)
		w.take(c)
		kind := KindVar
		switch {
		case w.inType():
			kind = KindField
		case name == strings.ToUpper(name) && strings.ToLower(name) != name:
			kind = KindConst
		}
		w.define(decl{node: i, name: name, kind: kind, body: -1, scope: -1})
	}
	if w.typ(left) == "pattern_list" || w.typ(left) == "tuple_pattern" {
		w.children(left, func(c int32) bool { one(c); return true })
		return
	}
	one(left)
}

func pyTypeAlias(w *walker, i int32) {
	c := w.first(i)
	if id := w.kid(c, "identifier"); id >= 0 {
		w.take(id)
		w.define(decl{node: i, name: w.text(id), kind: KindType, body: -1, scope: -1})
	}
}

func pyLeft(w *walker, i int32) {
	if l := w.child(i, "left"); l >= 0 && w.typ(l) != "attribute" && w.typ(l) != "subscript" {
		w.localsIn(l, "identifier")
	}
}

func pyParameters(w *walker, i int32) {
	w.children(i, func(c int32) bool {
		id := c
		switch w.typ(c) {
		case "identifier":
		case "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern":
			id = w.first(c)
			if t := w.typ(id); t == "list_splat_pattern" || t == "dictionary_splat_pattern" {
				id = w.first(id)
			}
		case "default_parameter", "typed_default_parameter":
			id = w.child(c, "name")
		default:
			id = -1
		}
		if w.typ(id) == "identifier" {
			w.take(id)
			w.local(id)
		}
		return true
	})
}

func pyImport(w *walker, i int32) {
	w.children(i, func(c int32) bool {
		m := Import{Line: w.line(i)}
		if w.typ(c) == "aliased_import" {
			m.Module, m.Alias = pyDotted(w, w.child(c, "name")), w.text(w.child(c, "alias"))
		} else {
			m.Module = pyDotted(w, c)
		}
		if m.Module != "" {
			w.imp(m)
		}
		return true
	})
	w.skip(i)
}

// pyDotted returns a dotted name without the blanks it may hold.
func pyDotted(w *walker, i int32) string {
	return strings.Join(strings.Fields(w.text(i)), "")
}

func pyFrom(w *walker, i int32) {
	defer w.skip(i)
	m := Import{Line: w.line(i)}
	from := w.child(i, "module_name")
	if from < 0 {
		return
	}
	if w.typ(from) == "relative_import" {
		m.Relative = int32(bytes.Count(w.bytes(w.kid(from, "import_prefix")), []byte{'.'}))
		m.Module = pyDotted(w, w.kid(from, "dotted_name"))
	} else {
		m.Module = pyDotted(w, from)
	}
	// An alias belongs to one name, so a name with an alias is an import of
	// its own.
	var aliased []Import
	w.children(i, func(c int32) bool {
		switch {
		case c == from:
		case w.typ(c) == "wildcard_import":
			m.Names = append(m.Names, "*")
		case w.typ(c) == "aliased_import":
			a := m
			a.Line = w.line(c)
			a.Names, a.Alias = []string{w.text(w.child(c, "name"))}, w.text(w.child(c, "alias"))
			aliased = append(aliased, a)
		case w.field(c) == "name":
			m.Names = append(m.Names, w.text(c))
		}
		return true
	})
	if len(m.Names) > 0 || len(aliased) == 0 {
		w.imp(m)
	}
	for _, a := range aliased {
		w.imp(a)
	}
}

// pyAttribute is a.b: b is used, qualified by the name before the dot.
func pyAttribute(w *walker, i int32) {
	name := w.child(i, "attribute")
	w.take(name)
	if name < 0 {
		return
	}
	obj, qual := w.child(i, "object"), []byte(nil)
	switch w.typ(obj) {
	case "identifier":
		w.take(obj)
		qual = w.bytes(obj)
	case "attribute":
		qual = w.bytes(w.child(obj, "attribute"))
	case "call":
		// super().f() is a call of the base's f
		if fn := w.child(obj, "function"); w.typ(fn) == "identifier" && string(w.bytes(fn)) == "super" {
			qual = w.bytes(fn)
		}
	}
	w.ref(w.bytes(name), qual, pyUse(w, i))
}

func pyIdentifier(w *walker, i int32) {
	if w.isTaken(i) {
		return
	}
	w.ref(w.bytes(i), nil, pyUse(w, i))
}

// pyUse says how the expression i is used.
func pyUse(w *walker, i int32) RefKind {
	p := w.parent(i)
	switch w.typ(p) {
	case "call":
		if w.field(i) == "function" {
			if w.typ(w.parent(p)) == "decorator" {
				return RefDecorator
			}
			return RefCall
		}
	case "decorator":
		return RefDecorator
	case "argument_list":
		if w.field(p) == "superclasses" {
			return RefBase
		}
	case "subscript": // class A(Generic[T])
		if w.field(i) == "value" && w.field(w.parent(p)) == "superclasses" {
			return RefBase
		}
	}
	return RefUse
}

// pyString keeps the content of a string; one that is a statement is a doc string.
func pyString(w *walker, i int32) {
	n := &w.nodes[i]
	if w.typ(w.parent(i)) == "expression_statement" {
		w.docs = append(w.docs, span{int32(n.start), int32(min(int(n.end), len(w.src)))})
		return
	}
	b := w.bytes(i)
	if q := bytes.IndexAny(b, `"'`); q >= 0 {
		w.literal(bytes.Trim(b[q:], `"'`))
	}
}
