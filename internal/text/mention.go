package text

import (
	"path"
	"strings"
)

// mention takes a token that names a file: "a/b.go:12", "b.py", "pkg/sub",
// "pkg.sub.mod", "pkg::sub".
func (p *parser) mention(w string, frame bool) {
	w = strings.ReplaceAll(w, "\\", "/")
	line := 0
	if file, rest, ok := strings.Cut(w, ":"); ok && !strings.HasPrefix(rest, ":") {
		if n := number(rest); n > 0 {
			w, line = file, n
		}
	}
	if pathLike(w) {
		p.addMention(Mention{Path: w, Line: line, Frame: frame})
		return
	}
	// A module path: at least two names joined by dots or "::", none empty.
	mod := strings.ReplaceAll(w, "::", ".")
	if i := strings.IndexByte(mod, '('); i >= 0 {
		mod = mod[:i]
	}
	if strings.Count(mod, ".") == 0 || strings.ContainsAny(mod, "/@=<>+*&^%$#!~,;") {
		return
	}
	for _, part := range strings.Split(mod, ".") {
		if part == "" || part[0] >= '0' && part[0] <= '9' {
			return
		}
	}
	p.addMention(Mention{Path: strings.ReplaceAll(mod, ".", "/"), Module: true, Frame: frame})
}

func (p *parser) addMention(m Mention) {
	m.Path = strings.TrimLeft(path.Clean(m.Path), "/.")
	m.Fenced = p.fenced && !m.Frame
	if m.Path == "" || len(m.Path) > 400 || p.seen[m] || len(p.t.Mentions) >= 200 {
		return
	}
	p.seen[m] = true
	p.t.Mentions = append(p.t.Mentions, m)
}

// pathLike tells paths from prose: a slash between names with an extension or
// at least two slashes, or a bare file name with a known kind of extension.
func pathLike(w string) bool {
	if len(w) < 3 || strings.ContainsAny(w, "(){}[]<>\"'`,;=&|*?$ ") {
		return false
	}
	base := path.Base(w)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	if stem == "" || stem == "." {
		return false
	}
	if strings.Contains(w, "/") {
		return len(ext) > 1 && len(ext) <= 9 || strings.Count(strings.Trim(w, "/"), "/") >= 1
	}
	return fileExtensions[strings.TrimPrefix(ext, ".")]
}

// fileExtensions are those that make a bare "name.ext" a file rather than an
// attribute or a sentence without its blank.
var fileExtensions = set(`py pyi pyx go js jsx mjs cjs ts tsx mts cts java kt kts scala c h cc cpp cxx hpp hh hxx cs rs rb php swift sh bash zsh lua ex exs hs zig
dart pl pm r jl m mm vue svelte sol erl clj fs ml sql proto tf md rst adoc txt yaml yml toml json ini cfg conf xml html css scss less gradle cmake mk lock mod sum ipynb tex csv`)

// frame takes the file and the function of a stack frame and says whether s is
// one.
func (p *parser) frame(s string) bool {
	s = strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(s, `File "`): // Python
		file, rest, ok := strings.Cut(s[6:], `"`)
		if !ok {
			return false
		}
		line := 0
		if _, after, ok := strings.Cut(rest, "line "); ok {
			line = number(after)
		}
		file = strings.ReplaceAll(file, "\\", "/")
		// Only what follows the installation's folder can stand in the tree.
		for _, mark := range []string{"/site-packages/", "/dist-packages/"} {
			if _, after, ok := strings.Cut(file, mark); ok {
				file = after
			}
		}
		p.addMention(Mention{Path: file, Line: line, Frame: true})
		return true
	case strings.HasPrefix(s, "at ") && strings.HasSuffix(s, ")"): // Java, JavaScript
		i := strings.LastIndexByte(s, '(')
		if i < 0 {
			return false
		}
		p.mention(strings.TrimSuffix(s[i+1:], ")"), true)
		return true
	case strings.HasPrefix(s, "Traceback (most recent call last)"), strings.HasPrefix(s, "goroutine ") && strings.HasSuffix(s, "]:"):
		return true
	}
	return false
}

// number reads the decimal digits at the start of s, 0 if none or too many.
func number(s string) int {
	n := 0
	for i := 0; i < len(s) && i < 9 && s[i] >= '0' && s[i] <= '9'; i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n
}
