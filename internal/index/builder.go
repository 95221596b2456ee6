package index

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"cohop/internal/facts"
	"cohop/internal/sections"
	"cohop/internal/text"
)

// Doc is one file of the tree.
type Doc struct {
	Path  string
	ID    [20]byte // blob id
	Role  string
	Facts *facts.Facts // read by Add, not kept
}

// Edge leads from a file to one that it depends on.
type Edge struct {
	From, To int32
	Kind     uint8 // as resolve.Kind
	Weight   float32
}

// Builder joins the facts of the files of a tree. Add them in strictly
// ascending path order, then call Finish once.
type Builder struct {
	meta              meta
	strings           pool
	files, paths      []byte
	chunks            []byte
	symbols           symbolWriter
	terms             map[string]uint32
	fields            [NumFields]tuples
	keys              []keyRec
	literals          []keyRec
	mentions          []keyRec
	last              string
	sp                text.Splitter
	keyOf             map[string]uint64 // memo: symbol name → hash of its key
	pathTerm          map[uint32]int32
	pathOrder, termID []uint32
}

type keyRec struct {
	hash uint64
	id   uint32
}

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder {
	return &Builder{
		strings:  pool{ids: map[string]uint32{}},
		terms:    map[string]uint32{},
		keyOf:    map[string]uint64{},
		pathTerm: map[uint32]int32{},
	}
}

func (b *Builder) term(t string) uint32 {
	if id, ok := b.terms[t]; ok {
		return id
	}
	id := uint32(len(b.terms))
	b.terms[strings.Clone(t)] = id
	return id
}

// Add joins one file and returns its id.
func (b *Builder) Add(d Doc) (int32, error) {
	f := d.Facts
	if b.meta.files > 0 && d.Path <= b.last {
		return 0, fmt.Errorf("build index: %q added after %q, want ascending paths", d.Path, b.last)
	}
	if b.meta.files >= math.MaxInt32 || b.meta.chunks+uint64(len(f.Chunks)) >= math.MaxInt32 {
		return 0, fmt.Errorf("build index: too many files or chunks at %q", d.Path)
	}
	b.last = d.Path
	file := uint32(b.meta.files)
	chunk0, sym0 := uint32(b.meta.chunks), uint32(b.meta.symbols)

	b.termID = b.termID[:0]
	for _, t := range f.Terms {
		b.termID = append(b.termID, b.term(t))
	}
	var lens [NumFields]uint32
	for c, list := range f.Body[:min(len(f.Body), len(f.Chunks))] {
		for _, tf := range list {
			b.fields[Body].add(b.termID[tf.Term], chunk0+uint32(c), tf.N)
			lens[Body] += uint32(tf.N)
		}
	}
	for _, tf := range f.Names {
		b.fields[Names].add(b.termID[tf.Term], file, tf.N)
		lens[Names] += uint32(tf.N)
	}
	for _, tf := range f.Docs {
		b.fields[Docs].add(b.termID[tf.Term], file, tf.N)
		lens[Docs] += uint32(tf.N)
	}
	lens[Path] = b.addPath(d.Path, file)

	rec := make([]byte, fileRecSize)
	le.PutUint32(rec, uint32(len(b.paths)))
	le.PutUint32(rec[4:], uint32(len(d.Path)))
	copy(rec[8:28], d.ID[:])
	le.PutUint32(rec[28:], b.strings.id(f.Lang))
	le.PutUint32(rec[32:], b.strings.id(d.Role))
	le.PutUint32(rec[36:], b.strings.id(f.Package))
	le.PutUint16(rec[40:], uint16(f.Flags))
	le.PutUint16(rec[42:], uint16(min(f.Masked, 1<<16-1)))
	le.PutUint32(rec[44:], uint32(f.Lines))
	le.PutUint32(rec[48:], chunk0)
	le.PutUint32(rec[52:], sym0)
	for i, n := range lens {
		le.PutUint32(rec[56+4*i:], n)
		b.meta.lens[i] += uint64(n)
	}
	b.files = append(b.files, rec...)
	b.paths = append(b.paths, d.Path...)

	for _, c := range f.Chunks {
		sym := int32(-1)
		if c.Symbol >= 0 {
			sym = int32(sym0) + c.Symbol
		}
		b.chunks = le.AppendUint32(b.chunks, file)
		b.chunks = le.AppendUint32(b.chunks, uint32(c.Start))
		b.chunks = le.AppendUint32(b.chunks, uint32(c.End))
		b.chunks = le.AppendUint32(b.chunks, uint32(sym))
		b.chunks = le.AppendUint32(b.chunks, uint32(c.Len))
	}
	for i, s := range f.Symbols {
		b.addSymbol(file, sym0, uint32(i), &s)
	}
	for _, h := range f.Literals {
		b.literals = append(b.literals, keyRec{h, file})
	}
	b.addMentions(file, f)
	b.meta.files++
	b.meta.chunks += uint64(len(f.Chunks))
	b.meta.symbols += uint64(len(f.Symbols))
	return int32(file), nil
}

