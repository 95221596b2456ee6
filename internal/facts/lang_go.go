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
			"source_file":                    goFile,
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
			"type_switch_statement":          goTypeSwitch,
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
		// It is known in itself, and of it no more than what it holds.
		w.bind(name, i, w.goBlock(w.parent(i)), "=")
		w.bind(name, w.nodes[i].next, w.goBlock(w.parent(i)), "="+w.goTypeOf(t, 0))
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
	if local {
		end := w.goBlock(w.parent(i))
		names, types := w.goVarSpec(i)
		for k, c := range names {
			w.bind(c, w.nodes[i].next, end, types[k])
		}
	}
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
	// Names of a receiver, a parameter or a result are known in the function
	// that the list belongs to; so are type parameters.
	fn := w.parent(w.parent(i))
	typ := w.goTypeOf(w.child(i, "type"), 0)
	switch w.typ(i) {
	case "variadic_parameter_declaration":
		typ = string(goList) + typ
	case "type_parameter_declaration":
		typ = "=" + typ // its values have what the constraint has
	}
	w.children(i, func(c int32) bool {
		if w.field(c) == "name" {
			w.take(c)
			if fn >= 0 {
				w.bind(c, i, w.nodes[fn].next, typ)
			}
			if s := w.scope(); s >= 0 { // types have parameters too
				w.locals[[2]int32{s, w.id(w.bytes(c))}] = struct{}{}
			}
		}
		return true
	})
}

// goLeft handles what declares names by values: a := b, range, a case of select.
func goLeft(w *walker, i int32) {
	l := w.child(i, "left")
	if l < 0 {
		return
	}
	var names []int32
	w.children(l, func(c int32) bool {
		if w.typ(c) == "identifier" {
			w.local(c)
		}
		names = append(names, c)
		return true
	})
	right := w.child(i, "right")
	switch w.typ(i) {
	case "short_var_declaration":
		w.goBindList(names, right, i)
	case "receive_statement":
		types := [2]string{w.goExpr(right, 0), goNone}
		for k, c := range names[:min(len(names), 2)] {
			w.bind(c, w.nodes[i].next, w.goBlock(w.parent(i)), types[k])
		}
	case "range_clause":
		t := w.goExpr(right, 0)
		types := [2]string{"", w.types().elem(t)}
		switch {
		case t != "" && t[0] == goChan:
			types[0] = types[1]
		case t != "" && t[0] == goList, t == goNone:
			types[0] = goNone
		}
		for k, c := range names[:min(len(names), 2)] {
			w.bind(c, w.nodes[i].next, w.goBlock(w.parent(i)), types[k])
		}
	}
}

// goTypeSwitch gives the name of a type switch, in a case of one type, that
// type.
func goTypeSwitch(w *walker, i int32) {
	alias := w.child(i, "alias")
	w.localsIn(alias, "identifier")
	name := w.first(alias)
	if name < 0 {
		return
	}
	whole := w.goExpr(w.child(i, "value"), 0)
	var cases []int32
	w.children(i, func(c int32) bool {
		if t := w.typ(c); t == "type_case" || t == "default_case" {
			cases = append(cases, c)
		}
		return true
	})
	for k := len(cases) - 1; k >= 0; k-- { // the first is met first
		c := cases[k]
		typ, n := whole, 0
		w.children(c, func(t int32) bool {
			if w.field(t) == "type" {
				if n++; n == 1 {
					typ = w.goTypeOf(t, 0)
				} else {
					typ = whole
				}
			}
			return n < 2
		})
		w.bind(name, c, w.nodes[c].next, typ)
	}
}

// goSelector records x.name with what x is: a name as written where it may be
// that of a package, ":T" or ":p.T" for a value of that type, ":origin:step" for
// what comes from there, ":" for what is not known. What has no members
// elsewhere leaves no reference.
func goSelector(w *walker, i int32) {
	op := w.child(i, "operand")
	plain := w.typ(op) == "identifier"
	if plain {
		w.take(op)
	}
	name := w.bytes(w.child(i, "field"))
	if plain && w.goForeign(op) {
		w.ref(name, w.bytes(op), goUse(w, i))
		return
	}
	t := w.goExpr(op, 0)
	switch {
	case t == "":
		q := ":"
		if n := w.text(op); plain && !w.types().imports[n] {
			q = n
		}
		w.ref(name, []byte(q), goUse(w, i))
	case goNamed(t):
		w.ref(name, []byte(":"+t), goUse(w, i))
	}
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
