// Package redact masks secrets in text: keys and tokens of known shape, values
// of assignments whose name says so, passwords in URLs, private key blocks.
// The key's name stays, the secret's bytes become asterisks, and neither the
// length of the text nor its line breaks change, so that every offset and line
// number taken from the masked text holds for the original too.
//
// The work is one pass over the bytes. A table of 256 entries says which bytes
// can decide a secret: '=', ':', ',' and '>' stand between a key and a value,
// and each known token shape owns a rare byte of its prefix ('_' of "ghp_",
// 'z' of "AIza"). Only there does the scan look back for a key or prefix and
// forward for a value; every look is bounded, so the pass is linear.
//
// Limits: a secret is believed by its shape, or by its key's name and a value
// that looks random (random.go). A passphrase made of words, a secret broken
// over several lines and a secret under an innocent name pass. Where the
// doubt is even the value is masked.
package redact

// Hit is one secret: the bytes [Start, End) of the text, and what it is.
type Hit struct {
	Start, End int
	Kind       string // "aws-key", "jwt", "private-key", "url-password", "password", "token", …
}

const mask = '*'

// maxPasses ends the search for a fixed point. Masking a secret can make a
// boundary where none was, and so complete another secret's shape; ordinary
// text needs one pass and one to see that nothing is left.
const maxPasses = 64

// Mask returns src with every secret's bytes replaced by '*' (line breaks
// kept), and the number of secrets. It returns src itself, not a copy, when
// there is none, and never writes to src. Masking masked text changes nothing.
func Mask(src []byte) (masked []byte, n int) {
	masked = src
	for range maxPasses {
		hits := Find(masked)
		if len(hits) == 0 {
			break
		}
		if n == 0 {
			masked = append(make([]byte, 0, len(src)), src...)
		}
		n += len(hits)
		for _, h := range hits {
			for i := h.Start; i < h.End; i++ {
				if c := masked[i]; c != '\n' && c != '\r' {
					masked[i] = mask
				}
			}
		}
	}
	return masked, n
}

// Find returns the secrets of src, sorted by offset and not overlapping; nil
// when there is none. Text that is masked already is no secret.
func Find(src []byte) []Hit {
	var hits []Hit
	done := 0 // end of the last hit: nothing before it is looked at again
	for i := 0; i < len(src); i++ {
		t := triggers[src[i]]
		if t == 0 {
			continue
		}
		var h Hit
		ok := false
		if t&trigShape != 0 && i > 0 && isPair(src[i-1], src[i]) {
			h, ok = shapeAt(src, i)
		}
		if !ok && t&trigAssign != 0 {
			h, ok = assignAt(src, i)
		}
		if !ok && src[i] == ':' {
			h, ok = urlAt(src, i)
		}
		if !ok && src[i] == '-' {
			if b, end := keyBlockAt(src, i, done); len(b) > 0 {
				hits = append(hits, b...)
				done, i = end, end-1
				continue
			}
		}
		if !ok {
			continue
		}
		h.Start = max(h.Start, done)
		if h.Start >= h.End || allMasked(src[h.Start:h.End]) {
			continue
		}
		hits = append(hits, h)
		done, i = h.End, h.End-1
	}
	return hits
}

func allMasked(v []byte) bool {
	for _, c := range v {
		if c != mask {
			return false
		}
	}
	return true
}

// What a byte may decide.
const (
	trigAssign = 1 << iota // stands between a key and its value
	trigShape              // belongs to a token shape's prefix
	trigOther              // URL or key block
)

var triggers = func() (t [256]uint8) {
	for _, c := range []byte("=:,>") {
		t[c] |= trigAssign
	}
	t[':'] |= trigOther
	t['-'] |= trigOther
	for _, s := range shapes {
		t[s.prefix[s.at]] |= trigShape
	}
	return t
}()

// Character classes, one bit each.
const (
	upper = 1 << iota
	lower
	digit
	under // _
	dash  // -
	b64   // + / =
	dot   // .
	symb  // other visible ASCII
	blank // space and tab

	letter = upper | lower
	alnum  = letter | digit
	word   = alnum | under
)

var class = func() (t [256]uint16) {
	for c := 0x21; c < 0x7f; c++ {
		t[c] = symb
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c] = lower
		t[c-'a'+'A'] = upper
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = digit
	}
	t['_'], t['-'], t['.'] = under, dash, dot
	t['+'], t['/'], t['='] = b64, b64, b64
	t[' '], t['\t'] = blank, blank
	return t
}()

func is(c byte, set uint16) bool { return class[c]&set != 0 }

// run returns the end of the longest run of set from i on, at most limit bytes.
func run(src []byte, i int, set uint16, limit int) int {
	end := min(len(src), i+limit)
	for i < end && class[src[i]]&set != 0 {
		i++
	}
	return i
}
