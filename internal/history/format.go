// Package history keeps what a repository's commits say: their time, the paths
// they touched, the words of their messages. A Log is a list of Parts, each an
// immutable, checksummed byte string with commits in parents-first order, so
// that a log grows by new commits alone. Log.At cuts it at a commit: nothing
// that is not an ancestor is seen, and paths are followed through exact
// renames to the files of the ranked tree.
//
// doc/format.md gives the layout.
package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"cohop/internal/sections"
	"cohop/internal/text"
)

// FormatVersion is the version of a Part's layout; its changelog:
//
//	1: first
//	2: unquoted passwords are masked in messages, which are prose
//	3: sweeping commits keep where they move files to
const FormatVersion = 3

const (
	magic       = "COHOPLOG"
	maxSubject  = 120     // bytes of a subject that are kept for explanations
	maxDocTerms = 1 << 16 // terms of a message that count
)

// ErrCorrupt says that a part's bytes are not what Build wrote.
var ErrCorrupt = errors.New("history part is corrupt")

// Status of a change.
type Status uint8

// The statuses. An exact rename is a pair: From the old path, To the new.
const (
	Added Status = iota
	Modified
	Deleted
	From
	To
)

// Change is one path that a commit touched.
type Change struct {
	Path   string
	Status Status
}

// Commit is what Build needs of one commit. Secrets are masked by the caller.
type Commit struct {
	ID      [20]byte
	Parents [][20]byte
	Time    int64
	Merge   bool
	Message string
	Changes []Change // a From is followed by its To
}

const (
	secIDs         = iota // 20 bytes a commit
	secTimes              // u64
	secParentEnds         // u32 end in secParents, a commit
	secParents            // u32 global commit index
	secChangeEnds         // u32 end in secChanges, a commit
	secChanges            // u32 path<<3 | status
	secPathEnds           // u32 end in secPaths, a path
	secPaths              // bytes
	secSubjectEnds        // u32 end in secSubjects, a commit
	secSubjects           // bytes
	secLens               // u32 index terms of the message
	secTermEnds           // u32 end in secTerms, u32 start in secPostings, a term
	secTerms              // sorted
	secPostings           // per term: uvarint count, then uvarint(delta-1), uvarint(tf)
	numSections
)

var le = binary.LittleEndian

// Part is a run of commits of a Log. It is safe for concurrent use.
type Part struct {
	raw   []byte
	sec   [numSections][]byte
	base  int32 // index of its first commit in the Log
	n     int32
	paths int32
	terms int32
}

