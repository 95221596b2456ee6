package facts

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The encoded form is a run of sections, each prefixed by its length so that
// a reader can leave it out:
//
//	format byte, head, symbols, edges, literals, terms
//
// Numbers are unsigned varints; what may be -1 is stored plus one, what only
// grows as the difference to what came before. Names of symbols and refs go
// through a table of strings, terms are front-coded against their predecessor.

// format is the first byte of the encoded form. Raise it with any change of
// the layout; Version is for changes of the content.
const format = 1

// Parts chooses what Decode reads.
type Parts uint8

// The parts. The head (language, package, flags, sizes) is always read.
const (
	PartSymbols  Parts = 1 << iota // Symbols, Chunks
	PartEdges                      // Imports, Refs, Props
	PartLiterals                   // Literals
	PartTerms                      // Terms, Body, Names, Docs
	PartsAll     = PartSymbols | PartEdges | PartLiterals | PartTerms
)

// Encode appends the compact form of f to dst.
func (f *Facts) Encode(dst []byte) []byte {
	dst = append(dst, format)
	e := encoder{}
	e.str(f.Lang)
	e.str(f.Package)
	e.num(int64(f.Flags))
	e.num(int64(f.Bytes))
	e.num(int64(f.Lines))
	e.num(int64(f.Masked))
	dst = e.section(dst)

	names := newNameTable()
	for i := range f.Symbols {
		s := &f.Symbols[i]
		names.add(s.Name)
		names.add(s.Owner)
	}
	e.table(names)
	e.num(int64(len(f.Symbols)))
	prev := int32(0)
	for i := range f.Symbols {
		s := &f.Symbols[i]
		e.num(int64(names.id[s.Name]))
		flags := int64(s.Kind) << 2
		if s.Exported {
			flags |= 1
		}
		if s.Owner != "" {
			flags |= 2
		}
		e.num(flags)
		if s.Owner != "" {
			e.num(int64(names.id[s.Owner]))
		}
		e.num(int64(s.Parent) + 1)
		e.signed(int64(s.Start) - int64(prev))
		e.signed(int64(s.Start) - int64(s.DocStart))
		e.signed(int64(s.SigEnd) - int64(s.Start))
		e.signed(int64(s.End) - int64(s.Start))
		prev = s.Start
	}
	e.num(int64(len(f.Chunks)))
	prev = 0
	for _, c := range f.Chunks {
		e.signed(int64(c.Start) - int64(prev))
		e.signed(int64(c.End) - int64(c.Start))
		e.num(int64(c.Symbol) + 1)
		e.num(int64(c.Len))
		prev = c.End
	}
	dst = e.section(dst)

	names = newNameTable()
	for i := range f.Refs {
		names.add(f.Refs[i].Name)
		names.add(f.Refs[i].Qualifier)
	}
	e.table(names)
	e.num(int64(len(f.Imports)))
	for i := range f.Imports {
		m := &f.Imports[i]
		e.str(m.Module)
		e.num(int64(len(m.Names)))
		for _, s := range m.Names {
			e.str(s)
		}
		e.str(m.Alias)
		e.signed(int64(m.Line))
		e.signed(int64(m.Relative))
		flags := int64(0)
		if m.Reexport {
			flags |= 1
		}
		if m.Mod {
			flags |= 2
		}
		e.num(flags)
	}
	e.num(int64(len(f.Refs)))
	for i := range f.Refs {
		r := &f.Refs[i]
		e.num(int64(names.id[r.Name]))
		flags := int64(r.Kind) << 3
		if r.Qualifier != "" {
			flags |= 1
		}
		if r.N != 1 {
			flags |= 2
		}
		if r.Generic {
			flags |= 4
		}
		e.num(flags)
		if r.Qualifier != "" {
			e.num(int64(names.id[r.Qualifier]))
		}
		e.num(int64(r.Scope) + 1)
		if r.N != 1 {
			e.num(int64(r.N))
		}
	}
	e.num(int64(len(f.Props)))
	for _, p := range f.Props {
		e.str(p.Key)
		e.str(p.Value)
	}
	dst = e.section(dst)

	e.num(int64(len(f.Literals)))
	for _, h := range f.Literals {
		e.b = binary.LittleEndian.AppendUint64(e.b, h)
	}
	dst = e.section(dst)

	e.terms(f.Terms)
	n := len(f.Names) + len(f.Docs)
	for _, b := range f.Body {
		n += len(b)
	}
	e.num(int64(n))
	e.num(int64(len(f.Body)))
	for _, b := range f.Body {
		e.tfs(b)
	}
	e.tfs(f.Names)
	e.tfs(f.Docs)
	return e.section(dst)
}

