package facts

import (
	"bytes"
	"strings"
)

func phpTable() *table {
	def := func(k Kind) handler { return func(w *walker, i int32) { phpType(w, i, k) } }
	return &table{
		rival: true,
		builtins: set(`true false null self static parent array string int float bool void mixed callable iterable object
			isset empty count is_null is_array is_string is_callable in_array array_map array_filter array_merge
			array_keys array_values implode explode sprintf printf strlen strpos str_replace trim substr compact
			func_get_args call_user_func dirname define defined function_exists class_exists method_exists
			Exception RuntimeException InvalidArgumentException LogicException Throwable Closure stdClass ArrayAccess
			Countable IteratorAggregate Traversable JsonSerializable Iterator Generator DateTime DateTimeInterface
			PHP_EOL PHP_VERSION_ID DIRECTORY_SEPARATOR __DIR__ __FILE__ __CLASS__`),
		nodes: map[string]handler{
			"comment":                           (*walker).comment,
			"string":                            phpString,
			"encapsed_string":                   phpString,
			"namespace_definition":              phpNamespace,
			"namespace_use_declaration":         phpUse,
			"require_once_expression":           phpRequire,
			"require_expression":                phpRequire,
			"include_once_expression":           phpRequire,
			"include_expression":                phpRequire,
			"class_declaration":                 def(KindClass),
			"interface_declaration":             def(KindInterface),
			"trait_declaration":                 def(KindClass),
			"enum_declaration":                  def(KindEnum),
			"enum_case":                         phpCase,
			"use_declaration":                   phpTraits,
			"base_clause":                       phpBases,
			"class_interface_clause":            phpBases,
			"const_element":                     phpConst,
			"property_element":                  phpProperty,
			"property_promotion_parameter":      phpPromoted,
			"method_declaration":                phpFunction,
			"function_definition":               phpFunction,
			"attribute":                         phpAttribute,
			"object_creation_expression":        phpNew,
			"function_call_expression":          phpCall,
			"member_call_expression":            phpMember,
			"nullsafe_member_call_expression":   phpMember,
			"member_access_expression":          phpMember,
			"nullsafe_member_access_expression": phpMember,
			"scoped_call_expression":            phpScoped,
			"scoped_property_access_expression": phpScoped,
			"class_constant_access_expression":  phpScoped,
			"variable_name":                     func(w *walker, i int32) { w.take(w.first(i)) },
			"named_label_statement":             func(w *walker, i int32) { w.take(w.first(i)) },
			"goto_statement":                    func(w *walker, i int32) { w.skip(i) },
			"declare_statement":                 func(w *walker, i int32) { w.skip(i) },
			"qualified_name":                    phpName,
			"name":                              phpName,
			"argument":                          phpArgument,
		},
	}
}

func phpString(w *walker, i int32) {
	if f := w.first(i); f >= 0 && w.nodes[f].next == w.nodes[i].next {
		w.literal(w.bytes(f))
	}
}

func phpNamespace(w *walker, i int32) {
	name := w.child(i, "name")
	if w.f.Package == "" {
		w.f.Package = w.text(name)
	}
	body := w.child(i, "body")
	if body < 0 {
		w.skip(i)
		return
	}
	w.define(decl{node: i, name: w.text(name), kind: KindModule, body: body, scope: i})
	w.next = body
}

