package repo

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"cohop/internal/git"
)

// lookPart is the folder of what is remembered of working trees; the number is
// raised when what is in it changes.
const (
	lookPart   = "look-1"
	foldersExt = ".folders"
)

// folders gives what the last look at this working tree saw, and a function
// that keeps what the next one sees. It is nil without a cache, and where a
// rank index looks at everything again.
func (s *State) folders() (f *git.Folders, keep func()) {
	nothing := func() {}
	dir := s.cache.sub(lookPart)
	if dir == "" {
		return nil, nothing
	}
	// Worktrees share a cache; each has its own folders, and so has each root.
	sum := sha256.Sum256([]byte(s.Git.Worktree + "\x00" + s.opt.Root))
	path := filepath.Join(dir, hex.EncodeToString(sum[:8])+foldersExt)
	var known []byte
	if !s.opt.Exact {
		known, _ = readKept(path, maxLook)
	}
	f = git.ReadFolders(known)
	return f, func() {
		if b := f.Encode(); b != nil {
			_ = writeAtomic(path, b) // the next look lists the folders again
		}
	}
}