func (b *Builder) addPath(path string, file uint32) uint32 {
	clear(b.pathTerm)
	b.pathOrder = b.pathOrder[:0]
	n := uint32(0)
	b.sp.Each([]byte(path), func(t []byte, _ bool) {
		id, ok := b.terms[string(t)]
		if !ok {
			id = b.term(string(t))
		}
		if b.pathTerm[id] == 0 {
			b.pathOrder = append(b.pathOrder, id)
		}
		b.pathTerm[id]++
		n++
	})
	for _, id := range b.pathOrder {
		b.fields[Path].add(id, file, b.pathTerm[id])
	}
	return n
}

func (b *Builder) addSymbol(file, sym0, i uint32, s *facts.Symbol) {
	parent := int32(-1)
	if s.Parent >= 0 {
		parent = int32(sym0) + s.Parent
	}
	owner := int64(-1)
	name := b.strings.id(s.Name)
	if s.Owner != "" {
		owner = int64(b.strings.id(s.Owner))
	}
	b.symbols.add(file, name, owner, parent, s)
	h, ok := b.keyOf[s.Name]
	if !ok {
		h = nameHash(s.Name)
		b.keyOf[strings.Clone(s.Name)] = h
	}
	b.keys = append(b.keys, keyRec{h, sym0 + i})
}

// Finish returns the segment without edges. The Builder is spent.
func (b *Builder) Finish() (*Segment, error) {
	var sec [numSections][]byte
	var sorting sync.WaitGroup // the keys, beside the terms
	sorting.Go(func() { sec[secMentions] = appendKeys(b.mentions, math.MaxInt) })
	sorting.Go(func() {
		sec[secSymKeys] = appendKeys(b.keys, math.MaxInt)
		sec[secLiterals] = appendKeys(b.literals, MaxLiteralFiles)
	})
	names := make([]string, 0, len(b.terms))
	for t := range b.terms {
		names = append(names, t)
	}
	slices.Sort(names)
	rank := make([]uint32, len(names))
	for r, t := range names {
		rank[b.terms[t]] = uint32(r)
	}
	type lists struct {
		start, doc []uint32
		tf         []uint16
	}
	var l [NumFields]lists
	total := 0
	for f := range b.fields {
		total += b.fields[f].n
	}
	for f := range b.fields {
		l[f].start, l[f].doc, l[f].tf = b.fields[f].byTerm(len(names), rank)
	}
	var tmp []byte
	var words sections.WordsBuilder
	// A posting takes a byte or two, a term one and some for its longer lists.
	sec[secPostings] = make([]byte, 0, total*3/2+3*len(names))
	for r, t := range names {
		words.Add(t, len(sec[secPostings]))
		heads := byte(0)
		for f := range l {
			switch l[f].start[r+1] - l[f].start[r] {
			case 0:
			case 1:
				heads |= 0x11 << f
			default:
				heads |= 1 << f
			}
		}
		sec[secPostings] = append(sec[secPostings], heads)
		for f := range l {
			if from, to := l[f].start[r], l[f].start[r+1]; from < to {
				sec[secPostings], tmp = appendList(sec[secPostings], tmp, l[f].doc[from:to], l[f].tf[from:to])
			}
		}
	}
	sec[secTerms], sec[secTermIndex] = words.Words, words.Index
	b.meta.terms = uint64(len(names))
	var number []uint32
	sec[secStrings], number = b.strings.finish()
	renumber(b.files, fileRecSize, []int{28, 32, 36}, number)
	renumber(b.symbols.recs, symbolRecSize, []int{0}, number)
	renumber(b.symbols.owners, ownerRecSize, []int{4}, number)
	sec[secFiles], sec[secPaths] = b.files, b.paths
	sec[secChunks], sec[secSymbols] = b.chunks, b.symbols.recs
	sec[secSymbolOwners], sec[secSymbolOdd] = b.symbols.owners, b.symbols.odd
	sorting.Wait()
	sec[secMeta] = b.meta.append(nil)
	raw, err := assemble(sec)
	if err != nil {
		return nil, err
	}
	return OpenBytes(raw)
}

func appendKeys(keys []keyRec, most int) []byte {
	slices.SortFunc(keys, func(a, b keyRec) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.id, b.id))
	})
	keys = slices.Compact(keys)
	out := make([]byte, 0, len(keys)*keyRecSize)
	for i := 0; i < len(keys); {
		j := i + 1
		for j < len(keys) && keys[j].hash == keys[i].hash {
			j++
		}
		if j-i <= most {
			for _, k := range keys[i:j] {
				out = le.AppendUint64(out, k.hash)
				out = le.AppendUint32(out, k.id)
			}
		}
		i = j
	}
	return out
}

// edgeOrder is the order of edges: by from, to, kind.
func edgeOrder(a, b Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind))
}

func appendEdges(edges []Edge) []byte {
	out := make([]byte, 0, len(edges)*edgeRecSize)
	for _, e := range edges {
		out = le.AppendUint32(out, uint32(e.From))
		out = le.AppendUint32(out, uint32(e.To))
		out = le.AppendUint32(out, math.Float32bits(e.Weight))
		out = append(out, e.Kind)
	}
	return out
}

// WithEdges returns the segment with its edges replaced. They must be sorted
// by from, to, kind.
func (s *Segment) WithEdges(edges []Edge) (*Segment, error) {
	sec := s.sec
	sec[secEdges] = appendEdges(edges)
	m := s.meta
	m.edges = uint64(len(edges))
	sec[secMeta] = m.append(nil)
	raw, err := assemble(sec)
	if err != nil {
		return nil, err
	}
	return OpenBytes(raw)
}
