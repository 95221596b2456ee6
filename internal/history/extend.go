package history

import "slices"

// maxExtend is how many commits a view is extended by: each query that finds
// no view of its own commit pays for them anew.
const maxExtend = 64

// Extend returns what l.At would, derived, for a tip that a few commits lead to
// from the one that v was cut at. v must be derived, and of a log that l begins
// with; find and noise must be those it was cut with. Its Tables are v's, and
// for the caller to bring up to date.
//
// ok is false where old commits would look different: when v's tip is no
// ancestor, when commits of other branches come in, when names are followed
// through a rename.
func (v *View) Extend(l *Log, tip [20]byte, find func(path string) (int32, bool), noise func(path string) bool) (w *View, ok bool) {
	at, ok := l.Find(tip)
	old := int32(len(v.When))
	if !ok || at < old || v.fileOf != nil || v.rowStart == nil || v.more != nil {
		return nil, false
	}
	fresh, ok := v.between(l, at)
	if !ok {
		return nil, false
	}
	n := at + 1
	w = &View{Log: l, N: v.N + int32(len(fresh)), Terms: v.Terms, Tables: v.Tables,
		When: grown(v.When, n), Lens: grown(v.Lens, n), Size: grown(v.Size, n), start: grown(v.start, n+1),
		alive: make([]uint64, (l.n+63)/64), files: v.files, rowStart: v.rowStart, rows: v.rows, paths: v.paths,
		more: map[int32][]uint32{}, morePaths: map[uint64]struct{}{}}
	copy(w.alive, v.alive)
	// Paths of commits that are no ancestors are known too.
	for _, p := range l.parts {
		if p.base+p.n > v.Log.n {
			for _, path := range p.pathList() {
				w.morePaths[pathHash(path)] = struct{}{}
			}
		}
	}
	var own []int32
	next := 0
	files := slices.Clip(v.files) // mapped: what is appended goes elsewhere
	for c := old; c < n; c++ {
		if next < len(fresh) && fresh[next] == c {
			next++
			if own, ok = w.take(c, own[:0], v, find, noise); !ok {
				return nil, false
			}
			for _, f := range own {
				w.more[f] = append(w.more[f], uint32(c))
			}
			files = append(files, own...)
		}
		w.start[c+1] = uint32(len(files))
	}
	w.files = files
	return w, true
}

// between returns the ancestors of commit at that v does not have, ascending,
// if those that it has are ancestors all.
func (v *View) between(l *Log, at int32) (fresh []int32, ok bool) {
	old := int32(len(v.When))
	seen := map[int32]bool{at: true}
	reached := false
	for todo := []int32{at}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if fresh = append(fresh, c); len(fresh) > maxExtend {
			return nil, false
		}
		p, i := l.part(c)
		for _, q := range p.read().parentsOf(i) {
			switch {
			case q >= c:
			case q < old:
				if !v.Alive(q) {
					return nil, false
				}
				reached = reached || q == old-1
			case !seen[q]:
				seen[q] = true
				todo = append(todo, q)
			}
		}
	}
	slices.Sort(fresh)
	return fresh, reached
}

// take fills in commit c as collect does and returns its files; false if it
// says that a path was another one, or needs to know whether it was.
func (v *View) take(c int32, own []int32, before *View, find func(string) (int32, bool), noise func(string) bool) ([]int32, bool) {
	p, i := v.Log.part(c)
	v.alive[c>>6] |= 1 << (uint(c) & 63)
	rows := p.read()
	v.When[c], v.Lens[c] = rows.times[i], rows.lens[i]
	v.Terms += int64(v.Lens[c])
	paths := p.pathList()
	for _, change := range rows.changesOf(i) {
		id, st := change>>3, Status(change&7)
		if st == From {
			return nil, false
		}
		path := paths[id]
		if noise(path) {
			continue
		}
		v.Size[c]++
		f, ok := find(path)
		if !ok && before.Knows(path) {
			return nil, false // it may have been renamed
		}
		if ok && st != Deleted {
			own = append(own, f)
		}
	}
	slices.Sort(own)
	return slices.Compact(own), true
}

// grown returns a copy of n elements, those behind list's zero.
func grown[T any](list []T, n int32) []T {
	out := make([]T, n)
	copy(out, list)
	return out
}
