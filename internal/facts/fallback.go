package facts

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Definitions without a grammar. One table a language (fallback_lang*.go)
// says how comments and literals look, which words start a declaration, how
// its name is found and where it ends. A single lexer turns the text into
// tokens (comments dropped, a literal is one token), brackets are matched
// once, and one pass over the tokens keeps a stack of the declarations it is
// in. Everything is linear in the length of the text.
//
// What it cannot know: macros, conditional compilation (all branches are
// read), and declarations whose first word is no key word, which are guessed
// from their shape (type name, parenthesis, body).

const (
	maxFallbackSymbols = 20000 // a file with more is generated data
	maxFallbackRefs    = 4000  // as the contract of Refs says
	maxHeaderTokens    = 2000  // a longer header is a table, not a declaration
	maxDocLines        = 400   // a longer comment is no doc comment
	maxAngleTokens     = 96    // generics are short; a lone < is an operator
)

// declKind is a Kind with the shape of what follows the key word.
type declKind struct {
	kind Kind
	form form
}

// form says how a declaration's name and body are found.
type form uint8

const (
	formNone   form = iota
	formType        // name, generics, bases, body
	formNS          // dotted name, body optional, to the end of the file without one
	formFunc        // name directly before the parameters
	formVar         // name (or several), initialiser
	formAlias       // name, to the end of the statement
	formImpl        // dotted type name, bases, body; KindOther
	formCtor        // the key word itself is the name
	formString      // name in a literal
	formCase        // enum members separated by commas
)

// scopeClass says what kind of body a token stands in.
type scopeClass uint8

const (
	inFile scopeClass = iota
	inType            // members are fields and methods
	inEnum
	inCode // locals are not symbols
)

// lang describes a language without a grammar. The zero value knows nothing.
type fbLang struct {
	lex lexSpec

	words   map[string]declKind // key word → declaration
	mods    map[string]bool     // words that may stand before the key word
	private map[string]bool     // words among them that hide
	public  map[string]bool     // when not empty: only these show
	extends map[string]bool     // words that lead base types; ":" if baseColon
	cont    map[string]bool     // words that continue a header on a new line
	skip    map[string]bool     // never a reference
	stop    map[string]bool     // for typed: never part of a type or a declared name

	indent    bool   // a body ends where the indentation returns
	closers   string // words that may stand at the header's indentation in a body, space separated
	newline   bool   // a line's end ends a statement
	baseColon bool   // class A : B
	angles    bool   // generics in <>
	attrs     byte   // '@': @Name(…), '[': [Name(…)], '#': #[Name(…)]
	typed     bool   // functions and fields without a key word: T name(…)
	typedTop  bool   // also outside of types
	exprBody  bool   // = expr or => expr is a body
	brace     bool   // a call may be followed by a block: launch { }
	allUses   bool   // application needs no parentheses: every identifier is a use
	upper     bool   // exported when the name starts with an upper-case letter

	importer func(w *fbWalker, i int) int // reads an import at token i, returns the token after it or i
	special  func(w *fbWalker, i int) int // declarations of another shape, same convention
	after    func(w *fbWalker)            // last touches
}

// fallbackSymbols names the declarations, imports and references of src
// without a grammar. lines[i] is the byte offset at which line i+1 starts.
// Symbols are in order of Start, outer first; Parent and Scope are indices
// into them. pkg is the package, namespace or module the file says it is in.
// Unknown languages give nothing.
func fallbackSymbols(lang string, src []byte, lines []int32) (syms []Symbol, imports []Import, refs []Ref, pkg string) {
	if len(lines) == 0 || len(src) == 0 {
		return nil, nil, nil, ""
	}
	if syms, imports, ok := markupSymbols(lang, src, lines); ok {
		return syms, imports, nil, ""
	}
	switch lang {
	case "mix":
		lang = "elixir"
	case "vue", "svelte", "astro", "html":
		src, lang = scriptOnly(src), "typescript"
	}
	l := fbLangs[lang]
	if l == nil {
		return nil, nil, nil, ""
	}
	w := &fbWalker{lang: l, src: src, lines: lines, id: lang}
	w.lexed = lexAll(&l.lex, src, lines)
	w.match = matchBrackets(w.toks)
	w.walk()
	if l.after != nil {
		l.after(w)
	}
	w.finish()
	return w.syms, w.imports, w.references(), w.pkg
}

