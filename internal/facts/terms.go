package facts

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"cohop/internal/text"
)

// termer counts the index terms of the fields of one file. What a word is split
// into it remembers from one file to the next, since most words of a file stand
// in others too: what it gives out depends on the file alone all the same.
type termer struct {
	sp    text.Splitter
	words wordTable // a word of plain letters → its terms, in split
	split []int32   // numbers of terms
	ids   wordTable // a term → its number, as the start of a span
	terms []string
	heads []uint64 // by term: its first bytes, that most are ordered by
	rank  []int32  // by term: its place among those of the file; 0 between files

	count []int32 // by term, of the field at hand
	seen  []int32 // terms with a count
	done  []TF    // all fields, one after the other
	ends  []int   // of the fields in done
	total int32
}

const (
	// maxWords is how many words a termer remembers, and terms: some 10 MB.
	maxWords = 1 << 16
	// longWord is the most bytes of one that is remembered.
	longWord = 64
)

var termers = sync.Pool{New: func() any { return new(termer) }}

// release gives the termer back for the next file.
func (t *termer) release() {
	if len(t.terms) > maxWords || t.words.n > maxWords {
		return
	}
	t.done, t.ends = t.done[:0], t.ends[:0]
	termers.Put(t)
}

// add counts the terms of b, at most longLineTerms bytes of a very long line.
func (t *termer) add(b []byte) {
	for len(b) > longLine {
		n := bytes.IndexByte(b, '\n') + 1
		if n == 0 {
			n = len(b)
		}
		if n <= longLine {
			// Take as many short lines as there are at once.
			for {
				m := bytes.IndexByte(b[n:], '\n') + 1
				if m == 0 || m > longLine {
					break
				}
				n += m
			}
			t.each(b[:n])
		} else {
			t.each(cutRune(b, longLineTerms))
		}
		b = b[n:]
	}
	t.each(b)
}

// cutRune returns at most n bytes of b and no part of a rune.
func cutRune(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for k := n; k > n-utf8.UTFMax && k > 0; k-- {
		if utf8.RuneStart(b[k]) {
			return b[:k]
		}
	}
	return b[:n]
}

// each counts the terms of b. A word of ASCII is split into the same terms
// wherever it stands, unless a letter beyond ASCII stands beside it.
func (t *termer) each(b []byte) {
	for len(b) > 0 {
		n := 0
		for n < len(b) && b[n] < utf8.RuneSelf && !text.WordByte(b[n]) {
			n++
		}
		b = b[n:]
		for n = 0; n < len(b) && b[n] < utf8.RuneSelf && text.WordByte(b[n]); n++ {
		}
		if n < len(b) && b[n] >= utf8.RuneSelf {
			for n < len(b) && (b[n] >= utf8.RuneSelf || text.WordByte(b[n])) {
				n++
			}
			t.sp.Each(b[:n], func(term []byte, _ bool) { t.one(t.id(term)) })
			b = b[n:]
			continue
		}
		if n > 0 {
			t.word(b, n)
			b = b[n:]
		}
	}
}

// word counts the terms of the word b[:n].
func (t *termer) word(b []byte, n int) {
	w := b[:n]
	if n > longWord {
		t.sp.Each(w, func(term []byte, _ bool) { t.one(t.id(term)) })
		return
	}
	at, ok := t.words.find(b, n)
	if !ok {
		start := len(t.split)
		t.sp.Each(w, func(term []byte, _ bool) { t.split = append(t.split, t.id(term)) })
		at = t.words.add(w, span{int32(start), int32(len(t.split))})
	}
	for _, id := range t.split[at.start:at.end] {
		t.one(id)
	}
}

func (t *termer) id(term []byte) int32 {
	at, ok := t.ids.find(term, len(term))
	if !ok {
		at = t.ids.add(term, span{start: int32(len(t.terms))})
		t.terms = append(t.terms, string(term))
		t.heads = append(t.heads, head(term))
		t.count = append(t.count, 0)
		t.rank = append(t.rank, 0)
	}
	return at.start
}

func (t *termer) one(id int32) {
	if t.count[id] == 0 {
		t.seen = append(t.seen, id)
	}
	t.count[id]++
	t.total++
}

// end closes the field at hand and returns the number of terms it had.
func (t *termer) end() int32 {
	for _, id := range t.seen {
		t.done = append(t.done, TF{id, t.count[id]})
		t.count[id] = 0
	}
	t.ends = append(t.ends, len(t.done))
	n := t.total
	t.seen, t.total = t.seen[:0], 0
	return n
}

