package facts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cohop/internal/fuzzwatch"
)

var fbKindNames = map[Kind]string{
	KindOther: "other", KindModule: "module", KindClass: "class", KindInterface: "interface", KindStruct: "struct", KindEnum: "enum",
	KindFunction: "func", KindMethod: "method", KindConst: "const", KindVar: "var", KindField: "field", KindType: "type", KindMacro: "macro",
	KindSection: "section", KindKey: "key",
}

// spell writes what the fallback found, a line a fact:
//
//	func name in Parent start-end [sig N] [doc N] [hidden]
//	import module [names] [as alias]
//	base Name in Scope
func spell(lang, src string) []string {
	b := []byte(src)
	syms, imports, refs, pkg := fallbackSymbols(lang, b, lineStarts(b))
	var out []string
	if pkg != "" {
		out = append(out, "package "+pkg)
	}
	for _, s := range syms {
		line := fbKindNames[s.Kind] + " " + s.Name
		if s.Parent >= 0 {
			line += " in " + syms[s.Parent].Name
		}
		line += fmt.Sprintf(" %d-%d", s.Start, s.End)
		if s.SigEnd != s.Start {
			line += fmt.Sprintf(" sig %d", s.SigEnd)
		}
		if s.DocStart != s.Start {
			line += fmt.Sprintf(" doc %d", s.DocStart)
		}
		if !s.Exported {
			line += " hidden"
		}
		out = append(out, line)
	}
	for _, i := range imports {
		line := "import " + i.Module
		if len(i.Names) > 0 {
			line += " (" + strings.Join(i.Names, " ") + ")"
		}
		if i.Alias != "" {
			line += " as " + i.Alias
		}
		if i.Relative != 0 {
			line += fmt.Sprintf(" relative %d", i.Relative)
		}
		if i.Mod {
			line += " mod"
		}
		if i.Reexport {
			line += " reexport"
		}
		out = append(out, line)
	}
	for _, r := range refs {
		if r.Kind == RefUse {
			continue
		}
		line := [...]string{RefCall: "call", RefBase: "base", RefDecorator: "decorator"}[r.Kind] + " "
		if r.Qualifier != "" {
			line += r.Qualifier + " . "
		}
		line += r.Name
		if r.Scope >= 0 {
			line += " in " + syms[r.Scope].Name
		}
		out = append(out, line)
	}
	return out
}

func TestFallback(t *testing.T) {
	for _, tt := range slices.Concat(fallbackCases, scriptCases, moreCases, plainCases) {
		t.Run(tt.lang+"/"+tt.name, func(t *testing.T) {
			got := strings.Join(spell(tt.lang, tt.src), "\n")
			if want := strings.TrimSpace(tt.want); got != want {
				t.Errorf("source:\n%s\ngot:\n%s\nwant:\n%s", tt.src, got, want)
			}
		})
	}
}

// checkSpans fails the test unless the symbols keep the contract of
// fallbackSymbols.
func checkSpans(t *testing.T, lang string, src []byte) {
	t.Helper()
	lines := lineStarts(src)
	syms, imports, refs, _ := fallbackSymbols(lang, src, lines)
	n := int32(len(lines))
	for i, s := range syms {
		if s.DocStart < 1 || s.DocStart > s.Start || s.Start > s.SigEnd || s.SigEnd > s.End || s.End > n {
			t.Fatalf("%s: %q: doc %d start %d signature %d end %d of %d lines", lang, s.Name, s.DocStart, s.Start, s.SigEnd, s.End, n)
		}
		if s.Name == "" {
			t.Fatalf("%s: symbol %d has no name", lang, i)
		}
		if int(s.Parent) >= i || s.Parent < -1 {
			t.Fatalf("%s: %q: parent %d of symbol %d", lang, s.Name, s.Parent, i)
		}
		if s.Parent >= 0 {
			if p := syms[s.Parent]; p.Start > s.Start || p.End < s.End {
				t.Fatalf("%s: %q (%d-%d) is outside of its parent %q (%d-%d)", lang, s.Name, s.Start, s.End, p.Name, p.Start, p.End)
			}
		}
		if i > 0 && (syms[i-1].Start > s.Start || syms[i-1].Start == s.Start && syms[i-1].End < s.End) {
			t.Fatalf("%s: %q and %q are out of order", lang, syms[i-1].Name, s.Name)
		}
	}
	for _, im := range imports {
		if im.Module == "" && im.Relative == 0 || im.Line < 1 || im.Line > n {
			t.Fatalf("%s: import %+v of %d lines", lang, im, n)
		}
	}
	if len(refs) > maxFallbackRefs {
		t.Fatalf("%s: %d references", lang, len(refs))
	}
	for _, r := range refs {
		if r.Scope < -1 || int(r.Scope) >= len(syms) || r.Name == "" || r.N < 1 {
			t.Fatalf("%s: reference %+v of %d symbols", lang, r, len(syms))
		}
	}
}

// TestFallbackMutations cuts and repeats every case in every language: spans
// stay in bounds whatever the text is.
func TestFallbackMutations(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	langs := make([]string, 0, len(fbLangs))
	for l := range fbLangs {
		langs = append(langs, l)
	}
	langs = append(langs, "markdown", "rst", "asciidoc", "org", "tex", "yaml", "toml", "json", "ini", "vue", "nothing")
	for _, tt := range slices.Concat(fallbackCases, scriptCases, moreCases, plainCases) {
		for _, l := range langs {
			src := []byte(tt.src)
			for range 4 {
				checkSpans(t, l, src)
				if len(src) < 2 {
					break
				}
				from, to := rnd.IntN(len(src)), rnd.IntN(len(src))
				if from > to {
					from, to = to, from
				}
				src = append(append([]byte{}, src[:from]...), src[to:]...)
			}
		}
	}
}

// TestFallbackHostile holds texts that would make a careless search
// quadratic. A regression shows as a test that does not come back.
func TestFallbackHostile(t *testing.T) {
	const n = 1 << 16
	for l := range fbLangs {
		for _, piece := range []string{"{", "(", "}", "<", "[", "fun a(", "class A { ", "def a\n", "function a() {", "a.b ", "\"", "'", "/*", "-", "#", "`", "${", "~r/", "<<A\n", "[=[", "\\", "a<", "=\n", "x = {\n ", "/[", "----|", "?", "data A = A { ", "'a", "if(", "a(\n"} {
			checkSpans(t, l, []byte(strings.Repeat(piece, n/len(piece)/4)))
		}
	}
}

func FuzzFallback(f *testing.F) {
	for _, tt := range slices.Concat(fallbackCases, scriptCases, moreCases, plainCases) {
		f.Add(tt.lang, []byte(tt.src))
	}
	f.Fuzz(func(t *testing.T, lang string, src []byte) {
		if len(src) > 1<<16 {
			return
		}
		fuzzwatch.Input(t, func() {
			checkSpans(t, lang, src)
			manifestProps(lang, src)
		})
	})
}

func BenchmarkFallback(b *testing.B) {
	for _, tt := range slices.Concat(fallbackCases, scriptCases, moreCases, plainCases) {
		src := []byte(strings.Repeat(tt.src+"\n", 1+(64<<10)/len(tt.src)))
		lines := lineStarts(src)
		b.Run(tt.lang+"/"+tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				fallbackSymbols(tt.lang, src, lines)
			}
		})
	}
}
