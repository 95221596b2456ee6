package index

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cohop/internal/facts"
	"cohop/internal/fuzzwatch"
	"cohop/internal/text"
)

// corpus makes random documents over a vocabulary that is small, so that terms,
// names and literals meet.
type corpus struct{ r *rand.Rand }

var vocabulary = []string{"rate", "limit", "export", "samesite", "same", "site", "cookie", "x1", "λ", "cache", "store", "kilo", "lima"}
var names = []string{"SameSite", "same_site", "Cookie", "x", "+", "RateLimit", "limit", "ratelimit", "Store", "é"}

func (c corpus) pick(list []string) string { return list[c.r.IntN(len(list))] }

// facts makes the facts of one file; two calls differ.
func (c corpus) facts() *facts.Facts {
	f := &facts.Facts{Lang: c.pick([]string{"go", "python", "text"}), Flags: facts.Flags(c.r.IntN(4)), Masked: int32(c.r.IntN(3))}
	if c.r.IntN(3) == 0 {
		f.Package = c.pick([]string{"a.b", "main"})
	}
	f.Terms = slices.Clone(vocabulary)
	slices.Sort(f.Terms)
	field := func() (list []facts.TF) {
		for t := range f.Terms {
			if c.r.IntN(4) == 0 {
				list = append(list, facts.TF{Term: int32(t), N: int32(1 + c.r.IntN(3))})
			}
		}
		return list
	}
	line := int32(1)
	for range c.r.IntN(4) {
		n := int32(1 + c.r.IntN(9))
		ch := facts.Chunk{Start: line, End: line + n - 1, Symbol: -1}
		if c.r.IntN(2) == 0 {
			parent := int32(-1)
			if k := len(f.Symbols); k > 0 && c.r.IntN(2) == 0 {
				parent = int32(c.r.IntN(k))
			}
			ch.Symbol = int32(len(f.Symbols))
			s := facts.Symbol{Name: c.pick(names), Kind: facts.Kind(c.r.IntN(8)), Parent: parent, DocStart: line, Start: line, SigEnd: line, End: ch.End, Exported: c.r.IntN(2) == 0}
			if c.r.IntN(4) == 0 {
				s.Owner = "Owner"
			}
			f.Symbols = append(f.Symbols, s)
		}
		body := field()
		for _, t := range body {
			ch.Len += t.N
		}
		f.Chunks, f.Body = append(f.Chunks, ch), append(f.Body, body)
		line += n
	}
	f.Lines = line - 1
	f.Names, f.Docs = field(), field()
	for range c.r.IntN(3) {
		f.Literals = append(f.Literals, uint64(c.r.IntN(6)))
	}
	slices.Sort(f.Literals)
	f.Literals = slices.Compact(f.Literals)
	for range c.r.IntN(4) {
		f.Refs = append(f.Refs, facts.Ref{Name: c.pick(names), Scope: -1, N: 1})
	}
	return f
}

// tree is path → document.
type tree map[string]Doc

func (c corpus) doc(path string) Doc {
	d := Doc{Path: path, Role: c.pick([]string{"source", "test"}), Facts: c.facts()}
	binary.LittleEndian.PutUint64(d.ID[:], c.r.Uint64())
	return d
}

func (c corpus) tree(n int) tree {
	t := tree{}
	for range n {
		p := fmt.Sprintf("%s/%s_%d.go", c.pick([]string{"lib", "src/cookie", "test"}), c.pick([]string{"rate", "SameSite"}), c.r.IntN(40))
		t[p] = c.doc(p)
	}
	return t
}

