package repo

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"

	"cohop/internal/facts"
	"cohop/internal/git"
)

// A segment is kept under its tree's name, also when it was built while blobs
// of the tree were missing (a partial clone) or could not be read. It then has
// a note, behind the stamp that says it was checked, which every reader reads
// anyhow: whoever opens the segment compares the object store with what it was
// before the build, and where it changed looks for what was missing. When some
// of it is here the segment goes, and is built again. A segment that lacks
// nothing has no note, and costs nothing.
//
//	stamp[32] crc32c(rest) u32, files whose blobs were not here u32,
//	digest of all lost ids[8], git.Repo.ObjectsStamp[16], lost ids[20] each
const (
	noteHead = 4 + 4 + 8 + 16

	// maxNoted is how many ids a note has, spread evenly over those that were
	// lost: what arrives comes by folders or all at once. They are 40 KB.
	maxNoted = 2048
)

// losses are blobs of files that could not be read.
type losses struct {
	ids     []git.OID
	missing []git.OID // of them: they are not here
}

func (l *losses) add(id git.OID, err error) {
	l.ids = append(l.ids, id)
	if errors.Is(err, git.ErrMissing) {
		l.missing = append(l.missing, id)
	}
}

// since returns what was lost after an earlier state of l.
func (l *losses) since(before losses) losses {
	return losses{l.ids[len(before.ids):], l.missing[len(before.missing):]}
}

// lostNote is what is noted of a segment's losses.
type lostNote struct {
	missing int
	mark    [8]byte // tells them from other losses of the same tree
	store   [16]byte
	ids     []git.OID
}

// note makes the note of a build that began when the object store was as store
// says; nil if nothing was lost.
func (l losses) note(store [16]byte) *lostNote {
	if len(l.ids) == 0 {
		return nil
	}
	n := &lostNote{missing: len(l.missing), store: store}
	h := sha256.New()
	for i := range l.ids {
		h.Write(l.ids[i][:])
	}
	copy(n.mark[:], h.Sum(nil))
	many := min(len(l.ids), maxNoted)
	for i := range many {
		n.ids = append(n.ids, l.ids[i*len(l.ids)/many])
	}
	return n
}

func (n *lostNote) encode() []byte {
	if n == nil {
		return nil
	}
	b := make([]byte, 4, noteHead+20*len(n.ids))
	b = binary.LittleEndian.AppendUint32(b, uint32(n.missing))
	b = append(append(b, n.mark[:]...), n.store[:]...)
	for i := range n.ids {
		b = append(b, n.ids[i][:]...)
	}
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[4:], castagnoli))
	return b
}

// decodeNote is false for a note that does not check.
func decodeNote(b []byte) (*lostNote, bool) {
	if len(b) < noteHead || (len(b)-noteHead)%20 != 0 || len(b) > noteHead+20*maxNoted ||
		crc32.Checksum(b[4:], castagnoli) != binary.LittleEndian.Uint32(b) {
		return nil, false
	}
	n := &lostNote{missing: int(binary.LittleEndian.Uint32(b[4:])), mark: [8]byte(b[8:]), store: [16]byte(b[16:])}
	for b = b[noteHead:]; len(b) > 0; b = b[20:] {
		n.ids = append(n.ids, git.OID(b[:20]))
	}
	return n, true
}

// keepNoted is keep of a file with a note (nil: none). The note is there before
// the file is, so that none is without in between.
func keepNoted(path string, data []byte, n *lostNote) error {
	if n == nil {
		return keep(path, data)
	}
	note := n.encode()
	var blank [stampSize]byte // of no file
	copy(blank[:], stampMagic)
	if err := writeAtomic(path+stampExt, blank[:], note); err != nil {
		return err
	}
	if err := writeAtomic(path, data); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		stamp(path, info, note)
	}
	return nil
}

// outlived tells whether what a segment lacks has come since it was built. m
// is the segment's file. n is its note, nil if it has none.
func (s *State) outlived(path string, m *mapping) (n *lostNote, yes bool) {
	if len(m.note) == 0 {
		return nil, false
	}
	n, ok := decodeNote(m.note)
	if !ok {
		return nil, true // it lacks nobody knows what
	}
	store := s.Git.ObjectsStamp()
	if store == n.store && !s.opt.Exact {
		return n, false
	}
	rd := s.Git.NewReader()
	defer rd.Close()
	for _, id := range n.ids {
		if !rd.HasObject(id) {
			continue
		}
		if files := len(s.entries); s.hurried() && s.roomFor(files) < files {
			// An answer without these files is better than one without most.
			s.cut = true
			return n, false
		}
		return n, true
	}
	if n.store != store {
		n.store = store // not to be looked for until the next change
		if info, err := os.Stat(path); err == nil && os.SameFile(info, m.info) {
			stamp(path, info, n.encode())
		}
	}
	return n, false
}

