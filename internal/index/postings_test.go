package index

import (
	"math/rand/v2"
	"testing"
)

// What goes into tuples comes out of them by term, in the order of documents.
func TestTuples(t *testing.T) {
	type posting struct {
		doc uint32
		tf  uint16
	}
	r := rand.New(rand.NewPCG(1, 2))
	const terms = 50
	rank := make([]uint32, terms)
	for i := range rank {
		rank[i] = uint32(terms - 1 - i)
	}
	want := make([][]posting, terms)
	var tu tuples
	for doc := uint32(3); doc < 900_000; doc += 1 + r.Uint32N(60)*r.Uint32N(2) {
		for range r.IntN(6) {
			term, tf := r.Uint32N(terms-1), 1+r.Int32N(2)*r.Int32N(90_000)
			tu.add(term, doc, tf)
			want[rank[term]] = append(want[rank[term]], posting{doc, uint16(min(tf, 1<<16-1))})
		}
	}
	if len(tu.full) == 0 {
		t.Fatal("all in one block: nothing is tested at its end")
	}
	start, doc, tf := tu.byTerm(terms, rank)
	for x := range want {
		from, to := start[x], start[x+1]
		if int(to-from) != len(want[x]) {
			t.Fatalf("term %d: %d postings, want %d", x, to-from, len(want[x]))
		}
		for i, p := range want[x] {
			if doc[int(from)+i] != p.doc || tf[int(from)+i] != p.tf {
				t.Fatalf("term %d, posting %d: %d×%d, want %d×%d", x, i, doc[int(from)+i], tf[int(from)+i], p.doc, p.tf)
			}
		}
	}
	if tu.n != 0 || tu.full != nil {
		t.Error("the tuples are not spent")
	}
}
