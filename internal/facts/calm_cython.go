package facts

import "bytes"

// calmCython turns the declarations of Cython into Python of the same length,
// so that the Python grammar finds classes and functions: cdef class into
// class, C functions into def without parameters, cimport into import. What
// declares C variables becomes pass. Other files come back as they are.
func calmCython(src []byte) []byte {
	if !bytes.Contains(src, []byte("cdef ")) && !bytes.Contains(src, []byte("cpdef ")) && !bytes.Contains(src, []byte("cimport ")) {
		return src
	}
	out := bytes.Clone(src)
	for i := 0; i < len(src); {
		end := lineEnd(src, i)
		at := i
		for at < end && (src[at] == ' ' || src[at] == '\t') {
			at++
		}
		word := wordEnd(src, at)
		switch string(src[at:word]) {
		case "cimport":
			copy(out[at:], "import ")
		case "from":
			if k := bytes.Index(src[at:end], []byte(" cimport ")); k >= 0 {
				copy(out[at+k:], " import  ")
			}
		case "def", "cdef", "cpdef", "ctypedef":
			end = cythonDecl(src, out, at, word, end)
		}
		i = end + 1
	}
	return out
}

// cythonDecl rewrites the declaration at..end and returns the end of its last
// line.
func cythonDecl(src, out []byte, at, word, end int) int {
	rest := bytes.TrimLeft(src[word:end], " \t")
	line := bytes.TrimRight(src[at:end], " \t\r")
	if bytes.HasPrefix(rest, []byte("class ")) {
		write(out, at, end-len(rest)+len("class"), "class")
		return end
	}
	open := bytes.IndexByte(src[word:end], '(')
	if eq := bytes.IndexByte(src[word:end], '='); open >= 0 && (eq < 0 || eq > open) {
		open += word
		name := open
		for name > word && wordChar(src[name-1]) {
			name--
		}
		if close := parenEnd(src, open); close > 0 && name < open {
			// The body follows a colon at the end of a line.
			last := lineEnd(src, close)
			if t := bytes.TrimRight(cutComment(src[close:last]), " \t\r"); len(t) > 0 && t[len(t)-1] == ':' {
				write(out, at, name, "def")
				write(out, open+1, close-1, "")
				write(out, close, close+len(t)-1, "")
				return last
			}
		}
	}
	if string(src[at:word]) == "def" {
		return end
	}
	if line[len(line)-1] == ':' {
		write(out, at, at+len(line)-1, "if 1") // cdef extern from …:
	} else {
		write(out, at, at+len(line), "pass")
	}
	return end
}

func cutComment(line []byte) []byte {
	if k := bytes.IndexByte(line, '#'); k >= 0 {
		return line[:k]
	}
	return line
}

// write puts word at out[at:] and blanks up to end, but keeps line ends.
func write(out []byte, at, end int, word string) {
	for i := at; i < end; i++ {
		if k := i - at; k < len(word) {
			out[i] = word[k]
		} else if out[i] != '\n' && out[i] != '\r' {
			out[i] = ' '
		}
	}
}
