package facts

import "bytes"

func kotlinTable() *table {
	return &table{
		calm:  calmActual,
		rival: true,
		builtins: set(`String Int Long Boolean Double Float Byte Short Char Unit Any Nothing List MutableList Map MutableMap Set
			MutableSet Array Pair Triple Sequence Iterable Collection Exception Throwable RuntimeException
			IllegalArgumentException IllegalStateException UnsupportedOperationException Suppress Deprecated JvmStatic
			JvmField JvmOverloads JvmName Throws OptIn it field println print listOf mutableListOf mapOf mutableMapOf setOf
			emptyList arrayOf require check error requireNotNull checkNotNull lazy also apply let run with use repeat TODO
			to until until downTo super this`),
		nodes: map[string]handler{
			"line_comment":                 (*walker).comment,
			"multiline_comment":            (*walker).comment,
			"string_literal":               kotlinString,
			"package_header":               func(w *walker, i int32) { w.f.Package = w.text(w.kid(i, "identifier")) },
			"import_header":                kotlinImport,
			"identifier":                   (*walker).skip,
			"class_declaration":            kotlinType,
			"object_declaration":           kotlinType,
			"companion_object":             kotlinType,
			"type_alias":                   kotlinAlias,
			"enum_entry":                   kotlinEntry,
			"function_declaration":         kotlinFunction,
			"secondary_constructor":        kotlinConstructor,
			"anonymous_initializer":        (*walker).anonymous,
			"anonymous_function":           (*walker).anonymous,
			"lambda_literal":               kotlinLambda,
			"getter":                       (*walker).anonymous,
			"setter":                       (*walker).anonymous,
			"property_declaration":         kotlinProperty,
			"variable_declaration":         kotlinVariable,
			"class_parameter":              kotlinClassParameter,
			"parameter":                    func(w *walker, i int32) { w.takeLocal(w.kid(i, "simple_identifier")) },
			"parameter_with_optional_type": func(w *walker, i int32) { w.takeLocal(w.kid(i, "simple_identifier")) },
			"catch_block":                  func(w *walker, i int32) { w.takeLocal(w.kid(i, "simple_identifier")) },
			"type_parameter":               func(w *walker, i int32) { w.takeLocal(w.kid(i, "type_identifier")) },
			"value_argument":               kotlinArgument,
			"label":                        (*walker).skip,
			"annotation":                   kotlinAnnotation,
			"delegation_specifier":         kotlinBase,
			"call_expression":              kotlinCall,
			"infix_expression":             kotlinInfix,
			"navigation_expression":        func(w *walker, i int32) { kotlinNavigation(w, i, RefUse) },
			"callable_reference":           kotlinReference,
			"user_type":                    func(w *walker, i int32) { kotlinUserType(w, i, RefUse) },
			"simple_identifier":            kotlinIdentifier,
			"type_identifier":              kotlinIdentifier,
			"interpolated_identifier":      kotlinIdentifier,
		},
	}
}

func kotlinString(w *walker, i int32) {
	if c := w.first(i); c >= 0 && w.typ(c) == "string_content" && w.nodes[c].next == w.nodes[i].next {
		w.literal(w.bytes(c))
	}
}

func kotlinImport(w *walker, i int32) {
	m := Import{Module: w.text(w.kid(i, "identifier")), Line: w.line(i)}
	if w.kid(i, "wildcard_import") >= 0 {
		m.Names = []string{"*"}
	}
	if a := w.kid(i, "import_alias"); a >= 0 {
		n := w.first(a)
		w.take(n)
		m.Alias = w.text(n)
	}
	if m.Module != "" {
		w.imp(m)
	}
}

// kotlinPrivate says whether the modifiers hide a declaration from other files.
func kotlinPrivate(w *walker, i int32) bool {
	return string(w.bytes(w.kid(w.kid(i, "modifiers"), "visibility_modifier"))) == "private"
}

// kotlinHidden says whether other files do not mean a function or property by
// its name: it is private, or at top level and deprecated or the last that the
// compiler takes, for which there mostly is another of the name that new code is
// to call.
func kotlinHidden(w *walker, i int32) bool {
	if kotlinPrivate(w, i) {
		return true
	}
	gone := false
	if !w.inType() {
		w.children(w.kid(i, "modifiers"), func(c int32) bool {
			text := w.bytes(c)
			gone = w.typ(c) == "annotation" && (bytes.HasPrefix(text, []byte("@Deprecated(")) || bytes.HasSuffix(text, []byte("LowPriorityInOverloadResolution")))
			return !gone
		})
	}
	return gone
}

