package history

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
)

// Log is a repository's commits over all its parts.
type Log struct {
	parts   []*Part
	n       int32
	message func(id [20]byte) string
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

// Subject returns the first line of a commit's message, as far as the log was
// told how to get it; see Messages.
func (l *Log) Subject(commit int32) string {
	if l.message == nil {
		return ""
	}
	return Subject(l.message(l.ID(commit)))
}

// Messages tells the log how to get the message of a commit, secrets masked, ""
// if it is not to be had. The log keeps the words alone: messages are shown
// rarely, and git has them. It must be called before the log is shared.
func (l *Log) Messages(get func(id [20]byte) string) { l.message = get }

// ID returns a commit's id.
func (l *Log) ID(commit int32) [20]byte {
	p, i := l.part(commit)
	return [20]byte(p.sec[secIDs][20*i:])
}

// Knows tells whether any commit of the log touched a path.
func (l *Log) Knows(path string) bool {
	return slices.ContainsFunc(l.parts, func(p *Part) bool {
		_, ok := slices.BinarySearch(p.pathList(), path)
		return ok
	})
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
		if p.base > at {
			continue
		}
		rows := p.read()
		for i := min(p.n-1, at-p.base); i >= 0; i-- {
			c := p.base + i
			if !v.Alive(c) {
				continue
			}
			v.N++
			for _, q := range rows.parentsOf(i) {
				if q < c {
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
		list := p.pathList()
		of := make([]int32, len(list))
		for i, path := range list {
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
		list := p.read().changesOf(i)
		for j := 0; j+1 < len(list); j++ {
			old, st := u.change(k, list[j])
			if st != From {
				continue
			}
			if cur, st := u.change(k, list[j+1]); st == To && u.file[old] < 0 {
				u.file[old] = u.file[cur]
			}
		}
	})
}

// change splits a change of part k.
func (u *names) change(k int, c uint32) (id int32, st Status) {
	return u.of[k][c>>3], Status(c & 7)
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
		rows := p.read()
		v.When[c], v.Lens[c] = rows.times[i], rows.lens[i]
		v.Terms += int64(v.Lens[c])
		tmp = tmp[:0]
		list := rows.changesOf(i)
		size := int32(0)
		for j := range list {
			id, st := u.change(k, list[j])
			if st == From {
				if j+1 < len(list) {
					if cur, st := u.change(k, list[j+1]); st == To {
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
