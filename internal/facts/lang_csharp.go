package facts

import (
	"bytes"
	"strings"
)

func csharpTable() *table {
	def := func(k Kind) handler { return func(w *walker, i int32) { csharpType(w, i, k) } }
	return &table{
		calm:  calmDirectives,
		rival: true,
		builtins: set(`string object int long bool double float byte short char decimal void var nameof typeof String Object
			Int32 Int64 Boolean Exception ArgumentException ArgumentNullException InvalidOperationException
			NotSupportedException NotImplementedException List Dictionary HashSet IEnumerable IList IDictionary
			IReadOnlyList ICollection Task ValueTask Func Action Type Attribute Console Math Array Enumerable
			StringBuilder IDisposable CancellationToken Guid DateTime TimeSpan Nullable Span ReadOnlySpan Memory
			Obsolete Serializable ToString Equals GetHashCode GetType value field`),
		globals: set("Math Console String Array Convert Enumerable StringComparer StringComparison Task CultureInfo"),
		nodes: map[string]handler{
			"comment":                           (*walker).comment,
			"string_literal":                    quoted,
			"verbatim_string_literal":           func(w *walker, i int32) { w.literal(bytes.Trim(w.bytes(i), `@"`)) },
			"raw_string_literal":                func(w *walker, i int32) { w.literal(bytes.Trim(w.bytes(i), `"`)) },
			"using_directive":                   csharpUsing,
			"namespace_declaration":             csharpNamespace,
			"file_scoped_namespace_declaration": csharpNamespace,
			"class_declaration":                 def(KindClass),
			"record_declaration":                def(KindClass),
			"record_struct_declaration":         def(KindStruct),
			"struct_declaration":                def(KindStruct),
			"interface_declaration":             def(KindInterface),
			"enum_declaration":                  def(KindEnum),
			"delegate_declaration":              csharpDelegate,
			"enum_member_declaration":           csharpMember(KindField),
			"method_declaration":                csharpMember(KindMethod),
			"constructor_declaration":           csharpMember(KindMethod),
			"property_declaration":              csharpMember(KindField),
			"event_declaration":                 csharpMember(KindField),
			"field_declaration":                 csharpField,
			"event_field_declaration":           csharpField,
			"destructor_declaration":            csharpNameless,
			"indexer_declaration":               csharpNameless,
			"operator_declaration":              csharpNameless,
			"conversion_operator_declaration":   csharpNameless,
			"local_function_statement":          csharpLocalFunction,
			"lambda_expression":                 csharpLambda,
			"local_declaration_statement":       csharpLocals,
			"for_statement":                     csharpLocals,
			"using_statement":                   csharpLocals,
			"foreach_statement":                 func(w *walker, i int32) { csharpLocal(w, w.child(i, "left")) },
			"parameter":                         csharpParameter,
			"parameter_list":                    func(w *walker, i int32) { csharpLocal(w, w.child(i, "name")) },
			"implicit_parameter":                func(w *walker, i int32) { csharpLocal(w, i) },
			"type_parameter":                    func(w *walker, i int32) { csharpLocal(w, w.child(i, "name")) },
			"declaration_pattern":               func(w *walker, i int32) { csharpLocal(w, w.child(i, "name")) },
			"declaration_expression":            func(w *walker, i int32) { csharpLocal(w, w.child(i, "name")) },
			"recursive_pattern":                 func(w *walker, i int32) { csharpLocal(w, w.child(i, "name")) },
			"var_pattern":                       func(w *walker, i int32) { csharpLocal(w, w.child(i, "name")) },
			"catch_declaration":                 func(w *walker, i int32) { csharpLocal(w, w.child(i, "name")) },
			"from_clause":                       func(w *walker, i int32) { csharpLocal(w, w.child(i, "name")) },
			"name_colon":                        func(w *walker, i int32) { w.skip(i) },
			"labeled_statement":                 func(w *walker, i int32) { w.take(w.first(i)) },
			"goto_statement":                    func(w *walker, i int32) { w.skip(i) },
			"base_list":                         csharpBases,
			"attribute":                         func(w *walker, i int32) { csharpRef(w, w.child(i, "name"), RefDecorator) },
			"object_creation_expression":        func(w *walker, i int32) { csharpRef(w, w.child(i, "type"), RefCall) },
			"invocation_expression":             csharpCall,
			"member_access_expression":          func(w *walker, i int32) { csharpAccess(w, i, RefUse) },
			"member_binding_expression":         func(w *walker, i int32) { csharpAccess(w, i, RefUse) },
			"qualified_name":                    csharpName,
			"alias_qualified_name":              csharpName,
			"generic_name":                      csharpName,
			"identifier":                        csharpName,
		},
	}
}

