package facts

import (
	"bytes"
	"slices"
)

// jsTable serves JavaScript, TypeScript and TSX: their grammars share names.
func jsTable() *table {
	return &table{
		builtins: set(`undefined require module exports parseInt parseFloat isNaN setTimeout clearTimeout setInterval
			clearInterval String Number Boolean Object Array Promise Error TypeError Symbol Map Set WeakMap Date RegExp
			Function Record Partial Readonly Pick Omit ReturnType arguments JSON Math console process window document
			globalThis global Buffer BigInt any`),
		globals: set("Object Array Promise JSON Math console Number Symbol Reflect"),
		finish:  jsFinish,
		nodes: map[string]handler{
			"comment":                        (*walker).comment,
			"string":                         jsString,
			"template_string":                jsTemplate,
			"import_statement":               jsImport,
			"export_statement":               jsExport,
			"class_declaration":              jsClass,
			"abstract_class_declaration":     jsClass,
			"class":                          jsClass,
			"interface_declaration":          jsClass,
			"enum_declaration":               jsClass,
			"internal_module":                jsClass,
			"module":                         jsClass,
			"type_alias_declaration":         jsAlias,
			"function_declaration":           jsFunction,
			"generator_function_declaration": jsFunction,
			"function_signature":             jsFunction,
			"function_expression":            jsAnonymous,
			"generator_function":             jsAnonymous,
			"function":                       jsAnonymous,
			"arrow_function":                 jsAnonymous,
			"method_definition":              jsMember,
			"method_signature":               jsMember,
			"abstract_method_signature":      jsMember,
			"public_field_definition":        jsMember,
			"field_definition":               jsMember,
			"property_signature":             jsMember,
			"enum_body":                      jsEnumBody,
			"variable_declarator":            jsDeclarator,
			"assignment_expression":          jsAssignment,
			"pair":                           jsPair,
			"formal_parameters":              jsParameters,
			"catch_clause":                   func(w *walker, i int32) { jsPattern(w, w.child(i, "parameter")) },
			"for_in_statement":               jsForIn,
			"type_parameter":                 jsTypeParameter,
			"decorator":                      jsDecorator,
			"call_expression":                jsCall,
			"member_expression":              jsMemberExpression,
			"nested_type_identifier":         jsNestedType,
			"nested_identifier":              jsNestedType,
			"jsx_closing_element":            func(w *walker, i int32) { w.skip(i) },
			"identifier":                     jsIdentifier,
			"type_identifier":                jsIdentifier,
			"shorthand_property_identifier":  jsIdentifier,
		},
	}
}

func jsString(w *walker, i int32) {
	if b := w.bytes(i); len(b) > 2 {
		w.literal(b[1 : len(b)-1])
	}
	w.skip(i)
}

func jsTemplate(w *walker, i int32) {
	if w.kid(i, "template_substitution") < 0 {
		jsString(w, i)
	}
}

// jsOuter returns the export statement around a declaration, or i.
func jsOuter(w *walker, i int32) int32 {
	p := w.parent(i)
	if t := w.typ(p); t == "ambient_declaration" || t == "expression_statement" && w.typ(i) == "internal_module" {
		return jsOuter(w, p)
	}
	if w.typ(p) == "export_statement" {
		return p
	}
	return i
}

func jsClass(w *walker, i int32) {
	name, outer, kind := w.child(i, "name"), jsOuter(w, i), KindClass
	switch w.typ(i) {
	case "class":
		if n := w.parent(i); name < 0 || w.typ(n) == "variable_declarator" || w.typ(n) == "assignment_expression" {
			w.take(name)
			return // the variable is its name
		}
		outer = i
	case "interface_declaration":
		kind = KindInterface
	case "enum_declaration":
		kind = KindEnum
	case "internal_module", "module":
		kind = KindModule
		if w.typ(name) == "string" {
			return
		}
	}
	w.take(name)
	if w.typ(w.parent(i)) == "export_statement" {
		w.exported(w.text(name))
	}
	w.define(decl{node: outer, name: w.text(name), kind: kind, body: w.child(i, "body"), scope: i})
}

func jsAlias(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	if w.inFunc() {
		w.local(name)
		return
	}
	outer := jsOuter(w, i)
	if outer != i {
		w.exported(w.text(name))
	}
	w.define(decl{node: outer, name: w.text(name), kind: KindType, body: -1, scope: i})
}

