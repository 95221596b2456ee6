package git

import "strings"

// Pattern is one compiled line of gitignore(5) or gitattributes(5) syntax.
//
// The rules are git's as it behaves, which is in places more than the manual
// says: the part before the first wildcard is compared on its own, so that
// "a**/b" crosses folders although the manual calls such stars ordinary.
//
// Matching keeps at most one "*" and one "**" to come back to. A "*" never
// crosses a slash and a "**" begins a segment, so each pair of a pattern
// segment and a path segment is compared at most once for each "**": the cost
// is bounded by len(pattern) × len(path), never exponential.
type Pattern struct {
	Negate  bool // the line began with "!"
	DirOnly bool // the line ended with "/": matches folders only

	base   bool    // no slash: compared with the last path element
	fold   bool    // ASCII case is ignored (core.ignoreCase)
	never  bool    // malformed set: matches nothing
	prefix string  // literal text before the first wildcard
	tokens []token // the rest
	suffix string  // "*literal": what the element ends with
	ends   bool    // suffix holds
}

type tokenKind uint8

const (
	tokLiteral  tokenKind = iota
	tokAny                // ?
	tokSet                // […]
	tokStar               // *: anything but a slash
	tokDeepEnd            // ** at the end: anything
	tokDeep               // **/: nothing, or anything that ends in a slash
	tokDeepSome           // **\/: anything that ends in a slash
)

type token struct {
	kind tokenKind
	b    byte
	set  *byteSet
}

type byteSet [4]uint64

func (s *byteSet) add(b byte)      { s[b>>6] |= 1 << (b & 63) }
func (s *byteSet) has(b byte) bool { return s[b>>6]&(1<<(b&63)) != 0 }

// CompilePattern compiles one line, without its line end. It reports false
// for a line that holds no pattern: empty, or a comment.
func CompilePattern(line string) (Pattern, bool) { return compilePattern(line, false) }

