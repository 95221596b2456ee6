package facts

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// maxString is the longest literal of a notebook in bytes that is more than
// data: pictures and pages of outputs are longer, a line of a cell is not.
const maxString = 8192

// slim empties the long literals of a notebook, which are pictures: a notebook
// of many megabytes is a few thousand lines of cells. A literal holds no line
// end, so that every line stays where it is. What is no JSON loses what stands
// between two quotes of one line, which is data there as well. src itself
// comes back if there is nothing to do.
func slim(src []byte) []byte {
	var out []byte
	kept := 0 // src up to here is in out
	for i := 0; i < len(src); {
		q := bytes.IndexByte(src[i:], '"')
		if q < 0 {
			break
		}
		start := i + q + 1
		end := start
		for end < len(src) && src[end] != '"' && src[end] != '\n' {
			if src[end] == '\\' && end+1 < len(src) && src[end+1] != '\n' {
				end++
			}
			end++
		}
		if end-start > maxString {
			if out == nil {
				out = make([]byte, 0, len(src)/2)
			}
			out = append(out, src[kept:start]...)
			kept = end
		}
		i = end + 1
	}
	if out == nil {
		return src
	}
	return append(out, src[min(kept, len(src)):]...)
}

// notebook is a Jupyter notebook taken apart.
type notebook struct {
	lang  string // of the kernel
	code  []byte // the code cells; text cells as comments
	prose []byte // the text cells
}

// maxCellLine is the longest line of a cell that is kept; longer ones are data.
const maxCellLine = 4000

// readNotebook finds the sources of the cells of a notebook. Each line of a
// cell stands on a line of its own in the files that Jupyter writes; it is
// put at the start of that line, without its quotes, so that a line of code
// has the number of the line that holds it. nil when src is no notebook.
func readNotebook(src []byte) *notebook {
	nb := &notebook{lang: "python", code: blanked(src), prose: blanked(src)}
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	type level struct {
		array bool
		key   string // the last key of an object
		want  bool   // the next string is a key
	}
	var stack []level
	at := func(keys ...string) bool { // the keys of the objects around, outer first
		k := 0
		for _, l := range stack {
			if l.array {
				continue
			}
			if k >= len(keys) || l.key != keys[k] {
				return false
			}
			k++
		}
		return k == len(keys)
	}
	cells, last := 0, int64(0)
	kind, magic := "", false
	var pending []cellLine
	flush := func() {
		for i, l := range pending {
			nb.put(src, l, kind, i == 0, &magic)
		}
		pending, kind, magic = pending[:0], "", false
	}
	for {
		t, err := d.Token()
		if err != nil {
			if err != io.EOF {
				return nil
			}
			break
		}
		from := last
		last = d.InputOffset()
		value := true
		switch v := t.(type) {
		case json.Delim:
			switch v {
			case '{', '[':
				if len(stack) > 64 {
					return nil
				}
				stack = append(stack, level{array: v == '[', want: v == '{'})
				continue
			}
			stack = stack[:len(stack)-1]
			if v == '}' && at("cells") {
				cells++
				flush()
			}
		case string:
			if n := len(stack); n > 0 && stack[n-1].want {
				stack[n-1].key, stack[n-1].want = v, false
				value = false
				break
			}
			switch {
			case at("cells", "cell_type"):
				kind = v
			case at("cells", "source"):
				open := from + int64(bytes.IndexByte(src[from:last], '"'))
				pending = append(pending, cellLine{v, int(open), int(last)})
			case at("metadata", "kernelspec", "language"), at("metadata", "language_info", "name"):
				nb.lang = kernelLanguage(v)
			}
		}
		if n := len(stack); value && n > 0 && !stack[n-1].array {
			stack[n-1].want = true
		}
	}
	if cells == 0 {
		return nil
	}
	return nb
}

// cellLine is one string of a cell's source and where its literal stands.
type cellLine struct {
	text      string
	from, end int
}

// kernelLanguage turns the name a kernel gives its language into our id.
func kernelLanguage(name string) string {
	switch l := strings.ToLower(name); l {
	case "ipython", "python3", "python2":
		return "python"
	case "c++", "c++17":
		return "cpp"
	case "c#":
		return "csharp"
	default:
		return l
	}
}

// put writes one line of a cell into the views.
func (nb *notebook) put(src []byte, l cellLine, kind string, first bool, magic *bool) {
	text := strings.TrimRight(l.text, "\r\n")
	if strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\n", " ") // a cell in one literal: words, no lines
	}
	start := bytes.LastIndexByte(src[:l.from], '\n') + 1
	if len(bytes.TrimSpace(nb.code[start:l.from])) > 0 {
		start = l.from // not the first of its line
	}
	room := l.end - start
	if len(text) > min(room-2, maxCellLine) {
		return
	}
	switch kind {
	case "markdown", "raw", "heading":
		copy(nb.prose[start:], text)
		copy(nb.code[start:], "# "+text)
	case "code":
		trim := strings.TrimLeft(text, " \t")
		if first && strings.HasPrefix(trim, "%%") {
			w, _, _ := strings.Cut(trim, " ")
			*magic = w != "%%time" && w != "%%timeit" && w != "%%capture" && w != "%%prun"
		}
		if *magic || trim != "" && (trim[0] == '%' || trim[0] == '!' || trim[0] == '?') {
			text = "# " + text
		}
		copy(nb.code[start:], text)
	}
}

// readCells reads the code of a notebook in its own language, and the
// headings of its text.
func (f *Facts) readCells(nb *notebook, lines []int32, lits *literals) []span {
	f.Lang = nb.lang // for the patterns that fill in
	docs := f.read(nb.lang, nb.code, lines, lits)
	f.Lang = "notebook"
	if heads, links, ok := markupSymbols("markdown", nb.prose, lines); ok {
		base := int32(len(f.Symbols))
		for _, s := range heads {
			if s.Parent >= 0 {
				s.Parent += base
			}
			f.Symbols = append(f.Symbols, s)
		}
		f.Imports = append(f.Imports, links...)
		f.normalise()
	}
	return docs
}
