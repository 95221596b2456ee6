// Package precedent lets earlier commits whose messages resemble the task vote
// for the files they touched.
//
// Messages are documents, and the task's weighted terms are ranked against
// them by BM25 (Robertson, Zaragoza 2009):
//
//	score(c) = Σ_t weight(t) · idf(t) · tf·(k1+1) / (tf + k1·(1 − b + b·len/avg))
//	idf(t)   = ln(1 + (N − df + ½)/(df + ½))
//
// The best [Top] commits vote score^a · 2^(−age/half-life) / √files for each
// file they touched: a commit that touched one file says more about it than
// one that touched many. (Related to history-based bug localisation, such as
// Wang, Lo, ICPC 2014; constants are our own, and the outcome is insensitive
// to them: top 30–300, a 1–4 and half-lives of 2–50 years are alike.)
//
// Only commits that exist at the ranked revision take part: N, df and the
// average length count those alone, so nothing later leaks into a score.
//
// Limits: a history whose messages say nothing ("wip", "fix") votes for
// nothing in particular. Terms must be split on both sides by the same code;
// internal/text does it.
package precedent

import (
	"cmp"
	"math"
	"slices"
)

const (
	// Top is how many commits vote.
	Top = 100

	// Exponent a makes a close match count more than several loose ones.
	Exponent = 2.0

	// HalfLife is ten years in seconds: what a message says about a file
	// stays true for long, and files that are gone have no vote anyway.
	HalfLife = 10 * 365.25 * 24 * 3600.0

	// K1 and B are BM25's usual ones. Messages vary in length as prose does.
	K1, B = 1.2, 0.75
)

// History is what the package must know about the commits 0 ≤ c < Len().
// Implementations must be safe for concurrent use. The append style lets them
// decode from disk into a caller's memory.
type History interface {
	Len() int

	// Postings appends the commits whose message holds the term, each once,
	// and how often each does. Commits from Len() on are passed over.
	Postings(term string, commits, tf []int32) (c, f []int32)

	// Lengths returns the number of terms of each message, Len() of them. It is
	// not written to.
	Lengths() []int32

	// When returns the time in seconds.
	When(c int32) int64

	// Touched appends the files of today's tree that the commit touched, as
	// dense ids, each once, and says how many it touched in all, including
	// those that are no more.
	Touched(c int32, files []int32) ([]int32, int)
}

// Term is one term of a task.
type Term struct {
	Text   string
	Weight float64 // 1 is usual; 0 or less is skipped
}

// Options are the constants of a query; zero fields take the package's.
type Options struct {
	Now      int64 // seconds; ages count from here, later commits are of age 0
	Top      int
	Exponent float64
	HalfLife float64 // seconds
	MaxFiles int     // commits that touched more do not vote; 0: no limit
}

func (o *Options) resolve() {
	if o.Exponent <= 0 {
		o.Exponent = Exponent
	}
	if o.HalfLife <= 0 {
		o.HalfLife = HalfLife
	}
}

// Vote is what the commits say of a file.
type Vote struct {
	File    int32
	Score   float64 // sum of the votes
	Commits int     // how many voted
	Best    int32   // the commit with the greatest vote, the earliest id of equals
	Part    float64 // its vote
}

// Match is one commit that resembles the task.
type Match struct {
	Commit int32
	Score  float64 // BM25
}

// Model is a history as of one revision. It is safe for concurrent use.
type Model struct {
	h     History
	alive []uint64 // bit set; nil: all
	len   int      // commits of h
	n     int      // that exist
	avg   float64  // terms of their messages
}

// Counted returns the model of a history whose counts are known: alive is a bit
// a commit, n of which are set, and terms is Σ Length over those.
func Counted(h History, alive []uint64, n int, terms int64) *Model {
	return &Model{h: h, alive: alive, len: h.Len(), n: n, avg: max(1, float64(terms)/max(1, float64(n)))}
}

// New counts what exists of a history: the commits for which alive is true
// (nil: all).
func New(h History, alive func(c int32) bool) *Model {
	var bits []uint64
	if alive != nil {
		// Asked once a posting: a bit set of one's own beats a call.
		bits = make([]uint64, (h.Len()+63)/64)
	}
	n, terms, lens := 0, int64(0), h.Lengths()
	for c := range int32(h.Len()) {
		if alive != nil {
			if !alive(c) {
				continue
			}
			bits[c/64] |= 1 << (c % 64)
		}
		n++
		terms += int64(lens[c])
	}
	return Counted(h, bits, n, terms)
}

func (m *Model) exists(c int32) bool {
	return uint32(c) < uint32(m.len) && (m.alive == nil || m.alive[c/64]>>(c%64)&1 != 0)
}

// Len returns the number of commits that exist.
func (m *Model) Len() int { return m.n }

