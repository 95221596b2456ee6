package facts

import "strings"

// importDotted reads the import forms of Kotlin, Scala, Java, Swift, Dart's
// kin: import a.b.C, import a.b.*, import a.b.{C, D => E}, import a.b.C as D,
// import static a.b.C.d, import struct A.B, @testable import A.
func importDotted(w *fbWalker, i int) int {
	if w.is(i, "package") && (w.id == "kotlin" || w.id == "java" || w.id == "groovy") {
		return w.namespace(i, i, KindModule)
	}
	j := i
	if w.kind(j) == '@' && w.kind(j+1) == tokWord && w.is(j+2, "import") {
		j += 2
	}
	for w.id == "swift" && (w.is(j, "public") || w.is(j, "internal") || w.is(j, "private")) && w.is(j+1, "import") {
		j++
	}
	reexport := w.is(j, "export") && w.id == "scala"
	if !w.is(j, "import") && !reexport || w.kind(j+1) != tokWord && w.kind(j+1) != '{' {
		return i
	}
	k := j + 1
	switch w.id {
	case "java", "groovy":
		if w.is(k, "static") {
			k++
		}
	case "swift":
		switch w.text(k) {
		case "struct", "class", "enum", "protocol", "func", "var", "let", "typealias":
			k++
		}
	}
	for {
		k = w.importClause(k, w.line(j), reexport)
		if w.kind(k) != ',' {
			break
		}
		k++
	}
	if k <= i {
		return i
	}
	if w.kind(k) == ';' {
		k++
	}
	return k
}

// importClause reads one path with its selectors.
func (w *fbWalker) importClause(k int, line int32, reexport bool) int {
	var parts []string
	im := Import{Line: line, Reexport: reexport}
loop:
	for w.kind(k) == tokWord || w.kind(k) == tokName {
		if w.is(k, "_") || w.is(k, "given") && w.id == "scala" {
			im.Names = append(im.Names, "*")
			k++
			break
		}
		parts = append(parts, w.text(k))
		k++
		if w.kind(k) != '.' {
			break
		}
		k++
		switch w.kind(k) {
		case '*':
			im.Names = append(im.Names, "*")
			k++
			break loop
		case '{':
			m := int(w.match[k])
			if m < 0 {
				return k + 1
			}
			for n := k + 1; n < m; n++ {
				if w.kind(n) == '*' || w.is(n, "_") && (w.kind(n-1) == '{' || w.kind(n-1) == ',') {
					im.Names = append(im.Names, "*")
				} else if w.kind(n) == tokWord && (w.kind(n-1) == '{' || w.kind(n-1) == ',') {
					im.Names = append(im.Names, w.text(n))
				}
			}
			k = m + 1
			break loop
		}
	}
	if len(parts) == 0 {
		return k
	}
	if w.is(k, "as") && w.kind(k+1) == tokWord {
		im.Alias = w.text(k + 1)
		k += 2
	}
	im.Module = strings.Join(parts, ".")
	w.imports = append(w.imports, im)
	return k
}

// importCSharp reads using directives; a using statement is none.
func importCSharp(w *fbWalker, i int) int {
	j := i
	if w.is(j, "global") && w.is(j+1, "using") {
		j++
	}
	if !w.is(j, "using") || w.class() == inCode || w.class() == inType {
		return i
	}
	im := Import{Line: w.line(j)}
	k := j + 1
	if w.is(k, "static") {
		k++
		im.Names = []string{"*"}
	}
	if w.kind(k) == tokWord && w.kind(k+1) == '=' {
		im.Alias = w.text(k)
		k += 2
	}
	name, next := w.dotted(k)
	if name == "" {
		return i
	}
	im.Module = strings.ReplaceAll(strings.TrimPrefix(name, "global::"), "::", ".")
	if w.kind(next) == '<' {
		next = w.angle(next)
	}
	if w.kind(next) != ';' {
		return i
	}
	w.imports = append(w.imports, im)
	return next + 1
}