// finish sorts the terms and returns them with the fields in the order they
// were closed.
func (t *termer) finish() (terms []string, fields [][]TF) {
	if len(t.done) == 0 {
		return nil, make([][]TF, len(t.ends))
	}
	var order []int32
	for _, tf := range t.done {
		if t.rank[tf.Term] == 0 {
			t.rank[tf.Term] = 1
			order = append(order, tf.Term)
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		if x, y := t.heads[a], t.heads[b]; x != y {
			return cmp.Compare(x, y)
		}
		return strings.Compare(t.terms[a], t.terms[b])
	})
	terms = make([]string, len(order))
	for r, id := range order {
		t.rank[id] = int32(r)
		terms[r] = t.terms[id]
	}
	done := make([]TF, len(t.done))
	for i, tf := range t.done {
		done[i] = TF{t.rank[tf.Term], tf.N}
	}
	for _, id := range order {
		t.rank[id] = 0
	}
	fields = make([][]TF, len(t.ends))
	from := 0
	for i, end := range t.ends {
		if end > from {
			f := done[from:end:end]
			slices.SortFunc(f, func(a, b TF) int { return int(a.Term - b.Term) })
			fields[i] = f
		}
		from = end
	}
	return terms, fields
}

// fillTerms sets Terms, Body, Names, Docs, and the chunks' Len.
func (f *Facts) fillTerms(src []byte, lines []int32, docs []span) {
	t := termers.Get().(*termer)
	defer t.release()
	for i := range f.Chunks {
		c := &f.Chunks[i]
		end := len(src)
		if int(c.End) < len(lines) {
			end = int(lines[c.End])
		}
		t.add(src[lines[c.Start-1]:end])
		c.Len = t.end()
	}
	for i := range f.Symbols {
		t.each([]byte(f.Symbols[i].Name))
	}
	t.end()
	for _, d := range docs {
		t.add(src[d.start:d.end])
	}
	t.end()
	terms, fields := t.finish()
	n := len(f.Chunks)
	f.Terms, f.Names, f.Docs = terms, fields[n], fields[n+1]
	if n > 0 {
		f.Body = fields[:n:n]
	}
}

// head returns the first eight bytes of a term as a number: two that differ
// order their terms as comparing all bytes does.
func head(term []byte) (h uint64) {
	for i := range 8 {
		h <<= 8
		if i < len(term) {
			h |= uint64(term[i])
		}
	}
	return h
}

// wordTable finds spans by words: a word of at most
// eight bytes is its own key, so that most look-ups touch one slot and nothing
// else.
type wordTable struct {
	slots []wordSlot // a power of two, at most two thirds of them taken
	shift int        // 64 less that power
	n     int
	long  []byte // longer words, one behind the other
}

type wordSlot struct {
	key  uint64 // the word, or a hash of a longer one
	at   int32  // of a longer one in long
	size int32  // bytes of the word; 0: the slot is free
	span span
}

var wordSeed = maphash.MakeSeed()

// find returns the span of the word b[:n]; b may go on behind it.
func (t *wordTable) find(b []byte, n int) (span, bool) {
	if t.n == 0 {
		return span{}, false
	}
	key := wordKey(b, n)
	for i := t.slot(key); ; i = (i + 1) & (len(t.slots) - 1) {
		s := &t.slots[i]
		if s.size == 0 {
			return span{}, false
		}
		if s.key == key && int(s.size) == n && (n <= 8 || bytes.Equal(t.long[s.at:int(s.at)+n], b[:n])) {
			return s.span, true
		}
	}
}

// add notes the span of a word that is not in the table, and returns it.
func (t *wordTable) add(w []byte, at span) span {
	if 3*t.n >= 2*len(t.slots) {
		old := t.slots
		t.slots = make([]wordSlot, max(1024, 2*len(old)))
		t.shift = bits.LeadingZeros64(uint64(len(t.slots) - 1))
		clear(t.slots) // pages that are read before they are written cost twice
		for i := range old {
			if old[i].size > 0 {
				t.put(old[i])
			}
		}
	}
	s := wordSlot{key: wordKey(w, len(w)), size: int32(len(w)), span: at}
	if len(w) > 8 {
		s.at = int32(len(t.long))
		t.long = append(t.long, w...)
	}
	t.put(s)
	t.n++
	return at
}

func (t *wordTable) put(s wordSlot) {
	i := t.slot(s.key)
	for t.slots[i].size > 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = s
}

// slot is where a key is looked for first: Fibonacci hashing (Knuth, The Art of
// Computer Programming 3, 6.4).
func (t *wordTable) slot(key uint64) int {
	return int(key*0x9E3779B97F4A7C15>>32) & (len(t.slots) - 1)
}

func wordKey(b []byte, n int) uint64 {
	switch {
	case n > 8:
		return maphash.Bytes(wordSeed, b[:n])
	case len(b) >= 8:
		return binary.LittleEndian.Uint64(b) & (1<<(8*n) - 1)
	}
	key := uint64(0)
	for i := range n {
		key |= uint64(b[i]) << (8 * i)
	}
	return key
}
