package agent

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// TestPiped: what was asked before the input ends is answered, whether the
// last line has an end or not.
func TestPiped(t *testing.T) {
	dir := fixture(t, shop)
	const (
		hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
		ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
		list  = `{"jsonrpc":"2.0","id":"l","method":"tools/list"}` + "\n"
		ask   = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"rank","arguments":{"task":"redeem a voucher"}}}`
	)
	for _, in := range []string{hello + ready + list + ask, hello + ready + list + ask + "\n"} {
		var out bytes.Buffer
		m := &MCP{Repo: dir, CacheDir: t.TempDir(), Deadline: patient}
		if err := m.Stdio(t.Context(), io.NopCloser(strings.NewReader(in)), unclosedBuffer{&out}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"id":1,`, `"id":"l",`, `"id":3,`, "def redeem_voucher"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %s in %.2000s", want, out.String())
			}
		}
	}
}

// An answer is told by its id as the library writes it, not as it was asked.
func TestIDsAsAnswered(t *testing.T) {
	for asked, answered := range map[float64]float64{1.5: 1, 7: 7, 1 << 53: 1 << 53} {
		if idKey(asked) != idKey(answered) || idKey(asked) != idKey(int64(answered)) {
			t.Errorf("id %v is answered as %v: keys %q and %q", asked, answered, idKey(asked), idKey(answered))
		}
	}
	if idKey("1") == idKey(1.0) || idKey(nil) != "" {
		t.Error("a text is no number, and nothing is no id")
	}
}

type unclosedBuffer struct{ io.Writer }

func (unclosedBuffer) Close() error { return nil }