// calmDirectives blanks the lines of the preprocessor: all branches are read.
// Of branches that are but a part of a declaration (internal or public) only
// the first stays, and ref before a struct goes, which the grammar does not
// know.
func calmDirectives(src []byte) []byte {
	out := src
	own := func() {
		if &out[0] == &src[0] {
			out = bytes.Clone(src)
		}
	}
	wipe := func(i, end int) {
		own()
		for ; i < end; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	other := -1 // where a branch that is not the first began
	for i := 0; i < len(src); {
		end := lineEnd(src, i)
		line := bytes.TrimSpace(src[i:end])
		switch {
		case len(line) > 1 && line[0] == '#' && (line[1]|0x20 >= 'a' && line[1]|0x20 <= 'z' || line[1] == ' '):
			word := bytes.TrimLeft(line[1:], " \t")
			if other >= 0 && !bytes.ContainsAny(src[other:i], ";{}") {
				wipe(other, i)
			}
			other = -1
			if bytes.HasPrefix(word, []byte("else")) || bytes.HasPrefix(word, []byte("elif")) {
				other = end
			}
			wipe(i, end)
		case bytes.Contains(line, []byte("ref ")):
			for _, after := range []string{"ref struct ", "ref partial struct "} {
				if k := bytes.Index(src[i:end], []byte(after)); k >= 0 && (k == 0 || blank(src[i+k-1])) {
					wipe(i+k, i+k+len("ref"))
				}
			}
		}
		i = end + 1
	}
	return out
}

func csharpUsing(w *walker, i int32) {
	defer w.skip(i)
	m := Import{Line: w.line(i)}
	if a := w.child(i, "name"); a >= 0 {
		m.Alias = w.text(a)
	}
	w.children(i, func(c int32) bool {
		if w.field(c) != "name" {
			m.Module = string(bytes.ReplaceAll(w.bytes(c), []byte("::"), []byte(".")))
		}
		return true
	})
	m.Module, _, _ = strings.Cut(strings.TrimPrefix(m.Module, "global."), "<")
	head := w.src[w.nodes[i].start:min(int(w.nodes[i].start)+40, int(w.nodes[i].end))]
	if f := bytes.Fields(head); len(f) > 2 && (string(f[1]) == "static" || string(f[2]) == "static") {
		m.Names = []string{"*"}
	}
	if m.Module != "" {
		w.imp(m)
	}
}

func csharpNamespace(w *walker, i int32) {
	name := w.child(i, "name")
	if w.f.Package == "" {
		w.f.Package = w.text(name)
	}
	for c := name; c >= 0 && c < w.nodes[name].next; c++ {
		w.take(c)
	}
	if body := w.child(i, "body"); body >= 0 {
		w.define(decl{node: i, name: w.text(name), kind: KindModule, body: body, scope: i})
	}
}

// csharpHas says whether a declaration has one of the modifiers.
func csharpHas(w *walker, i int32, words ...string) bool {
	has := false
	w.children(i, func(c int32) bool {
		if w.typ(c) == "modifier" {
			for _, m := range words {
				has = has || string(w.bytes(c)) == m
			}
		}
		return !has
	})
	return has
}

// csharpHidden says whether a member is private: unless it says otherwise, or
// stands in an interface or enumeration.
func csharpHidden(w *walker, i int32) bool {
	if k, in := w.scopeKind(); in && (k == KindInterface || k == KindEnum) {
		return false
	}
	return !csharpHas(w, i, "public", "protected", "internal")
}

func csharpType(w *walker, i int32, kind Kind) {
	name := w.child(i, "name")
	w.take(name)
	body := w.part(i, "body")
	d := decl{node: i, name: w.text(name), kind: kind, body: body, sig: body < 0, scope: i, priv: csharpHas(w, i, "private")}
	at := w.define(d)
	if p := w.kid(i, "parameter_list"); at >= 0 && p >= 0 && w.typ(i) == "record_declaration" {
		w.children(p, func(c int32) bool { // the parameters of a record are its properties
			if n := w.child(c, "name"); n >= 0 {
				w.take(n)
				w.define(decl{node: c, name: w.text(n), kind: KindField, body: -1, scope: -1})
			}
			return true
		})
	}
}

func csharpDelegate(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindType, body: -1, sig: true, scope: i, priv: csharpHas(w, i, "private")})
}

func csharpMember(kind Kind) handler {
	return func(w *walker, i int32) {
		name := w.child(i, "name")
		w.take(name)
		w.define(decl{node: i, name: w.text(name), kind: kind, body: w.part(i, "body", "accessors", "arrow_expression_clause"), sig: kind == KindMethod, scope: i, priv: csharpHidden(w, i)})
	}
}

func csharpField(w *walker, i int32) {
	kind := KindField
	if csharpHas(w, i, "const") || csharpHas(w, i, "static") && csharpHas(w, i, "readonly") {
		kind = KindConst
	}
	priv := csharpHidden(w, i)
	v := w.kid(i, "variable_declaration")
	w.children(v, func(c int32) bool {
		if w.typ(c) != "variable_declarator" {
			return true
		}
		name := w.child(c, "name")
		w.take(name)
		scope := i // a lone variable owns what its declaration uses
		if w.nodes[c].next != w.nodes[i].next {
			scope = -1
		}
		w.define(decl{node: i, name: w.text(name), kind: kind, body: -1, scope: scope, priv: priv})
		return true
	})
}

