package repo

import (
	"slices"

	"cohop/internal/facts"
	"cohop/internal/git"
)

// files gives what reads the working tree, nil if another tree is ranked.
func (s *State) files() *git.Files {
	if s.opt.Rev != "" || s.Git.Bare {
		return nil
	}
	return s.Git.Files()
}

// text gives a file's text as it is shown, nil if it cannot be read.
func (s *State) text(rd *git.Reader, disk *git.Files, f int32) []byte {
	e := &s.entries[f]
	// A clean file is at hand on the disk, where nothing must be inflated. What
	// is not the blob that was indexed (it changed just now, or its line ends
	// are converted) comes from the blob.
	src, ok := disk.Blob(e)
	if !ok {
		data, err := s.read(rd, e)
		if err != nil {
			return nil
		}
		src = slices.Clone(data)
	}
	lang := facts.Language(e.Path, nil)
	// Of bytes that may not be those that were indexed nothing is known.
	if (ok || !e.OnDisk) && s.View.Masked(f) == 0 {
		return facts.Unmasked(lang, src)
	}
	text, _ := facts.Visible(lang, src)
	return text
}

// Kept tells whether a file's text stays what it is for as long as the State
// does: it is a blob's, not what the disk holds at the moment.
func (s *State) Kept(f int32) bool { return !s.entries[f].OnDisk }

// Texts returns the texts of files as they are shown: decoded, secrets masked,
// with the lines that their chunks count. A file that is never opened, or cannot
// be read, gives nil.
func (s *State) Texts(files []int32) [][]byte {
	rd := s.Git.NewReader()
	defer rd.Close()
	disk := s.files()
	defer disk.Close()
	out := make([][]byte, len(files))
	for i, f := range files {
		if s.View.Flags(f)&(facts.Secret|facts.Binary|facts.TooLarge) == 0 {
			out[i] = s.text(rd, disk, f)
		}
	}
	return out
}