func jsFunction(w *walker, i int32) {
	name, outer := w.child(i, "name"), jsOuter(w, i)
	w.take(name)
	if w.typ(outer) == "export_statement" {
		w.exported(w.text(name))
	}
	w.define(decl{node: outer, name: w.text(name), kind: KindFunction, body: w.child(i, "body"), sig: true, scope: i})
}

// jsAnonymous is a function expression, unless its declaration has named it.
func jsAnonymous(w *walker, i int32) {
	n := w.child(i, "name")
	w.take(n)
	if !w.isTaken(i) {
		w.anonymous(i)
	}
	// return function named() {…}, a.b = function named() {…}: its second name
	if n >= 0 && (!w.isTaken(i) || jsRenamed(w, i, n)) {
		w.define(decl{node: i, name: w.text(n), kind: KindFunction, body: w.child(i, "body"), scope: i, priv: true})
	}
	if p := w.child(i, "parameter"); p >= 0 {
		w.take(p)
		w.local(p)
	}
}

// jsRenamed says whether an object inside of a function keeps the function i,
// of its own name n, under another.
func jsRenamed(w *walker, i, n int32) bool {
	at := w.scope()
	return at >= 0 && w.priv[at] && w.f.Symbols[at].Name != w.text(n) && w.typ(w.parent(i)) != "variable_declarator"
}

// jsMember is a method or field of a class, an interface or an object.
func jsMember(w *walker, i int32) {
	name := w.child(i, "name")
	if name < 0 {
		name = w.child(i, "property")
	}
	t := w.typ(name)
	if w.typ(i) == "method_definition" && w.inFunc() && !w.inType() {
		jsListed(w, i, name, w.child(i, "body"))
		return
	}
	if t != "property_identifier" && t != "private_property_identifier" {
		if t == "" || w.typ(i) == "method_definition" {
			w.anonymous(i)
		}
		return
	}
	kind, body, sig := KindMethod, w.child(i, "body"), true
	switch w.typ(i) {
	case "public_field_definition", "field_definition", "property_signature":
		kind, sig = KindField, false
		if v := w.child(i, "value"); isJSFunction(w.typ(v)) {
			kind, body = KindMethod, w.child(v, "body")
			w.take(v)
		}
		if w.inFunc() && !w.inType() {
			return
		}
	}
	priv := t == "private_property_identifier"
	if m := w.kid(i, "accessibility_modifier"); m >= 0 && string(w.bytes(m)) == "private" {
		priv = true
	}
	w.define(decl{node: i, name: string(bytes.TrimPrefix(w.bytes(name), []byte("#"))), kind: kind, body: body, sig: sig, scope: i, priv: priv})
}

func isJSFunction(t string) bool {
	switch t {
	case "arrow_function", "function_expression", "generator_function", "function":
		return true
	}
	return false
}

func jsEnumBody(w *walker, i int32) {
	w.children(i, func(c int32) bool {
		n := c
		if w.typ(c) == "enum_assignment" {
			n = w.child(c, "name")
		}
		if w.typ(n) == "property_identifier" {
			w.define(decl{node: c, name: w.text(n), kind: KindField, body: -1, scope: -1})
		}
		return true
	})
}

func jsDeclarator(w *walker, i int32) {
	name, value, list := w.child(i, "name"), w.child(i, "value"), w.parent(i)
	jsRequire(w, i, name, value)
	if w.typ(name) != "identifier" {
		jsPattern(w, name)
		return
	}
	w.take(name)
	value = jsUnbound(w, value)
	vt := w.typ(value)
	fn := isJSFunction(vt)
	if w.inFunc() && !fn {
		w.local(name)
		return
	}
	outer := i
	if w.first(list) == i && w.nodes[i].next == w.nodes[list].next {
		outer = jsOuter(w, list)
	}
	if w.typ(w.parent(list)) == "export_statement" {
		w.exported(w.text(name))
	}
	d := decl{node: outer, name: w.text(name), kind: KindVar, body: -1, scope: i}
	switch {
	case fn:
		d.kind, d.body = KindFunction, w.child(value, "body")
		w.take(value)
	case vt == "class":
		d.kind, d.body = KindClass, w.child(value, "body")
	case bytes.HasPrefix(w.bytes(list), []byte("const")):
		d.kind = KindConst
	}
	w.define(d)
}