// Build makes a part of n commits in parents-first order whose first has index
// base in the log. They are asked for one after the other and not kept; known tells the index of commits in earlier parts.
func Build(commits iter.Seq2[int, Commit], n int, base int32, known func(id [20]byte) (int32, bool)) ([]byte, error) {
	var sec [numSections][]byte
	own := make(map[[20]byte]int32, n)
	pathID := map[string]uint32{}
	var terms []string            // by number, in the order of their first use
	number := map[string]uint32{} // of a term
	var post posts
	var sp text.Splitter
	count := map[string]uint32{}
	for i, c := range commits {
		own[c.ID] = base + int32(i)
		sec[secIDs] = append(sec[secIDs], c.ID[:]...)
		sec[secTimes] = le.AppendUint64(sec[secTimes], uint64(c.Time))
		for _, p := range c.Parents {
			at, ok := own[p]
			if !ok {
				if at, ok = known(p); !ok {
					continue // beyond a shallow boundary or a limit
				}
			}
			sec[secParents] = le.AppendUint32(sec[secParents], uint32(at))
		}
		sec[secParentEnds] = le.AppendUint32(sec[secParentEnds], uint32(len(sec[secParents])/4))
		for _, ch := range c.Changes {
			id, ok := pathID[ch.Path]
			if !ok {
				id = uint32(len(pathID))
				pathID[ch.Path] = id
				sec[secPaths] = append(sec[secPaths], ch.Path...)
				sec[secPathEnds] = le.AppendUint32(sec[secPathEnds], uint32(len(sec[secPaths])))
			}
			sec[secChanges] = le.AppendUint32(sec[secChanges], id<<3|uint32(ch.Status))
		}
		sec[secChangeEnds] = le.AppendUint32(sec[secChangeEnds], uint32(len(sec[secChanges])/4))
		msg := Clean(c.Message)
		sec[secSubjects] = append(sec[secSubjects], subject(msg)...)
		sec[secSubjectEnds] = le.AppendUint32(sec[secSubjectEnds], uint32(len(sec[secSubjects])))
		clear(count)
		total := uint32(0)
		sp.Each([]byte(msg), func(t []byte, _ bool) {
			if total < maxDocTerms {
				count[string(t)]++
				total++
			}
		})
		for t, n := range count {
			id, ok := number[t]
			if !ok {
				id = uint32(len(terms))
				number[t] = id
				terms = append(terms, t)
			}
			post.add(id, uint32(i), n)
		}
		sec[secLens] = le.AppendUint32(sec[secLens], total)
	}
	order := make([]uint32, len(terms))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(terms[a], terms[b]) })
	post.byTerm(len(terms))
	for _, id := range order {
		sec[secTerms] = append(sec[secTerms], terms[id]...)
		sec[secTermEnds] = le.AppendUint32(sec[secTermEnds], uint32(len(sec[secTerms])))
		sec[secTermEnds] = le.AppendUint32(sec[secTermEnds], uint32(len(sec[secPostings])))
		from, to := post.start[id], post.start[id+1]
		sec[secPostings] = binary.AppendUvarint(sec[secPostings], uint64(to-from))
		prev := int64(-1)
		for k := from; k < to; k++ { // in commit order: commits were visited in it
			sec[secPostings] = binary.AppendUvarint(sec[secPostings], uint64(int64(post.commit[k])-prev-1))
			sec[secPostings] = binary.AppendUvarint(sec[secPostings], uint64(post.tf[k]))
			prev = int64(post.commit[k])
		}
	}
	return assemble(sec, base, n)
}

// posts are postings in the order of their commits, flat, since a map of lists
// would take several times their memory.
type posts struct {
	term, commit []uint32
	tf           []uint16
	start        []uint32 // after byTerm: where each term's begin, one more at the end
}

func (p *posts) add(term, commit, tf uint32) {
	p.term, p.commit = append(p.term, term), append(p.commit, commit)
	p.tf = append(p.tf, uint16(min(tf, 1<<16-1)))
}

// byTerm orders them by term and keeps the order within (counting sort).
func (p *posts) byTerm(terms int) {
	p.start = make([]uint32, terms+1)
	for _, t := range p.term {
		p.start[t+1]++
	}
	for t := range terms {
		p.start[t+1] += p.start[t]
	}
	at := slices.Clone(p.start[:terms])
	commit, tf := make([]uint32, len(p.commit)), make([]uint16, len(p.tf))
	for i, t := range p.term {
		commit[at[t]], tf[at[t]] = p.commit[i], p.tf[i]
		at[t]++
	}
	p.term, p.commit, p.tf = nil, commit, tf
}

// headSize is what stands before the table of sections: magic, version, the
// number of sections, base and commits.
const headSize = 24

var headerSize = sections.HeaderSize(headSize, numSections)

// assemble lays the sections behind their head.
func assemble(list [numSections][]byte, base int32, n int) ([]byte, error) {
	head := append(make([]byte, 0, headSize), magic...)
	for _, v := range []uint32{FormatVersion, numSections, uint32(base), uint32(n)} {
		head = le.AppendUint32(head, v)
	}
	out, err := sections.Join(head, list[:])
	if err != nil {
		return nil, fmt.Errorf("build history: %w", err)
	}
	return out, nil
}

// Open checks the bytes of a part, which must stay unchanged.
func Open(b []byte) (*Part, error) { return open(b, true) }

// OpenTrusted is Open for bytes that Open accepted before: it reads the header
// alone.
func OpenTrusted(b []byte) (*Part, error) { return open(b, false) }