// Scratch holds a query's memory, to be used again. The zero value is ready;
// it must not be shared by queries that run at once.
type Scratch struct {
	// Held, where it is not nil, receives how many commits hold each term that
	// was looked up.
	Held map[string]int

	score   []float64 // per commit; 0: not seen
	seen    []int32
	commits []int32
	tf      []int32
	matches []Match
	slot    []int32 // per file: 1 + index in votes
	files   []int32
	votes   []Vote
}

// Matches returns the best commits for the terms, at most top (0: Top), best
// first, ties by ascending id. The result is valid until s is used again.
func (m *Model) Matches(terms []Term, top int, s *Scratch) []Match {
	if top <= 0 {
		top = Top
	}
	if n := m.h.Len(); len(s.score) < n {
		s.score = make([]float64, n)
	}
	s.seen, s.matches = s.seen[:0], s.matches[:0]
	score := s.score[:m.h.Len()]
	// k1·(1 − b + b·len/avg) of a message: a constant, and so much a term.
	lens, norm, slope := m.h.Lengths(), K1*(1-B), K1*B/m.avg
	for _, t := range terms {
		if !(t.Weight > 0) {
			continue
		}
		s.commits, s.tf = m.h.Postings(t.Text, s.commits[:0], s.tf[:0])
		k := 0 // keep what exists
		for i, c := range s.commits {
			if m.exists(c) {
				s.commits[k], s.tf[k] = c, s.tf[i]
				k++
			}
		}
		commits, tf := s.commits[:k], s.tf[:k]
		if s.Held != nil {
			s.Held[t.Text] = k
		}
		df := float64(k)
		w := t.Weight * math.Log1p((float64(m.n)-df+.5)/(df+.5)) * (K1 + 1)
		if !(w > 0) {
			continue
		}
		for i, c := range commits {
			f := float64(tf[i])
			was := score[c]
			if was == 0 {
				s.seen = append(s.seen, c)
			}
			score[c] = was + w*f/(f+norm+slope*float64(lens[c]))
		}
	}
	for _, c := range s.seen {
		x := score[c]
		score[c] = 0
		if len(s.matches) < top || x >= s.matches[0].Score {
			s.push(Match{c, x}, top)
		}
	}
	slices.SortFunc(s.matches, better)
	return s.matches
}

// better orders matches from the best to the worst.
func better(a, b Match) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Commit, b.Commit))
}

// push keeps the top best matches in a heap with the worst at its root, so
// that a common word in a long history costs no sort of all its commits.
func (s *Scratch) push(x Match, top int) {
	h := s.matches
	if len(h) < top {
		h = append(h, x)
		i := len(h) - 1
		for i > 0 && better(h[(i-1)/2], h[i]) < 0 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
			i = (i - 1) / 2
		}
		s.matches = h
		return
	}
	if better(x, h[0]) >= 0 {
		return
	}
	h[0] = x
	for i := 0; ; {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if better(h[worst], h[c]) < 0 {
				worst = c
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

// Votes returns what the commits that resemble the terms say of files,
// ascending by file. The result is valid until s (nil: a new one) is used
// again.
func (m *Model) Votes(terms []Term, o Options, s *Scratch) []Vote {
	if s == nil {
		s = new(Scratch)
	}
	o.resolve()
	s.votes = s.votes[:0]
	for _, match := range m.Matches(terms, o.Top, s) {
		var size int
		s.files, size = m.h.Touched(match.Commit, s.files[:0])
		size = max(size, len(s.files))
		if o.MaxFiles > 0 && size > o.MaxFiles {
			continue
		}
		vote := m.vote(match, &o, size)
		for _, f := range s.files {
			s.add(f, match.Commit, vote)
		}
	}
	for _, v := range s.votes {
		s.slot[v.File] = 0
	}
	slices.SortFunc(s.votes, func(a, b Vote) int { return cmp.Compare(a.File, b.File) })
	return s.votes
}

// vote is what a match that touched size files is worth to each of them.
func (m *Model) vote(x Match, o *Options, size int) float64 {
	age := max(0, float64(o.Now)-float64(m.h.When(x.Commit)))
	return math.Pow(x.Score, o.Exponent) * math.Exp2(-age/o.HalfLife) / math.Sqrt(float64(size))
}

func (s *Scratch) add(f, commit int32, vote float64) {
	if int(f) >= len(s.slot) {
		s.slot = append(s.slot, make([]int32, int(f)+1-len(s.slot))...)
	}
	if s.slot[f] == 0 {
		s.votes = append(s.votes, Vote{File: f, Best: commit, Part: vote})
		s.slot[f] = int32(len(s.votes))
	}
	v := &s.votes[s.slot[f]-1]
	v.Score += vote
	v.Commits++
	if vote > v.Part || vote == v.Part && commit < v.Best {
		v.Best, v.Part = commit, vote
	}
}
