package facts

import "strings"

// decls parses "word:kind/form" lists; a word alone after a colonless entry
// is a mistake that the tests catch.
func decls(list string) map[string]declKind {
	m := make(map[string]declKind)
	for e := range strings.FieldsSeq(list) {
		word, what, _ := strings.Cut(e, ":")
		d, ok := shapes[what]
		if !ok {
			panic("facts: no shape " + what) // a table's mistake, at start
		}
		m[word] = d
	}
	return m
}

// shapes are the kinds of declaration that tables name.
var shapes = map[string]declKind{
	"namespace": {KindModule, formNS},
	"module":    {KindModule, formType},
	"class":     {KindClass, formType},
	"interface": {KindInterface, formType},
	"struct":    {KindStruct, formType},
	"enum":      {KindEnum, formType},
	"object":    {KindClass, formType},
	"func":      {KindFunction, formFunc},
	"macro":     {KindMacro, formFunc},
	"var":       {KindVar, formVar},
	"const":     {KindConst, formVar},
	"type":      {KindType, formAlias},
	"impl":      {KindOther, formImpl},
	"ctor":      {KindMethod, formCtor},
	"case":      {KindField, formCase},
	"test":      {KindOther, formString},
}

// Literals that many languages share.
var (
	dqString   = quote{open: `"`, close: `"`, escape: '\\'}
	sqString   = quote{open: `'`, close: `'`, escape: '\\'}
	dqMulti    = quote{open: `"`, close: `"`, escape: '\\', multi: true}
	sqMulti    = quote{open: `'`, close: `'`, escape: '\\', multi: true}
	tripleDQ   = quote{open: `"""`, close: `"""`, escape: '\\', multi: true}
	rawTriple  = quote{open: `"""`, close: `"""`, multi: true}
	tripleSQ   = quote{open: `'''`, close: `'''`, escape: '\\', multi: true}
	backString = quote{open: "`", close: "`", escape: '\\', multi: true}
	templateJS = quote{open: "`", close: "`", escape: '\\', multi: true, interp: "${"}
)

var cBlock = [][2]string{{"/*", "*/"}}

// fbLangs holds the languages the fallback knows. The nine that have a
// grammar are here too, plainer, for files whose tree is broken.
var fbLangs map[string]*fbLang

func init() {
	fbLangs = map[string]*fbLang{
		"csharp": csharpLang(), "kotlin": kotlinLang(), "swift": swiftLang(), "scala": scalaLang(), "php": phpLang(),
		"elixir": elixirLang(), "lua": luaLang(), "bash": bashLang(), "haskell": haskellLang(), "zig": zigLang(),
	}
	moreLangs(fbLangs)
	plainLangs(fbLangs)
	for _, l := range fbLangs {
		if l.skip == nil {
			l.skip = map[string]bool{}
		}
	}
}

func csharpLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"//"}, block: cBlock, char: true, directive: true, start: "@",
			quotes: []quote{
				{open: `$"""`, close: `"""`, multi: true, interp: "{"}, {open: `"""`, close: `"""`, multi: true},
				{open: `$@"`, close: `"`, double: true, multi: true, interp: "{"}, {open: `@$"`, close: `"`, double: true, multi: true, interp: "{"}, {open: `@"`, close: `"`, double: true, multi: true},
				{open: `$"`, close: `"`, escape: '\\', interp: "{"}, dqString,
			},
		},
		words:   decls("namespace:namespace class:class record:class struct:struct interface:interface enum:enum const:const delegate:func event:var"),
		mods:    set("public private protected internal static abstract sealed partial virtual override async readonly extern unsafe new volatile ref required file record fixed implicit explicit"),
		public:  set("public protected internal"),
		cont:    set("where"),
		skip:    set("if else for foreach while do switch case return new throw try catch finally using lock in is as await yield var typeof nameof sizeof default base this null true false get set init add remove value when and or not out ref goto break continue from select where orderby group into let on equals by int string bool void object byte char long double float decimal short uint ulong ushort sbyte dynamic nint nuint params stackalloc checked unchecked fixed unsafe operator"),
		stop:    set("if else for foreach while do switch case return throw try catch finally using lock in is as await yield typeof nameof sizeof default base this null true false get set init add remove when and or not goto break continue select into let on equals by stackalloc checked unchecked namespace class interface struct enum"),
		extends: set(""), baseColon: true, angles: true, attrs: '[', typed: true, exprBody: true,
		importer: importCSharp,
		special:  specialCSharp,
	}
}

