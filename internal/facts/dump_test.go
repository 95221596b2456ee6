package facts

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDump prints the tree and facts of the file that FACTS_DUMP names. A tool
// for writing tables; without the variable it does nothing.
func TestDump(t *testing.T) {
	name := os.Getenv("FACTS_DUMP")
	if name == "" {
		t.Skip("FACTS_DUMP names no file")
	}
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lang := Language(name, src)
	if lang, g := lang, grammars[lang]; g != nil && os.Getenv("FACTS_TREE") != "" {
		g := g()
		nodes, errs, ok, release := parse(g, src)
		fmt.Println(lang, len(nodes), errs, ok)
		w := newWalker(g, src, nodes, &Facts{})
		depth := map[int32]int{-1: -1}
		for i := range nodes {
			d := depth[nodes[i].parent] + 1
			depth[int32(i)] = d
			text := ""
			if w.first(int32(i)) < 0 {
				text = string(w.bytes(int32(i)))
			}
			fmt.Printf("%s%s:%s %d-%d %.40q\n", strings.Repeat("  ", d), w.field(int32(i)), w.typ(int32(i)), nodes[i].srow+1, nodes[i].erow+1, text)
		}
		release()
	}
	f := Extract(lang, src)
	fmt.Println(lang, "flags", f.Flags, "lines", f.Lines, "package", f.Package)
	for i, s := range f.Symbols {
		fmt.Printf("sym %d %+v\n", i, s)
	}
	for _, c := range f.Chunks {
		name := ""
		if c.Symbol >= 0 {
			name = f.Symbols[c.Symbol].Name
		}
		fmt.Printf("chunk %d-%d (%d) %s %d\n", c.Start, c.End, c.End-c.Start+1, name, c.Len)
	}
	for _, m := range f.Imports {
		fmt.Printf("import %+v\n", m)
	}
	for _, r := range f.Refs {
		fmt.Printf("ref %s.%s scope %d kind %d n %d\n", r.Qualifier, r.Name, r.Scope, r.Kind, r.N)
	}
	check(t, f)
}
