package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The codes of JSON-RPC for what is no request.
const (
	codeParse   = -32700
	codeInvalid = -32600
)

// frames passes a client's messages on, one a line, and answers what is none
// itself: the library would end the whole server over one line of garbage.
type frames struct {
	in   io.ReadCloser
	line *bufio.Reader
	out  *sharedWriter
	rest []byte // of the line that is being read
	err  error
}

func newFrames(in io.ReadCloser, out *sharedWriter) *frames {
	return &frames{in: in, line: bufio.NewReaderSize(in, 1<<16), out: out}
}

func (f *frames) Close() error { return f.in.Close() }

func (f *frames) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.err != nil {
			return 0, f.err
		}
		line, long, err := f.next()
		f.err = err
		line = bytes.TrimSpace(line)
		var code int
		var what string
		switch {
		case long:
			code, what = codeInvalid, fmt.Sprintf("a message is longer than %d bytes", mcp.DefaultMaxLineLength)
		case len(line) == 0:
			continue
		case !json.Valid(line):
			code, what = codeParse, "a line is no JSON"
		case line[0] == '[':
			if f.rest, err = f.out.batch(line); err != nil {
				return 0, err
			}
			continue
		default:
			if _, err := jsonrpc.DecodeMessage(line); err == nil {
				if err := f.out.cancelled(line); err != nil {
					return 0, err
				}
				f.rest = append(line, '\n')
				continue
			}
			code, what = codeInvalid, "a line is no message of JSON-RPC 2.0"
		}
		if err := f.refuse(code, what, line); err != nil {
			return 0, err
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// next reads a line; of one that is too long only that is told.
func (f *frames) next() (line []byte, long bool, err error) {
	for {
		part, err := f.line.ReadSlice('\n')
		if long = long || len(line)+len(part) > mcp.DefaultMaxLineLength; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// refuse answers a line with an error, under its id if it has a usable one.
func (f *frames) refuse(code int, what string, line []byte) error {
	b, err := refusal(code, what, line)
	if err != nil {
		return err
	}
	return f.out.line(b)
}

// refusal is the error that answers a message, under its id if it has a usable
// one.
func refusal(code int, what string, message []byte) ([]byte, error) {
	var m struct {
		ID any `json:"id"`
	}
	_ = json.Unmarshal(message, &m)
	if idKey(m.ID) == "" {
		m.ID = nil
	}
	return json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": code, "message": what}})
}
