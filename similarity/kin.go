package similarity

import (
	"strings"

	"cohop/internal/index"
	"cohop/internal/text"
)

// A task and the name of a file call one thing by different forms: the task asks
// how values are serialized or what the thread pool does, the files are
// serializer.go and threadpool.c. The stemmer keeps agents apart from their
// verbs, and rightly so in bodies of text, where "reader" and "read" are two
// things; but who asks for the doing asks for the file named by the doer.

const (
	agentShare = 0.7 // of the verb's mass, for its agent, and the other way round
	// bm25Share is what a related form adds to the whole path's BM25, of the
	// idf: what one occurrence in a path of middling length gives.
	bm25Share = 0.5
	minVerb   = 4 // characters of a stem that an agent is made of: "us|er" and "oth|er" are none
)

// kin is what paths call by forms related to the task's words.
type kin struct {
	akin map[string]float64 // mass of a related term
	more map[int32]float64  // what it adds to the BM25 of a path that holds it
}

// relate looks up the related forms that stand in paths: words of the title
// written as one (or beside each other in a name of parts: json_object answers
// "JSON object" better than one that has the two apart), by their initials (in
// file and folder names alone, since two letters are as often an extension), and
// agents of its verbs.
func (m *PathMatch) relate(v *index.View, t *text.Task, role func(f int32) float64) {
	m.akin, m.more = map[string]float64{}, map[int32]float64{}
	var buf []index.Posting
	add := func(term string, mass, bm25 float64) {
		if mass == 0 || m.idf[term] > 0 || m.akin[term] >= mass {
			return // the task says it itself, or it is there already
		}
		buf = v.Postings(buf[:0], term, index.Path)
		if len(buf) > 0 {
			m.akin[term] = mass
		}
		for _, x := range buf {
			m.more[x.Doc] = max(m.more[x.Doc], bm25*min(1, role(x.Doc)))
		}
	}
	for _, j := range t.Joined {
		mass, idf := 0.0, 0.0
		for _, w := range j.Words {
			mass += m.idf[w]
			idf += m.scores.IDF[w]
		}
		if j.Short {
			idf = 0
		}
		add(j.Term, mass, bm25Share*idf)
	}
	for _, w := range t.All {
		if len(w.Term) < minVerb {
			continue
		}
		mass, idf := agentShare*m.idf[w.Term], agentShare*bm25Share*m.scores.IDF[w.Term]
		for _, end := range [...]string{"er", "or"} {
			add(w.Term+end, mass, idf)
			if verb, ok := strings.CutSuffix(w.Term, end); ok && len(verb) > minVerb {
				add(verb, mass, idf)
			}
		}
	}
}
