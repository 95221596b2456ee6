package facts

import (
	"unicode"
	"unicode/utf8"
)

func goTable() *table {
	return &table{
		builtins: set(`len cap append make new copy delete panic recover print println close min max clear complex real imag
			nil true false iota error string bool byte rune any comparable int int8 int16 int32 int64 uint uint8 uint16
			uint32 uint64 uintptr float32 float64 complex64 complex128`),
		exported: func(_ *walker, s *Symbol) bool {
			r, _ := utf8.DecodeRuneInString(s.Name)
			return unicode.IsUpper(r)
		},
		nodes: map[string]handler{
			"comment":                        (*walker).comment,
			"interpreted_string_literal":     goString,
			"raw_string_literal":             goString,
			"package_clause":                 goPackage,
			"import_spec":                    goImport,
			"function_declaration":           goFunc,
			"method_declaration":             goFunc,
			"type_spec":                      goType,
			"type_alias":                     goType,
			"const_spec":                     goValue,
			"var_spec":                       goValue,
			"field_declaration":              goField,
			"method_spec":                    goMethodSpec,
			"method_elem":                    goMethodSpec,
			"type_elem":                      goTypeElem,
			"constraint_elem":                goTypeElem,
			"parameter_declaration":          goParameter,
			"variadic_parameter_declaration": goParameter,
			"type_parameter_declaration":     goParameter,
			"short_var_declaration":          goLeft,
			"range_clause":                   goLeft,
			"receive_statement":              goLeft,
			"type_switch_statement":          func(w *walker, i int32) { w.localsIn(w.child(i, "alias"), "identifier") },
			"labeled_statement":              func(w *walker, i int32) { w.take(w.child(i, "label")) },
			"selector_expression":            goSelector,
			"qualified_type":                 goQualified,
			"keyed_element":                  goKeyed,
			"identifier":                     goIdentifier,
			"type_identifier":                goIdentifier,
		},
	}
}

func goPackage(w *walker, i int32) {
	w.f.Package = w.text(w.first(i))
	w.skip(i)
}

func goImport(w *walker, i int32) {
	p := w.bytes(w.child(i, "path"))
	if len(p) > 2 {
		m := Import{Module: string(p[1 : len(p)-1]), Line: w.line(i)}
		switch name := w.text(w.child(i, "name")); name {
		case ".":
			m.Names = []string{"*"}
		default:
			m.Alias = name
		}
		w.imp(m)
	}
	w.skip(i)
}

func goFunc(w *walker, i int32) {
	d := decl{node: i, name: w.text(w.child(i, "name")), kind: KindFunction, body: w.child(i, "body"), scope: i, sig: true}
	w.take(w.child(i, "name"))
	w.receiver = ""
	var args []int32
	if r := w.child(i, "receiver"); r >= 0 {
		d.kind = KindMethod
		// The receiver's type is its first type name: *T, T[K]; K is declared here.
		for c := r; c < w.nodes[r].next; c++ {
			if w.typ(c) == "type_identifier" {
				if d.owner == "" {
					d.owner = w.text(c)
				}
				w.take(c)
				args = append(args, c)
			}
			if w.typ(c) == "identifier" && w.receiver == "" {
				w.receiver = w.text(c)
			}
		}
	}
	w.define(d)
	if len(args) > 1 {
		for _, c := range args[1:] {
			w.local(c)
		}
	}
}

// single returns the parenless declaration around spec i, or i itself.
func single(w *walker, i int32) int32 {
	p := w.parent(i)
	for t := w.typ(p); t == "var_spec_list"; t = w.typ(p) {
		return i
	}
	if p >= 0 && w.first(p) == i && w.nodes[i].next == w.nodes[p].next && w.nodes[p].end <= w.nodes[i].end {
		return p
	}
	return i
}

func goType(w *walker, i int32) {
	name, t := w.child(i, "name"), w.child(i, "type")
	w.take(name)
	if w.inFunc() {
		w.local(name)
		return
	}
	d := decl{node: single(w, i), name: w.text(name), kind: KindType, body: -1, scope: i}
	switch w.typ(t) {
	case "struct_type":
		d.kind = KindStruct
	case "interface_type":
		d.kind = KindInterface
	}
	w.define(d)
}

