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
	// mostReserve of the time.
	reserve     = 0.4
	perFile     = 25 * time.Microsecond
	mostReserve = 0.8

	// pastShare is the share of that time after which the history is no
	// longer begun with.
	pastShare = 0.5
)

// setDeadline notes until when files may be read.
func (s *State) setDeadline(ctx context.Context) {
	if d, ok := ctx.Deadline(); ok {
		left := float64(time.Until(d))
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

// patience is how long to wait for another process that builds what is needed.
func (s *State) patience() time.Duration {
	if s.hurried() {
		return min(lockWait, max(0, time.Until(s.until)/2))
	}
	return lockWait
}
