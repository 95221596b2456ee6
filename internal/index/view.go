package index

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"cohop/internal/facts"
)

// View is a tree as queries see it: the files of a base segment that still
// stand, and those of an overlay segment. All ids are the View's own: files and
// chunks dense in path order, symbols opaque. A View is immutable and safe for
// concurrent use.
type View struct {
	segs []*Segment
	// With one whole segment the maps are nil and ids are the segment's.
	fileOf []loc     // view file → where it is
	local  [][]int32 // per segment: its file → view file, -1 if replaced
	chunk0 []int32   // view file → first chunk; one more entry at the end
	edges  []Edge    // when overlaid: the merged edges
	lens   [NumFields]uint64
	files  int32
	chunks int32

	moved []int32 // base file → view file of its path, -1 if gone
	fresh []int32 // view files of new paths
	lost  bool    // a path of the base is gone
}

type loc struct {
	seg  int32
	file int32
}

// NewView returns the view of one whole segment.
func NewView(s *Segment) *View {
	return &View{segs: []*Segment{s}, lens: s.meta.lens, files: s.Files(), chunks: s.Chunks()}
}

// Overlay returns the view of base without the paths in gone, and with the
// files of over, which replace those of the same path. SetEdges gives it its
// edges.
func Overlay(base, over *Segment, gone map[string]bool) *View {
	v := &View{segs: []*Segment{base, over}}
	v.local = [][]int32{make([]int32, base.Files()), make([]int32, over.Files())}
	v.moved = make([]int32, base.Files())
	i, j := int32(0), int32(0)
	for i < base.Files() || j < over.Files() {
		var a, b []byte
		if i < base.Files() {
			a = base.pathBytes(i)
		}
		if j < over.Files() {
			b = over.pathBytes(j)
		}
		switch {
		case j == over.Files() || i < base.Files() && string(a) < string(b):
			v.moved[i] = v.files
			if gone[string(a)] {
				v.local[0][i], v.moved[i], v.lost = -1, -1, true
			} else {
				v.add(0, i)
			}
			i++
		default:
			if i < base.Files() && string(a) == string(b) {
				v.local[0][i], v.moved[i] = -1, v.files
				i++
			} else {
				v.fresh = append(v.fresh, v.files)
			}
			v.add(1, j)
			j++
		}
	}
	v.chunk0 = append(v.chunk0, v.chunks)
	return v
}

func (v *View) add(seg int, file int32) {
	s := v.segs[seg]
	v.local[seg][file] = v.files
	v.fileOf = append(v.fileOf, loc{int32(seg), file})
	v.chunk0 = append(v.chunk0, v.chunks)
	v.files++
	v.chunks += s.firstChunk(file+1) - s.firstChunk(file)
	for f := range v.lens {
		v.lens[f] += uint64(s.len(file, Field(f)))
	}
}

func (v *View) at(f int32) (*Segment, int32) {
	if v.local == nil {
		return v.segs[0], f
	}
	l := v.fileOf[f]
	return v.segs[l.seg], l.file
}

// toView maps a segment's file to the view's, -1 if it is gone.
func (v *View) toView(seg int, file int32) int32 {
	if v.local == nil {
		return file
	}
	return v.local[seg][file]
}

// Files and Chunks count what the view holds.
func (v *View) Files() int32  { return v.files }
func (v *View) Chunks() int32 { return v.chunks }

// TotalLen returns the index terms of all files in a field.
func (v *View) TotalLen(f Field) uint64 { return v.lens[f] }

