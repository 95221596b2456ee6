package facts

import (
	"bytes"
	"strings"
)

// Headings, keys and links of documents and configuration. A section or a
// key reaches to the next one of its level or above.

const (
	maxKeys     = 2000 // a configuration with more is data
	maxHeadings = 4000
	maxLinks    = 1000
	maxNameLen  = 160
)

// outline builds nested symbols from marks in line order.
type outline struct {
	kind  Kind
	total int32 // lines of the file
	syms  []Symbol
	level []int
	open  []int32
}

// add closes what is of level or deeper, and opens name at line (one-based);
// sig is the heading's last line.
func (o *outline) add(name string, level int, line, sig int32) {
	name = strings.TrimSpace(name)
	if len(name) > maxNameLen {
		name = strings.ToValidUTF8(name[:maxNameLen], "")
	}
	if name == "" {
		return
	}
	o.close(level, line-1)
	parent := int32(-1)
	if n := len(o.open); n > 0 {
		parent = o.open[n-1]
	}
	o.open = append(o.open, int32(len(o.syms)))
	o.syms = append(o.syms, Symbol{Name: name, Kind: o.kind, Parent: parent, DocStart: line, Start: line, SigEnd: max(sig, line), End: max(sig, line), Exported: true})
	o.level = append(o.level, level)
}

func (o *outline) close(level int, end int32) {
	for n := len(o.open); n > 0 && o.level[o.open[n-1]] >= level; n-- {
		s := &o.syms[o.open[n-1]]
		s.End = max(s.End, min(end, o.total))
		o.open = o.open[:n-1]
	}
}

func (o *outline) done() []Symbol {
	o.close(-1<<30, o.total)
	// Two keys on one line may leave a parent that ends before its child.
	for i := len(o.syms) - 1; i >= 0; i-- {
		if p := o.syms[i].Parent; p >= 0 {
			o.syms[p].End = max(o.syms[p].End, o.syms[i].End)
		}
	}
	return o.syms
}

// markupSymbols names the sections of documents and the keys of
// configuration; ok is false when lang is neither.
func markupSymbols(lang string, src []byte, lines []int32) (syms []Symbol, imports []Import, ok bool) {
	at := func(i int) []byte { // text of a zero-based line without its end
		end := len(src)
		if i+1 < len(lines) {
			end = int(lines[i+1])
		}
		return bytes.TrimRight(src[min(int(lines[i]), end):end], "\r\n")
	}
	o := &outline{kind: KindSection, total: int32(len(lines))}
	switch lang {
	case "markdown":
		imports = markdown(o, len(lines), at)
	case "rst":
		imports = restructured(o, len(lines), at)
	case "asciidoc":
		imports = asciidoc(o, len(lines), at)
	case "org", "tex":
		imports = orgTex(o, len(lines), at, lang == "tex")
	case "yaml":
		o.kind = KindKey
		yamlKeys(o, len(lines), at)
	case "toml", "ini", "cargo", "pyproject":
		o.kind = KindKey
		tableKeys(o, len(lines), at)
	case "json", "package.json", "tsconfig", "composer":
		o.kind = KindKey
		jsonKeys(o, src, lines)
	default:
		return nil, nil, false
	}
	return o.done(), imports, true
}

func markdown(o *outline, n int, at func(int) []byte) []Import {
	var imports []Import
	fence := ""
	start := 0
	if n > 1 && string(bytes.TrimSpace(at(0))) == "---" { // front matter
		for i := 1; i < min(n, 200); i++ {
			if t := string(bytes.TrimSpace(at(i))); t == "---" || t == "..." {
				start = i + 1
				break
			}
		}
	}
	prev := "" // text line that an underline may turn into a heading
	for i := start; i < n; i++ {
		line := at(i)
		text := bytes.TrimLeft(line, " ")
		lead := len(line) - len(text)
		if fence != "" {
			if lead <= 3 && bytes.HasPrefix(text, []byte(fence)) && len(bytes.Trim(text, fence[:1]+" \t")) == 0 {
				fence = ""
			}
			continue
		}
		if len(text) == 0 {
			prev = ""
			continue
		}
		if bytes.HasPrefix(text, []byte("```")) || bytes.HasPrefix(text, []byte("~~~")) {
			k := 0
			for k < len(text) && text[k] == text[0] {
				k++
			}
			if text[0] == '~' || bytes.IndexByte(text[k:], '`') < 0 {
				fence, prev = string(text[:k]), ""
				continue
			}
		}
		if len(o.syms) < maxHeadings && lead <= 3 {
			if text[0] == '#' {
				k := 0
				for k < len(text) && text[k] == '#' {
					k++
				}
				if k <= 6 && (k == len(text) || text[k] == ' ' || text[k] == '\t') {
					o.add(plainHeading(string(bytes.TrimRight(bytes.TrimSpace(text[k:]), "#"))), k, int32(i)+1, int32(i)+1)
					prev = ""
					imports = mdLinks(imports, line, int32(i)+1)
					continue
				}
			}
			if prev != "" && (text[0] == '=' || text[0] == '-') && len(bytes.Trim(text, string(text[0])+" \t")) == 0 && (len(text) >= 2 || text[0] == '=') {
				level := 1
				if text[0] == '-' {
					level = 2
				}
				o.add(plainHeading(prev), level, int32(i), int32(i)+1)
				prev = ""
				continue
			}
		}
		imports = mdLinks(imports, line, int32(i)+1)
		prev = ""
		if c := text[0]; lead <= 3 && c != '>' && c != '|' && c != '-' && c != '*' && c != '+' && c != '<' && len(text) < 200 {
			prev = string(text)
		}
	}
	return imports
}

