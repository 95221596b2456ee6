package index

import (
	"fmt"
	"hash/crc32"
)

// OverVersion is the version of the layout of a kept overlay:
//
//	magic[8] version u32 edges u32 crc32c of what follows u32, zero u32
//	edges, as in a segment, in the ids of the view that the overlay made
//	padding to a multiple of 8
//	the overlay's segment
//
// Its changelog:
//
//	1: first
const OverVersion = 1

const (
	overMagic  = "COHOPOVR"
	overHeader = 24
)

// EncodeOver returns an overlay and all the edges of the view that it makes.
func EncodeOver(over *Segment, edges []Edge) []byte {
	out := make([]byte, overHeader, overHeader+(len(edges)*edgeRecSize+7)&^7+len(over.raw))
	copy(out, overMagic)
	le.PutUint32(out[8:], OverVersion)
	le.PutUint32(out[12:], uint32(len(edges)))
	out = append(out, appendEdges(edges)...)
	for len(out)%8 != 0 {
		out = append(out, 0)
	}
	out = append(out, over.raw...)
	le.PutUint32(out[16:], crc32.Checksum(out[overHeader:], crcTable))
	return out
}

// Over is a kept overlay.
type Over struct {
	Segment *Segment
	edges   []byte
}

// OpenOver opens what EncodeOver made; check reads all of it, without it was
// checked before.
func OpenOver(b []byte, check bool) (*Over, error) {
	if len(b) < overHeader || string(b[:8]) != overMagic || le.Uint32(b[8:]) != OverVersion {
		return nil, fmt.Errorf("%w: no overlay", ErrCorrupt)
	}
	n := uint64(le.Uint32(b[12:])) * edgeRecSize
	at := (overHeader + n + 7) &^ 7
	if at > uint64(len(b)) {
		return nil, fmt.Errorf("%w: overlay's edges are out of bounds", ErrCorrupt)
	}
	if check && crc32.Checksum(b[overHeader:], crcTable) != le.Uint32(b[16:]) {
		return nil, fmt.Errorf("%w: overlay's checksum", ErrCorrupt)
	}
	open := OpenTrusted
	if check {
		open = OpenBytes
	}
	s, err := open(b[at:])
	if err != nil {
		return nil, err
	}
	return &Over{s, b[overHeader : overHeader+n : overHeader+n]}, nil
}

// Edges returns the edges; ok is false if one leads out of a view of files
// files.
func (o *Over) Edges(files int32) (edges []Edge, ok bool) {
	edges = make([]Edge, len(o.edges)/edgeRecSize)
	for i := range edges {
		e := edgeAt(o.edges[i*edgeRecSize:])
		if e.From < 0 || e.To < 0 || e.From >= files || e.To >= files {
			return nil, false
		}
		edges[i] = e
	}
	return edges, true
}