// Path, Lang, Role, Package, ID, Lines, Flags and Masked tell what is known of
// a file.
func (v *View) Path(f int32) string    { s, i := v.at(f); return s.path(i) }
func (v *View) Lang(f int32) string    { s, i := v.at(f); return s.labelAt(i, 28) }
func (v *View) Role(f int32) string    { s, i := v.at(f); return s.labelAt(i, 32) }
func (v *View) Package(f int32) string { s, i := v.at(f); return s.labelAt(i, 36) }
func (v *View) ID(f int32) (id [20]byte) {
	s, i := v.at(f)
	copy(id[:], s.file(i)[8:28])
	return id
}
func (v *View) Lines(f int32) int32 { s, i := v.at(f); return int32(le.Uint32(s.file(i)[44:])) }
func (v *View) Flags(f int32) facts.Flags {
	s, i := v.at(f)
	return facts.Flags(le.Uint16(s.file(i)[40:]))
}
func (v *View) Masked(f int32) int32       { s, i := v.at(f); return int32(le.Uint16(s.file(i)[42:])) }
func (v *View) Len(f int32, x Field) int32 { s, i := v.at(f); return s.len(i, x) }

// Find returns the file of a path.
func (v *View) Find(path string) (int32, bool) {
	if v.local == nil {
		return v.segs[0].find(path)
	}
	i := sort.Search(int(v.files), func(i int) bool { return v.Path(int32(i)) >= path })
	return int32(i), i < int(v.files) && v.Path(int32(i)) == path
}

// Seek returns the first file whose path is not less than p.
func (v *View) Seek(p string) int32 {
	return int32(sort.Search(int(v.files), func(i int) bool { return v.Path(int32(i)) >= p }))
}

// FirstChunk returns the first chunk of file f, or Chunks for f = Files.
func (v *View) FirstChunk(f int32) int32 {
	if v.chunk0 == nil {
		return v.segs[0].firstChunk(f)
	}
	return v.chunk0[f]
}

// ChunkFile returns the file of chunk c.
func (v *View) ChunkFile(c int32) int32 {
	if v.chunk0 == nil {
		return v.segs[0].chunkFile(c)
	}
	return int32(sort.Search(int(v.files), func(i int) bool { return v.chunk0[i+1] > c }))
}

// Chunk returns chunk c.
func (v *View) Chunk(c int32) Chunk {
	if v.chunk0 == nil {
		return v.segs[0].decodeChunk(c)
	}
	f := v.ChunkFile(c)
	l := v.fileOf[f]
	s := v.segs[l.seg]
	out := s.decodeChunk(s.firstChunk(l.file) + c - v.chunk0[f])
	out.File = f
	if out.Symbol >= 0 {
		out.Symbol = v.packSymbol(int(l.seg), out.Symbol)
	}
	return out
}

// ChunkLen returns the index terms of chunk c.
func (v *View) ChunkLen(c int32) int32 {
	if v.chunk0 == nil {
		return int32(le.Uint32(v.segs[0].chunk(c)[16:]))
	}
	return v.Chunk(c).Len
}

// mergeRuns merges list[:mid] and list[mid:], each ascending, in place: from the
// back, with a copy of the second, which is the overlay's and so the shorter.
func mergeRuns(list []Posting, mid int) {
	var few [64]Posting
	second := append(few[:0], list[mid:]...)
	for at := len(list) - 1; len(second) > 0; at-- {
		if last := second[len(second)-1]; mid == 0 || list[mid-1].Doc < last.Doc {
			list[at], second = last, second[:len(second)-1]
		} else {
			mid--
			list[at] = list[mid]
		}
	}
}

// Postings appends to dst the postings of term t in field x: chunks for Body,
// files for the others, ascending.
func (v *View) Postings(dst []Posting, t string, x Field) []Posting {
	start, mid := len(dst), len(dst)
	for k, s := range v.segs {
		i, ok := s.term(t)
		if !ok {
			continue
		}
		from := len(dst)
		dst = s.postings(dst, i, x)
		if v.local == nil {
			continue
		}
		out := dst[:from]
		for _, p := range dst[from:] {
			if x == Body {
				lf := s.chunkFile(p.Doc)
				f := v.local[k][lf]
				if f < 0 {
					continue
				}
				p.Doc = v.chunk0[f] + p.Doc - s.firstChunk(lf)
			} else if p.Doc = v.local[k][p.Doc]; p.Doc < 0 {
				continue
			}
			out = append(out, p)
		}
		dst = out
		if k == 0 {
			mid = len(dst)
		}
	}
	if mid > start && mid < len(dst) && dst[mid].Doc < dst[mid-1].Doc {
		mergeRuns(dst[start:], mid-start)
	}
	return dst
}

