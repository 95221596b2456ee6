package repo

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"time"

	"cohop/internal/git"
)

// A log is made as a whole, since what comes before its first part cannot be
// put in front of it. A run that has no time for that keeps what it found out
// by comparing trees, which is most of the work: the next run walks the same
// commits but compares only those that are new to it. When all are known the
// log is made of them, and what was kept goes.
//
//	magic[8] commits u32 crc32c(rest) u32
//	per commit: id[20] first parent[20] flags u8, uvarint changes, then each:
//	    status u8, path and (of a rename) old path, each behind its length
const (
	begunExt   = ".begun"
	begunMagic = "COHOPBG1"
	begunHead  = 16
	begunHuge  = 1
)

// What reading the history costs, to tell what fits into the time that is
// left; the times of a slow machine.
const (
	walkCommit    = 8 * time.Microsecond  // to come by a commit that was compared before
	compareCommit = 60 * time.Microsecond // to compare one, before any was
	buildCommit   = 12 * time.Microsecond // to take one into the log
	// leastStep is how many commits more are worth another walk.
	leastStep = 1000
)

// firstCommits is FirstCommits; tests have shorter histories.
var firstCommits = FirstCommits

// begun is what earlier runs compared.
type begun struct {
	known map[git.OID]compared
	fresh []git.Commit // compared by this run
}

type compared struct {
	parent  git.OID
	huge    bool
	changes []git.Change
}

// readBegun reads what earlier runs kept; a file that does not check is
// removed.
func readBegun(dir string) *begun {
	b := &begun{known: map[git.OID]compared{}}
	if dir == "" {
		return b
	}
	paths, _ := numbered(dir, begunExt)
	for _, p := range paths {
		data, err := readKept(p, maxBegun)
		if err != nil || !b.decode(data) {
			os.Remove(p)
		}
	}
	return b
}

// decode adds a file's commits; false if it does not check.
func (b *begun) decode(data []byte) bool {
	if len(data) < begunHead || string(data[:8]) != begunMagic ||
		crc32.Checksum(data[begunHead:], castagnoli) != binary.LittleEndian.Uint32(data[12:]) {
		return false
	}
	n := binary.LittleEndian.Uint32(data[8:])
	r := bytes.NewBuffer(data[begunHead:])
	names := map[string]string{} // one copy of each path
	text := func() (string, bool) {
		n, err := binary.ReadUvarint(r)
		if err != nil || n > uint64(r.Len()) {
			return "", false
		}
		raw := r.Next(int(n))
		s, ok := names[string(raw)]
		if !ok {
			s = string(raw)
			names[s] = s
		}
		return s, true
	}
	for range n {
		head := r.Next(41)
		if len(head) < 41 {
			return false
		}
		id, c := git.OID(head[:20]), compared{parent: git.OID(head[20:40]), huge: head[40]&begunHuge != 0}
		count, err := binary.ReadUvarint(r)
		if err != nil || count > uint64(r.Len()) {
			return false
		}
		for range count {
			var ch git.Change
			var ok bool
			if ch.Status, err = r.ReadByte(); err != nil {
				return false
			}
			if ch.Path, ok = text(); !ok {
				return false
			}
			if ch.Status == 'R' {
				if ch.Old, ok = text(); !ok {
					return false
				}
			}
			c.changes = append(c.changes, ch)
		}
		b.known[id] = c
	}
	return r.Len() == 0
}

// keep writes what is fresh as one more file; the caller holds the lock.
func (b *begun) keep(dir string) error {
	if dir == "" || len(b.fresh) == 0 {
		return nil
	}
	text := func(out []byte, s string) []byte { return append(binary.AppendUvarint(out, uint64(len(s))), s...) }
	var out []byte
	for i := range b.fresh {
		c := &b.fresh[i]
		flags := byte(0)
		if c.Huge {
			flags = begunHuge
		}
		parent := firstParent(c)
		out = append(append(append(out, c.ID[:]...), parent[:]...), flags)
		out = binary.AppendUvarint(out, uint64(len(c.Changes)))
		for _, ch := range c.Changes {
			out = text(append(out, ch.Status), ch.Path)
			if ch.Status == 'R' {
				out = text(out, ch.Old)
			}
		}
	}
	head := binary.LittleEndian.AppendUint32([]byte(begunMagic), uint32(len(b.fresh)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(out, castagnoli))
	_, next := numbered(dir, begunExt)
	return writeAtomic(numberedName(dir, next, begunExt), head, out)
}

func firstParent(c *git.Commit) (id git.OID) {
	if len(c.Parents) > 0 {
		id = c.Parents[0]
	}
	return id
}

// fill gives a commit its changes if they are known.
func (b *begun) fill(c *git.Commit) bool {
	k, ok := b.known[c.ID]
	if !ok || c.Boundary || k.parent != firstParent(c) {
		return false
	}
	c.Huge, c.Changes = k.huge, k.changes
	return true
}

// take notes what a walk compared and returns how many that were.
func (b *begun) take(commits []git.Commit) (n int) {
	for i := range commits {
		c := &commits[i]
		if _, ok := b.known[c.ID]; ok || c.Boundary {
			continue
		}
		b.known[c.ID] = compared{firstParent(c), c.Huge, c.Changes}
		b.fresh = append(b.fresh, *c)
		n++
	}
	return n
}

// dropBegun removes what was kept, when the log stands.
func dropBegun(dir string) {
	paths, _ := numbered(dir, begunExt)
	for _, p := range paths {
		os.Remove(p)
	}
}

// beginHistory is growHistory of an empty log for a run in a hurry: it answers
// by the newest commits and keeps what else it compared while there was time.
// held says that the caller holds the writer's lock.
func (s *State) beginHistory(ctx context.Context, h *histStore, held bool) (*histStore, error) {
	b := readBegun(h.dir)
	before := len(b.known)
	tip, limit := s.Snapshot.Commit, firstCommits
	var newest, all []git.Commit
	perCommit := compareCommit
	for {
		start := time.Now()
		commits, err := s.Git.CommitsAnew(ctx, tip, nil, limit, b.fill)
		if err != nil && newest == nil {
			return h, fmt.Errorf("read history of %s: %w", tip, err)
		}
		if err != nil {
			break
		}
		if n := b.take(commits); n >= leastStep {
			perCommit = max(time.Since(start)/time.Duration(n), time.Microsecond)
		}
		if newest == nil {
			newest = commits
		}
		if len(commits) < limit {
			all = commits
			break
		}
		// As many more as the time allows: those known are walked over,
		// the others compared. Every run gets some way.
		known := len(b.known)
		more := int((s.left() - time.Duration(known)*walkCommit) / perCommit)
		if known == before {
			more = max(more, firstCommits)
		} else if more < leastStep {
			break
		}
		limit = max(limit, known) + more
	}
	if all != nil && (len(b.known) == before || time.Duration(len(all))*buildCommit < s.left()) {
		raw, err := h.append(all)
		if err == nil && held {
			if err = h.save(raw); err == nil {
				dropBegun(h.dir)
			}
			if err != nil {
				s.warn("the history cannot be kept (%v): it is read again next time", cause(err))
			}
		}
		return h, nil
	}
	if held {
		if err := b.keep(h.dir); err != nil {
			s.warn("the history cannot be kept (%v): it is read again next time", cause(err))
		}
	}
	s.cut = true
	s.warn("only the newest %s of the history were taken in the time given: co-change and precedent know no more until the next run", counted(len(newest), "commit"))
	_, err := h.append(newest)
	return h, err
}
