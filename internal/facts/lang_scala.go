package facts

import (
	"bytes"
	"strings"
)

func scalaTable() *table {
	def := func(k Kind) handler { return func(w *walker, i int32) { scalaType(w, i, k) } }
	return &table{
		rival: true,
		builtins: set(`String Int Long Boolean Double Float Byte Short Char Unit Any AnyRef AnyVal Nothing Option Some None
			List Seq Map Set Array Vector Either Left Right Try Success Failure Future Exception Throwable Iterator
			Iterable Function Product Serializable Predef println print require assert implicitly summon apply this super
			tailrec inline deprecated nowarn SuppressWarnings Nil String StringContext Ordering`),
		nodes: map[string]handler{
			"comment":                (*walker).comment,
			"block_comment":          (*walker).comment,
			"string":                 func(w *walker, i int32) { w.literal(bytes.Trim(w.bytes(i), `"`)) },
			"package_clause":         scalaPackage,
			"package_object":         def(KindModule),
			"import_declaration":     scalaImport,
			"export_declaration":     scalaImport,
			"class_definition":       def(KindClass),
			"object_definition":      def(KindClass),
			"trait_definition":       def(KindInterface),
			"enum_definition":        def(KindEnum),
			"simple_enum_case":       scalaCase,
			"full_enum_case":         scalaCase,
			"function_definition":    scalaFunction,
			"function_declaration":   scalaFunction,
			"val_definition":         scalaValue,
			"var_definition":         scalaValue,
			"val_declaration":        scalaValue,
			"var_declaration":        scalaValue,
			"type_definition":        scalaTypeAlias,
			"given_definition":       scalaGiven,
			"lambda_expression":      scalaLambda,
			"case_clause":            scalaPattern,
			"enumerator":             scalaEnumerator,
			"class_parameter":        scalaClassParameter,
			"parameter":              func(w *walker, i int32) { w.takeLocal(w.child(i, "name")) },
			"binding":                func(w *walker, i int32) { w.takeLocal(w.child(i, "name")) },
			"type_parameters":        scalaTypeParameters,
			"self_type":              func(w *walker, i int32) { w.takeLocal(w.kid(i, "identifier")) },
			"extends_clause":         scalaBases,
			"annotation":             scalaAnnotation,
			"assignment_expression":  scalaAssignment,
			"call_expression":        scalaCall,
			"instance_expression":    scalaNew,
			"infix_expression":       scalaInfix,
			"field_expression":       func(w *walker, i int32) { scalaField(w, i, RefUse) },
			"stable_identifier":      scalaStable,
			"stable_type_identifier": scalaStable,
			"identifier":             scalaIdentifier,
			"type_identifier":        scalaIdentifier,
		},
	}
}

// scalaPackage joins the package clauses of a file: package a; package b.
func scalaPackage(w *walker, i int32) {
	name := w.child(i, "name")
	p := w.text(name)
	if w.f.Package == "" {
		w.f.Package = p
	} else if w.scope() < 0 {
		w.f.Package += "." + p
	}
	for c := name; c >= 0 && c < w.nodes[name].next; c++ {
		w.take(c)
	}
}

// scalaImport reads import a.b.{C, D => E, _}, c.d.* from the text: the
// selectors are simple and the tree runs several paths into one.
func scalaImport(w *walker, i int32) {
	defer w.skip(i)
	s := strings.Join(strings.Fields(w.text(i)), " ")
	reexport := strings.HasPrefix(s, "export ")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "import "), "export ")
	for len(s) > 0 {
		path, names := s, ""
		cut := len(s)
		if k := strings.IndexAny(s, "{,"); k >= 0 && s[k] == '{' {
			end := strings.IndexByte(s[k:], '}')
			if end < 0 {
				return
			}
			path, names = strings.TrimRight(s[:k], ". "), s[k+1:k+end]
			cut = k + end + 1
		} else if k >= 0 {
			path, cut = s[:k], k
		}
		s = strings.TrimLeft(s[min(cut, len(s)):], ", ")
		m := Import{Line: w.line(i), Reexport: reexport}
		for _, n := range strings.Split(names, ",") {
			n = strings.TrimSpace(n)
			if from, to, ok := strings.Cut(n, "=>"); ok {
				n = strings.TrimSpace(from) + " as " + strings.TrimSpace(to)
			}
			switch {
			case n == "" || strings.HasSuffix(n, " as _"):
			case n == "_" || n == "*" || strings.HasPrefix(n, "given"):
				m.Names = append(m.Names, "*")
			default:
				m.Names = append(m.Names, n)
			}
		}
		path = strings.TrimSpace(path)
		if p, alias, ok := strings.Cut(path, " as "); ok {
			path, m.Alias = p, alias
		}
		for _, star := range []string{"._", ".*", ".given"} {
			if p, ok := strings.CutSuffix(path, star); ok {
				path, m.Names = p, append(m.Names, "*")
			}
		}
		if m.Module = path; path != "" && !strings.ContainsAny(path, " ()") {
			w.imp(m)
		}
	}
}

