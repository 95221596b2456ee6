package facts

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"cohop/internal/text"
)

// termer counts the index terms of the fields of one file.
type termer struct {
	sp    text.Splitter
	ids   map[string]int32
	terms []string
	count []int32 // by term, of the field at hand
	seen  []int32 // terms with a count
	done  []TF    // all fields, one after the other
	ends  []int   // of the fields in done
	total int32
}

func newTermer() *termer { return &termer{ids: map[string]int32{}} }

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
			t.split(b[:n])
		} else {
			t.split(cutRune(b, longLineTerms))
		}
		b = b[n:]
	}
	t.split(b)
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

func (t *termer) split(b []byte) {
	t.sp.Each(b, func(term []byte, _ bool) {
		id, ok := t.ids[string(term)]
		if !ok {
			id = int32(len(t.terms))
			s := strings.Clone(string(term))
			t.ids[s] = id
			t.terms = append(t.terms, s)
			t.count = append(t.count, 0)
		}
		if t.count[id] == 0 {
			t.seen = append(t.seen, id)
		}
		t.count[id]++
		t.total++
	})
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
	if len(t.terms) == 0 {
		return nil, make([][]TF, len(t.ends))
	}
	order := make([]int32, len(t.terms))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return strings.Compare(t.terms[a], t.terms[b]) })
	rank := make([]int32, len(order))
	terms = make([]string, len(order))
	for r, id := range order {
		rank[id] = int32(r)
		terms[r] = t.terms[id]
	}
	for i := range t.done {
		t.done[i].Term = rank[t.done[i].Term]
	}
	fields = make([][]TF, len(t.ends))
	from := 0
	for i, end := range t.ends {
		if end > from {
			f := t.done[from:end:end]
			slices.SortFunc(f, func(a, b TF) int { return int(a.Term - b.Term) })
			fields[i] = f
		}
		from = end
	}
	return terms, fields
}

// fillTerms sets Terms, Body, Names, Docs, and the chunks' Len.
func (f *Facts) fillTerms(src []byte, lines []int32, docs []span) {
	t := newTermer()
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
		t.split([]byte(f.Symbols[i].Name))
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
