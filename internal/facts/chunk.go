package facts

import (
	"bytes"
	"slices"
)

// Sizes of chunks. A chunk is what is scored and what is shown, so it should
// be a thing of its own (a function, a few constants) and still let several
// fit a small budget.
const (
	chunkLines    = 40 // lines up to which neighbours are merged
	chunkBytes    = 1500
	chunkMaxLines = 80 // lines up to which a function stays whole
	chunkMaxBytes = 4000
)

// tiler cuts lines lo..hi (zero-based here) into units that are not cut again,
// in order and without gaps.
type tiler struct {
	src   []byte
	lines []int32
	syms  []Symbol
	skip  []int32 // by symbol: index of the first that starts after its end
	units []unit
}

type unit struct{ lo, hi int32 }

// tile returns the chunks of a file; its symbols must be in order.
func tile(src []byte, lines []int32, syms []Symbol) []Chunk {
	if len(lines) == 0 {
		return nil
	}
	t := &tiler{src: src, lines: lines, syms: syms, skip: make([]int32, len(syms))}
	var open []int32
	for i := range syms {
		for len(open) > 0 && syms[open[len(open)-1]].End < syms[i].Start {
			t.skip[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		}
		// An inner symbol that ends late must not hide behind its outer one.
		open = append(open, int32(i))
	}
	for _, i := range open {
		t.skip[i] = int32(len(syms))
	}
	t.region(0, int32(len(lines))-1, 0, int32(len(syms)))
	chunks := t.merge()
	t.name(chunks)
	return chunks
}

// size returns the lines and bytes of lo..hi.
func (t *tiler) size(lo, hi int32) (lines, bytes int32) {
	return hi - lo + 1, t.offset(hi+1) - t.lines[lo]
}

func (t *tiler) offset(line int32) int32 {
	if int(line) >= len(t.lines) {
		return int32(len(t.src))
	}
	return t.lines[line]
}

func (t *tiler) line(i int32) []byte { return t.src[t.lines[i]:t.offset(i+1)] }

// region cuts lo..hi along the symbols from..to.
func (t *tiler) region(lo, hi, from, to int32) {
	cur := lo
	for i := from; i < to && cur <= hi; {
		s := &t.syms[i]
		next := min(t.skip[i], to)
		start, end := max(s.DocStart-1, cur), min(s.End-1, hi)
		if end < cur || end < start {
			i++ // its lines are taken, but those of an inner one may not be
			continue
		}
		if start > cur {
			t.cut(cur, start-1)
		}
		lines, size := t.size(start, end)
		fits := lines <= chunkLines && size <= chunkBytes
		whole := s.Kind == KindFunction || s.Kind == KindMethod || s.Kind == KindMacro
		if fits || whole && lines <= chunkMaxLines && size <= chunkMaxBytes {
			t.units = append(t.units, unit{start, end})
		} else {
			t.region(start, end, i+1, next)
		}
		cur = end + 1
		i = max(next, i+1)
	}
	if cur <= hi {
		t.cut(cur, hi)
	}
}

// cut makes units of about chunkLines of lo..hi, ending where a blank line, a
// small indent and the size speak for it.
func (t *tiler) cut(lo, hi int32) {
	for {
		lines, size := t.size(lo, hi)
		if lines == 1 || lines <= chunkLines*3/2 && size <= chunkBytes*3/2 {
			t.units = append(t.units, unit{lo, hi})
			return
		}
		best, at := int32(1<<30), lo+1
		for k := lo + 1; k <= hi; k++ {
			lines, size := t.size(lo, k-1)
			if k > lo+1 && (lines > chunkLines*3/2 || size > chunkBytes*2) {
				break
			}
			full := max(lines, size*chunkLines/chunkBytes)
			cost := full - chunkLines
			if cost < 0 {
				cost = -cost
			}
			indent, first := indentOf(t.line(k))
			if len(bytes.TrimSpace(t.line(k-1))) > 0 {
				cost += 15
			}
			switch first {
			case 0: // blank: the cut belongs after the blanks
				cost += 25
			case '}', ']', ')':
				cost += 30
			}
			if cost += min(indent, 24); cost < best {
				best, at = cost, k
			}
		}
		t.units = append(t.units, unit{lo, at - 1})
		lo = at
	}
}

// indentOf returns the columns before the first visible byte of a line, and
// that byte, 0 if the line is blank.
func indentOf(line []byte) (cols int32, first byte) {
	for _, c := range line {
		switch c {
		case ' ':
			cols++
		case '\t':
			cols += 4
		case '\r', '\n', '\f':
		default:
			return cols, c
		}
	}
	return 0, 0
}

// closing says whether lines lo..hi hold nothing but blanks and brackets.
func (t *tiler) closing(lo, hi int32) bool {
	if hi-lo > 4 {
		return len(bytes.TrimSpace(t.src[t.lines[lo]:t.offset(hi+1)])) == 0
	}
	rest := bytes.Trim(t.src[t.lines[lo]:t.offset(hi+1)], " \t\r\n\f}])>;,")
	return len(rest) == 0 || string(rest) == "end"
}

// merge joins small neighbours.
func (t *tiler) merge() []Chunk {
	var out []Chunk
	for _, u := range t.units {
		if n := len(out); n > 0 {
			c := &out[n-1]
			lines, size := t.size(c.Start-1, u.hi)
			if lines <= chunkLines && size <= chunkBytes || t.closing(u.lo, u.hi) && u.hi-u.lo < chunkLines {
				c.End = u.hi + 1
				continue
			}
			// Blank lines alone are no chunk: what follows them takes them.
			if t.closing(c.Start-1, c.End-1) && c.End-c.Start < chunkLines {
				c.End = u.hi + 1
				continue
			}
		}
		out = append(out, Chunk{Start: u.lo + 1, End: u.hi + 1, Symbol: -1})
	}
	return out
}

// name finds the symbol that each chunk shows.
func (t *tiler) name(chunks []Chunk) {
	depth := make([]int32, len(t.syms))
	for i := range t.syms {
		if p := t.syms[i].Parent; p >= 0 && int(p) < i {
			depth[i] = depth[p] + 1
		}
	}
	var open []int32 // symbols that began before, outer first
	at := 0
	for c := range chunks {
		ch := &chunks[c]
		before := open
		best := int32(-1)
		for ; at < len(t.syms) && t.syms[at].Start <= ch.End; at++ {
			i := int32(at)
			if best < 0 || t.better(i, best, depth) {
				best = i
			}
			open = append(open, i)
		}
		if best < 0 {
			for k := len(before) - 1; k >= 0; k-- {
				if s := &t.syms[before[k]]; s.End >= ch.Start {
					best = before[k]
					break
				}
			}
		}
		ch.Symbol = best
		open = slices.DeleteFunc(open, func(i int32) bool { return t.syms[i].End <= ch.End })
	}
}

// better says whether symbol a tells more than b of a chunk that both start in.
func (t *tiler) better(a, b int32, depth []int32) bool {
	if depth[a] != depth[b] {
		return depth[a] < depth[b]
	}
	x, y := &t.syms[a], &t.syms[b]
	if la, lb := isLeaf(x.Kind), isLeaf(y.Kind); la != lb {
		return lb
	}
	return x.End-x.Start > y.End-y.Start
}

// isLeaf says whether symbols of the kind are seldom what a chunk is about.
func isLeaf(k Kind) bool {
	switch k {
	case KindConst, KindVar, KindField, KindMacro, KindKey:
		return true
	}
	return false
}
