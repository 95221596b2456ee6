package facts

import "strings"

// plainLangs adds the languages that have a grammar, for files whose tree is
// broken beyond use and for scripts in other documents. They know
// declarations that begin with a key word, and the C family's shapes.
func plainLangs(m map[string]*fbLang) {
	m["python"] = &fbLang{
		lex:    lexSpec{line: []string{"#"}, quotes: []quote{tripleDQ, tripleSQ, dqString, sqString}},
		words:  decls("class:class def:func"),
		mods:   set("async"),
		skip:   set("if elif else for while return yield import from as with try except finally raise lambda in is not and or pass break continue del global nonlocal assert await True False None self cls print len str int super isinstance range list dict set tuple"),
		indent: true, closers: "else elif except finally", attrs: '@',
		importer: importPython,
		special: func(w *fbWalker, i int) int {
			if w.kind(i) == tokWord && w.first(i) && w.toks[i].col == 0 && w.kind(i+1) == '=' && !w.in(i, w.lang.skip) {
				w.name(i)
				end := w.indentEnd(i, i+2)
				sym := w.add(w.text(i), KindVar, i, i+1, end, w.src[w.toks[i].start] != '_')
				w.push(end, sym, inCode)
				return i + 2
			}
			return i
		},
		after: pythonBases,
	}
	m["ruby"] = &fbLang{
		lex:    lexSpec{line: []string{"#"}, block: [][2]string{{"=begin", "=end"}}, heredoc: true, tail: "?!", regex: true, quotes: []quote{{open: `"`, close: `"`, escape: '\\', multi: true, interp: "#{"}, sqMulti, {open: "`", close: "`", escape: '\\'}}},
		words:  decls("class:class module:module"),
		skip:   set("if elsif else unless case when then for while until do end return yield begin rescue ensure raise super self nil true false and or not in def class module require require_relative include extend prepend attr_accessor attr_reader attr_writer puts private protected public lambda proc new"),
		indent: true, closers: "end else elsif rescue ensure when in",
		importer: importRuby,
		special:  specialRuby,
	}
	m["go"] = &fbLang{
		lex:   lexSpec{line: []string{"//"}, block: cBlock, char: true, quotes: []quote{dqString, {open: "`", close: "`", multi: true}}},
		words: decls("func:func package:namespace"),
		skip:  set("if else for range switch case select return go defer break continue goto fallthrough func type struct interface map chan var const nil true false make new len cap append string int error bool byte any"),
		upper: true, newline: true,
		importer: importGo,
		special: func(w *fbWalker, i int) int {
			if w.is(i, "type") && w.kind(i+1) == tokWord && w.class() == inFile {
				kind := KindType
				k := i + 2
				if w.kind(k) == '[' && w.match[k] > 0 {
					k = int(w.match[k]) + 1
				}
				if w.is(k, "struct") {
					kind = KindStruct
				} else if w.is(k, "interface") {
					kind = KindInterface
				}
				w.name(i + 1)
				end := w.varEnd(i, k)
				sym := w.add(w.text(i+1), kind, i, k, end, w.exportedName(i+1, true))
				w.push(end, sym, inCode)
				return k
			}
			if (w.is(i, "const") || w.is(i, "var")) && w.class() == inFile && w.kind(i+1) == tokWord {
				kind := KindVar
				if w.is(i, "const") {
					kind = KindConst
				}
				w.name(i + 1)
				w.add(w.text(i+1), kind, i, i+1, w.varEnd(i, i+2), w.exportedName(i+1, true))
				return i + 2
			}
			return i
		},
	}
	js := lexSpec{line: []string{"//"}, block: cBlock, ident: "$", start: "$", regex: true, quotes: []quote{dqString, sqString, templateJS}}
	m["javascript"] = &fbLang{
		lex:    js,
		words:  decls("function:func class:class interface:interface enum:enum const:const let:var var:var type:type namespace:namespace"),
		mods:   set("export default declare abstract public private protected static readonly async override const"),
		stop:   set("if else for while do switch case return throw try catch finally new typeof await yield delete in of instanceof import export with get set super"),
		skip:   set("if else for while do switch case return throw try catch finally new typeof await yield delete in of instanceof import export with super this null undefined true false string number boolean any void never unknown"),
		public: set("export public"), extends: set("extends implements"), attrs: '@', newline: true, exprBody: true,
		importer: importQuoted("import", "export"),
		special:  specialJS,
		after:    func(w *fbWalker) { callImports(w, "require", "import") },
	}
	m["typescript"], m["tsx"] = m["javascript"], m["javascript"]
	m["java"] = &fbLang{
		lex:    lexSpec{line: []string{"//"}, block: cBlock, char: true, ident: "$", quotes: []quote{tripleDQ, dqString}},
		words:  decls("class:class interface:interface enum:enum record:class"),
		mods:   set("public private protected static final abstract synchronized native transient volatile default strictfp sealed non"),
		stop:   set("if else for while do switch case return throw try catch finally new instanceof import package this super assert break continue"),
		skip:   set("if else for while do switch case return throw try catch finally new instanceof this super null true false int long boolean void char byte short float double String Object var assert"),
		public: set("public protected"), cont: set("throws extends implements permits"), extends: set("extends implements"), angles: true, attrs: '@', typed: true,
		importer: importDotted,
	}
	c := lexSpec{line: []string{"//"}, block: cBlock, char: true, directive: true, quotes: []quote{{open: `R"(`, close: `)"`, multi: true}, dqString}}
	cWords := "struct:struct union:struct enum:enum"
	cStop := set("if else for while do switch case return goto break continue sizeof typedef new delete throw try catch using public private protected default friend template co_return co_await co_yield")
	cSkip := set("if else for while do switch case return goto break continue sizeof typedef new delete throw try catch using public private protected default template this nullptr NULL true false int char void long short unsigned signed float double const static struct union enum bool size_t auto std")
	cMods := set("static extern inline const constexpr virtual explicit volatile register typedef friend mutable consteval constinit thread_local")
	m["c"] = &fbLang{lex: c, words: decls(cWords), mods: cMods, stop: cStop, skip: cSkip, typed: true, typedTop: true, importer: importC}
	m["cpp"] = &fbLang{
		lex: c, words: decls(cWords + " class:class namespace:namespace concept:type"), mods: cMods, stop: cStop, skip: cSkip,
		cont: set("const noexcept override final requires volatile"), baseColon: true, angles: true, typed: true, typedTop: true,
		importer: importC,
		special: func(w *fbWalker, i int) int {
			if w.is(i, "template") && w.kind(i+1) == '<' { // what it is a template of follows
				if e := w.angle(i + 1); e > i+1 {
					first := len(w.syms)
					n := w.statement(e)
					if n <= e {
						return i
					}
					if len(w.syms) > first {
						s := &w.syms[first]
						s.Start, w.from[first] = w.line(i), int32(i)
						s.DocStart = w.docAbove(s.Start)
					}
					return n
				}
			}
			return i
		},
	}
	m["rust"] = &fbLang{
		lex:    lexSpec{line: []string{"//"}, block: cBlock, nested: true, char: true, quotes: []quote{{open: `r#"`, close: `"#`, multi: true}, {open: `r"`, close: `"`, multi: true}, dqMulti}},
		words:  decls("fn:func struct:struct enum:enum union:struct trait:interface mod:module type:type const:const static:const"),
		mods:   set("pub async unsafe extern default const"),
		skip:   set("if else for while loop match return let mut ref move in as where self Self super crate true false Some None Ok Err Option Result Vec String Box str u8 u16 u32 u64 usize i32 i64 bool macro_rules"),
		public: set("pub"), cont: set("where"), angles: true, attrs: '#',
		importer: importRust,
		special: func(w *fbWalker, i int) int {
			if w.is(i, "macro_rules") && w.kind(i+1) == '!' && w.kind(i+2) == tokWord {
				w.name(i + 2)
				return w.body(i, i+2, i+3, w.text(i+2), KindMacro, true, inCode)
			}
			j := i
			if w.is(j, "unsafe") {
				j++
			}
			if !w.is(j, "impl") {
				return i
			}
			k := j + 1
			if w.kind(k) == '<' {
				k = w.angle(k)
			}
			n := -1
			for ; k < min(j+80, len(w.toks)) && w.kind(k) != '{' && w.kind(k) != ';' && !w.is(k, "where"); k++ {
				switch {
				case w.is(k, "for"):
					if n > 0 {
						w.bases = append(w.bases, pendingRef{int32(n), -1, RefBase})
					}
					n = -1
				case w.kind(k) == '<':
					if e := w.angle(k); e > k {
						k = e - 1
					}
				case w.kind(k) == tokWord:
					n = k
				}
			}
			if n < 0 {
				return i
			}
			return w.body(i, n, k, w.text(n), KindOther, true, inType)
		},
	}
}