type encoder struct{ b []byte }

// section appends what was encoded to dst behind its length and begins anew.
func (e *encoder) section(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(e.b)))
	dst = append(dst, e.b...)
	e.b = e.b[:0]
	return dst
}

func (e *encoder) num(v int64)    { e.b = binary.AppendUvarint(e.b, uint64(v)) }
func (e *encoder) signed(v int64) { e.b = binary.AppendVarint(e.b, v) }
func (e *encoder) str(s string) {
	e.num(int64(len(s)))
	e.b = append(e.b, s...)
}

// nameTable numbers distinct strings in the order they come.
type nameTable struct {
	id   map[string]int32
	list []string
}

func newNameTable() *nameTable { return &nameTable{id: map[string]int32{}} }

func (n *nameTable) add(s string) {
	if _, ok := n.id[s]; !ok {
		n.id[s] = int32(len(n.list))
		n.list = append(n.list, s)
	}
}

func (e *encoder) table(n *nameTable) {
	e.num(int64(len(n.list)))
	for _, s := range n.list {
		e.str(s)
	}
}

// terms front-codes sorted strings: bytes shared with the one before, rest.
func (e *encoder) terms(terms []string) {
	total := 0
	for _, t := range terms {
		total += len(t)
	}
	e.num(int64(len(terms)))
	e.num(int64(total))
	prev := ""
	for _, t := range terms {
		n := 0
		for n < len(t) && n < len(prev) && t[n] == prev[n] {
			n++
		}
		e.num(int64(n))
		e.str(t[n:])
		prev = t
	}
}

// tfs encodes a field: the gap to the term before, and in the low bit whether
// a count other than one follows.
func (e *encoder) tfs(tfs []TF) {
	e.num(int64(len(tfs)))
	prev := int32(-1)
	for _, t := range tfs {
		gap := int64(t.Term-prev-1) << 1
		if t.N != 1 {
			e.num(gap | 1)
			e.num(int64(t.N))
		} else {
			e.num(gap)
		}
		prev = t.Term
	}
}

// Decode returns what Encode was given. Anything else is an error.
func Decode(b []byte) (*Facts, error) { return DecodeParts(b, PartsAll) }

// DecodeParts decodes the head and the chosen parts; the other fields stay nil.
func DecodeParts(b []byte, parts Parts) (*Facts, error) { return decode(b, parts, false) }

// decode is DecodeParts of a whole encoded form or, cut, of its light half.
func decode(b []byte, parts Parts, cut bool) (*Facts, error) {
	if len(b) == 0 || b[0] != format {
		return nil, fmt.Errorf("decode facts: not of format %d", format)
	}
	if int64(len(b)) > math.MaxInt32 {
		return nil, fmt.Errorf("decode facts: %d bytes", len(b))
	}
	f := &Facts{}
	// Strings are cut from one copy, so that a file costs few allocations and
	// none of them pins b.
	d := decoder{b: b, at: 1}
	read := func(section string, want bool, fill func(*decoder)) {
		n := d.num()
		if d.bad || n > int64(len(b)-d.at) {
			d.bad = true
			return
		}
		end := d.at + int(n)
		if want {
			s := decoder{b: b[d.at:end]}
			fill(&s)
			if s.bad || s.at != len(s.b) {
				d.bad, d.where = true, section
				return
			}
		}
		d.at = end
	}
	read("head", true, func(s *decoder) { s.head(f) })
	read("symbols", parts&PartSymbols != 0, func(s *decoder) { s.symbols(f) })
	if !d.bad {
		read("edges", parts&PartEdges != 0, func(s *decoder) { s.edges(f) })
	}
	if !d.bad && !cut {
		read("literals", parts&PartLiterals != 0, func(s *decoder) { s.literals(f) })
	}
	if !d.bad && !cut {
		read("terms", parts&PartTerms != 0, func(s *decoder) { s.fields(f) })
	}
	if d.bad || d.at != len(b) {
		return nil, fmt.Errorf("decode facts: %s broken at byte %d of %d", d.section(), d.at, len(b))
	}
	return f, nil
}

