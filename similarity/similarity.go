// Package similarity scores files by their text: BM25F over a file's fields,
// BM25 over its chunks, the zones of a task apart, the place where an
// identifier is defined, the words of a path, mentions and rare literals.
//
// BM25F (Robertson, Zaragoza 2009) adds the weighted frequencies of all fields
// before it saturates them:
//
//	tf'(t,f) = Σ_field w_field · tf / (1 − b + b · len_field / avg_field)
//	score(f) = Σ_t qw(t) · idf(t) · tf' / (k1 + tf')
//	idf(t)   = ln(1 + (N − df + ½) / (df + ½))
//	qw(t)    = (k+1) · n / (k + n), n occurrences in the task
//
// df counts the files that hold t in any field. Chunks have the body alone,
// with idf over files, so that a chunk is not worth more for standing in a
// long file.
package similarity

import (
	"math"

	"cohop/internal/index"
	"cohop/internal/text"
)

// Params are the constants of scoring.
type Params struct {
	K1, B           float64
	ChunkK1, ChunkB float64
	QueryK          float64
	Weight          [index.NumFields]float64
	PlainWord       float64 // what a plain lower-case word counts as a defined identifier
}

// Scores are what the text columns say of all files and chunks of a view.
type Scores struct {
	File  []float64 // BM25F of the whole task, by file
	Title []float64 // of its first line
	Path  []float64 // BM25 over the path alone, by file
	Chunk []float64 // BM25 of the whole task, by chunk
	// ChunkCode is that of the code-like words alone.
	ChunkCode []float64

	IDF    map[string]float64 // of the task's terms; a term that no file holds has none
	MaxIDF float64            // of a term in one file
	Mass   float64            // Σ qw · idf of the terms it holds: the most that Path can be
}

// zone weights of one term.
type queryTerm struct {
	term             string
	all, title, code float64
}

func terms(t *text.Task, k float64) []queryTerm {
	sat := func(n int) float64 { return (k + 1) * float64(n) / (k + float64(n)) }
	out := make([]queryTerm, len(t.All))
	at := make(map[string]int, len(t.All))
	for i, w := range t.All {
		out[i] = queryTerm{term: w.Term, all: sat(w.N)}
		at[w.Term] = i
	}
	for _, w := range t.Title {
		out[at[w.Term]].title = sat(w.N)
	}
	for _, w := range t.Code {
		out[at[w.Term]].code = sat(w.N)
	}
	return out
}

// Score scores all files and chunks for a task.
func Score(v *index.View, t *text.Task, p Params) *Scores {
	n, c := int(v.Files()), int(v.Chunks())
	slab := make([]float64, 4*n+2*c)
	cut := func(k int) (s []float64) { s, slab = slab[:k:k], slab[k:]; return s }
	s := &Scores{File: cut(n), Title: cut(n), Path: cut(n), IDF: make(map[string]float64, len(t.All))}
	tf := cut(n)
	s.Chunk, s.ChunkCode = cut(c), cut(c)
	s.MaxIDF = idf(n, 1)
	chunkFile, chunkNorm := chunkTables(v, p)
	norms := fieldNorms(v, p)
	var buf []index.Posting
	touched := make([]int32, 0, n)
	for _, q := range terms(t, p.QueryK) {
		touched = touched[:0]
		body := v.Postings(buf[:0], q.term, index.Body)
		for _, x := range body {
			f := chunkFile[x.Doc]
			if tf[f] == 0 {
				touched = append(touched, f)
			}
			tf[f] += float64(x.TF)
		}
		// The body counts as one field: its norm applies to the sum of chunks.
		for _, f := range touched {
			tf[f] *= p.Weight[index.Body] * norms[index.Body].of(v.Len(f, index.Body))
		}
		buf = body
		rest := buf[len(body):]
		for field := index.Names; field < index.NumFields; field++ {
			rest = v.Postings(rest[:0], q.term, field)
			for _, x := range rest {
				if tf[x.Doc] == 0 {
					touched = append(touched, x.Doc)
				}
				tf[x.Doc] += p.Weight[field] * float64(x.TF) * norms[field].of(v.Len(x.Doc, field))
			}
		}
		if len(touched) == 0 {
			continue
		}
		w := idf(n, len(touched))
		s.IDF[q.term] = w
		s.Mass += q.all * w
		for _, f := range touched {
			gain := w * tf[f] / (p.K1 + tf[f])
			s.File[f] += q.all * gain
			s.Title[f] += q.title * gain
			tf[f] = 0
		}
		for _, x := range body {
			f := float64(x.TF)
			gain := w * f / (f + chunkNorm[x.Doc])
			s.Chunk[x.Doc] += q.all * gain
			s.ChunkCode[x.Doc] += q.code * gain
		}
		for _, x := range rest { // the last field is the path
			f := float64(x.TF) * norms[index.Path].of(v.Len(x.Doc, index.Path))
			s.Path[x.Doc] += q.all * w * f / (1 + f)
		}
	}
	return s
}

func idf(n, df int) float64 {
	return math.Log(1 + (float64(n-df)+0.5)/(float64(df)+0.5))
}

// norm is 1 / (1 − b + b · len/avg) of a field.
type norm struct{ b, perTerm float64 }

func (n norm) of(length int32) float64 { return 1 / (1 - n.b + n.perTerm*float64(length)) }

func fieldNorms(v *index.View, p Params) (out [index.NumFields]norm) {
	for f := range out {
		avg := float64(v.TotalLen(index.Field(f))) / math.Max(1, float64(v.Files()))
		out[f] = norm{b: p.B}
		if avg > 0 {
			out[f].perTerm = p.B / avg
		} else {
			out[f].b = 0
		}
	}
	return out
}

// chunkTables gives each chunk's file and k1 · (1 − b + b · len/avg).
func chunkTables(v *index.View, p Params) (file []int32, norm []float64) {
	n := v.Chunks()
	file, norm = make([]int32, n), make([]float64, n)
	avg := math.Max(1, float64(v.TotalLen(index.Body))/math.Max(1, float64(n)))
	for f := range v.Files() {
		for c := v.FirstChunk(f); c < v.FirstChunk(f+1); c++ {
			file[c] = f
		}
	}
	for c := range n {
		norm[c] = p.ChunkK1 * (1 - p.ChunkB + p.ChunkB*float64(v.ChunkLen(c))/avg)
	}
	return file, norm
}
