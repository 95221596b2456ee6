package facts

import (
	"bytes"
	"strings"
)

// elixirTable reads a language whose declarations are calls: what def and its
// kin mean is told by the name that is called.
func elixirTable() *table {
	return &table{
		rival: true,
		builtins: set(`if unless case cond with for fn quote unquote unquote_splicing raise reraise throw receive try send spawn self
			is_nil is_binary is_atom is_list is_map is_integer is_function is_tuple is_struct is_number is_float is_boolean
			to_string inspect length elem hd tl put_elem tuple_size map_size byte_size div rem abs round trunc max min not
			and or in assert refute super binding sigil_r struct struct! function_exported? apply
			String Enum List Map Keyword Kernel Atom Integer Float Module Macro Logger Regex Process Agent Stream Access
			Base File IO Path System Code GenServer Supervisor Exception ArgumentError RuntimeError Tuple MapSet
			Application Inspect Collectable Enumerable DateTime NaiveDateTime Date Time Calendar URI Version`),
		globals: set("String Enum List Map Keyword Kernel Atom Integer Float Macro Logger Regex Process Stream Access Base File IO Path System Code Tuple MapSet Application DateTime NaiveDateTime Date Time Calendar URI Version"),
		nodes: map[string]handler{
			"comment":         (*walker).comment,
			"string":          elixirString,
			"call":            elixirCall,
			"unary_operator":  elixirUnary,
			"binary_operator": elixirBinary,
			"alias":           elixirAlias,
		},
	}
}

func elixirString(w *walker, i int32) {
	if c := w.first(i); c >= 0 && w.typ(c) == "quoted_content" && w.nodes[c].next == w.nodes[i].next {
		w.literal(w.bytes(c))
	}
}

// elixirDefs are the macros that define functions: kind, and whether others
// may call them.
var elixirDefs = map[string]struct {
	kind Kind
	priv bool
}{
	"def": {KindMethod, false}, "defp": {KindMethod, true}, "defdelegate": {KindMethod, false}, "defn": {KindMethod, false}, "defnp": {KindMethod, true},
	"defmacro": {KindMacro, false}, "defmacrop": {KindMacro, true}, "defguard": {KindMacro, false}, "defguardp": {KindMacro, true},
}

func elixirCall(w *walker, i int32) {
	if w.isTaken(i) {
		return
	}
	t := w.child(i, "target")
	args := w.kid(i, "arguments")
	if w.typ(t) == "dot" {
		elixirDot(w, i, t)
		return
	}
	name := string(w.bytes(t))
	if w.typ(t) != "identifier" {
		return
	}
	if d, ok := elixirDefs[name]; ok && args >= 0 {
		elixirDef(w, i, args, d.kind, d.priv)
		return
	}
	switch name {
	case "defmodule", "defprotocol", "defimpl":
		elixirModule(w, i, args, name)
	case "defstruct", "defexception", "schema", "embedded_schema":
		if k, in := w.scopeKind(); in && (k == KindModule || k == KindOther) {
			m := w.f.Symbols[w.scope()].Name
			w.define(decl{node: i, name: m[strings.LastIndexByte(m, '.')+1:], kind: KindStruct, body: -1, scope: -1})
		}
	case "test", "describe":
		if s := w.first(args); w.typ(s) == "string" {
			w.take(s)
			w.define(decl{node: i, name: unquote(w.text(s)), kind: KindOther, body: w.kid(i, "do_block"), scope: i})
		}
	case "alias", "import", "require", "use":
		elixirImport(w, i, args, name)
	default:
		w.ref(w.bytes(t), nil, RefCall)
	}
}

// elixirHead returns the node of the name in a head: f(x), f, f(x) when g.
func elixirHead(w *walker, i int32) int32 {
	for n := 0; n < 3; n++ {
		switch w.typ(i) {
		case "identifier":
			return i
		case "call":
			i = w.child(i, "target")
		case "binary_operator": // f(x) when g, f :: type; others define operators
			l, r := w.child(i, "left"), w.child(i, "right")
			if l < 0 || r < 0 {
				return -1
			}
			switch string(bytes.TrimSpace(w.src[w.nodes[l].end:max(w.nodes[l].end, w.nodes[r].start)])) {
			case "when", "::":
			default:
				return -1
			}
			i = l
		default:
			return -1
		}
	}
	return i
}