func open(b []byte, check bool) (*Part, error) {
	if len(b) < headerSize || string(b[:8]) != magic || le.Uint32(b[8:]) != FormatVersion || le.Uint32(b[12:]) != numSections {
		return nil, fmt.Errorf("%w: no header of version %d", ErrCorrupt, FormatVersion)
	}
	p := &Part{raw: b, base: int32(le.Uint32(b[16:])), n: int32(le.Uint32(b[20:]))}
	if err := sections.Split(b, headSize, p.sec[:], check); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	p.paths, p.terms = int32(len(p.sec[secPathEnds])/4), int32(len(p.sec[secTermEnds])/8)
	if p.n < 0 || p.base < 0 || len(p.sec[secIDs]) != 20*int(p.n) {
		return nil, fmt.Errorf("%w: %d commits", ErrCorrupt, p.n)
	}
	for _, c := range [][2]int{{secTimes, 8}, {secParentEnds, 4}, {secChangeEnds, 4}, {secSubjectEnds, 4}, {secLens, 4}} {
		if len(p.sec[c[0]]) != c[1]*int(p.n) {
			return nil, fmt.Errorf("%w: section %d", ErrCorrupt, c[0])
		}
	}
	if !check {
		return p, nil
	}
	for _, c := range [][2]int{{secParentEnds, len(p.sec[secParents]) / 4}, {secChangeEnds, len(p.sec[secChanges]) / 4},
		{secPathEnds, len(p.sec[secPaths])}, {secSubjectEnds, len(p.sec[secSubjects])}} {
		prev := uint32(0)
		ends := p.sec[c[0]]
		for i := 0; i+4 <= len(ends); i += 4 {
			e := le.Uint32(ends[i:])
			if e < prev || uint64(e) > uint64(c[1]) {
				return nil, fmt.Errorf("%w: section %d is not ascending", ErrCorrupt, c[0])
			}
			prev = e
		}
	}
	return p, nil
}

// Bytes returns the part as it is kept on disk; Base the index of its first
// commit, Commits their number.
func (p *Part) Bytes() []byte  { return p.raw }
func (p *Part) Base() int32    { return p.base }
func (p *Part) Commits() int32 { return p.n }

// sum identifies the part's content.
func (p *Part) sum() []byte { return p.raw[8:headerSize] }

// span returns the range of record i in a table of ends.
func (p *Part) span(ends int, i int32) (from, to uint32) {
	b := p.sec[ends]
	if i > 0 {
		from = le.Uint32(b[4*(i-1):])
	}
	to = le.Uint32(b[4*i:])
	if most := uint32(len(p.sec[ends+1]) / unitOf(ends)); to > most || from > to { // unchecked, and damaged
		return 0, 0
	}
	return from, to
}

// unitOf is the size of what a table of ends counts.
func unitOf(ends int) int {
	if ends == secParentEnds || ends == secChangeEnds {
		return 4
	}
	return 1
}

func (p *Part) path(i int32) string {
	from, to := p.span(secPathEnds, i)
	return string(p.sec[secPaths][from:to])
}

func (p *Part) termBytes(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = le.Uint32(p.sec[secTermEnds][8*(i-1):])
	}
	to := le.Uint32(p.sec[secTermEnds][8*i:])
	if from > to || uint64(to) > uint64(len(p.sec[secTerms])) {
		return nil
	}
	return p.sec[secTerms][from:to]
}

// Clean returns a message without the lines that name people and machines
// rather than what was done: trailers, import marks.
func Clean(msg string) string {
	if !strings.Contains(msg, ":") {
		return msg
	}
	var out strings.Builder
	for line := range strings.Lines(msg) {
		if !trailer(line) {
			out.WriteString(line)
		}
	}
	return out.String()
}

func trailer(line string) bool {
	key, _, ok := strings.Cut(strings.TrimSpace(line), ":")
	if !ok || len(key) > 24 {
		return false
	}
	switch strings.ToLower(key) {
	case "signed-off-by", "co-authored-by", "reviewed-by", "acked-by", "tested-by", "reported-by", "cc", "change-id",
		"git-svn-id", "suggested-by", "helped-by", "approved-by", "reviewed-on", "auto-submit", "commit-queue", "piperorigin-revid":
		return true
	}
	return false
}

func subject(msg string) string {
	s, _, _ := strings.Cut(strings.TrimSpace(msg), "\n")
	s = strings.TrimSpace(s)
	if len(s) > maxSubject {
		s = strings.ToValidUTF8(s[:maxSubject], "")
	}
	return s
}