// Has tells whether the term stands in any living file.
func (v *View) Has(t string) bool {
	for x := range NumFields {
		if x == Body || x == Path { // names and docs are part of the body
			if len(v.Postings(nil, t, x)) > 0 {
				return true
			}
		}
	}
	return false
}

// Symbol ids of an overlay carry their segment in the lowest bit.
func (v *View) packSymbol(seg int, i int32) int32 {
	if v.local == nil {
		return i
	}
	return i<<1 | int32(seg)
}

func (v *View) unpackSymbol(id int32) (seg int, i int32) {
	if v.local == nil {
		return 0, id
	}
	return int(id & 1), id >> 1
}

// Symbol returns a symbol by its id.
func (v *View) Symbol(id int32) Symbol {
	k, i := v.unpackSymbol(id)
	sym := v.segs[k].decodeSymbol(i)
	sym.File = v.toView(k, sym.File)
	if sym.Parent >= 0 && sym.Parent < v.segs[k].Symbols() {
		sym.Parent = v.packSymbol(k, sym.Parent)
	} else {
		sym.Parent = -1
	}
	return sym
}

// SymbolsOf returns the ids of the symbols of file f, in order.
func (v *View) SymbolsOf(f int32) (ids []int32) {
	k, i := 0, f
	if v.local != nil {
		k, i = int(v.fileOf[f].seg), v.fileOf[f].file
	}
	s := v.segs[k]
	for n := s.firstSymbol(i); n < s.firstSymbol(i+1); n++ {
		ids = append(ids, v.packSymbol(k, n))
	}
	return ids
}

// OnlyDeclares tells whether a file has symbols, and nothing but macros,
// variables and functions that end with their signature: no type, no constant,
// no body of more lines than that.
func (v *View) OnlyDeclares(f int32) bool {
	ids := v.SymbolsOf(f)
	for _, id := range ids {
		s := v.Symbol(id)
		switch {
		case s.Kind == facts.KindMacro || s.Kind == facts.KindVar:
		case s.Kind.Callable() && s.End <= s.SigEnd:
		default:
			return false
		}
	}
	return len(ids) > 0
}

// SymbolIndex returns a symbol's place among the symbols of its file.
func (v *View) SymbolIndex(id int32) int32 {
	k, i := v.unpackSymbol(id)
	s := v.segs[k]
	return i - s.firstSymbol(s.symbolFile(i))
}

// Definers returns the ids of the symbols whose text.Key is key, by file.
func (v *View) Definers(key string) []int32 { return v.definers(keyHash(key)) }

func (v *View) definers(h uint64) (ids []int32) {
	for k, s := range v.segs {
		s.keyed(secSymKeys, h, s.Symbols(), func(i int32) {
			if v.toView(k, s.symbolFile(i)) >= 0 {
				ids = append(ids, v.packSymbol(k, i))
			}
		})
	}
	if v.local != nil && len(ids) > 1 {
		slices.SortStableFunc(ids, func(a, b int32) int { return cmp.Compare(v.symbolFile(a), v.symbolFile(b)) })
	}
	return ids
}

// symbolFile returns the file of a symbol.
func (v *View) symbolFile(id int32) int32 {
	k, i := v.unpackSymbol(id)
	return v.toView(k, v.segs[k].symbolFile(i))
}

// DefinersOf returns the ids of the symbols of exactly this name, by file.
func (v *View) DefinersOf(name string) (ids []int32) {
	ids = v.definers(nameHash(name))
	return slices.DeleteFunc(ids, func(id int32) bool {
		k, i := v.unpackSymbol(id)
		return v.segs[k].string(le.Uint32(v.segs[k].symbol(i))) != name
	})
}