// specialCSharp reads delegates, whose name follows a type, and interface
// members, which are public without saying so.
func specialCSharp(w *fbWalker, i int) int {
	if w.kind(i) == tokDirect {
		return i + 1
	}
	j, exported := w.modifiers(i)
	if !w.is(j, "delegate") || w.kind(j+1) == '(' {
		return i
	}
	n := -1
	for k := j + 1; k < j+40 && k < len(w.toks); k++ {
		switch w.kind(k) {
		case tokWord:
			n = k
			continue
		case '<':
			if e := w.angle(k); e > k {
				k = e - 1
				continue
			}
		case '.', '?', '[', ']':
			continue
		case '(':
			if n > 0 && w.match[k] > 0 {
				w.name(n)
				end := w.varEnd(i, int(w.match[k])+1)
				w.add(w.text(n), KindType, i, end-1, end, exported)
				return end
			}
		}
		break
	}
	return i
}

func kotlinLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"//"}, block: cBlock, nested: true, char: true, quoteTick: true,
			quotes: []quote{{open: `"""`, close: `"""`, multi: true, interp: "${"}, {open: `"`, close: `"`, escape: '\\', interp: "${"}},
		},
		words:   decls("class:class interface:interface object:object fun:func val:var var:var typealias:type constructor:ctor init:ctor"),
		mods:    set("public private protected internal open abstract final sealed data enum annotation inner value inline suspend override operator infix external tailrec const lateinit expect actual companion noinline crossinline vararg reified fun"),
		private: set("private"),
		cont:    set("where by get set"),
		skip:    set("if else for while do when return throw try catch finally is as in this super null true false it by where get set field package import break continue require check println"),
		extends: set(""), baseColon: true, newline: true, angles: true, attrs: '@', exprBody: true, brace: true,
		importer: importDotted,
	}
}

func swiftLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"//"}, block: cBlock, nested: true, directive: true, directives: "if else elseif endif warning error sourceLocation available", quoteTick: true,
			quotes: []quote{{open: `#"""`, close: `"""#`, multi: true}, {open: `"""`, close: `"""`, escape: 0, multi: true, interp: `\(`}, {open: `#"`, close: `"#`}, {open: `"`, close: `"`, escape: '\\', interp: `\(`}},
		},
		words:   decls("class:class struct:struct enum:enum protocol:interface actor:class extension:impl func:func init:ctor deinit:ctor subscript:ctor var:var let:const case:case typealias:type associatedtype:type macro:macro"),
		mods:    set("public private fileprivate internal open package final static class override mutating nonmutating lazy weak unowned required convenience indirect dynamic optional prefix postfix infix nonisolated isolated async rethrows borrowing consuming distributed"),
		private: set("private fileprivate"),
		cont:    set("where throws rethrows async"),
		skip:    set("if else for while repeat do switch case default return throw try catch guard defer is as in self Self super nil true false where let var break continue fallthrough import some any inout await get set willSet didSet throws rethrows async print Any String Int Bool Double Float Void"),
		extends: set(""), baseColon: true, newline: true, angles: true, attrs: '@', brace: true,
		importer: importDotted,
	}
}

func scalaLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"//"}, block: cBlock, nested: true, char: true, quoteTick: true, ident: "$",
			quotes: []quote{{open: `"""`, close: `"""`, multi: true, interp: "${"}, {open: `"`, close: `"`, escape: '\\', interp: "${"}},
		},
		words:   decls("class:class trait:interface object:object enum:enum def:func val:var var:var type:type given:var case:case"),
		mods:    set("private protected final sealed abstract implicit lazy override case inline transparent opaque open infix package"),
		private: set("private"),
		extends: set("extends with"),
		cont:    set("extends with derives where"),
		skip:    set("if else for while do match case return throw try catch finally yield this super null true false new extends with import package then using end forSome Unit Int String Boolean Long Double Any AnyRef Nothing Option Some None List Seq Map Set Array"),
		newline: true, attrs: '@', exprBody: true, brace: true,
		importer: importScala,
	}
}