// scriptOnly blanks everything outside of <script> elements that hold programs
// (and Astro's front matter), keeping offsets and line ends.
func scriptOnly(src []byte) []byte {
	out := make([]byte, len(src))
	for i, c := range src {
		out[i] = ' '
		if c == '\n' || c == '\r' {
			out[i] = c
		}
	}
	at := 0
	if bytes.HasPrefix(src, []byte("---\n")) {
		if end := bytes.Index(src[4:], []byte("\n---")); end >= 0 {
			copy(out[4:4+end], src[4:4+end])
			at = 4 + end
		}
	}
	for at < len(src) {
		open := bytes.Index(src[at:], []byte("<script"))
		if open < 0 {
			break
		}
		open += at
		gt := bytes.IndexByte(src[open:], '>')
		if gt < 0 {
			break
		}
		from := open + gt + 1
		end := bytes.Index(src[from:], []byte("</script"))
		if end < 0 {
			end = len(src) - from
		}
		if program(attribute(src[open:from], "type")) {
			copy(out[from:from+end], src[from:from+end])
		}
		at = from + end
	}
	return out
}

// program tells whether a <script> of that type is one: templates and data are
// kept in such elements too, and would be one syntax error from end to end.
func program(kind string) bool {
	kind = strings.ToLower(kind)
	if kind == "" || kind == "module" {
		return true
	}
	for _, w := range []string{"javascript", "ecmascript", "babel", "jsx", "typescript", "tsx"} {
		if strings.Contains(kind, w) {
			return true
		}
	}
	return kind == "text/ts" || kind == "ts"
}

// scope is a body the walk is in.
type fbScope struct {
	end   int32 // token after its last
	sym   int32 // -1: a block without a name
	class scopeClass
}

// fbWalker holds one file's walk.
type fbWalker struct {
	lang  *fbLang
	id    string
	src   []byte
	lines []int32
	lexed
	match []int32 // index of the partner of a bracket, -1

	scopes  []fbScope
	syms    []Symbol
	from    []int32 // first token of a symbol
	to      []int32 // token after its last
	bases   []pendingRef
	imports []Import
	pkg     string

	work    int   // steps spent looking for ends
	docLine int32 // line where documentation in statements starts (Elixir @doc), 0: none
}

type pendingRef struct {
	tok  int32
	sym  int32
	kind RefKind
}

func (w *fbWalker) text(i int) string {
	if i < 0 || i >= len(w.toks) {
		return ""
	}
	t := w.toks[i]
	return string(w.src[t.start:t.end])
}

// is reports whether token i reads s, without allocating.
func (w *fbWalker) is(i int, s string) bool {
	if i < 0 || i >= len(w.toks) {
		return false
	}
	t := w.toks[i]
	return int(t.end-t.start) == len(s) && string(w.src[t.start:t.end]) == s
}

// in reports whether token i is a word of m.
func (w *fbWalker) in(i int, m map[string]bool) bool {
	if len(m) == 0 || i < 0 || i >= len(w.toks) || w.toks[i].kind != tokWord {
		return false
	}
	t := w.toks[i]
	return m[string(w.src[t.start:t.end])]
}

func (w *fbWalker) kind(i int) tokKind {
	if i < 0 || i >= len(w.toks) {
		return tokEOF
	}
	return w.toks[i].kind
}

func (w *fbWalker) line(i int) int32 { // one-based
	if len(w.toks) == 0 {
		return 1
	}
	if i >= len(w.toks) {
		i = len(w.toks) - 1
	}
	if i < 0 {
		i = 0
	}
	return w.toks[i].line + 1
}

// endLine is the line in which token i ends, one-based.
func (w *fbWalker) endLine(i int) int32 {
	if i < 0 || len(w.toks) == 0 {
		return 1
	}
	if i >= len(w.toks) {
		i = len(w.toks) - 1
	}
	return w.toks[i].last + 1
}