type decoder struct {
	b     []byte
	s     string // b as a string, made when first needed
	at    int
	bad   bool
	where string
}

func (d *decoder) section() string {
	if d.where == "" {
		return "layout"
	}
	return d.where
}

func (d *decoder) num() int64 {
	if d.at < len(d.b) && d.b[d.at] < 0x80 {
		d.at++
		return int64(d.b[d.at-1])
	}
	v, n := binary.Uvarint(d.b[min(d.at, len(d.b)):])
	if n <= 0 || v > math.MaxInt32+1 {
		d.bad = true
		return 0
	}
	d.at += n
	return int64(v)
}

func (d *decoder) signed() int32 {
	v, n := binary.Varint(d.b[min(d.at, len(d.b)):])
	if n <= 0 || v > math.MaxInt32 || v < math.MinInt32 {
		d.bad = true
		return 0
	}
	d.at += n
	return int32(v)
}

func (d *decoder) int32() int32 {
	v := d.num()
	if v > math.MaxInt32 {
		d.bad = true
		return 0
	}
	return int32(v)
}

// count reads a number of things that take at least size bytes each, so that
// a broken number cannot ask for more memory than the input is worth.
func (d *decoder) count(size int) int {
	n := d.num()
	if n*int64(size) > int64(len(d.b)-d.at) {
		d.bad = true
	}
	if d.bad {
		return 0
	}
	return int(n)
}

func (d *decoder) str() string {
	n := d.count(1)
	if d.bad || n == 0 {
		return ""
	}
	if d.s == "" {
		d.s = string(d.b)
	}
	s := d.s[d.at : d.at+n]
	d.at += n
	return s
}

func (d *decoder) table() []string {
	list := make([]string, d.count(1))
	for i := range list {
		list[i] = d.str()
	}
	return list
}

func (d *decoder) name(table []string) string {
	i := d.num()
	if i >= int64(len(table)) {
		d.bad = true
		return ""
	}
	return table[i]
}

func (d *decoder) head(f *Facts) {
	f.Lang, f.Package = d.str(), d.str()
	f.Flags = Flags(d.num())
	f.Bytes, f.Lines, f.Masked = d.int32(), d.int32(), d.int32()
}

func (d *decoder) symbols(f *Facts) {
	table := d.table()
	n := d.count(7)
	if n > 0 {
		f.Symbols = make([]Symbol, n)
	}
	prev := int32(0)
	for i := range f.Symbols {
		s := &f.Symbols[i]
		s.Name = d.name(table)
		flags := d.num()
		s.Exported = flags&1 != 0
		if flags&2 != 0 {
			s.Owner = d.name(table)
		}
		s.Kind = Kind(flags >> 2)
		s.Parent = int32(d.num() - 1)
		s.Start = prev + d.signed()
		s.DocStart = s.Start - d.signed()
		s.SigEnd = s.Start + d.signed()
		s.End = s.Start + d.signed()
		prev = s.Start
		// Readers index by these without looking.
		if d.bad || int(s.Parent) >= n || s.Start < 0 || s.End < 0 || s.SigEnd < 0 || s.DocStart < 0 {
			d.bad = true
			return
		}
	}
	c := d.count(4)
	if c > 0 {
		f.Chunks = make([]Chunk, c)
	}
	prev = 0
	for i := range f.Chunks {
		c := &f.Chunks[i]
		c.Start = prev + d.signed()
		c.End = c.Start + d.signed()
		c.Symbol = int32(d.num() - 1)
		c.Len = d.int32()
		prev = c.End
		if d.bad || int(c.Symbol) >= n || c.Start < 1 || c.End < c.Start {
			d.bad = true
			return
		}
	}
}

