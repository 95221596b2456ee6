package facts

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// Files that hold programs in something else: pages with scripts, and
// notebooks. What is not program is blanked, byte by byte, so that lines and
// offsets stay those of the file, and the program is read by its own grammar.

// scriptGrammar reads the scripts of pages: JavaScript is TypeScript.
const scriptGrammar = "typescript"

// readPage reads the scripts of a page. ok is false when there are none or
// their tree says nothing.
func (f *Facts) readPage(lang string, src []byte, lines []int32, lits *literals) (docs []span, ok bool) {
	script := scriptOnly(src)
	if len(bytes.TrimSpace(script)) > 0 {
		var own literals // strings are taken from the whole page, below
		if _, ok = f.readTree(grammars[scriptGrammar](), script, lines, &own); !ok {
			f.Symbols, f.Imports, f.Refs, f.Package = nil, nil, nil, ""
			return nil, false
		}
	}
	if lang == "html" {
		syms, imports := pageLinks(src, lines)
		f.Imports = append(f.Imports, imports...)
		f.Symbols = append(f.Symbols, syms...)
	}
	f.normalise()
	comments, strs := lex(lang, src)
	for _, s := range strs {
		lits.text(src[s.start:s.end])
	}
	return comments, true
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

// blanked returns src with every byte but line ends turned into a blank.
func blanked(src []byte) []byte {
	out := make([]byte, len(src))
	for i, c := range src {
		if out[i] = ' '; c == '\n' || c == '\r' {
			out[i] = c
		}
	}
	return out
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
