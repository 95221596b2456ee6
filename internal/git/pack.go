package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// pack is a pack and its index. The index is mapped at once, the pack when
// the first object is read from it.
type pack struct {
	name string // path without ".idx" or ".pack"
	seq  uint32 // unique within a Repo: the cache's key
	idx  packIndex
	keep *mapping // of idx

	once sync.Once
	body *mapping
	err  error

	mapped atomic.Pointer[mapping] // body, for those that do not read it
}

// packIndex is a parsed index of version 1 or 2. Its slices point into the
// mapped file and were checked for length, so nothing that it gives can be
// out of bounds but the offsets themselves.
type packIndex struct {
	count   int
	fanout  []byte // 256 numbers of 4 bytes
	ids     []byte // of stride bytes each, the id of size bytes last
	stride  int
	offsets []byte // version 2: 4 bytes each; version 1: nil, the offset stands before the id
	large   []byte // version 2: 8 bytes each
	size    int    // of an id
	sum     []byte // checksum of the pack, as at its end
}

const (
	fanoutLen  = 256 * 4
	idxMagic   = "\xfftOc"
	packMagic  = "PACK"
	packHeader = 12
)

var errIndex = errors.New("not a pack index of version 1 or 2")

// parseIndex checks the shape of an index.
func parseIndex(b []byte, ids naming) (packIndex, error) {
	size := ids.size()
	x := packIndex{size: size}
	v2 := len(b) >= 8 && string(b[:4]) == idxMagic
	if v2 {
		if binary.BigEndian.Uint32(b[4:]) != 2 {
			return x, errIndex
		}
		b = b[8:]
	}
	if len(b) < fanoutLen+2*size {
		return x, errIndex
	}
	x.fanout = b[:fanoutLen]
	prev := uint32(0)
	for i := 0; i < fanoutLen; i += 4 {
		n := binary.BigEndian.Uint32(x.fanout[i:])
		if n < prev {
			return x, errIndex
		}
		prev = n
	}
	x.sum = b[len(b)-2*size : len(b)-size]
	b = b[fanoutLen : len(b)-2*size]
	if v2 {
		x.stride = size
		if uint64(prev)*uint64(size+8) > uint64(len(b)) {
			return x, errIndex
		}
		x.count = int(prev)
		x.ids = b[:x.count*size]
		b = b[x.count*(size+4):] // ids, and checksums of entries
		x.offsets, x.large = b[:x.count*4], b[x.count*4:]
		return x, nil
	}
	x.stride = size + 4
	if uint64(prev)*uint64(size+4) != uint64(len(b)) {
		return x, errIndex
	}
	x.count = int(prev)
	x.ids = b
	return x, nil
}

// id gives the bytes of the i-th id, as many as an OID has.
func (x *packIndex) id(i int) []byte {
	at := (i+1)*x.stride - x.size
	return x.ids[at : at+idLen]
}

// offset gives where in the pack the i-th object is; -1 if the index is wrong.
func (x *packIndex) offset(i int) int64 {
	if x.offsets == nil {
		return int64(binary.BigEndian.Uint32(x.ids[i*x.stride:]))
	}
	o := binary.BigEndian.Uint32(x.offsets[i*4:])
	if o>>31 == 0 {
		return int64(o)
	}
	at := uint64(o&(1<<31-1)) * 8
	if at+8 > uint64(len(x.large)) {
		return -1
	}
	return int64(binary.BigEndian.Uint64(x.large[at:]) &^ (1 << 63))
}

// span gives the range of ids that begin with the byte b.
func (x *packIndex) span(b byte) (lo, hi int) {
	if b > 0 {
		lo = int(binary.BigEndian.Uint32(x.fanout[(int(b)-1)*4:]))
	}
	return lo, int(binary.BigEndian.Uint32(x.fanout[int(b)*4:]))
}

// guessWindow is how far from where an id should stand, if ids were spread
// evenly, it is looked for first. Ids are hashes, so among 4,900 of the same
// first byte (a pack of 1.25 million objects) they stand within 35, give or
// take; this spares the first few probes, each of which is a cache miss.
const guessWindow = 64