// first reports whether token i is the first of its line.
func (w *fbWalker) first(i int) bool {
	return i <= 0 || i < len(w.toks) && w.toks[i].line != w.toks[i-1].last
}

// adjacent reports whether nothing stands between tokens i-1 and i.
func (w *fbWalker) adjacent(i int) bool {
	return i > 0 && i < len(w.toks) && w.toks[i-1].end == w.toks[i].start
}

func (w *fbWalker) class() scopeClass {
	if n := len(w.scopes); n > 0 {
		return w.scopes[n-1].class
	}
	return inFile
}

func (w *fbWalker) parent() int32 {
	for i := len(w.scopes) - 1; i >= 0; i-- {
		if w.scopes[i].sym >= 0 {
			return w.scopes[i].sym
		}
	}
	return -1
}

// add records a symbol of the tokens [from, to) whose signature ends with
// token sig, and returns its index, -1 when the limit is reached.
func (w *fbWalker) add(name string, kind Kind, from, sig, to int, exported bool) int32 {
	if len(w.syms) >= maxFallbackSymbols || name == "" || len(name) > 200 {
		return -1
	}
	if to <= from {
		to = from + 1
	}
	sig = min(max(sig, from), to-1)
	s := Symbol{Name: name, Kind: kind, Parent: w.parent(), Start: w.line(from), SigEnd: w.endLine(sig), End: w.endLine(to - 1), Exported: exported}
	s.DocStart = s.Start
	if w.docLine > 0 && w.docLine < s.Start {
		s.DocStart = w.docLine
	}
	w.docLine = 0
	s.DocStart = w.docAbove(s.DocStart)
	w.syms = append(w.syms, s)
	w.from = append(w.from, int32(from))
	w.to = append(w.to, int32(to))
	return int32(len(w.syms) - 1)
}

// docAbove is the first line of the block of comment lines directly above.
func (w *fbWalker) docAbove(line int32) int32 {
	for n := 0; n < maxDocLines && line > 1 && w.flags[line-2] == lineComment; n++ {
		line--
	}
	return line
}

// spend counts a step of looking for an end. Text made to defeat the search
// (thousands of unclosed headers on one line) exhausts the budget; from then
// on ends are one token away.
func (w *fbWalker) spend() bool {
	w.work++
	return w.work < 64*len(w.toks)+1<<16
}

// push enters a body.
func (w *fbWalker) push(end int, sym int32, class scopeClass) {
	w.scopes = append(w.scopes, fbScope{int32(end), sym, class})
}

// indentOf is the column of the first token of token i's line.
func (w *fbWalker) indentOf(i int) int32 {
	if i < 0 || i >= len(w.toks) {
		return 0
	}
	return w.toks[i].col
}

// closes reports whether token i may stand at the indentation of a header
// without ending its body, and whether it is the body's last.
func (w *fbWalker) closes(i int) (may, last bool) {
	switch w.kind(i) {
	case '}', ']', ')':
		return true, w.kind(i) == '}'
	case tokWord:
		if hasWord(w.lang.closers, w.text(i)) {
			return true, w.is(i, "end") || w.is(i, "fi") || w.is(i, "done") || w.is(i, "esac")
		}
	}
	return false, false
}

func hasWord(list, word string) bool {
	for len(list) > 0 {
		w := list
		if i := indexByte(list, ' '); i >= 0 {
			w, list = list[:i], list[i+1:]
		} else {
			list = ""
		}
		if w == word {
			return true
		}
	}
	return false
}

func indexByte(s string, c byte) int {
	for i := range len(s) {
		if s[i] == c {
			return i
		}
	}
	return -1
}

// indentEnd is the token after the last of a body that ends where the
// indentation returns to that of token i's line; from is where to look from.
func (w *fbWalker) indentEnd(i, from int) int {
	col := w.indentOf(i)
	k := from
	for k < len(w.toks) {
		if !w.spend() {
			return min(i+1, len(w.toks))
		}
		if !w.first(k) {
			if m := w.match[k]; m > int32(k) && w.toks[m].line > w.toks[k].line {
				k = int(m) // brackets do not care for indentation
			}
			k++
			continue
		}
		if c := w.toks[k].col; c > col {
			if m := w.match[k]; m > int32(k) {
				k = int(m)
			}
			k++
			continue
		}
		if w.toks[k].col < col {
			return k
		}
		may, last := w.closes(k)
		if !may {
			return k
		}
		k++
		if last {
			for k < len(w.toks) && !w.first(k) {
				k++
			}
			return k
		}
	}
	return len(w.toks)
}

