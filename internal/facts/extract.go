package facts

import (
	"bytes"

	"cohop/internal/redact"
)

// Extract returns the facts of a blob in the language lang (see Language). It
// is pure, never fails, and may be called by several goroutines at once.
//
// What it holds of slices is nil rather than empty. A blob that is Binary or
// TooLarge has neither chunks nor terms, only its size.
func Extract(lang string, src []byte) *Facts {
	f := &Facts{Lang: lang, Bytes: int32(min(len(src), 1<<31-1))}
	src = shown(lang, src)
	if len(src) > limit(lang) {
		f.Flags |= TooLarge
		return f
	}
	if bytes.IndexByte(src, 0) >= 0 {
		f.Flags |= Binary
		return f
	}
	if len(src) == 0 {
		return f
	}
	src, masked := redact.Mask(src)
	f.Masked = int32(masked)
	var nb *notebook
	if lang == "notebook" {
		if nb = readNotebook(src); nb != nil {
			src = nb.code // outputs and quotes are no text
		}
	}
	lines := lineStarts(src)
	f.Lines = int32(len(lines))
	if generated(lang, src) {
		f.Flags |= Generated
	}
	var docs []span
	var lits literals
	if minified(len(src), lines) {
		f.Flags |= Minified
	}
	if len(src) > MaxBytes && f.Flags&(Minified|Generated) != 0 {
		return &Facts{Lang: lang, Bytes: f.Bytes, Flags: f.Flags | TooLarge}
	}
	if f.Flags&Minified == 0 {
		if nb != nil {
			docs = f.readCells(nb, lines, &lits)
		} else {
			docs = f.read(lang, src, lines, &lits)
		}
		if len(src) > MaxBytes && declarations(f.Symbols) < len(src)/tableBytes {
			return &Facts{Lang: lang, Bytes: f.Bytes, Flags: TooLarge}
		}
		lits.scan(src)
	}
	hashes, full := lits.finish()
	f.Literals = hashes
	if full {
		f.Flags |= Truncated
	}
	f.Chunks = tile(src, lines, f.Symbols)
	f.fillTerms(src, lines, docs)
	return f
}

// read fills symbols, imports, refs, properties and literals, and returns
// where the documentation stands: from the tree if the language has a grammar
// that copes with the file, else by patterns.
func (f *Facts) read(lang string, src []byte, lines []int32, lits *literals) []span {
	switch lang {
	case "vue", "svelte", "astro", "html":
		if docs, ok := f.readPage(lang, src, lines, lits); ok {
			return docs
		}
	}
	if g := grammars[lang]; g != nil && len(src) <= MaxBytes {
		if t := g().table; t.reads != nil && !t.reads(src) {
			return f.readPatterns(lang, src, lines, lits)
		}
		if docs, ok := f.readTree(g(), src, lines, lits); ok {
			return docs
		}
		f.Symbols, f.Imports, f.Refs, f.Package = nil, nil, nil, ""
		*lits = literals{}
	}
	return f.readPatterns(lang, src, lines, lits)
}

// readPatterns reads the file without a tree.
func (f *Facts) readPatterns(lang string, src []byte, lines []int32, lits *literals) []span {
	f.Props = manifestProps(lang, src)
	f.Symbols, f.Imports, f.Refs, f.Package = fallbackSymbols(lang, src, lines)
	if fbLangs[lang] != nil {
		f.Flags |= Fallback
	}
	f.normalise()
	comments, strs := lex(lang, src)
	for _, s := range strs {
		lits.text(src[s.start:s.end])
	}
	return comments
}

// readTree reads the file by its grammar. ok is false when there is no tree,
// or when it is broken and says nothing.
func (f *Facts) readTree(g *grammar, src []byte, lines []int32, lits *literals) (docs []span, ok bool) {
	read := src
	if g.table.calm != nil {
		read = g.table.calm(src)
	}
	nodes, errors, ok, release := parse(g, read)
	defer release()
	if errors > 0 || !ok {
		f.Flags |= ParseError
	}
	if !ok {
		return nil, false
	}
	w := newWalker(g, src, nodes, f)
	w.lits = lits
	w.run()
	if errors > 0 && g.table.rival && f.outdone(src, lines) {
		return nil, false
	}
	if errors > 0 {
		f.patch(src, lines, nodes)
	}
	f.normalise()
	return w.docs, errors == 0 || len(f.Symbols) > 0
}