// kotlinReceiver names the type that a function or property at top level
// extends; name is the node of its name. Of a type parameter it is what bounds
// it, or Any.
func kotlinReceiver(w *walker, i, name int32) string {
	if w.inType() || w.inFunc() {
		return ""
	}
	at := int32(-1)
	w.children(i, func(c int32) bool {
		if c >= name {
			return false
		}
		if t := w.typ(c); t == "user_type" || t == "nullable_type" {
			at = c
		}
		return true
	})
	if at >= 0 && w.typ(at) == "nullable_type" {
		at = w.kid(at, "user_type")
	}
	var last, prev string
	w.children(at, func(c int32) bool {
		if w.typ(c) == "type_identifier" {
			prev, last = last, w.text(c)
		}
		return true
	})
	if last == "Companion" && prev != "" {
		last = prev // what extends the companion is called by the class
	}
	w.children(w.kid(i, "type_parameters"), func(c int32) bool {
		if last == "" || w.text(w.kid(c, "type_identifier")) != last {
			return true
		}
		if last = w.text(w.kid(w.kid(c, "user_type"), "type_identifier")); last == "" {
			last = "Any"
		}
		return false
	})
	return last
}

func kotlinType(w *walker, i int32) {
	name := w.kid(i, "type_identifier", "simple_identifier")
	w.take(name)
	d := decl{node: i, name: w.text(name), kind: KindClass, scope: i, priv: kotlinPrivate(w, i)}
	d.body = w.kid(i, "class_body", "enum_class_body")
	d.sig = d.body < 0
	if d.name == "" && w.typ(i) == "companion_object" {
		d.name = "Companion"
	}
	// The key word has no node: it stands between the modifiers and the name.
	from := w.nodes[i].start
	if m := w.kid(i, "modifiers"); m >= 0 {
		from = w.nodes[m].end
	}
	if name >= 0 && w.nodes[name].start > from {
		key := w.src[from:w.nodes[name].start]
		switch {
		case bytes.Contains(key, []byte("interface")):
			d.kind = KindInterface
		case bytes.Contains(key, []byte("enum")) || d.body >= 0 && w.typ(d.body) == "enum_class_body":
			d.kind = KindEnum
		}
	}
	w.define(d)
}

func kotlinAlias(w *walker, i int32) {
	name := w.kid(i, "type_identifier", "simple_identifier")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindType, body: -1, sig: true, scope: i, priv: kotlinPrivate(w, i)})
}

func kotlinEntry(w *walker, i int32) {
	name := w.kid(i, "simple_identifier")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindField, body: w.kid(i, "class_body"), scope: i})
}

func kotlinFunction(w *walker, i int32) {
	name := w.kid(i, "simple_identifier")
	w.take(name)
	kind := KindFunction
	if w.inType() {
		kind = KindMethod
	}
	w.define(decl{node: i, name: w.text(name), kind: kind, owner: kotlinReceiver(w, i, name), body: w.kid(i, "function_body"), sig: true, scope: i, priv: kotlinHidden(w, i)})
}

func kotlinConstructor(w *walker, i int32) {
	body := w.kid(i, "statements", "constructor_delegation_call")
	w.define(decl{node: i, name: "constructor", kind: KindMethod, body: body, sig: true, scope: i, priv: kotlinPrivate(w, i)})
}

func kotlinProperty(w *walker, i int32) {
	v := w.kid(i, "variable_declaration")
	name := w.kid(v, "simple_identifier")
	if name < 0 || w.inFunc() {
		return // locals: see kotlinVariable
	}
	w.take(name)
	kind := KindVar
	if w.inType() {
		kind = KindField
	}
	if m := w.kid(w.kid(i, "modifiers"), "property_modifier"); string(w.bytes(m)) == "const" {
		kind = KindConst
	}
	w.define(decl{node: i, name: w.text(name), kind: kind, owner: kotlinReceiver(w, i, v), body: -1, scope: i, priv: kotlinHidden(w, i)})
}

func kotlinVariable(w *walker, i int32) {
	if n := w.kid(i, "simple_identifier"); n >= 0 && !w.isTaken(n) {
		w.takeLocal(n)
	}
}

func kotlinClassParameter(w *walker, i int32) {
	name := w.kid(i, "simple_identifier")
	w.take(name)
	if w.kid(i, "binding_pattern_kind") < 0 {
		w.takeLocal(name)
		return
	}
	w.define(decl{node: i, name: w.text(name), kind: KindField, body: -1, scope: -1, priv: kotlinPrivate(w, i)})
}

