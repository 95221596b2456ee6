package resolve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cohop/internal/facts"
)

// crowdTree is a tree of many sources of few names and of files that import
// what is made of them, or nearly so.
func crowdTree(t *testing.T, r *rand.Rand, n int) *MemTree {
	word := func(list ...string) string { return list[r.IntN(len(list))] }
	folder := func() string {
		var segs []string
		for range r.IntN(4) {
			segs = append(segs, word("a", "b", "shop", "Shop", "cart_x", "cart-x", "v1", "v2", "V1", "_", "gen", "proto", "pb", "tests", "vendor"))
		}
		return strings.Join(segs, "/")
	}
	files := map[string]string{}
	for range n {
		ext := word("proto", "proto", "proto", "g4", "json", "fbs", "thrift")
		var b strings.Builder
		if r.IntN(2) == 0 {
			fmt.Fprintf(&b, "package %s\n", word("a.shop", "shop.v1", "gen", "b.cart_x.V1", "v1", "org.b"))
		}
		for range r.IntN(3) {
			fmt.Fprintf(&b, "type %s\n", word("Foo", "Bar", "Greeter", "Part"))
		}
		files[at(folder(), word("foo", "Foo", "foo-bar", "foo_bar", "Greeter")+"."+ext)] = b.String()
	}
	for range n / 2 {
		var b strings.Builder
		ext := word("java", "kt", "py", "cc", "ts", "rb", "go")
		pkg := strings.ReplaceAll(folder(), "/", ".")
		for range 1 + r.IntN(4) {
			switch ext {
			case "java", "kt":
				fmt.Fprintf(&b, "import %s\n", strings.Trim(pkg+word(".Foo", ".FooOuterClass", ".Greeter", ".GreeterGrpc.Part", ".FooProto.Bar", ".FooParser", ".FooBar", ".OwnProto.Part", ".FooData", ".FOOData"), "."))
			case "py":
				fmt.Fprintf(&b, "import %s%s: x\n", word("", ".", "..", "..."), strings.Trim(pkg+word(".foo_pb2", ".foo_bar_pb2_grpc", ".FooParser", ".foo_pb"), "."))
			case "cc":
				fmt.Fprintf(&b, "%s %s\n", word("quoted", "import"), strings.TrimPrefix(folder()+word("/foo.pb.h", "/foo-bar.pb.h", "/foo_generated.h"), "/"))
			case "ts", "rb":
				fmt.Fprintf(&b, "import %s\n", word("", "./", "../")+strings.TrimPrefix(folder()+word("/foo_pb", "/foo-bar_grpc_pb", "/foo.pb.js", "/foo_generated"), "/"))
			case "go":
				fmt.Fprintf(&b, "import m.org/%s=pb\ncall pb.%s\n", word(folder(), folder(), "shop/v1", "v1/v2"), word("Foo", "NewGreeterClient", "Part", "none"))
			}
		}
		files[at(folder(), fmt.Sprintf("use%d.%s", r.IntN(1000), ext))] = b.String()
	}
	files["go.mod"] = "lang gomod\nprop module m.org"
	return buildTree(t, files)
}

// Sources are told apart as if each were looked at for each import.
func TestCrowds(t *testing.T) {
	seeds, asked, met := uint64(60), 0, 0
	if testing.Short() {
		seeds = 10
	}
	for seed := range seeds {
		tree := crowdTree(t, rand.New(rand.NewPCG(seed, 21)), 20+int(seed)*12)
		w := newWorker(newSite(tree))
		for f := range int32(tree.Len()) {
			if w.s.fam[f] == famNone {
				continue
			}
			fa := tree.Facts(f)
			for i := range fa.Imports {
				im := &fa.Imports[i]
				var got, want []int32
				switch w.s.fam[f] {
				case famJVM:
					got, want = w.madeClass(f, im.Module), plainMadeClass(w, f, im.Module)
				default:
					got, want = w.madeModule(f, im, ""), plainMadeModule(w, f, im)
				}
				if asked++; len(want) > 0 {
					met++
				}
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: %s imports %q: %v, want %v", seed, tree.Path(f), im.Module, paths(tree, got), paths(tree, want))
				}
				if w.s.lang[f] == "go" {
					if got, want := w.schemasLike(im.Module), plainSchemasLike(w, im.Module); !slices.Equal(got, want) {
						t.Fatalf("seed %d: schemas like %q: %v, want %v", seed, im.Module, paths(tree, got), paths(tree, want))
					}
				}
			}
			for _, n := range []string{"Foo", "Greeter", "Part"} {
				for _, files := range w.s.made().folders {
					if len(files) > 1 {
						if got, want := slices.Compact(w.definedAmong(nil, files, n)), w.definedIn(files, n); !slices.Equal(got, want) {
							t.Fatalf("seed %d: of %v %v define %s, want %v", seed, paths(tree, files), paths(tree, got), n, paths(tree, want))
						}
					}
				}
			}
		}
	}
	if met < asked/20 || met > asked/2 {
		t.Errorf("%d of %d imports lead to a source: the trees say little", met, asked)
	}
}

func paths(t *MemTree, files []int32) (out []string) {
	for _, f := range files {
		out = append(out, t.Path(f))
	}
	return out
}

type candidate struct {
	file      int32
	agree     int
	witnesses int
}

func plainMadeModule(w *worker, f int32, im *facts.Import) []int32 {
	r := readerOf(w.s.lang[f], w.s.fam[f])
	if r == readNone || r == readJVM {
		return nil
	}
	dir, base, relative, ok := w.madePlace(r, f, im, "")
	if !ok {
		return nil
	}
	var found []candidate
	for _, m := range w.s.made().by[r][base] {
		g := m.file
		agree := w.s.agreement(dir, g)
		switch own := w.s.dir[g] == dir; {
		case own && relative, dir == "" && w.s.dir[g] == w.s.dir[f]:
			agree = 1000
		case agree > 0:
		case !m.sure || dir != "" && !relative && !outputs[lastSeg(dir)]:
			continue
		}
		found = append(found, candidate{g, agree, 0})
	}
	return plainOne(w, f, found)
}

