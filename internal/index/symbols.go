package index

import (
	"sort"

	"cohop/internal/facts"
)

// A symbol is a record of fixed size, since a query asks for thousands, with
// what is rare in tables beside it, by symbol:
//
//	0   name u32   file u32
//	8   start u24, kind<<3 | has an owner<<2 | is odd<<1 | exported u8
//	12  end − start u16, signature's end − start u8, start − comment's u8
//	16  own number − the parent's u16, noParent if there is none
//
// An odd symbol is one whose numbers do not fit: it has them in secSymbolOdd. Its
// owner, where no enclosing symbol says it, is in secSymbolOwners.
const (
	noParent = 1<<16 - 1

	symbolOwner    = 4
	symbolOdd      = 2
	symbolExported = 1

	ownerRecSize = 8  // symbol u32, owner in the strings u32
	oddRecSize   = 24 // symbol u32, parent i32 (-1: none), first line of the comment u32, start, signature's end, end
)

// symbolWriter lays symbols out.
type symbolWriter struct {
	recs, owners, odd []byte
	n                 int32
}

func (w *symbolWriter) add(file, name uint32, owner int64, parent int32, s *facts.Symbol) {
	flags := uint8(s.Kind) << 3
	if s.Exported {
		flags |= symbolExported
	}
	if owner >= 0 {
		flags |= symbolOwner
		w.owners = le.AppendUint32(le.AppendUint32(w.owners, uint32(w.n)), uint32(owner))
	}
	up := int32(noParent)
	if parent >= 0 {
		up = w.n - parent
	}
	length, sig, doc := s.End-s.Start, s.SigEnd-s.Start, s.Start-s.DocStart
	if uint32(s.Start) >= 1<<24 || uint32(length) >= 1<<16 || uint32(sig) >= 1<<8 || uint32(doc) >= 1<<8 || parent >= 0 && uint32(up) >= noParent {
		flags |= symbolOdd
		for _, v := range [...]int32{w.n, parent, s.DocStart, s.Start, s.SigEnd, s.End} {
			w.odd = le.AppendUint32(w.odd, uint32(v))
		}
	}
	b := le.AppendUint32(le.AppendUint32(w.recs, name), file)
	b = append(b, uint8(s.Start), uint8(s.Start>>8), uint8(s.Start>>16), flags)
	b = le.AppendUint16(b, uint16(length))
	b = append(b, uint8(sig), uint8(doc))
	w.recs = le.AppendUint16(b, uint16(up))
	w.n++
}

// bySymbol finds the record of a symbol in a table that begins with it, nil if
// there is none.
func (s *Segment) bySymbol(section, size int, symbol int32) []byte {
	b := s.sec[section]
	n := len(b) / size
	i := sort.Search(n, func(i int) bool { return le.Uint32(b[i*size:]) >= uint32(symbol) })
	if i == n || le.Uint32(b[i*size:]) != uint32(symbol) {
		return nil
	}
	return b[i*size:][:size]
}

func (s *Segment) decodeSymbol(i int32) Symbol {
	r := s.symbol(i)
	start := int32(r[8]) | int32(r[9])<<8 | int32(r[10])<<16
	flags := r[11]
	out := Symbol{
		Name:     s.string(le.Uint32(r)),
		File:     s.symbolFile(i),
		Parent:   -1,
		Kind:     facts.Kind(flags >> 3),
		Exported: flags&symbolExported != 0,
		DocStart: start - int32(r[15]),
		Start:    start,
		SigEnd:   start + int32(r[14]),
		End:      start + int32(le.Uint16(r[12:])),
	}
	if up := int32(le.Uint16(r[16:])); up != noParent {
		out.Parent = i - up
	}
	if flags&symbolOdd != 0 {
		if x := s.bySymbol(secSymbolOdd, oddRecSize, i); x != nil {
			out.Parent = int32(le.Uint32(x[4:]))
			out.DocStart, out.Start = int32(le.Uint32(x[8:])), int32(le.Uint32(x[12:]))
			out.SigEnd, out.End = int32(le.Uint32(x[16:])), int32(le.Uint32(x[20:]))
		}
	}
	if flags&symbolOwner != 0 {
		if x := s.bySymbol(secSymbolOwners, ownerRecSize, i); x != nil {
			out.Owner = s.string(le.Uint32(x[4:]))
		}
	}
	return out
}

// validTables tells whether the tables beside symbols are sorted by symbol and
// their owners are among so many strings.
func (s *Segment) validTables(strings uint32) bool {
	for _, t := range [...][2]int{{secSymbolOwners, ownerRecSize}, {secSymbolOdd, oddRecSize}} {
		b := s.sec[t[0]]
		for i := 0; i < len(b); i += t[1] {
			id := le.Uint32(b[i:])
			if uint64(id) >= s.meta.symbols || i > 0 && le.Uint32(b[i-t[1]:]) >= id || t[0] == secSymbolOwners && le.Uint32(b[i+4:]) >= strings {
				return false
			}
		}
	}
	return true
}