// importPHP reads use clauses, traits in classes, and include of literals.
func importPHP(w *fbWalker, i int) int {
	switch {
	case w.is(i, "use") && (w.class() == inType || w.class() == inEnum):
		k := i + 1
		for {
			if w.kind(k) == '\\' {
				k++
			}
			_, next := w.dotted(k)
			if next == k {
				break
			}
			w.bases = append(w.bases, pendingRef{int32(next - 1), w.parent(), RefBase})
			k = next
			if w.kind(k) != ',' {
				break
			}
			k++
		}
		if w.kind(k) == '{' && w.match[k] > 0 {
			k = int(w.match[k]) + 1
		}
		return k
	case w.is(i, "use") && w.class() == inFile:
		k := i + 1
		if w.is(k, "function") || w.is(k, "const") {
			k++
		}
		for {
			if w.kind(k) == '\\' {
				k++
			}
			name, next := w.dotted(k)
			if name == "" {
				return k
			}
			k = next
			if w.kind(k) == '\\' && w.kind(k+1) == '{' && w.match[k+1] > 0 {
				end := int(w.match[k+1])
				for n := k + 2; n < end; {
					sub, after := w.dotted(n)
					if sub == "" {
						n++
						continue
					}
					im := Import{Module: name + `\` + sub, Line: w.line(n)}
					if w.is(after, "as") {
						im.Alias = w.text(after + 1)
						after += 2
					}
					w.imports = append(w.imports, im)
					n = after
				}
				k = end + 1
			} else {
				im := Import{Module: name, Line: w.line(i)}
				if w.is(k, "as") && w.kind(k+1) == tokWord {
					im.Alias = w.text(k + 1)
					k += 2
				}
				w.imports = append(w.imports, im)
			}
			if w.kind(k) != ',' {
				return k
			}
			k++
		}
	case w.is(i, "require") || w.is(i, "require_once") || w.is(i, "include") || w.is(i, "include_once"):
		for k := i + 1; k < min(i+12, len(w.toks)) && w.kind(k) != ';'; k++ {
			if w.kind(k) == tokString {
				w.imports = append(w.imports, Import{Module: strings.TrimPrefix(unquote(w.text(k)), "/"), Line: w.line(k), Relative: 1})
				return k + 1
			}
		}
	}
	return i
}

// importElixir reads alias, import, require, use and @behaviour.
func importElixir(w *fbWalker, i int) int {
	if w.kind(i) == '@' && w.kind(i+1) == tokWord {
		switch w.text(i + 1) {
		case "behaviour":
			if name, next := w.dotted(i + 2); name != "" {
				w.bases = append(w.bases, pendingRef{int32(next - 1), w.parent(), RefBase})
				w.imports = append(w.imports, Import{Module: name, Line: w.line(i)})
				return next
			}
		case "doc", "spec", "impl", "deprecated", "since", "moduledoc", "typedoc", "dialyzer", "tag", "describetag":
			// What is said about the next definition belongs to it.
			if w.docLine == 0 && !w.is(i+1, "moduledoc") {
				w.docLine = w.line(i)
			}
			k := i + 2
			for k < len(w.toks) && !(w.first(k) && w.toks[k].col <= w.indentOf(i) && w.kind(k) != '|') {
				if m := int(w.match[k]); m > k {
					k = m
				}
				k++
				if !w.spend() {
					break
				}
			}
			return k
		}
		return i
	}
	use := w.is(i, "use")
	if !use && !w.is(i, "alias") && !w.is(i, "import") && !w.is(i, "require") {
		return i
	}
	name, k := w.dotted(i + 1)
	if name == "" || name[0] < 'A' || name[0] > 'Z' && name != "__MODULE__" {
		return i
	}
	if use {
		w.bases = append(w.bases, pendingRef{int32(k - 1), w.parent(), RefBase})
	}
	if w.kind(k) == '.' && w.kind(k+1) == '{' && w.match[k+1] > 0 {
		end := int(w.match[k+1])
		for n := k + 2; n < end; {
			sub, after := w.dotted(n)
			if sub == "" {
				n++
				continue
			}
			w.imports = append(w.imports, Import{Module: name + "." + sub, Line: w.line(n)})
			n = after
		}
		return end + 1
	}
	im := Import{Module: name, Line: w.line(i)}
	for n := k; n < min(k+6, len(w.toks)) && !w.first(n); n++ {
		if w.is(n, "as") && w.kind(n+1) == ':' && w.kind(n+2) == tokWord {
			im.Alias = w.text(n + 2)
			k = n + 3
		}
		if w.is(n, "only") && w.kind(n+1) == ':' && w.kind(n+2) == '[' && w.match[n+2] > 0 {
			for m := n + 3; m < int(w.match[n+2]); m++ {
				if w.kind(m) == tokWord && w.kind(m+1) == ':' {
					im.Names = append(im.Names, w.text(m))
				}
			}
		}
	}
	if w.is(i, "import") && len(im.Names) == 0 {
		im.Names = []string{"*"}
	}
	w.imports = append(w.imports, im)
	return k
}

// importHaskell reads module heads and imports.
func importHaskell(w *fbWalker, i int) int {
	if w.is(i, "module") && w.first(i) && w.toks[i].col == 0 {
		name, k := w.dotted(i + 1)
		if name != "" {
			w.pkg = name
			if w.kind(k) == '(' && w.match[k] > 0 {
				k = int(w.match[k]) + 1
			}
			w.quiet(i, k, len(w.bases))
			return k
		}
	}
	if !w.is(i, "import") || w.toks[i].col != 0 {
		return i
	}
	k := i + 1
	for w.is(k, "qualified") || w.is(k, "safe") || w.kind(k) == tokString {
		k++
	}
	name, k := w.dotted(k)
	if name == "" {
		return i
	}
	im := Import{Module: name, Line: w.line(i), Names: []string{"*"}}
	for k < len(w.toks) && !w.first(k) || w.toks1(k).col > 0 && k < len(w.toks) {
		switch {
		case w.is(k, "as"):
			im.Alias, k = w.dotted(k + 1)
			continue
		case w.is(k, "hiding"):
			if w.kind(k+1) == '(' && w.match[k+1] > 0 {
				k = int(w.match[k+1])
			}
		case w.kind(k) == '(' && w.match[k] > 0:
			im.Names = nil
			for n := k + 1; n < int(w.match[k]); n++ {
				if w.kind(n) == tokWord {
					im.Names = append(im.Names, w.text(n))
				}
			}
			k = int(w.match[k])
		}
		k++
	}
	w.imports = append(w.imports, im)
	return k
}

func (w *fbWalker) toks1(k int) token {
	if k < len(w.toks) {
		return w.toks[k]
	}
	return token{}
}

// importBash reads source f and . f.
func importBash(w *fbWalker, i int) int {
	dot := w.kind(i) == '.'
	if !w.is(i, "source") && !dot || dot && w.adjacent(i+1) {
		return i
	}
	from := i + 1
	if from >= len(w.toks) || w.toks[from].line != w.toks[i].line {
		return i
	}
	end := from
	for end < len(w.toks) && !w.first(end) && w.kind(end) != ';' && w.kind(end) != '&' && w.kind(end) != '|' && (end == from || w.adjacent(end)) && w.kind(end) != ')' && w.kind(end) != '}' {
		end++
	}
	if end == from {
		return i
	}
	text := string(w.src[w.toks[from].start:w.toks[end-1].end])
	text = strings.Trim(text, `"'`)
	// "${DIR}/lib/x.sh", "$(dirname "$0")/x.sh": what follows the expansion
	if at := strings.LastIndexAny(text, "})\"'"); at >= 0 && at+1 < len(text) && text[0] == '$' {
		text = text[at+1:]
	} else if text != "" && text[0] == '$' {
		if at := strings.IndexByte(text, '/'); at >= 0 {
			text = text[at:]
		} else {
			return end
		}
	}
	text = strings.TrimLeft(text, "/")
	if text != "" && !strings.ContainsAny(text, " \n") {
		w.imports = append(w.imports, Import{Module: text, Line: w.line(i), Relative: 1})
	}
	return end
}

// importQuoted makes a reader of `word … "path"` statements: import 'x' of
// Dart, JavaScript and Solidity, import "x" of protobuf, include of R.
func importQuoted(words ...string) func(*fbWalker, int) int {
	return func(w *fbWalker, i int) int {
		hit := false
		for _, word := range words {
			hit = hit || w.is(i, word)
		}
		if !hit || w.class() == inCode {
			return i
		}
		im := Import{Line: w.line(i), Reexport: w.is(i, "export") || w.is(i+1, "public")}
		for k := i + 1; k < min(i+400, len(w.toks)); k++ {
			switch {
			case w.kind(k) == tokString:
				if im.Module = unquote(w.text(k)); im.Module == "" {
					return i
				}
				if w.is(k+1, "as") || w.is(k+1, "deferred") {
					im.Alias = w.text(k + 2)
				}
				w.imports = append(w.imports, im)
				return k + 1
			case w.kind(k) == ';', w.kind(k) == '=', w.kind(k) == '(' && !w.is(i, "library"), w.is(k, "function"), w.is(k, "class"), w.is(k, "const"), w.is(k, "default"):
				return i
			case w.kind(k) == tokWord && !w.is(k, "from") && !w.is(k, "as") && !w.is(k, "type"):
				if w.is(k-1, "as") {
					im.Alias = w.text(k)
				} else {
					im.Names = append(im.Names, w.text(k))
				}
			case w.kind(k) == '*':
				im.Names = append(im.Names, "*")
			}
		}
		return i
	}
}

// importC reads #include lines.
func importC(w *fbWalker, i int) int {
	if w.kind(i) != tokDirect {
		return i
	}
	s := strings.TrimSpace(strings.TrimPrefix(w.text(i), "#"))
	word, rest, _ := strings.Cut(strings.ReplaceAll(s, "\t", " "), " ")
	if at := strings.IndexAny(word, `"<`); at > 0 {
		word, rest = word[:at], word[at:]+" "+rest
	}
	rest = strings.TrimSpace(rest)
	switch word {
	case "include", "import", "include_next":
		if len(rest) > 2 && (rest[0] == '"' || rest[0] == '<') {
			closing := byte('"')
			rel := int32(1)
			if rest[0] == '<' {
				closing, rel = '>', 0
			}
			if end := strings.IndexByte(rest[1:], closing); end > 0 {
				w.imports = append(w.imports, Import{Module: rest[1 : 1+end], Line: w.line(i), Relative: rel})
			}
		}
	case "define":
		end := 0
		for end < len(rest) && (rest[end] == '_' || rest[end] >= '0' && rest[end] <= '9' || rest[end]|0x20 >= 'a' && rest[end]|0x20 <= 'z') {
			end++
		}
		if end > 0 && (len(rest) > end || !strings.HasSuffix(rest[:end], "_H") && !strings.HasSuffix(rest[:end], "_H_")) {
			w.add(rest[:end], KindMacro, i, i, i+1, true)
		}
	}
	return i + 1
}