// importPython reads import a.b as c and from .a import b.
func importPython(w *fbWalker, i int) int {
	if w.is(i, "import") {
		k := i + 1
		for {
			name, next := w.dotted(k)
			if name == "" {
				return max(k, i)
			}
			im := Import{Module: name, Line: w.line(i)}
			k = next
			if w.is(k, "as") {
				im.Alias = w.text(k + 1)
				k += 2
			}
			w.imports = append(w.imports, im)
			if w.kind(k) != ',' {
				return k
			}
			k++
		}
	}
	if !w.is(i, "from") {
		return i
	}
	im := Import{Line: w.line(i)}
	k := i + 1
	for w.kind(k) == '.' {
		im.Relative++
		k++
	}
	if !w.is(k, "import") {
		im.Module, k = w.dotted(k)
	}
	if !w.is(k, "import") {
		return i
	}
	k++
	end := k
	if w.kind(k) == '(' && w.match[k] > 0 {
		end = int(w.match[k])
		k++
	} else {
		for end < len(w.toks) && !w.first(end) {
			end++
		}
	}
	for ; k < end; k++ {
		switch {
		case w.kind(k) == '*':
			im.Names = append(im.Names, "*")
		case w.is(k, "as"):
			k++
		case w.kind(k) == tokWord:
			im.Names = append(im.Names, w.text(k))
		}
	}
	w.imports = append(w.imports, im)
	return max(end, i+1)
}

