package facts

import (
	"bytes"
	"slices"

	"cohop/internal/text"
)

const (
	minLiteral = 2   // bytes
	maxLiteral = 120 // longer strings are prose
	// shortLiteral is the length from which letters alone are worth keeping.
	shortLiteral = 4
	maxWord      = 40 // bytes of a flag, number or code
)

// literals collects the hashes of what a task may quote.
type literals struct {
	hashes []uint64
	full   bool
}

func (l *literals) add(s []byte) {
	if len(l.hashes) >= 4*maxLiterals {
		l.compact()
		if l.full = len(l.hashes) >= maxLiterals; l.full {
			return
		}
	}
	l.hashes = append(l.hashes, text.LiteralHash(string(s)))
}

func (l *literals) compact() {
	slices.Sort(l.hashes)
	l.hashes = slices.Compact(l.hashes)
}

// text adds the content of a string, if it is one that tells something.
func (l *literals) text(s []byte) {
	if len(s) > maxLiteral+40 || l.full {
		return
	}
	s = bytes.TrimSpace(s)
	if len(s) < minLiteral || len(s) > maxLiteral {
		return
	}
	if len(s) < shortLiteral {
		letters := true
		for _, c := range s {
			letters = letters && (c|0x20 >= 'a' && c|0x20 <= 'z')
		}
		if letters {
			return
		}
	}
	l.add(s)
}

// scan adds flags, numbers and codes of src, wherever they stand.
func (l *literals) scan(src []byte) {
	for i := 0; i < len(src) && !l.full; {
		c := src[i]
		switch {
		case c == '-' && i+3 < len(src) && src[i+1] == '-' && lower(src[i+2]) && (i == 0 || !wordOrDash(src[i-1])):
			j := i + 2
			for j < len(src) && (lower(src[j]) || digit(src[j]) || src[j] == '-' || src[j] == '_') {
				j++
			}
			s := bytes.TrimRight(src[i:j], "-_")
			if len(s) > 3 && len(s) <= maxWord {
				l.add(s)
			}
			i = j
		case wordChar(c):
			j := i
			for j < len(src) && wordChar(src[j]) {
				j++
			}
			w := src[i:j]
			switch {
			case digit(c):
				if number(w) {
					l.add(w)
				}
			case upper(c) && j-i <= maxWord:
				// ABC-123 and E1234; ABC alone is a name.
				k := j
				if k+1 < len(src) && src[k] == '-' && digit(src[k+1]) && allUpper(w) {
					for k++; k < len(src) && digit(src[k]); k++ {
					}
					if k == len(src) || !wordChar(src[k]) {
						l.add(src[i:k])
					}
					j = k
				} else if code(w) {
					l.add(w)
				}
			}
			i = j
		default:
			i++
		}
	}
}

// finish returns the hashes, sorted and distinct, and whether some were left out.
func (l *literals) finish() ([]uint64, bool) {
	l.compact()
	full := l.full
	if len(l.hashes) > maxLiterals {
		l.hashes, full = l.hashes[:maxLiterals], true
	}
	if len(l.hashes) == 0 {
		return nil, full
	}
	return slices.Clip(l.hashes), full
}

func lower(c byte) bool      { return c >= 'a' && c <= 'z' }
func upper(c byte) bool      { return c >= 'A' && c <= 'Z' }
func digit(c byte) bool      { return c >= '0' && c <= '9' }
func wordChar(c byte) bool   { return lower(c) || upper(c) || digit(c) || c == '_' }
func wordOrDash(c byte) bool { return wordChar(c) || c == '-' }

// number: three digits or more, and not round (100, 2000).
func number(w []byte) bool {
	if len(w) < 3 || len(w) > maxWord {
		return false
	}
	for _, c := range w {
		if !digit(c) {
			return false
		}
	}
	return len(bytes.TrimRight(w, "0")) > 1
}

// code: capitals followed by two digits or more ("E1234", "TS2345").
func code(w []byte) bool {
	n := 0
	for n < len(w) && upper(w[n]) {
		n++
	}
	if n == 0 || n > 6 || len(w)-n < 2 {
		return false
	}
	for _, c := range w[n:] {
		if !digit(c) {
			return false
		}
	}
	return true
}

func allUpper(w []byte) bool {
	for _, c := range w {
		if !upper(c) {
			return false
		}
	}
	return len(w) >= 2
}