// plainHeading drops links, code ticks, emphasis and explicit ids.
func plainHeading(s string) string {
	if i := strings.Index(s, "{#"); i > 0 {
		s = s[:i]
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '`', '*':
		case '!':
			if i+1 >= len(s) || s[i+1] != '[' {
				b.WriteByte(s[i])
			}
		case '[':
		case ']':
			if i+1 < len(s) && s[i+1] == '(' {
				if end := strings.IndexByte(s[i:], ')'); end > 0 {
					i += end
				}
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return strings.TrimSpace(b.String())
}

// mdLinks appends the relative targets of a line's links and images.
func mdLinks(imports []Import, line []byte, ln int32) []Import {
	if len(line) > 5000 {
		return imports
	}
	for rest := line; len(imports) < maxLinks; {
		i := bytes.Index(rest, []byte("]("))
		if i < 0 {
			break
		}
		rest = rest[i+2:]
		end := bytes.IndexAny(rest, ") \t")
		if end < 0 {
			break
		}
		imports = link(imports, string(bytes.Trim(rest[:end], "<>")), ln)
		rest = rest[end:]
	}
	if t := bytes.TrimSpace(line); len(t) > 4 && t[0] == '[' { // [id]: target
		if i := bytes.Index(t, []byte("]:")); i > 0 {
			if f := bytes.Fields(t[i+2:]); len(f) > 0 {
				imports = link(imports, string(bytes.Trim(f[0], "<>")), ln)
			}
		}
	}
	for _, attr := range [...]string{`href="`, `src="`} {
		for rest := line; len(imports) < maxLinks; {
			i := bytes.Index(rest, []byte(attr))
			if i < 0 {
				break
			}
			rest = rest[i+len(attr):]
			end := bytes.IndexByte(rest, '"')
			if end < 0 {
				break
			}
			imports = link(imports, string(rest[:end]), ln)
			rest = rest[end:]
		}
	}
	return imports
}

// link appends a relative target: no scheme, no fragment of its own page.
func link(imports []Import, target string, ln int32) []Import {
	if i := strings.IndexAny(target, "#?"); i >= 0 {
		target = target[:i]
	}
	if target == "" || len(target) > 300 || strings.Contains(target, "://") || strings.HasPrefix(target, "//") || strings.ContainsAny(target, " {}$<>\"'`*") {
		return imports
	}
	if i := strings.IndexByte(target, ':'); i >= 0 && i < 12 { // mailto:, data:
		return imports
	}
	target = strings.ReplaceAll(target, "%20", " ")
	return append(imports, Import{Module: target, Line: ln, Relative: 1})
}

// ruler reports whether a line is one punctuation mark repeated.
func ruler(line []byte) byte {
	line = bytes.TrimRight(line, " \t")
	if len(line) < 2 || line[0] < '!' || line[0] > '~' || line[0] >= '0' && line[0] <= '9' || line[0] >= 'A' && line[0] <= 'Z' || line[0] >= 'a' && line[0] <= 'z' {
		return 0
	}
	for _, c := range line {
		if c != line[0] {
			return 0
		}
	}
	return line[0]
}

func restructured(o *outline, n int, at func(int) []byte) []Import {
	var imports []Import
	levels := map[string]int{} // style → level, in order of appearance
	for i := 0; i < n; i++ {
		line := at(i)
		if i > 0 && len(o.syms) < maxHeadings {
			if c := ruler(line); c != 0 {
				title := bytes.TrimRight(at(i-1), " \t")
				if t := bytes.TrimSpace(title); len(t) > 0 && ruler(title) == 0 && len(bytes.TrimRight(line, " \t"))+2 >= runeLen(t) {
					over := i > 1 && ruler(at(i-2)) == c
					if over || title[0] != ' ' {
						style := string(c)
						first := int32(i)
						if over {
							style += "o"
							first--
						}
						if _, ok := levels[style]; !ok {
							levels[style] = len(levels) + 1
						}
						o.add(strings.ReplaceAll(string(t), "`", ""), levels[style], first, int32(i)+1)
						continue
					}
				}
			}
		}
		text := bytes.TrimSpace(line)
		if len(imports) >= maxLinks || len(text) == 0 {
			continue
		}
		if rest, ok := bytes.CutPrefix(text, []byte(".. ")); ok {
			name, arg, ok := bytes.Cut(rest, []byte("::"))
			if !ok {
				continue
			}
			value := string(bytes.TrimSpace(arg))
			switch string(name) {
			case "include", "literalinclude", "image", "figure", "plot", "csv-table", "ipython":
				imports = link(imports, value, int32(i)+1)
			case "automodule", "autoclass", "autofunction", "autoexception", "module", "py:module", "currentmodule", "py:currentmodule":
				if i := strings.IndexByte(value, '('); i > 0 {
					value = value[:i]
				}
				if value != "" && !strings.ContainsAny(value, " /") {
					imports = append(imports, Import{Module: value, Line: int32(i) + 1})
				}
			case "toctree":
				for k := i + 1; k < n && k < i+300 && len(imports) < maxLinks; k++ {
					entry := at(k)
					t := strings.TrimSpace(string(entry))
					if t == "" || t[0] == ':' {
						continue
					}
					if entry[0] != ' ' && entry[0] != '\t' {
						break
					}
					if a := strings.IndexByte(t, '<'); a >= 0 {
						t = strings.TrimSuffix(t[a+1:], ">")
					}
					imports = link(imports, t, int32(k)+1)
				}
			}
			continue
		}
		for _, role := range [...]string{":doc:`", ":download:`"} {
			for rest := text; len(imports) < maxLinks; {
				k := bytes.Index(rest, []byte(role))
				if k < 0 {
					break
				}
				rest = rest[k+len(role):]
				end := bytes.IndexByte(rest, '`')
				if end < 0 {
					break
				}
				t := string(rest[:end])
				if a := strings.IndexByte(t, '<'); a >= 0 {
					t = strings.TrimSuffix(t[a+1:], ">")
				}
				imports = link(imports, t, int32(i)+1)
				rest = rest[end:]
			}
		}
	}
	return imports
}

func runeLen(b []byte) int {
	n := 0
	for _, c := range b {
		if c&0xC0 != 0x80 {
			n++
		}
	}
	return n
}

func asciidoc(o *outline, n int, at func(int) []byte) []Import {
	var imports []Import
	block := ""
	for i := range n {
		line := at(i)
		t := string(bytes.TrimRight(line, " \t"))
		if len(t) >= 4 && (t == strings.Repeat("-", len(t)) || t == strings.Repeat(".", len(t)) || t == strings.Repeat("+", len(t)) || t == strings.Repeat("/", len(t))) {
			switch block {
			case "":
				block = t
			case t:
				block = ""
			}
			continue
		}
		if rest, ok := strings.CutPrefix(t, "include::"); ok {
			if k := strings.IndexByte(rest, '['); k > 0 {
				imports = link(imports, rest[:k], int32(i)+1)
			}
		}
		if block != "" || len(t) < 3 || t[0] != '=' {
			if block == "" && len(imports) < maxLinks {
				for _, p := range [...]string{"link:", "xref:"} {
					if k := strings.Index(t, p); k >= 0 {
						if e := strings.IndexByte(t[k:], '['); e > 0 {
							imports = link(imports, t[k+len(p):k+e], int32(i)+1)
						}
					}
				}
			}
			continue
		}
		k := 0
		for k < len(t) && t[k] == '=' {
			k++
		}
		if k <= 6 && k < len(t) && t[k] == ' ' && len(o.syms) < maxHeadings {
			o.add(strings.TrimRight(t[k:], " ="), k, int32(i)+1, int32(i)+1)
		}
	}
	return imports
}

var texLevels = []struct {
	name  string
	level int
}{{"part", 0}, {"chapter", 1}, {"section", 2}, {"subsection", 3}, {"subsubsection", 4}, {"paragraph", 5}}

func orgTex(o *outline, n int, at func(int) []byte, tex bool) []Import {
	var imports []Import
	for i := range n {
		line := at(i)
		if len(o.syms) >= maxHeadings || len(line) == 0 {
			continue
		}
		if !tex {
			k := 0
			for k < len(line) && line[k] == '*' {
				k++
			}
			if k > 0 && k < len(line) && line[k] == ' ' {
				o.add(string(line[k:]), k, int32(i)+1, int32(i)+1)
			}
			continue
		}
		t := string(bytes.TrimSpace(line))
		if t == "" || t[0] != '\\' {
			continue
		}
		for _, l := range texLevels {
			rest, ok := strings.CutPrefix(t[1:], l.name)
			if !ok {
				continue
			}
			rest = strings.TrimPrefix(rest, "*")
			if strings.HasPrefix(rest, "{") {
				if e := strings.LastIndexByte(rest, '}'); e > 1 {
					o.add(rest[1:e], l.level, int32(i)+1, int32(i)+1)
				}
			}
		}
		for _, p := range [...]string{`\input{`, `\include{`, `\includegraphics{`} {
			if rest, ok := strings.CutPrefix(t, p); ok {
				if e := strings.IndexByte(rest, '}'); e > 0 {
					imports = link(imports, rest[:e], int32(i)+1)
				}
			}
		}
	}
	return imports
}
