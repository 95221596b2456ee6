package index

import "fmt"

// validate checks what the checksums cannot: that a section's numbers lead
// somewhere. It reads every record once but does not decode postings, whose
// reader stops at the first number out of range.
func (s *Segment) validate() error {
	m := &s.meta
	bad := func(what string, i int) error { return fmt.Errorf("%w: %s %d", ErrCorrupt, what, i) }
	strings := le.Uint32(s.sec[secStrings])
	if !s.validStrings() {
		return bad("strings", int(strings))
	}
	if m.files == 0 && m.chunks+m.symbols+m.edges > 0 {
		return bad("files", 0)
	}
	for f := range int32(m.files) {
		rec := s.file(f)
		if uint64(le.Uint32(rec))+uint64(le.Uint32(rec[4:])) > uint64(len(s.sec[secPaths])) ||
			f > 0 && string(s.pathBytes(f-1)) >= string(s.pathBytes(f)) {
			return bad("path", int(f))
		}
		for _, at := range [...]int{28, 32, 36} {
			if le.Uint32(rec[at:]) >= strings {
				return bad("label", int(f))
			}
		}
		c, y := uint64(le.Uint32(rec[48:])), uint64(le.Uint32(rec[52:]))
		if f == 0 && c+y > 0 || c > m.chunks || y > m.symbols ||
			f > 0 && (s.firstChunk(f-1) > int32(c) || s.firstSymbol(f-1) > int32(y)) {
			return bad("file", int(f))
		}
	}
	for f := range int32(m.files) {
		y0, y1 := s.firstSymbol(f), s.firstSymbol(f+1)
		for c := s.firstChunk(f); c < s.firstChunk(f+1); c++ {
			r := s.chunk(c)
			if sym := int32(le.Uint32(r[12:])); int32(le.Uint32(r)) != f || sym != -1 && (sym < y0 || sym >= y1) {
				return bad("chunk", int(c))
			}
		}
		for y := y0; y < y1; y++ {
			p := int32(-1)
			if r := s.symbol(y); le.Uint32(r) >= strings || int32(le.Uint32(r[4:])) != f {
				return bad("symbol", int(y))
			} else if r[11]&symbolOdd != 0 {
				p = s.decodeSymbol(y).Parent
			} else if up := le.Uint16(r[16:]); up != noParent {
				p = y - int32(up)
			}
			if p != -1 && (p < y0 || p >= y1) {
				return bad("symbol", int(y))
			}
		}
	}
	if !s.validTables(strings) {
		return bad("symbols", int(m.symbols))
	}
	if err := s.words.Check(len(s.sec[secPostings])); err != nil {
		return fmt.Errorf("%w: terms: %w", ErrCorrupt, err)
	}
	for _, k := range keySections {
		b, limit := s.sec[k], uint32(m.files)
		if k == secSymKeys {
			limit = uint32(m.symbols)
		}
		for i := 0; i < len(b); i += keyRecSize {
			if le.Uint32(b[i+8:]) >= limit || i > 0 && le.Uint64(b[i-keyRecSize:]) > le.Uint64(b[i:]) {
				return bad("key", i/keyRecSize)
			}
		}
	}
	last := Edge{From: -1}
	for i := range int(m.edges) {
		e := s.edge(i)
		if uint64(uint32(e.From)) >= m.files || uint64(uint32(e.To)) >= m.files || edgeOrder(last, e) > 0 {
			return bad("edge", i)
		}
		last = e
	}
	return nil
}
