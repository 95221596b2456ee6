package facts

import "bytes"

// tokKind is the byte of a punctuation mark, or one of the kinds below.
type tokKind uint8

const (
	tokEOF    tokKind = 0
	tokWord   tokKind = 1 // identifier or key word
	tokNumber tokKind = 2
	tokString tokKind = 3 // a whole literal, quotes included
	tokArrow  tokKind = 4 // -> or <-
	tokFat    tokKind = 5 // =>
	tokColons tokKind = 6 // ::
	tokOp     tokKind = 7 // other operators of several characters
	tokName   tokKind = 8 // a word that is being declared
	tokDirect tokKind = 9 // a preprocessor line
)

// token spans bytes [start, end); line and last are the zero-based lines of
// its first and last byte; col is the column of its line's first token, with
// tabs to 4.
type token struct {
	start, end int32
	line, last int32
	col        int32
	kind       tokKind
}

// Flags of a line. A line that has only comments is documentation of what
// follows.
const (
	lineCode    = 1
	lineComment = 2
)

// quote describes a literal.
type quote struct {
	open, close string
	escape      byte   // 0: none
	double      bool   // the closing quote doubled stands for itself
	multi       bool   // may span lines
	interp      string // "${", "\\(": code up to the matching bracket may hold quotes
}

// lexSpec says how comments and literals of a language look.
type lexSpec struct {
	line       []string
	block      [][2]string
	nested     bool // block comments nest
	quotes     []quote
	char       bool   // 'x' is a character, a lone ' is not a quote
	ident      string // bytes allowed in identifiers besides letters, digits and _
	start      string // bytes that may start one besides letters and _
	tail       string // bytes that may end one (Ruby and Elixir: ?!)
	hashWord   bool   // # is a comment only at the start of a word (shells)
	directive  bool   // a # at the start of a line runs to the line's end
	directives string // only these words after the # do; empty: all
	heredoc    bool   // <<EOF … EOF, <<~EOF, <<<EOF
	longLua    bool   // [[ ]] and [=[ ]=]
	shell      bool   // $( ), ${ } and backquotes stand in double quotes
	dashes     bool   // --, only a comment when no operator character follows
	regex      bool   // /…/ after an operator is a literal
	php        bool   // text outside of <?php … ?> is skipped
	zigLines   bool   // \\ runs to the line's end and is a literal
	quoteTick  bool   // `name` is an identifier
	prime      bool   // ' may continue an identifier
	sigil      bool   // ~s(…), ~r/…/ and ?c of Elixir
}

type lexed struct {
	toks  []token
	flags []byte // per line
}

// lexAll cuts src into tokens. lines are the offsets of line starts.
func lexAll(s *lexSpec, src []byte, lines []int32) lexed {
	x := lexer{lexSpec: s, src: src, lines: lines, flags: make([]byte, len(lines)), toks: make([]token, 0, len(src)/5+16)}
	x.tables()
	x.run()
	return lexed{x.toks, x.flags}
}

type lexer struct {
	*lexSpec
	src   []byte
	lines []int32
	flags []byte
	toks  []token
	at    int
	ln    int32     // current line, zero-based
	class [256]byte // what a byte may start
	pend  []string  // ends of heredocs that start after this line
}

// Bits of class.
const (
	cIdent   = 1 << iota // continues an identifier
	cStart               // starts an identifier
	cComment             // may start a comment
	cQuote               // may start a literal
)

func (x *lexer) tables() {
	for c := range 256 {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c >= 0x80:
			x.class[c] |= cIdent | cStart
		case c >= '0' && c <= '9':
			x.class[c] |= cIdent
		}
	}
	for _, c := range []byte(x.ident) {
		x.class[c] |= cIdent
	}
	if x.prime {
		x.class['\''] |= cIdent
	}
	for _, c := range []byte(x.start) {
		x.class[c] |= cStart
	}
	for _, l := range x.line {
		x.class[l[0]] |= cComment
	}
	for _, b := range x.block {
		x.class[b[0][0]] |= cComment
	}
	for _, q := range x.quotes {
		x.class[q.open[0]] |= cQuote
	}
}

