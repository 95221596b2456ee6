package eval

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"cohop/labels"
)

// Journal keeps the results of single tasks as JSON Lines, one written as soon
// as it is known, so that an interrupted run loses at most one task a worker. A
// result counts again only for the same label, variant and fingerprint: what
// else the results depend on. Failures are kept too; a task that was never
// asked is not. A nil Journal keeps nothing.
type Journal struct {
	fingerprint string

	mu   sync.Mutex
	w    io.Writer
	done map[string]*entry
}

// entry is a line of a journal.
type entry struct {
	Key      string          `json:"key"`
	Result   TaskResult      `json:"result"`
	Ranked   []labels.Scored `json:"ranked"`
	Answered bool            `json:"answered"`
	Columns  []string        `json:"columns,omitempty"`
	Rho      []*float64      `json:"rho,omitempty"` // null: none
}

// NewJournal reads what r holds (nil: nothing) and appends to w. A last line
// that was cut short is passed over; the caller must see to it that what
// follows starts on a new line (Torn).
func NewJournal(r io.Reader, w io.Writer, fingerprint string) (j *Journal, torn bool, err error) {
	j = &Journal{fingerprint: fingerprint, w: w, done: map[string]*entry{}}
	if r == nil {
		return j, false, nil
	}
	b := bufio.NewReader(r)
	for {
		line, err := b.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var e entry
			torn = err != nil
			if json.Unmarshal(line, &e) == nil && e.Key != "" {
				j.done[e.Key] = &e
			}
		}
		if errors.Is(err, io.EOF) {
			return j, torn, nil
		} else if err != nil {
			return nil, false, fmt.Errorf("read journal: %w", err)
		}
	}
}

// Len counts the results that are kept.
func (j *Journal) Len() int { return len(j.done) }

func (j *Journal) key(l *labels.Label, v *Variant, repo string) string {
	h := sha256.New()
	enc := json.NewEncoder(h)
	// None of these can fail to encode: they are strings, numbers and lists.
	_ = enc.Encode([]any{j.fingerprint, l, v.Name, v.Without, repo})
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (j *Journal) get(l *labels.Label, v *Variant, repo string) (TaskResult, bool) {
	if j == nil {
		return TaskResult{}, false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	e := j.done[j.key(l, v, repo)]
	if e == nil || e.Result.ID != l.ID {
		return TaskResult{}, false
	}
	t := e.Result
	t.Ranked, t.answered, t.Relevant = e.Ranked, e.Answered, l.Files
	if len(e.Columns) > 0 && len(e.Rho) == len(e.Columns)*(len(e.Columns)-1)/2 {
		t.pairs = &pairs{ids: e.Columns}
		for _, r := range e.Rho {
			x := math.NaN()
			if r != nil {
				x = *r
			}
			t.pairs.rho = append(t.pairs.rho, x)
		}
	}
	return t, true
}

func (j *Journal) put(l *labels.Label, v *Variant, t *TaskResult) error {
	if j == nil {
		return nil
	}
	e := entry{Key: j.key(l, v, t.Repo), Result: *t, Ranked: t.Ranked, Answered: t.answered}
	if t.pairs != nil {
		e.Columns = t.pairs.ids
		for _, r := range t.pairs.rho {
			if math.IsNaN(r) {
				e.Rho = append(e.Rho, nil)
			} else {
				e.Rho = append(e.Rho, &r)
			}
		}
	}
	b, err := json.Marshal(&e)
	if err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.w.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("write journal: %w", err)
	}
	return nil
}
