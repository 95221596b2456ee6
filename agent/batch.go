package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxBatch is the most messages of one batch: no client has so many calls at a
// time, and all answers are held until the last is there.
const maxBatch = 256

// sharedWriter lets two write whole lines; the library writes each message in
// one call. Batches are taken apart and put together here: the library ends the
// whole server over one that it does not like (a member that is no message, two
// of one id, none at all, any batch in later versions of the protocol), and one
// that holds a notification is never answered.
type sharedWriter struct {
	mu sync.Mutex
	io.WriteCloser
	waiting map[string]*batch // by the id of each call without an answer
}

// batch is the answer to a batch while it comes in, in the order in which the
// members were sent. What is no call has no place in it.
type batch struct {
	answers [][]byte // nil: not there yet
	place   map[string]int
}

func (w *sharedWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) > 0 {
		if m := envelopes(b); len(m) == 1 && m[0].Method == "" {
			if done, err := w.resolve(idKey(m[0].ID), bytes.TrimSpace(b)); done {
				return len(b), err
			}
		}
	}
	return w.WriteCloser.Write(b)
}

// line writes one message that the library did not make.
func (w *sharedWriter) line(b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.WriteCloser.Write(append(b, '\n'))
	return err
}

// batch returns the messages of a batch, which is valid JSON, a line each. What
// is none is refused in its place of the answer.
func (w *sharedWriter) batch(line []byte) (messages []byte, err error) {
	var members []json.RawMessage
	what := ""
	if json.Unmarshal(line, &members) != nil || len(members) == 0 {
		what = "a batch holds no message"
	} else if len(members) > maxBatch {
		what = fmt.Sprintf("a batch holds %d messages: at most %d are read", len(members), maxBatch)
	}
	if what != "" {
		b, err := refusal(codeInvalid, what, nil)
		if err != nil {
			return nil, err
		}
		return nil, w.line(b)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	all := &batch{place: map[string]int{}}
	var back []envelope
	for _, m := range members {
		what := ""
		msg, err := jsonrpc.DecodeMessage(m)
		if err != nil {
			what = "a member of the batch is no message of JSON-RPC 2.0"
		} else if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
			if id := idKey(r.ID.Raw()); w.waiting[id] == nil {
				if w.waiting == nil {
					w.waiting = map[string]*batch{}
				}
				w.waiting[id], all.place[id] = all, len(all.answers)
				all.answers = append(all.answers, nil)
			} else {
				what = "another call of a batch has this id"
			}
		}
		if what == "" {
			var one bytes.Buffer // a line, however it was laid out
			if err := json.Compact(&one, m); err != nil {
				return nil, err
			}
			messages = append(append(messages, one.Bytes()...), '\n')
			back = append(back, envelopes(m)...)
			continue
		}
		b, err := refusal(codeInvalid, what, m)
		if err != nil {
			return nil, err
		}
		all.answers = append(all.answers, b)
	}
	err = w.flush(all)
	for i := 0; i < len(back) && err == nil; i++ {
		err = w.cancel(&back[i])
	}
	return messages, err
}

// resolve puts an answer in its place, and tells whether there is one: nil for
// a call that nobody waits for any more.
func (w *sharedWriter) resolve(id string, answer []byte) (bool, error) {
	b := w.waiting[id]
	if b == nil {
		return false, nil
	}
	delete(w.waiting, id)
	b.answers[b.place[id]] = bytes.Clone(answer)
	delete(b.place, id)
	return true, w.flush(b)
}

// cancelled drops a call that the client takes back from the batch it is in.
func (w *sharedWriter) cancelled(line []byte) error {
	m := envelopes(line)
	if len(m) != 1 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cancel(&m[0])
}

func (w *sharedWriter) cancel(m *envelope) error {
	if m.Method != "notifications/cancelled" {
		return nil
	}
	_, err := w.resolve(idKey(m.Params.RequestID), nil)
	return err
}

// flush writes the answer to a batch when all of it is there. A batch of
// notifications has none.
func (w *sharedWriter) flush(b *batch) error {
	if len(b.place) > 0 {
		return nil
	}
	all := slices.DeleteFunc(b.answers, func(a []byte) bool { return a == nil })
	if len(all) == 0 {
		return nil
	}
	_, err := w.WriteCloser.Write(append(append([]byte{'['}, bytes.Join(all, []byte{','})...), "]\n"...))
	return err
}
