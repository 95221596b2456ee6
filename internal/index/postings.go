package index

import "encoding/binary"

// Postings of one term: a byte, of which bit f says that field f has any and
// bit 4+f that it has just one; then of each field that has any
//
//	uvarint count, uvarint bytes of the list (neither if it is just one), list
//
// A list holds, a posting, uvarint(2·delta + (tf>1)) and, if tf>1, uvarint(tf);
// delta counts from the previous document, the first from -1, less one.

// Posting is a document (chunk for Body, else file) and the term's frequency.
type Posting struct{ Doc, TF int32 }

// tuples are postings in the order in which they were added, by document: as
// numbers in place of lists they would take three times the memory. Of each,
// uvarint(term<<2 | next<<1 | tf>1), next saying that uvarint(gap) to another
// document follows, then uvarint(tf) if it is not 1.
type tuples struct {
	full  [][]byte // blocks that are done
	block []byte
	doc   uint32
	count []uint32 // postings, by term
	n     int
}

// tupleBlock is the size of a block of tuples in bytes, tupleMost that of the
// longest tuple.
const (
	tupleBlock = 1 << 16
	tupleMost  = 3 * binary.MaxVarintLen64
)

func (t *tuples) add(term, doc uint32, tf int32) {
	if len(t.block)+tupleMost > cap(t.block) {
		if len(t.block) > 0 {
			t.full = append(t.full, t.block)
		}
		t.block = make([]byte, 0, tupleBlock)
	}
	b := t.block
	v := uint64(term) << 2
	if tf > 1 {
		v |= 1
	}
	if doc != t.doc {
		b = binary.AppendUvarint(b, v|2)
		b = binary.AppendUvarint(b, uint64(doc-t.doc))
		t.doc = doc
	} else {
		b = binary.AppendUvarint(b, v)
	}
	if tf > 1 {
		b = binary.AppendUvarint(b, uint64(min(tf, 1<<16-1)))
	}
	t.block = b
	if n := int(term) + 1 - len(t.count); n > 0 {
		t.count = append(t.count, make([]uint32, n)...)
	}
	t.count[term]++
	t.n++
}

// byTerm orders the tuples by term, keeping document order within (counting
// sort), and returns where each term starts. The tuples are spent.
func (t *tuples) byTerm(terms int, rank []uint32) (start []uint32, doc []uint32, tf []uint16) {
	start = make([]uint32, terms+1)
	for x, n := range t.count {
		start[rank[x]+1] = n
	}
	for i := range terms {
		start[i+1] += start[i]
	}
	at := append([]uint32(nil), start[:terms]...)
	doc, tf = make([]uint32, t.n), make([]uint16, t.n)
	d := uint32(0)
	for _, b := range append(t.full, t.block) {
		for len(b) > 0 {
			v, k := binary.Uvarint(b)
			b = b[k:]
			if v&2 != 0 {
				gap, k := binary.Uvarint(b)
				b = b[k:]
				d += uint32(gap)
			}
			n := uint64(1)
			if v&1 != 0 {
				n, k = binary.Uvarint(b)
				b = b[k:]
			}
			r := rank[v>>2]
			doc[at[r]], tf[at[r]] = d, uint16(n)
			at[r]++
		}
	}
	*t = tuples{}
	return start, doc, tf
}

func appendList(dst, tmp []byte, doc []uint32, tf []uint16) (out, scratch []byte) {
	tmp = tmp[:0]
	prev := int64(-1)
	for i, d := range doc {
		v := uint64(int64(d)-prev-1) << 1
		if tf[i] > 1 {
			tmp = binary.AppendUvarint(tmp, v|1)
			tmp = binary.AppendUvarint(tmp, uint64(tf[i]))
		} else {
			tmp = binary.AppendUvarint(tmp, v)
		}
		prev = int64(d)
	}
	if len(doc) > 1 {
		dst = binary.AppendUvarint(dst, uint64(len(doc)))
		dst = binary.AppendUvarint(dst, uint64(len(tmp)))
	}
	return append(dst, tmp...), tmp
}

// nextList cuts the list of a field off b; one: it holds just one posting.
func nextList(b []byte, one bool) (count int, list, rest []byte, ok bool) {
	if one {
		v, k := binary.Uvarint(b)
		if k <= 0 {
			return 0, nil, nil, false
		}
		if v&1 != 0 {
			_, m := binary.Uvarint(b[k:])
			if m <= 0 {
				return 0, nil, nil, false
			}
			k += m
		}
		return 1, b[:k], b[k:], true
	}
	n, k := binary.Uvarint(b)
	if k <= 0 {
		return 0, nil, nil, false
	}
	b = b[k:]
	size, k := binary.Uvarint(b)
	if k <= 0 || size > uint64(len(b)-k) {
		return 0, nil, nil, false
	}
	b = b[k:]
	return int(min(n, size)), b[:size], b[size:], true
}

// fieldList finds the list of field f in the postings of the term that skip
// terms stand before.
func fieldList(b []byte, skip int, f Field) (count int, list []byte, ok bool) {
	for ; ; skip-- {
		if len(b) == 0 {
			return 0, nil, false
		}
		heads := b[0]
		b = b[1:]
		for i := range NumFields {
			if heads>>i&1 == 0 {
				if skip == 0 && i == f {
					return 0, nil, true
				}
				continue
			}
			if count, list, b, ok = nextList(b, heads>>(4+i)&1 != 0); !ok {
				return 0, nil, false
			}
			if skip == 0 && i == f {
				return count, list, true
			}
		}
	}
}

// decodeList appends the postings of a list to dst. Documents at or above
// limit end it: the bytes are corrupt.
func decodeList(dst []Posting, b []byte, limit int32) []Posting {
	prev := int64(-1)
	for i := 0; i < len(b); {
		v := uint64(b[i])
		i++
		if v >= 0x80 {
			w, k := binary.Uvarint(b[i-1:])
			if k <= 0 {
				return dst
			}
			v = w
			i += k - 1
		}
		tf := uint64(1)
		if v&1 != 0 {
			w, k := binary.Uvarint(b[i:])
			if k <= 0 {
				return dst
			}
			tf = w
			i += k
		}
		prev += int64(v>>1) + 1
		if prev < 0 || prev >= int64(limit) || tf > 1<<16 {
			return dst
		}
		dst = append(dst, Posting{int32(prev), int32(tf)})
	}
	return dst
}
