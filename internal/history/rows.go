package history

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// What commits say one after the other is kept as one string of numbers, and so
// are the paths: they are read when a view is derived, as a whole, and by
// nothing that hurries, so that they are compressed as well. Of each commit
//
//	varint    seconds since the commit before
//	uvarint   index terms of the message
//	uvarint   parents, then uvarint(own number in the log − the parent's) each
//	uvarint   changes, then uvarint(zigzag(path − the path before)<<3 | status) each
//
// the path before being 0 at a commit's first change.

// rows are the commits of a part.
type rows struct {
	times       []int64
	lens        []int32
	parents     []int32  // numbers in the log
	changes     []uint32 // path<<3 | status
	parentEnds  []uint32 // by commit
	changesEnds []uint32
}

// maxTime is the last second that a commit may have been made, in the year
// 2242: Build sets what is later, or before 1970, to the nearest that may be.
const maxTime = 1 << 33

func (r *rows) parentsOf(i int32) []int32 {
	from := uint32(0)
	if i > 0 {
		from = r.parentEnds[i-1]
	}
	return r.parents[from:r.parentEnds[i]]
}

func (r *rows) changesOf(i int32) []uint32 {
	from := uint32(0)
	if i > 0 {
		from = r.changesEnds[i-1]
	}
	return r.changes[from:r.changesEnds[i]]
}

// encode lays the rows out; base is the number of the first, rank the number
// that a path gets.
func (r *rows) encode(base int32, rank []uint32) (out []byte) {
	last := int64(0)
	for i := range int32(len(r.times)) {
		out = binary.AppendVarint(out, r.times[i]-last)
		last = r.times[i]
		out = binary.AppendUvarint(out, uint64(r.lens[i]))
		parents, changes := r.parentsOf(i), r.changesOf(i)
		out = binary.AppendUvarint(out, uint64(len(parents)))
		for _, p := range parents {
			out = binary.AppendUvarint(out, uint64(base+i-p))
		}
		out = binary.AppendUvarint(out, uint64(len(changes)))
		prev := int64(0)
		for _, c := range changes {
			path := int64(rank[c>>3])
			d := path - prev
			prev = path
			out = binary.AppendUvarint(out, uint64(d<<1^d>>63)<<3|uint64(c&7))
		}
	}
	return out
}

// decodeRows is encode back, for n commits from base on and paths paths. What
// comes out leads nowhere out of bounds.
func decodeRows(b []byte, base, n, paths int32) (*rows, error) {
	if int(n) > len(b)/4 {
		return nil, fmt.Errorf("%d commits in %d bytes", n, len(b))
	}
	r := &rows{times: make([]int64, n), lens: make([]int32, n), parentEnds: make([]uint32, n), changesEnds: make([]uint32, n),
		parents: make([]int32, 0, n+n/4), changes: make([]uint32, 0, len(b)/3)}
	at := 0
	uvarint := func() uint64 {
		if at < len(b) && b[at] < 0x80 {
			at++
			return uint64(b[at-1])
		}
		v, k := binary.Uvarint(b[min(at, len(b)):])
		if k <= 0 {
			at = len(b) + 1
			return 0
		}
		at += k
		return v
	}
	last := int64(0)
	for i := range n {
		d, k := binary.Varint(b[min(at, len(b)):])
		if k <= 0 {
			return nil, fmt.Errorf("commit %d of %d", i, n)
		}
		at += k
		if last += d; last < 0 || last > maxTime {
			return nil, fmt.Errorf("time of commit %d", i)
		}
		lens, parents := uvarint(), uvarint()
		if at > len(b) || lens > maxDocTerms || parents > uint64(len(b)-at) {
			return nil, fmt.Errorf("commit %d of %d", i, n)
		}
		r.times[i], r.lens[i] = last, int32(lens)
		for range parents {
			back := uvarint()
			if back > uint64(base+i) {
				return nil, fmt.Errorf("parents of commit %d", i)
			}
			r.parents = append(r.parents, base+i-int32(back))
		}
		r.parentEnds[i] = uint32(len(r.parents))
		changes := uvarint()
		if at > len(b) || changes > uint64(len(b)-at) {
			return nil, fmt.Errorf("commit %d of %d", i, n)
		}
		path := int64(0)
		for range changes {
			v := uvarint()
			z := v >> 3
			path += int64(z>>1) ^ -int64(z&1)
			if path < 0 || path >= int64(paths) {
				return nil, fmt.Errorf("changes of commit %d", i)
			}
			r.changes = append(r.changes, uint32(path)<<3|uint32(v&7))
		}
		r.changesEnds[i] = uint32(len(r.changes))
	}
	if at != len(b) {
		return nil, fmt.Errorf("%d bytes for %d commits, %d read", len(b), n, at)
	}
	return r, nil
}

// pack compresses what is read as a whole: its size u32, a zlib stream. It
// fails on 4 GiB or more.
func pack(b []byte) ([]byte, error) {
	if uint64(len(b)) > math.MaxUint32 {
		return nil, fmt.Errorf("%d bytes are more than a part holds", len(b))
	}
	out := bytes.NewBuffer(le.AppendUint32(nil, uint32(len(b))))
	z := zlib.NewWriter(out)
	_, _ = z.Write(b) // a buffer takes everything
	_ = z.Close()
	return out.Bytes(), nil
}

