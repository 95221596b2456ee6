package resolve

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cohop/internal/facts"
	"cohop/internal/fuzzwatch"
)

// randomTree makes n files of random facts from few names, so that much of it
// resolves by chance: odd modules, dangling parents, self-imports, cycles.
func randomTree(r *rand.Rand, n int) *MemTree {
	exts := []string{".py", ".go", ".ts", ".js", ".java", ".kt", ".scala", ".c", ".h", ".cpp", ".rs", ".rb", ".php", ".swift", ".ex", ".lua", ".sh", ".hs", ".zig", ".cs", ".md", ".scss", ".proto", ".tf", ".dart", ".ml", ".txt", ".g4", ".thrift"}
	words := []string{"", "a", "b", "core", "Foo", "bar", "__init__", "index", "mod", "lib", "main", "src", "self", "super", "crate", "*", "..", ".", "/", "é", "x.y", "A::B", `N\M`, "{a, b::c}", "$x/y"}
	word := func() string { return words[r.IntN(len(words))] }
	join := func(sep string, n int) string {
		s := make([]string, n)
		for i := range s {
			s[i] = word()
		}
		return strings.Join(s, sep)
	}
	seen := map[string]bool{}
	var paths []string
	for len(paths) < n {
		ext := exts[r.IntN(len(exts))]
		dirs := []string{"", "src/", "lib/", "a/", "a/b/", "core/src/", "Sources/Core/", "tests/"}
		p := dirs[r.IntN(len(dirs))] + strings.Trim(strings.ReplaceAll(word(), "/", ""), ".") + fmt.Sprint(r.IntN(n)) + ext
		if r.IntN(3) == 0 {
			names := []string{"__init__.py", "mod.rs", "lib.rs", "index.ts", "go.mod", "package.json", "tsconfig.json", "Cargo.toml", "composer.json", "build.zig.zon"}
			p = dirs[r.IntN(len(dirs))] + names[r.IntN(len(names))]
		}
		if !seen[p] {
			seen[p] = true
			paths = append(paths, p)
		} else {
			n--
		}
	}
	slices.Sort(paths)
	seps := []string{".", "/", "::", `\`}
	var fs []*facts.Facts
	for _, p := range paths {
		if r.IntN(20) == 0 {
			fs = append(fs, nil)
			continue
		}
		f := &facts.Facts{Lang: facts.Language(p, nil)}
		if r.IntN(2) == 0 {
			f.Package = join(seps[r.IntN(4)], 1+r.IntN(2))
		}
		for range r.IntN(6) {
			f.Symbols = append(f.Symbols, facts.Symbol{Name: word(), Kind: facts.Kind(r.IntN(15)), Parent: int32(r.IntN(6)) - 2, Owner: word(), Start: int32(r.IntN(9)), End: int32(r.IntN(30))})
		}
		for range r.IntN(6) {
			im := facts.Import{Module: join(seps[r.IntN(4)], r.IntN(4)), Line: int32(r.IntN(30)) - 1, Relative: int32(r.IntN(4)) - 1, Reexport: r.IntN(2) == 0, Mod: r.IntN(8) == 0}
			for range r.IntN(3) {
				im.Names = append(im.Names, word())
			}
			if r.IntN(4) == 0 {
				im.Alias = word()
			}
			f.Imports = append(f.Imports, im)
		}
		for range r.IntN(12) {
			f.Refs = append(f.Refs, facts.Ref{Name: word(), Qualifier: join(seps[r.IntN(4)], r.IntN(3)), Kind: facts.RefKind(r.IntN(5)), Scope: int32(r.IntN(9)) - 2})
		}
		keys := []string{"module", "replace", "name", "exports", "main", "workspaces", "baseUrl", "paths", "extends", "path", "members", "psr-4"}
		if isManifest(f.Lang) {
			for range r.IntN(6) {
				f.Props = append(f.Props, facts.Prop{Key: keys[r.IntN(len(keys))], Value: join("/", r.IntN(3)) + []string{"", "=>"}[r.IntN(2)] + join("/", r.IntN(3))})
			}
		}
		fs = append(fs, f)
	}
	return memTree(paths, fs)
}

// check holds for every tree: edges sorted, distinct, between two files of the
// tree, weights in (0,1]; the same for all at once and for any part.
func check(t *testing.T, tree *MemTree) {
	t.Helper()
	edges, stats := Edges(tree, nil)
	for i, e := range edges {
		if e.From == e.To || e.From < 0 || e.To < 0 || int(e.From) >= tree.Len() || int(e.To) >= tree.Len() {
			t.Fatalf("edge %+v out of the tree", e)
		}
		if !(e.Weight > 0 && e.Weight <= 1) {
			t.Fatalf("edge %+v: weight", e)
		}
		if i > 0 {
			p := edges[i-1]
			if p.From > e.From || p.From == e.From && (p.To > e.To || p.To == e.To && p.Kind >= e.Kind) {
				t.Fatalf("edges %d, %d out of order: %+v %+v", i-1, i, p, e)
			}
		}
	}
	for i, s := range stats {
		missed := 0
		for _, n := range s.Missed {
			missed += n
		}
		if s.Resolved+missed != s.Internal || i > 0 && stats[i-1].Lang >= s.Lang {
			t.Fatalf("stat %+v: %d missed", s, missed)
		}
	}
	again, stats2 := Edges(tree, nil)
	if !slices.Equal(edges, again) || !reflect.DeepEqual(stats, stats2) {
		t.Fatal("second run differs")
	}
	// One file at a time and backwards, duplicates and strangers included.
	var parts []Edge
	for f := range tree.Len() {
		one, _ := Edges(tree, []int32{int32(f)})
		parts = append(parts, one...)
	}
	if !slices.Equal(edges, parts) {
		t.Fatal("file by file differs from all at once")
	}
	back := []int32{-1, int32(tree.Len()), 1 << 30}
	for f := tree.Len() - 1; f >= 0; f-- {
		back = append(back, int32(f), int32(f))
	}
	if got, _ := Edges(tree, back); !slices.Equal(edges, got) {
		t.Fatal("order of from matters")
	}
}

func TestRandomTrees(t *testing.T) {
	for seed := range uint64(150) {
		check(t, randomTree(rand.New(rand.NewPCG(seed, 1)), 5+int(seed%90)))
	}
}

// fuzzRepeat is how many references and imports FuzzEdges gives a file at most
// for each of its words: what is quadratic takes a second there.
const fuzzRepeat = 8000

// FuzzEdges resolves random trees, in files of which there stand imports and
// references of the input's words; once, or in one file thousands of times.
func FuzzEdges(f *testing.F) {
	f.Add(uint64(1), uint8(20), uint8(0), "a/b", "x.y", "Foo")
	f.Add(uint64(2), uint8(60), uint8(3), "crate::{a, b::{c, d as e}}", "../../../x", "super")
	f.Add(uint64(3), uint8(9), uint8(15), "a.gen.FooOuterClass.bar", "core", "Foo")
	f.Add(uint64(4), uint8(200), uint8(6), "a.b.core_pb2", "Foo", ":a.core:.b")
	f.Add(uint64(141), uint8(154), uint8(0), "0", "0", ":a.core:.") // a parent out of range, in OCaml
	f.Fuzz(func(t *testing.T, seed uint64, n, many uint8, module, name, qualifier string) {
		if many %= 16; many > 0 {
			n %= 20
		}
		tree := randomTree(rand.New(rand.NewPCG(seed, 2)), 1+int(n))
		for i := range tree.Len() {
			fa := tree.Facts(int32(i))
			if fa == emptyFacts {
				continue
			}
			fa.Imports = append(fa.Imports, facts.Import{Module: module, Names: []string{name}, Relative: int32(i % 3)}, facts.Import{Module: module, Alias: qualifier})
			fa.Refs = append(fa.Refs, facts.Ref{Name: name, Qualifier: qualifier, Kind: facts.RefCall}, facts.Ref{Name: qualifier})
			if i != int(seed%uint64(tree.Len())) || len(module)+len(name)+len(qualifier) > 200 {
				continue
			}
			for k := range int(many) * fuzzRepeat / 16 {
				k := fmt.Sprint(k % (1 + int(seed>>8%fuzzRepeat)))
				fa.Imports = append(fa.Imports, facts.Import{Module: module + k}, facts.Import{Module: module, Names: []string{name + k}})
				fa.Refs = append(fa.Refs, facts.Ref{Name: name + k, Qualifier: qualifier, Kind: facts.RefCall}, facts.Ref{Name: name, Qualifier: qualifier + k}, facts.Ref{Name: name + k, Kind: facts.RefBase})
			}
		}
		fuzzwatch.Input(t, func() { // on this thread alone, so that it is timed
			w := newWorker(newSite(tree))
			for f := range int32(tree.Len()) {
				w.file(f, nil)
			}
		})
		if many == 0 {
			check(t, tree)
		}
	})
}

func TestMemTree(t *testing.T) {
	tree := buildTree(t, map[string]string{
		"a/x.py": "type A\ndef A.run\ndef run", "a/y.py": "def run", "go.mod": "prop module m", "a/z.go": "package p\ndef T.Go",
	})
	// Paths in order: a/x.py a/y.py a/z.go go.mod.
	if got := tree.Definers("run"); len(got) != 3 || got[0].Parent != "A" || got[0].Symbol != 1 || got[1].Parent != "" || got[1].Symbol != 2 || got[2].File != 1 {
		t.Errorf("Definers = %+v", got)
	}
	if d := tree.Definers("Go"); len(d) != 1 || d[0].Parent != "T" {
		t.Errorf("owner: %+v", d)
	}
	if f, ok := tree.Find("a/z.go"); !ok || f != 2 || tree.Lang(f) != "go" {
		t.Errorf("Find = %d %v", f, ok)
	}
	if !slices.Equal(tree.Dir("a"), []int32{0, 1, 2}) || !slices.Equal(tree.Dir(""), []int32{3}) || !slices.Equal(tree.Base("y.py"), []int32{1}) {
		t.Error("Dir, Base")
	}
	if !slices.Equal(tree.Manifests("gomod"), []int32{3}) || !slices.Equal(tree.Package("p", "go"), []int32{2}) || tree.Package("p", "java") != nil {
		t.Error("Manifests, Package")
	}
	if len(memTree(nil, nil).Definers("x")) != 0 {
		t.Error("empty tree")
	}
}

func BenchmarkMemTree(b *testing.B) {
	// 7,000 files of 15 symbols, 100,000 names in all.
	var paths []string
	var fs []*facts.Facts
	for i := range 7000 {
		paths = append(paths, fmt.Sprintf("d%03d/f%04d.py", i/50, i))
		f := &facts.Facts{Lang: "python"}
		for k := range 15 {
			f.Symbols = append(f.Symbols, facts.Symbol{Name: fmt.Sprintf("name%d", (i*15+k)%60000), Kind: facts.KindFunction, Parent: -1})
		}
		fs = append(fs, f)
	}
	for b.Loop() {
		memTree(paths, fs)
	}
}

// Facts that are loaded anew whenever they are asked for lead to the same
// edges as those that stay.
func TestLoadedFacts(t *testing.T) {
	for seed := range uint64(20) {
		held := randomTree(rand.New(rand.NewPCG(seed, 3)), 60)
		paths := make([]string, held.Len())
		for i := range paths {
			paths[i] = held.Path(int32(i))
		}
		loaded := LoadMemTree(paths, func(f int32) *facts.Facts {
			fa, err := facts.Decode(held.Facts(f).Encode(nil))
			if err != nil {
				return held.Facts(f) // scopes and parents out of range, which no extractor makes
			}
			return fa
		})
		want, _ := Edges(held, nil)
		got, _ := Edges(loaded, nil)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %d edges, want %d", seed, len(got), len(want))
		}
	}
}
