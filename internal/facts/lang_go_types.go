package facts

import "strings"

// What the values of a Go file are, as far as the file itself says it: the
// declared types of its variables, parameters, fields and results, followed
// through expressions. Nothing is looked up outside of the file, so the type of
// what another file declares stays open, and is named by where it comes from.
//
// A type is a string: goNone for what has no members in any tree, "" for what
// is not known, else an optional run of containers and a base. Bases: T and p.T
// as written (p is the name of an import), #n for a struct without a name, and
// origin:step for a value that the named thing leads to: p.New: is a result of
// p.New, T:Next what member Next of a T gives.

const (
	goNone  = "!" // built-in types and what has no name
	goList  = '[' // slices, arrays
	goMap   = '<'
	goChan  = '~'
	goGives = '(' // a function: what follows is the first result
	goAnon  = '#' // a struct without a name

	// maxGoDepth bounds the nesting of expressions and types that are
	// followed: generated tables nest deep and say nothing.
	maxGoDepth = 12
)

// goVar is what a name means between two nodes. A type's own name has the
// prefix "=".
type goVar struct {
	from, end int32
	typ       string
}

// goTypes is what the walker knows of one file's types.
type goTypes struct {
	vars    map[string][]goVar  // innermost last
	types   map[string]bool     // declared at top level
	alias   map[string]string   // type T = X
	under   map[string]string   // type T []X
	members map[string]string   // T.name: of a field, or goGives and a method's result
	results map[string][]string // T.name and name: of those with more than one
	bases   map[string][]string // embedded types
	values  map[string]string   // variables and functions at top level
	imports map[string]bool     // names that imports bind, as far as the paths tell
}

// types is what is known so far: nothing where the tree has no root.
func (w *walker) types() *goTypes {
	if w.gotypes == nil {
		w.gotypes = &goTypes{vars: map[string][]goVar{}, types: map[string]bool{}, alias: map[string]string{}, under: map[string]string{},
			members: map[string]string{}, results: map[string][]string{}, bases: map[string][]string{}, values: map[string]string{}, imports: map[string]bool{}}
	}
	return w.gotypes
}

// goFile reads the top level before all else, since what stands below may be
// used above.
func goFile(w *walker, root int32) {
	g := w.types()
	var specs, vars []int32
	w.children(root, func(d int32) bool {
		switch w.typ(d) {
		case "import_declaration":
			for c := d; c < w.nodes[d].next; c++ {
				if w.typ(c) == "import_spec" {
					g.imports[w.goImported(c)] = true
				}
			}
		case "type_declaration":
			w.children(d, func(c int32) bool {
				if n := w.child(c, "name"); n >= 0 {
					g.types[w.text(n)] = true
					specs = append(specs, c)
				}
				return true
			})
		case "var_declaration":
			for c := d; c < w.nodes[d].next; c++ {
				switch w.typ(c) {
				case "var_declaration", "var_spec_list":
					continue
				case "var_spec":
					vars = append(vars, c)
				}
				c = w.nodes[c].next - 1
			}
		}
		return true
	})
	for _, c := range specs {
		if w.typ(c) == "type_alias" && w.child(c, "type_parameters") < 0 {
			g.alias[w.text(w.child(c, "name"))] = w.goTypeOf(w.child(c, "type"), 0)
		}
	}
	for _, c := range specs {
		if w.typ(c) != "type_alias" {
			w.goSpec(c)
		}
	}
	w.children(root, func(d int32) bool {
		switch w.typ(d) {
		case "function_declaration":
			w.goResult(w.text(w.child(d, "name")), d, g.values)
		case "method_declaration":
			if t := w.goReceiver(d); t != "" {
				w.goResult(t+"."+w.text(w.child(d, "name")), d, g.members)
			}
		}
		return true
	})
	for _, c := range vars {
		names, types := w.goVarSpec(c)
		for i, n := range names {
			g.values[w.text(n)] = types[i]
		}
	}
}

// goImported is the name that an import binds, guessed from the path.
func (w *walker) goImported(spec int32) string {
	if n := w.child(spec, "name"); n >= 0 {
		return w.text(n)
	}
	p := strings.Trim(w.text(w.child(spec, "path")), "\"`")
	head, last := "", p
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		head, last = p[:i], p[i+1:]
	}
	if len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = head[strings.LastIndexByte(head, '/')+1:]
	}
	last, _, _ = strings.Cut(last, ".")
	return last[strings.LastIndexByte(last, '-')+1:]
}

