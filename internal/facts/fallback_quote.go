package facts

import "bytes"

// Literals of all kinds.

// long returns the end of a Lua long bracket that opens at at, 0 if none.
func (x *lexer) long(at int) int {
	if at >= len(x.src) || x.src[at] != '[' {
		return 0
	}
	n := at + 1
	for n < len(x.src) && x.src[n] == '=' {
		n++
	}
	if n >= len(x.src) || x.src[n] != '[' {
		return 0
	}
	closing := append([]byte{']'}, x.src[at+1:n]...)
	closing = append(closing, ']')
	if i := bytes.Index(x.src[n:], closing); i >= 0 {
		return n + i + len(closing)
	}
	return len(x.src)
}

// heredocStart reads <<EOF, <<-EOF, <<~EOF, <<'EOF' and PHP's <<<EOF. The
// text starts in the next line; PHP's is read at once.
func (x *lexer) heredocStart() bool {
	at := x.at + 2
	if at < len(x.src) && x.src[at] == '<' {
		at++
		if !x.php {
			x.emit(tokOp, x.at, at) // here string
			return true
		}
	} else if x.php {
		return false
	}
	for at < len(x.src) && (x.src[at] == '-' || x.src[at] == '~' || x.src[at] == ' ' && (x.php || x.shell)) {
		at++
	}
	q := byte(0)
	if at < len(x.src) && (x.src[at] == '\'' || x.src[at] == '"' || x.src[at] == '\\') {
		q = x.src[at]
		at++
	}
	end := at
	for end < len(x.src) && x.class[x.src[end]]&cIdent != 0 {
		end++
	}
	if end == at || !x.shell && !x.php && (x.src[at] < 'A' || x.src[at] > 'Z') || x.src[at] >= '0' && x.src[at] <= '9' {
		x.emit(tokOp, x.at, x.at+2)
		return true
	}
	if len(x.pend) < 8 {
		x.pend = append(x.pend, string(x.src[at:end]))
	}
	if q != 0 && q != '\\' && end < len(x.src) && x.src[end] == q {
		end++
	}
	x.emit(tokString, x.at, end)
	return true
}

// heredocs skips the texts of the heredocs that the line before announced.
func (x *lexer) heredocs() {
	for _, word := range x.pend {
		for x.at < len(x.src) {
			end := x.lineEnd(x.at)
			line := bytes.TrimSpace(x.src[x.at:end])
			if string(line) == word || x.php && bytes.HasPrefix(line, []byte(word)) && (len(line) == len(word) || x.class[line[len(word)]]&cIdent == 0) {
				if x.php {
					x.at += bytes.Index(x.src[x.at:end], []byte(word)) + len(word)
				} else {
					x.at = min(end+1, len(x.src))
				}
				break
			}
			x.at = min(end+1, len(x.src))
		}
	}
	x.pend = x.pend[:0]
}

// regexp reads /…/ where an operand may stand.
func (x *lexer) regexp() bool {
	if n := len(x.toks); n > 0 {
		switch t := x.toks[n-1]; t.kind {
		case tokNumber, tokString, ')', ']', '}':
			return false
		case tokWord:
			switch string(x.src[t.start:t.end]) {
			case "return", "typeof", "case", "in", "of", "and", "or", "not", "if", "unless", "when":
			default:
				return false
			}
		}
	}
	class := false
	for at := x.at + 1; at < len(x.src) && x.src[at] != '\n' && at < x.at+maxRegexp; at++ {
		switch c := x.src[at]; {
		case c == '\\':
			at++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			end := at + 1
			for end < len(x.src) && x.class[x.src[end]]&cStart != 0 {
				end++
			}
			x.emit(tokString, x.at, end)
			return true
		}
	}
	return false
}

