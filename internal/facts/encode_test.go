package facts

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

// full has every field set, with the extremes of what may be stored.
func full() *Facts {
	return &Facts{
		Lang: "go", Package: "p.q", Flags: 1<<16 - 1, Bytes: math.MaxInt32, Lines: 9, Masked: 3,
		Symbols: []Symbol{
			{Name: "A", Kind: KindClass, Parent: -1, DocStart: 1, Start: 2, SigEnd: 3, End: 9, Exported: true},
			{Name: "b", Owner: "Else", Kind: KindKey, Parent: 0, DocStart: 4, Start: 4, SigEnd: 4, End: 4},
			{Name: "A", Kind: KindOther, Parent: -1, DocStart: 5, Start: 5, SigEnd: 5, End: math.MaxInt32},
		},
		Chunks: []Chunk{{Start: 1, End: 4, Symbol: 0, Len: 7}, {Start: 5, End: 9, Symbol: -1}},
		Imports: []Import{
			{Module: "m", Names: []string{"x", "*", ""}, Alias: "a", Line: 1, Relative: 2, Reexport: true},
			{Line: math.MaxInt32, Mod: true},
		},
		Refs:     []Ref{{Name: "r", Qualifier: "q", Scope: 1, Kind: RefDecorator, Generic: true, N: 5}, {Name: "q", Scope: -1, N: 1}},
		Props:    []Prop{{"module", "cohop"}, {"", ""}},
		Literals: []uint64{0, 1, math.MaxUint64},
		Terms:    []string{"", "cach", "cache", "cachet", "d", strings.Repeat("é", 20)},
		Body:     [][]TF{{{0, 1}, {1, 2}, {5, math.MaxInt32}}, nil},
		Names:    []TF{{3, 1}},
		Docs:     []TF{{2, 2}, {4, 1}},
	}
}

func TestRoundTrip(t *testing.T) {
	for _, f := range []*Facts{{}, full(), {Lang: "text", Flags: Binary, Bytes: 5}} {
		prefix := []byte("prefix")
		b := f.Encode(prefix)
		if !bytes.HasPrefix(b, prefix) {
			t.Fatal("Encode does not append")
		}
		got, err := Decode(b[len(prefix):])
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, f) {
			t.Errorf("decoded\n%+v\nwant\n%+v", got, f)
		}
	}
}

func TestDecodeParts(t *testing.T) {
	f := full()
	b := f.Encode(nil)
	for parts := Parts(0); parts <= PartsAll; parts++ {
		want := &Facts{Lang: f.Lang, Package: f.Package, Flags: f.Flags, Bytes: f.Bytes, Lines: f.Lines, Masked: f.Masked}
		if parts&PartSymbols != 0 {
			want.Symbols, want.Chunks = f.Symbols, f.Chunks
		}
		if parts&PartEdges != 0 {
			want.Imports, want.Refs, want.Props = f.Imports, f.Refs, f.Props
		}
		if parts&PartLiterals != 0 {
			want.Literals = f.Literals
		}
		if parts&PartTerms != 0 {
			want.Terms, want.Body, want.Names, want.Docs = f.Terms, f.Body, f.Names, f.Docs
		}
		got, err := DecodeParts(b, parts)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("parts %b: %+v, want %+v", parts, got, want)
		}
	}
}

// Every cut is an error, and so is a byte too many; a changed byte is an error
// or other facts, never a panic.
func TestDecodeBroken(t *testing.T) {
	b := full().Encode(nil)
	for n := range b {
		if f, err := Decode(b[:n]); err == nil {
			t.Errorf("%d of %d bytes decode as %+v", n, len(b), f)
		}
	}
	if _, err := Decode(append(bytes.Clone(b), 0)); err == nil {
		t.Error("a byte too many is no error")
	}
	for i := range b {
		for _, x := range []byte{0x01, 0x80, 0xff} {
			c := bytes.Clone(b)
			c[i] ^= x
			Decode(c)
		}
	}
}

// A few bytes must not ask for much memory.
func TestDecodeBomb(t *testing.T) {
	for _, b := range [][]byte{
		{format, 0x80, 0x80, 0x80, 0x80, 0x08},
		append([]byte{format, 6, 0, 0, 0, 0, 0, 0, 6}, 0xff, 0xff, 0xff, 0xff, 0x07, 0),
	} {
		if n := testing.AllocsPerRun(10, func() {
			if _, err := Decode(b); err == nil {
				t.Error("no error")
			}
		}); n > 20 {
			t.Errorf("%v allocations for %d bytes", n, len(b))
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(full().Encode(nil))
	f.Add((&Facts{}).Encode(nil))
	for _, c := range langCases {
		f.Add(Extract(c.lang, []byte(c.src)).Encode(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Decode(b)
		if err != nil {
			return
		}
		// What was accepted is what an encoder could have written, up to the
		// choice of varints and tables.
		again, err := Decode(got.Encode(nil))
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Fatalf("%v\n%+v\n%+v", err, again, got)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	var src strings.Builder
	for _, c := range langCases {
		if c.lang == "python" {
			for range 40 {
				src.WriteString(c.src)
			}
		}
	}
	enc := Extract("python", []byte(src.String())).Encode(nil)
	for _, c := range []struct {
		name  string
		parts Parts
	}{{"all", PartsAll}, {"head", 0}, {"terms", PartTerms}, {"edges", PartEdges}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(src.Len())) // of source, not of encoding
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecodeParts(enc, c.parts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
