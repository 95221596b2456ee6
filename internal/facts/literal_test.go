package facts

import (
	"slices"
	"strings"
	"testing"

	"cohop/internal/text"
)

func TestLiterals(t *testing.T) {
	for _, c := range []struct{ lang, src, want, not string }{
		{"python", `x = "SameSite=None"; y = f('  padded  '); z = ""`, "SameSite=None|padded", ""},
		{"python", `# "in a comment"` + "\nx = '''long'''", "long", "in a comment"},
		{"go", "var a = \"--dry-run\"\nvar b = `raw string`", "--dry-run|raw string", ""},
		{"javascript", "f('/api/v1', `plain`, `a ${b}`)", "/api/v1|plain", "a ${b}"},
		{"java", `class A { String s = "java text"; }`, "java text", ""},
		{"c", `char *s = "c text";`, "c text", ""},
		{"rust", `const S: &str = "rust text"; const R: &str = r#"raw "q""#;`, `rust text`, ""},
		{"ruby", `x = "ruby text"`, "ruby text", "x"},
		{"scala", `val s = "scala text" // "no"`, "scala text", "no"},
		{"elixir", `x = "elixir text"`, "elixir text", ""},
		{"text", "run it with --foo-bar or --a; -x --- --Up", "--foo-bar", "--a|--Up|---|-x"},
		{"text", "ports 8080 and 3000, 100, 0100, 404 in 2024; 12; 1e5; v1234", "8080|404|2024|0100", "100|3000|12|1234"},
		{"text", "E1234 TS2345 ABC-123 ABC-x PEP8 HTTP2 A-1 X12Y CVE-2024 UTF-8", "E1234|TS2345|ABC-123|CVE-2024|UTF-8", "PEP8|HTTP2|X12Y|A-1"},
		{"python", `f("ab", "a1", "abc", "abcd", "a")`, "a1|abcd", "ab|abc|a"},
		{"python", "x = '" + strings.Repeat("a", maxLiteral) + "'; y = '" + strings.Repeat("b", maxLiteral+1) + "'",
			strings.Repeat("a", maxLiteral), strings.Repeat("b", maxLiteral+1)},
	} {
		f := Extract(c.lang, []byte(c.src))
		check(t, f)
		if !slices.IsSorted(f.Literals) {
			t.Errorf("%s: not sorted", c.src)
		}
		for _, w := range strings.Split(c.want, "|") {
			if !slices.Contains(f.Literals, text.LiteralHash(w)) {
				t.Errorf("%s %q: %q is missing", c.lang, c.src, w)
			}
		}
		for _, w := range strings.Split(c.not, "|") {
			if w != "" && slices.Contains(f.Literals, text.LiteralHash(w)) {
				t.Errorf("%s %q: %q is there", c.lang, c.src, w)
			}
		}
	}
}
