package tokens

import (
	"sync"
	"unicode/utf8"
)

// Counter counts with buffers that it keeps. The zero value is ready; it must
// not be used by two goroutines at once.
type Counter struct {
	text []byte // copy of a string, or of bytes made valid

	// of one piece; see mergeLong
	link []link
	heap []uint64

	short *[shortSlots]short // nil: none yet
}

// short remembers what a piece of at most 8 bytes counts. Most are the same few
// hundred, and each look into the table misses the processor's caches thrice.
type short struct {
	bytes uint64 // little-endian, zeros above
	len   uint8  // 0: the slot is empty
	n     uint8
}

const (
	shortBits  = 11
	shortSlots = 1 << shortBits
)

// counters are used again: the memory of one fits the next text.
var counters = sync.Pool{New: func() any { return new(Counter) }}

// Count returns the number of o200k_base tokens of b.
func Count(b []byte) int {
	c := counters.Get().(*Counter)
	defer counters.Put(c)
	return c.Count(b)
}

// CountString returns the number of o200k_base tokens of s.
func CountString(s string) int {
	c := counters.Get().(*Counter)
	defer counters.Put(c)
	return c.CountString(s)
}

// CountString returns the number of o200k_base tokens of s.
func (c *Counter) CountString(s string) int {
	c.text = append(c.text[:0], s...)
	return c.Count(c.text)
}

// Count returns the number of o200k_base tokens of b, which it does not keep.
func (c *Counter) Count(b []byte) int {
	b = c.valid(b)
	n := 0
	for i := 0; i < len(b); {
		end := next(b, i)
		n += c.piece(b[i:end])
		i = end
	}
	return n
}

// Bound returns the number of tokens of b, and the most that a known reading of
// the rules makes of it: for a hard ceiling. They differ in one thing. White
// space that holds several line breaks is one piece, "\n \n" one token; some
// tokenizers end the piece at each group of breaks, and so count more.
func Bound(b []byte) (n, most int) {
	c := counters.Get().(*Counter)
	defer counters.Put(c)
	return c.Bound(b)
}

// Bound is the function Bound.
func (c *Counter) Bound(b []byte) (n, most int) {
	b = c.valid(b)
	for i := 0; i < len(b); {
		end := next(b, i)
		p := b[i:end]
		whole := c.piece(p)
		n += whole
		if len(p) > 2 && isSpace(p) {
			parts := 0
			for from := 0; from < len(p); {
				to := breakEnd(p, from)
				parts += c.piece(p[from:to])
				from = to
			}
			most += max(0, parts-whole)
		}
		i = end
	}
	return n, n + most
}

// piece counts the tokens of one piece.
func (c *Counter) piece(p []byte) int {
	if len(p) == 1 { // every byte is a token
		return 1
	}
	if len(p) > 8 {
		if rank(p) != noRank {
			return 1
		}
		return c.merge(p, nil)
	}
	var bytes uint64
	for i, x := range p {
		bytes |= uint64(x) << (8 * i)
	}
	if c.short == nil {
		c.short = new([shortSlots]short)
	}
	const spread = 0x9E3779B97F4A7C15
	s := &c.short[(bytes^uint64(len(p)))*spread>>(64-shortBits)]
	if s.bytes == bytes && int(s.len) == len(p) {
		return int(s.n)
	}
	n := 1
	if rank(p) == noRank {
		n = c.merge(p, nil)
	}
	*s = short{bytes, uint8(len(p)), uint8(n)}
	return n
}

// valid returns b, or a copy with U+FFFD for each byte that is not UTF-8.
func (c *Counter) valid(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8)
	for _, r := range string(b) {
		out = utf8.AppendRune(out, r)
	}
	c.text = out
	return out
}

// longPiece is the length in bytes from which a heap beats looking for the
// best pair anew after each merge.
const longPiece = 64

// merge returns the number of tokens that the bytes of piece merge into. If
// ends is not nil, it is called with the end of each of them in turn.
func (c *Counter) merge(piece []byte, ends func(int)) int {
	if len(piece) <= longPiece {
		return mergeShort(piece, ends)
	}
	return c.mergeLong(piece, ends)
}