func elixirDef(w *walker, i, args int32, kind Kind, priv bool) {
	name := elixirHead(w, w.first(args))
	if w.typ(name) != "identifier" {
		w.anonymous(i) // operators, names made by macros
		return
	}
	// The head is no call.
	if h := w.first(args); w.typ(h) == "call" {
		w.take(h)
	} else if l := w.child(h, "left"); w.typ(l) == "call" {
		w.take(l)
	}
	if kind == KindMethod && w.scope() < 0 {
		kind = KindFunction
	}
	// Neighbouring clauses of one function are one symbol.
	text := w.text(name)
	for k, n := len(w.f.Symbols)-1, 0; k >= 0 && n < maxClauseLook; k, n = k-1, n+1 {
		s := &w.f.Symbols[k]
		if s.Parent != w.scope() {
			continue
		}
		if s.Name != text || s.Kind != kind {
			break
		}
		s.End = max(s.End, w.endRow(i)+1)
		w.lead = lead{-1, -1, -2}
		w.scopes = append(w.scopes, level{end: w.nodes[i].next, sym: int32(k)})
		return
	}
	w.define(decl{node: i, name: text, kind: kind, body: w.kid(i, "do_block"), sig: w.kid(i, "do_block") < 0, scope: i, priv: priv})
}

// maxClauseLook bounds the search for the clause before.
const maxClauseLook = 200

func elixirModule(w *walker, i, args int32, form string) {
	n := w.first(args)
	name := w.text(n)
	if name == "" || w.typ(n) != "alias" {
		w.anonymous(i)
		return
	}
	w.take(n)
	kind := KindModule
	switch form {
	case "defprotocol":
		kind = KindInterface
	case "defimpl":
		kind = KindOther
	}
	if kind == KindModule {
		if s := w.scope(); s >= 0 && w.f.Symbols[s].Kind == KindModule {
			name = w.f.Symbols[s].Name + "." + name
		}
	}
	if w.f.Package == "" && kind != KindOther {
		w.f.Package = name
	}
	w.define(decl{node: i, name: name, kind: kind, body: w.kid(i, "do_block"), scope: i})
	if kind == KindOther {
		w.elixirRef(n, RefBase)
	}
}

// elixirRef records A.B.C as C of A.B.
func (w *walker) elixirRef(i int32, kind RefKind) {
	b := w.bytes(i)
	if k := bytes.LastIndexByte(b, '.'); k >= 0 {
		w.ref(b[k+1:], b[:k], kind)
	} else {
		w.ref(b, nil, kind)
	}
}

func elixirImport(w *walker, i, args int32, form string) {
	a := w.first(args)
	base, many := w.text(a), int32(-1)
	if w.typ(a) == "dot" { // alias A.{B, C}
		base, many = w.text(w.child(a, "left")), w.child(a, "right")
	}
	if base == "" || !upper(base[0]) && base != "__MODULE__" {
		return
	}
	defer w.skip(i)
	if form == "use" {
		w.elixirRef(a, RefBase)
	}
	if many >= 0 {
		w.children(many, func(c int32) bool {
			w.imp(Import{Module: base + "." + w.text(c), Line: w.line(c)})
			return true
		})
		return
	}
	m := Import{Module: base, Line: w.line(i)}
	w.children(w.kid(args, "keywords"), func(p int32) bool {
		v := w.child(p, "value")
		switch strings.TrimSpace(w.text(w.child(p, "key"))) {
		case "as:":
			m.Alias = w.text(v)
		case "only:":
			w.children(w.kid(v, "keywords"), func(f int32) bool {
				m.Names = append(m.Names, strings.TrimRight(w.text(w.child(f, "key")), ": "))
				return true
			})
		}
		return true
	})
	if form == "import" && len(m.Names) == 0 {
		m.Names = []string{"*"}
	}
	w.imp(m)
}

