package facts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var kindNames = map[Kind]string{
	KindOther: "other", KindModule: "module", KindClass: "class", KindInterface: "interface", KindStruct: "struct", KindEnum: "enum",
	KindFunction: "func", KindMethod: "method", KindConst: "const", KindVar: "var", KindField: "field", KindType: "type",
	KindMacro: "macro", KindSection: "section", KindKey: "key",
}

// symbolLines writes symbols as "kind Parent.name start-end", with what is
// special behind: sig=N where the signature ends below its first line, doc=N,
// of=Owner, private.
func symbolLines(f *Facts) []string {
	var out []string
	for _, s := range f.Symbols {
		name := s.Name
		if s.Parent >= 0 {
			name = f.Symbols[s.Parent].Name + "." + name
		}
		l := fmt.Sprintf("%s %s %d-%d", kindNames[s.Kind], name, s.Start, s.End)
		if s.SigEnd != s.Start {
			l += fmt.Sprintf(" sig=%d", s.SigEnd)
		}
		if s.DocStart != s.Start {
			l += fmt.Sprintf(" doc=%d", s.DocStart)
		}
		if s.Owner != "" {
			l += " of=" + s.Owner
		}
		if !s.Exported {
			l += " private"
		}
		out = append(out, l)
	}
	return out
}

// importLines writes imports as "module names as alias", relative ones behind
// as many dots.
func importLines(f *Facts) []string {
	var out []string
	for _, m := range f.Imports {
		l := strings.Repeat(".", int(m.Relative)) + m.Module
		if len(m.Names) > 0 {
			l += " {" + strings.Join(m.Names, " ") + "}"
		}
		if m.Alias != "" {
			l += " as " + m.Alias
		}
		if m.Reexport {
			l += " reexport"
		}
		if m.Mod {
			l += " mod"
		}
		out = append(out, l)
	}
	return out
}

// refLines writes refs as "scope: qualifier.name", followed by ( for a call,
// < for a base, @ for a decorator, and the count.
func refLines(f *Facts) []string {
	var out []string
	for _, r := range f.Refs {
		l := ""
		if r.Scope >= 0 {
			l = f.Symbols[r.Scope].Name
		}
		l += ": "
		if r.Qualifier != "" {
			l += r.Qualifier + "."
		}
		l += r.Name + [...]string{"", "(", "<", "@"}[r.Kind]
		if r.N != 1 {
			l += fmt.Sprintf(" %d", r.N)
		}
		out = append(out, l)
	}
	return out
}

func diff(t *testing.T, what string, got []string, want string) {
	t.Helper()
	var lines []string
	for _, l := range strings.Split(want, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	if slices.Equal(got, lines) {
		return
	}
	for _, l := range got {
		if !slices.Contains(lines, l) {
			t.Errorf("%s: unwanted %q", what, l)
		}
	}
	for _, l := range lines {
		if !slices.Contains(got, l) {
			t.Errorf("%s: missing %q", what, l)
		}
	}
	if !t.Failed() {
		t.Errorf("%s: order is\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

type langCase struct {
	lang, src              string
	symbols, imports, refs string
	pkg                    string
}

func (c langCase) run(t *testing.T) {
	f := Extract(c.lang, []byte(c.src))
	check(t, f)
	if f.Flags&(ParseError|Fallback) != 0 {
		t.Errorf("flags %b", f.Flags)
	}
	if f.Package != c.pkg {
		t.Errorf("package %q, want %q", f.Package, c.pkg)
	}
	diff(t, "symbol", symbolLines(f), c.symbols)
	diff(t, "import", importLines(f), c.imports)
	diff(t, "ref", refLines(f), c.refs)
}

func TestLanguages(t *testing.T) {
	for _, c := range langCases {
		t.Run(c.lang, c.run)
	}
}