// importScala adds package clauses (several make one name) to the imports.
func importScala(w *fbWalker, i int) int {
	if w.is(i, "package") && !w.is(i+1, "object") {
		return w.namespace(i, i, KindModule)
	}
	if w.is(i, "case") && !w.is(i+1, "class") && !w.is(i+1, "object") && w.class() != inEnum {
		return i + 1 // a pattern
	}
	return importDotted(w, i)
}

func phpLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"//", "#"}, block: cBlock, php: true, heredoc: true,
			quotes: []quote{dqMulti, sqMulti, backString},
		},
		words:     decls("namespace:namespace class:class interface:interface trait:class enum:enum function:func const:const case:case var:var"),
		mods:      set("public private protected static abstract final readonly var"),
		private:   set("private"),
		extends:   set("extends implements"),
		cont:      set("extends implements"),
		skip:      set("if else elseif for foreach while do switch case return new throw try catch finally as instanceof echo print isset unset empty list array fn function use static self parent this null true false match default and or xor clone yield global require include require_once include_once break continue string int bool float void mixed callable iterable object public private protected abstract final readonly int count is_null is_array is_string declare"),
		attrs:     '#',
		baseColon: false,
		importer:  importPHP,
		special:   specialPHP,
	}
}

// specialPHP reads properties: modifiers, a type, a variable.
func specialPHP(w *fbWalker, i int) int {
	if w.class() != inType && w.class() != inEnum {
		return i
	}
	j, exported := w.modifiers(i)
	if j == i || w.isKey(j) && !w.is(j, "case") {
		return i
	}
	n := j
	for k := j; k < j+12 && k < len(w.toks); k++ {
		switch w.kind(k) {
		case tokWord:
			n = k
			continue
		case '?', '|', '\\', '&', '(', ')':
			continue
		case '=', ';', ',', '{':
			if n == j && w.kind(n) != tokWord || w.src[max(int(w.toks[n].start)-1, 0)] != '$' {
				return i
			}
			w.name(n)
			end := w.varEnd(i, k)
			sym := w.add(w.text(n), KindField, i, n, end, exported)
			w.push(end, sym, inCode)
			return k
		}
		break
	}
	return i
}

func luaLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"--"}, longLua: true,
			quotes: []quote{dqString, sqString},
		},
		words:   decls("function:func"),
		mods:    set("local"),
		private: set("local"),
		skip:    set("if then else elseif end for while do repeat until return function local in and or not nil true false self break goto require pairs ipairs type print tostring tonumber error assert pcall setmetatable getmetatable next select"),
		indent:  true,
		closers: "end else elseif until",
		special: specialLua,
		after:   afterLua,
	}
}

// specialLua reads x = function, M.x = function, and top-level values.
func specialLua(w *fbWalker, i int) int {
	j := i
	local := w.is(j, "local")
	if local {
		j++
	}
	if w.kind(j) != tokWord || w.in(j, w.lang.skip) {
		return i
	}
	name, k := w.dotted(j)
	if w.kind(k) == '<' && w.kind(k+2) == '>' { // local x <const>
		k += 3
	}
	if name == "" || w.kind(k) != '=' {
		return i
	}
	n := k - 1
	if w.kind(n) != tokWord {
		n = j
	}
	if w.is(k+1, "function") {
		end := w.indentEnd(i, k+2)
		kind := KindFunction
		if strings.Contains(name, ".") {
			kind = KindMethod
		}
		w.name(n)
		sig := k + 1
		if w.kind(k+2) == '(' && w.match[k+2] > 0 {
			sig = int(w.match[k+2])
		}
		sym := w.add(w.text(n), kind, i, sig, end, !local)
		w.push(end, sym, inCode)
		return k + 2
	}
	if w.class() == inFile && w.toks[i].col == 0 {
		end := w.indentEnd(i, k+1)
		w.name(n)
		w.add(w.text(n), KindVar, i, k, end, !local)
		return k + 1
	}
	return i
}

