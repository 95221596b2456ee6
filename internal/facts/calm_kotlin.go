package facts

import "bytes"

// calmActual blanks the key words of Kotlin that the grammar does not know
// where they stand, and that say nothing of what is declared: expect and
// actual, fun before interface, the < of a range without its end, and
// constructor, with how it is seen, on a line below the name of its class.
// Strings and comments stay as they are. The result is src itself if there was
// nothing to do.
func calmActual(src []byte) []byte {
	out := src
	wipe := func(i, end int) {
		if &out[0] == &src[0] {
			out = bytes.Clone(src)
		}
		for ; i < end; i++ {
			out[i] = ' '
		}
	}
	head := false // in the head of a class, before its parameters and body
	line := 0     // where the words of its last line begin; 0: on the first
	for i := 0; i < len(src); {
		switch b := src[i]; {
		case b == '\n':
			line = i + 1
			i++
		case b == '/' && i+1 < len(src) && src[i+1] == '/':
			i = lineEnd(src, i)
		case b == '/' && i+1 < len(src) && src[i+1] == '*':
			i = blockEnd(src, i)
		case b == '"' && bytes.HasPrefix(src[i:], []byte(`"""`)):
			k := bytes.Index(src[i+3:], []byte(`"""`))
			if k < 0 {
				return out
			}
			i += k + 6
		case b == '"' || b == '\'':
			i = quoteEnd(src, i)
		case b == '.' && bytes.HasPrefix(src[i:], []byte("..<")):
			wipe(i+2, i+3)
			i += 3
		case wordChar(b):
			j := i
			for j < len(src) && wordChar(src[j]) {
				j++
			}
			k := j
			for k < len(src) && blank(src[k]) {
				k++
			}
			switch word := string(src[i:j]); {
			case word == "fun" && bytes.HasPrefix(src[k:], []byte("interface")),
				(word == "actual" || word == "expect") && k > j && k < len(src) && wordChar(src[k]):
				wipe(i, j)
			case word == "class":
				head, line = i == 0 || src[i-1] != ':', 0
			case word == "constructor" && head && line > 0 && onlyVisibility(out[line:i]):
				wipe(line, j)
			}
			i = j
		default:
			head = head && bytes.IndexByte([]byte("{}();="), b) < 0
			i++
		}
	}
	return out
}

// onlyVisibility says whether text is blank but for words that say who sees
// what follows.
func onlyVisibility(text []byte) bool {
	for _, w := range bytes.Fields(text) {
		switch string(w) {
		case "public", "internal", "protected", "private":
		default:
			return false
		}
	}
	return true
}