// sigilLit reads Elixir's ~r/…/, ~S""" … """ and the like.
func (x *lexer) sigilLit() bool {
	at := x.at + 1
	for at < len(x.src) && (x.src[at] >= 'a' && x.src[at] <= 'z' || x.src[at] >= 'A' && x.src[at] <= 'Z') {
		at++
	}
	if at == x.at+1 || at >= len(x.src) {
		return false
	}
	rest := x.src[at:]
	for _, q := range []string{`"""`, `'''`} {
		if bytes.HasPrefix(rest, []byte(q)) {
			end := len(x.src)
			if i := bytes.Index(rest[3:], []byte(q)); i >= 0 {
				end = at + 3 + i + 3
			}
			x.emit(tokString, x.at, end)
			return true
		}
	}
	closing := rest[0]
	switch closing {
	case '(':
		closing = ')'
	case '[':
		closing = ']'
	case '{':
		closing = '}'
	case '<':
		closing = '>'
	case '/', '|', '"', '\'':
	default:
		return false
	}
	for i := at + 1; i < len(x.src); i++ {
		if x.src[i] == '\\' {
			i++
		} else if x.src[i] == closing {
			i++
			for i < len(x.src) && x.src[i] >= 'a' && x.src[i] <= 'z' {
				i++
			}
			x.emit(tokString, x.at, i)
			return true
		}
	}
	x.emit(tokString, x.at, x.lineEnd(x.at)) // never closed
	return true
}

// literal reads a quoted literal at x.at if there is one.
func (x *lexer) literal() bool {
	for i := range x.quotes {
		q := &x.quotes[i]
		if !x.has(q.open) {
			continue
		}
		end := skipQuoted(x.src, x.at, q, x.quotes, x.shell, 0)
		x.emit(tokString, x.at, end)
		return true
	}
	return false
}

// maxRegexp is longer than people write; it keeps a line of slashes linear.
const maxRegexp = 500

// maxNesting bounds literals in code in literals.
const maxNesting = 6

// skipQuoted is the end of the literal that q opens at at. A literal that
// may not span lines ends at the line's end at the latest.
func skipQuoted(src []byte, at int, q *quote, all []quote, shell bool, depth int) int {
	at += len(q.open)
	for at < len(src) {
		c := src[at]
		switch {
		case q.interp != "" && c == q.interp[0] && bytes.HasPrefix(src[at:], []byte(q.interp)) && depth < maxNesting:
			opener := q.interp[len(q.interp)-1]
			at = skipInterp(src, at+len(q.interp)-1, opener, closerOf(opener), all, shell, q.multi, depth+1)
		case c == q.escape && q.escape != 0:
			at += 2
		case c == q.close[0] && bytes.HasPrefix(src[at:], []byte(q.close)):
			at += len(q.close)
			if q.double && at < len(src) && src[at] == q.close[0] {
				at++
				continue
			}
			// """" at the end of a triple-quoted literal
			for len(q.close) == 3 && at < len(src) && src[at] == q.close[0] {
				at++
			}
			return at
		case c == '\n' && !q.multi:
			return at
		case shell && c == '$' && at+1 < len(src) && src[at+1] == '(' && depth < maxNesting:
			at = skipInterp(src, at+1, '(', ')', all, true, true, depth+1)
		case shell && c == '$' && at+1 < len(src) && src[at+1] == '{' && depth < maxNesting:
			at = skipInterp(src, at+1, '{', '}', nil, false, true, depth+1)
		default:
			at++
		}
	}
	return len(src)
}

func closerOf(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '{':
		return '}'
	}
	return ']'
}

// skipInterp is the end of code in a literal from its opening bracket.
func skipInterp(src []byte, at int, open, closing byte, all []quote, shell, multi bool, depth int) int {
	n := 0
	for at < len(src) {
		c := src[at]
		switch {
		case c == open:
			n++
		case c == closing:
			n--
			if n == 0 {
				return at + 1
			}
		case c == '\\':
			at++
		case c == '\n' && !multi:
			return at
		case c == '"' || c == '\'' || c == '`':
			for i := range all {
				if bytes.HasPrefix(src[at:], []byte(all[i].open)) {
					at = skipQuoted(src, at, &all[i], all, shell, depth+1) - 1
					break
				}
			}
		}
		at++
	}
	return len(src)
}

// skipNested is the end of a bracketed run, quotes ignored.
func skipNested(src []byte, at int, open, closing byte, n int) int {
	for start := at; at < len(src); at++ {
		switch src[at] {
		case open:
			n++
		case closing:
			if n--; n <= 0 {
				return at + 1
			}
		case '\n':
			if at > start+4096 {
				return at
			}
		}
	}
	return len(src)
}