func goValue(w *walker, i int32) {
	kind := KindVar
	if w.typ(i) == "const_spec" {
		kind = KindConst
	}
	local := w.inFunc()
	w.children(i, func(c int32) bool {
		if w.field(c) == "name" && w.typ(c) == "identifier" {
			w.take(c)
			if local {
				w.local(c)
			} else if string(w.bytes(c)) != "_" {
				w.define(decl{node: single(w, i), name: w.text(c), kind: kind, body: -1, scope: -1})
			}
		}
		return true
	})
}

func goField(w *walker, i int32) {
	named := false
	top := w.inType() && !w.inFunc()
	w.children(i, func(c int32) bool {
		if w.field(c) == "name" {
			named = true
			if top {
				w.define(decl{node: i, name: w.text(c), kind: KindField, body: -1, scope: -1})
			}
		}
		return true
	})
	if named {
		return
	}
	// An embedded type: its last type name is a base.
	t := w.child(i, "type")
	goBase(w, t)
}

func goBase(w *walker, t int32) {
	if t < 0 {
		return
	}
	switch w.typ(t) {
	case "type_identifier":
		w.take(t)
		w.ref(w.bytes(t), nil, RefBase)
	case "qualified_type":
		w.take(t)
		w.take(w.child(t, "name"))
		w.take(w.child(t, "package"))
		w.ref(w.bytes(w.child(t, "name")), w.bytes(w.child(t, "package")), RefBase)
	case "generic_type":
		goBase(w, w.child(t, "type"))
	case "pointer_type":
		goBase(w, w.first(t))
	}
}

// goTypeElem is a type embedded in an interface.
func goTypeElem(w *walker, i int32) {
	if w.typ(w.parent(i)) != "interface_type" {
		return
	}
	if c := w.first(i); c >= 0 && w.nodes[c].next == w.nodes[i].next {
		goBase(w, c)
	}
}

func goMethodSpec(w *walker, i int32) {
	if w.inType() && !w.inFunc() {
		w.define(decl{node: i, name: w.text(w.child(i, "name")), kind: KindMethod, body: -1, sig: true, scope: -1})
	}
}

func goParameter(w *walker, i int32) {
	w.children(i, func(c int32) bool {
		if w.field(c) == "name" {
			w.take(c)
			if s := w.scope(); s >= 0 { // types have parameters too
				w.locals[[2]int32{s, w.id(w.bytes(c))}] = struct{}{}
			}
		}
		return true
	})
}

func goLeft(w *walker, i int32) {
	if l := w.child(i, "left"); l >= 0 {
		w.children(l, func(c int32) bool {
			if w.typ(c) == "identifier" {
				w.local(c)
			}
			return true
		})
	}
}

func goSelector(w *walker, i int32) {
	op, qual := w.child(i, "operand"), []byte(nil)
	switch w.typ(op) {
	case "identifier":
		w.take(op)
		if qual = w.bytes(op); w.isReceiver(qual) {
			qual = []byte("self")
		}
	case "selector_expression":
		qual = w.bytes(w.child(op, "field"))
	}
	w.ref(w.bytes(w.child(i, "field")), qual, goUse(w, i))
}

// isReceiver says whether a name is that of the method's receiver, which other
// languages call self.
func (w *walker) isReceiver(name []byte) bool {
	return w.receiver != "" && string(name) == w.receiver && w.inFunc()
}

func goQualified(w *walker, i int32) {
	if !w.isTaken(i) {
		w.take(w.child(i, "name"))
		w.ref(w.bytes(w.child(i, "name")), w.bytes(w.child(i, "package")), RefUse)
	}
}

// goKeyed: the key of T{Name: v} is a field, that of a map is an expression;
// only the types could tell, so plain names count as fields.
func goKeyed(w *walker, i int32) {
	k := w.first(i)
	if w.typ(k) == "literal_element" {
		k = w.first(k)
	}
	if w.typ(k) == "identifier" {
		w.take(k)
	}
}

func goIdentifier(w *walker, i int32) {
	if !w.isTaken(i) {
		w.ref(w.bytes(i), nil, goUse(w, i))
	}
}

func goUse(w *walker, i int32) RefKind {
	if w.field(i) == "function" {
		if t := w.typ(w.parent(i)); t == "call_expression" {
			return RefCall
		}
	}
	return RefUse
}

func goString(w *walker, i int32) {
	if b := w.bytes(i); len(b) > 2 {
		w.literal(b[1 : len(b)-1])
	}
}