func plainMadeClass(w *worker, f int32, full string) []int32 {
	segs := strings.Split(full, ".")
	n := slices.IndexFunc(segs, func(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' })
	if n < 1 {
		return nil
	}
	class, inner := segs[n], ""
	if n+1 < len(segs) {
		inner = segs[n+1]
	}
	dir := strings.Join(segs[:n], "/")
	output := generatedDirs[segs[n-1]]
	defines := w.schemasOf(class).files
	var found []candidate
	for _, k := range w.s.made().by[readJVM][strings.ToLower(class)] {
		g := k.file
		if name, ext, _ := sourceName(w.s.path[g]); ext == "json" && !strings.HasPrefix(class, name) {
			continue
		}
		c := candidate{file: g, agree: w.s.agreement(dir, g), witnesses: 1}
		if c.agree > 0 || output {
			c.witnesses++
		}
		if inner != "" && w.declares(g, inner) && w.s.kin(dir, g) {
			c.witnesses++
		}
		if c.witnesses > 1 {
			found = append(found, c)
		}
	}
	if len(defines) == 0 && inner != "" && outerClass(class) {
		defines = w.schemasOf(inner).files
	}
	for _, g := range defines {
		if slices.ContainsFunc(found, func(c candidate) bool { return c.file == g }) {
			continue
		}
		if a := w.s.agreement(dir, g); a > 0 || output {
			found = append(found, candidate{g, a, 2})
		}
	}
	return plainOne(w, f, found)
}

// plainOne keeps those that agree the most, of these the nearest, of these those
// with the most witnesses; of several none.
func plainOne(w *worker, f int32, found []candidate) []int32 {
	best := func(of func(c *candidate) int) {
		most := -1 << 30
		for i := range found {
			most = max(most, of(&found[i]))
		}
		found = slices.DeleteFunc(found, func(c candidate) bool { return of(&c) < most })
	}
	best(func(c *candidate) int { return c.agree })
	files := make([]int32, len(found))
	for i := range found {
		files[i] = found[i].file
	}
	slices.Sort(files)
	near := w.prefer(f, files)
	found = slices.DeleteFunc(found, func(c candidate) bool { return !slices.Contains(near, c.file) })
	best(func(c *candidate) int { return c.witnesses })
	if len(found) != 1 {
		return nil
	}
	return []int32{found[0].file}
}

func plainSchemasLike(w *worker, module string) []int32 {
	n, out := 0, []int32(nil)
	for d, files := range w.s.made().folders {
		if lastSeg(d) == lastSeg(module) && sameTail(module, d) >= 2 {
			n, out = n+1, files
		}
	}
	if n > 1 {
		return nil
	}
	return out
}

// Four times as many sources of one name, and files that import what is made of
// them, are four times the work.
func TestCrowdsAreLinear(t *testing.T) {
	for name, files := range map[string]func(i int) (source, schema, user, text string){
		"a folder each": func(i int) (string, string, string, string) {
			return fmt.Sprintf("a%d/x.proto", i), "package p\ntype X", fmt.Sprintf("a%d/m.py", i), "import x_pb2: X\nimport q: x_pb2"
		},
		"a class of all": func(i int) (string, string, string, string) {
			return fmt.Sprintf("a%d/x.proto", i), "package p\ntype X", fmt.Sprintf("b%d/M.java", i), fmt.Sprintf("import p.X\nimport p.XOuterClass.X\nimport p%d.XProto.X%d\nimport a%d.XGrpc", i, i, i)
		},
		"folders of one name": func(i int) (string, string, string, string) {
			return fmt.Sprintf("a%d/common/v1/x.proto", i), "package common.v1\ntype X", fmt.Sprintf("b%d/m.py", i), fmt.Sprintf("import a%d.common.v1.x_pb2: X", i)
		},
		"generated": func(i int) (string, string, string, string) {
			return fmt.Sprintf("a%d/x.proto", i), "type X", fmt.Sprintf("b%d/M.java", i), fmt.Sprintf("import p%d.generated.X", i)
		},
		"go, folders that end alike": func(i int) (string, string, string, string) {
			return fmt.Sprintf("a%d/shop/v1/x.proto", i), "type X", fmt.Sprintf("b%d/m.go", i), fmt.Sprintf("package b\nimport m.org/gen%d/shop/v1=pb\ncall pb.X", i)
		},
		"go, one folder": func(i int) (string, string, string, string) {
			return fmt.Sprintf("pb/x%d.proto", i), "type X", fmt.Sprintf("b%d/m.go", i), "package b\nimport m.org/pb\ncall pb.Y\ncall pb.NewZClient"
		},
	} {
		t.Run(name, func(t *testing.T) {
			work := func(n int) int {
				tree := map[string]string{"go.mod": "prop module m.org"}
				for i := range n {
					source, schema, user, text := files(i)
					tree[source], tree[user] = schema, text
				}
				mem := buildTree(t, tree)
				loads := 0
				counted := LoadMemTree(mem.paths, func(f int32) *facts.Facts {
					loads++
					return mem.Facts(f)
				})
				w := newWorker(newSite(counted))
				var out []Edge
				for f := range int32(counted.Len()) {
					out = w.file(f, out)
				}
				return w.looks + loads
			}
			small, large := work(500), work(2000)
			if large > 5*small {
				t.Errorf("%d looks for 500 sources, %d for 2000", small, large)
			}
		})
	}
}
