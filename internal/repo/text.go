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
	disk := s.files()
	defer disk.Close()
	return s.textWith(rd, disk, f)
}

// files gives what reads the working tree, nil if another tree is ranked.
func (s *State) files() *git.Files {
	if s.opt.Rev != "" || s.Git.Bare {
		return nil
	}
	return s.Git.Files()
}

func (s *State) textWith(rd *git.Reader, disk *git.Files, f int32) (text []byte, masked int, err error) {
	e := &s.entries[f]
	// A clean file is at hand on the disk, where nothing must be inflated. What
	// is not the blob that was indexed (it changed just now, or its line ends
	// are converted) comes from the blob.
	src, ok := disk.Blob(e)
	if !ok {
		if src, err = s.read(rd, e); err != nil {
			return nil, 0, fmt.Errorf("read %s: %w", e.Path, err)
		}
		src = slices.Clone(src)
	}
	lang := facts.Language(e.Path, nil)
	// Of bytes that may not be those that were indexed nothing is known.
	if (ok || !e.OnDisk) && s.View.Masked(f) == 0 {
		return facts.Unmasked(lang, src), 0, nil
	}
	text, masked = facts.Visible(lang, src)
	return text, masked, nil
}

// Texts reads several files with one reader; see Text. A file that cannot be
// read gives nil.
func (s *State) Texts(files []int32) [][]byte {
	rd := s.Git.NewReader()
	defer rd.Close()
	disk := s.files()
	defer disk.Close()
	out := make([][]byte, len(files))
	for i, f := range files {
		if s.View.Flags(f)&(facts.Secret|facts.Binary|facts.TooLarge) == 0 {
			out[i], _, _ = s.textWith(rd, disk, f)
		}
	}
	return out
}