// outdone says whether patterns find more types and functions than a broken
// tree did. A tree that has lost none of them knows more about each.
func (f *Facts) outdone(src []byte, lines []int32) bool {
	syms, _, _, _ := fallbackSymbols(f.Lang, src, lines)
	return declarations(syms) > declarations(f.Symbols)
}

func declarations(syms []Symbol) (n int) {
	for i := range syms {
		switch syms[i].Kind {
		case KindClass, KindInterface, KindStruct, KindEnum, KindFunction, KindMethod, KindType, KindModule:
			n++
		}
	}
	return n
}

// brokenRows is the height of an error from which on declarations may be
// missing below it.
const brokenRows = 8

// patch adds the declarations that patterns find where the tree is broken:
// an unclosed bracket turns all that follows into one error.
func (f *Facts) patch(src []byte, lines []int32, nodes []node) {
	var broken []node
	for i := 0; i < len(nodes); {
		if n := &nodes[i]; n.flags&nodeError != 0 && n.erow-n.srow >= brokenRows {
			broken = append(broken, *n)
			i = int(n.next)
		} else {
			i++
		}
	}
	if len(broken) == 0 {
		return
	}
	known := map[string][]int32{} // name to start lines
	for i := range f.Symbols {
		s := &f.Symbols[i]
		known[s.Name] = append(known[s.Name], s.Start, s.DocStart)
	}
	tree := len(f.Symbols)
	extra, _, _, _ := fallbackSymbols(f.Lang, src, lines)
	for _, s := range extra {
		row := uint32(s.Start - 1)
		in := false
		for _, n := range broken {
			in = in || row >= n.srow && row <= n.erow
		}
		for _, at := range known[s.Name] {
			in = in && (s.Start < at-3 || s.Start > at+3)
		}
		if !in || len(f.Symbols) >= maxSymbols {
			continue
		}
		s.Parent = -1
		for k := tree - 1; k >= 0; k-- {
			if o := &f.Symbols[k]; o.Start <= s.Start && s.End <= o.End && o.End > o.Start {
				s.Parent = int32(k)
				break
			}
		}
		f.Symbols = append(f.Symbols, s)
		f.Flags |= Fallback
	}
}

// normalise makes empty slices nil and keeps lines inside the file, whatever
// a table says.
func (f *Facts) normalise() {
	for i := range f.Symbols {
		s := &f.Symbols[i]
		s.End = min(max(s.End, 1), f.Lines)
		s.Start = min(max(s.Start, 1), s.End)
		s.DocStart = min(max(s.DocStart, 1), s.Start)
		s.SigEnd = min(max(s.SigEnd, s.Start), s.End)
		if s.Parent < 0 || int(s.Parent) >= len(f.Symbols) || int(s.Parent) == i {
			s.Parent = -1
		}
	}
	for i := range f.Refs {
		if r := &f.Refs[i]; r.Scope < 0 || int(r.Scope) >= len(f.Symbols) {
			r.Scope = -1
		}
	}
	orderSymbols(f)
	if len(f.Symbols) > maxSymbols {
		f.Symbols = f.Symbols[:maxSymbols:maxSymbols]
		f.Flags |= Truncated
	}
	if len(f.Refs) > maxRefs {
		f.Refs = f.Refs[:maxRefs:maxRefs]
		f.Flags |= Truncated
	}
	if len(f.Imports) > maxImports {
		f.Imports = f.Imports[:maxImports:maxImports]
		f.Flags |= Truncated
	}
	n := int32(len(f.Symbols))
	for i := range f.Symbols {
		// Outer before inner, so that parents can be followed in one pass.
		if s := &f.Symbols[i]; int(s.Parent) >= i {
			s.Parent = -1
		}
	}
	for i := range f.Refs {
		if r := &f.Refs[i]; r.Scope >= n {
			r.Scope = -1
		}
	}
	if len(f.Symbols) == 0 {
		f.Symbols = nil
	}
	if len(f.Imports) == 0 {
		f.Imports = nil
	}
	if len(f.Refs) == 0 {
		f.Refs = nil
	}
}