func compilePattern(line string, fold bool) (Pattern, bool) {
	if line == "" || line[0] == '#' {
		return Pattern{}, false
	}
	// git handles the line as a C string.
	if i := strings.IndexByte(line, 0); i >= 0 {
		line = line[:i]
	}
	line = trimSpaces(line)
	p := Pattern{fold: fold}
	line, p.Negate = strings.CutPrefix(line, "!")
	line, p.DirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return Pattern{}, false
	}
	p.base = !strings.Contains(line, "/")
	if !p.base {
		line = strings.TrimPrefix(line, "/")
	}
	n := strings.IndexAny(line, `*?[\`)
	if n < 0 {
		p.prefix = p.folded(line)
		return p, true
	}
	if p.base && n == 0 && line[0] == '*' && !strings.ContainsAny(line[1:], `*?[\`) {
		p.ends, p.suffix = true, p.folded(line[1:])
		return p, true
	}
	p.prefix = p.folded(line[:n])
	p.compile(line[n:])
	return p, true
}

// trimSpaces cuts trailing spaces that no backslash protects. Tabs stay.
func trimSpaces(s string) string {
	cut := -1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			if cut < 0 {
				cut = i
			}
			continue
		case '\\':
			i++
			if i == len(s) {
				return s
			}
		}
		cut = -1
	}
	if cut >= 0 {
		return s[:cut]
	}
	return s
}

func (p *Pattern) compile(s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '?':
			p.tokens = append(p.tokens, token{kind: tokAny})
		case '[':
			set, next, ok := compileSet(s, i+1, p.fold)
			if !ok {
				p.never, p.tokens = true, nil
				return
			}
			p.tokens = append(p.tokens, token{kind: tokSet, set: set})
			i = next
		case '*':
			start := i
			for i+1 < len(s) && s[i+1] == '*' {
				i++
			}
			kind, rest := tokStar, s[i+1:]
			if i > start && !p.base && (start == 0 || s[start-1] == '/') {
				switch {
				case rest == "":
					kind = tokDeepEnd
				case rest[0] == '/':
					kind = tokDeep
					i++
				case strings.HasPrefix(rest, `\/`):
					kind = tokDeepSome
					i += 2
				}
			}
			p.tokens = append(p.tokens, token{kind: kind})
		case '\\':
			i++
			if i == len(s) { // a backslash that protects nothing matches nothing
				p.never, p.tokens = true, nil
				return
			}
			p.tokens = append(p.tokens, token{b: s[i]})
		default:
			if p.fold {
				c = lower(c)
			}
			p.tokens = append(p.tokens, token{b: c})
		}
	}
}

// compileSet reads a bracket expression from s[i], just behind its "[". It
// returns the index of the closing "]".
func compileSet(s string, i int, fold bool) (set *byteSet, end int, ok bool) {
	var in byteSet
	negated := false
	if i < len(s) && (s[i] == '!' || s[i] == '^') {
		negated = true
		i++
	}
	at := func(k int) byte { // the 0 behind the end stops every loop below
		if k < len(s) {
			return s[k]
		}
		return 0
	}
	var prev byte
	for c := at(i); ; {
		switch {
		case c == 0:
			return nil, 0, false
		case c == '\\':
			i++
			if c = at(i); c == 0 {
				return nil, 0, false
			}
			in.add(c)
		case c == '-' && prev != 0 && at(i+1) != 0 && at(i+1) != ']':
			i++
			if c = at(i); c == '\\' {
				i++
				if c = at(i); c == 0 {
					return nil, 0, false
				}
			}
			for b := int(prev); b <= int(c); b++ {
				in.add(byte(b))
				if fold {
					in.add(lower(byte(b)))
				}
			}
			c = 0 // a range does not start another
		case c == '[' && at(i+1) == ':':
			first := i + 2
			last := first
			for at(last) != ']' {
				if at(last) == 0 {
					return nil, 0, false
				}
				last++
			}
			if last == first || s[last-1] != ':' {
				in.add('[') // not a class after all: an ordinary "["
				break
			}
			class, known := byteClasses[s[first:last-1]]
			if !known {
				return nil, 0, false
			}
			for b := range 256 {
				if class(byte(b)) {
					in.add(byte(b))
				}
			}
			if fold && s[first:last-1] == "upper" {
				for b := 'a'; b <= 'z'; b++ {
					in.add(byte(b))
				}
			}
			i, c = last, 0
		default:
			in.add(c)
		}
		prev = c
		i++
		if c = at(i); c == ']' {
			break
		}
	}
	if negated {
		for k := range in {
			in[k] = ^in[k]
		}
	}
	in['/'>>6] &^= 1 << ('/' & 63) // no set matches a slash
	return &in, i, true
}

var byteClasses = map[string]func(byte) bool{
	"alnum":  func(b byte) bool { return isAlpha(b) || isDigit(b) },
	"alpha":  isAlpha,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < 0x20 || b == 0x7f },
	"digit":  isDigit,
	"graph":  func(b byte) bool { return b > 0x20 && b < 0x7f },
	"lower":  func(b byte) bool { return b >= 'a' && b <= 'z' },
	"print":  func(b byte) bool { return b >= 0x20 && b < 0x7f },
	"punct":  func(b byte) bool { return b > 0x20 && b < 0x7f && !isAlpha(b) && !isDigit(b) },
	"space":  func(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' },
	"upper":  func(b byte) bool { return b >= 'A' && b <= 'Z' },
	"xdigit": func(b byte) bool { return isDigit(b) || lower(b) >= 'a' && lower(b) <= 'f' },
}

func isAlpha(b byte) bool { return lower(b) >= 'a' && lower(b) <= 'z' }
func isDigit(b byte) bool { return b >= '0' && b <= '9' }

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

func (p *Pattern) folded(s string) string {
	if !p.fold {
		return s
	}
	return lowerASCII(s)
}

func lowerASCII(s string) string {
	for i := range len(s) {
		if s[i] != lower(s[i]) {
			b := []byte(s)
			for i, c := range b {
				b[i] = lower(c)
			}
			return string(b)
		}
	}
	return s
}

// Match reports whether the pattern names path: slash-separated and relative
// to the folder of the file that holds the pattern. It says nothing of paths
// below a match, and Negate is the caller's.
func (p *Pattern) Match(path string, isDir bool) bool {
	if p.never || p.DirOnly && !isDir {
		return false
	}
	if p.base {
		path = path[strings.LastIndexByte(path, '/')+1:]
	}
	if p.fold {
		path = lowerASCII(path)
	}
	if p.ends {
		return strings.HasSuffix(path, p.suffix)
	}
	rest, ok := strings.CutPrefix(path, p.prefix)
	if !ok {
		return false
	}
	return matchTokens(p.tokens, rest)
}

func matchTokens(toks []token, text string) bool {
	// Where to go on after a mismatch: the token behind the last "*" or
	// "**", and the text that it last started from. -1: nowhere.
	star, starText := -1, 0
	deep, deepText := -1, 0
	t, i := 0, 0
	for {
		matched := false
		if t == len(toks) {
			if i == len(text) {
				return true
			}
		} else {
			switch tok := &toks[t]; tok.kind {
			case tokStar:
				t++
				star, starText = t, i
				continue
			case tokDeepEnd:
				return true
			case tokDeep:
				t++
				star, deep, deepText = -1, t, i
				continue
			case tokDeepSome:
				star, deep, deepText = -1, t+1, i
			case tokLiteral:
				matched = i < len(text) && text[i] == tok.b
			case tokAny:
				matched = i < len(text) && text[i] != '/'
			case tokSet:
				matched = i < len(text) && tok.set.has(text[i])
			}
		}
		if matched {
			t++
			i++
			continue
		}
		if star >= 0 && starText < len(text) && text[starText] != '/' {
			starText++
			t, i = star, starText
			continue
		}
		if deep < 0 {
			return false
		}
		next := strings.IndexByte(text[deepText:], '/')
		if next < 0 {
			return false
		}
		deepText += next + 1
		star, t, i = -1, deep, deepText
	}
}
