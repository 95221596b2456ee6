package sections

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
)

// Words are sorted, distinct words, each with a list of the caller's, laid out
// to be searched where they stand: in blocks of wordBlock, of which the first
// word is whole and each other one said by what it shares with the word before
// (front coding). Of a list the place is kept for the first word of a block;
// the caller skips from there, since most lists are a few bytes.
//
//	words: per word uvarint shared (none for the first of a block),
//	       uvarint length of the rest, the rest
//	index: per block u32 start in words, u32 start of the first word's list
type Words struct {
	words, index []byte
	n            int
}

// wordBlock is how many words are coded together: twice as many save another
// tenth of their bytes and take a tenth longer to find.
const wordBlock = 16

// maxWord bounds a word in bytes; text makes them far shorter.
const maxWord = 1 << 16

// WordsBuilder lays out Words.
type WordsBuilder struct {
	Words, Index []byte // the two sections
	n            int
	prev         string
}

// Add appends a word, greater than the one before, whose list begins at list.
func (b *WordsBuilder) Add(word string, list int) {
	if b.n%wordBlock == 0 {
		b.Index = le.AppendUint32(b.Index, uint32(len(b.Words)))
		b.Index = le.AppendUint32(b.Index, uint32(list))
	} else {
		shared := 0
		for shared < len(word) && shared < len(b.prev) && word[shared] == b.prev[shared] {
			shared++
		}
		b.Words = binary.AppendUvarint(b.Words, uint64(shared))
		word, b.prev = word[shared:], word
	}
	if b.n%wordBlock == 0 {
		b.prev = word
	}
	b.Words = binary.AppendUvarint(b.Words, uint64(len(word)))
	b.Words = append(b.Words, word...)
	b.n++
}

// OpenWords returns the n words of two sections.
func OpenWords(words, index []byte, n int) (Words, error) {
	if n < 0 || len(index) != 8*((n+wordBlock-1)/wordBlock) {
		return Words{}, fmt.Errorf("%d words in %d bytes of index", n, len(index))
	}
	return Words{words, index, n}, nil
}

// Check reads all words: they must be ascending, and the lists that the index
// names within lists bytes and not descending.
func (w Words) Check(lists int) error {
	var last []byte
	list := uint32(0)
	c := w.cursor(0)
	for i := range w.n {
		if i%wordBlock == 0 {
			at := le.Uint32(w.index[i/wordBlock*8+4:])
			if at < list || uint64(at) > uint64(lists) || int(le.Uint32(w.index[i/wordBlock*8:])) != c.at {
				return fmt.Errorf("block of word %d", i)
			}
			list = at
		}
		word, ok := c.next()
		if !ok || i > 0 && string(word) <= string(last) {
			return fmt.Errorf("word %d", i)
		}
		last = append(last[:0], word...)
	}
	if c.at != len(w.words) {
		return errors.New("bytes behind the words")
	}
	return nil
}

// head returns the first word of block k, nil if the bytes are damaged.
func (w Words) head(k int) []byte {
	at := int(le.Uint32(w.index[8*k:]))
	if at >= len(w.words) {
		return nil
	}
	n, size := binary.Uvarint(w.words[at:])
	if size <= 0 || n > uint64(len(w.words)-at-size) {
		return nil
	}
	return w.words[at+size:][:n]
}

// block returns the block that word would stand in, -1 before the first.
func (w Words) block(word string) int {
	return sort.Search(len(w.index)/8, func(k int) bool { return string(w.head(k)) > word }) - 1
}

// Find looks for a word. Its list is the one that skip lists behind the one at
// list.
func (w Words) Find(word string) (list, skip int, ok bool) {
	k := w.block(word)
	if k < 0 {
		return 0, 0, false
	}
	b := w.words[min(int(le.Uint32(w.index[8*k:])), len(w.words)):]
	same := 0 // bytes that word shares with the last word seen, which is less
	for i := range min(wordBlock, w.n-k*wordBlock) {
		shared := 0
		if i > 0 {
			v, size := binary.Uvarint(b)
			if size <= 0 || v > maxWord {
				return 0, 0, false
			}
			shared, b = int(v), b[size:]
		}
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return 0, 0, false
		}
		rest := b[size:][:n]
		b = b[size+int(n):]
		if shared > same {
			continue // it differs from word where the last one did
		}
		if shared < same {
			return 0, 0, false // greater where word is like the last one
		}
		for len(rest) > 0 && same < len(word) && rest[0] == word[same] {
			rest = rest[1:]
			same++
		}
		if same == len(word) || len(rest) > 0 && rest[0] > word[same] {
			if len(rest) > 0 || same < len(word) {
				return 0, 0, false
			}
			return int(le.Uint32(w.index[8*k+4:])), i, true
		}
	}
	return 0, 0, false
}

// cursor goes through words in order.
type cursor struct {
	w    Words
	at   int
	i    int
	word []byte
}

func (w Words) cursor(block int) cursor {
	c := cursor{w: w, i: block * wordBlock}
	if c.i < w.n {
		c.at = int(le.Uint32(w.index[8*block:]))
	}
	return c
}

// next returns the next word, valid until the next call; false at the end.
func (c *cursor) next() ([]byte, bool) {
	if c.i >= c.w.n {
		return nil, false
	}
	shared := uint64(0)
	if c.i%wordBlock != 0 {
		v, size := binary.Uvarint(c.w.words[min(c.at, len(c.w.words)):])
		if size <= 0 {
			return nil, false
		}
		shared, c.at = v, c.at+size
	}
	n, size := binary.Uvarint(c.w.words[min(c.at, len(c.w.words)):])
	if size <= 0 || shared > uint64(len(c.word)) || n > uint64(len(c.w.words)-c.at-size) || shared+n > maxWord {
		return nil, false
	}
	c.at += size
	c.word = append(c.word[:shared], c.w.words[c.at:c.at+int(n)]...)
	c.at += int(n)
	c.i++
	return c.word, true
}

// From calls f for the words that are not less than word, in order, until it
// returns false.
func (w Words) From(word string, f func(word []byte) bool) {
	c := w.cursor(max(0, w.block(word)))
	for {
		w, ok := c.next()
		if !ok {
			return
		}
		if string(w) >= word && !f(w) {
			return
		}
	}
}
