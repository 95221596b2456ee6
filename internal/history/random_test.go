package history

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// dag is a random history: every commit has a tree of paths, made from its
// first parent's by its changes.
type dag struct {
	commits []Commit
	trees   []map[string]bool
}

func commitID(i int) [20]byte { return [20]byte{byte(i + 1), byte(i >> 8), 9} }

func randomDAG(r *rand.Rand, n int) *dag {
	d := &dag{}
	paths := []string{"a", "b", "c", "lib/a", "lib/b", "x.lock", "d"}
	words := []string{"export", "limit", "session", "cookie", "cache"}
	for i := range n {
		c := Commit{ID: commitID(i), Time: int64(1000 + i), Message: words[r.IntN(len(words))] + " " + words[r.IntN(len(words))]}
		tree := map[string]bool{}
		if i > 0 {
			p := r.IntN(i)
			if r.IntN(3) > 0 {
				p = i - 1
			}
			c.Parents = append(c.Parents, commitID(p))
			tree = maps.Clone(d.trees[p])
			if q := r.IntN(i); q != p && r.IntN(5) == 0 {
				c.Parents, c.Merge = append(c.Parents, commitID(q)), true
			}
		}
		if !c.Merge {
			for _, k := range r.Perm(len(paths))[:r.IntN(4)] {
				p := paths[k]
				switch {
				case !tree[p]:
					tree[p] = true
					c.Changes = append(c.Changes, Change{p, Added})
				case r.IntN(4) == 0:
					delete(tree, p)
					c.Changes = append(c.Changes, Change{p, Deleted})
				case r.IntN(3) == 0:
					to := paths[r.IntN(len(paths))]
					if tree[to] || slices.ContainsFunc(c.Changes, func(x Change) bool { return x.Path == to }) {
						continue
					}
					delete(tree, p)
					tree[to] = true
					c.Changes = append(c.Changes, Change{p, From}, Change{to, To})
				default:
					c.Changes = append(c.Changes, Change{p, Modified})
				}
			}
		}
		d.commits, d.trees = append(d.commits, c), append(d.trees, tree)
	}
	return d
}

// log builds the history in parts that end where cuts say.
func (d *dag) log(tb testing.TB, cuts []int) *Log {
	tb.Helper()
	log := &Log{}
	var parts []*Part
	from := 0
	for _, to := range append(cuts, len(d.commits)) {
		raw, err := Build(slices.All(d.commits[from:to]), to-from, log.Commits(), log.Find)
		if err != nil {
			tb.Fatal(err)
		}
		p, err := Open(raw)
		if err != nil {
			tb.Fatal(err)
		}
		parts = append(parts, p)
		if log, err = NewLog(parts); err != nil {
			tb.Fatal(err)
		}
		from = to
	}
	return log
}

// naive is At by the book: ancestors by walking parents, files by going back in
// the log's order with a map from path to file.
func (d *dag) naive(tip int, files map[string]int32) (alive map[int]bool, touched map[int][]int32, size map[int]int32) {
	alive = map[int]bool{}
	var walk func(i int)
	index := map[[20]byte]int{}
	for i := range d.commits {
		index[d.commits[i].ID] = i
	}
	walk = func(i int) {
		if alive[i] {
			return
		}
		alive[i] = true
		for _, p := range d.commits[i].Parents {
			walk(index[p])
		}
	}
	walk(tip)
	at := map[string]int32{}
	file := func(p string) int32 {
		if f, ok := at[p]; ok {
			return f
		}
		if f, ok := files[p]; ok {
			return f
		}
		return -1
	}
	back := func(f func(i int)) {
		for i := tip; i >= 0; i-- {
			if alive[i] {
				f(i)
			}
		}
	}
	back(func(i int) { // names that no longer stand lead to where their latest rename led
		ch := d.commits[i].Changes
		for k := 0; k+1 < len(ch); k++ {
			if ch[k].Status == From && file(ch[k].Path) < 0 {
				at[ch[k].Path] = file(ch[k+1].Path)
			}
		}
	})
	touched, size = map[int][]int32{}, map[int]int32{}
	back(func(i int) {
		ch := d.commits[i].Changes
		set := map[int32]bool{}
		for k := range ch {
			if ch[k].Status == From {
				at[ch[k].Path] = file(ch[k+1].Path)
				continue
			}
			if ch[k].Path == "x.lock" {
				continue
			}
			size[i]++
			if f := file(ch[k].Path); f >= 0 && ch[k].Status != Deleted {
				set[f] = true
			}
		}
		touched[i] = slices.Sorted(maps.Keys(set))
	})
	return alive, touched, size
}

func treeOf(t map[string]bool) (files map[string]int32, find func(string) (int32, bool)) {
	files = map[string]int32{}
	for i, p := range slices.Sorted(maps.Keys(t)) {
		files[p] = int32(i)
	}
	return files, func(p string) (int32, bool) { f, ok := files[p]; return f, ok }
}

func noise(p string) bool { return p == "x.lock" }

