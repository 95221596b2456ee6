package index

import (
	"encoding/binary"
	"slices"
	"strings"
)

// The strings of a segment are sorted and numbered in that order: count u32, a
// place u32 in what follows for every stringBlock of them, and of each string
//
//	uvarint bytes shared with the one before (not for the first of a block),
//	uvarint length of the rest, the rest
//
// Blocks are short, since strings are asked for one by one.
const stringBlock = 4

// pool interns strings.
type pool struct {
	ids  map[string]uint32
	list []string
}

func (p *pool) id(s string) uint32 {
	if id, ok := p.ids[s]; ok {
		return id
	}
	id := uint32(len(p.list))
	s = strings.Clone(s)
	p.list = append(p.list, s)
	p.ids[s] = id
	return id
}

// finish lays the strings out and returns the number that each one gets, by its
// id. The pool is spent.
func (p *pool) finish() (out []byte, rank []uint32) {
	rank = make([]uint32, len(p.list))
	slices.Sort(p.list)
	for i, s := range p.list {
		rank[p.ids[s]] = uint32(i)
	}
	var data []byte
	out = le.AppendUint32(nil, uint32(len(p.list)))
	for i, s := range p.list {
		rest := s
		if i%stringBlock == 0 {
			out = le.AppendUint32(out, uint32(len(data)))
		} else {
			prev, n := p.list[i-1], 0
			for n < len(s) && n < len(prev) && s[n] == prev[n] {
				n++
			}
			data = binary.AppendUvarint(data, uint64(n))
			rest = s[n:]
		}
		data = binary.AppendUvarint(data, uint64(len(rest)))
		data = append(data, rest...)
	}
	*p = pool{}
	return append(out, data...), rank
}

// renumber gives the strings that records of a size name at some places the
// numbers of rank.
func renumber(recs []byte, size int, places []int, rank []uint32) {
	for i := 0; i < len(recs); i += size {
		for _, at := range places {
			le.PutUint32(recs[i+at:], rank[le.Uint32(recs[i+at:])])
		}
	}
}

// stringIndex returns the places of blocks and what they lead into.
func stringIndex(b []byte) (count uint32, index, data []byte, ok bool) {
	if len(b) < 4 {
		return 0, nil, nil, false
	}
	count = le.Uint32(b)
	size := (uint64(count) + stringBlock - 1) / stringBlock * 4
	if size > uint64(len(b)-4) {
		return 0, nil, nil, false
	}
	return count, b[4 : 4+size], b[4+size:], true
}

// string returns a string by its number, "" if there is none.
func (s *Segment) string(id uint32) string {
	var buf [128]byte
	return string(s.appendString(buf[:0], id))
}

// appendString is string into a buffer.
func (s *Segment) appendString(dst []byte, id uint32) []byte {
	count, index, data, ok := stringIndex(s.sec[secStrings])
	if !ok || id >= count {
		return dst
	}
	at := le.Uint32(index[id/stringBlock*4:])
	if uint64(at) > uint64(len(data)) {
		return dst
	}
	b, base := data[at:], len(dst)
	for i := range id%stringBlock + 1 {
		if dst, b, ok = nextString(dst, base, b, i == 0); !ok {
			return dst[:base]
		}
	}
	return dst
}

// nextString replaces the string that dst holds from base on by the next one.
func nextString(dst []byte, base int, b []byte, first bool) (out, rest []byte, ok bool) {
	shared := uint64(0)
	if !first {
		n, k := binary.Uvarint(b)
		if k <= 0 || n > uint64(len(dst)-base) {
			return dst, b, false
		}
		shared, b = n, b[k:]
	}
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return dst, b, false
	}
	return append(dst[:base+int(shared)], b[k:][:n]...), b[k+int(n):], true
}

// validStrings tells whether all strings can be read, and are where the index
// says.
func (s *Segment) validStrings() bool {
	count, index, data, ok := stringIndex(s.sec[secStrings])
	if !ok {
		return false
	}
	var buf []byte
	rest := data
	for i := range count {
		if i%stringBlock == 0 {
			if int(le.Uint32(index[i/stringBlock*4:])) != len(data)-len(rest) {
				return false
			}
			buf = buf[:0]
		}
		if buf, rest, ok = nextString(buf, 0, rest, i%stringBlock == 0); !ok {
			return false
		}
	}
	return len(rest) == 0
}
