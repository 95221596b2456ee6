package facts

import (
	"bytes"
	"strings"
)

func rubyTable() *table {
	return &table{
		builtins: set(`puts print p raise require require_relative new nil true false lambda proc loop attr_reader attr_writer
			attr_accessor private public protected module_function include extend prepend String Integer Array Hash Symbol
			Float Object Class Module Struct StandardError ArgumentError NotImplementedError RuntimeError TypeError
			NoMethodError freeze dup to_s to_sym to_i to_a to_h nil? is_a? respond_to? send public_send instance_variable_get
			block_given? tap then inspect class self super each map select reject first last empty? any? size length
			format sprintf rand sleep catch throw binding freeze frozen? Kernel Comparable Enumerable File Dir Time Proc`),
		nodes: map[string]handler{
			"comment":             (*walker).comment,
			"string":              rubyString,
			"class":               rubyClass,
			"module":              rubyClass,
			"method":              rubyMethod,
			"singleton_method":    rubyMethod,
			"assignment":          rubyAssignment,
			"operator_assignment": rubyAssignment,
			"alias":               rubyAlias,
			"method_parameters":   rubyParameters,
			"block_parameters":    rubyParameters,
			"lambda_parameters":   rubyParameters,
			"exception_variable":  func(w *walker, i int32) { rubyLocals(w, i) },
			"for":                 func(w *walker, i int32) { rubyLocals(w, w.child(i, "pattern")) },
			"call":                rubyCall,
			"scope_resolution":    rubyScope,
			"constant":            rubyConstant,
			"identifier":          rubyIdentifier,
		},
	}
}

// rubyMembers are class-level calls whose first symbols name methods.
var rubyMembers = set(`attr_reader attr_writer attr_accessor attr mattr_accessor mattr_reader cattr_accessor cattr_reader
	class_attribute has_many has_one belongs_to has_and_belongs_to_many scope define_method alias_method delegate
	define_model_callbacks thread_mattr_accessor config_accessor`)

func rubyString(w *walker, i int32) {
	if w.kid(i, "interpolation") < 0 {
		w.literal(w.bytes(w.kid(i, "string_content")))
	}
}

// rubyName returns the last name of A::B, and the one before it.
func rubyName(w *walker, i int32) (name, owner string) {
	if w.typ(i) != "scope_resolution" {
		return w.text(i), ""
	}
	if s := w.child(i, "scope"); w.typ(s) == "scope_resolution" {
		owner = w.text(w.child(s, "name"))
	} else {
		owner = w.text(s)
	}
	return w.text(w.child(i, "name")), owner
}

func rubyClass(w *walker, i int32) {
	n := w.child(i, "name")
	name, owner := rubyName(w, n)
	w.take(n)
	w.take(w.child(n, "name"))
	kind := KindClass
	if w.typ(i) == "module" {
		kind = KindModule
	}
	w.define(decl{node: i, name: name, owner: owner, kind: kind, body: -1, scope: i})
}

func rubyMethod(w *walker, i int32) {
	name := w.child(i, "name")
	w.take(name)
	w.take(w.child(i, "object"))
	d := decl{node: i, name: w.text(name), kind: KindFunction, body: w.child(i, "body"), sig: true, scope: i}
	if k, in := w.scopeKind(); in && (k == KindClass || k == KindModule) {
		d.kind = KindMethod
		d.priv = w.typ(i) == "method" && w.hidden[rubyBody(w, i)]
	}
	// private def …
	if p := w.parent(w.parent(i)); w.typ(w.parent(i)) == "argument_list" && w.typ(p) == "call" {
		d.priv = string(w.bytes(w.child(p, "method"))) == "private"
	}
	if d.body < 0 {
		d.body = w.child(i, "parameters")
		d.sig = false
	}
	w.define(d)
}

func rubyAssignment(w *walker, i int32) {
	left, right := w.child(i, "left"), w.child(i, "right")
	switch w.typ(left) {
	case "constant":
		if w.inFunc() {
			return
		}
		w.take(left)
		d := decl{node: i, name: w.text(left), kind: KindConst, body: -1, scope: i}
		if w.typ(right) == "call" {
			switch recv := string(w.bytes(w.child(right, "receiver"))); recv {
			case "Struct", "Class", "Data", "Module":
				d.kind = KindClass
			}
		}
		w.define(d)
	case "identifier", "left_assignment_list":
		rubyLocals(w, left)
	}
}

// rubyLocals takes the small-letter names at or below i as locals, at top
// level too: a script's variables are nobody else's.
func rubyLocals(w *walker, i int32) {
	if i < 0 {
		return
	}
	for c, n := i, 0; c < w.nodes[i].next && n < maxLook; c, n = c+1, n+1 {
		if w.typ(c) == "identifier" {
			if p := w.typ(w.parent(c)); p == "call" || p == "element_reference" {
				continue
			}
			w.take(c)
			w.locals[[2]int32{w.scope(), w.id(w.bytes(c))}] = struct{}{}
		}
	}
}

func rubyAlias(w *walker, i int32) {
	n := w.child(i, "name")
	name := strings.TrimPrefix(w.text(n), ":")
	w.define(decl{node: i, name: name, kind: KindMethod, body: -1, scope: -1})
	w.skip(i)
}

func rubyParameters(w *walker, i int32) {
	w.children(i, func(c int32) bool {
		if n := w.child(c, "name"); n >= 0 {
			c = n
		}
		switch w.typ(c) {
		case "identifier", "destructured_parameter":
			rubyLocals(w, c)
		}
		return true
	})
}