// search gives the first position whose id is not below id.
func (x *packIndex) search(id []byte) int {
	lo, hi := x.span(id[0])
	if n := hi - lo; n > 8*guessWindow {
		guess := lo + int(uint64(binary.BigEndian.Uint32(id[1:]))*uint64(n)>>32)
		if i := guess - guessWindow; i > lo && bytes.Compare(x.id(i), id) < 0 {
			lo = i + 1
		}
		if i := guess + guessWindow; i < hi && bytes.Compare(x.id(i), id) >= 0 {
			hi = i
		}
	}
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if bytes.Compare(x.id(m), id) < 0 {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// find gives where in the pack an object is.
func (p *pack) find(id *OID) (offset int64, ok bool) {
	i := p.idx.search(id[:])
	if i < p.idx.count && bytes.Equal(p.idx.id(i), id[:]) {
		offset, ok = p.idx.offset(i), true
	}
	runtime.KeepAlive(p.keep)
	return offset, ok
}

// prefixed appends the ids that begin with the given hexadecimal digits.
func (p *pack) prefixed(to []OID, hex string, limit int) []OID {
	var low OID
	padded := hex + strings.Repeat("0", 2*idLen-len(hex))
	low, err := ParseOID(padded)
	if err != nil {
		return to
	}
	for i := p.idx.search(low[:]); i < p.idx.count && len(to) < limit; i++ {
		id := OID(p.idx.id(i))
		if !strings.HasPrefix(id.String(), hex) {
			break
		}
		to = append(to, id)
	}
	runtime.KeepAlive(p.keep)
	return to
}

// openIndex maps and parses name.idx.
func openIndex(name string, seq uint32, ids naming) (*pack, error) {
	m, err := mapFile(name + ".idx")
	if err != nil {
		return nil, err
	}
	x, err := parseIndex(m.data, ids)
	if err != nil {
		return nil, fmt.Errorf("%s.idx: %w", name, err)
	}
	return &pack{name: name, seq: seq, idx: x, keep: m}, nil
}

// bytes gives the pack's content without its trailing checksum. The caller
// keeps p.body alive while it looks at them.
func (p *pack) bytes() ([]byte, error) {
	p.once.Do(func() {
		m, err := mapFile(p.name + ".pack")
		if err == nil {
			p.mapped.Store(m)
		}
		if err != nil {
			p.err = err
			return
		}
		p.err = checkPack(m.data, &p.idx)
		if p.err != nil {
			p.err = fmt.Errorf("%s.pack: %w", p.name, p.err)
			return
		}
		p.body = m
		runtime.KeepAlive(p.keep)
	})
	if p.err != nil {
		return nil, p.err
	}
	return p.body.data[:len(p.body.data)-p.idx.size], nil
}

// checkPack checks that b is a pack and the one that the index describes.
func checkPack(b []byte, x *packIndex) error {
	if len(b) < packHeader+x.size || string(b[:4]) != packMagic {
		return errors.New("not a pack")
	}
	if v := binary.BigEndian.Uint32(b[4:]); v != 2 && v != 3 {
		return fmt.Errorf("pack of version %d", v)
	}
	if int(binary.BigEndian.Uint32(b[8:])) != x.count || !bytes.Equal(b[len(b)-x.size:], x.sum) {
		return errors.New("pack and index do not belong together")
	}
	return nil
}

// Types of packed entries beside those of objects.
const (
	typeOfsDelta ObjectType = 6
	typeRefDelta ObjectType = 7
)

// packEntry is the head of an entry of a pack.
type packEntry struct {
	typ  ObjectType
	size int64 // of what inflates: the object, or the delta
	data int   // where the zlib stream begins
	base int64 // typeOfsDelta: where the base's entry begins
	ref  OID   // typeRefDelta: the base's id
}

// parseEntry reads the head of the entry at offset. A base always lies before
// what is made of it, so chains of offsets end. size is that of an id.
func parseEntry(b []byte, offset int64, size int) (e packEntry, ok bool) {
	if offset < packHeader || offset >= int64(len(b)) {
		return e, false
	}
	i := int(offset)
	c := b[i]
	i++
	e.typ = ObjectType(c >> 4 & 7)
	e.size = int64(c & 15)
	for shift := uint(4); c&0x80 != 0; shift += 7 {
		if i >= len(b) || shift > 56 {
			return e, false
		}
		c = b[i]
		i++
		e.size |= int64(c&0x7f) << shift
	}
	if e.size < 0 {
		return e, false
	}
	switch e.typ {
	case TypeCommit, TypeTree, TypeBlob, TypeTag:
	case typeOfsDelta:
		if i >= len(b) {
			return e, false
		}
		c = b[i]
		i++
		back := int64(c & 0x7f)
		for c&0x80 != 0 {
			if i >= len(b) || back > 1<<54 {
				return e, false
			}
			c = b[i]
			i++
			back = (back+1)<<7 | int64(c&0x7f)
		}
		if back <= 0 || back > offset-packHeader {
			return e, false
		}
		e.base = offset - back
	case typeRefDelta:
		if len(b)-i < size {
			return e, false
		}
		e.ref = OID(b[i : i+idLen])
		i += size
	default:
		return e, false
	}
	e.data = i
	return e, i < len(b)
}

// deltaSizes reads the sizes of base and result from the start of a delta,
// and where its instructions begin.
func deltaSizes(d []byte) (base, result int64, at int, ok bool) {
	for k := range 2 {
		var n int64
		for shift := uint(0); ; shift += 7 {
			if at >= len(d) || shift > 56 {
				return 0, 0, 0, false
			}
			c := d[at]
			at++
			n |= int64(c&0x7f) << shift
			if c&0x80 == 0 {
				break
			}
		}
		if n < 0 {
			return 0, 0, 0, false
		}
		if k == 0 {
			base = n
		} else {
			result = n
		}
	}
	return base, result, at, true
}

// applyDelta makes the object that d says out of base, in dst, whose length
// must be the result's; it reports whether d is sound.
func applyDelta(dst, base, d []byte) bool {
	out := 0
	for i := 0; i < len(d); {
		c := d[i]
		i++
		if c&0x80 == 0 { // insert
			n := int(c)
			if n == 0 || n > len(d)-i || n > len(dst)-out {
				return false
			}
			copy(dst[out:], d[i:i+n])
			i += n
			out += n
			continue
		}
		var from, n uint32
		for k := range 7 {
			if c>>k&1 == 0 {
				continue
			}
			if i >= len(d) {
				return false
			}
			if k < 4 {
				from |= uint32(d[i]) << (8 * k)
			} else {
				n |= uint32(d[i]) << (8 * (k - 4))
			}
			i++
		}
		if n == 0 {
			n = 1 << 16
		}
		if uint64(from)+uint64(n) > uint64(len(base)) || uint64(n) > uint64(len(dst)-out) {
			return false
		}
		copy(dst[out:], base[from:from+n])
		out += int(n)
	}
	return out == len(dst)
}
