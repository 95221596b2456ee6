package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// drain holds the end of a client's input back until what the client asked is
// answered: the library drops at the end of input what it still works on, and
// a script that pipes its requests in is gone before the first answer.
type drain struct {
	in   io.ReadCloser
	out  io.WriteCloser
	ctx  context.Context
	most time.Duration // to wait for the answers at the end

	line []byte // of the input, as far as it was read; nil beyond the limit
	long bool

	mu   sync.Mutex
	open map[string]bool // requests without an answer, by id
	left chan struct{}   // gets a value when open empties
}

func newDrain(ctx context.Context, in io.ReadCloser, out io.WriteCloser, most time.Duration) *drain {
	return &drain{in: in, out: out, ctx: ctx, most: most, open: map[string]bool{}, left: make(chan struct{}, 1)}
}

// drainIn and drainOut are the two ends.
type (
	drainIn  struct{ *drain }
	drainOut struct{ *drain }
)

func (d drainIn) Close() error  { return d.in.Close() }
func (d drainOut) Close() error { return d.out.Close() }

func (d drainIn) Read(p []byte) (int, error) {
	n, err := d.in.Read(p)
	for b := p[:n]; len(b) > 0; {
		part, rest, ended := bytes.Cut(b, []byte("\n"))
		if d.long = d.long || len(d.line)+len(part) > mcp.DefaultMaxLineLength; d.long {
			d.line = nil
		} else {
			d.line = append(d.line, part...)
		}
		if ended {
			d.took()
		}
		b = rest
	}
	if err != io.EOF {
		return n, err
	}
	if n > 0 {
		return n, nil // it has to be passed on before it can be answered
	}
	if (d.long || len(d.line) > 0) && len(p) > 0 { // a reader of lines waits for the last one's end
		d.took()
		p[0] = '\n'
		return 1, nil
	}
	d.wait()
	return 0, err
}

// wait returns when every request is answered, or never will be.
func (d *drain) wait() {
	over := time.After(d.most)
	for {
		d.mu.Lock()
		n := len(d.open)
		d.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-d.left:
		case <-over:
			return
		case <-d.ctx.Done():
			return
		}
	}
}

func (d drainOut) Write(b []byte) (int, error) {
	n, err := d.out.Write(b)
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range envelopes(b) {
		if m.Method == "" {
			d.close(m.ID)
		}
	}
	if err != nil { // nobody reads any more
		clear(d.open)
		d.tell()
	}
	return n, err
}

// took reads a whole line of the input.
func (d *drain) took() {
	line := d.line
	d.line, d.long = d.line[:0], false
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range envelopes(line) {
		switch id := idKey(m.ID); {
		case m.Method == "notifications/cancelled": // its answer is not waited for
			d.close(m.Params.RequestID)
		case m.Method != "" && id != "":
			d.open[id] = true
		}
	}
}

func (d *drain) close(id any) {
	delete(d.open, idKey(id))
	d.tell()
}

func (d *drain) tell() {
	if len(d.open) > 0 {
		return
	}
	select {
	case d.left <- struct{}{}:
	default:
	}
}

// envelope is what tells requests from answers.
type envelope struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Params struct {
		RequestID any `json:"requestId"`
	} `json:"params"`
}

// envelopes reads a message or a batch of them; what is neither gives none.
func envelopes(b []byte) []envelope {
	if b = bytes.TrimSpace(b); len(b) == 0 {
		return nil
	}
	if b[0] == '[' {
		var list []envelope
		if json.Unmarshal(b, &list) != nil {
			return nil
		}
		return list
	}
	var one envelope
	if json.Unmarshal(b, &one) != nil {
		return nil
	}
	return []envelope{one}
}

// idKey is an id as a key, "" for what is none. The library answers a number as
// a whole one of 64 bits, whatever it was sent as.
func idKey(id any) string {
	switch x := id.(type) {
	case string:
		return "string " + x
	case float64:
		return fmt.Sprintf("number %d", int64(x))
	case int64:
		return fmt.Sprintf("number %d", x)
	}
	return ""
}