// jsAssignment declares what scripts add to exports, prototypes and objects.
func jsAssignment(w *walker, i int32) {
	left, right := w.child(i, "left"), jsUnbound(w, w.child(i, "right"))
	if w.typ(w.parent(i)) != "expression_statement" {
		return
	}
	switch w.typ(left) {
	case "member_expression":
	case "identifier": // let f; f = function …
		if isJSFunction(w.typ(right)) {
			w.take(left)
			w.take(right)
			w.define(decl{node: w.parent(i), name: w.text(left), kind: KindFunction, body: w.child(right, "body"), scope: i, priv: w.inFunc()})
		}
		return
	case "subscript_expression": // nodes["Program:exit"] = function …
		if name := jsKey(w, w.child(left, "index")); name != "" && isJSFunction(w.typ(right)) {
			w.take(right)
			w.define(decl{node: w.parent(i), name: name, kind: KindMethod, body: w.child(right, "body"), scope: i, owner: jsOwner(w, w.child(left, "object")), priv: w.inFunc()})
		}
		return
	default:
		return
	}
	obj, prop := w.child(left, "object"), w.child(left, "property")
	fn := isJSFunction(w.typ(right))
	kind, body := KindVar, int32(-1)
	if fn {
		kind, body = KindFunction, w.child(right, "body")
	} else if w.typ(right) == "class" {
		kind, body = KindClass, w.child(right, "body")
	}
	name, owner, priv := w.text(prop), "", false
	switch o := string(w.bytes(obj)); {
	case o == "module" && name == "exports":
		w.take(left)
		w.take(obj)
		switch w.typ(right) {
		case "identifier":
			w.exported(w.text(right))
			return
		case "object":
			w.exported("")
			w.children(right, func(c int32) bool {
				switch w.typ(c) {
				case "shorthand_property_identifier":
					w.exported(w.text(c))
				case "pair":
					w.exported(w.text(w.child(c, "key")))
				}
				return true
			})
			return
		}
		w.exported("")
		if name = w.text(w.child(right, "name")); name == "" {
			return
		}
		w.exported(name)
	case o == "exports" || o == "module.exports":
		w.take(left)
		w.take(obj)
		w.exported(name)
		if w.typ(right) == "identifier" {
			w.exported(w.text(right))
			return
		}
	case w.typ(obj) == "member_expression" && string(w.bytes(w.child(obj, "property"))) == "prototype":
		w.take(left)
		w.take(obj)
		owner = w.text(w.child(obj, "object"))
		if w.typ(w.child(obj, "object")) == "member_expression" {
			owner = w.text(w.child(w.child(obj, "object"), "property"))
		}
		if fn {
			kind = KindMethod
		} else {
			kind = KindField
		}
	case fn || kind == KindClass && !w.inFunc():
		w.take(left)
		priv = w.inFunc()
		if owner = jsOwner(w, obj); owner == "" && !priv {
			return
		}
		if fn {
			kind = KindMethod
		}
	default:
		return
	}
	if w.inFunc() && !fn {
		return
	}
	if fn {
		w.take(right)
	}
	if len(owner) > maxName {
		owner = ""
	}
	w.define(decl{node: w.parent(i), name: name, kind: kind, body: body, scope: i, owner: owner, priv: priv})
}

// jsOwner returns the name of the object that a member is added to, "" if it
// has none (this, a call).
func jsOwner(w *walker, obj int32) string {
	name := ""
	switch w.typ(obj) {
	case "identifier":
		name = w.text(obj)
	case "member_expression":
		name = w.text(w.child(obj, "property"))
	}
	if len(name) > maxName {
		return ""
	}
	return name
}

// jsPair is a function in an object.
func jsPair(w *walker, i int32) {
	v := jsUnbound(w, w.child(i, "value"))
	if !isJSFunction(w.typ(v)) {
		return
	}
	if w.inFunc() {
		w.take(v)
		jsListed(w, i, w.child(i, "key"), w.child(v, "body"))
		return
	}
	name := jsKey(w, w.child(i, "key"))
	if name == "" {
		return
	}
	w.take(v)
	w.define(decl{node: i, name: name, kind: KindMethod, body: w.child(v, "body"), scope: i})
}

// jsListed is a function in an object inside of a function, be it a method or
// a pair: what a factory returns, the listeners of a rule. It is that
// function's, no file sees it by its bare name.
func jsListed(w *walker, i, key, body int32) {
	if name := jsKey(w, key); name == "" || w.define(decl{node: i, name: name, kind: KindMethod, body: body, scope: i, priv: true}) < 0 {
		w.anonymous(i)
	}
}

