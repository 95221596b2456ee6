package history

import (
	"encoding/binary"
	"slices"

	"cohop/internal/sections"
)

// A term's list is uvarint(commits), uvarint(bytes of what follows) if they are
// more than one, then per commit uvarint(2·gap + (tf>1)) and, if tf>1,
// uvarint(tf). The gap counts from the commit before, the first from -1, less
// one. Most terms stand in one commit.

// posts are postings in the order of their commits, flat, since a map of lists
// would take several times their memory.
type posts struct {
	number       map[string]uint32 // of a term
	terms        []string          // by number, in the order of their first use
	term, commit []uint32
	tf           []uint16
}

func (p *posts) add(term string, commit, tf uint32) {
	id, ok := p.number[term]
	if !ok {
		if p.number == nil {
			p.number = map[string]uint32{}
		}
		id = uint32(len(p.terms))
		p.number[term] = id
		p.terms = append(p.terms, term)
	}
	p.term, p.commit = append(p.term, id), append(p.commit, commit)
	p.tf = append(p.tf, uint16(min(tf, 1<<16-1)))
}

// byTerm orders them by term and keeps the order within (counting sort). It
// returns where each term's begin, with one more at the end.
func (p *posts) byTerm() (start []uint32) {
	start = make([]uint32, len(p.terms)+1)
	for _, t := range p.term {
		start[t+1]++
	}
	for t := range p.terms {
		start[t+1] += start[t]
	}
	at := slices.Clone(start[:len(p.terms)])
	commit, tf := make([]uint32, len(p.commit)), make([]uint16, len(p.tf))
	for i, t := range p.term {
		commit[at[t]], tf[at[t]] = p.commit[i], p.tf[i]
		at[t]++
	}
	p.term, p.commit, p.tf = nil, commit, tf
	return start
}

// encode lays out the terms and their lists. The posts are spent.
func (p *posts) encode() (words, index, lists []byte, terms int) {
	p.number = nil
	start := p.byTerm()
	var b sections.WordsBuilder
	var list []byte
	for _, id := range sorted(p.terms) {
		b.Add(p.terms[id], len(lists))
		from, to := start[id], start[id+1]
		list = list[:0]
		prev := int64(-1)
		for k := from; k < to; k++ { // in commit order: commits were visited in it
			v := uint64(int64(p.commit[k])-prev-1) << 1
			prev = int64(p.commit[k])
			if p.tf[k] > 1 {
				list = binary.AppendUvarint(list, v|1)
				list = binary.AppendUvarint(list, uint64(p.tf[k]))
			} else {
				list = binary.AppendUvarint(list, v)
			}
		}
		lists = binary.AppendUvarint(lists, uint64(to-from))
		if to-from > 1 {
			lists = binary.AppendUvarint(lists, uint64(len(list)))
		}
		lists = append(lists, list...)
	}
	return b.Words, b.Index, lists, len(p.terms)
}

// Postings appends the commits whose messages hold the term, ascending, all of
// the log, and how often each does: the caller asks View.Alive.
func (l *Log) Postings(term string, commits, tf []int32) (c, f []int32) {
	for _, p := range l.parts {
		at, skip, ok := p.terms.Find(term)
		if lists := p.sec[secPostings]; ok && at <= len(lists) {
			commits, tf = p.postings(commits, tf, lists[at:], skip)
		}
	}
	return commits, tf
}

// postings appends those of the list that skip lists stand before. Damaged
// bytes end it.
func (p *Part) postings(commits, tf []int32, b []byte, skip int) (c, f []int32) {
	for ; ; skip-- {
		count, k := binary.Uvarint(b)
		if k <= 0 {
			return commits, tf
		}
		b = b[k:]
		size := uint64(len(b))
		if count > 1 {
			if size, k = binary.Uvarint(b); k <= 0 || size > uint64(len(b)-k) {
				return commits, tf
			}
			b = b[k:]
		}
		if skip == 0 {
			return p.decode(commits, tf, b[:size], count)
		}
		if count <= 1 { // it has no size: number by number
			_, size := posting(b)
			if size == 0 && count == 1 {
				return commits, tf
			}
			b = b[int(count)*size:]
			continue
		}
		b = b[size:]
	}
}

// posting reads one posting and how many bytes it takes, 0 if it is damaged.
func posting(b []byte) (v [2]uint64, size int) {
	gap, k := binary.Uvarint(b)
	if k <= 0 {
		return v, 0
	}
	v = [2]uint64{gap >> 1, 1}
	if gap&1 != 0 {
		tf, m := binary.Uvarint(b[k:])
		if m <= 0 {
			return v, 0
		}
		v[1], k = tf, k+m
	}
	return v, k
}

func (p *Part) decode(commits, tf []int32, b []byte, count uint64) (c, f []int32) {
	count = min(count, uint64(len(b))) // each takes a byte at least
	commits, tf = slices.Grow(commits, int(count)), slices.Grow(tf, int(count))
	prev := int64(-1)
	for range count {
		if len(b) > 0 && b[0]&0x81 == 0 { // a near commit that says it once: nearly all
			prev += int64(b[0]>>1) + 1
			if prev >= int64(p.n) {
				break
			}
			commits, tf, b = append(commits, p.base+int32(prev)), append(tf, 1), b[1:]
			continue
		}
		v, size := posting(b)
		if size == 0 {
			break
		}
		b = b[size:]
		prev += int64(v[0]) + 1
		if prev < 0 || prev >= int64(p.n) {
			break
		}
		commits, tf = append(commits, p.base+int32(prev)), append(tf, int32(min(max(v[1], 1), 1<<20)))
	}
	return commits, tf
}