// mark sets a flag on the lines of bytes [from, to).
func (x *lexer) mark(from, to int, flag byte) (first, last int32) {
	for int(x.ln)+1 < len(x.lines) && int(x.lines[x.ln+1]) <= from {
		x.ln++
	}
	first = x.ln
	x.flags[x.ln] |= flag
	for int(x.ln)+1 < len(x.lines) && int(x.lines[x.ln+1]) < to {
		x.ln++
		x.flags[x.ln] |= flag
	}
	return first, x.ln
}

func (x *lexer) emit(kind tokKind, from, to int) {
	first, last := x.mark(from, to, lineCode)
	col := int32(0)
	if n := len(x.toks); n == 0 || x.toks[n-1].last != first {
		for _, c := range x.src[min(int(x.lines[first]), from):from] {
			if c == '\t' {
				col = col&^3 + 4
			} else {
				col++
			}
		}
	} else {
		col = x.toks[n-1].col
	}
	x.toks = append(x.toks, token{int32(from), int32(to), first, last, col, kind})
	x.at = to
}

func (x *lexer) has(s string) bool {
	return len(s) > 0 && len(x.src)-x.at >= len(s) && string(x.src[x.at:x.at+len(s)]) == s
}

func (x *lexer) lineEnd(at int) int {
	if at >= len(x.src) {
		return len(x.src)
	}
	if i := bytes.IndexByte(x.src[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(x.src)
}

// fresh reports whether only blanks stand before x.at in its line.
func (x *lexer) fresh() bool {
	for i := x.at - 1; i >= 0; i-- {
		switch x.src[i] {
		case ' ', '\t', '\r':
		case '\n':
			return true
		default:
			return false
		}
	}
	return true
}

func (x *lexer) run() {
	if x.php {
		x.skipHTML()
	}
	if bytes.HasPrefix(x.src, []byte("#!")) {
		x.at = x.lineEnd(0)
		x.mark(0, x.at, lineComment)
	}
	for x.at < len(x.src) {
		c := x.src[x.at]
		switch {
		case c == '\n':
			x.at++
			if len(x.pend) > 0 {
				x.heredocs()
			}
			continue
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			x.at++
			continue
		}
		k := x.class[c]
		if k&cComment != 0 && x.comment() {
			continue
		}
		if k&cQuote != 0 && x.literal() {
			continue
		}
		if k&cStart != 0 {
			x.word()
			continue
		}
		if c >= '0' && c <= '9' {
			end := x.at + 1
			for end < len(x.src) && (x.class[x.src[end]]&cIdent != 0 || x.src[end] == '.' && end+1 < len(x.src) && x.src[end+1] >= '0' && x.src[end+1] <= '9') {
				end++
			}
			x.emit(tokNumber, x.at, end)
			continue
		}
		if x.odd(c) {
			continue
		}
		x.punct(c)
	}
}

func (x *lexer) word() {
	end := x.at + 1
	for end < len(x.src) && x.class[x.src[end]]&cIdent != 0 {
		end++
	}
	if end < len(x.src) && x.tail != "" && bytes.IndexByte([]byte(x.tail), x.src[end]) >= 0 && (end+1 >= len(x.src) || x.src[end+1] != '=') {
		end++
	}
	x.emit(tokWord, x.at, end)
}

// punct emits an operator or a single mark.
func (x *lexer) punct(c byte) {
	d := byte(0)
	if x.at+1 < len(x.src) {
		d = x.src[x.at+1]
	}
	switch {
	case c == '-' && d == '>', c == '<' && d == '-':
		x.emit(tokArrow, x.at, x.at+2)
	case c == '=' && d == '>':
		x.emit(tokFat, x.at, x.at+2)
	case c == ':' && d == ':':
		x.emit(tokColons, x.at, x.at+2)
	case d == '=' && (c == '=' || c == '!' || c == '<' || c == '>' || c == '+' || c == '-' || c == '*' || c == '/' || c == '|' || c == '&' || c == ':' || c == '~' || c == '%' || c == '^'),
		c == '&' && d == '&', c == '|' && (d == '|' || d == '>'), c == '+' && d == '+', c == '-' && d == '-', c == '?' && (d == '?' || d == ':'):
		end := x.at + 2
		if end < len(x.src) && x.src[end] == '=' {
			end++
		}
		x.emit(tokOp, x.at, end)
	case c == '?' && d == '.' && x.at+2 < len(x.src) && x.class[x.src[x.at+2]]&cStart != 0:
		x.at++ // a?.b reads as a.b
		x.emit('.', x.at, x.at+1)
	case c < 10 || c >= 0x80:
		x.at++ // control bytes would collide with kinds
	default:
		x.emit(tokKind(c), x.at, x.at+1)
	}
}

// comment skips a comment at x.at if there is one.
func (x *lexer) comment() bool {
	for _, b := range x.block {
		if !x.has(b[0]) {
			continue
		}
		if b[0][0] == '=' && (x.at > 0 && x.src[x.at-1] != '\n') {
			continue // =begin, =pod only at the line's start
		}
		start, depth := x.at, 1
		at := x.at + len(b[0])
		if !x.nested {
			if i := bytes.Index(x.src[at:], []byte(b[1])); i >= 0 {
				at += i + len(b[1])
			} else {
				at = len(x.src)
			}
		} else {
			for at < len(x.src) && depth > 0 {
				switch {
				case bytes.HasPrefix(x.src[at:], []byte(b[1])):
					depth--
					at += len(b[1])
				case bytes.HasPrefix(x.src[at:], []byte(b[0])):
					depth++
					at += len(b[0])
				default:
					at++
				}
			}
		}
		x.mark(start, at, lineComment)
		x.at = at
		return true
	}
	for _, l := range x.line {
		if !x.has(l) {
			continue
		}
		if x.hashWord && x.at > 0 {
			switch x.src[x.at-1] {
			case ' ', '\t', '\n', '\r', ';', '&', '|', '(', ')', '`':
			default:
				continue
			}
		}
		if x.dashes && l == "--" {
			e := x.at + 2
			for e < len(x.src) && x.src[e] == '-' && e < x.at+maxRegexp {
				e++
			}
			if e < len(x.src) && bytes.IndexByte([]byte("!#$%&*+./<=>?@\\^|~:"), x.src[e]) >= 0 {
				continue
			}
		}
		if l == "#" && x.php && x.at+1 < len(x.src) && x.src[x.at+1] == '[' {
			continue // attribute
		}
		if x.longLua && l == "--" {
			if end := x.long(x.at + 2); end > 0 {
				x.mark(x.at, end, lineComment)
				x.at = end
				return true
			}
		}
		end := x.lineEnd(x.at)
		if x.php {
			if i := bytes.Index(x.src[x.at:end], []byte("?>")); i >= 0 {
				end = x.at + i
			}
		}
		x.mark(x.at, end, lineComment)
		x.at = end
		return true
	}
	return false
}

// odd handles the forms of single languages; it reports whether it moved.
func (x *lexer) odd(c byte) bool {
	switch {
	case c == '\'' && x.char:
		// 'a', '\n', '\u{1F600}'; else a lifetime, a label or a type variable
		at := x.at + 1
		if at < len(x.src) && x.src[at] == '\\' {
			end := at + 2
			for end < len(x.src) && end < at+14 && x.src[end] != '\'' && x.src[end] != '\n' {
				end++
			}
			if end < len(x.src) && x.src[end] == '\'' {
				x.emit(tokString, x.at, end+1)
				return true
			}
		} else {
			end := at + 1
			for end < len(x.src) && end < at+4 && x.src[end]&0xC0 == 0x80 {
				end++
			}
			if end < len(x.src) && x.src[end] == '\'' && at < len(x.src) && x.src[at] != '\n' {
				x.emit(tokString, x.at, end+1)
				return true
			}
		}
		x.at++
		return true
	case c == '#' && x.directive && x.fresh() && x.directs():
		start, end := x.at, x.lineEnd(x.at)
		for end < len(x.src) && end > start && (x.src[end-1] == '\\' || x.src[end-1] == '\r' && end-2 >= start && x.src[end-2] == '\\') {
			end = x.lineEnd(end + 1)
		}
		x.emit(tokDirect, start, end)
		return true
	case c == '<' && x.heredoc && x.has("<<"):
		return x.heredocStart()
	case c == '[' && x.longLua:
		if end := x.long(x.at); end > 0 {
			x.emit(tokString, x.at, end)
			return true
		}
	case c == '\\' && x.zigLines && x.has(`\\`):
		x.emit(tokString, x.at, x.lineEnd(x.at))
		return true
	case c == '`' && x.quoteTick:
		end := x.at + 1
		for end < len(x.src) && x.src[end] != '`' && x.src[end] != '\n' {
			end++
		}
		if end < len(x.src) && x.src[end] == '`' && end > x.at+1 {
			x.emit(tokWord, x.at+1, end)
			x.at = end + 1
			return true
		}
	case c == '/' && x.regex:
		return x.regexp()
	case c == '~' && x.sigil:
		return x.sigilLit()
	case c == '?' && x.sigil && x.at+1 < len(x.src):
		if x.at == 0 || x.class[x.src[x.at-1]]&cIdent == 0 {
			end := x.at + 2
			if x.src[x.at+1] == '\\' {
				end++
			}
			for end < len(x.src) && x.src[end]&0xC0 == 0x80 {
				end++
			}
			if end > len(x.src) || x.src[x.at+1] == '\n' || x.src[x.at+1] == ' ' {
				break
			}
			x.emit(tokString, x.at, end)
			return true
		}
	case c == '?' && x.php && x.has("?>"):
		x.at += 2
		x.skipHTML()
		return true
	case c == '\\' && x.shell:
		x.at++ // \. file, \rm: the command itself, past an alias
		rest := x.src[min(x.at, len(x.src)):]
		if short := len(rest) > 1 && rest[0] == '.' && (rest[1] == ' ' || rest[1] == '\t'); !short && !(len(rest) > 0 && rest[0] >= 'a' && rest[0] <= 'z') {
			x.at++
		}
		return true
	case c == '$' && x.php, c == '\\' && !x.zigLines && !x.php:
		x.at++ // variables read as names
		return true
	case c == '$' && x.shell:
		if x.has("${") { // parameters are no blocks
			end := skipNested(x.src, x.at+1, '{', '}', 0)
			x.emit(tokString, x.at, end)
			return true
		}
		if x.has("$((") || x.has("$(") || x.at+1 >= len(x.src) {
			x.at++
			return true
		}
		// $name, $#, $1, $'…'
		if d := x.src[x.at+1]; x.class[d]&cIdent != 0 {
			x.at++
			end := x.at + 1
			for end < len(x.src) && x.class[x.src[end]]&cIdent != 0 && x.src[end] != '-' && x.src[end] != '.' {
				end++
			}
			x.emit(tokString, x.at-1, end)
		} else if d == '\'' || d == '"' || d == '\n' {
			x.at++
		} else {
			x.emit(tokString, x.at, x.at+2)
		}
		return true
	}
	return false
}

// directs reports whether the word after a # makes the line a directive.
func (x *lexer) directs() bool {
	if x.directives == "" {
		return true
	}
	end := x.at + 1
	for end < len(x.src) && end < x.at+20 && x.class[x.src[end]]&cStart != 0 {
		end++
	}
	return hasWord(x.directives, string(x.src[x.at+1:end]))
}

// skipHTML moves to after the next <?php or <?=.
func (x *lexer) skipHTML() {
	i := bytes.Index(x.src[x.at:], []byte("<?"))
	if i < 0 {
		x.at = len(x.src)
		return
	}
	x.at += i + 2
	if x.has("php") {
		x.at += 3
	} else if x.has("=") {
		x.at++
	}
}

// matchBrackets pairs (), [] and {}. A bracket without its partner gives -1;
// a closing one of another kind drops what is open above its partner, so one
// stray bracket does not spoil the rest of the file.
func matchBrackets(toks []token) []int32 {
	match := make([]int32, len(toks))
	var open []int32
	for i, t := range toks {
		match[i] = -1
		switch t.kind {
		case '(', '[', '{':
			open = append(open, int32(i))
		case ')', ']', '}':
			want := tokKind('(')
			if t.kind == ']' {
				want = '['
			} else if t.kind == '}' {
				want = '{'
			}
			// Look only a little way down: a brace may close over lost
			// parentheses, a parenthesis never closes over a brace.
			for k, steps := len(open)-1, 0; k >= 0 && steps < 32; k, steps = k-1, steps+1 {
				kind := toks[open[k]].kind
				if kind == want {
					match[open[k]], match[i] = int32(i), open[k]
					open = open[:k]
					break
				}
				if kind == '{' {
					break
				}
			}
		}
	}
	return match
}
