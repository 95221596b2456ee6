package text

import (
	"unicode"

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

// appendFolded appends the lower case of r without its accents.
func appendFolded(dst []byte, r rune) []byte {
	r = unicode.ToLower(r)
	if r < 0x80 {
		return append(dst, byte(r))
	}
	var tmp [8]byte
	n := len(string(r))
	copy(tmp[:], string(r))
	d := norm.NFD.Append(nil, tmp[:n]...)
	for _, q := range string(d) {
		if !unicode.Is(unicode.Mn, q) {
			dst = append(dst, string(q)...)
		}
	}
	return dst
}
