package tokens

import (
	"unicode"
	"unicode/utf8"
)

// The classes that the splitting rules tell apart, one bit each. A rune of
// none (punctuation, symbols, control characters, unassigned) has class 0.
const (
	cased   = 1 << iota // \p{Lu} \p{Lt}: upper case, only at a word's head
	small               // \p{Ll}: lower case, only in a word's tail
	either              // \p{Lm} \p{Lo}: letters that go with both
	mark                // \p{M}: goes with both, and is no letter
	number              // \p{N}
	space               // \s
	newline             // \r \n, which are spaces too

	letters = cased | small | either
	head    = cased | either | mark // [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]
	tail    = small | either | mark // [\p{Ll}\p{Lm}\p{Lo}\p{M}]
)

var ascii = func() (t [utf8.RuneSelf]uint8) {
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = small, cased
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = number
	}
	for _, c := range "\t\v\f " {
		t[c] = space
	}
	t['\r'], t['\n'] = space|newline, space|newline
	return t
}()

// classAt returns the class of the rune at i and its length in bytes; 0, 0 at
// the end of the text.
func classAt(b []byte, i int) (class uint8, size int) {
	if i >= len(b) {
		return 0, 0
	}
	if c := b[i]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	r, size := utf8.DecodeRune(b[i:])
	return classOf(r), size
}

// classOf returns the class of a rune beyond ASCII. The first case spares the
// bulk of East Asian text the search of the tables.
func classOf(r rune) uint8 {
	switch {
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3, r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FA:
		return either
	case unicode.Is(unicode.Ll, r):
		return small
	case unicode.Is(unicode.Lu, r), unicode.Is(unicode.Lt, r):
		return cased
	case unicode.Is(unicode.Lo, r), unicode.Is(unicode.Lm, r):
		return either
	case unicode.Is(unicode.M, r):
		return mark
	case unicode.Is(unicode.N, r):
		return number
	case unicode.IsSpace(r):
		return space
	}
	return 0
}

// next returns the end of the piece that begins at i < len(b). The rules, the
// first that matches wins:
//
//	[^\r\n\p{L}\p{N}]? head* tail+ contraction?
//	[^\r\n\p{L}\p{N}]? head+ tail* contraction?
//	\p{N}{1,3}
//	' '? [^\s\p{L}\p{N}]+ [\r\n/]*
//	\s* [\r\n]+
//	\s+ not before \S
//	\s+
//
// What a backtracking matcher would try in turn is worked out beforehand:
// see each step.
func next(b []byte, i int) int {
	class, size := classAt(b, i)
	w := i // where the word may begin: after one character that is neither letter, number nor line break
	if class&(letters|number|newline) == 0 {
		w = i + size
	}
	if end := wordEnd(b, w); end > w {
		return contraction(b, end)
	}
	if class&mark != 0 {
		// Taken as the character before, it left no word; it is one itself.
		return contraction(b, w)
	}
	if class&number != 0 {
		end := i + size
		for range 2 {
			class, size = classAt(b, end)
			if class&number == 0 {
				break
			}
			end += size
		}
		return end
	}
	if class&space == 0 {
		return symbolsEnd(b, i)
	}
	if b[i] == ' ' {
		if c, size := classAt(b, i+1); size > 0 && c&(space|letters|number) == 0 {
			return symbolsEnd(b, i+1)
		}
	}
	return spaceEnd(b, i)
}

// wordEnd returns the end of head* tail+, else of head+, from w on; w if there
// is neither. The heads are taken greedily to e. If a small letter follows,
// the tail goes on from there. If not, the tail must be given back by the
// heads: it is the last of them that is a tail too, and the match ends with
// it. If none of them is, the second rule takes all heads, and no tail can
// follow.
func wordEnd(b []byte, w int) int {
	e, lastBoth := w, w
	for {
		class, size := classAt(b, e)
		if class&head == 0 {
			if class&small == 0 {
				break
			}
			for class&tail != 0 {
				e += size
				class, size = classAt(b, e)
			}
			return e
		}
		e += size
		if class&tail != 0 {
			lastBoth = e
		}
	}
	if lastBoth > w {
		return lastBoth
	}
	return e
}

// contraction returns the end of an English contraction at i, case ignored:
// 's 't 're 've 'm 'll 'd. The long s (U+017F) folds to s.
func contraction(b []byte, i int) int {
	if i+1 >= len(b) || b[i] != '\'' {
		return i
	}
	c := b[i+1] | 0x20
	switch c {
	case 's', 't', 'm', 'd':
		return i + 2
	case 'r', 'v', 'l':
		if i+2 < len(b) {
			if d := b[i+2] | 0x20; c != 'l' && d == 'e' || c == 'l' && d == 'l' {
				return i + 3
			}
		}
	case 0xC5 | 0x20:
		if b[i+1] == 0xC5 && i+2 < len(b) && b[i+2] == 0xBF {
			return i + 3
		}
	}
	return i
}

// symbolsEnd returns the end of [^\s\p{L}\p{N}]+[\r\n/]* from i on, where the
// first is known to match once.
func symbolsEnd(b []byte, i int) int {
	for {
		class, size := classAt(b, i)
		if size == 0 || class&(space|letters|number) != 0 {
			break
		}
		i += size
	}
	for i < len(b) && (b[i] == '\r' || b[i] == '\n' || b[i] == '/') {
		i++
	}
	return i
}

// spaceEnd returns the end of the piece of white space at i: up to the run's
// last line break if it has one, else all of it at the end of the text, else
// all but its last character, which the next piece may want, else that one.
func spaceEnd(b []byte, i int) int {
	e, last, lastBreak := i, i, -1
	for {
		class, size := classAt(b, e)
		if class&space == 0 {
			break
		}
		last = e
		e += size
		if class&newline != 0 {
			lastBreak = e
		}
	}
	switch {
	case lastBreak >= 0:
		return lastBreak
	case e == len(b) || last == i:
		return e
	}
	return last
}

// isSpace reports whether a piece is white space that ends with a line break.
func isSpace(p []byte) bool {
	class, _ := classAt(p, 0)
	last := p[len(p)-1]
	return class&space != 0 && (last == '\n' || last == '\r')
}

// breakEnd returns the end of the first group of line breaks of the white
// space p from i on.
func breakEnd(p []byte, i int) int {
	for i < len(p) && p[i] != '\n' && p[i] != '\r' {
		i++
	}
	for i < len(p) && (p[i] == '\n' || p[i] == '\r') {
		i++
	}
	return i
}
