package facts

import (
	"bytes"
	"strings"
)

// syntax says how a language writes comments and strings, for files that no
// grammar reads. It is a lexer's view: good enough to tell prose from code.
type syntax struct {
	line   []string    // start of comments that end with the line
	block  [][2]string // comments over lines
	long   [][2]string // strings over lines, raw
	quotes string      // quotes of strings that end with the line, with backslash escapes
	doc    string      // long strings right behind this word are documentation: "@doc"
	nest   bool        // block comments nest
	apos   bool        // ' is also part of words and types: 'a, x' (then only 'c' is a string)
}

var cLike = syntax{line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`}

var hashLike = syntax{line: []string{"#"}, quotes: `"'`}

// syntaxes by language id; what is not here has no comments.
var syntaxes = map[string]*syntax{
	"c": &cLike, "cpp": &cLike, "java": &cLike, "objc": &cLike, "solidity": &cLike, "protobuf": &cLike,
	"javascript": {line: cLike.line, block: cLike.block, quotes: "\"'`"},
	"typescript": {line: cLike.line, block: cLike.block, quotes: "\"'`"},
	"tsx":        {line: cLike.line, block: cLike.block, quotes: "\"'`"},
	"vue":        {line: cLike.line, block: [][2]string{{"/*", "*/"}, {"<!--", "-->"}}, quotes: "\"'`"},
	"svelte":     {line: cLike.line, block: [][2]string{{"/*", "*/"}, {"<!--", "-->"}}, quotes: "\"'`"},
	"go":         {line: cLike.line, block: cLike.block, long: [][2]string{{"`", "`"}}, quotes: `"'`},
	"rust":       {line: cLike.line, block: cLike.block, quotes: `"`, nest: true, apos: true},
	"csharp":     {line: cLike.line, block: cLike.block, long: [][2]string{{`"""`, `"""`}}, quotes: `"'`},
	"kotlin":     {line: cLike.line, block: cLike.block, long: [][2]string{{`"""`, `"""`}}, quotes: `"'`, nest: true},
	"scala":      {line: cLike.line, block: cLike.block, long: [][2]string{{`"""`, `"""`}}, quotes: `"`, nest: true, apos: true},
	"swift":      {line: cLike.line, block: cLike.block, long: [][2]string{{`"""`, `"""`}}, quotes: `"`, nest: true},
	"dart":       {line: cLike.line, block: cLike.block, long: [][2]string{{`"""`, `"""`}, {"'''", "'''"}}, quotes: `"'`},
	"groovy":     {line: cLike.line, block: cLike.block, long: [][2]string{{`"""`, `"""`}, {"'''", "'''"}}, quotes: `"'`},
	"php":        {line: []string{"//", "#"}, block: cLike.block, quotes: `"'`},
	"zig":        {line: []string{"//"}, quotes: `"`, apos: true},
	"css":        {block: cLike.block, quotes: `"'`},
	"scss":       &cLike, "less": &cLike, "graphql": {line: []string{"#"}, long: [][2]string{{`"""`, `"""`}}, quotes: `"`},
	"python": {line: []string{"#"}, long: [][2]string{{`"""`, `"""`}, {"'''", "'''"}}, quotes: `"'`},
	"ruby":   {line: []string{"#"}, block: [][2]string{{"\n=begin", "\n=end"}}, quotes: `"'`},
	"elixir": {line: []string{"#"}, long: [][2]string{{`"""`, `"""`}}, quotes: `"`, doc: "doc", apos: true},
	"bash":   &hashLike, "perl": {line: []string{"#"}, block: [][2]string{{"\n=pod", "\n=cut"}, {"\n=head", "\n=cut"}}, quotes: `"'`},
	"r": &hashLike, "yaml": &hashLike, "dockerfile": &hashLike, "makefile": &hashLike, "powershell": {line: []string{"#"}, block: [][2]string{{"<#", "#>"}}, quotes: `"'`},
	"cmake": {line: []string{"#"}, block: [][2]string{{"#[[", "]]"}}, quotes: `"`}, "nix": {line: []string{"#"}, block: cLike.block, quotes: `"`, apos: true},
	"julia": {line: []string{"#"}, block: [][2]string{{"#=", "=#"}}, long: [][2]string{{`"""`, `"""`}}, quotes: `"`, apos: true},
	"toml":  {line: []string{"#"}, long: [][2]string{{`"""`, `"""`}, {"'''", "'''"}}, quotes: `"'`}, "ini": {line: []string{"#", ";"}, quotes: `"`},
	"cargo": {line: []string{"#"}, quotes: `"'`}, "pyproject": {line: []string{"#"}, quotes: `"'`},
	"hcl":     {line: []string{"#", "//"}, block: cLike.block, quotes: `"`},
	"lua":     {line: []string{"--"}, block: [][2]string{{"--[[", "]]"}, {"--[=[", "]=]"}}, long: [][2]string{{"[[", "]]"}}, quotes: `"'`},
	"haskell": {line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, quotes: `"`, nest: true, apos: true},
	"elm":     {line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, quotes: `"`, nest: true, apos: true},
	"sql":     {line: []string{"--"}, block: cLike.block, quotes: `"'`},
	"erlang":  {line: []string{"%"}, quotes: `"`, apos: true},
	"clojure": {line: []string{";"}, quotes: `"`, apos: true},
	"fsharp":  {line: []string{"//"}, block: [][2]string{{"(*", "*)"}}, long: [][2]string{{`"""`, `"""`}}, quotes: `"`, apos: true},
	"ocaml":   {block: [][2]string{{"(*", "*)"}}, quotes: `"`, nest: true, apos: true},
	"vim":     {line: []string{"\n\""}, quotes: `'`},
	"html":    {block: [][2]string{{"<!--", "-->"}}, quotes: `"`}, "xml": {block: [][2]string{{"<!--", "-->"}}, quotes: `"`},
	"json": {quotes: `"`}, "package.json": {quotes: `"`}, "composer": {quotes: `"`},
	"tsconfig": {line: cLike.line, block: cLike.block, quotes: `"`}, "gomod": {line: []string{"//"}},
	"mix": {line: []string{"#"}, long: [][2]string{{`"""`, `"""`}}, quotes: `"`, apos: true},
}

// lex returns the comments of src with their marks, doc strings among them, and
// the contents of its strings, in order.
func lex(lang string, src []byte) (comments, strs []span) {
	sy := syntaxes[lang]
	if sy == nil {
		return nil, nil
	}
	var starts [256]bool
	mark := func(s string) { starts[s[0]] = true }
	for _, s := range sy.line {
		mark(s)
	}
	for _, p := range sy.block {
		mark(p[0])
	}
	for _, p := range sy.long {
		mark(p[0])
	}
	for i := range len(sy.quotes) {
		starts[sy.quotes[i]] = true
	}
	if sy.apos {
		starts['\''] = true
	}
	for i := 0; i < len(src); {
		if !starts[src[i]] {
			i++
			continue
		}
		if end, ok := sy.comment(src, i); ok {
			comments = append(comments, span{int32(i), int32(end)})
			i = end
			continue
		}
		if open, end, next, ok := sy.longString(src, i); ok {
			s := span{int32(open), int32(end)}
			if sy.docBefore(lang, src, i) {
				comments = append(comments, s)
			} else {
				strs = append(strs, s)
			}
			i = next
			continue
		}
		c := src[i]
		if c == '\'' && sy.apos {
			// 'x' and '\n' are literals; what else begins with ' is a name.
			if i+2 < len(src) && src[i+1] != '\\' && src[i+2] == '\'' {
				i += 3
			} else if i+3 < len(src) && src[i+1] == '\\' && src[i+3] == '\'' {
				i += 4
			} else {
				i++
			}
			continue
		}
		if strings.IndexByte(sy.quotes, c) < 0 {
			i++
			continue
		}
		j := i + 1
		for j < len(src) && src[j] != c && src[j] != '\n' {
			if src[j] == '\\' {
				j++
			}
			j++
		}
		j = min(j, len(src))
		if j < len(src) && src[j] == c {
			strs = append(strs, span{int32(i + 1), int32(j)})
			i = j + 1
			continue
		}
		i++ // an apostrophe in prose, or a string that does not end
	}
	return comments, strs
}

// comment returns the end of the comment that begins at i.
func (sy *syntax) comment(src []byte, i int) (end int, ok bool) {
	for _, p := range sy.block {
		if !bytes.HasPrefix(src[i:], []byte(p[0])) {
			continue
		}
		depth, j := 1, i+len(p[0])
		for depth > 0 {
			k := bytes.Index(src[j:], []byte(p[1]))
			if k < 0 {
				return len(src), true
			}
			if sy.nest {
				depth += bytes.Count(src[j:j+k], []byte(p[0]))
			}
			depth--
			j += k + len(p[1])
		}
		return j, true
	}
	for _, s := range sy.line {
		if !bytes.HasPrefix(src[i:], []byte(s)) {
			continue
		}
		if s == "#" && i > 0 && !blank(src[i-1]) && src[i-1] != ';' {
			continue // ${#a}, $#, a#b
		}
		if n := bytes.IndexByte(src[i+1:], '\n'); n >= 0 {
			return i + 1 + n, true
		}
		return len(src), true
	}
	return 0, false
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// longString returns where the content of the long string at i begins and
// ends, and what follows the string.
func (sy *syntax) longString(src []byte, i int) (open, end, next int, ok bool) {
	for _, p := range sy.long {
		if bytes.HasPrefix(src[i:], []byte(p[0])) {
			open = i + len(p[0])
			k := bytes.Index(src[open:], []byte(p[1]))
			if k < 0 {
				return 0, 0, 0, false
			}
			return open, open + k, open + k + len(p[1]), true
		}
	}
	return 0, 0, 0, false
}

// docBefore says whether the long string at i documents something: it stands
// behind the language's word for that, or is a statement of its own.
func (sy *syntax) docBefore(lang string, src []byte, i int) bool {
	at := bytes.LastIndexByte(src[:i], '\n') + 1
	before := bytes.TrimSpace(src[at:i])
	if sy.doc != "" {
		return bytes.HasPrefix(before, []byte("@")) && bytes.Contains(before, []byte(sy.doc))
	}
	return len(before) == 0 && (lang == "python" || lang == "julia" || lang == "graphql")
}
