package repo

import (
	"sync/atomic"

	"cohop/internal/facts"
)

// lightFacts is what resolution asks of the facts of all files of a tree,
// encoded: a tenth of what they take decoded, with their names as strings. A
// file is decoded when it is asked for. It is safe for concurrent use once all
// files are added.
type lightFacts struct {
	coded [][]byte

	// What was decoded last, by file; nil: none is kept. It is asked for by
	// all workers, which a lock would put to sleep in turn.
	memo []atomic.Pointer[facts.Facts]
	held atomic.Int64 // encoded bytes of those in memo
}

// maxLight is how many encoded bytes the decoded files of lightFacts stand for
// at most: those that others lead to again and again are few.
const maxLight = 2 << 20

// add takes the facts of the next file.
func (l *lightFacts) add(f *facts.Facts) { l.coded = append(l.coded, trim(f).Encode(nil)) }

// get returns the facts of a file, nil if there is no such file.
func (l *lightFacts) get(f int32) *facts.Facts {
	if int(f) >= len(l.coded) {
		return nil
	}
	if l.memo != nil {
		if fa := l.memo[f].Load(); fa != nil {
			return fa
		}
	}
	fa, err := facts.DecodeParts(l.coded[f], facts.PartsLight)
	if err != nil {
		return nil // what add encoded decodes
	}
	if l.memo != nil && l.memo[f].Swap(fa) == nil && l.held.Add(int64(len(l.coded[f]))) > maxLight {
		l.held.Store(0)
		for i := range l.memo {
			l.memo[i].Store(nil)
		}
	}
	return fa
}

// remember begins to keep what was decoded last, when all files are added.
func (l *lightFacts) remember() { l.memo = make([]atomic.Pointer[facts.Facts], len(l.coded)) }
