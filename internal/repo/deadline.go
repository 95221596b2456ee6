package repo

import (
	"context"
	"time"
)

// A first query on a large tree may have to answer before everything is read.
// The context's deadline says when; part of the time is left for joining and
// ranking what there is. What was extracted is kept, so that the next run goes
// on from there.

const (
	// reserve is the share of the time until the deadline that joining,
	// resolving and ranking get, and perFile the least for each file, at most
	// mostReserve of the time. (A file of which nothing but its path is known
	// takes 6 µs to be joined and 2 µs to be ranked.)
	reserve     = 0.4
	perFile     = 10 * time.Microsecond
	mostReserve = 0.8

	// lastReserve is what remains for writing where all of the time goes into
	// reading files, since joining does not fit.
	lastReserve = 0.1

	// perFacts is what a file's facts cost to be joined and resolved beside
	// that: decoded, sorted into postings, their names looked up.
	perFacts = 60 * time.Microsecond

	// leastFiles is how many files every run reads, whatever the time: so many
	// runs, so much progress.
	leastFiles = 16

	// pastShare is the share of that time after which the history is no
	// longer begun with.
	pastShare = 0.5
)

// setDeadline notes until when files may be read.
func (s *State) setDeadline(ctx context.Context) {
	if d, ok := ctx.Deadline(); ok {
		left := float64(time.Until(d))
		s.end = d
		keep := min(max(reserve*left, float64(perFile)*float64(len(s.Snapshot.Entries))), mostReserve*left)
		s.until = time.Now().Add(time.Duration(left - keep))
		s.untilPast = time.Now().Add(time.Duration(left - keep*pastShare))
	}
}

// overPast tells whether it is too late to read a history.
func (s *State) overPast() bool { return s.hurried() && time.Now().After(s.untilPast) }

// hurried tells whether there is a deadline at all.
func (s *State) hurried() bool { return !s.until.IsZero() }

// over tells whether the time for reading is over.
func (s *State) over() bool { return s.hurried() && time.Now().After(s.until) }

// hopeless tells whether n files cannot even be joined by their paths in the
// time that is left: then all of it is for reading.
func (s *State) hopeless(n int) bool {
	left := time.Until(s.end)
	if !s.hurried() || left <= 0 || float64(perFile)*float64(n) <= mostReserve*float64(left) {
		return false
	}
	s.until = s.end.Add(-time.Duration(lastReserve * float64(left)))
	return true
}

// Unfinished tells whether something was left out of View or History, or is
// not as it will be, for want of time: another run, or rank index, has more.
func (s *State) Unfinished() bool { return s.cut }

// Incomplete tells whether View and History hold less than the repository has,
// for want of time or since it cannot be read or is not in this clone. A history
// that begins late, as a shallow clone's does, is all that there is, and a file in
// a hundred that is not here is as if it were binary.
func (s *State) Incomplete() bool {
	return s.cut || s.blind || len(s.lacks) > int(s.View.Files())/100
}

// warnLate says how many of the ranked files were not read for want of time:
// those of a commit that are not in the working tree, or changed since, are
// none of them.
func (s *State) warnLate() {
	n := 0
	for i := range s.late {
		if f, ok := s.View.Find(s.late[i].Path); ok && s.View.ID(f) == s.late[i].ID {
			n++
		}
	}
	if n > 0 {
		s.warn("%d of %s not read in the time given: ranked by path alone until the next run", n, counted(int(s.View.Files()), "file"))
	}
}

// left is how much of the time that is left may go into one more thing: half,
// since the answer must still be made.
func (s *State) left() time.Duration { return time.Until(s.end) / 2 }

// roomFor is how many of n files' facts can be joined in the time that is left.
func (s *State) roomFor(n int) int {
	if !s.hurried() {
		return n
	}
	return min(n, max(0, int((time.Duration(mostReserve*float64(time.Until(s.end)))-time.Duration(n)*perFile)/perFacts)))
}

// patience is how long to wait for another process that builds what is needed.
func (s *State) patience() time.Duration {
	if s.hurried() {
		return min(lockWait, max(0, time.Until(s.until)/2))
	}
	return lockWait
}