// Literal returns the files that hold the literal of this text.LiteralHash,
// ascending; none if they are more than MaxLiteralFiles. (One that a base
// segment dropped for that reason stays unknown when an overlay takes so many
// of its holders away that few are left.)
func (v *View) Literal(hash uint64) (files []int32) {
	for k, s := range v.segs {
		s.keyed(secLiterals, hash, s.Files(), func(i int32) {
			if f := v.toView(k, i); f >= 0 {
				files = append(files, f)
			}
		})
	}
	if len(files) > MaxLiteralFiles {
		return nil
	}
	slices.Sort(files)
	return files
}

// Edges returns all edges, sorted by from, to, kind.
func (v *View) Edges() []Edge {
	if v.local != nil {
		return v.edges
	}
	out := make([]Edge, 0, v.EdgeCount())
	for e := range v.EachEdge {
		out = append(out, e)
	}
	return out
}

// EdgeCount is about how many edges there are; there are no more.
func (v *View) EdgeCount() int {
	if v.local != nil {
		return len(v.edges)
	}
	return int(v.segs[0].meta.edges)
}

// EachEdge yields the edges in the order of Edges, without making a list.
func (v *View) EachEdge(yield func(Edge) bool) {
	if v.local != nil {
		for _, e := range v.edges {
			if !yield(e) {
				return
			}
		}
		return
	}
	s := v.segs[0]
	for i := range int(s.meta.edges) {
		if e := s.edge(i); e.From >= 0 && e.To >= 0 && e.From < s.Files() && e.To < s.Files() && !yield(e) {
			return
		}
	}
}

// KeptEdges returns, in the view's ids, the edges of the base whose origin is
// unchanged and whose target, maybe in a new version, still stands. With
// resolved edges of the overlay's files they make SetEdges's argument.
func (v *View) KeptEdges() []Edge {
	if v.local == nil {
		return v.Edges()
	}
	base := v.segs[0]
	var out []Edge
	for i := range int(base.meta.edges) {
		e := base.edge(i)
		if e.From < 0 || e.To < 0 || e.From >= base.Files() || e.To >= base.Files() {
			continue
		}
		from, to := v.toView(0, e.From), v.moved[e.To]
		if from < 0 || to < 0 {
			continue
		}
		e.From, e.To = from, to
		out = append(out, e)
	}
	return out
}

// SetEdges gives an overlaid view its edges, which it sorts and keeps; call it before the view is shared.
func (v *View) SetEdges(edges []Edge) {
	if !slices.IsSortedFunc(edges, edgeOrder) {
		slices.SortFunc(edges, edgeOrder)
	}
	v.edges = edges
}

// Overlaid returns the files that come from the overlay, ascending.
func (v *View) Overlaid() (files []int32) {
	for f, l := range v.fileOf {
		if l.seg == 1 {
			files = append(files, int32(f))
		}
	}
	return files
}

// Base returns the segment that all files but New come from, whose paths all
// stand in the view; nil if some do not.
func (v *View) Base() *Segment {
	if v.local == nil {
		return v.segs[0]
	}
	if v.lost {
		return nil
	}
	return v.segs[0]
}

// New returns the files of paths that the base does not have, ascending.
func (v *View) New() []int32 { return v.fresh }

// Moved gives, for each file of Base, its id in the view; nil if it is the same
// for all.
func (v *View) Moved() []int32 {
	if v.local == nil || len(v.fresh) == 0 && !v.lost {
		return nil
	}
	return v.moved
}

// NearTerms calls f for terms that start with prefix, in order, until it
// returns false.
func (v *View) NearTerms(prefix string, f func(term string) bool) {
	for _, s := range v.segs {
		more := true
		s.words.From(prefix, func(t []byte) bool {
			if !bytes.HasPrefix(t, []byte(prefix)) {
				return false
			}
			more = f(string(t))
			return more
		})
		if !more {
			return
		}
	}
}