// goReceiver is the name of the type that a method belongs to.
func (w *walker) goReceiver(method int32) string {
	r := w.child(method, "receiver")
	if r < 0 {
		return ""
	}
	for c := r; c < w.nodes[r].next; c++ {
		if w.typ(c) == "type_identifier" {
			return w.text(c)
		}
	}
	return ""
}

// goSpec reads a type declared at top level. Its parameters are not known.
func (w *walker) goSpec(spec int32) {
	name, t := w.text(w.child(spec, "name")), w.child(spec, "type")
	g := w.types()
	switch w.typ(t) {
	case "struct_type":
		w.goStruct(name, t, 0)
	case "interface_type":
		w.children(t, func(c int32) bool {
			switch w.typ(c) {
			case "method_spec", "method_elem":
				w.goResult(name+"."+w.text(w.child(c, "name")), c, g.members)
			case "type_elem", "constraint_elem":
				if f := w.first(c); f >= 0 && w.nodes[f].next == w.nodes[c].next {
					g.bases[name] = append(g.bases[name], w.goTypeOf(f, 1))
				}
			}
			return true
		})
	default:
		g.under[name] = w.goTypeOf(t, 0)
	}
}

// goStruct reads the fields of struct type t under a name.
func (w *walker) goStruct(name string, t int32, depth int) {
	g := w.types()
	w.children(w.kid(t, "field_declaration_list"), func(f int32) bool {
		if w.typ(f) != "field_declaration" {
			return true
		}
		typ := w.goTypeOf(w.child(f, "type"), depth+1)
		named := false
		w.children(f, func(c int32) bool {
			if w.field(c) == "name" {
				named = true
				g.members[name+"."+w.text(c)] = typ
			}
			return true
		})
		if !named {
			base, _, _ := strings.Cut(typ, ":")
			g.members[name+"."+base[strings.LastIndexByte(base, '.')+1:]] = typ
			g.bases[name] = append(g.bases[name], typ)
		}
		return true
	})
}

// goResult notes what a function gives.
func (w *walker) goResult(key string, fn int32, to map[string]string) {
	list := w.goResults(fn, 0)
	if len(list) == 0 {
		to[key] = string(goGives) + goNone
		return
	}
	to[key] = string(goGives) + list[0]
	if len(list) > 1 {
		w.types().results[key] = list
	}
}

// goResults lists the types that a function, method or function type gives.
func (w *walker) goResults(fn int32, depth int) (out []string) {
	hide := map[string]bool{} // type parameters
	w.children(w.child(fn, "type_parameters"), func(p int32) bool {
		w.children(p, func(c int32) bool {
			if w.field(c) == "name" {
				hide[w.text(c)] = true
			}
			return true
		})
		return true
	})
	put := func(t string) {
		if hide[strings.TrimLeft(t, "[<~(")] {
			t = ""
		}
		out = append(out, t)
	}
	r := w.child(fn, "result")
	switch {
	case r < 0:
	case w.typ(r) != "parameter_list":
		put(w.goTypeOf(r, depth+1))
	default:
		w.children(r, func(p int32) bool {
			t := w.goTypeOf(w.child(p, "type"), depth+1)
			n := 0
			w.children(p, func(c int32) bool {
				if w.field(c) == "name" {
					n++
				}
				return true
			})
			for range max(n, 1) {
				put(t)
			}
			return len(out) < maxLook
		})
	}
	return out
}

// goTypeOf is the type that a type's node names.
func (w *walker) goTypeOf(i int32, depth int) string {
	if i < 0 || depth > maxGoDepth {
		return ""
	}
	g := w.types()
	switch w.typ(i) {
	case "type_identifier":
		name := w.text(i)
		if t, ok := g.look(name, i); ok {
			if s, ok := strings.CutPrefix(t, "="); ok {
				return s
			}
			return ""
		}
		if t, ok := g.alias[name]; ok {
			return t
		}
		if !g.types[name] && w.g.table.builtins[name] {
			return goNone
		}
		return name
	case "qualified_type":
		p, n := w.text(w.child(i, "package")), w.text(w.child(i, "name"))
		if p == "" || n == "" {
			return ""
		}
		return p + "." + n
	case "generic_type":
		return w.goTypeOf(w.child(i, "type"), depth+1)
	case "pointer_type", "parenthesized_type", "type_elem", "type_constraint":
		return w.goTypeOf(w.first(i), depth+1)
	case "slice_type", "array_type", "implicit_length_array_type":
		return string(goList) + w.goTypeOf(w.child(i, "element"), depth+1)
	case "map_type":
		return string(goMap) + w.goTypeOf(w.child(i, "value"), depth+1)
	case "channel_type":
		return string(goChan) + w.goTypeOf(w.child(i, "value"), depth+1)
	case "function_type":
		if list := w.goResults(i, depth+1); len(list) > 0 {
			return string(goGives) + list[0]
		}
		return string(goGives) + goNone
	case "struct_type":
		name := string(goAnon) + decimal(i)
		if _, ok := g.under[name]; !ok {
			g.under[name] = "" // read once
			w.goStruct(name, i, depth+1)
		}
		return name
	case "interface_type", "negated_type":
		return goNone
	}
	return ""
}