// rubySymbol returns the name of :name or "name".
func rubySymbol(w *walker, i int32) string {
	switch w.typ(i) {
	case "simple_symbol":
		return string(bytes.TrimPrefix(w.bytes(i), []byte(":")))
	case "string":
		return w.text(w.kid(i, "string_content"))
	}
	return ""
}

func rubyCall(w *walker, i int32) {
	m := w.child(i, "method")
	name, recv, args := w.bytes(m), w.child(i, "receiver"), w.child(i, "arguments")
	w.take(m)
	if recv < 0 && rubyDirective(w, i, string(name), args) {
		return
	}
	var qual []byte
	switch w.typ(recv) {
	case "identifier":
		w.take(recv)
		qual = w.bytes(recv)
	case "self", "super", "constant":
		qual = w.bytes(recv)
	case "scope_resolution":
		qual = w.bytes(w.child(recv, "name"))
	case "instance_variable", "class_variable":
		qual = bytes.TrimLeft(w.bytes(recv), "@")
	case "call":
		if a := w.child(recv, "arguments"); a < 0 {
			qual = w.bytes(w.child(recv, "method"))
		}
	}
	if t := w.typ(m); t != "identifier" && t != "constant" {
		return
	}
	if len(qual) > 0 && string(name) == "new" {
		return // the class itself is the use
	}
	if w.g.table.builtins[string(name)] {
		return
	}
	w.ref(name, qual, RefCall)
}

// rubyDirective handles the calls that declare. It says whether the call is
// no ref.
func rubyDirective(w *walker, i int32, name string, args int32) bool {
	switch name {
	case "require", "require_relative", "load", "require_dependency":
		if a := w.first(args); w.typ(a) == "string" && w.kid(a, "interpolation") < 0 {
			m := Import{Module: w.text(w.kid(a, "string_content")), Line: w.line(i)}
			if name == "require_relative" {
				m.Relative = 1
			}
			if m.Module != "" {
				w.imp(m)
			}
		}
		return true
	case "autoload":
		c, p := w.first(args), w.last(args)
		m := Import{Line: w.line(i), Names: []string{rubySymbol(w, c)}}
		if m.Names[0] == "" {
			return true
		}
		if p != c && w.typ(p) == "string" {
			m.Module = w.text(w.kid(p, "string_content"))
		}
		w.imp(m)
		return true
	case "include", "extend", "prepend":
		w.children(args, func(c int32) bool {
			n := c
			var qual []byte
			if w.typ(c) == "scope_resolution" {
				n, qual = w.child(c, "name"), w.bytes(w.child(c, "scope"))
				if s := w.child(c, "scope"); w.typ(s) == "scope_resolution" {
					qual = w.bytes(w.child(s, "name"))
				}
				w.take(c)
			}
			if w.typ(n) == "constant" {
				w.take(n)
				w.ref(w.bytes(n), qual, RefBase)
			}
			return true
		})
		return true
	case "private", "protected", "public":
		if args < 0 && !w.inFunc() {
			w.hide(i, name != "public")
		}
		return true
	}
	if rubyMembers[name] && !w.inFunc() {
		// The first of alias_method's and of the Rails calls is the new name;
		// attr_* and delegate take many.
		many := strings.Contains(name, "attr") || name == "delegate"
		w.children(args, func(c int32) bool {
			if s := rubySymbol(w, c); s != "" && w.kid(c, "interpolation") < 0 {
				kind := KindField
				if name == "define_method" || name == "alias_method" || name == "delegate" || name == "scope" {
					kind = KindMethod
				}
				w.define(decl{node: i, name: s, kind: kind, body: -1, scope: -1})
				return many
			}
			return false
		})
	}
	return false
}

// hide says that methods that follow node i in its class are private, or not.
func (w *walker) hide(i int32, yes bool) {
	if w.hidden == nil {
		w.hidden = map[int32]bool{}
	}
	w.hidden[rubyBody(w, i)] = yes
}

// rubyBody returns the class, module or singleton class that i stands in.
func rubyBody(w *walker, i int32) int32 {
	for n := 0; n < maxLook; n++ {
		i = w.parent(i)
		switch w.typ(i) {
		case "class", "module", "singleton_class", "":
			return i
		}
	}
	return -1
}

func rubyScope(w *walker, i int32) {
	if w.isTaken(i) {
		return
	}
	name, s := w.child(i, "name"), w.child(i, "scope")
	w.take(name)
	qual := w.bytes(s)
	if w.typ(s) == "scope_resolution" {
		qual = w.bytes(w.child(s, "name"))
	}
	w.ref(w.bytes(name), qual, rubyUse(w, i))
}

func rubyConstant(w *walker, i int32) {
	if !w.isTaken(i) {
		w.ref(w.bytes(i), nil, rubyUse(w, i))
	}
}

func rubyUse(w *walker, i int32) RefKind {
	if w.typ(w.parent(i)) == "superclass" {
		return RefBase
	}
	return RefUse
}

// rubyIdentifier is a call without arguments, or a local (see dropLocals).
func rubyIdentifier(w *walker, i int32) {
	if w.isTaken(i) {
		return
	}
	name := w.bytes(i)
	switch string(name) {
	case "private", "protected", "public", "private_class_method":
		if w.typ(w.parent(i)) == "body_statement" && !w.inFunc() {
			w.hide(i, name[1] == 'r')
			return
		}
	}
	w.ref(name, nil, RefCall)
}
