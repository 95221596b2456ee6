package index

import (
	"fmt"
	"math"
	"sort"
	"sync"

	"cohop/internal/facts"
	"cohop/internal/sections"
	"cohop/internal/text"
)

// Segment is one immutable index. It is safe for concurrent use. Ids in and
// out are its own; a View renumbers them.
type Segment struct {
	raw   []byte
	sec   [numSections][]byte
	meta  meta
	words sections.Words
	kept  sync.Once
	paths string            // copy of secPaths: what is handed out outlives a mapping
	label map[uint32]string // languages, roles and packages, likewise
}

// OpenBytes checks all of raw, which may be memory-mapped and must stay
// unchanged, and returns the segment in it. It fails with ErrCorrupt.
func OpenBytes(raw []byte) (*Segment, error) {
	s, err := open(raw, true)
	if err == nil {
		err = s.validate()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// OpenTrusted is OpenBytes for bytes that OpenBytes accepted before: it reads
// the header alone, so that a mapped segment costs the pages that a query
// touches.
func OpenTrusted(raw []byte) (*Segment, error) { return open(raw, false) }

func open(raw []byte, sums bool) (*Segment, error) {
	sec, err := split(raw, sums)
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
		{secSymbolOwners, uint64(len(sec[secSymbolOwners]) / ownerRecSize), ownerRecSize},
		{secSymbolOdd, uint64(len(sec[secSymbolOdd]) / oddRecSize), oddRecSize},
		{secEdges, m.edges, edgeRecSize},
	} {
		if c.n > math.MaxInt32 || uint64(len(sec[c.sec])) != c.n*uint64(c.size) {
			return nil, fmt.Errorf("%w: section %d has %d bytes for %d records", ErrCorrupt, c.sec, len(sec[c.sec]), c.n)
		}
	}
	if m.terms > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d terms", ErrCorrupt, m.terms)
	}
	if s.words, err = sections.OpenWords(sec[secTerms], sec[secTermIndex], int(m.terms)); err != nil {
		return nil, fmt.Errorf("%w: terms: %w", ErrCorrupt, err)
	}
	if _, _, _, ok := stringIndex(sec[secStrings]); !ok {
		return nil, fmt.Errorf("%w: string pool", ErrCorrupt)
	}
	for _, k := range keySections {
		if len(sec[k])%keyRecSize != 0 {
			return nil, fmt.Errorf("%w: key table %d", ErrCorrupt, k)
		}
	}
	return s, nil
}

var keySections = [...]int{secSymKeys, secLiterals, secMentions}

// keep copies what Path and the like hand out.
func (s *Segment) keep() {
	s.kept.Do(func() {
		s.paths = string(s.sec[secPaths])
		s.label = map[uint32]string{}
		for f := range s.Files() {
			rec := s.file(f)
			for _, at := range [...]int{28, 32, 36} {
				id := le.Uint32(rec[at:])
				if _, ok := s.label[id]; !ok {
					s.label[id] = s.string(id)
				}
			}
		}
	})
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

func (s *Segment) pathBytes(f int32) []byte {
	rec := s.file(f)
	at, n := uint64(le.Uint32(rec)), uint64(le.Uint32(rec[4:]))
	if at+n > uint64(len(s.sec[secPaths])) {
		return nil
	}
	return s.sec[secPaths][at : at+n]
}

// path is pathBytes as a string that outlives the mapping.
func (s *Segment) path(f int32) string {
	s.keep()
	rec := s.file(f)
	at, n := uint64(le.Uint32(rec)), uint64(le.Uint32(rec[4:]))
	if at+n > uint64(len(s.paths)) {
		return ""
	}
	return s.paths[at : at+n]
}

// labelAt returns the language (28), role (32) or package (36) of a file.
func (s *Segment) labelAt(f int32, at int) string {
	s.keep()
	return s.label[le.Uint32(s.file(f)[at:])]
}

// Find returns the file of a path.
func (s *Segment) Find(path string) (int32, bool) { return s.find(path) }

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

// termAt is where the postings of a term stand: behind those of skip others
// from list on.
type termAt struct{ list, skip int }

// term finds a term.
func (s *Segment) term(t string) (termAt, bool) {
	list, skip, ok := s.words.Find(t)
	return termAt{list, skip}, ok && list <= len(s.sec[secPostings])
}

// postings appends the postings of a term in field f to dst.
func (s *Segment) postings(dst []Posting, t termAt, f Field) []Posting {
	_, list, ok := fieldList(s.sec[secPostings][t.list:], t.skip, f)
	if !ok {
		return dst
	}
	limit := s.Files()
	if f == Body {
		limit = s.Chunks()
	}
	return decodeList(dst, list, limit)
}

// count returns the number of postings of a term in field f.
func (s *Segment) count(t termAt, f Field) int {
	n, _, _ := fieldList(s.sec[secPostings][t.list:], t.skip, f)
	return n
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

func (s *Segment) edge(i int) Edge { return edgeAt(s.sec[secEdges][i*edgeRecSize:][:edgeRecSize]) }

func edgeAt(b []byte) Edge {
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
	Owner                        string // type it belongs to when no enclosing symbol says so
	File                         int32
	Parent                       int32 // id of the enclosing symbol, -1 at top level
	Kind                         facts.Kind
	Exported                     bool
	DocStart, Start, SigEnd, End int32
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
	sym := int32(le.Uint32(r[12:]))
	if sym < 0 || sym >= s.Symbols() {
		sym = -1
	}
	return Chunk{
		File:   s.chunkFile(c),
		Start:  int32(le.Uint32(r[4:])),
		End:    int32(le.Uint32(r[8:])),
		Symbol: sym,
		Len:    int32(le.Uint32(r[16:])),
	}
}

func keyHash(term string) uint64 { return text.LiteralHash(term) }
