package facts

import (
	"bytes"
	"strings"
)

// ocamlTable reads implementations. The grammar has no start for interfaces
// (.mli): those are left to patterns, see ocamlImplementation.
func ocamlTable() *table {
	return &table{
		rival: true,
		reads: ocamlImplementation,
		builtins: set(`int string bool unit list option array float char exn ref bytes result seq int32 int64 nativeint
			raise raise_notrace failwith invalid_arg not fst snd ignore print_endline print_string print_int
			Some None Ok Error true false Not_found Invalid_argument Failure Exit End_of_file incr decr compare max min
			succ pred abs mod land lor lxor lsl lsr asr show eq ord yojson sexp hash equal self this`),
		globals: set("Stdlib Printf Format List Array String Bytes Hashtbl Map Set Option Result Seq Sys Unix Filename Buffer Char Int Int64 Int32 Float Fun Printexc Lazy Queue Stack Random Arg Obj Gc Scanf Str"),
		nodes: map[string]handler{
			"comment":                      (*walker).comment,
			"string":                       func(w *walker, i int32) { w.literal(w.bytes(w.kid(i, "string_content"))) },
			"open_module":                  ocamlOpen,
			"include_module":               ocamlOpen,
			"let_binding":                  ocamlBinding,
			"external":                     ocamlSignature,
			"value_specification":          ocamlSignature,
			"type_binding":                 ocamlType,
			"constructor_declaration":      ocamlConstructor,
			"field_declaration":            ocamlField,
			"exception_definition":         ocamlException,
			"module_binding":               ocamlModuleBinding,
			"module_type_definition":       ocamlModuleType,
			"class_binding":                ocamlClass,
			"class_type_binding":           ocamlClass,
			"method_definition":            ocamlMethod,
			"method_specification":         ocamlMethod,
			"instance_variable_definition": ocamlInstance,
			"inheritance_definition":       ocamlInherit,
			"module_parameter":             ocamlParameter,
			"fun_expression":               (*walker).anonymous,
			"function_expression":          (*walker).anonymous,
			"value_pattern":                func(w *walker, i int32) { w.takeLocal(i) },
			"alias_pattern":                func(w *walker, i int32) { w.takeLocal(w.last(i)) },
			"label_name":                   func(w *walker, i int32) { w.take(i) },
			"item_attribute":               (*walker).skip,
			"attribute":                    (*walker).skip,
			"application_expression":       ocamlCall,
			"infix_expression":             ocamlInfix,
			"value_path":                   ocamlPath(RefUse),
			"constructor_path":             ocamlPath(RefUse),
			"type_constructor_path":        ocamlPath(RefUse),
			"field_path":                   ocamlPath(RefUse),
			"class_path":                   ocamlPath(RefCall),
			"module_type_path":             ocamlPath(RefUse),
			"module_path":                  ocamlModulePath,
			"extended_module_path":         ocamlModulePath,
			"method_invocation":            ocamlInvocation,
		},
	}
}

// ocamlImplementation says whether src binds values or modules rather than
// declaring them: val at the start of a line is an interface's.
func ocamlImplementation(src []byte) bool {
	vals := bytes.Count(src, []byte("\nval ")) + bytes.Count(src, []byte("\nexternal "))
	if bytes.HasPrefix(src, []byte("val ")) {
		vals++
	}
	return vals == 0 || bytes.Contains(src, []byte("\nlet ")) || bytes.HasPrefix(src, []byte("let ")) || bytes.Contains(src, []byte("= struct"))
}

func ocamlOpen(w *walker, i int32) {
	p := w.kid(i, "module_path")
	if p < 0 {
		return // include of an expression
	}
	m := Import{Module: w.text(p), Names: []string{"*"}, Line: w.line(i), Reexport: w.typ(i) == "include_module"}
	ocamlImport(w, m)
	w.skip(i)
}

// ocamlInner says whether a let stands inside of an expression.
func ocamlInner(w *walker, i int32) bool {
	switch w.typ(w.parent(i)) {
	case "compilation_unit", "structure", "signature", "":
		return w.inFunc()
	}
	return true
}

// ocamlSpan returns the definition if it holds nothing but binding i.
func (w *walker) ocamlSpan(def, i int32) int32 {
	if def >= 0 && w.kid(def, w.typ(i)) == i && w.nodes[i].next == w.nodes[def].next {
		return def
	}
	return i
}

// ocamlSignature is val and external.
func ocamlSignature(w *walker, i int32) {
	name := w.kid(i, "value_name")
	w.take(name)
	kind := KindVar
	if w.kid(i, "function_type") >= 0 {
		kind = KindFunction
	}
	w.define(decl{node: i, name: w.text(name), kind: kind, body: -1, sig: true, scope: i})
}

func ocamlType(w *walker, i int32) {
	name := w.child(i, "name")
	if w.typ(name) != "type_constructor" {
		return // an extension: += is no definition of the type
	}
	w.take(name)
	w.define(decl{node: w.ocamlSpan(w.parent(i), i), name: w.text(name), kind: KindType, body: -1, scope: i})
}

func ocamlConstructor(w *walker, i int32) {
	name := w.kid(i, "constructor_name")
	w.take(name)
	if w.typ(w.parent(i)) != "exception_definition" {
		w.define(decl{node: i, name: w.text(name), kind: KindField, body: -1, scope: -1})
	}
}

