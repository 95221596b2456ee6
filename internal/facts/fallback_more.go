package facts

import "strings"

// moreLangs adds languages that are read less often, with plainer tables.
func moreLangs(m map[string]*fbLang) {
	m["dart"] = &fbLang{
		lex:   lexSpec{line: []string{"//"}, block: cBlock, ident: "$", quotes: []quote{{open: `r"""`, close: `"""`, multi: true}, {open: `r'''`, close: `'''`, multi: true}, tripleDQ, tripleSQ, {open: `"`, close: `"`, escape: '\\', interp: "${"}, {open: `'`, close: `'`, escape: '\\', interp: "${"}}},
		words: decls("class:class mixin:class enum:enum extension:impl typedef:type"),
		mods:  set("abstract static final const late external covariant factory base sealed interface mixin required var async"),
		stop:  set("if else for while do switch case return throw try catch finally assert await yield new in is as super this import export part library true false null get set break continue rethrow class enum extension typedef"),
		skip:  set("if else for while do switch case return throw try catch finally assert await yield new in is as super this true false null int double bool String void dynamic var final const"),
		cont:  set("async sync"), extends: set("extends implements with on"), angles: true, attrs: '@', typed: true, typedTop: true, exprBody: true,
		importer: importQuoted("import", "export", "part"),
		special:  specialDart,
	}
	m["perl"] = &fbLang{
		lex:   lexSpec{line: []string{"#"}, block: [][2]string{{"=pod", "=cut"}, {"=head", "=cut"}, {"=over", "=cut"}, {"=item", "=cut"}, {"=begin", "=cut"}, {"=encoding", "=cut"}}, heredoc: true, hashWord: true, quotes: []quote{dqMulti, sqMulti}},
		words: decls("sub:func package:namespace"),
		skip:  set("if else elsif for foreach while do unless return my our local use require no sub package print push pop shift die warn defined ref scalar keys values join map grep sort and or not eq ne lt gt"),
		importer: func(w *fbWalker, i int) int {
			if !w.is(i, "use") && !w.is(i, "require") {
				return i
			}
			name, k := w.dotted(i + 1)
			if name == "parent" || name == "base" {
				for ; k < len(w.toks) && w.kind(k) != ';'; k++ {
					if m := unquote(w.text(k)); w.kind(k) == tokString && m != "" {
						w.imports = append(w.imports, Import{Module: m, Line: w.line(k)})
					}
				}
				return k
			}
			if name == "" || name[0] < 'A' || name[0] > 'Z' {
				return i
			}
			w.imports = append(w.imports, Import{Module: name, Line: w.line(i)})
			return k
		},
	}
	m["r"] = &fbLang{
		lex:  lexSpec{line: []string{"#"}, ident: ".", start: ".", quotes: []quote{dqMulti, sqMulti}},
		skip: set("if else for while repeat function return c list TRUE FALSE NULL NA library require print paste length"),
		special: func(w *fbWalker, i int) int {
			if w.kind(i) == tokWord && (w.kind(i+1) == tokArrow || w.kind(i+1) == '=') && w.is(i+2, "function") && w.kind(i+3) == '(' && w.match[i+3] > 0 {
				w.name(i)
				return w.body(i, i, int(w.match[i+3])+1, w.text(i), KindFunction, w.src[w.toks[i].start] != '.', inCode)
			}
			if w.kind(i) == tokWord && (w.kind(i+1) == tokArrow || w.kind(i+1) == '=') && w.class() == inFile {
				end := w.exprEnd(i, i+2)
				w.name(i)
				w.add(w.text(i), KindVar, i, i+1, end, true)
				return i + 2
			}
			return i
		},
		newline: true,
		after: func(w *fbWalker) {
			callImports(w, "source")
			for i := range w.toks {
				if (w.is(i, "library") || w.is(i, "require")) && w.kind(i+1) == '(' && w.kind(i+2) == tokWord {
					w.imports = append(w.imports, Import{Module: w.text(i + 2), Line: w.line(i)})
				}
			}
		},
	}
	m["julia"] = &fbLang{
		lex:   lexSpec{line: []string{"#"}, block: [][2]string{{"#=", "=#"}}, nested: true, char: true, tail: "!", quotes: []quote{tripleDQ, dqString}},
		words: decls("module:namespace baremodule:namespace function:func macro:macro struct:struct const:const"),
		mods:  set("mutable abstract primitive export"),
		skip:  set("if else elseif for while do begin let quote return end try catch finally function macro module using import export true false nothing in isa where"),
		cont:  set("where"), indent: true, newline: true, closers: "end else elseif catch finally", exprBody: true,
		importer: func(w *fbWalker, i int) int {
			if !w.is(i, "using") && !w.is(i, "import") {
				return i
			}
			k := i + 1
			for w.kind(k) == '.' {
				k++
			}
			name, k := w.dotted(k)
			if name == "" {
				return i
			}
			w.imports = append(w.imports, Import{Module: name, Line: w.line(i)})
			return k
		},
		special: func(w *fbWalker, i int) int {
			if (w.is(i, "abstract") || w.is(i, "primitive")) && w.is(i+1, "type") && w.kind(i+2) == tokWord {
				w.name(i + 2)
				w.add(w.text(i+2), KindType, i, i+2, w.indentEnd(i, i+3), true)
				return i + 3
			}
			// f(x) = …
			if w.kind(i) == tokWord && w.first(i) && w.kind(i+1) == '(' && w.adjacent(i+1) && w.class() != inCode && w.match[i+1] > 0 && w.kind(int(w.match[i+1])+1) == '=' && !w.in(i, w.lang.skip) {
				w.name(i)
				return w.body(i, i, i+1, w.text(i), KindFunction, true, inCode)
			}
			return i
		},
		after: func(w *fbWalker) { callImports(w, "include") },
	}
	m["objc"] = &fbLang{
		lex:      lexSpec{line: []string{"//"}, block: cBlock, directive: true, char: true, quotes: []quote{{open: `@"`, close: `"`, escape: '\\'}, dqString}},
		words:    decls("struct:struct enum:enum"),
		mods:     set("static extern inline const typedef NS_ENUM"),
		stop:     set("if else for while do switch case return goto break continue sizeof in"),
		skip:     set("if else for while do switch case return goto break continue sizeof in self super nil YES NO property end interface implementation protocol optional required synthesize void int char float double long unsigned signed const static id BOOL"),
		typedTop: true, typed: true,
		importer: importC,
		special:  specialObjC,
	}
	m["solidity"] = &fbLang{
		lex:     lexSpec{line: []string{"//"}, block: cBlock, quotes: []quote{dqString, sqString}},
		words:   decls("contract:class interface:interface library:class struct:struct enum:enum function:func modifier:func event:func error:func constructor:ctor"),
		mods:    set("abstract public private internal external constant immutable"),
		stop:    set("if else for while do return emit require revert assert new delete mapping using pragma import is try catch unchecked assembly"),
		skip:    set("if else for while do return emit require revert assert new delete mapping using pragma is memory storage calldata uint uint256 int256 address bool string bytes bytes32 msg public private internal external view pure payable returns virtual override"),
		private: set("private internal"), extends: set("is"), typed: true,
		importer: importQuoted("import"),
	}
	m["erlang"] = &fbLang{
		lex:     lexSpec{line: []string{"%"}, quotes: []quote{dqMulti, sqString}},
		skip:    set("if case of end when fun receive after try catch begin andalso orelse not and or div rem true false undefined ok error"),
		special: specialErlang,
		after: func(w *fbWalker) {
			mergeClauses(w, func(a, b *Symbol) bool { return a.Kind == KindFunction && b.Kind == KindFunction })
		},
	}
	m["clojure"] = &fbLang{
		lex:     lexSpec{line: []string{";"}, ident: "-*+!?<>=./'&%|:$#", start: "*+!?<>=-.&%$", quotes: []quote{dqMulti}},
		skip:    set("let if when cond fn do loop recur defn def ns require import map filter reduce nil true false and or not first rest"),
		special: specialLisp, allUses: true,
	}
	m["lisp"] = &fbLang{
		lex:     lexSpec{line: []string{";"}, block: [][2]string{{"#|", "|#"}}, ident: "-*+!?<>=./:&%$@~^", start: "*+!?<>=-/&%$", quotes: []quote{dqMulti}},
		skip:    set("let if when cond lambda progn setq quote nil t and or not car cdr"),
		special: specialLisp, allUses: true,
	}
	m["fsharp"] = &fbLang{
		lex:     lexSpec{line: []string{"//"}, block: [][2]string{{"(*", "*)"}}, char: true, quoteTick: true, directive: true, prime: true, quotes: []quote{rawTriple, {open: `@"`, close: `"`, double: true, multi: true}, dqMulti}},
		words:   decls("namespace:namespace type:struct exception:struct"),
		mods:    set("rec inline private internal public mutable static abstract override default member and"),
		skip:    set("let in if then else elif match with fun function for while do done try finally use yield return open module type and or not true false null begin end rec mutable"),
		private: set("private internal"), indent: true, closers: "with and then else |", allUses: true,
		importer: func(w *fbWalker, i int) int {
			if !w.is(i, "open") {
				return i
			}
			name, k := w.dotted(i + 1)
			if name == "" {
				return i
			}
			w.imports = append(w.imports, Import{Module: name, Names: []string{"*"}, Line: w.line(i)})
			return k
		},
		special: specialML,
	}
	m["ocaml"] = &fbLang{
		lex:    lexSpec{block: [][2]string{{"(*", "*)"}}, nested: true, char: true, prime: true, quotes: []quote{dqMulti}},
		skip:   set("let in if then else match with fun function for while do done try open module type and or not true false begin end rec mutable of val external include sig struct functor class object inherit method private virtual constraint exception nonrec lazy assert as when to downto initializer int string bool unit list option array float char exn ref bytes"),
		indent: true, closers: "in and with end then else |", allUses: true,
		importer: func(w *fbWalker, i int) int {
			if !w.is(i, "open") && !w.is(i, "include") {
				return i
			}
			name, k := w.dotted(i + 1)
			if name == "" || name[0] >= 'a' {
				return i
			}
			w.imports = append(w.imports, Import{Module: name, Names: []string{"*"}, Line: w.line(i)})
			return k
		},
		special: specialML,
	}
	m["groovy"] = &fbLang{
		lex:     lexSpec{line: []string{"//"}, block: cBlock, ident: "$", quotes: []quote{tripleDQ, tripleSQ, {open: `"`, close: `"`, escape: '\\', interp: "${"}, sqString}},
		words:   decls("class:class interface:interface trait:class enum:enum"),
		mods:    set("public private protected static final abstract synchronized transient volatile def"),
		stop:    set("if else for while do switch case return throw try catch finally assert new in as import package"),
		skip:    set("if else for while do switch case return throw try catch finally assert new in as true false null this super int boolean String void"),
		private: set("private"), cont: set("throws"), extends: set("extends implements"), angles: true, attrs: '@', typed: true, typedTop: true, newline: true, brace: true,
		importer: importDotted,
		special: func(w *fbWalker, i int) int {
			if w.is(i, "task") && w.kind(i+1) == tokWord && w.class() == inFile { // Gradle
				w.name(i + 1)
				return w.body(i, i+1, i+2, w.text(i+1), KindFunction, true, inCode)
			}
			if w.is(i, "def") && w.kind(i+1) == tokWord && w.kind(i+2) == '(' && w.match[i+2] > 0 {
				w.name(i + 1)
				return w.body(i, i+1, i+2, w.text(i+1), KindFunction, true, inCode)
			}
			return i
		},
	}
	m["sql"] = &fbLang{
		lex:     lexSpec{line: []string{"--"}, block: cBlock, quoteTick: true, quotes: []quote{sqMulti}},
		skip:    set("select SELECT from FROM where WHERE and AND or OR not NOT null NULL insert INSERT into INTO values VALUES create CREATE table TABLE int INT varchar VARCHAR primary PRIMARY key KEY"),
		special: specialSQL,
	}
	m["protobuf"] = &fbLang{
		lex:   lexSpec{line: []string{"//"}, block: cBlock, quotes: []quote{dqString, sqString}},
		words: decls("message:struct enum:enum service:interface rpc:func oneof:struct package:namespace"),
		mods:  set("optional repeated required"),
		stop:  set("option reserved extensions import syntax edition returns"),
		skip:  set("option reserved extensions import syntax returns string int32 int64 uint32 uint64 bool bytes double float stream true false"),
		typed: true, angles: true,
		importer: importQuoted("import"),
	}
	m["thrift"], m["flatbuffers"], m["capnp"] = m["protobuf"], m["protobuf"], m["protobuf"]
	m["graphql"] = &fbLang{
		lex:   lexSpec{line: []string{"#"}, quotes: []quote{rawTriple, dqString}},
		words: decls("type:struct interface:interface enum:enum input:struct union:type scalar:type query:func mutation:func subscription:func fragment:func directive:func"),
		mods:  set("extend"), extends: set("implements"), newline: true,
		special: specialGraphQL,
	}
	m["prisma"] = &fbLang{
		lex:   lexSpec{line: []string{"//"}, quotes: []quote{dqString}},
		words: decls("model:struct enum:enum type:struct datasource:struct generator:struct"), newline: true,
	}
	m["hcl"] = &fbLang{
		lex:     lexSpec{line: []string{"#", "//"}, block: cBlock, heredoc: true, ident: "-", quotes: []quote{{open: `"`, close: `"`, escape: '\\', interp: "${"}}},
		special: specialHCL, newline: true,
		skip: set("for in if true false null each var local data module string number bool list map object any"),
	}
	m["dockerfile"] = &fbLang{
		lex: lexSpec{line: []string{"#"}, hashWord: true, quotes: []quote{dqString, sqString}, ident: "-./:"},
		special: func(w *fbWalker, i int) int {
			if (w.is(i, "FROM") || w.is(i, "from")) && w.first(i) {
				for k := i + 1; k < len(w.toks) && !w.first(k); k++ {
					if (w.is(k, "AS") || w.is(k, "as")) && w.kind(k+1) == tokWord {
						w.name(k + 1)
						end := k + 2
						for end < len(w.toks) && w.spend() && !w.is(end, "FROM") {
							end++
						}
						w.add(w.text(k+1), KindSection, i, k+1, end, true)
						return k + 2
					}
				}
			}
			return i
		},
	}
	m["makefile"] = &fbLang{lex: lexSpec{line: []string{"#"}, ident: "-./%", start: ".%"}, special: specialMake}
	m["cmake"] = &fbLang{
		lex:  lexSpec{line: []string{"#"}, ident: "-", quotes: []quote{dqMulti}},
		skip: set("if else elseif endif foreach endforeach while endwhile set list message include return endfunction endmacro function macro"),
		special: func(w *fbWalker, i int) int {
			if (w.is(i, "function") || w.is(i, "macro") || w.is(i, "add_library") || w.is(i, "add_executable") || w.is(i, "option")) && w.kind(i+1) == '(' && w.kind(i+2) == tokWord && w.match[i+1] > 0 {
				kind, to := KindVar, int(w.match[i+1])+1
				if w.is(i, "function") || w.is(i, "macro") {
					kind = KindFunction
					for to < len(w.toks) && w.spend() && !w.is(to, "end"+w.text(i)) {
						to++
					}
					to = min(to+1, len(w.toks))
				}
				w.name(i + 2)
				sym := w.add(w.text(i+2), kind, i, int(w.match[i+1]), to, true)
				w.push(to, sym, inCode)
				return i + 3
			}
			return i
		},
	}
	m["nix"] = &fbLang{
		lex:  lexSpec{line: []string{"#"}, block: cBlock, ident: "-'", quotes: []quote{{open: "''", close: "''", multi: true}, dqMulti}},
		skip: set("let in with rec if then else inherit assert true false null import"),
		special: func(w *fbWalker, i int) int {
			if w.kind(i) == tokWord && w.first(i) && w.kind(i+1) == '=' && w.toks[i].col <= 4 {
				w.name(i)
				end := w.exprEnd(i, i+2)
				sym := w.add(w.text(i), KindVar, i, i+1, end, true)
				w.push(end, sym, inCode)
				return i + 2
			}
			return i
		},
	}
	m["powershell"] = &fbLang{
		lex:   lexSpec{line: []string{"#"}, block: [][2]string{{"<#", "#>"}}, ident: "-", quotes: []quote{{open: "@\"", close: "\"@", multi: true}, {open: "@'", close: "'@", multi: true}, {open: `"`, close: `"`, escape: '`', multi: true}, {open: `'`, close: `'`, multi: true}}},
		words: decls("function:func Function:func filter:func class:class enum:enum"),
		skip:  set("if else elseif foreach for while do switch return throw try catch finally param begin process end in"),
	}
	m["vim"] = &fbLang{
		lex:    lexSpec{ident: "#:", quotes: []quote{sqString}},
		indent: true, closers: "endfunction endfunc endf",
		skip: set("if else elseif endif for endfor while endwhile let call return echo set try endtry catch function endfunction"),
		special: func(w *fbWalker, i int) int {
			if w.is(i, "function") || w.is(i, "func") || w.is(i, "def") {
				k := i + 1
				if w.kind(k) == '!' {
					k++
				}
				if w.kind(k) == tokWord {
					w.name(k)
					end := k + 1
					for end < len(w.toks) && w.spend() && !(w.first(end) && (w.is(end, "endfunction") || w.is(end, "endfunc") || w.is(end, "endf") || w.is(end, "enddef"))) {
						end++
					}
					end = min(end+1, len(w.toks))
					sym := w.add(w.text(k), KindFunction, i, k, end, true)
					w.push(end, sym, inCode)
					return k + 1
				}
			}
			return i
		},
	}
	m["scss"] = &fbLang{
		lex: lexSpec{line: []string{"//"}, block: cBlock, ident: "-", start: "-$", quotes: []quote{dqString, sqString}},
		importer: func(w *fbWalker, i int) int {
			if w.kind(i) == '@' && (w.is(i+1, "import") || w.is(i+1, "use") || w.is(i+1, "forward")) {
				k := i + 2
				for ; k < len(w.toks) && w.kind(k) != ';' && !(w.first(k)); k++ {
					if w.kind(k) == tokString {
						w.imports = append(w.imports, Import{Module: unquote(w.text(k)), Line: w.line(k), Relative: 1})
					}
				}
				return k
			}
			return i
		},
		special: specialCSS, after: afterCSS,
	}
	m["css"] = m["scss"]
}

