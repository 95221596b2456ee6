package history

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
)

// Log is a repository's commits over all its parts.
type Log struct {
	parts []*Part
	n     int32
}

// NewLog joins parts; each must start where the one before it ends.
func NewLog(parts []*Part) (*Log, error) {
	l := &Log{}
	for _, p := range parts {
		if p.base != l.n {
			return nil, fmt.Errorf("%w: part starts at commit %d, want %d", ErrCorrupt, p.base, l.n)
		}
		l.parts = append(l.parts, p)
		l.n += p.n
	}
	return l, nil
}

// Commits counts the commits of the log.
func (l *Log) Commits() int32 { return l.n }

// Find returns the index of a commit.
func (l *Log) Find(id [20]byte) (int32, bool) {
	head := le.Uint64(id[:])
	for k := len(l.parts) - 1; k >= 0; k-- { // the newest part is asked for most
		p := l.parts[k]
		ids := p.sec[secIDs]
		for i := p.n - 1; i >= 0; i-- {
			if at := ids[20*int(i):]; le.Uint64(at) == head && bytes.Equal(at[:20], id[:]) {
				return p.base + i, true
			}
		}
	}
	return 0, false
}

// IDs calls f for every commit of the log.
func (l *Log) IDs(f func(id [20]byte, commit int32)) {
	for _, p := range l.parts {
		for i := range p.n {
			f([20]byte(p.sec[secIDs][20*i:]), p.base+i)
		}
	}
}

func (l *Log) part(commit int32) (*Part, int32) {
	k := sort.Search(len(l.parts), func(k int) bool { return l.parts[k].base+l.parts[k].n > commit })
	return l.parts[k], commit - l.parts[k].base
}

// Subject returns the first line of a commit's message.
func (l *Log) Subject(commit int32) string {
	p, i := l.part(commit)
	from, to := p.span(secSubjectEnds, i)
	return string(p.sec[secSubjects][from:to])
}

// ID returns a commit's id.
func (l *Log) ID(commit int32) [20]byte {
	p, i := l.part(commit)
	return [20]byte(p.sec[secIDs][20*i:])
}

// Posting is a commit whose message holds a term, and how often.
type Posting struct{ Commit, TF int32 }

// Postings appends the commits whose messages hold the term, ascending, all of
// the log: the caller asks View.Alive.
func (l *Log) Postings(dst []Posting, term string) []Posting {
	for _, p := range l.parts {
		n := int(p.terms)
		i := sort.Search(n, func(i int) bool { return string(p.termBytes(i)) >= term })
		if i == n || string(p.termBytes(i)) != term {
			continue
		}
		at := le.Uint32(p.sec[secTermEnds][8*i+4:])
		if uint64(at) > uint64(len(p.sec[secPostings])) {
			continue
		}
		b := p.sec[secPostings][at:]
		count, k := binary.Uvarint(b)
		if k <= 0 {
			continue
		}
		b = b[k:]
		prev := int64(-1)
		for range count {
			d, k := binary.Uvarint(b)
			if k <= 0 {
				break
			}
			tf, m := binary.Uvarint(b[k:])
			if m <= 0 {
				break
			}
			b = b[k+m:]
			prev += int64(d) + 1
			if prev < 0 || prev >= int64(p.n) {
				break
			}
			dst = append(dst, Posting{p.base + int32(prev), int32(min(tf, 1<<20))})
		}
	}
	return dst
}

// View is a log cut at a commit, its paths turned into the files of one tree.
// It is immutable. Slices indexed by commit go up to the tip; commits in them
// that are no ancestors have no files.
type View struct {
	Log    *Log
	N      int32    // ancestors, the commit itself included
	Terms  int64    // Σ Lens over them
	When   []int64  // by commit index, seconds
	Lens   []int32  // index terms of the message, by commit index
	Size   []int32  // files touched, also those gone since; noise excluded; 0 for merges
	Tables Tables   // what others derive of it
	alive  []uint64 // bit a commit
	start  []uint32 // by commit index: first of its files; one more at the end
	files  []int32  // current files, ascending within a commit, no duplicates

	// By file, its commits as serialised roaring bitmaps; nil: not derived.
	rowStart []uint32
	rows     []byte
	paths    []uint64 // hashes of all paths of the log, sorted; nil: not derived
	fileOf   []int32  // view's file → row; nil: the same

	// What an extended view has besides; nil: it is not extended.
	more      map[int32][]uint32  // by row: commits, ascending, behind those of the bitmap
	morePaths map[uint64]struct{} // hashes as in paths
}

// Alive tells whether the commit is an ancestor.
func (v *View) Alive(commit int32) bool { return v.alive[commit>>6]>>(uint(commit)&63)&1 != 0 }

// AliveBits is Alive as a bit a commit. It must not be written to.
func (v *View) AliveBits() []uint64 { return v.alive }

// Files returns the current files that a commit touched, ascending.
func (v *View) Files(commit int32) []int32 { return v.files[v.start[commit]:v.start[commit+1]] }

// Touched returns the files of all commits, one commit after the other, and
// where each starts, with one more at the end. Neither must be written to.
func (v *View) Touched() (start []uint32, files []int32) { return v.start, v.files }

