package git

import (
	"encoding/binary"
	"errors"
	"hash/adler32"
	"math/bits"
)

// errDeflate is every fault of a zlib stream; callers wrap it with the place.
var errDeflate = errors.New("damaged zlib stream")

// The tables' first levels, in bits. Objects are small (a tree of 40 entries
// inflates to 1.5 kB), so filling the tables costs as much as decoding with
// them: these are smaller than what suits long streams. Codes are at most 15
// bits; longer ones than the first level continue in a second-level table.
const (
	litBits  = 9
	distBits = 7
	maxBits  = 15
)

// An entry of a decoding table packs, from the lowest bit: 4 bits of code
// length (0: no such code), 4 bits of count of extra bits, 2 bits of kind, and
// 16 bits of value from bit 16.
const (
	kindLiteral = 0 << 8 // value: the byte
	kindCopy    = 1 << 8 // value: base of a length or distance, extra bits follow
	kindEnd     = 2 << 8 // end of block
	kindSub     = 3 << 8 // value: start of a second-level table, extra bits: its bits
	kindMask    = 3 << 8
)

// inflater decodes zlib streams that are wholly in memory into buffers of a
// known size, which makes it about half as fast again as a decoder
// for streams. Its tables are reused. The zero value is ready.
type inflater struct {
	lit    [1 << 11]uint32 // 852 are needed at most for 286 symbols at 9 bits
	dist   [1 << 10]uint32 // 592 at 6 bits, fewer than 800 at 7
	lens   [288 + 32]uint8
	sorted [288]uint16
	fixed  bool // the tables hold the fixed codes
}

// extra bits and bases of RFC 1951, 3.2.5, as ready entries without lengths.
var (
	litSymbols   [288]uint32
	distSymbols  [32]uint32
	clenSymbols  [19]uint32
	clenOrder    = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
	fixedLengths [288 + 32]uint8
)

func init() {
	for i := range 256 {
		litSymbols[i] = kindLiteral | uint32(i)<<16
	}
	litSymbols[256] = kindEnd
	base := uint32(3)
	for i := range uint32(28) {
		var extra uint32
		if i >= 8 {
			extra = (i - 4) / 4
		}
		litSymbols[257+i] = kindCopy | extra<<4 | base<<16
		base += 1 << extra
	}
	litSymbols[285] = kindCopy | 258<<16
	base = 1
	for i := range uint32(30) {
		var extra uint32
		if i >= 4 {
			extra = (i - 2) / 2
		}
		distSymbols[i] = kindCopy | extra<<4 | base<<16
		base += 1 << extra
	}
	for i := range clenSymbols {
		clenSymbols[i] = kindLiteral | uint32(i)<<16
	}
	// 286, 287 of the lengths and 30, 31 of the distances take part in the
	// fixed codes but never occur: kindSub without bits marks them.
	litSymbols[286], litSymbols[287] = kindSub, kindSub
	distSymbols[30], distSymbols[31] = kindSub, kindSub
	for i := range 288 {
		switch {
		case i < 144:
			fixedLengths[i] = 8
		case i < 256:
			fixedLengths[i] = 9
		case i < 280:
			fixedLengths[i] = 7
		default:
			fixedLengths[i] = 8
		}
	}
	for i := range 32 {
		fixedLengths[288+i] = 5
	}
}

