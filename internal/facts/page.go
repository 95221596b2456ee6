package facts

import (
	"bytes"
	"strings"
)

const (
	maxPageNames = 500 // ids and blocks of one page
	maxPageLine  = 4000
)

// templateWords lead the name of another template, in Jinja, Twig, Liquid,
// Blade, ERB and Go templates.
var templateWords = set("extends include import from embed sourced template partial render includeIf includeWhen component layout section each use block define")

// pageLinks finds what a page or template is made of: blocks and templates it
// defines and ids as symbols; the scripts, styles and templates it takes in as
// imports. It is a line scanner: a tag over several lines is read where its
// attribute stands.
func pageLinks(src []byte, lines []int32) (syms []Symbol, imports []Import) {
	seen := map[string]bool{}
	name := func(n string, kind Kind, line int32) {
		if n == "" || len(n) > maxName || len(syms) >= maxPageNames || seen[n] || strings.ContainsAny(n, "{}<>$ ") {
			return
		}
		seen[n] = true
		syms = append(syms, Symbol{Name: n, Kind: kind, Parent: -1, DocStart: line, Start: line, SigEnd: line, End: line, Exported: true})
	}
	link := func(m string, line int32) {
		if i := strings.IndexAny(m, "?#"); i >= 0 {
			m = m[:i]
		}
		if m == "" || len(m) > maxName || len(imports) >= maxPageNames || strings.ContainsAny(m, "{}<>$ ,;") || strings.Contains(m, "://") || strings.HasPrefix(m, "//") || strings.HasPrefix(m, "data:") {
			return
		}
		imports = append(imports, Import{Module: m, Line: line})
	}
	for ln := range lines {
		end := len(src)
		if ln+1 < len(lines) {
			end = int(lines[ln+1])
		}
		b := src[lines[ln]:min(end, int(lines[ln])+maxPageLine)]
		line := int32(ln) + 1
		for i := 0; i < len(b); i++ {
			switch b[i] {
			case '<':
				tag := b[i:]
				if k := bytes.IndexByte(tag, '>'); k > 0 {
					tag = tag[:k]
				}
				switch {
				case bytes.HasPrefix(tag, []byte("<script")):
					link(attribute(tag, "src"), line)
				case bytes.HasPrefix(tag, []byte("<link")):
					link(attribute(tag, "href"), line)
				case bytes.HasPrefix(tag, []byte("<%")):
					pageDirective(b[i+2:], line, name, link)
				}
				name(attribute(tag, "id"), KindKey, line)
			case '{':
				if i+1 < len(b) && (b[i+1] == '%' || b[i+1] == '{') {
					pageDirective(b[i+2:], line, name, link)
					i++
				}
			case '@':
				if i == 0 || b[i-1] == ' ' || b[i-1] == '\t' || b[i-1] == '>' {
					pageDirective(b[i+1:], line, name, link)
				}
			}
		}
	}
	return syms, imports
}

// attribute returns the quoted value of an attribute of a tag.
func attribute(tag []byte, key string) string {
	for at := 0; ; {
		k := bytes.Index(tag[at:], []byte(key+"="))
		if k < 0 {
			return ""
		}
		k += at
		at = k + len(key) + 1
		if k == 0 || tag[k-1] != ' ' && tag[k-1] != '\t' && tag[k-1] != '\n' || at >= len(tag) {
			continue
		}
		q := tag[at]
		if q != '"' && q != '\'' {
			continue
		}
		if e := bytes.IndexByte(tag[at+1:], q); e >= 0 {
			return string(tag[at+1 : at+1+e])
		}
		return ""
	}
}

// pageDirective reads {% extends "x" %}, {{ template "x" . }}, {{> x }},
// <%= render "x" %>, @include('x') and {% block x %}.
func pageDirective(b []byte, line int32, name func(string, Kind, int32), link func(string, int32)) {
	b = bytes.TrimLeft(b, "-=~ \t")
	if len(b) > 0 && b[0] == '>' {
		b = bytes.TrimLeft(b[1:], " \t")
		link(string(b[:wordRun(b, "/.-")]), line)
		return
	}
	n := wordRun(b, "")
	word := string(b[:n])
	if !templateWords[word] {
		return
	}
	rest := bytes.TrimLeft(b[n:], " \t(:")
	if word == "render" || word == "partial" || word == "layout" {
		for _, key := range []string{"partial:", "template:", "layout:"} {
			rest = bytes.TrimLeft(bytes.TrimPrefix(rest, []byte(key)), " \t")
		}
	}
	target := ""
	if len(rest) > 0 && (rest[0] == '"' || rest[0] == '\'' || rest[0] == '`') {
		if e := bytes.IndexByte(rest[1:], rest[0]); e >= 0 {
			target = string(rest[1 : 1+e])
		}
	} else if word == "block" {
		target = string(rest[:wordRun(rest, "-")])
	}
	switch word {
	case "define", "block", "section":
		name(target, KindSection, line)
	default:
		link(target, line)
	}
}

// wordRun is the length of the word at the start of b; more are other bytes
// that belong to it.
func wordRun(b []byte, more string) int {
	n := 0
	for n < len(b) && (wordChar(b[n]) || strings.IndexByte(more, b[n]) >= 0) {
		n++
	}
	return n
}