func scalaPrivate(w *walker, i int32) bool {
	return bytes.HasPrefix(w.bytes(w.kid(w.kid(i, "modifiers"), "access_modifier")), []byte("private"))
}

func scalaType(w *walker, i int32, kind Kind) {
	name := w.child(i, "name")
	w.take(name)
	body := w.child(i, "body")
	w.define(decl{node: i, name: w.text(name), kind: kind, body: body, sig: body < 0, scope: i, priv: scalaPrivate(w, i)})
}

func scalaCase(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindField, body: -1, scope: i})
}

func scalaFunction(w *walker, i int32) {
	name := w.child(i, "name")
	if w.typ(name) == "operator_identifier" {
		w.anonymous(i)
		return
	}
	w.take(name)
	kind := KindFunction
	if k, in := w.scopeKind(); in && !w.inFunc() && (w.inType() || k == KindModule) {
		kind = KindMethod
	}
	w.define(decl{node: i, name: strings.Trim(w.text(name), "`"), kind: kind, body: w.child(i, "body"), sig: true, scope: i, priv: scalaPrivate(w, i)})
}

func scalaValue(w *walker, i int32) {
	n := w.part(i, "pattern", "name")
	if w.typ(n) != "identifier" {
		if w.inFunc() {
			scalaBinders(w, n)
		}
		return
	}
	if w.inFunc() || w.above(i, 1, "block", "indented_block") {
		w.takeLocal(n)
		return
	}
	w.take(n)
	kind := KindVar
	if w.inType() {
		kind = KindField
	}
	w.define(decl{node: i, name: strings.Trim(w.text(n), "`"), kind: kind, body: -1, scope: i, priv: scalaPrivate(w, i)})
}

func scalaTypeAlias(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	if !w.inFunc() {
		w.define(decl{node: i, name: w.text(name), kind: KindType, body: -1, scope: i, priv: scalaPrivate(w, i)})
	}
}

func scalaGiven(w *walker, i int32) {
	name := w.child(i, "name")
	if name < 0 {
		w.anonymous(i)
		return
	}
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindVar, body: w.child(i, "body"), scope: i})
}

func scalaClassParameter(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	c := w.parent(w.parent(i))
	shown := bytes.Contains(w.src[w.nodes[i].start:w.nodes[i].end], []byte("val ")) || bytes.Contains(w.src[w.nodes[i].start:w.nodes[i].end], []byte("var "))
	if c >= 0 && name >= 0 && !shown {
		key := w.src[w.nodes[c].start:w.nodes[name].start]
		shown = bytes.Contains(key, []byte("case class")) || bytes.Contains(key, []byte("case  class"))
	}
	if !shown {
		w.takeLocal(name)
		return
	}
	w.define(decl{node: i, name: w.text(name), kind: KindField, body: -1, scope: -1, priv: scalaPrivate(w, i)})
}

func scalaTypeParameters(w *walker, i int32) {
	w.children(i, func(c int32) bool {
		if w.field(c) == "name" {
			w.takeLocal(c)
		}
		return true
	})
}

// scalaBinders takes the small-letter names of a pattern as locals.
func scalaBinders(w *walker, i int32) {
	if i < 0 {
		return
	}
	for c, n := i, 0; c < w.nodes[i].next && n < maxLook; c, n = c+1, n+1 {
		if b := w.bytes(c); w.typ(c) == "identifier" && len(b) > 0 && !upper(b[0]) && b[0] != '`' {
			if p := w.typ(w.parent(c)); p != "stable_identifier" && p != "field_expression" {
				w.takeLocal(c)
			}
		}
	}
}