// mergeShort merges the best pair until none is left. Part k spans
// [start[k], start[k+1]), and ranks[k] is the rank of parts k and k+1 joined.
func mergeShort(piece []byte, ends func(int)) int {
	var start [longPiece + 1]uint8
	var ranks [longPiece + 1]uint32
	n := len(piece) // parts
	for k := range n {
		start[k] = uint8(k)
		ranks[k] = noRank
		if k+2 <= n {
			ranks[k] = rank(piece[k : k+2])
		}
	}
	start[n] = uint8(n)
	for {
		best, at := noRank, 0
		for k, r := range ranks[:n] {
			if r < best {
				best, at = r, k
			}
		}
		if best == noRank {
			break
		}
		copy(start[at+1:n], start[at+2:n+1])
		copy(ranks[at+1:n-1], ranks[at+2:n])
		n--
		ranks[at] = noRank
		if at+2 <= n {
			ranks[at] = rank(piece[start[at]:start[at+2]])
		}
		if at > 0 {
			ranks[at-1] = rank(piece[start[at-1]:start[at+1]])
		}
	}
	if ends != nil {
		for _, s := range start[1 : n+1] {
			ends(int(s))
		}
	}
	return n
}

// link is a part of a long piece, indexed by its first byte: the first bytes
// of its neighbours, and the rank of it joined with the next.
type link struct {
	prev, next int32
	rank       uint32
}

// mergeLong gives the same parts as mergeShort in n log n. The heap holds
// rank<<32 | first byte, so that its least is the lowest rank and the leftmost
// among equals; an entry whose part has another rank by now is stale. A piece
// beyond 2 GiB would not fit the links, nor any other memory here.
func (c *Counter) mergeLong(piece []byte, ends func(int)) int {
	n := int32(len(piece))
	c.link, c.heap = c.link[:0], c.heap[:0]
	for i := range n {
		l := link{i - 1, i + 1, noRank}
		if i+2 <= n {
			l.rank = rank(piece[i : i+2])
		}
		if l.rank != noRank {
			c.heap = append(c.heap, uint64(l.rank)<<32|uint64(i))
		}
		c.link = append(c.link, l)
	}
	h := c.heap
	for i := len(h)/2 - 1; i >= 0; i-- {
		down(h, i)
	}
	parts := len(piece)
	for len(h) > 0 {
		i := int32(uint32(h[0]))
		stale := c.link[i].rank != uint32(h[0]>>32)
		h[0] = h[len(h)-1]
		h = h[:len(h)-1]
		down(h, 0)
		if stale {
			continue
		}
		gone := c.link[i].next
		after := c.link[gone].next
		c.link[gone].rank = noRank
		c.link[i].next = after
		if after < n {
			c.link[after].prev = i
		}
		parts--
		h = c.rerank(h, piece, i)
		if p := c.link[i].prev; p >= 0 {
			h = c.rerank(h, piece, p)
		}
	}
	c.heap = h[:0]
	if ends != nil {
		for i := int32(0); i < n; i = c.link[i].next {
			ends(int(c.link[i].next))
		}
	}
	return parts
}

// rerank looks the part at i up with its next neighbour.
func (c *Counter) rerank(h []uint64, piece []byte, i int32) []uint64 {
	l := &c.link[i]
	l.rank = noRank
	if int(l.next) >= len(piece) {
		return h
	}
	end := c.link[l.next].next
	if l.rank = rank(piece[i:end]); l.rank == noRank {
		return h
	}
	return up(append(h, uint64(l.rank)<<32|uint64(i)))
}

// up lets the last entry of a binary heap rise to its place.
func up(h []uint64) []uint64 {
	i := len(h) - 1
	for i > 0 {
		p := (i - 1) / 2
		if h[p] <= h[i] {
			break
		}
		h[p], h[i] = h[i], h[p]
		i = p
	}
	return h
}

// down lets entry i of a binary heap sink to its place.
func down(h []uint64, i int) {
	for {
		k := 2*i + 1
		if k >= len(h) {
			return
		}
		if k+1 < len(h) && h[k+1] < h[k] {
			k++
		}
		if h[i] <= h[k] {
			return
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
}