// elixirDot is A.f(x), a.f(x) and :a.f(x).
func elixirDot(w *walker, i, t int32) {
	l, r := w.child(t, "left"), w.child(t, "right")
	if w.typ(r) != "identifier" {
		return
	}
	switch w.typ(l) {
	case "alias":
		w.take(l)
		w.ref(w.bytes(r), w.bytes(l), RefCall)
	case "identifier":
		// a.b without parentheses reads a map.
		if q := w.bytes(l); string(q) == "__MODULE__" {
			w.ref(w.bytes(r), q, RefCall)
		} else if w.kid(i, "arguments") >= 0 && w.nodes[w.kid(i, "arguments")].end > w.nodes[r].end {
			w.ref(w.bytes(r), q, RefCall)
		}
	}
}

// elixirUnary reads @doc, @spec, @type, @behaviour, other attributes, and
// &f/1.
func elixirUnary(w *walker, i int32) {
	op := w.child(i, "operand")
	if b := w.bytes(i); len(b) == 0 || b[0] != '@' {
		if len(b) > 0 && b[0] == '&' && w.typ(op) == "binary_operator" {
			if l := w.child(op, "left"); w.typ(l) == "identifier" {
				w.ref(w.bytes(l), nil, RefCall)
			}
		}
		return
	}
	if w.typ(op) != "call" {
		return // @name reads it
	}
	w.take(op)
	args := w.kid(op, "arguments")
	a := w.first(args)
	switch name := string(w.bytes(w.child(op, "target"))); name {
	case "doc", "moduledoc", "typedoc", "shortdoc":
		w.docs = append(w.docs, span{int32(w.nodes[i].start), int32(min(int(w.nodes[i].end), len(w.src)))})
		if name != "moduledoc" {
			w.belongs(i)
		}
		w.skip(i)
	case "spec", "impl", "deprecated", "since", "dialyzer", "tag", "describetag":
		w.belongs(i)
		// The name in a specification is no call of itself.
		if h := w.child(a, "left"); name == "spec" && w.typ(h) == "call" {
			w.take(h)
		}
	case "type", "typep", "opaque", "callback", "macrocallback":
		kind := KindType
		if strings.HasSuffix(name, "callback") {
			kind = KindMethod
		}
		h := elixirHead(w, a)
		if c := w.parent(h); w.typ(c) == "call" {
			w.take(c)
		}
		w.define(decl{node: i, name: w.text(h), kind: kind, body: -1, sig: true, scope: -1, priv: name == "typep"})
	case "behaviour":
		if w.typ(a) == "alias" {
			w.take(a)
			w.elixirRef(a, RefBase)
			w.imp(Import{Module: w.text(a), Line: w.line(i)})
		}
	case "compile", "on_load", "before_compile", "after_compile", "on_definition", "external_resource", "moduletag", "derive", "enforce_keys", "optional_callbacks":
		// told to the compiler, read by no one
	default:
		if args >= 0 && !w.inFunc() && w.scope() >= 0 {
			w.define(decl{node: i, name: name, kind: KindConst, body: -1, scope: i, priv: true})
		}
	}
}

// belongs says that node i is said about the declaration that follows.
func (w *walker) belongs(i int32) {
	row := int32(w.nodes[i].srow)
	if w.lead.end < 0 || row > w.lead.end+1 {
		w.lead.doc, w.lead.attr = row, -1
	} else if w.lead.doc < 0 {
		w.lead.doc = row
	}
	w.lead.end = w.endRow(i)
}

// elixirBinary: x |> f calls f.
func elixirBinary(w *walker, i int32) {
	l, r := w.child(i, "left"), w.child(i, "right")
	if l < 0 || w.typ(r) != "identifier" {
		return
	}
	if bytes.Contains(w.src[w.nodes[l].end:w.nodes[r].start], []byte("|>")) {
		w.ref(w.bytes(r), nil, RefCall)
	}
}

func elixirAlias(w *walker, i int32) {
	if !w.isTaken(i) {
		w.elixirRef(i, RefUse)
	}
}
