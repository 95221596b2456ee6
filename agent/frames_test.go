package agent

import (
	"bufio"
	"context"
	"encoding/json"
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