// pythonBases notes class A(B, c.D).
func pythonBases(w *fbWalker) {
	for s := range w.syms {
		if w.syms[s].Kind != KindClass {
			continue
		}
		for k := int(w.from[s]); k < min(int(w.from[s])+200, len(w.toks)); k++ {
			if w.kind(k) == tokName && w.kind(k+1) == '(' && w.match[k+1] > 0 {
				for n := k + 2; n < int(w.match[k+1]); n++ {
					if w.kind(n) == tokWord && (w.kind(n+1) == ',' || w.kind(n+1) == ')' || w.kind(n+1) == '[') {
						w.bases = append(w.bases, pendingRef{int32(n), int32(s), RefBase})
					}
				}
				break
			}
		}
	}
}

// importRuby reads require, require_relative, autoload, load.
func importRuby(w *fbWalker, i int) int {
	for _, word := range []string{"require", "require_relative", "load", "autoload"} {
		if !w.is(i, word) {
			continue
		}
		for k := i + 1; k < i+6; k++ {
			if w.kind(k) == tokString {
				rel := int32(0)
				if word == "require_relative" {
					rel = 1
				}
				w.imports = append(w.imports, Import{Module: unquote(w.text(k)), Line: w.line(i), Relative: rel})
				return k + 1
			}
		}
	}
	return i
}

// specialRuby reads def self.x, def x?, constants, include.
func specialRuby(w *fbWalker, i int) int {
	switch {
	case w.is(i, "def"):
		k := i + 1
		if w.is(k, "self") && w.kind(k+1) == '.' {
			k += 2
		}
		if w.kind(k) != tokWord {
			return i
		}
		kind := KindFunction
		if w.class() == inType {
			kind = KindMethod
		}
		w.name(k)
		end := w.indentEnd(i, k+1)
		sig := k
		if w.kind(k+1) == '(' && w.match[k+1] > 0 {
			sig = int(w.match[k+1])
		}
		sym := w.add(w.text(k), kind, i, sig, end, true)
		w.push(end, sym, inCode)
		return k + 1
	case w.is(i, "include"), w.is(i, "extend"), w.is(i, "prepend"):
		if _, next := w.dotted(i + 1); next > i+1 && w.class() == inType {
			w.bases = append(w.bases, pendingRef{int32(next - 1), w.parent(), RefBase})
			return next
		}
	case w.is(i, "attr_accessor"), w.is(i, "attr_reader"), w.is(i, "attr_writer"):
		k := i + 1
		for w.kind(k) == ':' && w.kind(k+1) == tokWord {
			w.name(k + 1)
			w.add(w.text(k+1), KindField, i, k+1, k+2, true)
			k += 2
			if w.kind(k) == ',' {
				k++
			}
		}
		return k
	case w.kind(i) == tokWord && w.kind(i+1) == '=' && w.class() != inCode:
		if c := w.src[w.toks[i].start]; c >= 'A' && c <= 'Z' {
			w.name(i)
			end := w.indentEnd(i, i+2)
			w.add(w.text(i), KindConst, i, i+1, end, true)
			return i + 2
		}
	}
	return i
}

// importGo reads import "x" and import ( … ).
func importGo(w *fbWalker, i int) int {
	if !w.is(i, "import") {
		return i
	}
	end := i + 4
	k := i + 1
	if w.kind(k) == '(' && w.match[k] > 0 {
		end = int(w.match[k])
		k++
	}
	for ; k < min(end, len(w.toks)); k++ {
		if w.kind(k) == tokString {
			im := Import{Module: unquote(w.text(k)), Line: w.line(k)}
			if w.kind(k-1) == tokWord && !w.first(k) && !w.is(k-1, "import") {
				im.Alias = w.text(k - 1)
			}
			w.imports = append(w.imports, im)
			if end == i+4 {
				return k + 1
			}
		}
	}
	return max(end, i+1)
}