// exprEnd is the token after an expression that starts at token k and
// belongs to the declaration whose first token is i.
func (w *fbWalker) exprEnd(i, k int) int {
	col := w.indentOf(i)
	for ; k < len(w.toks); k++ {
		if !w.spend() {
			return min(i+1, len(w.toks))
		}
		switch t := w.toks[k]; t.kind {
		case '(', '[', '{':
			if w.lang.newline && k > i && w.first(k) && t.col <= col && t.kind != '{' {
				return k
			}
			m := int(w.match[k])
			if m < 0 {
				return min(w.indentEnd(i, k), len(w.toks))
			}
			k = m
			continue
		case ')', ']', '}':
			return k
		case ';':
			return k + 1
		case ',':
			if w.class() == inEnum {
				return k
			}
		}
		if w.lang.newline && k > i && w.first(k) && w.toks[k].col <= col && !w.joins(k) {
			return k
		}
	}
	return len(w.toks)
}

// joins reports whether the first token of a line continues the line before.
func (w *fbWalker) joins(k int) bool {
	if w.id == "elixir" && (w.kind(k) == ':' || k > 0 && w.is(k-1, "do")) {
		return false // an atom; the first expression of a block
	}
	switch w.kind(k) {
	case '.', ',', '=', ':', '?', '|', '&', '+', '*', '/', '<', '>', tokArrow, tokFat, tokColons, tokOp:
		return true
	case tokWord:
		return w.in(k, w.lang.cont)
	}
	if k > 0 {
		switch w.kind(k - 1) {
		case '=', ',', tokFat, tokArrow, '(', '[', '+', '|', '&', ':':
			return true
		}
	}
	return false
}

// finish sorts the symbols, outer first, recomputes parents by nesting and
// clamps spans.
func (w *fbWalker) finish() {
	w.imports = slices.DeleteFunc(w.imports, func(im Import) bool { return im.Module == "" && im.Relative == 0 })
	n := int32(len(w.lines))
	order := make([]int32, len(w.syms))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := &w.syms[a], &w.syms[b]
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End), cmp.Compare(w.from[a], w.from[b]))
	})
	place := make([]int32, len(order))
	for at, old := range order {
		place[old] = int32(at)
	}
	syms := make([]Symbol, len(order))
	from, to := make([]int32, len(order)), make([]int32, len(order))
	var open []int32
	for at, old := range order {
		s := w.syms[old]
		s.Start = min(max(s.Start, 1), n)
		s.End = min(max(s.End, s.Start), n)
		s.SigEnd = min(max(s.SigEnd, s.Start), s.End)
		s.DocStart = min(max(s.DocStart, 1), s.Start)
		for len(open) > 0 && (syms[open[len(open)-1]].End < s.Start || to[open[len(open)-1]] <= w.from[old]) {
			open = open[:len(open)-1]
		}
		s.Parent = -1
		for k := len(open) - 1; k >= 0; k-- {
			if p := &syms[open[k]]; p.Start <= s.Start && p.End >= s.End && from[open[k]] <= w.from[old] && !leaf(p.Kind) {
				s.Parent = open[k]
				break
			}
		}
		syms[at], from[at], to[at] = s, w.from[old], w.to[old]
		open = append(open, int32(at))
	}
	for i := range w.bases {
		if b := &w.bases[i]; b.sym >= 0 && int(b.sym) < len(place) {
			b.sym = place[b.sym]
		} else {
			b.sym = -1
		}
	}
	w.syms, w.from, w.to = syms, from, to
}

// leaf kinds enclose nothing.
func leaf(k Kind) bool {
	return k == KindConst || k == KindVar || k == KindField || k == KindType
}
