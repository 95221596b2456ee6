package facts

import "bytes"

// jsSource returns the string that names a module.
func jsSource(w *walker, i int32) string {
	b := w.bytes(i)
	if len(b) < 3 {
		return ""
	}
	return string(bytes.Trim(b, "'\"`"))
}

func jsImport(w *walker, i int32) {
	defer w.skip(i)
	m := Import{Line: w.line(i), Module: jsSource(w, w.child(i, "source"))}
	if r := w.kid(i, "import_require_clause"); r >= 0 {
		m.Module, m.Alias = jsSource(w, w.child(r, "source")), w.text(w.kid(r, "identifier"))
	}
	if m.Module == "" {
		return
	}
	clause := w.kid(i, "import_clause")
	if clause < 0 {
		w.imp(m)
		return
	}
	w.children(clause, func(c int32) bool {
		one := m
		switch w.typ(c) {
		case "identifier":
			one.Names, one.Alias = []string{"default"}, w.text(c)
			w.imp(one)
		case "namespace_import":
			one.Alias = w.text(w.kid(c, "identifier"))
			w.imp(one)
		case "named_imports":
			jsNames(w, c, one, "import_specifier")
		}
		return true
	})
}

// jsNames records what a list in braces takes from module m.
func jsNames(w *walker, list int32, m Import, spec string) {
	var aliased []Import
	any := false
	w.children(list, func(c int32) bool {
		if w.typ(c) != spec {
			return true
		}
		any = true
		name := string(bytes.Trim(w.bytes(w.child(c, "name")), "'\""))
		if alias := w.child(c, "alias"); alias >= 0 {
			one := m
			one.Line, one.Names, one.Alias = w.line(c), []string{name}, w.text(alias)
			aliased = append(aliased, one)
		} else {
			m.Names = append(m.Names, name)
		}
		return true
	})
	if len(m.Names) > 0 || !any {
		w.imp(m)
	}
	for _, a := range aliased {
		w.imp(a)
	}
}

func jsExport(w *walker, i int32) {
	if src := w.child(i, "source"); src >= 0 {
		m := Import{Line: w.line(i), Module: jsSource(w, src), Reexport: true}
		if clause := w.kid(i, "export_clause"); clause >= 0 {
			jsNames(w, clause, m, "export_specifier")
		} else {
			m.Names = []string{"*"}
			w.imp(m)
		}
		w.exported("")
		w.skip(i)
		return
	}
	w.exported("")
	if clause := w.kid(i, "export_clause"); clause >= 0 {
		w.children(clause, func(c int32) bool {
			w.exported(w.text(w.child(c, "name")))
			return true
		})
		w.skip(i)
	} else if v := w.child(i, "value"); w.typ(v) == "identifier" {
		w.exported(w.text(v))
	}
}

// exported remembers that the file exports the name. "" says that it exports.
func (w *walker) exported(name string) {
	if w.exports == nil {
		w.exports = map[string]struct{}{}
	}
	w.exports[name] = struct{}{}
}

// jsFinish decides what is visible: what an export names and, in a file that
// exports nothing, what stands at top level.
func jsFinish(w *walker) {
	for i := range w.f.Symbols {
		s := &w.f.Symbols[i]
		switch {
		case w.priv[i]:
			s.Exported = false
		case s.Parent < 0:
			_, named := w.exports[s.Name]
			s.Exported = named || len(w.exports) == 0 || s.Owner != ""
		default:
			p := &w.f.Symbols[s.Parent]
			s.Exported = p.Exported && p.Kind != KindFunction && p.Kind != KindMethod
		}
	}
}

// jsRequire is const x = require("m"), or const {a, b} = require("m").
func jsRequire(w *walker, i, name, value int32) {
	var member int32 = -1
	if w.typ(value) == "member_expression" { // require("m").a
		member, value = w.child(value, "property"), w.child(value, "object")
	}
	if w.typ(value) == "await_expression" {
		value = w.first(value)
	}
	mod := jsRequired(w, value)
	if mod == "" {
		return
	}
	w.take(value)
	m := Import{Module: mod, Line: w.line(i)}
	switch {
	case w.typ(name) == "identifier":
		m.Alias = w.text(name)
		if member >= 0 {
			m.Names = []string{w.text(member)}
		}
	case w.typ(name) == "object_pattern":
		w.children(name, func(c int32) bool {
			switch w.typ(c) {
			case "shorthand_property_identifier_pattern":
				m.Names = append(m.Names, w.text(c))
			case "pair_pattern":
				m.Names = append(m.Names, w.text(w.child(c, "key")))
			}
			return true
		})
	}
	w.imp(m)
}

// jsRequired returns the module that the call i loads, "" if it is no such call.
func jsRequired(w *walker, i int32) string {
	if w.typ(i) != "call_expression" {
		return ""
	}
	switch fn := w.child(i, "function"); string(w.bytes(fn)) {
	case "require", "import", "require.resolve":
		if arg := w.first(w.child(i, "arguments")); w.typ(arg) == "string" {
			return jsSource(w, arg)
		}
	}
	return ""
}

func jsCall(w *walker, i int32) {
	if w.isTaken(i) {
		return
	}
	if m := jsRequired(w, i); m != "" {
		w.imp(Import{Module: m, Line: w.line(i)})
	}
}
