package facts

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// MaxBytes is the largest blob that is looked into, but for those that
	// Limit names.
	MaxBytes = 1 << 20
	// maxSource is the largest source that patterns read: a code generator or
	// a compiler's semantic analysis in one file. What is larger are tables.
	maxSource = 4 << 20
	// tableBytes is the number of bytes a declaration from which on a source
	// over MaxBytes is a table: a large compiler's are below 3 KB in the mean,
	// those of tables, scanners that a tool wrote and lists of cases above 20.
	tableBytes = 8 << 10
	// maxNotebook is the largest notebook whose cells are read; nearly all of
	// it are pictures.
	maxNotebook = 16 << 20
	// longLine is the length in bytes from which a line is no work of hands.
	longLine = 5000
	// longLineTerms is how much of such a line yields terms.
	longLineTerms = 2000
	// minifiedMean is the mean line length in bytes of a file taken as minified.
	minifiedMean = 400
	// dataLines is how many long lines a source may have, if leastSource bytes
	// stand in other lines, of sourceMean bytes in the mean.
	dataLines, leastSource, sourceMean = 4, 4096, 120
)

// Limit is the largest blob of a language in bytes that Extract looks into: of
// programs more than of documents and data, and more of notebooks, which keep
// pictures.
func Limit(lang string) int {
	if lang == "notebook" {
		return maxNotebook
	}
	return limit(lang)
}

// limit is Limit for what shown returned.
func limit(lang string) int {
	if largeLangs[lang] {
		return maxSource
	}
	return MaxBytes
}

// largeLangs are those in which people write files over MaxBytes. Scripts and
// styles of that size are bundles, SQL dumps, C the headers of a system or what
// a tool joined, so none of these is here.
var largeLangs = set("cpp csharp dart elixir erlang fsharp go haskell java julia kotlin objc ocaml php python ruby rust scala swift zig")

// shown returns a blob as people see it, secrets aside: decoded, a notebook
// without its pictures. What is over the limit stays as it is.
func shown(lang string, src []byte) []byte {
	if len(src) > Limit(lang) {
		return src
	}
	src = toUTF8(src)
	if lang == "notebook" {
		src = slim(src)
	}
	return src
}

// toUTF8 decodes UTF-16 with a byte order mark and drops the mark of UTF-8.
// Line numbers stay.
func toUTF8(src []byte) []byte {
	switch {
	case bytes.HasPrefix(src, []byte("\xef\xbb\xbf")):
		return src[3:]
	case bytes.HasPrefix(src, []byte("\xff\xfe")):
		return fromUTF16(src[2:], 0, 1)
	case bytes.HasPrefix(src, []byte("\xfe\xff")):
		return fromUTF16(src[2:], 1, 0)
	}
	return src
}

func fromUTF16(src []byte, lo, hi int) []byte {
	dst := make([]byte, 0, len(src))
	for len(src) >= 2 {
		r := rune(src[lo]) | rune(src[hi])<<8
		src = src[2:]
		if utf16.IsSurrogate(r) && len(src) >= 2 {
			low := rune(src[lo]) | rune(src[hi])<<8
			if d := utf16.DecodeRune(r, low); d != utf8.RuneError {
				r, src = d, src[2:]
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// lineStarts returns the offset of every line of src. A newline at the very
// end starts no line.
func lineStarts(src []byte) []int32 {
	if len(src) == 0 {
		return nil
	}
	lines := make([]int32, 1, bytes.Count(src, []byte{'\n'})+1)
	for i := 0; ; {
		n := bytes.IndexByte(src[i:], '\n')
		if n < 0 || i+n+1 == len(src) {
			return lines
		}
		i += n + 1
		lines = append(lines, int32(i))
	}
}

// minified says whether the lines are too long to be source: in the mean, or
// because long lines hold most of the bytes. A source with a few lines of data
// (a picture, a key) is none, whatever these weigh.
func minified(size int, lines []int32) bool {
	if len(lines) == 0 || size < longLine {
		return false
	}
	long, many := 0, 0
	for i, at := range lines {
		end := size
		if i+1 < len(lines) {
			end = int(lines[i+1])
		}
		if n := end - int(at); n > longLine {
			long += n
			many++
		}
	}
	rest := size - long
	if many <= dataLines && rest >= leastSource && rest/(len(lines)-many+1) <= sourceMean {
		return false
	}
	return size/len(lines) > minifiedMean || long*2 > size
}