// importRust reads use a::{b, c as d}; and mod x;
func importRust(w *fbWalker, i int) int {
	j := i
	reexport := false
	if w.is(j, "pub") {
		reexport = true
		j++
		if w.kind(j) == '(' && w.match[j] > 0 {
			j = int(w.match[j]) + 1
		}
	}
	if w.is(j, "mod") && w.kind(j+1) == tokWord && w.kind(j+2) == ';' {
		w.imports = append(w.imports, Import{Module: w.text(j + 1), Line: w.line(j), Mod: true, Reexport: reexport})
		return j + 3
	}
	if !w.is(j, "use") {
		return i
	}
	k := j + 1
	for k < len(w.toks) && w.kind(k) != ';' && w.spend() {
		k++
	}
	w.useTree(j+1, k, "", reexport, 0)
	return min(k+1, len(w.toks))
}

// useTree flattens a use tree of tokens [k, end).
func (w *fbWalker) useTree(k, end int, prefix string, reexport bool, depth int) {
	path, line := prefix, w.line(k)
	emit := func(alias string) {
		if path == "" {
			return
		}
		path = strings.TrimSuffix(path, "::self")
		im := Import{Module: path, Line: line, Reexport: reexport, Alias: alias}
		if m, ok := strings.CutSuffix(path, "::*"); ok {
			im.Module, im.Names = m, []string{"*"}
		}
		w.imports = append(w.imports, im)
		path = ""
	}
	for ; k < end; k++ {
		switch {
		case w.kind(k) == '{' && int(w.match[k]) > k && int(w.match[k]) < end:
			if depth < 16 {
				w.useTree(k+1, int(w.match[k]), path, reexport, depth+1)
			}
			path, k = "", int(w.match[k])
		case w.kind(k) == ',':
			emit("")
			path, line = prefix, w.line(min(k+1, end))
		case w.is(k, "as"):
			emit(w.text(k + 1))
			k++
		case w.kind(k) == tokWord || w.kind(k) == '*':
			path += w.text(k)
		case w.kind(k) == tokColons:
			if path != "" {
				path += "::"
			}
		}
	}
	if path != prefix {
		emit("")
	}
}

// specialJS reads methods, arrow functions and exports.
func specialJS(w *fbWalker, i int) int {
	j, exported := w.modifiers(i)
	if (w.is(j, "const") || w.is(j, "let") || w.is(j, "var")) && w.kind(j+1) == tokWord && w.class() != inCode {
		k := j + 2
		if w.kind(k) == ':' { // its type
			for k < min(j+40, len(w.toks)) && w.kind(k) != '=' && w.kind(k) != ';' {
				if m := int(w.match[k]); m > k {
					k = m
				}
				k++
			}
		}
		if w.kind(k) != '=' {
			return i
		}
		f := k + 1
		if w.is(f, "async") {
			f++
		}
		arrow := w.is(f, "function")
		if !arrow && w.kind(f) == '(' && w.match[f] > 0 {
			n := int(w.match[f]) + 1
			arrow = w.kind(n) == tokFat || w.kind(n) == ':'
		}
		arrow = arrow || w.kind(f) == tokWord && w.kind(f+1) == tokFat
		if !arrow {
			return i
		}
		w.name(j + 1)
		end := w.varEnd(i, k+1)
		sym := w.add(w.text(j+1), KindFunction, i, k, end, exported)
		w.push(end, sym, inCode)
		return k + 1
	}
	if w.class() == inType && w.kind(j) == tokWord && !w.in(j, w.lang.stop) {
		n := j
		if (w.is(j, "get") || w.is(j, "set")) && w.kind(j+1) == tokWord {
			n = j + 1
		}
		k := n + 1
		if w.kind(k) == '(' && w.match[k] > 0 {
			w.name(n)
			return w.body(i, n, k, w.text(n), KindMethod, true, inCode)
		}
		if (w.kind(k) == '=' || w.kind(k) == ':' || w.kind(k) == ';' || w.kind(k) == '?' && w.kind(k+1) == ':') && !w.isKey(n) {
			w.name(n)
			end := w.varEnd(i, k)
			sym := w.add(w.text(n), KindField, i, n, end, true)
			w.push(end, sym, inCode)
			return k
		}
	}
	return i
}
