package facts

import (
	"bytes"
	"strings"
)

// cTable serves C and C++: what only one of them has does no harm to the other.
func cTable() *table {
	return &table{
		calm: calmMacros,
		builtins: set(`NULL nullptr size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t
			intptr_t bool true false printf fprintf sprintf snprintf malloc calloc realloc free memcpy memset memmove memcmp
			strlen strcmp strncmp strcpy strncpy strdup assert sizeof FILE va_list va_start va_end std string vector map set
			pair unique_ptr shared_ptr make_unique make_shared move forward this T U Args errno stderr stdout stdin
			ptrdiff_t wchar_t EXPECT_EQ ASSERT_EQ EXPECT_TRUE ASSERT_TRUE defined __cplusplus`),
		globals: set("std"),
		nodes: map[string]handler{
			"comment":                               (*walker).comment,
			"string_literal":                        quoted,
			"raw_string_literal":                    func(w *walker, i int32) { w.literal(w.bytes(w.kid(i, "raw_string_content"))) },
			"preproc_include":                       cInclude,
			"preproc_def":                           cMacro,
			"preproc_function_def":                  cMacro,
			"function_definition":                   cFunction,
			"inline_method_definition":              cFunction,
			"constructor_or_destructor_definition":  cFunction,
			"operator_cast_definition":              cFunction,
			"declaration":                           cDeclaration,
			"constructor_or_destructor_declaration": cDeclaration,
			"operator_cast_declaration":             cDeclaration,
			"field_declaration":                     cDeclaration,
			"friend_declaration":                    nil,
			"class_specifier":                       cType,
			"struct_specifier":                      cType,
			"union_specifier":                       cType,
			"enum_specifier":                        cType,
			"enumerator":                            cEnumerator,
			"type_definition":                       cTypedef,
			"alias_declaration":                     cAlias,
			"concept_definition":                    cAlias,
			"namespace_definition":                  cNamespace,
			"using_declaration":                     cUsing,
			"parameter_declaration":                 cParameter,
			"optional_parameter_declaration":        cParameter,
			"variadic_parameter_declaration":        cParameter,
			"type_parameter_declaration":            cTypeParameter,
			"optional_type_parameter_declaration":   cTypeParameter,
			"variadic_type_parameter_declaration":   cTypeParameter,
			"for_range_loop":                        cParameter,
			"template_function":                     nil,
			"field_expression":                      cField,
			"qualified_identifier":                  cQualified,
			"labeled_statement":                     func(w *walker, i int32) { w.take(w.child(i, "label")) },
			"identifier":                            cIdentifier,
			"type_identifier":                       cIdentifier,
		},
	}
}

func cInclude(w *walker, i int32) {
	p := w.child(i, "path")
	b := w.bytes(p)
	if t := w.typ(p); len(b) > 2 && (t == "string_literal" || t == "system_lib_string") {
		m := Import{Module: string(bytes.Trim(b, `"<>`)), Line: w.line(i)}
		if t == "string_literal" {
			m.Relative = 1
		}
		w.imp(m)
	}
	w.skip(i)
}

func cMacro(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	if w.child(i, "value") < 0 && w.child(i, "parameters") < 0 {
		if b := w.text(name); strings.HasSuffix(b, "_H") || strings.HasSuffix(b, "_H_") || strings.HasSuffix(b, "_H__") || strings.HasSuffix(b, "_HPP") || strings.HasSuffix(b, "_INCLUDED") {
			w.skip(i)
			return // an include guard
		}
	}
	w.define(decl{node: i, name: w.text(name), kind: KindMacro, body: -1, scope: -1})
	w.skip(i)
}

// cName is what a declarator declares.
type cName struct {
	node   int32 // of the name, -1 if there is none
	name   string
	owner  string // A of A::b
	fn     bool   // a function, not a pointer to one
	params int32
}

// cDeclarator follows a declarator down to its name.
func cDeclarator(w *walker, i int32) cName {
	d := cName{node: -1, params: -1}
	paren := false
	for n := 0; i >= 0 && n < maxLook; n++ {
		switch t := w.typ(i); t {
		case "identifier", "field_identifier", "type_identifier", "primitive_type":
			d.node, d.name = i, w.text(i)
			return d
		case "destructor_name", "operator_name":
			d.node, d.name = i, strings.Join(strings.Fields(w.text(i)), "")
			return d
		case "operator_cast":
			d.node, d.name, d.fn = i, "operator "+w.text(w.child(i, "type")), true
			return d
		case "qualified_identifier":
			s := w.child(i, "scope")
			if w.typ(s) == "template_type" {
				s = w.child(s, "name")
			}
			d.owner = w.text(s)
			w.take(i)
			w.take(s)
			i = w.child(i, "name")
		case "template_function", "template_method":
			i = w.child(i, "name")
		case "function_declarator":
			if d.params < 0 {
				d.fn, d.params = true, w.child(i, "parameters")
			}
			i = w.child(i, "declarator")
			paren = w.typ(i) == "parenthesized_declarator"
		case "pointer_declarator", "reference_declarator", "parenthesized_declarator", "array_declarator", "init_declarator",
			"attributed_declarator", "variadic_declarator":
			if t == "pointer_declarator" && paren {
				d.fn = false // void (*f)(int)
			}
			if t == "array_declarator" && d.params >= 0 {
				d.fn = false
			}
			c := w.child(i, "declarator")
			if c < 0 {
				c = w.kid(i, "identifier", "field_identifier", "type_identifier", "function_declarator", "pointer_declarator",
					"reference_declarator", "array_declarator", "parenthesized_declarator", "qualified_identifier", "operator_name")
			}
			i = c
		default:
			return d
		}
	}
	return d
}

