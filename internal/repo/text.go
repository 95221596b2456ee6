package repo

import (
	"fmt"
	"slices"

	"cohop/internal/facts"
	"cohop/internal/git"
)

// Text returns a file's text as it is shown: decoded, secrets masked, with the
// lines that its chunks count. masked is how many secrets were.
func (s *State) Text(f int32) (text []byte, masked int, err error) {
	if s.View.Flags(f)&(facts.Secret|facts.Binary|facts.TooLarge) != 0 {
		return nil, 0, nil
	}
	rd := s.Git.NewReader()
	defer rd.Close()
	return s.textWith(rd, f)
}

func (s *State) textWith(rd *git.Reader, f int32) (text []byte, masked int, err error) {
	src, err := s.read(rd, &s.entries[f])
	if err != nil {
		return nil, 0, fmt.Errorf("read %s: %w", s.entries[f].Path, err)
	}
	text, masked = facts.Visible(facts.Language(s.entries[f].Path, nil), slices.Clone(src))
	return text, masked, nil
}

// Texts reads several files with one reader; see Text. A file that cannot be
// read gives nil.
func (s *State) Texts(files []int32) [][]byte {
	rd := s.Git.NewReader()
	defer rd.Close()
	out := make([][]byte, len(files))
	for i, f := range files {
		if s.View.Flags(f)&(facts.Secret|facts.Binary|facts.TooLarge) == 0 {
			out[i], _, _ = s.textWith(rd, f)
		}
	}
	return out
}
