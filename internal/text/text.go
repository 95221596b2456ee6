// Package text turns bytes into index terms, the same way for code, for prose
// and for tasks, so that both sides of a match are split alike.
//
// A word is a maximal run of letters, digits, '_' and '$'. A word that is made
// of several parts (snake_case, camelCase, letters beside digits, HTTPServer)
// yields its parts and, as one more term, the parts joined ("samesite" for
// SameSite and same_site). Terms are lower case, accents folded, and stemmed
// lightly: plurals, -ing and -ed, never -er ("worker" is not "work"). Only
// words of plain ASCII letters are stemmed: the rules are those of English.
//
// Scripts that put no blanks between words (Chinese, Japanese, Thai, Lao,
// Khmer, Burmese), and Korean, whose particles cling to words, yield bigrams.
// Widths and compositions are made one: ｶﾞ is ガ, ＡＢＣ is abc, é is e however
// it is written.
package text

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxTerm caps the bytes of a term; longer words are cut at a rune.
const MaxTerm = 48

// Splitter holds the buffers of splitting; it is not safe for concurrent use.
// The zero value is ready.
type Splitter struct {
	run   []byte // a run of CJK in its composed form
	word  []byte // folded bytes of the current word
	parts []int  // end offsets of its parts in word
	term  []byte
	plain bool // do not stem
}

// Each calls f for every term of s, in order. f must not keep term. whole is
// true for the joined form of a word of several parts.
func (sp *Splitter) Each(s []byte, f func(term []byte, whole bool)) {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if !wordByte[c] {
				i++
				continue
			}
			i = sp.wordAt(s, i, f)
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		switch {
		case isCJK(r):
			i = sp.cjkAt(s, i, f)
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			i = sp.wordAt(s, i, f)
		default:
			i += n
		}
	}
}

var wordByte = func() (t [128]bool) {
	for c := range t {
		b := byte(c)
		t[c] = b == '_' || b == '$' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	return t
}()

// WordByte tells whether an ASCII character may stand in a word.
func WordByte(c byte) bool { return wordByte[c] }

// class of a rune inside a word.
const (
	clsSep = iota
	clsLower
	clsUpper
	clsDigit
)

// wordAt splits the word at s[i:] and returns its end. Parts end where the
// class changes: lower→upper, letter↔digit, at separators, and before the last
// capital of a run of capitals that is followed by a small letter (HTTP|Server).
func (sp *Splitter) wordAt(s []byte, i int, f func([]byte, bool)) int {
	sp.word, sp.parts = sp.word[:0], sp.parts[:0]
	prev, prevStart, run := clsSep, 0, 0
	for i < len(s) {
		c := s[i]
		n, cls := 1, clsSep
		start := len(sp.word)
		if c < utf8.RuneSelf {
			if !wordByte[c] {
				break
			}
			switch {
			case c >= 'a' && c <= 'z':
				cls = clsLower
				sp.word = append(sp.word, c)
			case c >= 'A' && c <= 'Z':
				cls = clsUpper
				sp.word = append(sp.word, c+'a'-'A')
			case c >= '0' && c <= '9':
				cls = clsDigit
				sp.word = append(sp.word, c)
			}
		} else {
			var r rune
			r, n = utf8.DecodeRune(s[i:])
			if isCJK(r) {
				break
			}
			switch {
			case accent(r) || r == 0x200C || r == 0x200D: // folded away; joiners inside of words
				i += n
				continue
			case unicode.IsMark(r): // a vowel sign: a letter to its readers
				cls = clsLower
			case unicode.IsUpper(r):
				cls = clsUpper
			case unicode.IsLetter(r):
				cls = clsLower
			case unicode.IsDigit(r):
				cls = clsDigit
			default:
				n = 0
			}
			if n == 0 {
				break
			}
			sp.word = appendFolded(sp.word, r)
		}
		i += n
		switch {
		case cls == clsSep:
			sp.cut(start)
		case prev == clsSep || prev == cls:
			if cls == clsUpper {
				run++
			}
		case prev == clsUpper && cls == clsLower:
			// "HTTPServer" is HTTP|Server, but "URLs" is one part.
			if run > 1 && !(c == 's' && (i == len(s) || s[i] < 'a' || s[i] > 'z')) {
				sp.cut(prevStart)
			}
		default:
			sp.cut(start)
		}
		if cls != clsUpper {
			run = 0
		} else if prev != clsUpper {
			run = 1
		}
		prev, prevStart = cls, start
	}
	sp.cut(len(sp.word))
	sp.emit(f)
	return i
}

func (sp *Splitter) cut(at int) {
	last := 0
	if n := len(sp.parts); n > 0 {
		last = sp.parts[n-1]
	}
	if at > last {
		sp.parts = append(sp.parts, at)
	}
}

func (sp *Splitter) emit(f func([]byte, bool)) {
	start := 0
	for _, end := range sp.parts {
		sp.one(sp.word[start:end], false, f)
		start = end
	}
	if len(sp.parts) > 1 {
		sp.one(sp.word, true, f)
	}
}

func (sp *Splitter) one(w []byte, whole bool, f func([]byte, bool)) {
	if len(w) < 2 && !(len(w) == 1 && whole) {
		return // single letters carry nothing
	}
	if len(w) > MaxTerm {
		n := MaxTerm
		for n > 0 && !utf8.RuneStart(w[n]) {
			n--
		}
		w = w[:n]
	}
	sp.term = append(sp.term[:0], w...)
	if !sp.plain {
		sp.term = Stem(sp.term)
	}
	f(sp.term, whole)
}

// cjkAt emits the bigrams of the run at s[i:] of a script without blanks (the
// single rune of a run of one) and returns its end.
func (sp *Splitter) cjkAt(s []byte, i int, f func([]byte, bool)) int {
	start, compose := i, false
	for i < len(s) {
		r, n := utf8.DecodeRune(s[i:])
		if !isCJK(r) && (i == start || !unicode.IsMark(r)) {
			break
		}
		compose = compose || r < 0x2E80 || r >= 0xFF00 && r <= 0xFFEF || unicode.IsMark(r)
		i += n
	}
	run := s[start:i]
	if compose { // half widths, parted syllables, voice marks beside their kana
		sp.run = norm.NFKC.Append(sp.run[:0], run...)
		run = sp.run
	}
	prev, count := -1, 0
	for at := 0; at < len(run); {
		_, n := utf8.DecodeRune(run[at:])
		count++
		if prev >= 0 {
			sp.term = append(sp.term[:0], run[prev:at+n]...)
			f(sp.term, false)
		}
		prev = at
		at += n
	}
	if count == 1 {
		sp.term = append(sp.term[:0], run[prev:]...)
		f(sp.term, false)
	}
	return i
}

// noBlanks are the scripts whose words are not set apart.
var noBlanks = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tai_Le, unicode.Javanese}

