package facts

import "bytes"

// Files that hold programs in something else: pages with scripts, and
// notebooks (notebook.go). What is not program is blanked, byte by byte, so that lines and
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