// jsKey returns the name that the key of an object or the index of a member
// gives, "" if it is computed.
func jsKey(w *walker, key int32) string {
	switch w.typ(key) {
	case "property_identifier":
		return w.text(key)
	case "string":
		return jsSource(w, key)
	}
	return ""
}

// jsUnbound returns the function f of f.bind(x), or i.
func jsUnbound(w *walker, i int32) int32 {
	if w.typ(i) != "call_expression" {
		return i
	}
	m := w.child(i, "function")
	if f := w.child(m, "object"); isJSFunction(w.typ(f)) && string(w.bytes(w.child(m, "property"))) == "bind" {
		return f
	}
	return i
}

// jsPattern takes the names that a pattern binds as locals.
func jsPattern(w *walker, i int32) {
	if i < 0 {
		return
	}
	for c, n := i, 0; c < w.nodes[i].next && n < maxLook; c, n = c+1, n+1 {
		switch w.typ(c) {
		case "identifier":
			// Defaults are uses: only the left side of one binds.
			if w.field(c) != "right" {
				w.take(c)
				w.local(c)
			}
		case "shorthand_property_identifier_pattern":
			w.local(c)
		}
	}
}

func jsParameters(w *walker, i int32) {
	w.children(i, func(c int32) bool {
		switch w.typ(c) {
		case "required_parameter", "optional_parameter":
			jsPattern(w, w.child(c, "pattern"))
		default:
			jsPattern(w, c)
		}
		return true
	})
}

func jsForIn(w *walker, i int32) {
	if l := w.child(i, "left"); w.child(i, "kind") >= 0 || w.typ(l) == "identifier" {
		jsPattern(w, l)
	}
}

func jsTypeParameter(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	if s := w.scope(); s >= 0 {
		w.locals[[2]int32{s, w.id(w.bytes(name))}] = struct{}{}
	}
}

// jsDecorator belongs to the member or class that follows, where the grammar
// has them side by side.
func jsDecorator(w *walker, i int32) {
	if t := w.typ(w.parent(i)); t == "class_body" || t == "export_statement" || t == "program" {
		w.attribute(i)
	}
}

func jsMemberExpression(w *walker, i int32) {
	if w.isTaken(i) {
		return
	}
	obj, qual := w.child(i, "object"), []byte(nil)
	switch w.typ(obj) {
	case "identifier":
		w.take(obj)
		qual = w.bytes(obj)
	case "this", "super":
		qual = w.bytes(obj)
	case "member_expression":
		qual = w.bytes(w.child(obj, "property"))
	}
	name := w.child(i, "property")
	w.ref(bytes.TrimPrefix(w.bytes(name), []byte("#")), qual, jsUse(w, i))
}

func jsNestedType(w *walker, i int32) {
	name, mod := w.child(i, "name"), w.child(i, "module")
	if name < 0 {
		name, mod = w.child(i, "property"), w.child(i, "object")
	}
	w.take(name)
	if w.typ(mod) == "identifier" {
		w.take(mod)
		w.ref(w.bytes(name), w.bytes(mod), jsUse(w, i))
	} else {
		w.ref(w.bytes(name), nil, jsUse(w, i))
	}
}

func jsIdentifier(w *walker, i int32) {
	if !w.isTaken(i) {
		if u := jsUse(w, i); u != RefCall || w.typ(i) != "identifier" || !jsHTML(w, i) {
			w.ref(w.bytes(i), nil, u)
		}
	}
}

// jsHTML says whether i is the name of a plain element: <div>.
func jsHTML(w *walker, i int32) bool {
	b := w.bytes(i)
	return len(b) > 0 && lower(b[0]) && slices.Contains([]string{"jsx_opening_element", "jsx_self_closing_element"}, w.typ(w.parent(i)))
}

func jsUse(w *walker, i int32) RefKind {
	p := w.parent(i)
	switch w.typ(p) {
	case "call_expression":
		if w.field(i) == "function" {
			if w.typ(w.parent(p)) == "decorator" {
				return RefDecorator
			}
			return RefCall
		}
	case "new_expression":
		if w.field(i) == "constructor" {
			return RefCall
		}
	case "jsx_opening_element", "jsx_self_closing_element":
		if w.field(i) == "name" {
			return RefCall
		}
	case "decorator":
		return RefDecorator
	case "class_heritage", "extends_clause", "implements_clause", "extends_type_clause":
		return RefBase
	case "generic_type":
		switch w.typ(w.parent(p)) {
		case "class_heritage", "extends_clause", "implements_clause", "extends_type_clause":
			return RefBase
		}
	}
	return RefUse
}
