package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Stem shortens the lower-case ASCII word w in place and returns it. Rules, in
// the spirit of Harman's S-stemmer with -ing and -ed added: a form and its
// plural, gerund or past must meet ("alias", "aliases"; "caching", "cached",
// "caches", "cache"), while agents in -er, -or keep apart from their verbs.
// Words with digits or non-ASCII letters, and words under four letters, stay.
func Stem(w []byte) []byte {
	if len(w) < 4 {
		return w
	}
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return w
		}
	}
	w = plural(w)
	n := len(w)
	switch {
	case rooted[string(w)]:
	case n > 5 && suffix(w, "ing") && hasVowel(w[:n-3]):
		w = undouble(w[:n-3])
	case n > 4 && suffix(w, "ed") && !suffix(w, "eed") && hasVowel(w[:n-2]):
		w = undouble(w[:n-2])
	}
	// A final e is dropped so that "cache" meets "cach|ing", "cach|ed".
	if n := len(w); n > 3 && w[n-1] == 'e' && w[n-2] != 'e' {
		w = w[:n-1]
	}
	// "retry", "retries", "retried" meet in i→y.
	if n := len(w); n > 3 && w[n-1] == 'i' {
		w[n-1] = 'y'
	}
	return w
}

// rooted are words whose -ed is of the root.
var rooted = map[string]bool{"embed": true, "testbed": true, "infrared": true, "hundred": true, "sacred": true, "kindred": true, "biped": true}

func plural(w []byte) []byte {
	n := len(w)
	if w[n-1] != 's' {
		return w
	}
	switch {
	case suffix(w, "ss"), suffix(w, "us"), suffix(w, "is"), n == 4 && suffix(w, "ias"):
		return w
	case suffix(w, "ies") && n > 4:
		w = w[:n-2]
		w[n-3] = 'y'
		return w
	case suffix(w, "sses"), suffix(w, "shes"), suffix(w, "ches") && n > 6, suffix(w, "xes"), suffix(w, "zzes"):
		return w[:n-2]
	case suffix(w, "iases"), suffix(w, "uses") && n > 6 && !suffix(w, "auses"):
		return w[:n-2] // alias-es, status-es
	case suffix(w, "ias"):
		return w // alias
	}
	return w[:n-1]
}

func suffix(w []byte, s string) bool {
	return len(w) >= len(s) && string(w[len(w)-len(s):]) == s
}

func hasVowel(w []byte) bool {
	for _, c := range w {
		switch c {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			return true
		}
	}
	return false
}

// undouble turns "stopp" into "stop", but keeps "pass", "call", "buzz".
func undouble(w []byte) []byte {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] {
		switch w[n-1] {
		case 'a', 'e', 'i', 'o', 'u', 'l', 's', 'z', 'f':
		default:
			return w[:n-1]
		}
	}
	return w
}

// unfolded are letters that no decomposition reduces.
var unfolded = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l", 'þ': "th", 'ı': "i", 'ħ': "h", 'ŋ': "ng", 'ς': "σ",
	'й': "й", // a letter of its own
}

// accent says whether a mark may go: those of Latin, Greek, Cyrillic, the
// points of Hebrew and Arabic. The marks of other scripts are vowels.
func accent(r rune) bool {
	return r >= 0x300 && r <= 0x36F || r >= 0x483 && r <= 0x487 || r >= 0x591 && r <= 0x5C7 ||
		r >= 0x610 && r <= 0x61A || r >= 0x64B && r <= 0x65F || r == 0x670 || r >= 0x1AB0 && r <= 0x1AFF || r >= 0x20D0 && r <= 0x20FF
}

// appendFolded appends the lower case of r without its accents, in its plain
// width.
func appendFolded(dst []byte, r rune) []byte {
	r = unicode.ToLower(r)
	if r < 0x80 {
		return append(dst, byte(r))
	}
	if s, ok := unfolded[r]; ok {
		return append(dst, s...)
	}
	var tmp [utf8.UTFMax]byte
	n := utf8.EncodeRune(tmp[:], r)
	var buf [64]byte
	for d := norm.NFKD.Append(buf[:0], tmp[:n]...); len(d) > 0; {
		q, n := utf8.DecodeRune(d)
		if !accent(q) {
			dst = utf8.AppendRune(dst, unicode.ToLower(q))
		}
		d = d[n:]
	}
	return dst
}
