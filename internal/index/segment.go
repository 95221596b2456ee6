package index

import (
	"bytes"
	"fmt"
	"math"
	"sort"

	"cohop/internal/facts"
	"cohop/internal/text"
)

// Segment is one immutable index. It is safe for concurrent use. Ids in and
// out are its own; a View renumbers them.
type Segment struct {
	raw  []byte
	sec  [numSections][]byte
	meta meta
}

// OpenBytes checks raw, which may be memory-mapped and must stay unchanged, and
// returns the segment in it. It fails with ErrCorrupt.
func OpenBytes(raw []byte) (*Segment, error) {
	sec, err := split(raw)
	if err != nil {
		return nil, err
	}
	s := &Segment{raw: raw, sec: sec}
	if !s.meta.decode(sec[secMeta]) {
		return nil, fmt.Errorf("%w: meta", ErrCorrupt)
	}
	m := &s.meta
	for _, c := range []struct {
		sec  int
		n    uint64
		size int
	}{
		{secFiles, m.files, fileRecSize},
		{secChunks, m.chunks, chunkRecSize},
		{secSymbols, m.symbols, symbolRecSize},
		{secTermIndex, m.terms, termRecSize},
		{secEdges, m.edges, edgeRecSize},
	} {
		if c.n > math.MaxInt32 || uint64(len(sec[c.sec])) != c.n*uint64(c.size) {
			return nil, fmt.Errorf("%w: section %d has %d bytes for %d records", ErrCorrupt, c.sec, len(sec[c.sec]), c.n)
		}
	}
	if n := len(sec[secStrings]); n < 4 || uint64(le.Uint32(sec[secStrings]))*4+4 > uint64(n) {
		return nil, fmt.Errorf("%w: string pool", ErrCorrupt)
	}
	if len(sec[secSymKeys])%keyRecSize != 0 || len(sec[secLiterals])%keyRecSize != 0 {
		return nil, fmt.Errorf("%w: key tables", ErrCorrupt)
	}
	return s, nil
}

// Bytes returns the segment as it is kept on disk.
func (s *Segment) Bytes() []byte { return s.raw }

// Files, Chunks and Symbols count what the segment holds.
func (s *Segment) Files() int32   { return int32(s.meta.files) }
func (s *Segment) Chunks() int32  { return int32(s.meta.chunks) }
func (s *Segment) Symbols() int32 { return int32(s.meta.symbols) }

func (s *Segment) file(f int32) []byte {
	return s.sec[secFiles][int(f)*fileRecSize:][:fileRecSize]
}

func (s *Segment) string(id uint32) string {
	b := s.sec[secStrings]
	n := le.Uint32(b)
	if id >= n {
		return ""
	}
	start := uint32(0)
	if id > 0 {
		start = le.Uint32(b[4*id:])
	}
	end := le.Uint32(b[4+4*id:])
	data := b[4+4*n:]
	if start > end || uint64(end) > uint64(len(data)) {
		return ""
	}
	return string(data[start:end])
}

func (s *Segment) pathBytes(f int32) []byte {
	rec := s.file(f)
	at, n := uint64(le.Uint32(rec)), uint64(le.Uint32(rec[4:]))
	if at+n > uint64(len(s.sec[secPaths])) {
		return nil
	}
	return s.sec[secPaths][at : at+n]
}

// find returns the file of a path.
func (s *Segment) find(path string) (int32, bool) {
	n := int(s.meta.files)
	i := sort.Search(n, func(i int) bool { return string(s.pathBytes(int32(i))) >= path })
	return int32(i), i < n && string(s.pathBytes(int32(i))) == path
}

// firstChunk returns the first chunk of file f; f may equal Files.
func (s *Segment) firstChunk(f int32) int32 {
	if uint64(f) >= s.meta.files {
		return int32(s.meta.chunks)
	}
	return int32(min(uint64(le.Uint32(s.file(f)[48:])), s.meta.chunks))
}

func (s *Segment) firstSymbol(f int32) int32 {
	if uint64(f) >= s.meta.files {
		return int32(s.meta.symbols)
	}
	return int32(min(uint64(le.Uint32(s.file(f)[52:])), s.meta.symbols))
}

func (s *Segment) len(f int32, field Field) int32 {
	return int32(le.Uint32(s.file(f)[56+4*int(field):]))
}

func (s *Segment) chunk(c int32) []byte {
	return s.sec[secChunks][int(c)*chunkRecSize:][:chunkRecSize]
}

