package repo

import (
	"sync"

	"cohop/internal/facts"
)

// lightFacts is what resolution asks of the facts of all files of a tree,
// encoded: a tenth of what they take decoded, with their names as strings. A
// file is decoded when it is asked for. It is safe for concurrent use once all
// files are added.
type lightFacts struct {
	coded [][]byte

	mu   sync.Mutex
	memo map[int32]*facts.Facts // nil: none is kept
	held int                    // encoded bytes of those in memo
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
	l.mu.Lock()
	fa, ok := l.memo[f]
	l.mu.Unlock()
	if ok {
		return fa
	}
	fa, err := facts.DecodeParts(l.coded[f], facts.PartsLight)
	if err != nil {
		return nil // what add encoded decodes
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.memo != nil {
		if l.held > maxLight {
			clear(l.memo)
			l.held = 0
		}
		l.memo[f] = fa
		l.held += len(l.coded[f])
	}
	return fa
}

// remember begins to keep what was decoded last.
func (l *lightFacts) remember() { l.memo = map[int32]*facts.Facts{} }