func (d *decoder) edges(f *Facts) {
	table := d.table()
	if n := d.count(6); n > 0 {
		f.Imports = make([]Import, n)
	}
	for i := range f.Imports {
		m := &f.Imports[i]
		m.Module = d.str()
		if n := d.count(1); n > 0 {
			m.Names = make([]string, n)
		}
		for k := range m.Names {
			m.Names[k] = d.str()
		}
		m.Alias, m.Line, m.Relative = d.str(), d.signed(), d.signed()
		flags := d.num()
		m.Reexport, m.Mod = flags&1 != 0, flags&2 != 0
		if d.bad {
			return
		}
	}
	if n := d.count(3); n > 0 {
		f.Refs = make([]Ref, n)
	}
	for i := range f.Refs {
		r := &f.Refs[i]
		r.Name = d.name(table)
		flags := d.num()
		r.Kind, r.Generic, r.N = RefKind(flags>>3), flags&4 != 0, 1
		if flags&1 != 0 {
			r.Qualifier = d.name(table)
		}
		r.Scope = int32(d.num() - 1)
		if flags&2 != 0 {
			r.N = d.int32()
		}
		if d.bad {
			return
		}
	}
	if n := d.count(2); n > 0 {
		f.Props = make([]Prop, n)
	}
	for i := range f.Props {
		f.Props[i] = Prop{d.str(), d.str()}
	}
}

func (d *decoder) literals(f *Facts) {
	n := d.count(8)
	if n > 0 {
		f.Literals = make([]uint64, n)
	}
	for i := range f.Literals {
		f.Literals[i] = binary.LittleEndian.Uint64(d.b[d.at:])
		d.at += 8
	}
}

// frontCode is the longest term in bytes that front-coding may rebuild; text
// makes them shorter.
const frontCode = 255

func (d *decoder) fields(f *Facts) {
	n, total := d.count(2), d.num()
	if d.bad || total > int64(n)*frontCode {
		d.bad = true
		return
	}
	// All terms share one string.
	all := make([]byte, 0, total)
	ends := make([]int32, n)
	from := 0
	for i := range ends {
		shared, rest := d.num(), d.count(1)
		prev := len(all) - from
		if d.bad || shared > int64(prev) || int64(len(all))+shared+int64(rest) > total {
			d.bad = true
			return
		}
		start := len(all)
		all = append(all, all[from:from+int(shared)]...)
		all = append(all, d.b[d.at:d.at+rest]...)
		d.at += rest
		from = start
		ends[i] = int32(len(all))
	}
	if int64(len(all)) != total {
		d.bad = true
		return
	}
	if n > 0 {
		s := string(all)
		f.Terms = make([]string, n)
		at := int32(0)
		for i, end := range ends {
			f.Terms[i] = s[at:end]
			at = end
		}
	}
	slab := make([]TF, 0, d.count(1))
	chunks := d.count(1)
	if chunks > 0 {
		f.Body = make([][]TF, chunks)
	}
	for i := range f.Body {
		f.Body[i], slab = d.tfs(slab, n)
	}
	f.Names, slab = d.tfs(slab, n)
	f.Docs, slab = d.tfs(slab, n)
	if len(slab) != cap(slab) {
		d.bad = true
	}
}

// tfs decodes one field into the slab, which never grows.
func (d *decoder) tfs(slab []TF, terms int) (field, rest []TF) {
	n := d.count(1)
	if d.bad || n > cap(slab)-len(slab) {
		d.bad = true
		return nil, slab
	}
	if n == 0 {
		return nil, slab
	}
	at := len(slab)
	slab = slab[:at+n]
	field = slab[at : at+n : at+n]
	term := int64(-1)
	for i := range field {
		v := d.num()
		term += v>>1 + 1
		field[i].N = 1
		if v&1 != 0 {
			field[i].N = d.int32()
		}
		if d.bad || term >= int64(terms) {
			d.bad = true
			return nil, slab
		}
		field[i].Term = int32(term)
	}
	return field, slab
}
