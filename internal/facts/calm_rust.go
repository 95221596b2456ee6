package facts

import "bytes"

// itemMacros are macros whose braces hold nothing but items, to be compiled on
// a condition or looked at on the way; so do all that begin with cfg_. Others
// have a syntax of their own inside (bitflags, lazy_static, proptest).
var itemMacros = set("pin_project pin_project_lite feature")

// calmItems blanks what is around the items in such a macro, so that the
// grammar reads them as items: to it the inside is a heap of tokens.
func calmItems(src []byte) []byte {
	if !bytes.Contains(src, []byte("! {")) && !bytes.Contains(src, []byte("!{")) {
		return src
	}
	out := src
	wipe := func(i, end int) {
		if &out[0] == &src[0] {
			out = bytes.Clone(src)
		}
		for ; i < end; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	var open []bool // the braces around: true for those of a macro of items
	bol := true     // only blanks since the line began
	for i := 0; i < len(src); {
		switch b := src[i]; {
		case b == '\n':
			bol = true
			i++
			continue
		case blank(b):
			i++
			continue
		case b == '/' && i+1 < len(src) && src[i+1] == '/':
			i = lineEnd(src, i)
			continue
		case b == '/' && i+1 < len(src) && src[i+1] == '*':
			i = blockEnd(src, i)
		case b == '"':
			i = rustStringEnd(src, i)
		case b == '\'':
			i = rustTickEnd(src, i)
		case b == '{':
			open = append(open, false)
			i++
		case b == '}':
			if n := len(open); n > 0 {
				if open[n-1] {
					wipe(i, i+1)
				}
				open = open[:n-1]
			}
			i++
		case wordChar(b):
			j := i
			for j < len(src) && (wordChar(src[j]) || src[j] == ':' && j+2 < len(src) && src[j+1] == ':' && wordChar(src[j+2])) {
				if src[j] == ':' {
					j++
				}
				j++
			}
			word := src[i:j]
			if k := bytes.LastIndexByte(word, ':'); k >= 0 {
				word = word[k+1:]
			}
			if j+1 < len(src) && (word[0] == 'r' || word[len(word)-1] == 'r') && src[j] == '#' && (src[j+1] == '"' || src[j+1] == '#') {
				i = rustRawEnd(src, j)
				break
			}
			if len(word) > 0 && word[len(word)-1] == 'r' && len(word) <= 2 && j < len(src) && src[j] == '"' {
				i = rustRawEnd(src, j)
				break
			}
			if bol && j < len(src) && src[j] == '!' && (itemMacros[string(word)] || bytes.HasPrefix(word, []byte("cfg_")) && string(word) != "cfg_if") {
				k := j + 1
				for k < len(src) && blank(src[k]) {
					k++
				}
				if k < len(src) && src[k] == '{' {
					wipe(i, k+1)
					open = append(open, true)
					i = k + 1
					bol = true // one macro may hold another at once
					continue
				}
			}
			i = j
		default:
			i++
		}
		bol = false
	}
	if len(open) > 0 { // not what it seemed: leave the file alone
		return src
	}
	return out
}

// rustStringEnd returns the end of the string at i, which may span lines.
func rustStringEnd(src []byte, i int) int {
	for k := i + 1; k < len(src); k++ {
		switch src[k] {
		case '\\':
			k++
		case '"':
			return k + 1
		}
	}
	return len(src)
}

// rustRawEnd returns the end of a raw string whose hashes or quote begin at i.
func rustRawEnd(src []byte, i int) int {
	n := 0
	for i+n < len(src) && src[i+n] == '#' {
		n++
	}
	if i+n >= len(src) || src[i+n] != '"' {
		return i + max(n, 1) // r#name
	}
	stop := append([]byte{'"'}, bytes.Repeat([]byte{'#'}, n)...)
	if k := bytes.Index(src[i+n+1:], stop); k >= 0 {
		return i + n + 1 + k + len(stop)
	}
	return len(src)
}

// rustTickEnd returns the end of the character at i, or of the tick of a
// lifetime.
func rustTickEnd(src []byte, i int) int {
	switch {
	case i+1 < len(src) && src[i+1] == '\\':
		const longest = 12 // '\u{10ffff}'
		for k := i + 3; k < len(src) && k < i+longest; k++ {
			if src[k] == '\'' {
				return k + 1
			}
		}
	case i+2 < len(src):
		const widest = 4 // bytes of one character
		for k := i + 2; k < len(src) && k <= i+1+widest; k++ {
			if src[k] == '\'' {
				return k + 1
			}
			if src[i+1] < 0x80 {
				break
			}
		}
	}
	return i + 1
}