// At cuts the log at tip. find maps a path to a file of the tree; noise names
// paths whose changes say nothing (lock files, changelogs). It is false if tip
// is not in the log.
func (l *Log) At(tip [20]byte, find func(path string) (int32, bool), noise func(path string) bool) (*View, bool) {
	at, ok := l.Find(tip)
	if !ok {
		return nil, false
	}
	n := at + 1 // parents come first: nothing behind tip is an ancestor
	v := &View{Log: l, alive: make([]uint64, (l.n+63)/64), When: make([]int64, n), Lens: make([]int32, n),
		Size: make([]int32, n), start: make([]uint32, n+1)}
	v.ancestors(at)
	names := l.unify(find, noise)
	names.followRenames(l, v, n)
	v.collect(l, names, n)
	return v, true
}

func (v *View) ancestors(at int32) {
	v.alive[at>>6] |= 1 << (uint(at) & 63)
	for k := len(v.Log.parts) - 1; k >= 0; k-- {
		p := v.Log.parts[k]
		for i := min(p.n-1, at-p.base); i >= 0; i-- {
			c := p.base + i
			if !v.Alive(c) {
				continue
			}
			v.N++
			from, to := p.span(secParentEnds, i)
			for j := from; j < to; j++ {
				if q := int32(le.Uint32(p.sec[secParents][4*j:])); q >= 0 && q < c {
					v.alive[q>>6] |= 1 << (uint(q) & 63)
				}
			}
		}
	}
}

// names are the paths of all parts as one numbering.
type names struct {
	of    [][]int32 // per part: its path → number
	file  []int32   // number → file of the tree, -1 none
	noise []bool
}

func (l *Log) unify(find func(string) (int32, bool), noise func(string) bool) *names {
	u := &names{}
	var ids map[string]int32
	if len(l.parts) > 1 {
		ids = map[string]int32{}
	}
	for _, p := range l.parts {
		of := make([]int32, p.paths)
		for i := range p.paths {
			path := p.path(i)
			if ids != nil {
				if id, ok := ids[path]; ok {
					of[i] = id
					continue
				}
				ids[path] = int32(len(u.file))
			}
			of[i] = int32(len(u.file))
			f, ok := find(path)
			if !ok {
				f = -1
			}
			u.file = append(u.file, f)
			u.noise = append(u.noise, noise(path))
		}
		u.of = append(u.of, of)
	}
	return u
}

// eachBack visits the living commits up to n from the newest to the oldest.
func (v *View) eachBack(n int32, f func(p *Part, k int, i int32)) {
	for k := len(v.Log.parts) - 1; k >= 0; k-- {
		p := v.Log.parts[k]
		for i := min(p.n, n-p.base) - 1; i >= 0; i-- {
			if v.Alive(p.base + i) {
				f(p, k, i)
			}
		}
	}
}

// followRenames gives paths that no longer stand the file that their latest
// exact rename led to, whatever branch it was on.
func (u *names) followRenames(l *Log, v *View, n int32) {
	v.eachBack(n, func(p *Part, k int, i int32) {
		from, to := p.span(secChangeEnds, i)
		for j := from; j+1 < to; j++ {
			old, st := u.change(p, k, j)
			if st != From {
				continue
			}
			if cur, st := u.change(p, k, j+1); st == To && old >= 0 && cur >= 0 && u.file[old] < 0 {
				u.file[old] = u.file[cur]
			}
		}
	})
}

func (u *names) change(p *Part, k int, j uint32) (id int32, st Status) {
	c := le.Uint32(p.sec[secChanges][4*j:])
	path := int32(c >> 3)
	if path >= p.paths {
		return -1, Status(c & 7)
	}
	return u.of[k][path], Status(c & 7)
}

// collect fills the commits' files. Going back in time, a rename hands the new
// path's file to the old path, whatever stands at the old path today.
func (v *View) collect(l *Log, u *names, n int32) {
	type span struct{ from, to int32 }
	spans := make([]span, n)
	var tmp []int32
	var back []int32 // files, newest commit first
	v.eachBack(n, func(p *Part, k int, i int32) {
		c := p.base + i
		v.When[c] = int64(le.Uint64(p.sec[secTimes][8*i:]))
		v.Lens[c] = int32(le.Uint32(p.sec[secLens][4*i:]))
		v.Terms += int64(v.Lens[c])
		tmp = tmp[:0]
		from, to := p.span(secChangeEnds, i)
		size := int32(0)
		for j := from; j < to; j++ {
			id, st := u.change(p, k, j)
			if id < 0 {
				continue
			}
			if st == From {
				if j+1 < to {
					if cur, st := u.change(p, k, j+1); st == To && cur >= 0 {
						u.file[id] = u.file[cur]
					}
				}
				continue
			}
			if u.noise[id] {
				continue
			}
			size++
			if f := u.file[id]; f >= 0 && st != Deleted {
				tmp = append(tmp, f)
			}
		}
		slices.Sort(tmp)
		tmp = slices.Compact(tmp)
		v.Size[c] = size
		spans[c] = span{int32(len(back)), int32(len(back) + len(tmp))}
		back = append(back, tmp...)
	})
	v.files = make([]int32, 0, len(back))
	for c := range n {
		v.files = append(v.files, back[spans[c].from:spans[c].to]...)
		v.start[c+1] = uint32(len(v.files))
	}
}