func specialDart(w *fbWalker, i int) int {
	// get name => …; set name(v) …; named constructors A.b(…)
	j, exported := w.modifiers(i)
	for k := j; k < j+6 && w.kind(k) == tokWord; k++ {
		if (w.is(k, "get") || w.is(k, "set")) && w.kind(k+1) == tokWord && w.class() != inCode {
			w.name(k + 1)
			return w.body(i, k+1, k+2, w.text(k+1), KindMethod, exported, inCode)
		}
	}
	return i
}

// specialObjC reads @interface, @protocol, @implementation, methods and
// properties.
func specialObjC(w *fbWalker, i int) int {
	if w.kind(i) == '@' && w.kind(i+1) == tokWord {
		switch w.text(i + 1) {
		case "interface", "protocol", "implementation":
			if w.kind(i+2) != tokWord || w.kind(i+3) == ';' || w.kind(i+3) == ',' {
				return i
			}
			end := i + 3
			for end < len(w.toks) && !(w.kind(end) == '@' && w.is(end+1, "end")) && w.spend() {
				end++
			}
			end = min(end+2, len(w.toks))
			kind := KindClass
			if w.is(i+1, "protocol") {
				kind = KindInterface
			} else if w.is(i+1, "implementation") {
				kind = KindOther
			}
			w.name(i + 2)
			sym := w.add(w.text(i+2), kind, i, i+2, end, true)
			w.push(end, sym, inType)
			k := i + 3
			if w.kind(k) == ':' && w.kind(k+1) == tokWord {
				w.bases = append(w.bases, pendingRef{int32(k + 1), sym, RefBase})
				k += 2
			}
			if w.kind(k) == '{' && w.match[k] > 0 {
				k = int(w.match[k]) + 1
			}
			return k
		case "property":
			n, end := -1, i+2
			for ; end < min(i+60, len(w.toks)) && w.kind(end) != ';'; end++ {
				if w.kind(end) == '(' && w.match[end] > 0 {
					end = int(w.match[end])
				} else if w.kind(end) == tokWord && !strings.HasPrefix(w.text(end), "NS_") {
					n = end
				}
			}
			if n > 0 {
				w.name(n)
				w.add(w.text(n), KindField, i, end, end+1, true)
				return end + 1
			}
		}
		return i
	}
	// - (T)name:(U)x with:(V)y
	if (w.kind(i) == '-' || w.kind(i) == '+') && w.kind(i+1) == '(' && w.match[i+1] > 0 && w.class() == inType {
		n := int(w.match[i+1]) + 1
		if w.kind(n) != tokWord {
			return i
		}
		w.name(n)
		return w.body(i, n, n+1, w.text(n), KindMethod, true, inCode)
	}
	return i
}