func isCJK(r rune) bool {
	switch {
	case r < 0x0E00:
		return false
	case r == 'ー' || r == 'ｰ' || r == 'ﾞ' || r == 'ﾟ': // of no script, but parts of kana words
		return true
	}
	return unicode.In(r, noBlanks...) && !unicode.IsDigit(r) && !unicode.IsPunct(r) && !unicode.IsSymbol(r)
}

// Words calls f for every part of the words of s, in order, in lower case and
// as it is written: not stemmed, and without joined forms. f must not keep word.
func Words(s string, f func(word []byte)) {
	sp := Splitter{plain: true}
	sp.Each([]byte(s), func(w []byte, whole bool) {
		if !whole {
			f(w)
		}
	})
}

// Terms returns the terms of s in order, joined forms included.
func Terms(s string) []string {
	var sp Splitter
	var out []string
	sp.Each([]byte(s), func(t []byte, _ bool) { out = append(out, string(t)) })
	return out
}

// LiteralHash is the FNV-1a hash of a literal as it stands in a file and in a
// task, trimmed of blanks. Facts and tasks must agree on it.
func LiteralHash(s string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * prime
	}
	return h
}

// Key is the one term that a whole identifier is found by: the joined form if
// it has several parts ("samesit" for SameSite), else its only term; "" if it
// has none.
func Key(name string) string {
	k := keys.Get().(*keyer)
	defer keys.Put(k)
	k.name, k.last = append(k.name[:0], name...), k.last[:0]
	k.sp.Each(k.name, func(t []byte, _ bool) { k.last = append(k.last[:0], t...) })
	return string(k.last)
}

// keyer is what Key needs, from one name to the next.
type keyer struct {
	sp         Splitter
	name, last []byte
}

var keys = sync.Pool{New: func() any { return new(keyer) }}