func ocamlField(w *walker, i int32) {
	name := w.kid(i, "field_name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindField, body: -1, scope: -1})
}

func ocamlException(w *walker, i int32) {
	name := w.kid(w.kid(i, "constructor_declaration"), "constructor_name")
	w.define(decl{node: i, name: w.text(name), kind: KindType, body: -1, sig: true, scope: i})
}

func ocamlModuleBinding(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	if ocamlInner(w, w.parent(i)) {
		w.takeLocal(name)
		return
	}
	if p := w.child(i, "body"); w.typ(p) == "module_path" { // module M = A.B
		ocamlImport(w, Import{Module: w.text(p), Alias: w.text(name), Line: w.line(i)})
	}
	w.define(decl{node: w.ocamlSpan(w.parent(i), i), name: w.text(name), kind: KindModule, body: w.child(i, "body"), scope: i})
}

// ocamlParameter takes a functor's parameter as local to what is around it.
func ocamlParameter(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	if s := w.scope(); name >= 0 && s >= 0 {
		w.locals[[2]int32{s, w.id(w.bytes(name))}] = struct{}{}
	}
}

// ocamlImport notes an import unless it names a functor's parameter.
func ocamlImport(w *walker, m Import) {
	head, _, _ := strings.Cut(m.Module, ".")
	id := w.id([]byte(head))
	for s := w.scope(); s >= 0; s = w.f.Symbols[s].Parent {
		if _, local := w.locals[[2]int32{s, id}]; local {
			return
		}
	}
	w.imp(m)
}

func ocamlModuleType(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindInterface, body: w.child(i, "body"), scope: i})
}

func ocamlClass(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: w.ocamlSpan(w.parent(i), i), name: w.text(name), kind: KindClass, body: w.child(i, "body"), scope: i})
}

func ocamlMethod(w *walker, i int32) {
	name := w.part(i, "name", "method_name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindMethod, body: w.child(i, "body"), sig: true, scope: i, priv: bytes.HasPrefix(w.bytes(i), []byte("method private"))})
}

func ocamlInstance(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.define(decl{node: i, name: w.text(name), kind: KindField, body: -1, scope: i})
}

func ocamlInherit(w *walker, i int32) { w.ocamlRef(w.kid(i, "class_path"), RefBase) }

// ocamlRef records A.B.c as c of A.B.
func (w *walker) ocamlRef(i int32, kind RefKind) {
	if i < 0 || w.isTaken(i) {
		return
	}
	w.take(i)
	name, q := w.last(i), w.first(i)
	if name < 0 {
		return
	}
	var qual []byte
	if q != name {
		qual = w.bytes(q)
		for c := q; c < w.nodes[q].next; c++ {
			w.take(c)
		}
		if k := bytes.IndexByte(qual, '('); k >= 0 {
			qual = nil // F(X).t
		}
	}
	w.ref(w.bytes(name), qual, kind)
}

func ocamlPath(kind RefKind) handler {
	return func(w *walker, i int32) { w.ocamlRef(i, kind) }
}

// ocamlModulePath is the use of a module as a whole.
func ocamlModulePath(w *walker, i int32) {
	if w.isTaken(i) {
		return
	}
	for c := i; c < w.nodes[i].next; c++ {
		w.take(c)
	}
	b := w.bytes(i)
	if k := bytes.LastIndexByte(b, '.'); k >= 0 {
		w.ref(b[k+1:], b[:k], RefUse)
	} else {
		w.ref(b, nil, RefUse)
	}
}

func ocamlCall(w *walker, i int32) {
	if f := w.child(i, "function"); w.typ(f) == "value_path" {
		w.ocamlRef(f, RefCall)
	}
}

// ocamlInfix: x |> f and f @@ x call f.
func ocamlInfix(w *walker, i int32) {
	side := ""
	switch string(w.bytes(w.child(i, "operator"))) {
	case "|>", ">>=", ">>|":
		side = "right"
	case "@@":
		side = "left"
	default:
		return
	}
	if f := w.child(i, side); w.typ(f) == "value_path" {
		w.ocamlRef(f, RefCall)
	}
}

func ocamlInvocation(w *walker, i int32) {
	name, obj := w.kid(i, "method_name"), w.first(i)
	var qual []byte
	if w.typ(obj) == "value_path" {
		qual = w.bytes(obj)
		w.take(obj)
	}
	w.ref(w.bytes(name), qual, RefCall)
}

// ocamlBinding is one let … = …, or one of the ands behind it.
func ocamlBinding(w *walker, i int32) {
	name := w.child(i, "pattern")
	def := w.parent(i)
	takes := w.kid(i, "parameter") >= 0
	body := w.child(i, "body")
	if ocamlInner(w, def) {
		if w.typ(name) == "value_name" {
			w.takeLocal(name)
		}
		if takes {
			w.anonymous(i)
		}
		return
	}
	if w.typ(name) != "value_name" {
		w.anonymous(i) // let () = …, let (a, b) = …, operators
		return
	}
	w.take(name)
	kind := KindVar
	if t := w.typ(body); takes || t == "fun_expression" || t == "function_expression" {
		kind = KindFunction
	}
	w.define(decl{node: w.ocamlSpan(def, i), name: w.text(name), kind: kind, body: body, scope: i})
}