func scalaPattern(w *walker, i int32)    { scalaBinders(w, w.child(i, "pattern")) }
func scalaEnumerator(w *walker, i int32) { scalaBinders(w, w.first(i)) }

func scalaLambda(w *walker, i int32) {
	if p := w.child(i, "parameters"); w.typ(p) == "identifier" {
		w.takeLocal(p)
	}
}

// scalaTypeRef records the use of a type: plain, generic or with a path.
func scalaTypeRef(w *walker, i int32, kind RefKind) {
	switch w.typ(i) {
	case "generic_type":
		scalaTypeRef(w, w.child(i, "type"), kind)
	case "type_identifier", "identifier":
		w.take(i)
		w.ref(w.bytes(i), nil, kind)
	case "stable_type_identifier":
		scalaPath(w, i, kind)
	case "compound_type", "annotated_type":
		w.children(i, func(c int32) bool { scalaTypeRef(w, c, kind); return true })
	}
}

// scalaPath records a.b.C as C of b.
func scalaPath(w *walker, i int32, kind RefKind) {
	if w.isTaken(i) {
		return
	}
	w.take(i)
	name, q := w.last(i), w.first(i)
	if name < 0 || q == name {
		return
	}
	w.take(name)
	if w.typ(q) == "stable_identifier" {
		w.take(q)
		for c := q; c < w.nodes[q].next; c++ {
			w.take(c)
		}
		q = w.last(q)
	}
	qual := w.bytes(q)
	if len(qual) > 0 && !upper(qual[0]) {
		w.take(q)
	}
	w.ref(w.bytes(name), qual, kind)
}

func scalaStable(w *walker, i int32) { scalaPath(w, i, RefUse) }

func scalaBases(w *walker, i int32) {
	w.children(i, func(c int32) bool {
		if w.field(c) == "type" {
			scalaTypeRef(w, c, RefBase)
		}
		return true
	})
}

func scalaAnnotation(w *walker, i int32) { scalaTypeRef(w, w.child(i, "name"), RefDecorator) }

// scalaAssignment: in an argument list it names a parameter of the callee.
func scalaAssignment(w *walker, i int32) {
	if l := w.child(i, "left"); w.typ(l) == "identifier" && w.above(i, 1, "arguments") {
		w.take(l)
	}
}

func scalaCall(w *walker, i int32) {
	f := w.child(i, "function")
	if w.typ(f) == "generic_function" {
		f = w.child(f, "function")
	}
	switch w.typ(f) {
	case "identifier":
		w.take(f)
		w.ref(w.bytes(f), nil, RefCall)
	case "field_expression":
		scalaField(w, f, RefCall)
	}
}

func scalaNew(w *walker, i int32) {
	if t := w.first(i); t >= 0 {
		scalaTypeRef(w, t, RefCall)
	}
	w.anonymous(i) // a class without a name may follow
}

func scalaInfix(w *walker, i int32) {
	if o := w.child(i, "operator"); w.typ(o) == "identifier" {
		w.take(o)
		var qual []byte
		if l := w.child(i, "left"); w.typ(l) == "identifier" {
			qual = w.bytes(l)
		}
		w.ref(w.bytes(o), qual, RefCall)
	}
}

// scalaField is a.b: what stands before the dot is named by its last name.
func scalaField(w *walker, i int32, kind RefKind) {
	if w.isTaken(i) {
		return
	}
	w.take(i)
	name, v := w.child(i, "field"), w.child(i, "value")
	if w.typ(name) != "identifier" {
		return
	}
	w.take(name)
	var qual []byte
	switch w.typ(v) {
	case "identifier":
		if qual = w.bytes(v); len(qual) > 0 && !upper(qual[0]) {
			w.take(v) // an object is a use of its own
		}
	case "field_expression":
		qual = w.bytes(w.child(v, "field"))
	}
	w.ref(w.bytes(name), qual, kind)
}

func scalaIdentifier(w *walker, i int32) {
	if !w.isTaken(i) {
		w.ref(bytes.Trim(w.bytes(i), "`"), nil, RefUse)
	}
}
