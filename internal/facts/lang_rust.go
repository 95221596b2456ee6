package facts

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

func rustTable() *table {
	def := func(k Kind) handler { return func(w *walker, i int32) { rustItem(w, i, k) } }
	pattern := func(w *walker, i int32) { rustPattern(w, w.child(i, "pattern")) }
	return &table{
		calm: calmItems,
		builtins: set(`Some None Ok Err Self self Vec String Option Result Box Rc Arc Default Clone Debug Copy PartialEq Eq Hash
			PartialOrd Ord Display From Into Iterator Send Sync Sized Drop Fn FnMut FnOnce HashMap HashSet derive cfg test
			allow inline doc println eprintln print format vec assert assert_eq assert_ne debug_assert debug_assert_eq
			panic todo unimplemented unreachable matches write writeln concat stringify include_str must_use deny warn
			feature crate super Serialize Deserialize T E std core alloc`),
		nodes: map[string]handler{
			"line_comment":                (*walker).comment,
			"block_comment":               (*walker).comment,
			"string_literal":              quoted,
			"raw_string_literal":          rustRaw,
			"use_declaration":             rustUse,
			"extern_crate_declaration":    rustCrate,
			"mod_item":                    rustMod,
			"attribute_item":              (*walker).attribute,
			"struct_item":                 def(KindStruct),
			"union_item":                  def(KindStruct),
			"enum_item":                   def(KindEnum),
			"trait_item":                  def(KindInterface),
			"function_item":               def(KindFunction),
			"function_signature_item":     def(KindFunction),
			"const_item":                  def(KindConst),
			"static_item":                 def(KindVar),
			"type_item":                   def(KindType),
			"associated_type":             def(KindType),
			"macro_definition":            def(KindMacro),
			"enum_variant":                def(KindField),
			"field_declaration":           def(KindField),
			"impl_item":                   rustImpl,
			"let_declaration":             pattern,
			"let_condition":               pattern,
			"parameter":                   pattern,
			"for_expression":              pattern,
			"match_pattern":               rustPattern,
			"closure_parameters":          rustPattern,
			"type_parameters":             rustTypeParameters,
			"call_expression":             nil,
			"scoped_identifier":           rustScoped,
			"scoped_type_identifier":      rustScoped,
			"field_expression":            rustField,
			"field_initializer":           nil,
			"shorthand_field_initializer": nil,
			"lifetime":                    func(w *walker, i int32) { w.skip(i) },
			"identifier":                  rustIdentifier,
			"type_identifier":             rustIdentifier,
		},
	}
}

func rustRaw(w *walker, i int32) {
	b := bytes.TrimLeft(w.bytes(i), "br#")
	w.literal(bytes.Trim(bytes.TrimRight(b, "#"), `"`))
}

// rustUse flattens use a::{b, c::{self, d as e}, f::*}: Module is the path to
// the names, as written and without blanks, and a renamed name is an import
// of its own.
func rustUse(w *walker, i int32) {
	vis := w.kid(i, "visibility_modifier") >= 0
	rustUseTree(w, w.child(i, "argument"), "", Import{Line: w.line(i), Reexport: vis}, 0)
	w.skip(i)
}

func rustPath(w *walker, i int32) string {
	return string(bytes.Join(bytes.Fields(w.bytes(i)), nil))
}

func rustJoin(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "::" + b
}

func rustUseTree(w *walker, i int32, prefix string, m Import, depth int) {
	if i < 0 || depth > maxLook {
		return
	}
	m.Line = w.line(i)
	switch w.typ(i) {
	case "use_list":
		// Plain names of one list are one import.
		names := m
		names.Module, names.Names = prefix, nil
		w.children(i, func(c int32) bool {
			switch t := w.typ(c); {
			case t == "identifier" && prefix != "":
				names.Names = append(names.Names, w.text(c))
			case t == "self":
				one := m
				one.Module = prefix
				w.imp(one)
			default:
				rustUseTree(w, c, prefix, m, depth+1)
			}
			return true
		})
		if len(names.Names) > 0 {
			w.imp(names)
		}
	case "scoped_use_list":
		rustUseTree(w, w.child(i, "list"), rustJoin(prefix, rustPath(w, w.child(i, "path"))), m, depth+1)
	case "use_wildcard":
		m.Module, m.Names = rustJoin(prefix, rustPath(w, w.first(i))), []string{"*"}
		w.imp(m)
	case "use_as_clause":
		m.Alias = w.text(w.child(i, "alias"))
		rustUseName(w, w.child(i, "path"), prefix, m)
	default:
		rustUseName(w, i, prefix, m)
	}
}