// cOuter returns the template around a declaration, or i.
func cOuter(w *walker, i int32) int32 {
	for n := 0; n < maxLook; n++ {
		p := w.parent(i)
		if w.typ(p) != "template_declaration" {
			break
		}
		i = p
	}
	return i
}

// cHas says whether the specifiers of declaration i hold the word.
func cHas(w *walker, i int32, word string) bool {
	found := false
	w.children(i, func(c int32) bool {
		switch w.typ(c) {
		case "storage_class_specifier", "type_qualifier":
			found = found || string(w.bytes(c)) == word
		}
		return !found
	})
	return found
}

func cFunction(w *walker, i int32) {
	d := cDeclarator(w, w.child(i, "declarator"))
	if d.node < 0 {
		return
	}
	w.take(d.node)
	kind, body := KindFunction, w.child(i, "body")
	if d.owner != "" || w.inType() {
		kind = KindMethod
	}
	if w.child(i, "type") < 0 && d.params >= 0 && d.name == strings.ToUpper(d.name) && len(d.name) > 2 {
		// TEST_F(Suite, Name) { … }: the macro's last argument names it.
		if l := w.last(d.params); l >= 0 && w.typ(l) == "parameter_declaration" {
			if t := w.child(l, "type"); w.typ(t) == "type_identifier" && w.nodes[t].end == w.nodes[l].end {
				if f := w.first(d.params); f != l {
					d.owner = w.text(w.child(f, "type"))
				}
				w.ref(w.bytes(d.node), nil, RefCall)
				w.take(t)
				d.name = w.text(t)
			}
		}
	}
	if w.typ(body) != "compound_statement" && w.typ(body) != "try_statement" {
		body = -1
	}
	outer := cOuter(w, i)
	w.define(decl{node: outer, name: d.name, owner: d.owner, kind: kind, body: body, sig: true, scope: i, priv: cHas(w, i, "static") && !w.inType()})
}

func cDeclaration(w *walker, i int32) {
	local := w.inFunc()
	member := w.inType() && !local
	priv := cHas(w, i, "static") && !member
	outer := cOuter(w, i)
	one := func(c int32) {
		d := cDeclarator(w, c)
		if d.node < 0 {
			return
		}
		w.take(d.node)
		if local {
			w.local(d.node)
			return
		}
		kind := KindVar
		switch {
		case d.fn && member:
			kind = KindMethod
		case d.fn:
			kind = KindFunction
		case member:
			kind = KindField
		case cHas(w, i, "const") || cHas(w, i, "constexpr"):
			kind = KindConst
		}
		open := int32(-1)
		if w.nodes[c].next == w.nodes[i].next && w.child(w.child(i, "type"), "body") < 0 {
			open = i // a lone declarator owns its type and its initialiser
		}
		w.define(decl{node: outer, name: d.name, owner: d.owner, kind: kind, body: -1, sig: d.fn, scope: open, priv: priv})
	}
	w.children(i, func(c int32) bool {
		if w.field(c) == "declarator" || w.typ(c) == "init_declarator" {
			one(c)
		}
		return true
	})
}

func cTypeKind(t string) Kind {
	switch t {
	case "class_specifier":
		return KindClass
	case "enum_specifier":
		return KindEnum
	}
	return KindStruct
}

func cType(w *walker, i int32) {
	body := w.child(i, "body")
	name := w.child(i, "name")
	if w.typ(name) == "template_type" {
		name = w.child(name, "name")
	}
	if body < 0 {
		if t := w.typ(w.parent(i)); (t == "declaration_list" || t == "translation_unit" || t == "friend_declaration" || t == "field_declaration_list" || t == "template_declaration") && w.typ(name) == "type_identifier" {
			w.take(name) // a forward declaration
		}
		return
	}
	owner := ""
	if w.typ(name) == "qualified_identifier" {
		d := cDeclarator(w, name)
		name, owner = d.node, d.owner
	}
	w.take(name)
	if w.isTaken(i) || name < 0 {
		return // a typedef has named it, or nothing does
	}
	w.define(decl{node: cOuter(w, i), name: w.text(name), owner: owner, kind: cTypeKind(w.typ(i)), body: body, scope: i})
}

func cEnumerator(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	if !w.inFunc() {
		w.define(decl{node: i, name: w.text(name), kind: KindField, body: -1, scope: -1})
	}
}