func (t tree) paths() []string {
	var out []string
	for p := range t {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

func (t tree) build(tb testing.TB) *Segment {
	tb.Helper()
	b := NewBuilder()
	for _, p := range t.paths() {
		if _, err := b.Add(t[p]); err != nil {
			tb.Fatal(err)
		}
	}
	s, err := b.Finish()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// naive answers postings by looking at every document.
func (t tree) naive(term string, x Field) (out []Posting) {
	chunk := int32(0)
	for i, p := range t.paths() {
		f := t[p].Facts
		tf := func(list []facts.TF) (n int32) {
			for _, t := range list {
				if f.Terms[t.Term] == term {
					n += t.N
				}
			}
			return n
		}
		n := int32(0)
		switch x {
		case Body:
			for _, list := range f.Body {
				if n := tf(list); n > 0 {
					out = append(out, Posting{chunk, n})
				}
				chunk++
			}
			continue
		case Names:
			n = tf(f.Names)
		case Docs:
			n = tf(f.Docs)
		case Path:
			for _, u := range text.Terms(p) {
				if u == term {
					n++
				}
			}
		}
		if n > 0 {
			out = append(out, Posting{int32(i), n})
		}
	}
	return out
}

func (t tree) definers(name string) (out []string) {
	for _, p := range t.paths() {
		for i, s := range t[p].Facts.Symbols {
			if s.Name == name {
				out = append(out, fmt.Sprintf("%s#%d", p, i))
			}
		}
	}
	return out
}

func TestSegmentAgainstNaive(t *testing.T) {
	for seed := range uint64(40) {
		c := corpus{rand.New(rand.NewPCG(seed, 1))}
		tr := c.tree(1 + c.r.IntN(12))
		v := NewView(tr.build(t))
		if int(v.Files()) != len(tr) {
			t.Fatalf("seed %d: %d files, want %d", seed, v.Files(), len(tr))
		}
		for _, term := range append(slices.Clone(vocabulary), "lib", "go", "absent", "7") {
			any := false
			for x := range NumFields {
				want := tr.naive(term, x)
				if got := v.Postings(nil, term, x); !slices.Equal(got, want) {
					t.Fatalf("seed %d: postings of %q in field %d are %v, want %v", seed, term, x, got, want)
				}
				any = any || (x == Body || x == Path) && len(want) > 0
			}
			if v.Has(term) != any {
				t.Errorf("seed %d: Has(%q) = %v", seed, term, v.Has(term))
			}
		}
		for _, name := range names {
			var got []string
			for _, id := range v.DefinersOf(name) {
				got = append(got, fmt.Sprintf("%s#%d", v.Path(v.Symbol(id).File), v.SymbolIndex(id)))
			}
			if want := tr.definers(name); !slices.Equal(got, want) {
				t.Fatalf("seed %d: definers of %q are %v, want %v", seed, name, got, want)
			}
		}
		for i, p := range tr.paths() {
			d, f := tr[p], int32(i)
			if g, ok := v.Find(p); !ok || g != f {
				t.Errorf("Find(%q) = %d, %v", p, g, ok)
			}
			if v.Path(f) != p || v.ID(f) != d.ID || v.Lang(f) != d.Facts.Lang || v.Role(f) != d.Role || v.Package(f) != d.Facts.Package ||
				v.Lines(f) != d.Facts.Lines || v.Flags(f) != d.Facts.Flags || v.Masked(f) != d.Facts.Masked {
				t.Errorf("seed %d: file %q is kept wrongly", seed, p)
			}
			for k, s := range d.Facts.Symbols {
				got := v.Symbol(v.SymbolsOf(f)[k])
				parent := int32(-1)
				if s.Parent >= 0 {
					parent = v.SymbolsOf(f)[s.Parent]
				}
				want := Symbol{Name: s.Name, Owner: s.Owner, File: f, Parent: parent, Kind: s.Kind, Exported: s.Exported, DocStart: s.DocStart, Start: s.Start, SigEnd: s.SigEnd, End: s.End}
				if got != want {
					t.Errorf("symbol %d of %s = %+v, want %+v", k, p, got, want)
				}
			}
		}
		if !bytes.Equal(tr.build(t).Bytes(), v.segs[0].Bytes()) {
			t.Fatal("the same tree gives other bytes")
		}
	}
}

// dump writes everything that a view can be asked, symbols by their place in
// their file, so that two views that answer alike give the same text.
func dump(v *View) string {
	var b strings.Builder
	sym := func(id int32) string {
		if id < 0 {
			return "-"
		}
		return fmt.Sprintf("%d#%d", v.Symbol(id).File, v.SymbolIndex(id))
	}
	fmt.Fprintln(&b, v.Files(), v.Chunks())
	for x := range NumFields {
		fmt.Fprintln(&b, "total", v.TotalLen(x))
	}
	for f := range v.Files() {
		id := v.ID(f)
		fmt.Fprintf(&b, "%s %x %s %s %q %d %d %d", v.Path(f), id, v.Lang(f), v.Role(f), v.Package(f), v.Lines(f), v.Flags(f), v.Masked(f))
		for x := range NumFields {
			fmt.Fprint(&b, " ", v.Len(f, x))
		}
		g, ok := v.Find(v.Path(f))
		fmt.Fprintln(&b, g, ok, v.FirstChunk(f), v.FirstChunk(f+1))
		for _, id := range v.SymbolsOf(f) {
			s := v.Symbol(id)
			p := sym(s.Parent)
			s.Parent = 0
			fmt.Fprintln(&b, sym(id), s, p)
		}
	}
	for c := range v.Chunks() {
		ch := v.Chunk(c)
		s := sym(ch.Symbol)
		ch.Symbol = 0
		fmt.Fprintln(&b, ch, s, v.ChunkLen(c), v.ChunkFile(c))
	}
	for _, term := range append(slices.Clone(vocabulary), "lib", "src", "test", "go", "absent") {
		for x := range NumFields {
			fmt.Fprintln(&b, term, x, v.Postings(nil, term, x), v.Has(term))
		}
	}
	for _, n := range names {
		for _, ids := range [][]int32{v.Definers(text.Key(n)), v.DefinersOf(n)} {
			fmt.Fprint(&b, n)
			for _, id := range ids {
				fmt.Fprint(&b, " ", sym(id))
			}
			fmt.Fprintln(&b)
		}
		var files []int32
		v.MentionsOf(n, func(f int32) { files = append(files, f) })
		slices.Sort(files)
		if text.Key(n) == "" { // the others are a superset by choice of term
			fmt.Fprintln(&b, "mentions", n, slices.Compact(files))
		}
	}
	for h := range uint64(7) {
		fmt.Fprintln(&b, h, v.Literal(h))
	}
	fmt.Fprintln(&b, v.Edges())
	return b.String()
}

// randomEdges are what a resolver could find: a function of the tree alone.
func randomEdges(t tree) (out []Edge) {
	paths := t.paths()
	for i, p := range paths {
		for j, q := range paths {
			h := text.LiteralHash(p + "→" + q)
			if i != j && h%7 == 0 {
				out = append(out, Edge{From: int32(i), To: int32(j), Kind: uint8(h >> 8 % 3), Weight: float32(h>>16%100+1) / 101})
			}
		}
	}
	slices.SortFunc(out, edgeOrder)
	return out
}

// TestOverlayIsRebuild edits random trees and compares the overlay with a
// segment of the edited tree in every accessor.
func TestOverlayIsRebuild(t *testing.T) {
	for seed := range uint64(80) {
		c := corpus{rand.New(rand.NewPCG(seed, 2))}
		old := c.tree(c.r.IntN(12))
		base, err := old.build(t).WithEdges(randomEdges(old))
		if err != nil {
			t.Fatal(err)
		}
		now, changed, gone := tree{}, tree{}, map[string]bool{}
		for p, d := range old {
			switch c.r.IntN(4) {
			case 0:
				gone[p] = true
			case 1:
				d = c.doc(p)
				now[p], changed[p] = d, d
			default:
				now[p] = d
			}
		}
		for p, d := range c.tree(c.r.IntN(5)) {
			if _, ok := old[p]; !ok {
				now[p], changed[p] = d, d
			}
		}
		full, err := now.build(t).WithEdges(randomEdges(now))
		if err != nil {
			t.Fatal(err)
		}
		v := Overlay(base, changed.build(t), gone)
		// Edges between unchanged files are the same in both trees here: those
		// from changed files come from the resolver, the rest are kept.
		over := v.Overlaid()
		var edges []Edge
		for _, e := range v.KeptEdges() {
			if _, ok := slices.BinarySearch(over, e.From); !ok {
				edges = append(edges, e)
			}
		}
		for _, e := range randomEdges(now) {
			_, from := slices.BinarySearch(over, e.From)
			_, stood := old[v.Path(e.To)]
			if from || !stood {
				edges = append(edges, e)
			}
		}
		v.SetEdges(edges)
		if got, want := dump(v), dump(NewView(full)); got != want {
			a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Fatalf("seed %d: the overlay says\n%s\nthe rebuilt segment\n%s", seed, a[i], b[i])
				}
			}
			t.Fatalf("seed %d: dumps differ in length", seed)
		}
	}
}

func TestMentions(t *testing.T) {
	f := &facts.Facts{
		Refs:    []facts.Ref{{Name: "HTTPServer", Qualifier: "net.http"}, {Name: "x"}},
		Imports: []facts.Import{{Module: "./lib/rate-limit.test.js", Names: []string{"RateLimit as RL"}, Alias: "q"}},
	}
	var got []string
	EachMention(f, func(n string) { got = append(got, n) })
	slices.Sort(got)
	for _, want := range []string{"httpserver", "net", "http", "x", "lib", "ratelimit.test.js", "ratelimit", "ratelimit.test", "rl", "q"} {
		if !slices.Contains(got, want) {
			t.Errorf("no mention of %q in %q", want, got)
		}
	}
	if Fold("__") != "__" || Fold("same_Site") != "samesite" {
		t.Error("Fold")
	}
}

// reseal makes the checksums of a changed segment right again.
func reseal(raw []byte) {
	for i := range numSections {
		rec := raw[16+16*i:]
		at, n := le.Uint64(rec), uint64(le.Uint32(rec[8:]))
		if at <= uint64(len(raw)) && n <= uint64(len(raw))-at {
			le.PutUint32(rec[12:], crc32.Checksum(raw[at:at+n], crcTable))
		}
	}
	le.PutUint32(raw[headerSize-8:], crc32.Checksum(raw[:headerSize-8], crcTable))
}

// walk asks a view everything; it must neither panic nor give an id out of
// range.
func walk(tb testing.TB, s *Segment) {
	v := NewView(s)
	dump(v)
	empty, err := NewBuilder().Finish()
	if err != nil {
		tb.Fatal(err)
	}
	o := Overlay(s, empty, map[string]bool{"lib/rate_1.go": true})
	o.SetEdges(o.KeptEdges())
	dump(o)
	for _, term := range vocabulary {
		for x := range NumFields {
			limit := v.Files()
			if x == Body {
				limit = v.Chunks()
			}
			for _, p := range v.Postings(nil, term, x) {
				if p.Doc < 0 || p.Doc >= limit {
					tb.Fatalf("document %d of %d", p.Doc, limit)
				}
			}
		}
	}
	for _, e := range v.Edges() {
		if e.From < 0 || e.To < 0 || e.From >= v.Files() || e.To >= v.Files() {
			tb.Fatalf("edge %+v of %d files", e, v.Files())
		}
	}
	v.NearTerms("c", func(string) bool { return true })
}

func sample(tb testing.TB) []byte {
	c := corpus{rand.New(rand.NewPCG(3, 3))}
	tr := c.tree(6)
	s, err := tr.build(tb).WithEdges(randomEdges(tr))
	if err != nil {
		tb.Fatal(err)
	}
	return s.Bytes()
}

func TestCorruptSegments(t *testing.T) {
	raw := sample(t)
	for n := range len(raw) {
		if _, err := OpenBytes(raw[:n]); err == nil && n < len(raw)-7 { // padding alone may be cut
			t.Fatalf("%d of %d bytes opened", n, len(raw))
		}
	}
	r := rand.New(rand.NewPCG(4, 4))
	refused, opened := 0, 0
	for range 4000 {
		b := slices.Clone(raw)
		for range 1 + r.IntN(3) {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		if !bytes.Equal(b, raw) {
			if _, err := OpenBytes(b); err == nil && !paddingOnly(raw, b) {
				t.Fatal("a flipped bit was not noticed")
			}
		}
		reseal(b)
		if s, err := OpenBytes(b); err == nil {
			opened++
			walk(t, s)
		} else {
			refused++
		}
	}
	if opened == 0 || refused == 0 {
		t.Errorf("opened %d, refused %d: the test sees one side only", opened, refused)
	}
}

// paddingOnly tells whether a and b differ only between sections.
func paddingOnly(a, b []byte) bool {
	for i := range a {
		if a[i] != b[i] {
			inside := i < headerSize-4
			for s := range numSections {
				rec := a[16+16*s:]
				at, n := le.Uint64(rec), uint64(le.Uint32(rec[8:]))
				inside = inside || uint64(i) >= at && uint64(i) < at+n
			}
			if inside {
				return false
			}
		}
	}
	return true
}

func FuzzOpenBytes(f *testing.F) {
	f.Add(sample(f), false)
	f.Add(sample(f), true)
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal && len(b) >= headerSize {
			b = slices.Clone(b)
			reseal(b)
		}
		fuzzwatch.Input(t, func() {
			if s, err := OpenBytes(b); err == nil {
				walk(t, s)
			}
		})
	})
}

