package rank

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"cohop/adaptive"
	"cohop/fuse"
	"cohop/internal/config"
)

// fused is the pool after fusion.
type fused struct {
	score    []float64
	parts, z [][]float64 // by column
	promoted []bool
	order    []int // pool indexes, best first
	place    []int // pool index → place in order
}

// fuse joins the columns, then promotes the holders of rare literals.
func (q *Query) fuse() *fused {
	f := &fused{}
	if q.method() == "rrf" {
		f.score, f.parts = fuse.RRF(q.Columns, q.cfg.Fusion.RRFK)
		_, _, f.z = fuse.Sum(q.Columns, q.cfg.Fusion.Clip)
	} else {
		f.score, f.parts, f.z = fuse.Sum(q.Columns, q.cfg.Fusion.Clip)
	}
	if len(f.score) == 0 {
		f.score = make([]float64, len(q.pool))
	}
	f.promoted, f.score = q.promote(f.score)
	f.order = fuse.Order(f.score, func(i, j int) bool { return i < j })
	f.place = make([]int, len(f.order))
	for k, i := range f.order {
		f.place[i] = k
	}
	return f
}

// promotable tells whether a rare literal may lift a file: in a test, a
// document or a copy it is talked about, not decided.
func (q *Query) promotable(f int32) bool { return q.standing(f) > 0.5 }

// promote lifts files that hold a literal of the task that few others hold.
func (q *Query) promote(score []float64) ([]bool, []float64) {
	promoted := make([]bool, len(q.pool))
	strength := make([]float64, len(q.pool))
	any := false
	for _, l := range q.literals {
		if !distinctive(l.Text) {
			continue
		}
		for _, f := range l.Files {
			i, ok := slices.BinarySearch(q.pool, f)
			if !ok || !q.promotable(f) {
				continue
			}
			promoted[i], any = true, true
			strength[i] += 1 / float64(len(l.Files))
		}
	}
	if !any {
		return promoted, score
	}
	return promoted, fuse.Promote(score, promoted, strength)
}

// distinctive literals are more than one plain word or a plain number: those
// say where a thing is talked about, not where it is.
func distinctive(s string) bool {
	letters, other := 0, 0
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			letters++
		} else if c < '0' || c > '9' {
			other++
		}
	}
	return letters >= 2 && other > 0
}

// Result fuses, ranks, and packs the answer into a budget of tokens (0: the
// configuration's). It may be called for several budgets.
func (q *Query) Result(budget int) (*Result, error) {
	if budget == 0 {
		budget = q.cfg.Pack.Budget
	}
	e := q.eng
	v := e.st.View
	f := q.fuse()
	r := &Result{Schema: Schema, Task: q.req.Task, Repo: e.st.Git.Name(), Dirty: e.st.Snapshot.Dirty,
		Files: []File{}, Pack: []Item{}, LeftOut: []LeftOut{}}
	if !e.st.Snapshot.Commit.IsZero() {
		r.Rev = e.st.Snapshot.Commit.String()
	}
	r.Header = Header{Budget: budget, Pool: len(q.pool), Files: int(v.Files()), Chunks: int(v.Chunks()), Intent: Ask,
		Missing: []string{}, Warnings: append(slices.Clone(e.st.Warnings), q.warnings...)}
	if q.Intent >= 0.5 {
		r.Header.Intent = Change
	}
	if r.Header.Warnings == nil {
		r.Header.Warnings = []string{}
	}
	r.Header.Missing = append(r.Header.Missing, q.evidence.missing...)
	r.Header.Nearest = q.evidence.nearest
	// What a filter lets through may hold nothing where the repository does.
	if len(q.pool) == 0 || q.abstains() && !q.remembers() {
		if budget < 1 {
			return nil, &UsageError{fmt.Sprintf("a budget of %d tokens holds nothing: give at least 1", budget)}
		}
		r.Header.Abstained = true
		r.Header.Pool = 0
		return r, nil
	}
	d := q.distribute(r, f)
	// The files are described while the pack is read and counted.
	r.Files = make([]File, q.req.files(len(f.order)))
	described := make(chan struct{})
	go func() {
		defer close(described)
		for k, i := range f.order[:len(r.Files)] {
			r.Files[k] = q.file(f, k, i)
		}
	}()
	r.Header.NEff = round(d.dist.NEff())
	r.Header.K, r.Header.Epsilon = len(d.nucleus.Index), round(d.nucleus.Epsilon)
	c, plan, err := q.fill(r, f, d, budget)
	<-described
	if err != nil {
		return nil, err
	}
	q.account(r, f, d, c, plan)
	q.confide(r, f, d)
	return r, nil
}

