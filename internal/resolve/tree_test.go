package resolve

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"testing"

	"cohop/internal/facts"
)

// A file of a test tree is a path and lines of facts, one a line:
//
//	lang x            language
//	package x         Facts.Package
//	def name          top-level function; def A.b is a method of class A
//	type name         top-level class
//	iface name        top-level interface
//	extend A.b        top-level function that extends A
//	hidden name       top-level function that is not exported
//	inner A.name      class in class A
//	module name +2    module of three lines
//	import m          the module itself
//	import m: a, b=c  names taken from it; =: alias
//	import ..m: a     leading dots: Relative
//	export m: a       the same, re-exported
//	mod m             Rust mod
//	alias A=m         OCaml's module A = m
//	call a; call q.a  use, base, generic (a use with type arguments) likewise
//	prop key value

func buildTree(t testing.TB, files map[string]string) *MemTree {
	t.Helper()
	var paths []string
	for p := range files {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	var fs []*facts.Facts
	for _, p := range paths {
		fs = append(fs, parseFacts(t, p, files[p]))
	}
	return memTree(paths, fs)
}

// memTree is LoadMemTree of facts that are there; those missing behind fs are nil.
func memTree(paths []string, fs []*facts.Facts) *MemTree {
	return LoadMemTree(paths, func(f int32) *facts.Facts {
		if int(f) < len(fs) {
			return fs[f]
		}
		return nil
	})
}

func parseFacts(t testing.TB, p, text string) *facts.Facts {
	f := &facts.Facts{Lang: facts.Language(p, nil)}
	owner := map[string]int32{}
	imp := func(s string) facts.Import {
		im := facts.Import{}
		s, names, has := strings.Cut(s, ": ")
		if f.Lang == "python" {
			for strings.HasPrefix(s, ".") {
				im.Relative++
				s = s[1:]
			}
		}
		if has {
			for _, n := range strings.Split(names, ", ") {
				a, b, ok := strings.Cut(n, "=")
				if ok {
					im.Alias = b
				}
				im.Names = append(im.Names, a)
			}
		} else if a, b, ok := strings.Cut(s, "="); ok {
			s, im.Alias = a, b
		}
		im.Module = s
		return im
	}
	for n, line := range strings.Split(text, "\n") {
		at := int32(n + 1)
		verb, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		ref := func(k facts.RefKind) {
			q, n := "", arg
			if i := strings.LastIndexAny(arg, "."); i >= 0 {
				q, n = arg[:i], arg[i+1:]
			}
			f.Refs = append(f.Refs, facts.Ref{Name: n, Qualifier: q, Kind: k, N: 1, Scope: -1})
		}
		switch verb {
		case "":
		case "lang":
			f.Lang = arg
		case "package":
			f.Package = arg
		case "def", "type", "field", "module", "inner", "const", "macro", "iface", "extend", "hidden":
			name, more, _ := strings.Cut(arg, " +")
			arg = name
			var rows int32
			fmt.Sscan(more, &rows)
			s := facts.Symbol{Name: arg, Kind: facts.KindFunction, Parent: -1, Exported: true, Start: at, SigEnd: at, End: at + rows}
			switch verb {
			case "type":
				s.Kind = facts.KindClass
				owner[arg] = int32(len(f.Symbols))
			case "iface":
				s.Kind = facts.KindInterface
			case "hidden":
				s.Exported = false
			case "field":
				s.Kind = facts.KindField
			case "module":
				s.Kind = facts.KindModule
			case "inner":
				s.Kind = facts.KindClass
			case "const":
				s.Kind = facts.KindConst
			case "macro":
				s.Kind = facts.KindMacro
			}
			if a, b, ok := strings.Cut(arg, "."); ok && verb != "type" {
				if verb == "def" {
					s.Kind = facts.KindMethod
				}
				s.Name = b
				if at, ok := owner[a]; ok {
					s.Parent = at
				} else {
					s.Owner = a
				}
			}
			f.Symbols = append(f.Symbols, s)
		case "import", "export", "quoted", "mod":
			im := imp(arg)
			im.Reexport = verb == "export"
			im.Mod = verb == "mod"
			im.Line = at
			if verb == "quoted" {
				im.Relative = 1
			}
			f.Imports = append(f.Imports, im)
		case "alias":
			name, module, _ := strings.Cut(arg, "=")
			f.Symbols = append(f.Symbols, facts.Symbol{Name: name, Kind: facts.KindModule, Parent: -1, Start: at, SigEnd: at, End: at, Exported: true})
			f.Imports = append(f.Imports, facts.Import{Module: module, Alias: name, Line: at})
		case "call":
			ref(facts.RefCall)
		case "use":
			ref(facts.RefUse)
		case "generic":
			ref(facts.RefUse)
			f.Refs[len(f.Refs)-1].Generic = true
		case "base":
			ref(facts.RefBase)
		case "prop":
			k, v, _ := strings.Cut(arg, " ")
			f.Props = append(f.Props, facts.Prop{Key: k, Value: v})
		default:
			t.Fatalf("%s: unknown verb %q", p, verb)
		}
	}
	return f
}

var kindNames = [...]string{"import", "call", "use"}

// edgeText lists edges as "from kind to weight", one a line.
func edgeText(t *MemTree, edges []Edge) string {
	var b strings.Builder
	for _, e := range edges {
		fmt.Fprintf(&b, "%s %s %s %.2f\n", t.Path(e.From), kindNames[e.Kind], t.Path(e.To), e.Weight)
	}
	return b.String()
}

// wantEdges checks the edges that leave the files listed in want, given as
// edgeText has them; blank lines and indentation aside.
func wantEdges(t *testing.T, files map[string]string, want string) []Stat {
	t.Helper()
	tree := buildTree(t, files)
	edges, stats := Edges(tree, nil)
	got := strings.Split(strings.TrimSpace(edgeText(tree, edges)), "\n")
	var exp []string
	for _, l := range strings.Split(want, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			exp = append(exp, l)
		}
	}
	slices.Sort(exp)
	slices.Sort(got)
	for _, l := range exp {
		if !slices.Contains(got, l) {
			t.Errorf("missing %s", l)
		}
	}
	for _, l := range got {
		if l != "" && !slices.Contains(exp, l) {
			t.Errorf("unwanted %s", l)
		}
	}
	return stats
}

// edgeCase is a tree of one test and the edges that wantEdges is to find in it.
type edgeCase struct {
	name  string
	files map[string]string
	want  string
}

func wantEachEdges(t *testing.T, tests []edgeCase) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { wantEdges(t, tt.files, tt.want) })
	}
}