func rustUseName(w *walker, i int32, prefix string, m Import) {
	switch w.typ(i) {
	case "scoped_identifier":
		m.Module = rustJoin(prefix, rustPath(w, w.child(i, "path")))
		m.Names = []string{w.text(w.child(i, "name"))}
	case "self":
		m.Module = prefix
	case "identifier", "crate", "super":
		if m.Module = prefix; prefix == "" {
			m.Module = w.text(i)
		} else {
			m.Names = []string{w.text(i)}
		}
	default:
		return
	}
	w.imp(m)
}

func rustCrate(w *walker, i int32) {
	w.imp(Import{Module: w.text(w.child(i, "name")), Alias: w.text(w.child(i, "alias")), Line: w.line(i), Reexport: w.kid(i, "visibility_modifier") >= 0})
	w.skip(i)
}

func rustMod(w *walker, i int32) {
	if w.child(i, "body") < 0 {
		w.imp(Import{Module: w.text(w.child(i, "name")), Line: w.line(i), Mod: true, Reexport: w.kid(i, "visibility_modifier") >= 0})
		w.skip(i)
		return
	}
	rustItem(w, i, KindModule)
}

func rustItem(w *walker, i int32, kind Kind) {
	name := w.child(i, "name")
	w.take(name)
	d := decl{node: i, name: w.text(name), kind: kind, body: w.child(i, "body"), scope: i}
	priv := w.kid(i, "visibility_modifier") < 0
	switch t := w.typ(i); t {
	case "function_item", "function_signature_item":
		d.sig = true
		if w.inType() {
			d.kind = KindMethod
		}
	case "enum_variant", "macro_definition":
		priv = false
		d.body = -1
	case "const_item", "static_item":
		if w.inFunc() {
			w.local(name)
			return
		}
	}
	// What a trait promises is as visible as the trait.
	if k, in := w.scopeKind(); in && (k == KindInterface || k == KindOther && w.child(w.parent(w.parent(i)), "trait") >= 0) {
		priv = false
	}
	d.priv = priv
	w.define(d)
}

// rustImpl opens the type's name again, so that methods have it as parent.
func rustImpl(w *walker, i int32) {
	t := w.child(i, "type")
	for n := 0; n < maxLook; n++ {
		switch w.typ(t) {
		case "generic_type", "reference_type", "pointer_type":
			t = w.child(t, "type")
			continue
		case "scoped_type_identifier":
			t = w.child(t, "name")
		}
		break
	}
	name := ""
	if w.typ(t) == "type_identifier" || w.typ(t) == "primitive_type" {
		name = w.text(t)
	}
	if name == "" {
		name = w.text(w.child(i, "trait"))
	}
	w.define(decl{node: i, name: name, kind: KindOther, body: w.child(i, "body"), scope: i})
}

// rustPattern takes the small-letter names of a pattern as locals.
func rustPattern(w *walker, i int32) {
	if i < 0 {
		return
	}
	for c, n := i, 0; c < w.nodes[i].next && n < maxLook; c, n = c+1, n+1 {
		switch w.typ(c) {
		case "identifier", "shorthand_field_identifier":
			f := w.field(c)
			if r, _ := utf8.DecodeRune(w.bytes(c)); unicode.IsUpper(r) || f == "type" || f == "path" || f == "name" {
				continue
			}
			w.take(c)
			w.local(c)
		case "match_arm", "block", "token_tree":
			return
		}
	}
}

