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
	"sync"

	"cohop/internal/sections"
	"cohop/internal/text"
)

// FormatVersion is the version of a Part's layout; its changelog:
//
//	1: first
//	2: unquoted passwords are masked in messages, which are prose
//	3: sweeping commits keep where they move files to
//	4: a third of the size: numbers as differences, terms front-coded, rows and
//	   paths compressed; subjects stay in git
//	5: what a shallow clone has is named so (internal/repo)
const FormatVersion = 5

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
	secMeta      = iota // u32 paths, u32 terms
	secIDs              // 20 bytes a commit
	secRows             // see rows.go
	secPaths            // sorted, front-coded
	secTerms            // words and index of sections.Words
	secTermIndex        //
	secPostings         // see postings.go
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
	terms sections.Words

	once  sync.Once // of what follows
	rows  *rows
	names []string // the paths
	err   error
}

// Build makes a part of n commits in parents-first order whose first has index
// base in the log. They are asked for one after the other and not kept; known
// tells the index of commits in earlier parts. What Open would refuse is left
// out: changes of paths over maxPath, and of new paths beyond maxPaths. It
// fails on a history too large to be laid out.
func Build(commits iter.Seq2[int, Commit], n int, base int32, known func(id [20]byte) (int32, bool)) ([]byte, error) {
	var sec [numSections][]byte
	own := make(map[[20]byte]int32, n)
	var r rows
	table := pathTable{room: maxPaths}
	var post posts
	var sp text.Splitter
	count := map[string]uint32{}
	for i, c := range commits {
		own[c.ID] = base + int32(i)
		sec[secIDs] = append(sec[secIDs], c.ID[:]...)
		r.times = append(r.times, min(max(c.Time, 0), maxTime))
		for _, p := range c.Parents {
			at, ok := own[p]
			if !ok {
				if at, ok = known(p); !ok {
					continue // beyond a shallow boundary or a limit
				}
			}
			r.parents = append(r.parents, at)
		}
		r.parentEnds = append(r.parentEnds, uint32(len(r.parents)))
		r.changes = table.appendChanges(r.changes, c.Changes)
		r.changesEnds = append(r.changesEnds, uint32(len(r.changes)))
		clear(count)
		total := int32(0)
		sp.Each([]byte(Clean(c.Message)), func(t []byte, _ bool) {
			if total < maxDocTerms {
				count[string(t)]++
				total++
			}
		})
		for t, n := range count {
			post.add(t, uint32(i), n)
		}
		r.lens = append(r.lens, total)
	}
	paths := table.paths
	rank := make([]uint32, len(paths))
	for i, id := range sorted(paths) {
		rank[id] = uint32(i)
	}
	var err error
	if sec[secRows], err = pack(r.encode(base, rank)); err != nil {
		return nil, fmt.Errorf("build history: commits: %w", err)
	}
	r = rows{}
	slices.Sort(paths)
	if sec[secPaths], err = pack(encodePaths(paths)); err != nil {
		return nil, fmt.Errorf("build history: paths: %w", err)
	}
	terms := 0
	sec[secTerms], sec[secTermIndex], sec[secPostings], terms = post.encode()
	sec[secMeta] = le.AppendUint32(le.AppendUint32(nil, uint32(len(paths))), uint32(terms))
	return assemble(sec, base, n)
}

// sorted returns the numbers of the strings in the order of the strings.
func sorted(list []string) []uint32 {
	order := make([]uint32, len(list))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return strings.Compare(list[a], list[b]) })
	return order
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
	if len(p.sec[secMeta]) != 8 || p.n < 0 || p.base < 0 || p.base+p.n < 0 || len(p.sec[secIDs]) != 20*int(p.n) {
		return nil, fmt.Errorf("%w: %d commits", ErrCorrupt, p.n)
	}
	p.paths = int32(le.Uint32(p.sec[secMeta]))
	terms := int32(le.Uint32(p.sec[secMeta][4:]))
	if p.paths < 0 || terms < 0 {
		return nil, fmt.Errorf("%w: %d paths, %d terms", ErrCorrupt, p.paths, terms)
	}
	var err error
	if p.terms, err = sections.OpenWords(p.sec[secTerms], p.sec[secTermIndex], int(terms)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if !check {
		return p, nil
	}
	if p.read(); p.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, p.err)
	}
	if err := p.terms.Check(len(p.sec[secPostings])); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
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

// Subject returns the first line of a message, secrets masked before, as it is
// shown.
func Subject(msg string) string {
	s, _, _ := strings.Cut(strings.TrimSpace(Clean(msg)), "\n")
	s = strings.TrimSpace(s)
	if len(s) > maxSubject {
		s = strings.ToValidUTF8(s[:maxSubject], "")
	}
	return s
}