// look finds what a name means at node i.
func (g *goTypes) look(name string, i int32) (typ string, ok bool) {
	s := g.vars[name]
	for len(s) > 0 && s[len(s)-1].end <= i {
		s = s[:len(s)-1]
		g.vars[name] = s
	}
	for k := len(s) - 1; k >= 0; k-- {
		if s[k].from <= i && i < s[k].end {
			return s[k].typ, true
		}
	}
	return "", false
}

// bind gives name c a type from one node to another.
func (w *walker) bind(c, from, end int32, typ string) {
	if c < 0 {
		return
	}
	name := w.text(c)
	if name == "" || name == "_" {
		return
	}
	switch name {
	case "err", "ok":
		if strings.HasSuffix(typ, ":") {
			typ = goNone // of unknown results, an error and a flag
		}
	}
	w.types().vars[name] = append(w.types().vars[name], goVar{from, end, typ})
}

// goBlock is the end of what node i declares names for.
func (w *walker) goBlock(i int32) int32 {
	for n := 0; i >= 0 && n < maxLook; n++ {
		switch w.typ(i) {
		case "block", "if_statement", "for_statement", "expression_switch_statement", "type_switch_statement", "select_statement",
			"expression_case", "default_case", "type_case", "communication_case", "func_literal", "function_declaration", "method_declaration", "source_file":
			return w.nodes[i].next
		}
		i = w.parent(i)
	}
	return 0
}

// goBindList gives the names of left, from behind node at on, the types of the
// expressions right.
func (w *walker) goBindList(left []int32, right int32, at int32) {
	types := w.goTypesOf(right, len(left))
	end := w.goBlock(w.parent(at))
	for i, c := range left {
		w.bind(c, w.nodes[at].next, end, types[i])
	}
}

// goTypesOf is the types of the n values of an expression list.
func (w *walker) goTypesOf(list int32, n int) []string {
	out := make([]string, n)
	if list < 0 {
		return out
	}
	var es []int32
	w.children(list, func(c int32) bool {
		if w.typ(c) != "comment" {
			es = append(es, c)
		}
		return len(es) < n
	})
	if len(es) == n {
		for i, e := range es {
			out[i] = w.goExpr(e, 0)
		}
		return out
	}
	if len(es) != 1 || n == 0 {
		return out
	}
	e := es[0]
	if w.typ(e) == "call_expression" {
		if list := w.goMany(e); list != nil {
			copy(out, list)
			return out
		}
		out[0] = w.goExpr(e, 0)
		if strings.HasSuffix(out[0], ":") || out[0] == "" {
			for i := range out {
				out[i] = out[0]
			}
		}
		return out
	}
	out[0] = w.goExpr(e, 0) // v, ok := m[k], <-c, x.(T)
	for i := 1; i < n; i++ {
		out[i] = goNone
	}
	return out
}

// goMany lists the results of a call of a function or method of this file.
func (w *walker) goMany(call int32) []string {
	g := w.types()
	switch f := w.child(call, "function"); w.typ(f) {
	case "identifier":
		if _, ok := g.look(w.text(f), f); !ok {
			return g.results[w.text(f)]
		}
	case "selector_expression":
		if t := w.goExpr(w.child(f, "operand"), 1); goNamed(t) && !strings.ContainsAny(t, ".:") {
			return g.results[t+"."+w.text(w.child(f, "field"))]
		}
	}
	return nil
}

// goVarSpec is the names of a var_spec and their types.
func (w *walker) goVarSpec(i int32) (names []int32, types []string) {
	w.children(i, func(c int32) bool {
		if w.field(c) == "name" {
			names = append(names, c)
		}
		return true
	})
	if t := w.child(i, "type"); t >= 0 {
		typ := w.goTypeOf(t, 0)
		for range names {
			types = append(types, typ)
		}
		return names, types
	}
	return names, w.goTypesOf(w.child(i, "value"), len(names))
}