func rustTypeParameters(w *walker, i int32) {
	s := w.scope()
	w.children(i, func(c int32) bool {
		switch w.typ(c) {
		case "constrained_type_parameter":
			c = w.child(c, "left")
		case "optional_type_parameter", "const_parameter":
			c = w.child(c, "name")
		}
		if w.typ(c) == "type_identifier" {
			w.take(c)
			w.locals[[2]int32{s, w.id(w.bytes(c))}] = struct{}{}
		}
		return true
	})
}

// rustScoped is a::b, used whole: only its last name is a ref.
func rustScoped(w *walker, i int32) {
	p, name := w.child(i, "path"), w.child(i, "name")
	w.take(name)
	var qual []byte
	for n := 0; n < maxLook; n++ {
		t := w.typ(p)
		if t == "generic_type" {
			p = w.child(p, "type")
			continue
		}
		if t == "scoped_identifier" || t == "scoped_type_identifier" {
			qual = w.bytes(w.child(p, "name"))
		} else if p >= 0 && t != "bracketed_type" {
			qual = w.bytes(p)
			if b := qual; len(b) > 0 && !upper(b[0]) {
				w.take(p)
			}
		}
		break
	}
	if w.typ(w.parent(i)) == "scoped_identifier" || w.typ(w.parent(i)) == "scoped_type_identifier" {
		// The path of a longer one: a type is a use, a module is not.
		if b := w.bytes(name); len(b) == 0 || !upper(b[0]) {
			return
		}
	}
	w.ref(w.bytes(name), qual, rustUseKind(w, i))
}

func rustField(w *walker, i int32) {
	v, qual := w.child(i, "value"), []byte(nil)
	switch w.typ(v) {
	case "identifier":
		w.take(v)
		qual = w.bytes(v)
	case "self":
		qual = w.bytes(v)
	case "field_expression":
		qual = w.bytes(w.child(v, "field"))
	}
	if name := w.child(i, "field"); w.typ(name) == "field_identifier" {
		w.ref(w.bytes(name), qual, rustUseKind(w, i))
	}
}

func rustIdentifier(w *walker, i int32) {
	if w.isTaken(i) {
		return
	}
	if w.typ(w.parent(i)) == "token_tree" {
		rustToken(w, i)
		return
	}
	w.ref(w.bytes(i), nil, rustUseKind(w, i))
}

// rustToken is a name among the tokens of a macro, where there is no tree:
// what stands around it says how it is used.
func rustToken(w *walker, i int32) {
	n := &w.nodes[i]
	at, end := int(n.start), min(int(n.end), len(w.src))
	var qual []byte
	if at > 2 && (w.src[at-1] == '.' || w.src[at-1] == ':' && w.src[at-2] == ':') {
		e := at - 1
		if w.src[e] == ':' {
			e--
		}
		s := e
		for s > 0 && wordChar(w.src[s-1]) {
			s--
		}
		qual = w.src[s:e]
	}
	kind := RefUse
	for p := w.parent(i); p >= 0; p = w.parent(p) {
		if t := w.typ(p); t == "attribute" {
			kind = RefDecorator
		} else if t == "token_tree" {
			continue
		}
		break
	}
	if end < len(w.src) && w.src[end] == '(' && kind == RefUse {
		kind = RefCall
	}
	if end+1 < len(w.src) && w.src[end] == ':' && w.src[end+1] == ':' && !upper(w.src[at]) {
		return
	}
	w.ref(w.bytes(i), qual, kind)
}

func rustUseKind(w *walker, i int32) RefKind {
	p := w.parent(i)
	if t := w.typ(p); (t == "generic_function" || t == "generic_type") && w.first(p) == i {
		i, p = p, w.parent(p)
	}
	switch w.typ(p) {
	case "call_expression":
		if w.field(i) == "function" {
			return RefCall
		}
	case "macro_invocation":
		return RefCall
	case "struct_expression":
		return RefCall
	case "impl_item":
		if w.field(i) == "trait" {
			return RefBase
		}
	case "trait_bounds":
		if w.typ(w.parent(p)) == "trait_item" {
			return RefBase
		}
	case "attribute":
		return RefDecorator
	}
	return RefUse
}