func TestRandomHistories(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 3))
		d := randomDAG(r, 1+r.IntN(40))
		var cuts []int
		for range r.IntN(4) {
			cuts = append(cuts, r.IntN(len(d.commits)+1))
		}
		slices.Sort(cuts)
		log := d.log(t, cuts)
		for range 4 {
			tip := r.IntN(len(d.commits))
			files, find := treeOf(d.trees[tip])
			v, ok := log.At(commitID(tip), find, noise)
			if !ok {
				t.Fatal("the tip is not found")
			}
			alive, touched, size := d.naive(tip, files)
			if int(v.N) != len(alive) {
				t.Fatalf("seed %d: %d ancestors, want %d", seed, v.N, len(alive))
			}
			terms := int64(0)
			for i := range v.When {
				if v.Alive(int32(i)) != alive[i] {
					t.Fatalf("seed %d: Alive(%d)", seed, i)
				}
				if !slices.Equal(v.Files(int32(i)), touched[i]) || v.Size[i] != size[i] {
					t.Fatalf("seed %d, cuts %v, tip %d: commit %d touched %v (size %d), want %v (%d)", seed, cuts, tip, i, v.Files(int32(i)), v.Size[i], touched[i], size[i])
				}
				if alive[i] {
					terms += int64(v.Lens[i])
				}
			}
			if v.Terms != terms {
				t.Errorf("seed %d: %d terms, want %d", seed, v.Terms, terms)
			}
			for _, w := range []string{"export", "limit", "none"} {
				var want, often []int32
				for i, c := range d.commits {
					if n := count(c.Message, w); n > 0 {
						want, often = append(want, int32(i)), append(often, int32(n))
					}
				}
				if got, tf := log.Postings(w, nil, nil); !slices.Equal(got, want) || !slices.Equal(tf, often) {
					t.Fatalf("seed %d: postings of %s are %v, %v times, want %v, %v times", seed, w, got, tf, want, often)
				}
			}
			kept(t, log, v, tip, files)
		}
	}
}

func count(msg, word string) (n int) {
	var a, b string
	fmt.Sscan(msg, &a, &b)
	for _, w := range []string{a, b} {
		if w == word {
			n++
		}
	}
	return n
}

// kept checks that a derived view comes back from its bytes, with the commits
// of each file, and with its ids moved to a tree that has one file more.
func kept(t *testing.T, log *Log, v *View, tip int, files map[string]int32) {
	t.Helper()
	n := len(files)
	v.Derive(n)
	v.Tables = Tables{Narrow: make([]uint32, n), Heat: make([]float64, n), HalfLife: 5}
	for f := range n {
		v.Tables.Heat[f] = float64(f) / 3
	}
	key := log.PastKey(commitID(tip), "tree")
	raw, err := v.Encode(key)
	if err != nil {
		t.Fatal(err)
	}
	for _, check := range []bool{true, false} {
		w, err := log.OpenPast(raw, key, n, check)
		if err != nil {
			t.Fatal(err)
		}
		to := make([]int32, n) // a new file 0
		for f := range to {
			to[f] = int32(f + 1)
		}
		m := w.Moved(to, n+1)
		if w.N != v.N || w.Terms != v.Terms || !slices.Equal(w.When, v.When) || !slices.Equal(w.Lens, v.Lens) || !slices.Equal(w.Size, v.Size) ||
			!slices.Equal(w.alive, v.alive) || !slices.Equal(w.Tables.Heat, v.Tables.Heat) || w.Tables.HalfLife != 5 {
			t.Fatal("the view does not come back")
		}
		byFile := make([][]uint32, n)
		for c := range v.When {
			if !slices.Equal(w.Files(int32(c)), v.Files(int32(c))) {
				t.Fatalf("files of commit %d", c)
			}
			for i, f := range v.Files(int32(c)) {
				byFile[f] = append(byFile[f], uint32(c))
				if m.Files(int32(c))[i] != f+1 {
					t.Fatalf("moved files of commit %d: %v", c, m.Files(int32(c)))
				}
			}
		}
		for f := range n {
			var got, gotMoved []uint32
			if b := w.Commits(int32(f)); b != nil {
				got = b.ToArray()
			}
			if b := m.Commits(int32(f + 1)); b != nil {
				gotMoved = b.ToArray()
			}
			if !slices.Equal(got, byFile[f]) || !slices.Equal(gotMoved, byFile[f]) {
				t.Fatalf("commits of file %d: %v, moved %v, want %v", f, got, gotMoved, byFile[f])
			}
			if m.Tables.Heat[f+1] != v.Tables.Heat[f] {
				t.Fatal("moved heat")
			}
		}
		if m.Commits(0) != nil || !w.Knows("a") && slices.ContainsFunc(log.parts, func(p *Part) bool { return p.paths > 0 && p.pathList()[0] == "a" }) || w.Knows("never") {
			t.Fatal("Knows, or a new file has commits")
		}
	}
	if _, err := log.OpenPast(raw, Key{1}, n, true); err == nil {
		t.Fatal("another key's view opened")
	}
	if _, err := log.OpenPast(raw, key, n+1, true); err == nil {
		t.Fatal("another tree's view opened")
	}
}

func TestDamagedParts(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	d := randomDAG(r, 30)
	raw, err := Build(slices.All(d.commits), len(d.commits), 0, func([20]byte) (int32, bool) { return 0, false })
	if err != nil {
		t.Fatal(err)
	}
	_, find := treeOf(d.trees[29])
	refused := 0
	for range 3000 {
		b := slices.Clone(raw)
		if r.IntN(3) == 0 {
			b = b[:r.IntN(len(b))]
		} else {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		if _, err := Open(b); err != nil {
			refused++
		}
		// Trusted bytes that are damaged all the same may answer wrongly, but
		// must not lead out of bounds.
		p, err := OpenTrusted(b)
		if err != nil {
			continue
		}
		if l, err := NewLog([]*Part{p}); err == nil {
			l.Postings("export", nil, nil)
			l.At(commitID(29), find, noise)
		}
	}
	if refused < 2900 { // what is left are bytes between sections
		t.Errorf("%d of 3000 damaged parts were refused", refused)
	}
}
