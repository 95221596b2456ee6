package facts

import (
	"bytes"
	"strings"
)

func javaTable() *table {
	def := func(k Kind) handler { return func(w *walker, i int32) { javaType(w, i, k) } }
	return &table{
		builtins: set(`String Object Integer Long Boolean Double Float Byte Short Character Number Void Class List Map Set
			ArrayList HashMap HashSet Collection Collections Arrays Optional Override Deprecated SuppressWarnings
			FunctionalInterface SafeVarargs Exception RuntimeException IllegalArgumentException IllegalStateException
			IOException System Math StringBuilder Iterator Iterable Throwable`),
		globals: set("System Math Integer Long Boolean Double Arrays Collections String"),
		nodes: map[string]handler{
			"line_comment":                        (*walker).comment,
			"block_comment":                       (*walker).comment,
			"string_literal":                      quoted,
			"package_declaration":                 javaPackage,
			"import_declaration":                  javaImport,
			"class_declaration":                   def(KindClass),
			"record_declaration":                  def(KindClass),
			"interface_declaration":               def(KindInterface),
			"annotation_type_declaration":         def(KindInterface),
			"enum_declaration":                    def(KindEnum),
			"method_declaration":                  javaMethod,
			"constructor_declaration":             javaMethod,
			"compact_constructor_declaration":     javaMethod,
			"annotation_type_element_declaration": javaMethod,
			"field_declaration":                   javaField,
			"constant_declaration":                javaField,
			"enum_constant":                       javaEnumConstant,
			"local_variable_declaration":          javaLocal,
			"formal_parameter":                    javaName,
			"spread_parameter":                    javaSpread,
			"catch_formal_parameter":              javaName,
			"enhanced_for_statement":              javaName,
			"resource":                            javaName,
			"instanceof_expression":               javaName,
			"type_pattern":                        func(w *walker, i int32) { javaTakeLocal(w, w.kid(i, "identifier")) },
			"lambda_expression":                   javaLambda,
			"type_parameter":                      func(w *walker, i int32) { javaTakeLocal(w, w.kid(i, "type_identifier", "identifier")) },
			"labeled_statement":                   func(w *walker, i int32) { w.take(w.kid(i, "identifier")) },
			"break_statement":                     func(w *walker, i int32) { w.skip(i) },
			"continue_statement":                  func(w *walker, i int32) { w.skip(i) },
			"element_value_pair":                  func(w *walker, i int32) { w.take(w.child(i, "key")) },
			"method_invocation":                   javaInvocation,
			"field_access":                        javaAccess,
			"method_reference":                    javaReference,
			"scoped_type_identifier":              javaScoped,
			"scoped_identifier":                   javaScoped,
			"marker_annotation":                   javaAnnotation,
			"annotation":                          javaAnnotation,
			"identifier":                          javaIdentifier,
			"type_identifier":                     javaIdentifier,
		},
	}
}

// quoted keeps the content of a literal between two quotes of one byte.
func quoted(w *walker, i int32) {
	if b := w.bytes(i); len(b) > 2 {
		w.literal(bytes.Trim(b, `"'`))
	}
}

func javaPackage(w *walker, i int32) {
	w.f.Package = w.text(w.last(i))
	w.skip(i)
}

func javaImport(w *walker, i int32) {
	defer w.skip(i)
	name := w.text(w.kid(i, "scoped_identifier", "identifier"))
	if name == "" {
		return
	}
	m := Import{Module: name, Line: w.line(i)}
	static := bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(w.bytes(i), []byte("import"))), []byte("static "))
	switch {
	case w.kid(i, "asterisk") >= 0:
		m.Names = []string{"*"}
	case static:
		// import static a.B.c takes c from a.B
		if k := strings.LastIndexByte(name, '.'); k > 0 {
			m.Module, m.Names = name[:k], []string{name[k+1:]}
		}
	}
	w.imp(m)
}

// javaHas says whether a declaration has the modifier.
func javaHas(w *walker, i int32, modifier string) bool {
	m := w.kid(i, "modifiers")
	if m < 0 {
		return false
	}
	for _, f := range bytes.Fields(w.bytes(m)) {
		if string(f) == modifier {
			return true
		}
	}
	return false
}

func javaType(w *walker, i int32, kind Kind) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: kind, body: w.child(i, "body"), scope: i, priv: javaHas(w, i, "private")})
}

