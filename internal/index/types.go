package index

import (
	"encoding/hex"
	"fmt"
	"slices"

	"cohop/internal/sections"
)

// TypesVersion is the version of the layout of kept edges:
//
//	head: magic[8] version u32 files u32
//	sections: edges, as in a segment; a note of whoever made them
//
// Its changelog:
//
//	1: first
const TypesVersion = 1

const typesMagic = "COHOPTYP"

// EncodeTypes returns all edges of a tree of files files, sorted by from, to,
// kind, to be kept apart from the segment whose edges they stand in for; note
// says where they are from.
func EncodeTypes(files int32, edges []Edge, note []byte) ([]byte, error) {
	head := le.AppendUint32([]byte(typesMagic), TypesVersion)
	head = le.AppendUint32(head, uint32(files))
	out, err := sections.Join(head, [][]byte{appendEdges(edges), note})
	if err != nil {
		return nil, fmt.Errorf("keep edges: %w", err)
	}
	return out, nil
}

// Types are edges kept by EncodeTypes.
type Types struct {
	Files int32
	Note  []byte
	Tag   string // tells these edges from others, by their checksum
	edges []byte
}

// OpenTypes opens what EncodeTypes made; check reads all of it, without it was
// checked before.
func OpenTypes(b []byte, check bool) (*Types, error) {
	if len(b) < headSize || string(b[:8]) != typesMagic || le.Uint32(b[8:]) != TypesVersion {
		return nil, fmt.Errorf("%w: no edges", ErrCorrupt)
	}
	t := &Types{Files: int32(le.Uint32(b[12:]))}
	var list [2][]byte
	if err := sections.Split(b, headSize, list[:], check); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	t.edges, t.Note = list[0], list[1]
	t.Tag = hex.EncodeToString(b[headSize:sections.HeaderSize(headSize, len(list))])
	if t.Files < 0 || len(t.edges)%edgeRecSize != 0 {
		return nil, fmt.Errorf("%w: edges", ErrCorrupt)
	}
	if check {
		edges, ok := t.Edges()
		if !ok || !slices.IsSortedFunc(edges, edgeOrder) {
			return nil, fmt.Errorf("%w: edges lead out of the tree", ErrCorrupt)
		}
	}
	return t, nil
}

// Edges returns the edges; ok is false if one leads out of the tree.
func (t *Types) Edges() (edges []Edge, ok bool) {
	edges = make([]Edge, len(t.edges)/edgeRecSize)
	for i := range edges {
		e := edgeAt(t.edges[i*edgeRecSize:])
		if e.From < 0 || e.To < 0 || e.From >= t.Files || e.To >= t.Files {
			return nil, false
		}
		edges[i] = e
	}
	return edges, true
}

// WithTypes returns the segment with the edges of t in place of its own,
// without copying either; nil if they are not of a tree of its size. Its Bytes
// stay those of s.
func (s *Segment) WithTypes(t *Types) *Segment {
	if t.Files != s.Files() {
		return nil
	}
	out := &Segment{raw: s.raw, sec: s.sec, meta: s.meta, words: s.words}
	out.sec[secEdges] = t.edges
	out.meta.edges = uint64(len(t.edges) / edgeRecSize)
	return out
}