// Parts of the warnings of a history that is not all here: the repository's of
// changes and of commits, and that of warnTreeless.
const (
	lostChanges = "their trees are missing or corrupt"
	lostCommits = "history is incomplete:"
	lostTrees   = "trees of past commits are not here"
)

// treeSamples is how many commits are asked for their trees: clones without
// trees have those of a few commits that were checked out.
const treeSamples = 8

// warnTreeless warns of a clone that lacks the trees of its history (--filter=
// tree:0). The walk says so too, but only once: what it found is kept.
func (s *State) warnTreeless() {
	h := s.History
	if !s.Git.Partial || h == nil || s.warned(lostChanges) {
		return
	}
	var mute []int32 // commits that touched nothing, or whose changes were not read
	for c := range int32(len(h.When)) {
		if h.Alive(c) && h.Size[c] == 0 {
			mute = append(mute, c)
		}
	}
	rd := s.Git.NewReader()
	defer rd.Close()
	many := min(len(mute), treeSamples)
	for i := range many {
		if !rd.HasTreeOf(h.Log.ID(mute[i*len(mute)/many])) {
			s.warn("partial clone: %s: co-change and precedent know little of them", lostTrees)
			return
		}
	}
}

// blank tells whether nothing is known of what a file holds, though it holds
// something.
func (s *State) blank(f int32) bool {
	v := s.View
	return v.Lines(f) == 0 && v.Flags(f) == 0 && !s.Git.IsBlob(nil, v.ID(f))
}

// findLacks fills lacks with the files of the view that could not be read, and
// warns of those whose blobs are not here. What a segment lacks is not asked
// for by itself: files of a commit may be deleted in the working tree, or others
// there.
func (s *State) findLacks() {
	if len(s.lost.ids) == 0 && s.baseLost == nil {
		return
	}
	lost := map[git.OID]bool{} // true: not here
	for _, id := range s.lost.ids {
		lost[id] = false
	}
	for _, id := range s.lost.missing {
		lost[id] = true
	}
	some, mixed := false, false // the note does not name all; or not only what is missing
	if n := s.baseLost; n != nil {
		some = len(n.ids) == maxNoted
		mixed = n.missing < len(n.ids)
		for _, id := range n.ids {
			if _, known := lost[id]; !known {
				lost[id] = !mixed
			}
		}
	}
	late := map[git.OID]bool{}
	for i := range s.late {
		late[s.late[i].ID] = true
	}
	rd := s.Git.NewReader()
	defer rd.Close()
	s.lacks = map[int32]bool{}
	missing := 0
	for f := range s.View.Files() {
		if !s.blank(f) {
			continue
		}
		id := git.OID(s.View.ID(f))
		gone, known := lost[id]
		if !known && (!some || late[id]) {
			continue
		}
		gone = gone || !known && !mixed
		if mixed && !gone {
			_, _, err := rd.Size(id)
			gone = errors.Is(err, git.ErrMissing)
		}
		if s.lacks[f] = gone; gone {
			missing++
		}
	}
	s.warnMissing(missing)
}

// Unread says why little or nothing is known of what a file of the view holds;
// "" if it was read.
func (s *State) Unread(f int32) string {
	switch flags := s.View.Flags(f); {
	case flags&facts.Secret != 0:
		return "it is made to hold secrets and never opened"
	case flags&facts.TooLarge != 0:
		return "it is too large"
	case flags&facts.Binary != 0:
		return "it is binary"
	case flags&facts.Minified != 0:
		return "it is minified, and only some of its words are known"
	}
	if gone, lacks := s.lacks[f]; lacks && gone {
		return "it is not in this clone"
	} else if lacks {
		return "it cannot be read"
	}
	if s.View.Lines(f) > 0 {
		return ""
	}
	for i := range s.late {
		if s.late[i].Path == s.View.Path(f) {
			return "there was no time to"
		}
	}
	if s.Git.IsBlob(nil, s.View.ID(f)) {
		return "it is empty"
	}
	return ""
}

// warnMissing says how many files are ranked by their paths since their blobs
// are not here.
func (s *State) warnMissing(missing int) {
	if missing == 0 {
		return
	}
	verb, they := "are", "they are"
	if missing == 1 {
		verb, they = "is", "it is"
	}
	s.warn("%s %s not in this clone (partial or shallow): %s ranked by path alone", counted(missing, "file"), verb, they)
}
