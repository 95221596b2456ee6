package facts

import (
	"reflect"
	"testing"
)

// check asserts what must hold of the facts of any bytes.
func check(t *testing.T, f *Facts) {
	t.Helper()
	next := int32(1)
	for i, c := range f.Chunks {
		if c.Start != next || c.End < c.Start {
			t.Fatalf("chunk %d is %d-%d, want it to begin at %d", i, c.Start, c.End, next)
		}
		if c.Symbol < -1 || int(c.Symbol) >= len(f.Symbols) {
			t.Fatalf("chunk %d shows symbol %d of %d", i, c.Symbol, len(f.Symbols))
		}
		next = c.End + 1
	}
	if len(f.Chunks) > 0 && next != f.Lines+1 {
		t.Fatalf("chunks end at %d of %d lines", next-1, f.Lines)
	}
	if len(f.Chunks) == 0 && f.Lines > 0 {
		t.Fatalf("%d lines without a chunk", f.Lines)
	}
	for i, s := range f.Symbols {
		if s.DocStart < 1 || s.DocStart > s.Start || s.Start > s.SigEnd || s.SigEnd > s.End || s.End > f.Lines {
			t.Fatalf("symbol %+v in %d lines", s, f.Lines)
		}
		if i > 0 {
			if p := f.Symbols[i-1]; p.Start > s.Start || p.Start == s.Start && p.End < s.End {
				t.Fatalf("symbol %+v before %+v", p, s)
			}
		}
		if s.Parent >= int32(i) || s.Parent < -1 {
			t.Fatalf("symbol %d %+v has parent %d", i, s, s.Parent)
		}
	}
	for _, r := range f.Refs {
		if r.Scope < -1 || int(r.Scope) >= len(f.Symbols) || r.N < 1 || r.Name == "" {
			t.Fatalf("ref %+v", r)
		}
	}
	if len(f.Body) != len(f.Chunks) {
		t.Fatalf("%d bodies of %d chunks", len(f.Body), len(f.Chunks))
	}
	for i := 1; i < len(f.Terms); i++ {
		if f.Terms[i-1] >= f.Terms[i] {
			t.Fatalf("terms %q, %q", f.Terms[i-1], f.Terms[i])
		}
	}
	for i, b := range f.Body {
		sum := int32(0)
		for k, tf := range b {
			sum += tf.N
			if k > 0 && b[k-1].Term >= tf.Term || int(tf.Term) >= len(f.Terms) || tf.N < 1 {
				t.Fatalf("body %d: %+v", i, b)
			}
		}
		if sum != f.Chunks[i].Len {
			t.Fatalf("chunk %d has length %d, its terms add up to %d", i, f.Chunks[i].Len, sum)
		}
	}
	got, err := Decode(f.Encode(nil))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, f) {
		t.Fatalf("decoded\n%+v\nwant\n%+v", got, f)
	}
}
