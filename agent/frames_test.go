package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestGarbageFrames sends what is no message between messages: each is refused,
// and the server goes on.
func TestGarbageFrames(t *testing.T) {
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- (&MCP{Repo: t.TempDir(), NoCache: true}).Stdio(context.Background(), in, out) }()
	answers := bufio.NewReaderSize(stdout, 1<<16)
	ask := func(line string) (id any, code float64) {
		t.Helper()
		if _, err := io.WriteString(stdin, line+"\n"); err != nil {
			t.Fatal(err)
		}
		s, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			ID    any
			Error struct{ Code float64 }
		}
		if err := json.Unmarshal([]byte(s), &m); err != nil {
			t.Fatalf("%v: %s", err, s)
		}
		return m.ID, m.Error.Code
	}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	if id, code := ask("\n \r\n" + hello); id != 1.0 || code != 0 {
		t.Fatalf("initialize: %v, %v", id, code)
	}
	if _, err := io.WriteString(stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		id   any
		code float64
	}{
		{"garbage", nil, codeParse}, {"\xff\xfe\x00", nil, codeParse}, {`{"jsonrpc":"2.0","id":4,"meth`, nil, codeParse},
		{`{"a":1}`, nil, codeInvalid}, {`5`, nil, codeInvalid}, {`null`, nil, codeInvalid}, {`"x"`, nil, codeInvalid},
		{`{"id":7,"method":"tools/list"}`, 7.0, codeInvalid}, {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, codeInvalid},
		{`{"jsonrpc":"2.0","id":8,"method":"` + strings.Repeat("x", mcp.DefaultMaxLineLength) + `"}`, nil, codeInvalid},
	} {
		if id, code := ask(c.line); id != c.id || code != c.code {
			t.Errorf("%.40q: id %v, code %v", c.line, id, code)
		}
		if id, code := ask(`{"jsonrpc":"2.0","id":"p","method":"ping"}`); id != "p" || code != 0 {
			t.Fatalf("ping after %.40q: id %v, code %v", c.line, id, code)
		}
	}
	stdin.Close()
	go func() { _, _ = io.Copy(io.Discard, answers) }()
	if err := <-done; err != nil {
		t.Errorf("after stdin is closed: %v", err)
	}
}

// TestBatches sends batches of every kind, in every version of the protocol:
// each member is answered, and the server goes on.
func TestBatches(t *testing.T) {
	for _, version := range []string{"2025-03-26", "2025-06-18"} {
		in, stdin := io.Pipe()
		stdout, out := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- (&MCP{Repo: t.TempDir(), NoCache: true}).Stdio(context.Background(), in, out) }()
		answers := bufio.NewReaderSize(stdout, 1<<16)
		tell := func(line string) {
			t.Helper()
			if _, err := io.WriteString(stdin, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		// heard is the next answer, each message as its id and the code of its
		// error, 0 for none.
		heard := func() string {
			t.Helper()
			s, err := answers.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			type message struct {
				ID    any
				Error struct{ Code int }
			}
			var one message
			if json.Unmarshal([]byte(s), &one) == nil {
				return fmt.Sprint(one.ID, " ", one.Error.Code)
			}
			var many []message
			if err := json.Unmarshal([]byte(s), &many); err != nil {
				t.Fatalf("%v: %s", err, s)
			}
			var all []string
			for _, m := range many {
				all = append(all, fmt.Sprint(m.ID, " ", m.Error.Code))
			}
			return "[" + strings.Join(all, ", ") + "]"
		}
		tell(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if got := heard(); got != "1 0" {
			t.Fatalf("initialize: %s", got)
		}
		note := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		tell("[" + note + "]") // has no answer
		ping := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
		for _, c := range []struct{ batch, want string }{
			{"[" + ping("2") + "]", "[2 0]"},
			{"[" + ping("2") + ", " + ping(`"2"`) + "]", "[2 0, 2 0]"},
			{"[]", "<nil> -32600"},
			{"[5, null, [], {}, \"x\"]", "[<nil> -32600, <nil> -32600, <nil> -32600, <nil> -32600, <nil> -32600]"},
			{"[" + ping("3") + `, {"id":7,"method":"ping"}, ` + ping("4") + "]", "[3 0, 7 -32600, 4 0]"},
			{"[" + note + "," + ping("5") + "," + note + "]", "[5 0]"},
			{"[" + ping("6") + "," + ping("6") + "]", "[6 0, 6 -32600]"},
			{"[" + strings.Repeat(ping("1")+",", maxBatch) + ping("1") + "]", "<nil> -32600"},
			{"[" + ping("9") + `,{"jsonrpc":"2.0","id":9,"result":{}}]`, "[9 0]"}, // an answer to what was not asked
		} {
			tell(c.batch)
			if got := heard(); got != c.want {
				t.Errorf("%s: %.80s gives %s, want %s", version, c.batch, got, c.want)
			}
			tell(ping(`"p"`))
			if got := heard(); got != "p 0" {
				t.Fatalf("%s: ping after %.80s: %s", version, c.batch, got)
			}
		}
		stdin.Close()
		go func() { _, _ = io.Copy(io.Discard, answers) }()
		if err := <-done; err != nil {
			t.Errorf("after stdin is closed: %v", err)
		}
	}
}

// TestBatchTakenBack: a call of a batch that the client cancels does not hold
// the others' answers back, whether or not it is answered all the same.
func TestBatchTakenBack(t *testing.T) {
	call := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }
	back := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	answer := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }
	for _, inside := range []bool{true, false} {
		var out bytes.Buffer
		w := &sharedWriter{WriteCloser: closing{&out}}
		members := call("1") + "," + call("2")
		if inside {
			members += "," + back
		}
		if _, err := w.batch([]byte("[" + members + "]")); err != nil {
			t.Fatal(err)
		}
		if err := w.cancelled([]byte(back)); err != nil || out.Len() != 0 {
			t.Fatalf("%v, %s", err, &out)
		}
		for _, id := range []string{"1", "2"} {
			if _, err := io.WriteString(w, answer(id)+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		if want := answer("1") + "\n[" + answer("2") + "]\n"; out.String() != want || len(w.waiting) != 0 {
			t.Errorf("%s, %d waiting", &out, len(w.waiting))
		}
	}
}

// closing is a writer with nothing to close.
type closing struct{ io.Writer }

func (closing) Close() error { return nil }
