package index

import (
	"fmt"
	"testing"

	"cohop/internal/facts"
)

// Symbols come back as they went in, those whose numbers do not fit a record
// too.
func TestSymbols(t *testing.T) {
	var list []facts.Symbol
	parents := 0
	for i, start := range []int32{1, 5, 300, 70_000, 1<<24 - 1, 1 << 24, 1<<31 - 200_000} {
		for k, size := range []int32{0, 1, 254, 255, 256, 65_535, 65_536, 100_000} {
			s := facts.Symbol{Name: fmt.Sprint("name", i, k), Kind: facts.Kind(k), Parent: int32(len(list)) - 1 - int32(k)*3, Exported: k%2 == 0,
				DocStart: max(1, start-size), Start: start, SigEnd: start + size/2, End: start + size}
			if s.Parent < 0 {
				s.Parent = -1
			} else {
				parents++
			}
			if k%3 == 0 {
				s.Owner = fmt.Sprint("owner", i)
			}
			list = append(list, s)
		}
	}
	for range 70_000 { // far from its parent
		list = append(list, facts.Symbol{Name: "n", Parent: 2, Start: 9, DocStart: 9, SigEnd: 9, End: 9})
	}
	b := NewBuilder()
	for _, p := range []string{"a", "b"} {
		if _, err := b.Add(Doc{Path: p, Facts: &facts.Facts{Symbols: list}}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if parents == 0 || len(s.sec[secSymbolOdd]) == 0 || len(s.sec[secSymbolOwners]) == 0 {
		t.Fatal("nothing rare is tested")
	}
	v := NewView(s)
	for f := range int32(2) {
		for i, id := range v.SymbolsOf(f) {
			want, got := list[i], v.Symbol(id)
			parent := want.Parent
			if parent >= 0 {
				parent += int32(len(list)) * f
			}
			if got != (Symbol{Name: want.Name, Owner: want.Owner, File: f, Parent: parent, Kind: want.Kind, Exported: want.Exported,
				DocStart: want.DocStart, Start: want.Start, SigEnd: want.SigEnd, End: want.End}) {
				t.Fatalf("symbol %d of file %d: %+v, want %+v", i, f, got, want)
			}
		}
	}
}
