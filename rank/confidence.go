package rank

import (
	"math"

	"cohop/adaptive"
	"cohop/confidence"
	"cohop/internal/config"
)

// Signs are what an answer shows of its own quality before anybody knows the
// right one: the header's figures, how far the first files stand out, how many
// columns agree on the first, and what the repository knows of the task's
// words. The confidence model is fitted on them (package confidence), so their
// names are keys of [confidence] in a configuration. Logarithms are natural.
type Signs struct {
	Names  []string
	Values []float64
}

// signNames stands in the order in which signs fills them.
var signNames = []string{
	"n_eff",        // ln N_eff
	"epsilon",      // mass outside the nucleus
	"unpacked",     // mass outside the pack
	"body_mass",    // mass of the files that are packed as a body, of the pool's
	"margin1",      // first fused score less the second, in deviations of the pool
	"margin5",      // less the sixth
	"agree",        // share of the columns of evidence that rank the first file among their first three
	"precedent",    // z of the past's vote for the first file
	"definition",   // z of what the first file defines of the task
	"promoted",     // 1 when a rare literal promotes the first file
	"missing",      // share of the task's words that the repository does not hold
	"words",        // ln(1 + words of the task)
	"intent",       // probability that a change is asked for
	"change_words", // the last two multiplied: a long ticket is about one fault, a short one about a sweep
	"budget",       // ln of the budget in tokens
}

// signs takes the signs of an answer that is packed.
func (q *Query) signs(r *Result, f *fused, d *spread) Signs {
	s := Signs{Names: signNames}
	put := func(v float64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			v = 0
		}
		s.Values = append(s.Values, round(v))
	}
	h := &r.Header
	put(math.Log(math.Max(1, h.NEff)))
	put(h.Epsilon)
	put(h.Unpacked)
	body := map[string]bool{}
	for i := range r.Pack {
		if r.Pack[i].Tier == TierBody {
			body[r.Pack[i].Path] = true
		}
	}
	mass := make([]float64, len(q.pool))
	all, in := 0.0, 0.0
	for i, w := range d.dist.W {
		mass[d.file[i]] += w
	}
	for i, w := range mass {
		all += w
		if p, _ := safePath(q.Paths[i]); body[p] {
			in += w
		}
	}
	put(in / math.Max(all, 1e-12))

	mean, sd := 0.0, 0.0
	for _, x := range f.score {
		mean += x / float64(len(f.score))
	}
	for _, x := range f.score {
		sd += (x - mean) * (x - mean) / float64(len(f.score))
	}
	sd = math.Sqrt(sd)
	at := func(k int) float64 {
		if k >= len(f.order) || sd == 0 {
			return 0
		}
		return (f.score[f.order[k]] - mean) / sd
	}
	put(at(0) - at(1))
	put(at(0) - at(5))
	agree, z := q.agreement(f)
	put(agree)
	put(z["precedent"])
	put(z["definition"])
	promoted := 0.0
	if len(f.order) > 0 && f.promoted[f.order[0]] {
		promoted = 1
	}
	put(promoted)
	put(float64(len(q.evidence.missing)) / math.Max(1, float64(len(q.task.Words))))
	words := math.Log1p(float64(q.task.Shape.Words))
	put(words)
	put(q.Intent)
	put(q.Intent * words)
	put(math.Log(math.Max(1, float64(h.Budget))))
	return s
}

// agreeFirst is how far up a column must rank the first file to agree with it.
const agreeFirst = 3

// agreement tells which share of the columns of evidence agrees on the first
// file, and its z in each.
func (q *Query) agreement(f *fused) (share float64, z map[string]float64) {
	z = map[string]float64{}
	if len(f.order) == 0 {
		return 0, z
	}
	top := f.order[0]
	columns := 0.0
	for c := range q.Columns {
		col := &q.Columns[c]
		z[col.ID] = f.z[c][top]
		if config.Group(col.ID) == "priors" {
			continue
		}
		columns++
		if col.Ranked != nil && !col.Ranked[top] {
			continue // the column says nothing of it
		}
		better := 0
		for _, x := range col.Raw {
			if x > col.Raw[top] {
				better++
			}
		}
		if better < agreeFirst {
			share++
		}
	}
	if columns == 0 {
		return 0, z
	}
	return share / columns, z
}

// confide writes the confidence of a packed answer. It was fitted on answers
// from all that a repository holds, and what was not read shows in no sign: an
// incomplete answer has none.
func (q *Query) confide(r *Result, f *fused, d *spread) {
	r.signs = q.signs(r, f, d)
	c := q.cfg.Confidence
	if len(c) == 0 || q.eng.st.Incomplete() {
		return
	}
	m := confidence.Model{Bias: c[confidence.BiasKey], Weights: c}
	p := round(m.P(r.signs.Names, r.signs.Values))
	r.Header.Confidence = &p
}

// Signs gives the signs of an answer; none if it abstained.
func (r *Result) Signs() Signs { return r.signs }

// ChunkScores are the scores that the softmax is taken of, before τ.
func (q *Query) ChunkScores() adaptive.Scores {
	s := q.chunkScores(q.fuse())
	return adaptive.Standardize(s.score, int(q.eng.st.View.Chunks()))
}
