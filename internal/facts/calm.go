package facts

import "bytes"

// calmMacros blanks out the macros of C and C++ that stand where the grammar
// expects none and would break the tree around them: export and attribute
// marks before declarations and class names, annotations behind them, and
// lines that are nothing but a macro. Bytes are replaced by blanks, so that
// every offset stays. The result is src itself if there was nothing to do.
func calmMacros(src []byte) []byte {
	c := calmer{src: src, out: src}
	c.run()
	return c.out
}

type calmer struct {
	src, out []byte
	enum     bool   // since the last bracket or semicolon there was "enum"
	inEnum   bool   // inside the brackets of one
	prev     []byte // the last word before the current one, if nothing but blanks is between
	last     byte   // the last byte that was neither blank nor comment, 0 at the start
}

func (c *calmer) run() {
	src := c.src
	bol := true // only blanks since the line began
	for i := 0; i < len(src); {
		b := src[i]
		switch {
		case b == '\n':
			bol = true
			i++
		case blank(b):
			i++
		case b == '#' && bol:
			i = directiveEnd(src, i)
		case b == '/' && i+1 < len(src) && src[i+1] == '/':
			i = lineEnd(src, i)
		case b == '/' && i+1 < len(src) && src[i+1] == '*':
			i = blockEnd(src, i)
		case b == '"' || b == '\'':
			i = quoteEnd(src, i)
			c.last, c.prev, bol = b, nil, false
		case wordChar(b):
			j := i
			for j < len(src) && wordChar(src[j]) {
				j++
			}
			if end := c.macro(i, j, bol); end > 0 {
				c.blank(i, end)
				i = end
				continue // what was before is still what is before
			}
			c.prev, c.last, bol = src[i:j], src[j-1], false
			if string(c.prev) == "enum" {
				c.enum = true
			}
			i = j
		default:
			switch b {
			case '{':
				c.inEnum, c.enum = c.enum, false
			case '}':
				c.inEnum = false
			case ';':
				c.enum = false
			}
			c.last, c.prev, bol = b, nil, false
			i++
		}
	}
}

func (c *calmer) blank(i, end int) {
	if &c.out[0] == &c.src[0] {
		c.out = bytes.Clone(c.src)
	}
	for ; i < end; i++ {
		if c.out[i] != '\n' && c.out[i] != '\r' {
			c.out[i] = ' '
		}
	}
}

// minMacro is the shortest name taken for a macro: FILE, HWND are types.
const minMacro = 5

// macro returns the end of the macro i..j with its arguments if it should go, else 0.
func (c *calmer) macro(i, j int, bol bool) int {
	src := c.src
	if nullability(src[i:j]) {
		return j
	}
	if j-i < minMacro || !macroName(src[i:j]) {
		return 0
	}
	end := j
	if k := skipBlank(src, j, false); k < len(src) && src[k] == '(' {
		if end = parenEnd(src, k); end == 0 {
			return 0
		}
	}
	same := skipBlank(src, end, false)
	next := skipBlank(src, end, true)
	if next >= len(src) {
		return 0
	}
	args := end > j
	n := src[next]
	starts := n == '_' || upper(n) || lower(n) || n == '~'
	switch {
	case classWord(c.prev) && starts:
		return end
	case c.opens() && same < next && src[same] == '\n' && bol:
		// Alone on its line, between declarations.
		if starts || n == '#' || n == '[' || n == '}' && !c.inEnum {
			return end
		}
		return 0
	case (c.opens() || declWord(c.prev) || c.last == '"') && starts && (same == next || declWord(c.prev)):
		w := src[next:wordEnd(src, next)]
		if declWord(w) || classWord(w) || typeWord(w) {
			return end
		}
		if args || c.last == '"' {
			return 0
		}
		// MACRO type name( or MACRO type *name
		k := wordEnd(src, next)
		for k < len(src) && (src[k] == ':' || wordChar(src[k])) {
			k++
		}
		if k < len(src) && src[k] == '<' {
			return 0
		}
		m := skipBlank(src, k, declWord(c.prev))
		for m < len(src) && (src[m] == '*' || src[m] == '&' || src[m] == ' ') {
			m++
		}
		if m > k && m < len(src) && (lower(src[m]) || upper(src[m]) || src[m] == '_') {
			return end
		}
	case (c.last == ')' || wordChar(c.last) || c.last == ']') && annotation(src[i:j]):
		if n == ';' || n == '{' || n == '=' || n == ':' || n == ',' || n == ')' || starts {
			return end
		}
	}
	return 0
}

