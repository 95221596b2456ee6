package resolve

import (
	"slices"
	"sort"
	"strings"
)

// Sources that share a name. A tree of schemas has thousands of service.proto,
// one a folder, and as many files that import what is made of one: to look at
// each source for each import takes time that grows with the square. So those of
// a crowd are listed once by how their folders and packages end, and the nearest
// are cut out of a list in path order, in which what a folder holds stands
// together. The answers are those of looking at each.
//
// Limit: where over maxScan are equally near, or over maxScan of a name have
// nothing but a class inside to speak for them, none is meant.

const (
	// crowded is how many sources of one name are looked at one by one.
	crowded = 16
	// deepestTail bounds the folders of a path that are compared from its end:
	// no tree is as deep, and a package is what a file says.
	deepestTail = 64
)

// crowd is the sources that a name may mean.
type crowd struct {
	files []int32 // ascending, distinct
	sure  *bucket // those that an ending is sure of
	whole *bucket // all of them

	// Of more than crowded: by the last segments of the folder, or of the
	// package, see eachTail; of those that stand in a folder for what is
	// generated (outputs) apart. By the folder.
	tails   [2]map[string]*bucket
	folders map[string][]int32
}

// bucket is some sources of a crowd, ascending.
type bucket struct {
	of    *crowd
	all   []int32
	src   []int32 // those that are neither tests nor copies, once asked for
	asked bool
}

// crowdKey names a crowd: of the schemas that define a class, or (by) of the
// sources by which a name is made.
type crowdKey struct {
	by   reader // readNone: defined
	name string
}

// crowd returns the one that key names, made of files once a worker.
func (w *worker) crowd(key crowdKey, files func() (all, sure []int32)) *crowd {
	if c, ok := w.crowds[key]; ok {
		return c
	}
	all, sure := files()
	if len(all) == 0 { // as most names of imports have none
		w.crowds[key] = w.none
		return w.none
	}
	c := &crowd{}
	slices.Sort(all)
	c.files = slices.Compact(all)
	c.whole, c.sure = &bucket{of: c, all: c.files}, &bucket{of: c, all: sure}
	w.looks += len(c.files)
	if len(c.files) > crowded {
		w.spread(c)
	}
	w.crowds[key] = c
	return c
}

// spread fills the lists of a large crowd.
func (w *worker) spread(c *crowd) {
	s := w.s
	c.tails[0], c.tails[1] = map[string]*bucket{}, map[string]*bucket{}
	c.folders = map[string][]int32{}
	for _, g := range c.files {
		c.folders[s.dir[g]] = append(c.folders[s.dir[g]], g)
		by := c.tails[0]
		if outputs[lastSeg(s.dir[g])] {
			by = c.tails[1]
		}
		put := func(tail string, _ bool) bool {
			b := by[tail]
			if b == nil {
				b = &bucket{of: c}
				by[tail] = b
			}
			if n := len(b.all); n == 0 || b.all[n-1] != g {
				b.all = append(b.all, g)
			}
			return true
		}
		eachTail(s.dir[g], put)
		eachTail(strings.ReplaceAll(s.t.Facts(g).Package, ".", "/"), put)
	}
}

// eachTail calls do with the last segments of a path, as sameTail compares them,
// one, two, and so on, until it is false; named says whether one of them is more
// than a version.
func eachTail(p string, do func(tail string, named bool) bool) {
	tail, named := "", false
	for range deepestTail {
		if p == "" {
			return
		}
		d, seg := splitPath(p)
		tail, named = squeeze(seg)+"/"+tail, named || !isVersion(seg)
		if !do(tail, named) {
			return
		}
		p = d
	}
}

// in lists the sources that stand in folder dir.
func (w *worker) in(c *crowd, dir string) []int32 {
	if c.folders != nil {
		return c.folders[dir]
	}
	var out []int32
	for _, g := range c.files {
		if w.s.dir[g] == dir {
			out = append(out, g)
		}
	}
	return out
}

// closest lists the sources of crowds whose agreement with dir is the largest,
// and says how large; none if nothing agrees.
func (w *worker) closest(dir string, crowds ...*crowd) (sets []*bucket, most int) {
	take := func(b *bucket, agree int) {
		switch {
		case agree == 0 || agree < most:
			return
		case agree > most:
			most, sets = agree, sets[:0]
		}
		sets = append(sets, b)
	}
	for _, c := range crowds {
		if c.folders == nil {
			for _, g := range c.files {
				w.looks++
				take(&bucket{of: c, all: []int32{g}}, w.s.agreement(dir, g))
			}
			continue
		}
		for out := range c.tails {
			d := dir
			for out == 0 && outputs[lastSeg(d)] {
				d, _ = splitPath(d)
			}
			var deepest *bucket
			n, is := 0, false
			eachTail(d, func(tail string, named bool) bool {
				b := c.tails[out][tail]
				if b == nil {
					return false
				}
				deepest, n, is = b, n+1, named
				return true
			})
			if is {
				take(deepest, n)
			}
		}
	}
	return sets, most
}

// pick is prefer of all that sets hold.
func (w *worker) pick(f int32, sets []*bucket) []int32 {
	n := 0
	for _, b := range sets {
		n += len(b.all)
	}
	if n <= 4*crowded {
		var out []int32
		for _, b := range sets {
			out = append(out, b.all...)
		}
		w.looks += n
		slices.Sort(out)
		return w.prefer(f, slices.Compact(out))
	}
	lists := make([][]int32, len(sets))
	code := false // a source asks, and there is one
	for i, b := range sets {
		lists[i] = b.all
		code = code || !w.s.test(f) && len(w.sourcesOf(b)) > 0
	}
	if code {
		for i, b := range sets {
			lists[i] = w.sourcesOf(b)
		}
	}
	// Those that share f's own folder, or the lowest above it that holds any.
	var out []int32
	for dir := w.s.dir[f]; ; dir, _ = splitPath(dir) {
		for i, list := range lists {
			if dir == w.s.dir[f] {
				for _, g := range w.in(sets[i].of, dir) {
					if w.looks++; has(list, g) {
						out = append(out, g)
					}
				}
			}
		}
		if len(out) > 0 {
			break
		}
		n := 0
		for i := range lists {
			lo, hi := w.below(lists[i], dir)
			n += hi - lo
			if n <= maxScan {
				out = append(out, lists[i][lo:hi]...)
			}
		}
		if n > maxScan {
			return nil
		}
		if n > 0 || dir == "" {
			break
		}
	}
	w.looks += len(out)
	slices.Sort(out)
	return slices.Compact(out)
}

// sourcesOf is sources of a bucket, remembered.
func (w *worker) sourcesOf(b *bucket) []int32 {
	if !b.asked {
		b.src, b.asked = w.sources(b.all), true
		w.looks += len(b.all)
	}
	return b.src
}

// below cuts the files below folder dir out of ascending files.
func (w *worker) below(files []int32, dir string) (lo, hi int) {
	if dir == "" {
		return 0, len(files)
	}
	lo = sort.Search(len(files), func(i int) bool { return w.s.path[files[i]] >= dir+"/" })
	hi = lo + sort.Search(len(files)-lo, func(i int) bool { return w.s.path[files[lo+i]] >= dir+"0" }) // 0 is behind /
	return lo, hi
}
