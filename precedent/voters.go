package precedent

import (
	"cmp"
	"slices"
)

// Voter is one commit that voted for a file.
type Voter struct {
	Match
	Part  float64 // its vote
	Files int     // how many files it touched
}

// Voters tells, for an explanation, which commits make up a file's vote: the
// greatest part first, ties by ascending id. Their parts add up to the Score
// of the file's Vote.
func (m *Model) Voters(terms []Term, o Options, file int32, s *Scratch) []Voter {
	if s == nil {
		s = new(Scratch)
	}
	o.resolve()
	var out []Voter
	for _, match := range m.Matches(terms, o.Top, s) {
		var size int
		s.files, size = m.h.Touched(match.Commit, s.files[:0])
		size = max(size, len(s.files))
		if o.MaxFiles > 0 && size > o.MaxFiles || !slices.Contains(s.files, file) {
			continue
		}
		out = append(out, Voter{match, m.vote(match, &o, size), size})
	}
	slices.SortFunc(out, func(a, b Voter) int { return cmp.Or(cmp.Compare(b.Part, a.Part), cmp.Compare(a.Commit, b.Commit)) })
	return out
}