// phpUse reads use A\B as C, D\{E, F as G}, use function A\b.
func phpUse(w *walker, i int32) {
	defer w.skip(i)
	prefix := ""
	add := func(c int32) {
		n := w.part(c, "qualified_name", "namespace_name", "name")
		m := Import{Module: strings.Trim(prefix+w.text(n), `\`), Line: w.line(c)}
		if a := w.kid(c, "namespace_aliasing_clause"); a >= 0 {
			m.Alias = w.text(w.first(a))
		}
		if m.Module != "" {
			w.imp(m)
		}
	}
	w.children(i, func(c int32) bool {
		switch w.typ(c) {
		case "namespace_name":
			prefix = w.text(c) + `\`
		case "namespace_use_clause":
			add(c)
		case "namespace_use_group":
			w.children(c, func(g int32) bool { add(g); return true })
		}
		return true
	})
}

// phpRequire takes the last literal of the path: what stands before it is a
// folder that only a run knows.
func phpRequire(w *walker, i int32) {
	m := ""
	for c, n := i+1, 0; c < w.nodes[i].next && n < maxLook; c, n = c+1, n+1 {
		if t := w.typ(c); t == "string_content" || t == "string_value" {
			m = w.text(c)
		}
	}
	if m = strings.TrimPrefix(m, "/"); m != "" {
		w.imp(Import{Module: m, Line: w.line(i), Relative: 1})
	}
}

func phpType(w *walker, i int32, kind Kind) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: kind, body: w.child(i, "body"), scope: i})
}

// phpHas says whether a declaration has the visibility.
func phpHas(w *walker, i int32, visibility string) bool {
	return string(w.bytes(w.kid(i, "visibility_modifier"))) == visibility
}

func phpCase(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindField, body: -1, scope: i})
}

func phpConst(w *walker, i int32) {
	name := w.kid(i, "name")
	w.take(name)
	p := w.parent(i)
	w.define(decl{node: p, name: w.text(name), kind: KindConst, body: -1, scope: i, priv: phpHas(w, p, "private")})
}

func phpProperty(w *walker, i int32) {
	v := w.kid(i, "variable_name")
	w.take(w.first(v))
	p := w.parent(i)
	w.define(decl{node: p, name: w.text(w.first(v)), kind: KindField, body: -1, scope: i, priv: phpHas(w, p, "private")})
}

func phpPromoted(w *walker, i int32) {
	n := w.child(i, "name")
	if w.typ(n) == "variable_name" {
		n = w.first(n)
	}
	w.take(n)
	at := w.define(decl{node: i, name: strings.TrimPrefix(w.text(n), "$"), kind: KindField, body: -1, scope: -1, priv: phpHas(w, i, "private")})
	w.lift(at)
}

func phpFunction(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	kind := KindFunction
	if w.typ(i) == "method_declaration" {
		kind = KindMethod
	}
	w.define(decl{node: i, name: w.text(name), kind: kind, body: w.child(i, "body"), sig: true, scope: i, priv: phpHas(w, i, "private")})
}

// phpRef records the use of a plain or qualified name.
func phpRef(w *walker, i int32, kind RefKind) {
	w.take(i)
	switch w.typ(i) {
	case "name":
		w.ref(w.bytes(i), nil, kind)
	case "qualified_name":
		for c := i + 1; c < w.nodes[i].next; c++ {
			w.take(c)
		}
		b := bytes.Trim(w.bytes(i), `\`)
		if k := bytes.LastIndexByte(b, '\\'); k >= 0 {
			w.ref(b[k+1:], b[:k], kind)
		} else {
			w.ref(b, nil, kind)
		}
	}
}

func phpBases(w *walker, i int32) {
	w.children(i, func(c int32) bool { phpRef(w, c, RefBase); return true })
}

func phpTraits(w *walker, i int32) {
	phpBases(w, i)
	w.skip(i)
}

func phpAttribute(w *walker, i int32) { phpRef(w, w.part(i, "name", "qualified_name"), RefDecorator) }

func phpNew(w *walker, i int32) {
	if c := w.first(i); c >= 0 {
		phpRef(w, c, RefCall)
	}
}

func phpCall(w *walker, i int32) { phpRef(w, w.child(i, "function"), RefCall) }

// phpMember is $a->b and $a->b(): what stands before the arrow is named by
// its last name.
func phpMember(w *walker, i int32) {
	name, obj := w.child(i, "name"), w.child(i, "object")
	if w.typ(name) != "name" {
		return
	}
	w.take(name)
	var qual []byte
	switch w.typ(obj) {
	case "variable_name":
		qual = w.bytes(w.first(obj))
	case "member_access_expression":
		qual = w.bytes(w.child(obj, "name"))
	}
	kind := RefUse
	if strings.HasSuffix(w.typ(i), "call_expression") {
		kind = RefCall
	}
	w.ref(w.bytes(name), qual, kind)
}

// phpScoped is A::b(), A::B, A::$b and A::class.
func phpScoped(w *walker, i int32) {
	scope, name := w.first(i), w.last(i)
	var qual []byte
	switch w.typ(scope) {
	case "name":
		qual = w.bytes(scope)
		phpRef(w, scope, RefUse)
	case "qualified_name":
		qual = bytes.Trim(w.bytes(scope), `\`)
		phpRef(w, scope, RefUse)
	case "relative_scope":
		qual = w.bytes(scope)
	case "variable_name":
		qual = w.bytes(w.first(scope))
	}
	kind := RefUse
	if w.typ(i) == "scoped_call_expression" {
		kind, name = RefCall, w.child(i, "name")
	}
	if name == scope {
		return
	}
	if w.typ(name) == "variable_name" {
		name = w.first(name)
	}
	if w.typ(name) != "name" {
		return
	}
	w.take(name)
	if string(w.bytes(name)) != "class" {
		w.ref(w.bytes(name), qual, kind)
	}
}

// phpArgument: the name of a named argument is the callee's.
func phpArgument(w *walker, i int32) {
	if n := w.child(i, "name"); n >= 0 {
		w.take(n)
	}
}

func phpName(w *walker, i int32) {
	if !w.isTaken(i) {
		phpRef(w, i, RefUse)
	}
}