// round keeps six digits: what follows is noise, and differs between machines
// that fuse multiplications and those that do not.
func round(x float64) float64 {
	if math.Abs(x) < 1e-300 || math.IsInf(x, 0) || math.IsNaN(x) { // below, m is infinite
		return 0
	}
	m := math.Pow(10, 6-math.Ceil(math.Log10(math.Abs(x))))
	return math.Round(x*m) / m
}

// file describes the pool's file i at place k.
func (q *Query) file(f *fused, k, i int) File {
	e := q.eng
	id := q.pool[i]
	out := File{Path: q.Paths[i], Rank: k + 1, Score: round(f.score[i]), Language: e.langs[id], Role: e.roles[id],
		Promoted: f.promoted[i], Signals: map[string]Signal{}}
	out.Path, out.PathB64 = safePath(out.Path)
	for c := range q.Columns {
		s := Signal{Raw: round(q.Columns[c].Raw[i]), Z: round(f.z[c][i]), Part: round(f.parts[c][i])}
		out.Signals[q.Columns[c].ID] = s
		if g := config.Group(q.Columns[c].ID); g != q.Columns[c].ID {
			sum := out.Signals[g]
			out.Signals[g] = Signal{Raw: round(sum.Raw + s.Raw), Z: round(sum.Z + s.Z), Part: round(sum.Part + s.Part)}
		}
	}
	out.Reason = q.reason(f, i)
	return out
}

// safePath returns a path as valid UTF-8, and its bytes in base64 if they are
// not.
func safePath(p string) (path, b64 string) {
	if utf8.ValidString(p) {
		return p, ""
	}
	return strings.ToValidUTF8(p, "\ufffd"), base64.StdEncoding.EncodeToString([]byte(p))
}

// spread is the distribution over chunks.
type spread struct {
	chunks  []int32 // of the pool, ascending
	file    []int32 // pool index of each
	dist    adaptive.Dist
	order   []int // of dist
	nucleus adaptive.Nucleus
}

// distribute scores the pool's chunks, s = fused score of the file + weight ·
// z of the chunk's own evidence, and turns them into a distribution over all
// chunks of the tree.
func (q *Query) distribute(r *Result, f *fused) *spread {
	s := q.chunkScores(f)
	d := &spread{}
	d.chunks, d.file = s.chunks, s.file
	std := q.blend(r, f, &s, adaptive.Standardize(s.score, int(q.eng.st.View.Chunks())))
	d.dist = std.Softmax(q.cfg.Adaptive.Tau)
	d.order = d.dist.Order()
	d.nucleus = d.dist.NucleusOf(d.order, q.cfg.Adaptive.P, q.cfg.Adaptive.KMin)
	return d
}

type chunkScore struct {
	chunks, file []int32
	score        []float64
}

func (q *Query) chunkScores(f *fused) chunkScore {
	v := q.eng.st.View
	var s chunkScore
	var own []float64
	defined := q.definingChunks()
	for i, file := range q.pool {
		for c := v.FirstChunk(file); c < v.FirstChunk(file+1); c++ {
			s.chunks, s.file = append(s.chunks, c), append(s.file, int32(i))
			own = append(own, q.scores.Chunk[c]*(1+defined[c]))
		}
	}
	z := fuse.Z(own, q.cfg.Fusion.Clip)
	s.score = make([]float64, len(z))
	for i := range z {
		s.score[i] = f.score[s.file[i]] + q.cfg.Adaptive.ChunkWeight*z[i]
	}
	return s
}

// maxDefined is how many definitions a name may have before its chunks are worth
// no more for it: "init" and the like stand everywhere.
const maxDefined = 50

// definingChunks marks the chunks in which an identifier of the task is
// defined rather than mentioned: 1 for a code-like identifier, less for a
// plain word.
func (q *Query) definingChunks() map[int32]float64 {
	out := map[int32]float64{}
	if !q.on("definition") {
		return out
	}
	v := q.eng.st.View
	mark := func(key string, w float64) {
		ids := v.Definers(key)
		if len(ids) > maxDefined {
			return
		}
		for _, id := range ids {
			s := v.Symbol(id)
			if _, ok := slices.BinarySearch(q.pool, s.File); !ok {
				continue
			}
			lo, hi := v.FirstChunk(s.File), v.FirstChunk(s.File+1)
			for c := lo; c < hi; c++ {
				if ch := v.Chunk(c); ch.Start <= s.Start && s.Start <= ch.End {
					out[c] = math.Max(out[c], w)
					break
				}
			}
		}
	}
	for i := range q.task.Idents {
		d := &q.task.Idents[i]
		w := 1.0
		if !d.Code && len(q.task.Words) > 1 {
			w = q.cfg.Text.PlainWord
		}
		mark(d.Key, w)
	}
	for _, p := range q.task.Phrases {
		mark(p, q.cfg.Text.PlainWord)
	}
	return out
}