func (s *Segment) chunkFile(c int32) int32 {
	return int32(min(uint64(le.Uint32(s.chunk(c))), s.meta.files-1))
}

func (s *Segment) symbol(i int32) []byte {
	return s.sec[secSymbols][int(i)*symbolRecSize:][:symbolRecSize]
}

func (s *Segment) symbolFile(i int32) int32 {
	return int32(min(uint64(le.Uint32(s.symbol(i)[4:])), s.meta.files-1))
}

func (s *Segment) termBytes(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = le.Uint32(s.sec[secTermIndex][(i-1)*termRecSize:])
	}
	end := le.Uint32(s.sec[secTermIndex][i*termRecSize:])
	if start > end || uint64(end) > uint64(len(s.sec[secTerms])) {
		return nil
	}
	return s.sec[secTerms][start:end]
}

// term returns the number of term t, or the place where it would stand.
func (s *Segment) term(t string) (int, bool) {
	n := int(s.meta.terms)
	i := sort.Search(n, func(i int) bool { return string(s.termBytes(i)) >= t })
	return i, i < n && string(s.termBytes(i)) == t
}

// postings appends the postings of term number i in field f to dst.
func (s *Segment) postings(dst []Posting, i int, f Field) []Posting {
	at := le.Uint64(s.sec[secTermIndex][i*termRecSize+4:])
	if at > uint64(len(s.sec[secPostings])) {
		return dst
	}
	_, list, ok := fieldList(s.sec[secPostings][at:], f)
	if !ok {
		return dst
	}
	limit := s.Files()
	if f == Body {
		limit = s.Chunks()
	}
	return decodeList(dst, list, limit)
}

// keyed calls f for every id stored under the hash in a key table.
func (s *Segment) keyed(section int, hash uint64, limit int32, f func(id int32)) {
	b := s.sec[section]
	n := len(b) / keyRecSize
	i := sort.Search(n, func(i int) bool { return le.Uint64(b[i*keyRecSize:]) >= hash })
	for ; i < n && le.Uint64(b[i*keyRecSize:]) == hash; i++ {
		if id := le.Uint32(b[i*keyRecSize+8:]); id < uint32(limit) {
			f(int32(id))
		}
	}
}

func (s *Segment) edge(i int) Edge {
	b := s.sec[secEdges][i*edgeRecSize:][:edgeRecSize]
	return Edge{
		From:   int32(le.Uint32(b)),
		To:     int32(le.Uint32(b[4:])),
		Weight: math.Float32frombits(le.Uint32(b[8:])),
		Kind:   b[12],
	}
}

// Symbol is a definition as the index keeps it. Lines are one-based and
// inclusive.
type Symbol struct {
	Name                         string
	File                         int32
	Parent                       int32 // id of the enclosing symbol, -1 at top level
	Kind                         facts.Kind
	Exported                     bool
	DocStart, Start, SigEnd, End int32
}

func (s *Segment) decodeSymbol(i int32) Symbol {
	r := s.symbol(i)
	return Symbol{
		Name:     s.string(le.Uint32(r)),
		File:     s.symbolFile(i),
		Parent:   int32(le.Uint32(r[8:])),
		Kind:     facts.Kind(r[12]),
		Exported: r[13] != 0,
		DocStart: int32(le.Uint32(r[16:])),
		Start:    int32(le.Uint32(r[20:])),
		SigEnd:   int32(le.Uint32(r[24:])),
		End:      int32(le.Uint32(r[28:])),
	}
}

// Chunk is a run of lines of a file.
type Chunk struct {
	File       int32
	Start, End int32
	Symbol     int32 // -1 if none
	Len        int32 // index terms
}

func (s *Segment) decodeChunk(c int32) Chunk {
	r := s.chunk(c)
	return Chunk{
		File:   s.chunkFile(c),
		Start:  int32(le.Uint32(r[4:])),
		End:    int32(le.Uint32(r[8:])),
		Symbol: int32(le.Uint32(r[12:])),
		Len:    int32(le.Uint32(r[16:])),
	}
}

func keyHash(term string) uint64 { return text.LiteralHash(term) }

// hasPrefix tells whether term number i starts with p.
func (s *Segment) hasPrefix(i int, p string) bool {
	return i < int(s.meta.terms) && bytes.HasPrefix(s.termBytes(i), []byte(p))
}
