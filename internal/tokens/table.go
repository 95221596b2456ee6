package tokens

import (
	_ "embed"
	"encoding/binary"
)

//go:generate go run ./gen

// table is the vocabulary, little-endian:
//
//	slots   × uint32   the hash table: 0 for empty, else a token's id+1 in the
//	                   low idBits bits and low bits of its hash above
//	count+1 × uint32   offsets of the tokens' bytes, by id
//	bytes              the tokens, one after the other
//
// A token's first slot is the top slotBits bits of its hash; collisions go to
// the next slot. Two fifths of the slots are taken, so a look at a piece that
// is no token ends after one or two.
//
//go:embed o200k.bin
var table string

const (
	count    = 199998 // tokens: ids 0 to 199,997; the special ones are left out
	slotBits = 19
	slots    = 1 << slotBits
	idBits   = 18 // holds count; the other 14 bits of a slot spare most comparisons

	offsetsAt = 4 * slots
	bytesAt   = offsetsAt + 4*(count+1)

	// longest is the length of the longest token (128 blanks) in bytes.
	longest = 128

	noRank = ^uint32(0) // larger than any rank: no such token
)

func word(at int) uint32 {
	s := table[at : at+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// rank returns the id of the token whose bytes are b, which is also its merge
// rank; noRank if there is none.
func rank(b []byte) uint32 {
	if len(b) > longest {
		return noRank
	}
	h := hash(b)
	tag := uint32(h) << idBits
	for slot := int(h >> (64 - slotBits)); ; slot = (slot + 1) % slots {
		w := word(4 * slot)
		if w == 0 {
			return noRank
		}
		const low = 1<<idBits - 1
		if w&^uint32(low) != tag {
			continue
		}
		id := int(w&low) - 1
		from, to := word(offsetsAt+4*id), word(offsetsAt+4*id+4)
		if string(b) == table[bytesAt+int(from):bytesAt+int(to)] {
			return uint32(id)
		}
	}
}

// hash mixes eight bytes at a time by multiplication; the generator of the
// table uses the same.
func hash(b []byte) uint64 {
	const k1, k2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93 // odd, bits well spread
	h := uint64(len(b)) * k1
	for len(b) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(b)) * k2
		h ^= h >> 32
		b = b[8:]
	}
	var w uint64
	for i, c := range b {
		w |= uint64(c) << (8 * i)
	}
	h = (h ^ w) * k2
	h ^= h >> 32
	return h * k1
}
