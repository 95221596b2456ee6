package rank

import (
	"math"
	"strings"

	"cohop/internal/config"
	"cohop/internal/index"
	"cohop/internal/text"
)

// Whether a repository is what a task is about is told by the evidence of the
// task's words in it: not by how many match, since a long question always
// matches some, and not by margins, which are widest on nonsense. The plain sum
// of their idf overlaps much: a rare word that stands in one test by chance
// ("moon") weighs most, and a word that the whole repository is about
// ("router") weighs nothing. So the sum is taken of how much the repository
// speaks of a word, ln(1+df)/ln(1+files), once over all files that hold it,
// once over those that name something by it and once over the messages of its
// history; against it stand the words that are missing; and the idf decides what share of the task is named at all.
// Their log-odds are fitted on real tasks against nonsense and questions about
// other things (rank calibrate --offtopic); the shipped figures stand in
// internal/config.

// evidenceWords bounds the words that are weighed: a ticket of a hundred words
// has been told from nonsense by its first sixty.
const evidenceWords = 64

// evidenceNames are the signs of evidence, keys of [abstain].
var evidenceNames = []string{
	"named",   // ln(1 + Σ ln(1+files that name the word)/ln(1+files)): source that defines it, or a path
	"held",    // the same over all files that hold the word
	"past",    // the same over the commits whose messages hold the word
	"missing", // ln(1 + words that neither a file nor a message holds)
	"share",   // idf of the named words ÷ idf of all, a missing one's being the greatest
}

// smallTree is the number of files below which a tree holds too few words to
// say by them what it is not about: there it is enough that it holds half of
// the task's. On trees of 22 to 63 files that answers one off-topic task in
// twelve, and none of a hundred of nonsense.
const smallTree = 64

// Evidence gives the signs that abstention is decided by, and whether they are
// asked at all: a task that mentions a file of the tree, names an identifier
// that it holds, or comes with seeds is answered without them, and so is one
// of which a small tree holds half the words.
func (q *Query) Evidence() (s Signs, asked bool) {
	v := q.eng.st.View
	n := float64(v.Files())
	norm := math.Log1p(math.Max(1, n))
	var sp text.Splitter
	var known, named, held, past, missing, idfNamed, idfAll float64
	for _, w := range q.task.Words[:min(evidenceWords, len(q.task.Words))] {
		best, idf, said := "", 0.0, 0.0
		sp.Each([]byte(w), func(t []byte, _ bool) {
			if x := q.scores.IDF[string(t)]; x > idf {
				best, idf = string(t), x
			}
			said = math.Max(said, q.said(string(t)))
		})
		past += said
		if best == "" {
			if n := q.evidence.parts[w]; n > 0 {
				k := math.Log1p(float64(n)) / norm
				known++
				held += k
				named += k
				idfAll += q.scores.MaxIDF
				idfNamed += partsShare * q.scores.MaxIDF
				continue
			}
			if said == 0 {
				missing++
				idfAll += q.scores.MaxIDF
			}
			continue
		}
		known++
		idfAll += idf
		held += math.Log1p(filesOf(idf, n)) / norm
		if k := q.namers(best); k > 0 {
			named += math.Log1p(float64(k)) / norm
			idfNamed += idf
		}
	}
	if len(q.task.Words) == 0 {
		missing = 1 // a prompt without content
	}
	s.Names = evidenceNames
	s.Values = []float64{round(math.Log1p(named)), round(math.Log1p(held)), round(math.Log1p(past)), round(math.Log1p(missing)), round(idfNamed / math.Max(idfAll, 1e-9))}
	half := n < smallTree && known > 0 && known >= missing
	return s, !half && !q.pointed()
}

// partsShare is what a name that the tree does not hold counts as named, where
// one file is named by all its parts.
const partsShare = 0.5

// holdParts counts the files that are or name something by every part of a word
// that the task writes as an identifier of several ("VitestProject"): a name
// that was changed since, or that the asker remembers half, is still about
// them.
func (q *Query) holdParts(w string) int {
	v := q.eng.st.View
	for i := range q.task.Idents {
		d := &q.task.Idents[i]
		if !d.Code || strings.ToLower(d.Name) != w {
			continue
		}
		var parts []string
		var sp text.Splitter
		sp.Each([]byte(d.Name), func(t []byte, whole bool) {
			if !whole {
				parts = append(parts, string(t))
			}
		})
		if len(parts) < 2 {
			continue
		}
		var files map[int32]bool // that have all parts so far
		for k, t := range parts {
			in := map[int32]bool{}
			for _, field := range [...]index.Field{index.Names, index.Path} {
				for _, x := range v.Postings(nil, t, field) {
					if k == 0 || files[x.Doc] {
						in[x.Doc] = true
					}
				}
			}
			files = in
		}
		return len(files)
	}
	return 0
}

// filesOf undoes the idf of BM25: idf = ln(1 + (n − df + ½)/(df + ½)).
func filesOf(idf, n float64) float64 {
	r := math.Expm1(idf)
	return math.Max(0, (n+0.5-r/2)/(1+r))
}

// namers counts the files that name something by a term: source that defines
// it, or any file whose path holds it.
func (q *Query) namers(term string) int {
	v := q.eng.st.View
	k := 0
	for _, x := range v.Postings(nil, term, index.Names) {
		if int(x.Doc) < len(q.eng.roles) && q.eng.roles[x.Doc] == "source" {
			k++
		}
	}
	return k + len(v.Postings(nil, term, index.Path))
}

// said tells how much the history speaks of a term, in [0, 1].
func (q *Query) said(term string) float64 {
	h := q.eng.st.History
	if h == nil || h.N == 0 {
		return 0
	}
	k, ok := q.spoken[term]
	if !ok {
		commits, _ := h.Log.Postings(term, nil, nil)
		for _, c := range commits {
			if h.Alive(c) {
				k++
			}
		}
	}
	return math.Log1p(float64(k)) / math.Log1p(float64(h.N))
}

// pointed tells whether the task says itself what it is about.
func (q *Query) pointed() bool {
	if len(q.req.Seeds) > 0 {
		return true
	}
	for i := range q.task.Idents {
		if d := &q.task.Idents[i]; d.Code && q.scores.IDF[stemOf(d.Key)] > 0 {
			return true
		}
	}
	for i := range q.Columns {
		if q.Columns[i].ID != "mention" {
			continue
		}
		for _, x := range q.Columns[i].Raw {
			if x > 0 {
				return true
			}
		}
	}
	return false
}

// stemOf is the term that an identifier as a whole is indexed by.
func stemOf(key string) string {
	out := ""
	var sp text.Splitter
	sp.Each([]byte(key), func(t []byte, _ bool) { out = string(t) })
	return out
}

// abstains decides whether the task is about the repository at all.
func (q *Query) abstains() bool {
	if len(q.req.Seeds) > 0 {
		return false
	}
	if q.evidence.sum == 0 {
		return true
	}
	s, asked := q.Evidence()
	return asked && logOdds(&q.cfg.Abstain, s.Values) < 0
}

func logOdds(c *config.Abstain, v []float64) float64 {
	return c.Bias + float64(c.Named*v[0]) + float64(c.Held*v[1]) + float64(c.Past*v[2]) + float64(c.Missing*v[3]) + float64(c.Share*v[4])
}
