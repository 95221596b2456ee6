package repo

import (
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

// text gives a file's text as it is shown, nil if it cannot be read. It is valid
// until the next one is read.
func (s *State) text(rd *git.Reader, disk *git.Files, f int32) []byte {
	e := &s.entries[f]
	// A clean file is at hand on the disk, where nothing must be inflated. What
	// is not the blob that was indexed (it changed just now, or its line ends
	// are converted) comes from the blob.
	src, ok := disk.Blob(e, 0)
	if !ok {
		data, err := s.read(rd, e)
		if err != nil {
			return nil
		}
		src = data
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

// Texts calls f for each of files with its text as it is shown: decoded, secrets
// masked, with the lines that its chunks count. A file that is never opened, or
// cannot be read, gives nil. f must not keep a text.
func (s *State) Texts(files []int32, f func(file int32, text []byte)) {
	rd := s.Git.NewReader()
	defer rd.Close()
	disk := s.files()
	defer disk.Close()
	for _, file := range files {
		var text []byte
		if s.View.Flags(file)&(facts.Secret|facts.Binary|facts.TooLarge) == 0 {
			text = s.text(rd, disk, file)
		}
		f(file, text)
	}
}