// opens says whether a declaration may begin here.
func (c *calmer) opens() bool {
	switch c.last {
	case 0, ';', '{', '}', '>', ':':
		return true
	}
	return false
}

// macroName: capitals, digits and underscores, at least three capitals.
func macroName(w []byte) bool {
	caps := 0
	for _, b := range w {
		switch {
		case upper(b):
			caps++
		case lower(b):
			return false
		}
	}
	return caps >= 3
}

// nullability says whether the word is a mark behind a pointer.
func nullability(w []byte) bool {
	if len(w) < 8 || !bytes.Contains(w, []byte("ull")) && w[0] != '_' {
		return false
	}
	for _, end := range []string{"_nonnull", "_nullable", "_nullability_unknown", "_Nonnull", "_Nullable", "_Null_unspecified", "__restrict"} {
		if bytes.HasSuffix(w, []byte(end)) {
			return true
		}
	}
	return false
}

// annotation says whether the name is that of a mark behind a declarator,
// where a call of a macro would look the same.
func annotation(w []byte) bool {
	for _, part := range []string{"GUARDED", "ATTRIBUTE", "LOCK", "NOEXCEPT", "NORETURN", "UNUSED", "DEPRECATED", "ACQUIRE", "RELEASE",
		"NOTHROW", "ANALYSIS", "PRINTF", "NONNULL", "ALIGN", "OVERRIDE", "FINAL", "REQUIRES", "WARN_UNUSED", "LIFETIME"} {
		if bytes.Contains(w, []byte(part)) {
			return true
		}
	}
	return false
}

func classWord(w []byte) bool {
	switch string(w) {
	case "class", "struct", "union", "enum", "namespace":
		return true
	}
	return false
}

func declWord(w []byte) bool {
	switch string(w) {
	case "static", "inline", "extern", "virtual", "explicit", "constexpr", "friend", "typedef", "template", "const":
		return true
	}
	return false
}

func typeWord(w []byte) bool {
	switch string(w) {
	case "void", "int", "char", "bool", "unsigned", "signed", "long", "short", "float", "double", "auto", "size_t", "typename", "using":
		return true
	}
	return false
}

func wordEnd(src []byte, i int) int {
	for i < len(src) && wordChar(src[i]) {
		i++
	}
	return i
}

// skipBlank returns the first byte from i that is no blank, nor a newline if
// lines is set; comments count as blank only with lines.
func skipBlank(src []byte, i int, lines bool) int {
	for i < len(src) {
		switch {
		case src[i] == ' ' || src[i] == '\t' || src[i] == '\r' || lines && src[i] == '\n':
			i++
		case lines && src[i] == '/' && i+1 < len(src) && src[i+1] == '/':
			i = lineEnd(src, i)
		case lines && src[i] == '/' && i+1 < len(src) && src[i+1] == '*':
			i = blockEnd(src, i)
		default:
			return i
		}
	}
	return i
}

// maxParen bounds the arguments of a macro that is blanked out.
const maxParen = 2000

// parenEnd returns what follows the bracket that closes the one at i, 0 if
// that is too far.
func parenEnd(src []byte, i int) int {
	depth := 0
	for k := i; k < len(src) && k < i+maxParen; k++ {
		switch src[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return k + 1
			}
		case '"':
			k = quoteEnd(src, k) - 1
		case '{', '}', ';':
			return 0
		}
	}
	return 0
}

func lineEnd(src []byte, i int) int {
	if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(src)
}

func blockEnd(src []byte, i int) int {
	if n := bytes.Index(src[i+2:], []byte("*/")); n >= 0 {
		return i + 2 + n + 2
	}
	return len(src)
}

// directiveEnd returns the end of a preprocessor line with its continuations.
func directiveEnd(src []byte, i int) int {
	for {
		e := lineEnd(src, i)
		if e == len(src) {
			return e
		}
		if t := bytes.TrimRight(src[i:e], "\r"); len(t) == 0 || t[len(t)-1] != '\\' {
			return e
		}
		i = e + 1
	}
}

// quoteEnd returns what follows the literal that begins at i.
func quoteEnd(src []byte, i int) int {
	q := src[i]
	for k := i + 1; k < len(src); k++ {
		switch src[k] {
		case '\\':
			k++
		case q:
			return k + 1
		case '\n':
			return k
		}
	}
	return len(src)
}
