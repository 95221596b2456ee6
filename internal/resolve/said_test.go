package resolve

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cohop/internal/facts"
)

// What the index of a file says is what all of its references say, gone over
// one by one.
func TestSaid(t *testing.T) {
	words := []string{"", "Flow", "flow", "_flow", "$Flow", "fl_ow", "Sink", "sink", "this", "self", "write", "x", "_x", "X", "httpSink"}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 11))
		word := func() string { return words[r.IntN(len(words))] }
		fa := &facts.Facts{Lang: "kotlin"}
		for range r.IntN(30) {
			fa.Refs = append(fa.Refs, facts.Ref{Name: word(), Qualifier: word(), Kind: facts.RefKind(r.IntN(3)), Scope: int32(r.IntN(6)) - 1})
		}
		for range r.IntN(5) {
			fa.Symbols = append(fa.Symbols, facts.Symbol{Name: word(), Kind: facts.Kind(r.IntN(15)), Owner: word()})
		}
		for range r.IntN(3) {
			fa.Imports = append(fa.Imports, facts.Import{Module: "a." + word()})
		}
		sc := &scope{fa: fa}
		for _, a := range words {
			if got, want := sc.ownType(a), plainOwnType(fa, a); got != want {
				t.Fatalf("seed %d: ownType(%q) = %v", seed, a, got)
			}
			if got, want := sc.index().asType(a), plainAsType(fa, a); got != want {
				t.Fatalf("seed %d: asType(%q) = %v", seed, a, got)
			}
			if got, want := fmt.Sprint(sc.index().basesOf(a)), fmt.Sprint(plainBases(fa, a)); got != want {
				t.Fatalf("seed %d: basesOf(%q) = %v, want %v", seed, a, got, want)
			}
			behind := 0
			for r := range sc.index().behind(a) {
				behind++
				if r.Qualifier != a {
					t.Fatalf("seed %d: behind(%q): %+v", seed, a, r)
				}
			}
			for i := range fa.Refs {
				if fa.Refs[i].Qualifier == a {
					behind--
				}
			}
			if behind != 0 {
				t.Fatalf("seed %d: behind(%q): %d too many", seed, a, behind)
			}
			for _, b := range words {
				for range 2 { // made, then remembered
					if got, want := sc.receiverKnown(a, b), plainReceiverKnown(fa, a, b); got != want {
						t.Fatalf("seed %d: receiverKnown(%q, %q) = %d, want %d", seed, a, b, got, want)
					}
				}
			}
		}
	}
}

func plainOwnType(fa *facts.Facts, q string) bool {
	for i := range fa.Symbols {
		if s := &fa.Symbols[i]; isType(s.Kind) && s.Kind != facts.KindModule && reads(q, s.Name) == same {
			return true
		}
	}
	return false
}

func plainAsType(fa *facts.Facts, name string) bool {
	for i := range fa.Refs {
		if r := &fa.Refs[i]; r.Name == name && r.Qualifier == "" && r.Kind != facts.RefCall || r.Qualifier == name {
			return true
		}
	}
	return false
}

func plainBases(fa *facts.Facts, owner string) (out []int32) {
	for i := range fa.Refs {
		if b := &fa.Refs[i]; b.Kind == facts.RefBase && b.Scope >= 0 && int(b.Scope) < len(fa.Symbols) && fa.Symbols[b.Scope].Name == owner {
			out = append(out, int32(i))
		}
	}
	return out
}

func plainReceiverKnown(fa *facts.Facts, owner, name string) int {
	bare, called := false, false
	n := 0
	for i := range fa.Refs {
		r := &fa.Refs[i]
		if r.Name == name && r.Kind != facts.RefBase {
			called = true
			bare = bare || r.Qualifier == "" || isSelf(r.Qualifier)
			if owner != "" && reads(r.Qualifier, owner) == same {
				n = 5
			}
		}
		switch {
		case owner == "":
		case r.Name == owner && r.Kind == facts.RefBase:
			n = max(n, 2)
		case r.Name == owner || r.Qualifier == owner:
			n = max(n, 1)
		}
	}
	if owner == "" {
		if bare || !called {
			return 1
		}
		return 0
	}
	for i := range fa.Symbols {
		switch s := &fa.Symbols[i]; {
		case s.Name == owner && isType(s.Kind):
			if bare || !called {
				return 6
			}
			n = max(n, 4)
		case s.Owner == owner:
			n = max(n, 3)
		}
	}
	for i := range fa.Imports {
		if lastPart(fa.Imports[i].Module) == owner {
			n = max(n, 1)
		}
	}
	return n
}

// Files of many references: what each of them asks of the others is found
// without going over them all.
func BenchmarkManyReferences(b *testing.B) {
	const n = 32000
	for _, lang := range []string{"kotlin", "go"} {
		b.Run(lang, func(b *testing.B) {
			var text strings.Builder
			files := map[string]string{"go.mod": "prop module m.org/m"}
			switch lang {
			case "kotlin":
				text.WriteString("package q\nimport p: *\n")
				for i := range n {
					fmt.Fprintf(&text, "call it.write%d\ncall open\n", i%500)
				}
				var lib strings.Builder
				lib.WriteString("package p\n")
				for i := range 500 {
					fmt.Fprintf(&lib, "extend Flow.write%d\nextend Sink.write%d\n", i, i)
				}
				files["a/lib.kt"], files["b/use.kt"] = lib.String(), text.String()
			case "go":
				text.WriteString("package a\ntype T\nbase U in T\n")
				for i := range n {
					fmt.Fprintf(&text, "call :T.Go%d\ncall x.Own%d\n", i%500, i%500)
				}
				var lib strings.Builder
				lib.WriteString("package a\n")
				for i := range 500 {
					fmt.Fprintf(&lib, "def U.Go%d\ndef V.Own%d\n", i, i)
				}
				files["a/lib.go"], files["a/use.go"] = lib.String(), text.String()
			}
			tree := buildTree(b, files)
			for b.Loop() {
				Edges(tree, nil)
			}
		})
	}
}
