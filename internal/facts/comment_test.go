package facts

import (
	"strings"
	"testing"
)

func TestLex(t *testing.T) {
	for _, c := range []struct{ lang, src, comments, strs string }{
		{"scala", `a "s//no" // yes` + "\n/* one\ntwo */ b 'x", "// yes|/* one\ntwo */", "s//no"},
		{"kotlin", `/* a /* b */ c */ x = """raw " text""" + "e\"s"`, "/* a /* b */ c */", `raw " text|e\"s`},
		{"bash", "echo \"a # b\" ${#x} # real\n#!start", "# real|#!start", "a # b"},
		{"lua", "x = [[long]] --[[block\n]] y -- line", "--[[block\n]]|-- line", "long"},
		{"haskell", "f x' = \"s\" {- a {- b -} -} -- c", "{- a {- b -} -}|-- c", "s"},
		{"elixir", "@doc \"\"\"\nText\n\"\"\"\nx = \"\"\"\nheredoc\n\"\"\" # c", "\nText\n|# c", "\nheredoc\n"},
		{"zig", "const a = 'x'; // c 'd\nconst b = \"s\";", "// c 'd", "s"},
		{"swift", "let it = \"don't\" // isn't", "// isn't", "don't"},
		{"sql", "SELECT 'a--b' -- c", "-- c", "a--b"},
		{"html", "<!-- c --> <a href=\"x\">it's</a>", "<!-- c -->", "x"},
		{"json", `{"a": "b"}`, "", "a|b"},
		{"text", "# not a comment \"nor a string\"", "", ""},
		{"php", "# a\n// b\n/* open", "# a|// b|/* open", ""},
		{"csharp", "var s = \"open\nvar t = \"closed\";", "", "closed"},
	} {
		comments, strs := lex(c.lang, []byte(c.src))
		join := func(spans []span) string {
			var out []string
			for _, s := range spans {
				out = append(out, c.src[s.start:s.end])
			}
			return strings.Join(out, "|")
		}
		if got := join(comments); got != c.comments {
			t.Errorf("%s %q: comments %q, want %q", c.lang, c.src, got, c.comments)
		}
		if got := join(strs); got != c.strs {
			t.Errorf("%s %q: strings %q, want %q", c.lang, c.src, got, c.strs)
		}
	}
}

func FuzzLex(f *testing.F) {
	f.Add("kotlin", []byte("/* a /* b */ c */ \"\"\"x"))
	f.Add("vim", []byte("\n\" c"))
	f.Fuzz(func(t *testing.T, lang string, src []byte) {
		if syntaxes[lang] == nil {
			lang = "kotlin"
		}
		comments, strs := lex(lang, src)
		for _, spans := range [][]span{comments, strs} {
			last := int32(0)
			for _, s := range spans {
				if s.start < last || s.end < s.start || int(s.end) > len(src) {
					t.Fatalf("span %v after %d of %d bytes", s, last, len(src))
				}
				last = s.end
			}
		}
	})
}