func cTypedef(w *walker, i int32) {
	t := w.child(i, "type")
	named := false
	w.children(i, func(c int32) bool {
		if w.field(c) != "declarator" {
			return true
		}
		d := cDeclarator(w, c)
		if d.node < 0 {
			return true
		}
		w.take(d.node)
		if body := w.child(t, "body"); body >= 0 && !named && w.child(t, "name") < 0 && w.typ(c) == "type_identifier" {
			// typedef struct { … } name: the name is the struct's.
			named = true
			w.take(t)
			w.define(decl{node: i, name: d.name, kind: cTypeKind(w.typ(t)), body: body, scope: t})
			return true
		}
		if n := w.child(t, "name"); n >= 0 && w.text(n) == d.name {
			return true // typedef struct a a
		}
		w.defineTypedef(i, d.name)
		return true
	})
}

// defineTypedef adds the name of a typedef beside the struct it names.
func (w *walker) defineTypedef(i int32, name string) {
	if !w.inFunc() {
		at := len(w.scopes)
		for at > 0 && w.scopes[at-1].end <= w.nodes[i].next && w.f.Symbols[w.scopes[at-1].sym].Start == w.line(i) {
			at-- // not inside what the same typedef has opened
		}
		open := w.scopes
		w.scopes = w.scopes[:at]
		w.define(decl{node: i, name: name, kind: KindType, body: -1, scope: -1})
		w.scopes = open
	}
}

func cAlias(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	if w.inFunc() {
		w.local(name)
		return
	}
	w.define(decl{node: cOuter(w, i), name: w.text(name), kind: KindType, body: -1, scope: i})
}

func cNamespace(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	text := w.text(name)
	if k := strings.LastIndex(text, "::"); k >= 0 {
		text = strings.TrimSpace(text[k+2:])
	}
	for c := name; c >= 0 && c < w.nodes[name].next; c++ {
		w.take(c)
	}
	w.define(decl{node: i, name: text, kind: KindModule, body: w.child(i, "body"), scope: i})
}

func cUsing(w *walker, i int32) {
	b := bytes.Fields(w.bytes(i))
	if len(b) > 1 && string(b[1]) == "namespace" {
		w.skip(i)
	}
}

// cParameter takes a declared name as a local of the function at hand.
func cParameter(w *walker, i int32) {
	if d := cDeclarator(w, w.child(i, "declarator")); d.node >= 0 {
		w.take(d.node)
		if s := w.scope(); s >= 0 {
			w.locals[[2]int32{s, w.id(w.bytes(d.node))}] = struct{}{}
		}
	}
}

func cTypeParameter(w *walker, i int32) {
	n := w.child(i, "name")
	if n < 0 {
		n = w.kid(i, "type_identifier")
	}
	w.take(n)
}

func cField(w *walker, i int32) {
	arg, qual := w.child(i, "argument"), []byte(nil)
	switch w.typ(arg) {
	case "identifier":
		w.take(arg)
		qual = w.bytes(arg)
	case "this":
		qual = []byte("this")
	case "field_expression":
		qual = w.bytes(w.child(arg, "field"))
	}
	name := w.child(i, "field")
	if w.typ(name) == "template_method" {
		name = w.child(name, "name")
	}
	if w.typ(name) == "field_identifier" {
		w.ref(w.bytes(name), qual, cUse(w, i))
	}
}

// cQualified is a::b: the last name is used, qualified by the one before.
func cQualified(w *walker, i int32) {
	if w.isTaken(i) {
		return
	}
	s, name := w.child(i, "scope"), w.child(i, "name")
	if w.typ(name) == "qualified_identifier" {
		return // judged at the inner one
	}
	if t := w.typ(s); t == "template_type" {
		s = w.child(s, "name")
	}
	// What it is used for is told by the outermost.
	at := i
	for n := 0; n < maxLook && w.typ(w.parent(at)) == "qualified_identifier"; n++ {
		at = w.parent(at)
	}
	if t := w.typ(name); t == "template_function" || t == "template_type" || t == "template_method" {
		name = w.child(name, "name")
	}
	switch w.typ(name) {
	case "identifier", "type_identifier", "field_identifier":
		w.take(name)
		w.ref(w.bytes(name), w.bytes(s), cUse(w, at))
	}
}

func cIdentifier(w *walker, i int32) {
	if !w.isTaken(i) {
		w.ref(w.bytes(i), nil, cUse(w, i))
	}
}

func cUse(w *walker, i int32) RefKind {
	p := w.parent(i)
	if t := w.typ(p); (t == "template_function" || t == "template_type") && w.field(i) == "name" {
		i, p = p, w.parent(p)
	}
	switch w.typ(p) {
	case "call_expression":
		if w.field(i) == "function" {
			return RefCall
		}
	case "new_expression":
		if w.field(i) == "type" {
			return RefCall
		}
	case "base_class_clause":
		return RefBase
	}
	return RefUse
}