// afterLua collects require calls, and the classes that annotations declare.
func afterLua(w *fbWalker) {
	callImports(w, "require")
	for ln, f := range w.flags {
		if f != lineComment {
			continue
		}
		line := strings.TrimSpace(string(w.src[w.lines[ln]:w.lineStop(ln)]))
		rest, ok := strings.CutPrefix(line, "---@class ")
		kind := KindClass
		if !ok {
			if rest, ok = strings.CutPrefix(line, "---@alias "); !ok {
				continue
			}
			kind = KindType
		}
		rest = strings.TrimPrefix(strings.TrimSpace(rest), "(exact) ")
		name := rest
		if at := strings.IndexAny(rest, ": <\t"); at >= 0 {
			name = rest[:at]
		}
		if name == "" || len(name) > 200 {
			continue
		}
		end := ln
		for end+1 < len(w.flags) && w.flags[end+1] == lineComment && !strings.HasPrefix(strings.TrimSpace(string(w.src[w.lines[end+1]:w.lineStop(end+1)])), "---@class") {
			end++
		}
		at := w.tokenAt(int32(ln))
		w.syms = append(w.syms, Symbol{Name: name, Kind: kind, Parent: -1, DocStart: int32(ln) + 1, Start: int32(ln) + 1, SigEnd: int32(ln) + 1, End: int32(end) + 1, Exported: true})
		w.from, w.to = append(w.from, at), append(w.to, at)
	}
}

// tokenAt is the first token in or after a zero-based line.
func (w *fbWalker) tokenAt(line int32) int32 {
	lo, hi := 0, len(w.toks)
	for lo < hi {
		if mid := (lo + hi) / 2; w.toks[mid].line < line {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return int32(lo)
}

// lineStop is the offset after the text of a zero-based line.
func (w *fbWalker) lineStop(ln int) int {
	if ln+1 < len(w.lines) {
		return int(w.lines[ln+1])
	}
	return len(w.src)
}

// callImports records f("x") and f "x" as imports.
func callImports(w *fbWalker, names ...string) {
	for i := range w.toks {
		if w.toks[i].kind != tokWord {
			continue
		}
		hit := false
		for _, n := range names {
			hit = hit || w.is(i, n)
		}
		if !hit {
			continue
		}
		k := i + 1
		if w.kind(k) == '(' || w.kind(k) == ',' {
			k++
		}
		if w.kind(k) != tokString || k >= len(w.toks) {
			continue
		}
		if m := unquote(w.text(k)); m != "" && !strings.ContainsAny(m, " \n") {
			im := Import{Module: m, Line: w.line(i)}
			if i > 1 && w.kind(i-1) == '=' && w.kind(i-2) == tokName && (w.is(i-3, "local") || w.is(i-3, "const") || w.is(i-3, "var") || w.is(i-3, "let")) {
				im.Alias = w.text(i - 2)
			} else if i > 2 && w.kind(i-1) == '@' && w.kind(i-2) == '=' && w.kind(i-3) == tokName {
				im.Alias = w.text(i - 3)
			}
			w.imports = append(w.imports, im)
		}
	}
}

func bashLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"#"}, hashWord: true, heredoc: true, shell: true, ident: "-.:", start: "-",
			quotes: []quote{dqMulti, {open: `'`, close: `'`, multi: true}, {open: "`", close: "`", escape: '\\', multi: true}},
		},
		words:    map[string]declKind{},
		mods:     set("export readonly declare typeset local"),
		skip:     set("if then else elif fi for while until do done case esac in function return exit local export readonly declare unset shift echo printf read test true false source eval exec set cd break continue trap cat grep sed awk ls rm mkdir cp mv head tail tr cut sort uniq wc tee xargs find command builtin type which git dirname basename"),
		importer: importBash,
		special:  specialBash,
	}
}

// specialBash reads functions, aliases, and top-level assignments; the first
// word of other commands is a use.
func specialBash(w *fbWalker, i int) int {
	j := i
	keyword := w.is(j, "function")
	if keyword {
		j++
	}
	if w.kind(j) == tokWord {
		k := j + 1
		parens := w.kind(k) == '(' && w.kind(k+1) == ')'
		if parens {
			k += 2
		}
		if (parens || keyword) && (w.kind(k) == '{' || w.kind(k) == '(') {
			w.name(j)
			end := 0
			if m := int(w.match[k]); m > 0 && (w.kind(k) == '(' || w.toks[m].col <= w.indentOf(i) || !w.first(m)) {
				end = m + 1
			} else {
				end = w.indentEnd(i, k+1)
			}
			sym := w.add(w.text(j), KindFunction, i, k, end, true)
			w.push(end, sym, inCode)
			return k + 1
		}
	}
	if w.is(i, "alias") && w.kind(i+1) == tokWord && w.kind(i+2) == '=' {
		w.name(i + 1)
		w.add(w.text(i+1), KindFunction, i, i+2, i+4, true)
		return i + 3
	}
	j = i
	exported := w.is(i, "export")
	for w.in(j, w.lang.mods) || j > i && w.kind(j) == tokWord && w.src[w.toks[j].start] == '-' {
		j++
	}
	if w.kind(j) == tokWord && w.kind(j+1) == '=' && w.adjacent(j+1) && w.class() == inFile && (j > i || w.toks[i].col == 0) {
		w.name(j)
		w.add(w.text(j), KindVar, i, j+1, j+3, exported)
		return j + 2
	}
	if w.kind(i) == tokWord && !w.in(i, w.lang.skip) && w.kind(i+1) != '=' && w.kind(i+1) != ')' && w.src[w.toks[i].start] != '-' {
		w.bases = append(w.bases, pendingRef{int32(i), -1, RefCall})
	}
	return i
}

func zigLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"//"}, char: true, zigLines: true,
			quotes: []quote{dqString},
		},
		words:   decls("fn:func test:test"),
		mods:    set("pub export extern inline noinline threadlocal comptime"),
		public:  set("pub export"),
		skip:    set("if else for while switch return try catch orelse and or defer errdefer break continue unreachable undefined null true false const var fn struct enum union error usize isize bool void anytype type noreturn anyerror comptime async await suspend resume import This as intCast ptrCast alignCast enumFromInt intFromEnum field typeInfo"),
		special: specialZig,
		after:   func(w *fbWalker) { callImports(w, "import") },
	}
}

// specialZig reads constants, which also name types, and fields.
func specialZig(w *fbWalker, i int) int {
	if w.is(i, "return") && (w.is(i+1, "struct") || w.is(i+1, "union")) {
		open := i + 2
		if w.kind(open) == '(' && w.match[open] > 0 {
			open = int(w.match[open]) + 1
		}
		if w.kind(open) == '{' && w.match[open] > 0 { // a generic type
			w.push(int(w.match[open]), -1, inType)
			return open + 1
		}
	}
	j, exported := w.modifiers(i)
	if w.kind(j) == tokString && w.is(j-1, "extern") {
		j++
	}
	if (w.is(j, "const") || w.is(j, "var")) && w.kind(j+1) == tokWord {
		n := j + 1
		k := n + 1
		for k < min(n+40, len(w.toks)) && w.kind(k) != '=' && w.kind(k) != ';' {
			if m := int(w.match[k]); m > k {
				k = m
			}
			k++
		}
		if w.kind(k) == '=' {
			t := k + 1
			for w.is(t, "extern") || w.is(t, "packed") {
				t++
			}
			kind, class := KindOther, inType
			switch w.text(t) {
			case "struct", "opaque":
				kind = KindStruct
			case "enum":
				kind, class = KindEnum, inEnum
			case "union":
				kind = KindStruct
			case "error":
				if w.kind(t+1) == '{' {
					kind, class = KindEnum, inEnum
				}
			}
			open := t + 1
			if w.kind(open) == '(' && w.match[open] > 0 {
				open = int(w.match[open]) + 1
			}
			if kind != KindOther && w.kind(open) == '{' {
				end := w.indentEnd(i, open+1)
				body := end
				if m := int(w.match[open]); m > 0 {
					end, body = m+1, m
				}
				w.name(n)
				sym := w.add(w.text(n), kind, i, open, end, exported)
				w.push(body, sym, class)
				return open + 1
			}
		}
		if w.class() == inCode {
			return i
		}
		kind := KindConst
		if w.is(j, "var") {
			kind = KindVar
		}
		end := w.varEnd(i, k)
		w.name(n)
		sig := n
		for sig+1 < end && w.toks[sig+1].line == w.toks[n].line {
			sig++
		}
		sym := w.add(w.text(n), kind, i, sig, end, exported)
		w.push(end, sym, inCode)
		return n + 1
	}
	if (w.class() == inType || w.class() == inEnum && w.kind(i+1) == ':') && w.kind(i) == tokWord && w.kind(i+1) == ':' {
		k := i + 2
		for k < len(w.toks) && w.kind(k) != ',' && w.kind(k) != '}' {
			if m := int(w.match[k]); m > k {
				k = m
			}
			k++
			if !w.spend() {
				break
			}
		}
		w.name(i)
		w.add(w.text(i), KindField, i, k-1, k, true)
		return i + 2
	}
	return i
}