// FuzzOpenOver: a kept overlay, whose checksum is made right when seal says so.
func FuzzOpenOver(f *testing.F) {
	s, err := OpenBytes(sample(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(EncodeOver(s, []Edge{{From: 0, To: 1}}), false)
	f.Add(EncodeOver(s, nil), true)
	f.Fuzz(func(t *testing.T, b []byte, seal bool) {
		if seal && len(b) >= overHeader {
			b = slices.Clone(b)
			le.PutUint32(b[16:], crc32.Checksum(b[overHeader:], crcTable))
		}
		fuzzwatch.Input(t, func() {
			o, err := OpenOver(b, true)
			if err != nil {
				return
			}
			if edges, ok := o.Edges(6); ok {
				for _, e := range edges {
					if e.From < 0 || e.To < 0 || e.From >= 6 || e.To >= 6 {
						t.Fatalf("edge %+v", e)
					}
				}
			}
			walk(t, o.Segment)
		})
	})
}

func TestBuilderOrder(t *testing.T) {
	b := NewBuilder()
	for i, p := range []string{"b", "a", "b"} {
		_, err := b.Add(Doc{Path: p, Facts: &facts.Facts{}})
		if (err == nil) != (i == 0) {
			t.Errorf("Add(%q): %v", p, err)
		}
	}
}

func BenchmarkPostings(b *testing.B) {
	c := corpus{rand.New(rand.NewPCG(5, 5))}
	t := tree{}
	for i := range 5000 {
		p := fmt.Sprintf("d%02d/f%04d", i%50, i)
		t[p] = c.doc(p)
	}
	v := NewView(t.build(b))
	var buf []Posting
	for b.Loop() {
		for _, term := range vocabulary {
			buf = v.Postings(buf[:0], term, Body)
		}
	}
}

func TestMergeRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 500 {
		docs := r.Perm(300)[:r.IntN(200)]
		mid := r.IntN(len(docs) + 1)
		list := make([]Posting, len(docs))
		for i, d := range docs {
			list[i] = Posting{Doc: int32(d), TF: int32(d) + 1}
		}
		byDoc := func(a, b Posting) int { return int(a.Doc - b.Doc) }
		slices.SortFunc(list[:mid], byDoc)
		slices.SortFunc(list[mid:], byDoc)
		want := slices.Clone(list)
		slices.SortFunc(want, byDoc)
		if mergeRuns(list, mid); !slices.Equal(list, want) {
			t.Fatalf("merged to %v, want %v", list, want)
		}
	}
}