// build fills table for the code lengths of symbols. An incomplete code is
// refused, but for a single one of one bit; no code at all gives an empty
// table, in which every look-up fails.
func (z *inflater) build(table []uint32, first uint, lens []uint8, symbols []uint32) bool {
	var count [maxBits + 2]int
	for _, l := range lens {
		count[l]++
	}
	count[0] = 0
	longest, left := 0, 1
	for l := 1; l <= maxBits; l++ {
		left = left<<1 - count[l]
		if left < 0 {
			return false
		}
		if count[l] > 0 {
			longest = l
		}
	}
	size := 1 << first
	if longest == 0 {
		clear(table[:size])
		return true
	}
	if left > 0 {
		if longest != 1 || count[1] != 1 {
			return false
		}
		clear(table[:size])
	}
	var next [maxBits + 2]int
	for l := 1; l <= maxBits; l++ {
		next[l+1] = next[l] + count[l]
	}
	for s, l := range lens {
		if l > 0 {
			z.sorted[next[l]] = uint16(s)
			next[l]++
		}
	}
	free := size // where the next second-level table begins
	mask := uint32(size - 1)
	var code uint32 // bits reversed, as they come in the stream
	prefix := ^uint32(0)
	sub, subBits := 0, uint(0)
	k := 0
	for l := uint(1); l <= uint(longest); l++ {
		for n := count[l]; n > 0; n-- {
			e := symbols[z.sorted[k]]
			k++
			if l <= first {
				e |= uint32(l)
				for i := code; i < uint32(size); i += 1 << l {
					table[i] = e
				}
			} else {
				if code&mask != prefix {
					prefix = code & mask
					subBits = l - first
					room := 1 << subBits
					for subBits+first < uint(longest) {
						room -= count[subBits+first]
						if subBits+first == l {
							room += count[l] - n // those already placed
						}
						if room <= 0 {
							break
						}
						subBits++
						room <<= 1
					}
					sub = free
					free += 1 << subBits
					if free > len(table) {
						return false
					}
					clear(table[sub:free])
					table[prefix] = kindSub | uint32(first) | uint32(subBits)<<4 | uint32(sub)<<16
				}
				e |= uint32(l - first)
				for i := code >> first; i < 1<<subBits; i += 1 << (l - first) {
					table[sub+int(i)] = e
				}
			}
			// Add one to the reversed code.
			bit := uint32(1) << (l - 1)
			for code&bit != 0 {
				code ^= bit
				bit >>= 1
			}
			code |= bit
		}
	}
	return true
}

// inflate decodes the zlib stream at the start of src into dst, which has the
// size that the content must have, and returns the count of bytes of src that
// the stream takes.
func (z *inflater) inflate(dst, src []byte) (int, error) {
	_, n, err := z.run(dst, src, false)
	return n, err
}

// Inflater is the decoder of zlib streams for those who keep some of their own.
// The zero value is ready; it is for one goroutine at a time.
type Inflater struct{ z inflater }

// Inflate decodes the zlib stream that src is into dst, which has the size that
// the content must have.
func (i *Inflater) Inflate(dst, src []byte) error {
	n, err := i.z.inflate(dst, src)
	if err == nil && n != len(src) {
		err = errDeflate
	}
	return err
}

// peek decodes the first bytes of a stream: as many as dst holds, or fewer if
// the stream ends. It checks no checksum.
func (z *inflater) peek(dst, src []byte) (int, error) {
	n, _, err := z.run(dst, src, true)
	return n, err
}

