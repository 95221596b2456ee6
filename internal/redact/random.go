package redact

import "bytes"

// mixed reports whether v holds a letter and a digit.
func mixed(v []byte) bool {
	var seen uint16
	for _, c := range v {
		seen |= class[c]
	}
	return seen&letter != 0 && seen&digit != 0
}

// uniform reports whether v is a filler such as xxxxxxxx or 00000000: at most
// two different bytes.
func uniform(v []byte) bool {
	if len(v) == 0 {
		return true
	}
	a, b := v[0], v[0]
	for _, c := range v[1:] {
		switch {
		case c == a || c == b:
		case a == b:
			b = c
		default:
			return false
		}
	}
	return true
}

// template reports whether v is, or holds, a placeholder that something fills
// in later: ${X}, $X, {x}, %s, <x>.
func template(v []byte) bool {
	for i, c := range v {
		switch c {
		case '{', '<':
			return true
		case '$':
			if i+1 < len(v) && (v[i+1] == '(' || i == 0 && is(v[i+1], letter|under)) {
				// "$2b$12$…" of bcrypt begins with a digit and is none.
				return true
			}
		case '%':
			if i+1 < len(v) && (v[i+1] == '(' || v[i+1] == 's' || v[i+1] == 'v' || v[i+1] == 'd' && i+2 == len(v)) {
				return true
			}
		}
	}
	return allMasked(v)
}

// visible reports whether v is printable ASCII without blanks: what secrets
// are made of. Sentences and labels of user interfaces are not.
func visible(v []byte) bool {
	for _, c := range v {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// location reports whether v is an address or a file path.
func location(v []byte) bool {
	return bytes.Contains(v, []byte("://")) || bytes.HasPrefix(v, []byte("/")) ||
		bytes.HasPrefix(v, []byte("./")) || bytes.HasPrefix(v, []byte("../")) || bytes.HasPrefix(v, []byte("~/"))
}

// Thresholds of random, chosen on names and values of public code: the words
// of identifiers change from letters to digits once or twice ("oauth2_v1"),
// and from lower to upper case once a word; random strings over 62 letters
// change class about every second byte.
const (
	leastRandom = 12 // fewer bytes prove nothing
	leastFlips  = 3  // changes between letter and digit
	leastHex    = 16 // bytes of a hexadecimal string
	leastWords  = 20 // bytes of a string of letters alone
	humpEvery   = 5  // a hump of lower to upper at least every so many bytes
	leastBase64 = 32 // bytes of a string that holds both cases, digits, and + or /
)

// random reports whether v looks drawn by a machine. It is the strict test,
// for keys such as "token" that ordinary code uses for many other things.
func random(v []byte) bool {
	if len(v) < leastRandom || uniform(v) {
		return false
	}
	var seen uint16
	flips, humps, hex := 0, 0, 0
	for i, c := range v {
		k := class[c]
		seen |= k
		if k&digit != 0 || c|0x20 >= 'a' && c|0x20 <= 'f' || c == '-' {
			hex++
		}
		if i == 0 {
			continue
		}
		p := class[v[i-1]]
		if p&letter != 0 && k&digit != 0 || p&digit != 0 && k&letter != 0 {
			flips++
		}
		if p&lower != 0 && k&upper != 0 {
			humps++
		}
	}
	switch {
	case seen&digit != 0 && seen&letter != 0 && flips >= leastFlips:
		return true
	case hex == len(v) && len(v) >= leastHex && seen&letter != 0:
		return true
	case len(v) >= leastWords && seen&upper != 0 && seen&lower != 0 && humps*humpEvery >= len(v):
		return true
	case len(v) >= leastBase64 && seen&upper != 0 && seen&lower != 0 && seen&digit != 0 && seen&b64 != 0 && seen&(symb|dot) == 0:
		return true
	}
	return false
}

// The shortest value that is taken for a secret: in quotes under a key that
// says password, and elsewhere.
const (
	shortPassword = 6
	leastPassword = 8
)

// passwordLike is the lax test, for keys such as "password" whose value is a
// secret unless it is plainly a word: letters and digits, digits alone, or a
// punctuation mark inside.
func passwordLike(v []byte, least int) bool {
	if random(v) {
		return true
	}
	if len(v) < least || uniform(v) {
		return false
	}
	var seen uint16
	marks := 0
	for i, c := range v {
		seen |= class[c]
		switch c {
		case '!', '@', '#', '$', '^', '&':
			if i > 0 {
				marks++ // in front it is a sigil: #id, @name, &anchor
			}
		case '|', ':', ',', '(', ')', '[', ']', ' ':
			return false // a list of rules or an expression
		}
	}
	switch {
	case seen&digit != 0 && seen&letter != 0:
		return true
	case seen&digit != 0 && seen&^(digit|dash) == 0:
		return true
	}
	return seen&letter != 0 && marks > 0
}
