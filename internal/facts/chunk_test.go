package facts

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// spans writes chunks as "start-end name".
func spans(f *Facts) string {
	var out []string
	for _, c := range f.Chunks {
		name := "-"
		if c.Symbol >= 0 {
			name = f.Symbols[c.Symbol].Name
		}
		out = append(out, fmt.Sprintf("%d-%d %s", c.Start, c.End, name))
	}
	return strings.Join(out, ", ")
}

// def returns a Python function of n lines.
func def(name string, n int) string {
	return "def " + name + "():\n" + strings.Repeat("    x = y\n", n-1)
}

func TestTile(t *testing.T) {
	method := func(name string, n int) string {
		return "    def " + name + "(self):\n" + strings.Repeat("        x = y\n", n-1)
	}
	for _, c := range []struct{ name, lang, src, want string }{
		{"small neighbours merge up to 40 lines", "python",
			// 1+1 lines, then functions of 10 lines: 2+10+10+10 = 32, with the next 42
			"import a\n\n" + def("f", 10) + def("g", 10) + def("h", 10) + def("i", 10),
			"1-32 f, 33-42 i"},
		{"a function up to 80 lines stays whole", "python",
			def("f", 80) + def("g", 5), "1-80 f, 81-85 g"},
		{"a longer one is cut, and the pieces are its own", "python",
			// pieces of about 40 lines; all cuts are alike, so the cost decides: 40, 40, 11 lines left over join to 51
			def("f", 91), "1-40 f, 41-91 f"},
		{"blank lines cut better than others", "python",
			"def f():\n" + strings.Repeat("    x = y\n", 34) + "\n" + strings.Repeat("    x = y\n", 55),
			"1-36 f, 37-91 f"},
		{"a big class is cut along its methods", "python",
			"class A:\n    a = 1\n\n" + method("f", 30) + "\n" + method("g", 30) + "\n" + method("h", 8),
			// g and h with the blank between them are 39 lines
			"1-34 A, 35-73 g"},
		{"a comment belongs to what follows", "python",
			def("f", 30) + "\n# about g\n" + def("g", 30), "1-31 f, 32-62 g"},
		{"a bracket closes what was before", "javascript",
			"const a = {\n" + strings.Repeat("  m() {\n    return 1;\n  },\n", 20) + "};\n", "1-40 a, 41-62 m"},
		{"text is cut at blank lines", "text",
			strings.Repeat("word\n", 37) + "\n" + strings.Repeat("word\n", 40), "1-38 -, 39-78 -"},
		{"sections of a document", "markdown",
			"# One\n\n" + strings.Repeat("word\n", 30) + "\n## Two\n\n" + strings.Repeat("word\n", 30), "1-33 One, 34-65 Two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Extract(c.lang, []byte(c.src))
			check(t, f)
			if got := spans(f); got != c.want {
				t.Errorf("chunks %s, want %s", got, c.want)
			}
		})
	}
}

// Whatever the symbols are, the chunks tile the file, and none but a single
// line or a whole function is much over the size.
func TestTileRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b strings.Builder
		n := 1 + rnd.IntN(300)
		for range n {
			b.WriteString(strings.Repeat(" ", rnd.IntN(3)*4) + []string{"", "}", "word", strings.Repeat("w", rnd.IntN(400)), "word word"}[rnd.IntN(5)] + "\n")
		}
		src := []byte(b.String())
		lines := lineStarts(src)
		f := &Facts{Lines: int32(len(lines))}
		for range rnd.IntN(40) {
			s := Symbol{Name: "s", Kind: Kind(rnd.IntN(15)), Parent: int32(rnd.IntN(40)) - 1}
			s.DocStart = int32(rnd.IntN(n+4)) - 1
			s.Start = s.DocStart + int32(rnd.IntN(3))
			s.SigEnd = s.Start + int32(rnd.IntN(2))
			s.End = s.Start + int32(rnd.IntN(120))
			f.Symbols = append(f.Symbols, s)
		}
		f.normalise()
		f.Chunks = tile(src, lines, f.Symbols)
		f.fillTerms(src, lines, nil)
		check(t, f)
		for _, c := range f.Chunks {
			if h := c.End - c.Start + 1; h > chunkMaxLines+chunkLines {
				t.Fatalf("chunk of %d lines", h)
			}
		}
	}
}