// kotlinArgument: the name of a named argument is the callee's.
func kotlinArgument(w *walker, i int32) {
	if c := w.first(i); w.typ(c) == "simple_identifier" && w.nodes[c].next < w.nodes[i].next {
		w.take(c)
	}
}

// kotlinUserType records A.B.C as C of A.B.
func kotlinUserType(w *walker, i int32, kind RefKind) {
	if i < 0 || w.isTaken(i) {
		return
	}
	w.take(i)
	var name, prev int32 = -1, -1
	w.children(i, func(c int32) bool {
		if w.typ(c) == "type_identifier" {
			w.take(c)
			prev, name = name, c
		}
		return true
	})
	w.ref(w.bytes(name), w.bytes(prev), kind)
}

func kotlinAnnotation(w *walker, i int32) {
	t := w.kid(i, "user_type")
	if c := w.kid(i, "constructor_invocation"); c >= 0 {
		t = w.kid(c, "user_type")
	}
	kotlinUserType(w, t, RefDecorator)
}

func kotlinBase(w *walker, i int32) {
	t := w.kid(i, "user_type")
	if c := w.kid(i, "constructor_invocation", "explicit_delegation"); c >= 0 {
		t = w.kid(c, "user_type")
	}
	kotlinUserType(w, t, RefBase)
}

func kotlinCall(w *walker, i int32) {
	switch f := w.first(i); w.typ(f) {
	case "simple_identifier":
		w.take(f)
		w.ref(w.bytes(f), nil, RefCall)
	case "navigation_expression":
		kotlinNavigation(w, f, RefCall)
	}
}

// kotlinLambda opens a function without a name, unless it is the body of a class,
// see kotlinInfix.
func kotlinLambda(w *walker, i int32) {
	if !w.isTaken(i) {
		w.anonymous(i)
	}
}

// A class may be read as one, by its key words: what stands behind "class" is its
// name all the same, and a lambda behind that its body.
func kotlinInfix(w *walker, i int32) {
	n := 0
	left := int32(-1)
	w.children(i, func(c int32) bool {
		if n == 0 {
			left = c
		}
		if n == 1 && w.typ(c) == "simple_identifier" {
			w.take(c)
			if key := w.bytes(left); bytes.Equal(key, []byte("class")) || bytes.HasSuffix(key, []byte(" class")) {
				d := decl{node: c, name: w.text(c), kind: KindClass, body: -1, scope: -1, priv: bytes.HasPrefix(key, []byte("private"))}
				if b := w.nodes[c].next; b < w.nodes[i].next && w.typ(b) == "lambda_literal" {
					w.take(b)
					d.node, d.body, d.scope = i, b, b
				}
				w.define(d)
				n++
				return true
			}
			w.ref(w.bytes(c), nil, RefCall)
		}
		n++
		return n < 3
	})
}

// kotlinNavigation is a.b: what stands before the dot is named by its last
// name.
func kotlinNavigation(w *walker, i int32, kind RefKind) {
	if w.isTaken(i) {
		return
	}
	w.take(i)
	name := w.kid(w.last(i), "simple_identifier")
	if name < 0 {
		return
	}
	w.take(name)
	var qual []byte
	switch e := w.first(i); w.typ(e) {
	case "simple_identifier":
		if qual = w.bytes(e); len(qual) > 0 && !upper(qual[0]) {
			w.take(e) // a type is a use of its own
		}
	case "this_expression", "super_expression":
		qual = w.bytes(e)
		if k := bytes.IndexAny(qual, "@<"); k > 0 {
			qual = qual[:k]
		}
	case "navigation_expression":
		qual = w.bytes(w.kid(w.last(e), "simple_identifier"))
	case "string_literal":
		qual = []byte("String")
	default:
		qual = unnamed
	}
	w.ref(w.bytes(name), qual, kind)
}

// kotlinReference is A::b and ::b.
func kotlinReference(w *walker, i int32) {
	name := w.last(i)
	if w.typ(name) != "simple_identifier" {
		return
	}
	w.take(name)
	var qual []byte
	if q := w.first(i); q != name {
		qual = w.bytes(q)
		if len(qual) > 0 && !upper(qual[0]) {
			w.take(q)
		}
	}
	w.ref(w.bytes(name), qual, RefCall)
}

func kotlinIdentifier(w *walker, i int32) {
	if !w.isTaken(i) {
		w.ref(w.bytes(i), nil, RefUse)
	}
}
