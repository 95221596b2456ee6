package similarity

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"cohop/internal/index"
	"cohop/internal/text"
)

func sortedKeys[V any](m map[int32]V) []int32 {
	out := make([]int32, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// deferring stems say nothing of their own: their folder speaks for them.
var deferring = map[string]bool{"mod": true, "index": true, "__init__": true, "main": true, "lib": true, "init": true, "package": true}

const (
	dirShare  = 0.35 // what a match in the folder counts beside one in the stem
	nameShare = 0.2  // what stem and folder count beside the whole path's BM25
)

// PathMatch is the path column: BM25 over all terms of a path as a share of what
// the task's terms could score, plus a part for its name: the share of the
// task's idf mass that the stem matches, times how much of the stem is matched
// (geometric mean), plus a part of the same for its folder. What a name calls by
// another form of the title's words (kin.go) matches too.
type PathMatch struct {
	scores *Scores
	idf    map[string]float64 // of a term, times how much the task says it
	mass   float64            // their sum
	sp     text.Splitter
	memo   map[string]float64 // share, by name
	kin                       // what else names call the task's words
}

// NewPathMatch prepares the column for a task's scores; role is the standing of
// a file, by which related forms count.
func NewPathMatch(v *index.View, t *text.Task, s *Scores, role func(f int32) float64) *PathMatch {
	m := &PathMatch{scores: s, idf: map[string]float64{}, memo: map[string]float64{}}
	// A long task's words are weighed by how often it says them, and its title
	// speaks thrice, so that one passing word does not pick a file.
	title := map[string]bool{}
	for _, w := range t.Title {
		title[w.Term] = true
	}
	for _, w := range t.All {
		x := s.IDF[w.Term]
		if x == 0 {
			continue
		}
		g := x * (1 + math.Log(float64(w.N)))
		if title[w.Term] {
			g *= 3
		}
		m.idf[w.Term] = g
		m.mass += g
	}
	m.relate(v, t, role)
	return m
}

// Of returns the column for file f of path p.
func (m *PathMatch) Of(f int32, p string) float64 {
	more, akin := m.more[f]
	if m.mass == 0 || m.scores.Path[f] == 0 && !akin {
		return 0 // no term of the path is the task's
	}
	return (m.scores.Path[f]+more)/m.scores.Mass + nameShare*m.name(p)
}

func (m *PathMatch) name(p string) float64 {
	dir, base := path.Split(p)
	stem, _, _ := strings.Cut(strings.TrimLeft(base, "."), ".")
	d := m.share(path.Base(strings.TrimSuffix(dir, "/")))
	if deferring[strings.ToLower(stem)] {
		return d
	}
	return m.share(stem) + dirShare*d
}

func (m *PathMatch) share(name string) float64 {
	if v, ok := m.memo[name]; ok {
		return v
	}
	var hit, all float64
	n := 0
	whole := 0.0
	m.sp.Each([]byte(name), func(t []byte, w bool) {
		g := m.idf[string(t)]
		if g == 0 {
			g = m.akin[string(t)]
		}
		if w {
			whole = g
			return
		}
		n++
		if g > 0 {
			hit += g
			all++
		}
	})
	if whole > hit {
		hit, all = whole, float64(n)
	}
	v := 0.0
	if n > 0 && hit > 0 {
		v = math.Sqrt(hit / m.mass * (all / float64(n)))
	}
	m.memo[name] = v
	return v
}

// Mentions is the mention column: what the task names by path, module path or
// stack frame. A mention's weight is shared by the files that it fits.
func Mentions(v *index.View, t *text.Task) map[int32]float64 {
	out := map[int32]float64{}
	if len(t.Mentions) == 0 {
		return out
	}
	bases := map[string][]int32{} // base name and stem → files
	want := map[string]bool{}
	for _, m := range t.Mentions {
		want[path.Base(m.Path)] = true
		want[path.Base(path.Dir(m.Path))] = true
	}
	for f := range v.Files() {
		p := v.Path(f)
		base := path.Base(p)
		if want[base] {
			bases[base] = append(bases[base], f)
		}
		stem := strings.TrimSuffix(base, path.Ext(base))
		if stem != base && want[stem] {
			bases[stem] = append(bases[stem], f)
		}
		if deferring[stem] { // a/b/__init__.py is a/b
			if dir := path.Base(path.Dir(p)); want[dir] && dir != stem {
				bases[dir] = append(bases[dir], f)
			}
		}
	}
	last := -1 // the innermost frame that stands in the tree
	for i, m := range t.Mentions {
		hits := resolveMention(v, m, bases)
		if len(hits) > 0 && m.Frame {
			last = i
		}
		addMention(hits, mentionWeight(m), out)
	}
	if last >= 0 {
		addMention(resolveMention(v, t.Mentions[last], bases), lastFrameWeight-frameWeight, out)
	}
	return out
}

func mentionWeight(m text.Mention) float64 {
	switch {
	case m.Frame:
		return frameWeight
	case m.Module && m.Fenced:
		return fencedModule
	case m.Module:
		return proseModule
	}
	return 1
}

// certainty is how much a mention of so many parts of a path is to be trusted:
// "conf.py" may be any, and as often the reporter's own.
var certainty = [...]float64{0, 0.3, 0.8, 1}

// mentioned is a file that a mention fits, and how many parts of its path.
type mentioned struct {
	file  int32
	parts int
}

// addMention shares a mention's weight among the files that it fits.
func addMention(hits []mentioned, w float64, out map[int32]float64) {
	for _, h := range hits {
		out[h.file] += w / float64(len(hits)) * certainty[min(h.parts, len(certainty)-1)]
	}
}

// What a mention is worth by how it came: a path that somebody wrote out is
// meant; a frame tells where it broke, not where it must be mended, but the
// innermost one in the tree comes near; an import in a code fence says what the
// example needs.
const (
	frameWeight     = 0.5
	lastFrameWeight = 1.0
	fencedModule    = 0.2
	proseModule     = 0.7
)

// resolveMention finds the files that fit a mention best, none if they are
// many.
func resolveMention(v *index.View, m text.Mention, bases map[string][]int32) []mentioned {
	try := func(want string, least int) (hits []mentioned) {
		most := 0
		for _, f := range bases[path.Base(want)] {
			n := commonTail(v.Path(f), want)
			if n < least {
				continue
			}
			if n > most {
				most, hits = n, hits[:0]
			}
			if n == most {
				hits = append(hits, mentioned{f, n})
			}
		}
		return hits
	}
	parts := strings.Count(m.Path, "/") + 1
	least := 1
	if m.Module {
		least = 2 // one common name proves nothing: "self.client" is not client.py
	}
	hits := try(m.Path, min(least, parts))
	if len(hits) == 0 && m.Module && parts > 2 { // a.b.Class: the module is a.b
		hits = try(path.Dir(m.Path), 2)
	}
	if len(hits) > maxMentioned {
		return nil
	}
	return hits
}

// maxMentioned is how many files a mention may fit before it says nothing.
const maxMentioned = 20

// commonTail counts the equal last parts of a file's path and a mention's; the
// file's extension, or its "/__init__.py", may be missing from the mention.
func commonTail(file, want string) int {
	n := tail(file, want)
	ext := path.Ext(file)
	stem := strings.TrimSuffix(file, ext)
	n = max(n, tail(stem, want))
	if deferring[path.Base(stem)] {
		n = max(n, tail(path.Dir(file), want))
	}
	return n
}

func tail(a, b string) int {
	n := 0
	for {
		i, j := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		if a[i+1:] != b[j+1:] || a[i+1:] == "" {
			return n
		}
		n++
		if i < 0 || j < 0 {
			return n
		}
		a, b = a[:i], b[:j]
	}
}

// Literal is one literal of the task that few files hold.
type Literal struct {
	Text  string
	Files []int32
}

// Literals returns the literals of the task that stand in at least one and at
// most most files, the rarest first. The index knows what stands between
// quotes; the same text elsewhere counts too, so a literal is rare only if no
// more files hold all its words. A route or a flag is told from its words by
// its marks, and counts as rare by its quoted places alone.
func Literals(v *index.View, t *text.Task, most int) (out []Literal) {
	for _, l := range t.Literals {
		files := v.Literal(text.LiteralHash(l.Text))
		if len(files) == 0 || len(files) > most {
			continue
		}
		marked := strings.HasPrefix(l.Text, "/") || strings.HasPrefix(l.Text, "--")
		if marked && l.Fenced || !marked && holders(v, l.Text, most+1) > most {
			continue
		}
		out = append(out, Literal{l.Text, files})
	}
	slices.SortStableFunc(out, func(a, b Literal) int { return cmp.Compare(len(a.Files), len(b.Files)) })
	return out
}

// holders counts the files that hold all terms of a text, up to limit.
func holders(v *index.View, s string, limit int) int {
	var in map[int32]bool
	var buf []index.Posting
	for _, t := range text.Terms(s) {
		buf = v.Postings(buf[:0], t, index.Body)
		now := map[int32]bool{}
		for _, p := range buf {
			if f := v.ChunkFile(p.Doc); in == nil || in[f] {
				now[f] = true
			}
		}
		in = now
		if len(in) < limit {
			break // more terms only make it rarer
		}
	}
	return len(in)
}