// csharpNameless: operators and indexers have bodies but no name to look for.
func csharpNameless(w *walker, i int32) {
	w.take(w.child(i, "name"))
	w.anonymous(i)
}

func csharpLocalFunction(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindFunction, body: w.part(i, "body"), sig: true, scope: i, priv: true})
}

func csharpLocal(w *walker, i int32) {
	if w.typ(i) == "identifier" || w.typ(i) == "implicit_parameter" {
		w.takeLocal(i)
	}
}

func csharpLambda(w *walker, i int32) {
	if p := w.child(i, "parameters"); w.typ(p) == "identifier" {
		w.takeLocal(p)
	}
}

func csharpParameter(w *walker, i int32) {
	if n := w.child(i, "name"); n >= 0 && !w.isTaken(n) {
		w.takeLocal(n)
	}
}

func csharpLocals(w *walker, i int32) {
	v := w.kid(i, "variable_declaration")
	w.children(v, func(c int32) bool {
		if w.typ(c) == "variable_declarator" {
			csharpLocal(w, w.child(c, "name"))
		}
		return true
	})
}

// csharpRef records the use of a name: plain, generic or qualified.
func csharpRef(w *walker, i int32, kind RefKind) {
	w.take(i)
	switch w.typ(i) {
	case "identifier":
		w.ref(w.bytes(i), nil, kind)
	case "generic_name":
		n := w.first(i)
		w.take(n)
		w.refOf(w.bytes(n), nil, kind, true)
	case "qualified_name":
		n, q := w.child(i, "name"), w.child(i, "qualifier")
		w.take(n)
		w.take(q)
		for c := q; c >= 0 && c < w.nodes[q].next; c++ {
			w.take(c)
		}
		generic := w.typ(n) == "generic_name"
		if generic {
			n = w.first(n)
			w.take(n)
		}
		w.refOf(w.bytes(n), w.bytes(q), kind, generic)
	case "alias_qualified_name": // global::Name: the qualifier is what ends with the colons
		n := w.child(i, "name")
		if n < 0 {
			return
		}
		qual := w.src[w.nodes[i].start:min(int(w.nodes[n].start), len(w.src))]
		w.take(w.child(i, "alias"))
		w.take(n)
		generic := w.typ(n) == "generic_name"
		if generic {
			n = w.first(n)
			w.take(n)
		}
		w.refOf(w.bytes(n), qual, kind, generic)
	case "nullable_type", "array_type":
		csharpRef(w, w.child(i, "type"), kind)
	}
}

func csharpName(w *walker, i int32) {
	if !w.isTaken(i) {
		csharpRef(w, i, RefUse)
	}
}

func csharpBases(w *walker, i int32) {
	w.children(i, func(c int32) bool {
		if w.typ(c) == "primary_constructor_base_type" {
			c = w.child(c, "type")
		}
		csharpRef(w, c, RefBase)
		return true
	})
}

func csharpCall(w *walker, i int32) {
	switch f := w.child(i, "function"); w.typ(f) {
	case "member_access_expression":
		csharpAccess(w, f, RefCall)
	case "conditional_access_expression":
		if b := w.last(f); w.typ(b) == "member_binding_expression" {
			csharpAccess(w, b, RefCall)
		}
	case "member_binding_expression":
		csharpAccess(w, f, RefCall)
	case "identifier", "generic_name":
		csharpRef(w, f, RefCall)
	}
}

// csharpAccess is a.B: what stands before the dot is named by its last name.
func csharpAccess(w *walker, i int32, kind RefKind) {
	if w.isTaken(i) {
		return
	}
	w.take(i)
	name, expr := w.child(i, "name"), w.child(i, "expression")
	if w.typ(i) == "member_binding_expression" {
		expr = w.child(w.parent(i), "condition")
		if expr < 0 {
			expr = w.first(w.parent(i))
		}
		if expr >= i {
			expr = -1
		}
	}
	w.take(name)
	if w.typ(name) == "generic_name" {
		name = w.first(name)
		w.take(name)
	}
	var qual []byte
	switch w.typ(expr) {
	case "identifier":
		if qual = w.bytes(expr); len(qual) > 0 && !upper(qual[0]) {
			w.take(expr) // a type is a use of its own
		}
	case "member_access_expression", "alias_qualified_name":
		qual = w.bytes(w.child(expr, "name"))
	case "invocation_expression", "element_access_expression", "conditional_access_expression":
		qual = unnamed
	case "":
		// this and base have no nodes
		if b := w.bytes(i); bytes.HasPrefix(b, []byte("this")) {
			qual = b[:4]
		} else if bytes.HasPrefix(b, []byte("base")) {
			qual = b[:4]
		}
	}
	w.ref(w.bytes(name), qual, kind)
}
