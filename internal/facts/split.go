package facts

import "encoding/binary"

// An encoded form that waits for resolution and then for the index is kept in
// two halves, so that the second need not be in memory meanwhile.

// PartsLight is what Split keeps in its first half: all that resolution asks.
const PartsLight = PartSymbols | PartEdges

// Split cuts an encoded form behind its edges: light is what resolution asks
// for, rest what only an index is made of. Both are parts of b; what is no
// encoded form has no light half.
func Split(b []byte) (light, rest []byte) {
	at := min(1, len(b))
	for range lightSections {
		n, k := binary.Uvarint(b[at:])
		if k <= 0 || n > uint64(len(b)-at-k) {
			return nil, b
		}
		at += k + int(n)
	}
	return b[:at:at], b[at:]
}

// lightSections are the sections of PartsLight: head, symbols, edges.
const lightSections = 3

// DecodeLight decodes the light half of what Split was given.
func DecodeLight(light []byte) (*Facts, error) {
	return decode(light, PartsLight, true)
}
