// Package cochange tells which files are changed together.
//
// A history is a list of changes, each a time and the files it touched. Given
// seed files, a candidate scores
//
//	Σ over seeds of weight · Σ over joint changes of 2^(−age/half-life)
//	────────────────────────────────────────────────────────────────────
//	              √(changes of the candidate) + 1
//
// The root keeps a file that is in every change from winning everything; the
// decay forgets structure that is no more. Only changes of 2 to 15 files are
// counted: a formatting pass is a clique of files that have nothing to do with
// each other. (Zimmermann, Weißgerber, Diehl, Zeller, ICSE 2004, on mining
// co-changes; the formula is the ranking essay's.)
//
// The matrix of pairs is never built. A [Log] holds each change's files in one
// array and each file's changes as a roaring bitmap, and a query walks seeds →
// changes → files, which takes microseconds. So the half-life, the sizes that
// count and the changes that exist (an earlier revision's ancestors) are
// settled per query.
//
// Limits: squashed histories have no small changes and say nothing here. Files
// are dense ids of one tree; whoever builds the log follows renames and leaves
// out what is changed along with everything (lock files, changelogs).
package cochange

import (
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

const (
	// MinFiles and MaxFiles bound the changes that count. One file pairs
	// with nothing; above fifteen it is a sweep (essay).
	MinFiles, MaxFiles = 2, 15

	// HalfLife is 180 days in seconds: around six months tracks refactors
	// (essay).
	HalfLife = 180 * 24 * 3600.0

	// HeatFiles is the usual cap of Heat: larger changes say nothing about
	// where work is going on.
	HeatFiles = 100
)

// Change is one commit.
type Change struct {
	When  int64   // seconds since 1970
	Files []int32 // ids in [0, files); in any order, repeats count once
	Size  int     // files it touched, those that are no more included; less than len(Files): that
}

// Log is a history, ready to be asked. It is safe for concurrent use.
type Log struct {
	files   int
	when    []int64                       // per change
	size    []int32                       // per change
	start   []uint32                      // of each change in touched; one more at the end
	touched []int32                       // files of the changes, ascending within a change
	changes []*roaring.Bitmap             // per file: its changes, by index; nil: none
	narrow  []uint32                      // per file: how many of them are of MinFiles to MaxFiles
	row     func(f int32) *roaring.Bitmap // instead of changes, when they are kept elsewhere
}

// Table is a log as flat arrays, for a caller who keeps them (on disk, mapped)
// rather than build them anew. It must hold what New would have made.
type Table struct {
	Files   int
	When    []int64                       // per change
	Size    []int32                       // per change
	Start   []uint32                      // per change, of its files in Touched; one more at the end
	Touched []int32                       // ascending within a change, each file once
	Narrow  []uint32                      // per file: its changes of MinFiles to MaxFiles
	Changes func(f int32) *roaring.Bitmap // a file's changes, nil for none; called by several goroutines at once
}

// Open returns the log of a table, whose arrays it keeps.
func Open(t Table) *Log {
	return &Log{files: t.Files, when: t.When, size: t.Size, start: t.Start, touched: t.Touched, narrow: t.Narrow, row: t.Changes}
}

// Narrow returns, per file, its changes of MinFiles to MaxFiles. It must not be
// written to.
func (l *Log) Narrow() []uint32 { return l.narrow }

// changesOf returns a file's changes, nil for none.
func (l *Log) changesOf(f int32) *roaring.Bitmap {
	if l.row != nil {
		return l.row(f)
	}
	return l.changes[f]
}

// New builds the log of a tree of files files. Changes keep their index: they
// may come in any order of time. It panics on an id outside the tree.
func New(files int, changes []Change) *Log {
	total := 0
	for _, c := range changes {
		total += len(c.Files)
	}
	l := &Log{
		files:   files,
		when:    make([]int64, len(changes)),
		size:    make([]int32, len(changes)),
		start:   make([]uint32, len(changes)+1),
		touched: make([]int32, 0, total),
		changes: make([]*roaring.Bitmap, files),
		narrow:  make([]uint32, files),
	}
	perFile := make([]uint32, files+1) // counts, then ends
	for i, c := range changes {
		from := len(l.touched)
		l.touched = append(l.touched, c.Files...)
		own := l.touched[from:]
		if !ascending(own) {
			slices.Sort(own)
			own = slices.Compact(own)
			l.touched = l.touched[:from+len(own)]
		}
		if n := len(own); n > 0 && (own[0] < 0 || int(own[n-1]) >= files) {
			panic(fmt.Sprintf("cochange: change %d has files %d to %d of %d", i, own[0], own[n-1], files))
		}
		size := max(c.Size, len(own))
		l.when[i], l.size[i] = c.When, int32(min(size, math.MaxInt32))
		l.start[i+1] = uint32(len(l.touched))
		for _, f := range own {
			perFile[f+1]++
			if size >= MinFiles && size <= MaxFiles {
				l.narrow[f]++
			}
		}
	}
	// Transpose by counting, so that each bitmap is filled once, in order.
	for f := range files {
		perFile[f+1] += perFile[f]
	}
	ids := make([]uint32, len(l.touched))
	next := slices.Clone(perFile[:files])
	for i := range changes {
		for _, f := range l.of(uint32(i)) {
			ids[next[f]] = uint32(i)
			next[f]++
		}
	}
	for f := range files {
		if own := ids[perFile[f]:perFile[f+1]]; len(own) > 0 {
			l.changes[f] = roaring.New()
			l.changes[f].AddMany(own)
		}
	}
	return l
}

func ascending(f []int32) bool {
	for i := 1; i < len(f); i++ {
		if f[i-1] >= f[i] {
			return false
		}
	}
	return true
}

// of returns the files of change c.
func (l *Log) of(c uint32) []int32 { return l.touched[l.start[c]:l.start[c+1]] }

// Len returns the number of changes.
func (l *Log) Len() int { return len(l.when) }

// Files returns the number of files of the tree.
func (l *Log) Files() int { return l.files }

// Change returns the time, the size and the files of change c. The files must
// not be written to.
func (l *Log) Change(c int) (when int64, size int, files []int32) {
	return l.when[c], int(l.size[c]), l.of(uint32(c))
}

// Changes returns the changes of a file, of every size, by index. The bitmap
// is the log's own and must not be written to.
func (l *Log) Changes(f int32) *roaring.Bitmap {
	if b := l.changesOf(f); b != nil {
		return b
	}
	return roaring.New()
}

// Seed is a file that is known, or thought, to take part.
type Seed struct {
	File   int32
	Weight float64 // 1 is usual
}

// Query says what to ask of a log. Zero fields take the package's constants.
type Query struct {
	Seeds    []Seed          // repeats add up
	Now      int64           // seconds; ages count from here, later changes are of age 0
	HalfLife float64         // seconds
	MinFiles int             // least size of a change
	MaxFiles int             // greatest size of a change
	Alive    *roaring.Bitmap // the changes that exist; nil: all
}

func (q *Query) fill() {
	if q.HalfLife <= 0 {
		q.HalfLife = HalfLife
	}
	if q.MinFiles <= 0 {
		q.MinFiles = MinFiles
	}
	if q.MaxFiles <= 0 {
		q.MaxFiles = MaxFiles
	}
}

func (q *Query) counts(size int32) bool {
	return int(size) >= q.MinFiles && int(size) <= q.MaxFiles
}

// weight is 2^(−age/half-life), 1 for changes from the future: clocks are odd.
func (q *Query) weight(when int64) float64 {
	age := float64(q.Now) - float64(when) // floats: int64 may overflow
	if age <= 0 {
		return 1
	}
	return math.Exp2(-age / q.HalfLife)
}

// Candidate is a file that shares changes with the seeds.
type Candidate struct {
	File  int32
	Score float64
	Joint int // changes shared with any seed; one shared with two seeds counts twice
}

// Scratch holds a query's accumulators, to be used again. The zero value is
// ready; it must not be shared by queries that run at once.
type Scratch struct {
	acc   []float64
	joint []int32
	seen  []int32
	buf   [256]uint32
	out   []Candidate
	alive []uint32
}

// Score returns the files that share a change with a seed, ascending by file.
// A seed is a candidate too, for the changes it shares with the other seeds.
// The result is valid until s (nil: a new one) is used again.
func (l *Log) Score(q Query, s *Scratch) []Candidate {
	q.fill()
	if s == nil {
		s = new(Scratch)
	}
	if len(s.acc) < l.files {
		s.acc, s.joint = make([]float64, l.files), make([]int32, l.files)
	}
	s.seen, s.out = s.seen[:0], s.out[:0]
	for _, seed := range q.Seeds {
		own := l.changesOf(seed.File)
		if own == nil {
			continue
		}
		it := own.ManyIterator()
		for n := it.NextMany(s.buf[:]); n > 0; n = it.NextMany(s.buf[:]) {
			for _, c := range s.buf[:n] {
				if !q.counts(l.size[c]) || q.Alive != nil && !q.Alive.Contains(c) {
					continue
				}
				w := seed.Weight * q.weight(l.when[c])
				for _, f := range l.of(c) {
					if f == seed.File {
						continue
					}
					if s.joint[f] == 0 {
						s.seen = append(s.seen, f)
					}
					s.joint[f]++
					s.acc[f] += w
				}
			}
		}
	}
	slices.Sort(s.seen)
	count := l.totals(&q, s)
	for _, f := range s.seen {
		s.out = append(s.out, Candidate{
			File:  f,
			Score: s.acc[f] / (math.Sqrt(float64(count[f])) + 1),
			Joint: int(s.joint[f]),
		})
		s.acc[f], s.joint[f] = 0, 0
	}
	return s.out
}

// totals returns, per file, the changes that count for q.
func (l *Log) totals(q *Query, s *Scratch) []uint32 {
	if q.Alive == nil && q.MinFiles == MinFiles && q.MaxFiles == MaxFiles {
		return l.narrow
	}
	if len(s.alive) < l.files {
		s.alive = make([]uint32, l.files)
	}
	clear(s.alive)
	for c := range l.when {
		if q.counts(l.size[c]) && (q.Alive == nil || q.Alive.Contains(uint32(c))) {
			for _, f := range l.of(uint32(c)) {
				s.alive[f]++
			}
		}
	}
	return s.alive
}

// Joint counts, for an explanation, the changes that touched both files, and
// those that touched a and b: "11 of 14". Only changes that q counts are
// looked at; q's seeds do not matter.
func (l *Log) Joint(a, b int32, q Query) (both, ofA, ofB int) {
	q.fill()
	each := func(f int32, do func(c uint32)) {
		own := l.changesOf(f)
		if own == nil {
			return
		}
		for it := own.Iterator(); it.HasNext(); {
			if c := it.Next(); q.counts(l.size[c]) && (q.Alive == nil || q.Alive.Contains(c)) {
				do(c)
			}
		}
	}
	each(a, func(c uint32) {
		ofA++
		if _, ok := slices.BinarySearch(l.of(c), b); ok {
			both++
		}
	})
	each(b, func(uint32) { ofB++ })
	return both, ofA, ofB
}

// Heat returns, per file, its decayed number of changes, Σ 2^(−age/half-life),
// over the changes of up to maxFiles files (0: HeatFiles) that exist (alive
// nil: all). Single-file changes count.
func (l *Log) Heat(now int64, halfLife float64, maxFiles int, alive *roaring.Bitmap) []float64 {
	if maxFiles <= 0 {
		maxFiles = HeatFiles
	}
	q := Query{Now: now, HalfLife: halfLife, MinFiles: 1, MaxFiles: maxFiles}
	q.fill()
	heat := make([]float64, l.files)
	for c, when := range l.when {
		if !q.counts(l.size[c]) || alive != nil && !alive.Contains(uint32(c)) {
			continue
		}
		w := q.weight(when)
		for _, f := range l.of(uint32(c)) {
			heat[f] += w
		}
	}
	return heat
}