// run is inflate, or peek when partial; it returns what was written and read.
func (z *inflater) run(dst, src []byte, partial bool) (wrote, read int, err error) {
	if len(src) < 2 {
		return 0, 0, errDeflate
	}
	// Deflate with a window of at most 32 kB, and no preset dictionary.
	if head := binary.BigEndian.Uint16(src); head%31 != 0 || src[0]&15 != 8 || src[0]>>4 > 7 || src[1]&0x20 != 0 {
		return 0, 0, errDeflate
	}
	var (
		in  = 2        // next byte of src
		bb  uint64     // bits not yet used, the next one lowest
		nb  uint       // how many of them are certain
		out = 0        // next byte of dst
		pad = len(src) // bytes are zero from here on
	)
	for last := false; !last; {
		// Refill to at least 56 bits.
		if in+8 <= len(src) {
			bb |= binary.LittleEndian.Uint64(src[in:]) << nb
			in += int((63 - nb) >> 3)
			nb |= 56
		} else {
			for nb <= 55 {
				if in < len(src) {
					bb |= uint64(src[in]) << nb
				}
				in++
				nb += 8
			}
			if in-int(nb>>3) > pad {
				return out, 0, errDeflate
			}
		}
		last = bb&1 != 0
		kind := bb >> 1 & 3
		bb >>= 3
		nb -= 3
		switch kind {
		case 0: // stored
			in -= int(nb >> 3)
			bb, nb = 0, 0
			if in+4 > len(src) {
				return out, 0, errDeflate
			}
			n := int(binary.LittleEndian.Uint16(src[in:]))
			if n^0xffff != int(binary.LittleEndian.Uint16(src[in+2:])) {
				return out, 0, errDeflate
			}
			in += 4
			if n > len(dst)-out {
				if !partial {
					return out, 0, errDeflate
				}
				out += copy(dst[out:], src[in:])
				return out, 0, nil
			}
			if n > len(src)-in {
				return out, 0, errDeflate
			}
			copy(dst[out:], src[in:in+n])
			in += n
			out += n
			continue
		case 1:
			if !z.fixed {
				z.build(z.lit[:], litBits, fixedLengths[:288], litSymbols[:])
				z.build(z.dist[:], distBits, fixedLengths[288:], distSymbols[:])
				z.fixed = true
			}
		case 2:
			z.fixed = false
			var ok bool
			if in, bb, nb, ok = z.codes(src, in, bb, nb); !ok {
				return out, 0, errDeflate
			}
		default:
			return out, 0, errDeflate
		}
	block:
		for {
			if in+8 <= len(src) {
				bb |= binary.LittleEndian.Uint64(src[in:]) << nb
				in += int((63 - nb) >> 3)
				nb |= 56
			} else {
				for nb <= 55 {
					if in < len(src) {
						bb |= uint64(src[in]) << nb
					}
					in++
					nb += 8
				}
				if in-int(nb>>3) > pad {
					return out, 0, errDeflate
				}
			}
			// 56 bits hold three codes of at most 15: up to three literals, or
			// fewer and the code of a length.
			var e uint32
			for range 3 {
				e = z.lit[bb&(1<<litBits-1)]
				if e&kindMask == kindSub && e>>4&15 != 0 {
					bb >>= litBits
					nb -= litBits
					e = z.lit[(uint64(e>>16)+bb&(1<<(e>>4&15)-1))&(1<<11-1)]
				}
				if e&(kindMask|15) > 15 || e&15 == 0 {
					break
				}
				if out >= len(dst) {
					if partial {
						return out, 0, nil
					}
					return out, 0, errDeflate
				}
				dst[out] = byte(e >> 16)
				out++
				bb >>= e & 15
				nb -= uint(e & 15)
				e = 0
			}
			if e == 0 { // three literals, or no such code
				if z.lit[bb&(1<<litBits-1)] == 0 {
					return out, 0, errDeflate
				}
				continue
			}
			if e&15 == 0 {
				return out, 0, errDeflate
			}
			bb >>= e & 15
			nb -= uint(e & 15)
			switch e & kindMask {
			case kindEnd:
				break block
			case kindSub: // a symbol that never occurs
				return out, 0, errDeflate
			}
			// Up to 2×15 bits of literals and 15 of the length code are gone;
			// refill for 5 + 15 + 13 more.
			if in+8 <= len(src) {
				bb |= binary.LittleEndian.Uint64(src[in:]) << nb
				in += int((63 - nb) >> 3)
				nb |= 56
			} else {
				for nb <= 55 {
					if in < len(src) {
						bb |= uint64(src[in]) << nb
					}
					in++
					nb += 8
				}
				if in-int(nb>>3) > pad {
					return out, 0, errDeflate
				}
			}
			x := e >> 4 & 15
			length := int(e>>16) + int(bb&(1<<x-1))
			bb >>= x
			nb -= uint(x)
			e = z.dist[bb&(1<<distBits-1)]
			if e&kindMask == kindSub && e>>4&15 != 0 {
				bb >>= distBits
				nb -= distBits
				e = z.dist[(uint64(e>>16)+bb&(1<<(e>>4&15)-1))&(1<<10-1)]
			}
			if e&kindMask != kindCopy || e&15 == 0 {
				return out, 0, errDeflate
			}
			bb >>= e & 15
			nb -= uint(e & 15)
			x = e >> 4 & 15
			from := out - int(e>>16) - int(bb&(1<<x-1))
			bb >>= x
			nb -= uint(x)
			if from < 0 {
				return out, 0, errDeflate
			}
			if length > len(dst)-out {
				if !partial {
					return out, 0, errDeflate
				}
				length = len(dst) - out
			}
			end := out + length
			if from+length <= out {
				copy(dst[out:end], dst[from:])
				out = end
			} else {
				for ; out < end; out++ { // overlapping: byte by byte is the meaning
					dst[out] = dst[from]
					from++
				}
			}
			if partial && out == len(dst) {
				return out, 0, nil
			}
		}
	}
	in -= int(nb >> 3)
	if partial {
		return out, in, nil
	}
	if in+4 > len(src) || out != len(dst) || binary.BigEndian.Uint32(src[in:]) != adler32.Checksum(dst) {
		return out, 0, errDeflate
	}
	return out, in + 4, nil
}