func javaMethod(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindMethod, body: w.child(i, "body"), sig: true, scope: i, priv: javaHas(w, i, "private")})
}

func javaField(w *walker, i int32) {
	kind := KindField
	if w.typ(i) == "constant_declaration" || javaHas(w, i, "static") && javaHas(w, i, "final") {
		kind = KindConst
	}
	priv := javaHas(w, i, "private")
	open := i // a lone variable owns what its declaration uses
	w.children(i, func(c int32) bool {
		if w.typ(c) != "variable_declarator" {
			return true
		}
		name := w.child(c, "name")
		w.take(name)
		if w.nodes[c].next != w.nodes[i].next {
			open = -1
		}
		w.define(decl{node: i, name: w.text(name), kind: kind, body: -1, scope: open, priv: priv})
		return true
	})
}

func javaEnumConstant(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindField, body: w.child(i, "body"), scope: i})
}

func javaTakeLocal(w *walker, i int32) {
	if i >= 0 {
		w.take(i)
		if s := w.scope(); s >= 0 {
			w.locals[[2]int32{s, w.id(w.bytes(i))}] = struct{}{}
		}
	}
}

func javaName(w *walker, i int32) { javaTakeLocal(w, w.child(i, "name")) }

func javaLocal(w *walker, i int32) {
	w.children(i, func(c int32) bool {
		if w.typ(c) == "variable_declarator" {
			javaTakeLocal(w, w.child(c, "name"))
		}
		return true
	})
}

func javaSpread(w *walker, i int32) {
	javaTakeLocal(w, w.child(w.kid(i, "variable_declarator"), "name"))
}

func javaLambda(w *walker, i int32) {
	p := w.child(i, "parameters")
	switch w.typ(p) {
	case "identifier":
		javaTakeLocal(w, p)
	case "inferred_parameters":
		w.children(p, func(c int32) bool { javaTakeLocal(w, c); return true })
	}
}

// javaQualifier returns the plain name an expression ends with.
func javaQualifier(w *walker, obj int32) []byte {
	switch w.typ(obj) {
	case "identifier":
		b := w.bytes(obj)
		if len(b) > 0 && !upper(b[0]) {
			w.take(obj) // a class is a use of its own
		}
		return b
	case "this", "super":
		return w.bytes(obj)
	case "field_access":
		return w.bytes(w.child(obj, "field"))
	}
	return nil
}

func javaInvocation(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.ref(w.bytes(name), javaQualifier(w, w.child(i, "object")), RefCall)
}

func javaAccess(w *walker, i int32) {
	name := w.child(i, "field")
	if w.typ(name) != "identifier" {
		return
	}
	w.take(name)
	w.ref(w.bytes(name), javaQualifier(w, w.child(i, "object")), RefUse)
}

// javaReference is A::b.
func javaReference(w *walker, i int32) {
	l, r := w.first(i), w.last(i)
	if l < 0 || l == r || w.typ(r) != "identifier" {
		return
	}
	w.take(r)
	w.ref(w.bytes(r), javaQualifier(w, l), RefCall)
}

func javaScoped(w *walker, i int32) {
	name := w.last(i)
	w.take(name)
	q := w.first(i)
	if t := w.typ(q); q != name && (t == "identifier" || t == "type_identifier") {
		w.take(q)
		w.ref(w.bytes(name), w.bytes(q), javaUse(w, i))
	} else {
		w.ref(w.bytes(name), nil, javaUse(w, i))
	}
}

func javaAnnotation(w *walker, i int32) {
	name := w.child(i, "name")
	if w.typ(name) == "identifier" {
		w.take(name)
		w.ref(w.bytes(name), nil, RefDecorator)
	}
}

func javaIdentifier(w *walker, i int32) {
	if !w.isTaken(i) {
		w.ref(w.bytes(i), nil, javaUse(w, i))
	}
}

func javaUse(w *walker, i int32) RefKind {
	p := w.parent(i)
	if w.typ(p) == "generic_type" && w.first(p) == i {
		i, p = p, w.parent(p)
	}
	switch w.typ(p) {
	case "superclass", "extends_interfaces", "super_interfaces":
		return RefBase
	case "type_list":
		switch w.typ(w.parent(p)) {
		case "super_interfaces", "extends_interfaces":
			return RefBase
		}
	case "object_creation_expression":
		if w.field(i) == "type" {
			return RefCall
		}
	case "annotation", "marker_annotation":
		return RefDecorator
	}
	return RefUse
}
