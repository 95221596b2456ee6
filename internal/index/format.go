// Package index joins the facts of one tree into an inverted index: files and
// chunks as dense ids in path order, postings by field, symbols, rare
// literals, and edges between files.
//
// A Builder makes a Segment: one immutable byte string, the same bytes for the
// same tree, which is either kept in memory or written to disk and mapped. A
// View is what queries see: one segment, or a base segment with some of its
// files replaced by those of a small second one (dirty files, another commit).
// Ids of a View are dense in path order whatever it is made of, and its
// statistics are integers over the living files, so that an overlaid View and
// a rebuilt segment answer alike.
//
// doc/format.md gives the layout.
package index

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"cohop/internal/sections"
)

// FormatVersion is the version of the segment layout; its changelog:
//
//	1: first
//	2: symbols carry their stated owner; names without an index term are keyed
//	   by themselves; names that files mention and that have no index term are
//	   listed
//	3: of the dots of a path only those that name a folder are a mention
//	4: terms front-coded, lists without heads for what is not there, symbols in
//	   half the room
//	5: strings sorted and front-coded
const FormatVersion = 5

const magic = "COHOPSEG"

// MaxLiteralFiles is how many files may hold a literal for it to be kept: the
// promotion asks for at most 3, and an overlay may take some away.
const MaxLiteralFiles = 8

// ErrCorrupt says that a segment's bytes are not what a Builder wrote; the
// remedy is to build it again.
var ErrCorrupt = errors.New("index segment is corrupt")

// The sections, in the order in which they stand.
const (
	secMeta         = iota // counts and totals, see meta
	secStrings             // string pool: languages, roles, packages, symbol names
	secFiles               // fileRec each
	secPaths               // path bytes, back to back
	secChunks              // chunkRec each
	secSymbols             // symbolRec each
	secSymbolOwners        // see symbols.go
	secSymbolOdd           //
	secTerms               // words and index of sections.Words
	secTermIndex           //
	secPostings            // see postings.go
	secSymKeys             // u64 hash of text.Key, u32 symbol: sorted
	secLiterals            // u64 hash, u32 file: sorted
	secMentions            // u64 hash of a name without an index term, u32 file that mentions it: sorted
	secEdges               // edgeRec each, sorted by from, to, kind
	numSections
)

// Sizes of fixed records in bytes.
const (
	fileRecSize   = 72
	chunkRecSize  = 20
	symbolRecSize = 18
	keyRecSize    = 12
	edgeRecSize   = 13
)

var (
	le       = binary.LittleEndian
	crcTable = crc32.MakeTable(crc32.Castagnoli)
)

// headSize is what stands before the table of sections: magic, version, and
// the number of sections.
const headSize = 16

var headerSize = sections.HeaderSize(headSize, numSections)

// assemble lays the sections behind their head.
func assemble(list [numSections][]byte) ([]byte, error) {
	head := append(make([]byte, 0, headSize), magic...)
	head = le.AppendUint32(head, FormatVersion)
	head = le.AppendUint32(head, numSections)
	out, err := sections.Join(head, list[:])
	if err != nil {
		return nil, fmt.Errorf("build index: %w", err)
	}
	return out, nil
}

// split checks the header, with sums also the checksum of every section, and
// returns the sections of b.
func split(b []byte, sums bool) (list [numSections][]byte, err error) {
	if len(b) < headerSize || string(b[:8]) != magic {
		return list, fmt.Errorf("%w: no header", ErrCorrupt)
	}
	if v := le.Uint32(b[8:]); v != FormatVersion {
		return list, fmt.Errorf("%w: version %d, want %d", ErrCorrupt, v, FormatVersion)
	}
	if n := le.Uint32(b[12:]); n != numSections {
		return list, fmt.Errorf("%w: %d sections, want %d", ErrCorrupt, n, numSections)
	}
	if err := sections.Split(b, headSize, list[:], sums); err != nil {
		return list, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return list, nil
}

// meta is the fixed part of secMeta, all u64.
type meta struct {
	files, chunks, symbols, terms, edges uint64
	lens                                 [NumFields]uint64 // total terms a field
}

const metaSize = 8 * (5 + int(NumFields))

func (m *meta) append(b []byte) []byte {
	for _, v := range []uint64{m.files, m.chunks, m.symbols, m.terms, m.edges} {
		b = le.AppendUint64(b, v)
	}
	for _, v := range m.lens {
		b = le.AppendUint64(b, v)
	}
	return b
}

func (m *meta) decode(b []byte) bool {
	if len(b) < metaSize {
		return false
	}
	for i, p := range []*uint64{&m.files, &m.chunks, &m.symbols, &m.terms, &m.edges} {
		*p = le.Uint64(b[8*i:])
	}
	for i := range m.lens {
		m.lens[i] = le.Uint64(b[40+8*i:])
	}
	return true
}

// Field is a part of a file that is searched with a weight of its own.
type Field uint8

// The fields. Body postings are by chunk, the others by file.
const (
	Body  Field = iota // everything in the file
	Names              // names of the symbols it defines
	Docs               // comments and doc strings
	Path               // its path
	NumFields
)