// codes reads the two codes of a dynamic block and builds their tables. At
// least 53 bits are in bb.
func (z *inflater) codes(src []byte, in int, bb uint64, nb uint) (int, uint64, uint, bool) {
	need := func(n uint) bool {
		for nb < n {
			if in >= len(src) {
				return false
			}
			// Bits above nb may already hold this very byte.
			bb |= uint64(src[in]) << nb
			in++
			nb += 8
		}
		return true
	}
	if !need(14) {
		return 0, 0, 0, false
	}
	nlit, ndist, nclen := int(bb&31)+257, int(bb>>5&31)+1, int(bb>>10&15)+4
	bb >>= 14
	nb -= 14
	if nlit > 286 || ndist > 30 {
		return 0, 0, 0, false
	}
	var clens [19]uint8
	for i := range nclen {
		if !need(3) {
			return 0, 0, 0, false
		}
		clens[clenOrder[i]] = uint8(bb & 7)
		bb >>= 3
		nb -= 3
	}
	// The code of code lengths, at most 7 bits long, borrows dist's table.
	if !z.build(z.dist[:], distBits, clens[:], clenSymbols[:]) {
		return 0, 0, 0, false
	}
	lens := z.lens[:nlit+ndist]
	for i := 0; i < len(lens); {
		if nb < 14 { // 7 of the code, 7 of the repeat
			for nb <= 55 && in < len(src) {
				bb |= uint64(src[in]) << nb
				in++
				nb += 8
			}
		}
		e := z.dist[bb&(1<<distBits-1)]
		l := uint(e & 15)
		if l == 0 || l > nb {
			return 0, 0, 0, false
		}
		bb >>= l
		nb -= l
		sym := uint8(e >> 16)
		if sym < 16 {
			lens[i] = sym
			i++
			continue
		}
		var value uint8
		var width uint
		var repeat int
		switch sym {
		case 16:
			if i == 0 {
				return 0, 0, 0, false
			}
			value, width, repeat = lens[i-1], 2, 3
		case 17:
			width, repeat = 3, 3
		default:
			width, repeat = 7, 11
		}
		if nb < width {
			return 0, 0, 0, false
		}
		repeat += int(bb & (1<<width - 1))
		bb >>= width
		nb -= width
		if repeat > len(lens)-i {
			return 0, 0, 0, false
		}
		for ; repeat > 0; repeat-- {
			lens[i] = value
			i++
		}
	}
	// A code without an end of block cannot end.
	if lens[256] == 0 {
		return 0, 0, 0, false
	}
	ok := z.build(z.lit[:], litBits, lens[:nlit], litSymbols[:]) &&
		z.build(z.dist[:], distBits, lens[nlit:], distSymbols[:])
	return in, bb, nb, ok
}

// maxExpansion is by how much deflate can expand at most: 258 bytes from two
// bits, 1032. A header that claims more is lying, and gets no memory.
const maxExpansion = 1032

// plausible reports whether size bytes can come out of n bytes of stream.
func plausible(size int64, n int) bool {
	hi, lo := bits.Mul64(uint64(n), maxExpansion)
	return hi > 0 || size <= 0 || uint64(size) <= lo
}
