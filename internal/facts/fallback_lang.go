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
		private: set("private internal"),
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
		skip:    set("if else for while repeat do switch case default return throw try catch guard defer is as in self Self super nil true false where let var break continue fallthrough import some any inout await get set willSet didSet print Any String Int Bool Double Float Void"),
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
		skip:      set("if else elseif for foreach while do switch case return new throw try catch finally as instanceof echo print isset unset empty list array fn function use static self parent this null true false match default and or xor clone yield global require include require_once include_once break continue string int bool float void mixed callable iterable object public private protected abstract final readonly int count is_null is_array is_string"),
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

func elixirLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"#"}, sigil: true, tail: "?!",
			quotes: []quote{{open: `"""`, close: `"""`, escape: '\\', multi: true, interp: "#{"}, {open: `'''`, close: `'''`, escape: '\\', multi: true}, {open: `"`, close: `"`, escape: '\\', multi: true, interp: "#{"}, {open: `'`, close: `'`, escape: '\\', multi: true}},
		},
		words:    decls("def:func defp:func defmacro:macro defmacrop:macro defguard:macro defguardp:macro defdelegate:func defn:func test:test describe:test"),
		skip:     set("if else unless case cond do end fn when and or not in for with try rescue catch after raise reraise throw receive quote unquote unquote_splicing import alias require use nil true false def defp defmodule defmacro defstruct is_nil is_binary is_atom is_list is_map is_integer is_function to_string inspect length elem self assert refute"),
		indent:   true,
		closers:  "end do else rescue catch after when |>",
		importer: importElixir,
		special:  specialElixir,
		after:    afterElixir,
	}
}

// specialElixir reads modules, protocols, implementations, structs, types
// and callbacks.
func specialElixir(w *fbWalker, i int) int {
	if w.kind(i) == '@' {
		switch {
		case w.is(i+1, "type"), w.is(i+1, "typep"), w.is(i+1, "opaque"), w.is(i+1, "callback"), w.is(i+1, "macrocallback"):
			if w.kind(i+2) == tokWord && w.class() != inCode {
				kind := KindType
				if strings.HasSuffix(w.text(i+1), "callback") {
					kind = KindMethod
				}
				w.name(i + 2)
				end := w.indentEnd(i, i+3)
				w.add(w.text(i+2), kind, i, end-1, end, !w.is(i+1, "typep"))
				return i + 3
			}
		case w.kind(i+1) == tokWord && w.class() == inType && w.kind(i+2) != '.' && !w.first(i+2) && w.kind(i+2) != ')' && w.kind(i+2) != ',' && w.kind(i+2) != tokEOF:
			end := w.indentEnd(i, i+2)
			w.name(i + 1)
			sym := w.add(w.text(i+1), KindConst, i, i+1, end, false)
			w.push(end, sym, inCode)
			return i + 2
		}
		return i
	}
	kind := KindModule
	form := w.text(i)
	switch form {
	case "defmodule":
	case "defprotocol":
		kind = KindInterface
	case "defimpl":
		kind = KindOther
	case "defstruct", "defexception", "embedded_schema", "schema":
		if w.class() != inType {
			return i
		}
		p := w.parent()
		if p < 0 {
			return i
		}
		end := w.indentEnd(i, i+1)
		name := w.syms[p].Name
		if at := strings.LastIndexByte(name, '.'); at >= 0 {
			name = name[at+1:]
		}
		w.add(name, KindStruct, i, i, end, true)
		return i + 1
	default:
		return i
	}
	name, k := w.dotted(i + 1)
	if name == "" {
		return i
	}
	full := name
	if p := w.parent(); p >= 0 && kind == KindModule && !strings.HasPrefix(name, "__MODULE__") {
		full = w.syms[p].Name + "." + name
	}
	if w.pkg == "" && kind != KindOther {
		w.pkg = name
	}
	if kind == KindOther {
		w.bases = append(w.bases, pendingRef{int32(k - 1), -1, RefBase})
	} else {
		for t := i + 1; t < k; t++ {
			w.name(t)
		}
	}
	end := w.indentEnd(i, k)
	sig := k
	for sig < end && !w.is(sig, "do") && !w.first(sig+1) {
		sig++
	}
	sym := w.add(full, kind, i, sig, end, true)
	w.push(end, sym, inType)
	return k
}

// afterElixir joins the clauses of a function: neighbours of one name in one
// module are one symbol.
func afterElixir(w *fbWalker) {
	mergeClauses(w, func(a, b *Symbol) bool {
		return a.Kind == b.Kind && (a.Kind == KindMethod || a.Kind == KindFunction || a.Kind == KindMacro)
	})
}