// maxRatio is how many times its length deflate can stand for at most.
const maxRatio = 1032

// unpack is pack back.
func unpack(b []byte) ([]byte, error) {
	if len(b) < 4 || uint64(le.Uint32(b)) > maxRatio*uint64(len(b)) {
		return nil, fmt.Errorf("%d bytes are too short", len(b))
	}
	z, err := zlib.NewReader(bytes.NewReader(b[4:]))
	if err != nil {
		return nil, err
	}
	out := make([]byte, le.Uint32(b))
	if _, err := io.ReadFull(z, out); err != nil {
		return nil, err
	}
	return out, nil
}

// read returns the rows of the part and its paths, decoded once. Of bytes that
// are damaged though they were checked before, the commits say nothing.
func (p *Part) read() *rows {
	p.once.Do(func() {
		var err error
		if p.names, err = p.decodePaths(); err == nil {
			var raw []byte
			if raw, err = unpack(p.sec[secRows]); err == nil {
				p.rows, err = decodeRows(raw, p.base, p.n, int32(len(p.names)))
			}
		}
		if err != nil {
			p.rows = &rows{times: make([]int64, p.n), lens: make([]int32, p.n), parentEnds: make([]uint32, p.n), changesEnds: make([]uint32, p.n)}
			p.err = err
		}
	})
	return p.rows
}

// pathList returns the paths of the part, ascending.
func (p *Part) pathList() []string {
	p.read()
	return p.names
}

// pathTable numbers the paths of a part that is built.
type pathTable struct {
	ids   map[string]uint32
	paths []string // by number, in the order of their first use
	room  int      // bytes of new paths that there is place for
}

// number gives the number of a path; false if it must be left out. There are
// fewer paths than room has bytes, so that a number leaves bits for a status.
func (t *pathTable) number(path string) (uint32, bool) {
	if id, ok := t.ids[path]; ok {
		return id, true
	}
	if len(path) > maxPath || len(path) > t.room {
		return 0, false
	}
	if t.ids == nil {
		t.ids = map[string]uint32{}
	}
	id := uint32(len(t.paths))
	t.ids[path] = id
	t.paths = append(t.paths, path)
	t.room -= len(path)
	return id, true
}

// appendChanges appends the rows of a commit's changes. Of a rename that loses
// a side the other is a file that came or went.
func (t *pathTable) appendChanges(rows []uint32, changes []Change) []uint32 {
	for i := 0; i < len(changes); i++ {
		c := changes[i]
		id, ok := t.number(c.Path)
		if c.Status == From && i+1 < len(changes) && changes[i+1].Status == To {
			i++
			to, okTo := t.number(changes[i].Path)
			switch {
			case ok && okTo:
				rows = append(rows, id<<3|uint32(From), to<<3|uint32(To))
			case ok:
				rows = append(rows, id<<3|uint32(Deleted))
			case okTo:
				rows = append(rows, to<<3|uint32(Added))
			}
			continue
		}
		if ok {
			rows = append(rows, id<<3|uint32(c.Status))
		}
	}
	return rows
}

// encodePaths codes sorted paths: what each shares with the one before, rest.
func encodePaths(paths []string) (out []byte) {
	prev := ""
	for _, p := range paths {
		n := 0
		for n < len(p) && n < len(prev) && p[n] == prev[n] {
			n++
		}
		out = binary.AppendUvarint(out, uint64(n))
		out = binary.AppendUvarint(out, uint64(len(p)-n))
		out = append(out, p[n:]...)
		prev = p
	}
	return out
}

// maxPath bounds a path in bytes: git's own trees may hold longer names, but no
// system that a file could stand on.
const maxPath = 1 << 16

// maxPaths bounds all paths of a part in bytes: half a million files with names
// of a screen's width take a tenth.
const maxPaths = 1 << 29

func (p *Part) decodePaths() ([]string, error) {
	b, err := unpack(p.sec[secPaths])
	if err != nil {
		return nil, err
	}
	n := int(p.paths)
	if n > len(b)/2 {
		return nil, fmt.Errorf("%d paths in %d bytes", n, len(b))
	}
	// All share one string, so that they cost no allocation each.
	ends := make([]int, n)
	all := make([]byte, 0, 4*len(b))
	from := 0
	for i := range ends {
		shared, k := binary.Uvarint(b)
		if k <= 0 || shared > uint64(len(all)-from) {
			return nil, fmt.Errorf("path %d", i)
		}
		rest, m := binary.Uvarint(b[k:])
		if m <= 0 || rest > uint64(len(b)-k-m) || shared+rest > maxPath || shared+rest > uint64(maxPaths-len(all)) {
			return nil, fmt.Errorf("path %d", i)
		}
		start := len(all)
		all = append(all, all[from:from+int(shared)]...)
		all = append(all, b[k+m:][:rest]...)
		b = b[k+m+int(rest):]
		from, ends[i] = start, len(all)
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%d bytes behind the paths", len(b))
	}
	s := string(all)
	list := make([]string, n)
	at := 0
	for i, end := range ends {
		list[i] = s[at:end]
		at = end
	}
	return list, nil
}