// mergeClauses joins neighbouring symbols of one name and parent.
func mergeClauses(w *fbWalker, same func(a, b *Symbol) bool) {
	last := map[int32]int{} // parent → its latest child
	keep := make([]int32, len(w.syms))
	n := 0
	for i := range w.syms {
		s := w.syms[i]
		if s.Parent >= 0 {
			s.Parent = keep[s.Parent]
		}
		if at, ok := last[s.Parent]; ok && w.syms[at].Name == s.Name && same(&w.syms[at], &s) {
			p := &w.syms[at]
			p.End = max(p.End, s.End)
			w.to[at] = max(w.to[at], w.to[i])
			keep[i] = int32(at)
			continue
		}
		keep[i] = int32(n)
		last[s.Parent] = n
		w.syms[n], w.from[n], w.to[n] = s, w.from[i], w.to[i]
		n++
	}
	w.syms, w.from, w.to = w.syms[:n], w.from[:n], w.to[:n]
	for i := range w.bases {
		if w.bases[i].sym >= 0 {
			w.bases[i].sym = keep[w.bases[i].sym]
		}
	}
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
		skip:     set("if then else elif fi for while until do done case esac in function return exit local export readonly declare unset shift echo printf read test true false source eval exec set cd break continue trap"),
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

func haskellLang() *fbLang {
	return &fbLang{
		lex: lexSpec{
			line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, nested: true, char: true, prime: true, dashes: true, directive: true,
			quotes: []quote{dqMulti},
		},
		words:   map[string]declKind{},
		skip:    set("if then else case of let in where do data type newtype class instance deriving import module qualified as hiding forall infixl infixr infix return pure otherwise not id const flip fst snd show map filter foldr foldl length null head tail String Int Integer Bool Char Double Maybe Just Nothing True False Either Left Right IO Monad Functor Applicative Show Eq Ord"),
		indent:  true,
		allUses: true, upper: false,
		importer: importHaskell,
		special:  specialHaskell,
		after:    afterHaskell,
	}
}

// specialHaskell reads declarations at column 0 and what types and classes
// hold.
func specialHaskell(w *fbWalker, i int) int {
	if w.kind(i) == tokDirect {
		return i + 1
	}
	if w.kind(i) != tokWord || !w.first(i) {
		return i
	}
	col := w.toks[i].col
	if col > 0 {
		if w.class() == inType { // class methods
			if w.kind(i+1) == tokColons || w.kind(i+1) == ',' && w.kind(i+3) == tokColons {
				return w.haskellSig(i, KindMethod)
			}
		}
		return i
	}
	end := 0
	switch w.text(i) {
	case "data", "newtype":
		k := i + 1
		for w.is(k, "family") || w.is(k, "instance") {
			k++
		}
		n := w.haskellHead(k)
		if n < 0 {
			return i
		}
		end = w.indentEnd(i, i+1)
		kind := KindStruct
		w.name(n)
		sym := w.add(w.text(n), kind, i, n, end, true)
		w.push(end, sym, inCode)
		w.constructors(n+1, end)
		return n + 1
	case "type", "class":
		k := i + 1
		class := w.is(i, "class")
		if w.is(k, "family") || w.is(k, "instance") || w.is(k, "role") {
			k++
		}
		n := w.haskellHead(k)
		if n < 0 {
			return i
		}
		end = w.indentEnd(i, i+1)
		kind := KindType
		if class {
			kind = KindInterface
		}
		w.name(n)
		sig := n
		for sig+1 < end && !w.is(sig, "where") && !w.first(sig+1) {
			sig++
		}
		sym := w.add(w.text(n), kind, i, sig, end, true)
		scope := inCode
		if class {
			scope = inType
		}
		w.push(end, sym, scope)
		return n + 1
	case "instance", "deriving":
		k := i + 1
		for w.is(k, "instance") || w.is(k, "stock") || w.is(k, "newtype") || w.is(k, "anyclass") {
			k++
		}
		n := w.haskellHead(k)
		if n < 0 {
			return i
		}
		end = w.indentEnd(i, i+1)
		// The type the instance is for names it; the class is a base.
		t := n + 1
		for t < end && w.kind(t) != tokWord && !w.is(t, "where") {
			t++
		}
		name := w.text(n)
		if t < end && w.kind(t) == tokWord && !w.is(t, "where") {
			name = w.text(t)
		}
		sym := w.add(name, KindOther, i, t, end, true)
		w.bases = append(w.bases, pendingRef{int32(n), sym, RefBase})
		w.push(end, sym, inCode)
		return n + 1
	case "import", "module", "infixl", "infixr", "infix", "foreign", "default", "pattern":
		return i
	}
	if w.kind(i+1) == tokColons || w.kind(i+1) == ',' && w.kind(i+2) == tokWord {
		return w.haskellSig(i, KindFunction)
	}
	// An equation. Operators defined infix are left alone.
	end = w.indentEnd(i, i+1)
	eq := false
	for k := i + 1; k < min(end, i+200); k++ {
		if m := int(w.match[k]); m > k {
			k = m
			continue
		}
		if w.kind(k) == '=' || w.kind(k) == '|' {
			eq = true
			break
		}
		if w.kind(k) == '$' {
			break
		}
	}
	if c := w.src[w.toks[i].start]; !eq || c >= 'A' && c <= 'Z' {
		return i
	}
	w.name(i)
	sym := w.add(w.text(i), KindFunction, i, i, end, true)
	w.push(end, sym, inCode)
	return i + 1
}

// haskellSig reads "a, b :: T".
func (w *fbWalker) haskellSig(i int, kind Kind) int {
	end := w.indentEnd(i, i+1)
	for k := i; k < end && w.kind(k) != tokColons; k++ {
		if w.kind(k) == tokWord {
			w.name(k)
			w.add(w.text(k), kind, i, end-1, end, true)
		}
	}
	return i + 1
}

// haskellHead finds the name in "(Ctx a) => Name a b", -1 if none.
func (w *fbWalker) haskellHead(k int) int {
	n := -1
	for j := k; j < min(k+80, len(w.toks)); j++ {
		if w.first(j) && w.toks[j].col == 0 {
			break
		}
		switch w.kind(j) {
		case '(', '[', '{':
			if m := int(w.match[j]); m > 0 {
				if n < 0 && w.kind(m+1) != tokFat && w.kind(j+1) == tokWord {
					n = j + 1 // data (Name a)
				}
				j = m
			}
			continue
		case tokFat:
			n = -1
			continue
		case '=', '|', tokColons:
			return n
		case tokWord:
			if w.is(j, "where") || w.is(j, "deriving") {
				return n
			}
			if c := w.src[w.toks[j].start]; n < 0 && c >= 'A' && c <= 'Z' {
				n = j
			}
		}
	}
	return n
}

// constructors records those of a data declaration and their record fields.
func (w *fbWalker) constructors(k, end int) {
	gadt := -1 // tokens before which a where body lists constructors
	for ; k < end; k++ {
		switch {
		case w.is(k, "deriving"):
			return
		case w.is(k, "where"):
			gadt = k
		case (w.kind(k) == '=' || w.kind(k) == '|' && gadt < 0) && w.kind(k+1) == tokWord:
			n := k + 1
			if w.is(n, "forall") {
				for n < end && w.kind(n) != '.' {
					n++
				}
				n++
			}
			if n < end && w.kind(n) == tokWord {
				w.name(n)
				w.add(w.text(n), KindConst, n, n, n+1, true)
			}
			k = n
		case gadt > 0 && w.first(k) && w.kind(k) == tokWord && w.kind(k+1) == tokColons:
			w.name(k)
			w.add(w.text(k), KindConst, k, k, k+1, true)
		case w.kind(k) == '{' && w.match[k] > int32(k):
			for f := k + 1; f < int(w.match[k]); f++ {
				if w.kind(f) == tokWord && (w.kind(f+1) == tokColons || w.kind(f+1) == ',') && (w.kind(f-1) == '{' || w.kind(f-1) == ',') && w.fieldRun(f) {
					w.name(f)
					w.add(w.text(f), KindField, f, f, f+1, true)
				} else if m := int(w.match[f]); m > f {
					f = m
				}
			}
			k = int(w.match[k])
		case w.match[k] > int32(k):
			k = int(w.match[k])
		}
	}
}

// fieldRun reports whether names separated by commas lead to "::".
func (w *fbWalker) fieldRun(k int) bool {
	for n := 0; n < 32; n++ {
		switch w.kind(k + 1) {
		case tokColons:
			return true
		case ',':
			k += 2
			if kk := w.kind(k); kk != tokWord && kk != tokName {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// afterHaskell joins a signature with the equations below it.
func afterHaskell(w *fbWalker) {
	mergeClauses(w, func(a, b *Symbol) bool { return a.Kind == KindFunction && b.Kind == KindFunction })
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
		skip:    set("if else for while switch return try catch orelse and or defer errdefer break continue unreachable undefined null true false const var fn struct enum union error usize isize bool void anytype type noreturn anyerror comptime async await suspend resume"),
		special: specialZig,
		after:   func(w *fbWalker) { callImports(w, "import") },
	}
}

// specialZig reads constants, which also name types, and fields.
func specialZig(w *fbWalker, i int) int {
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
