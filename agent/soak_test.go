package agent

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	soakClients = 50
	soakCalls   = 1000
	soakRounds  = 10 // memory is looked at between them, when nothing runs
)

// TestSoak: fifty clients of one server, a thousand calls about several
// repositories, a fifth of them cancelled at any moment. No call fails that was
// not cancelled, memory is flat after the first hundred, and the server is gone
// when its stdin is closed.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand calls")
	}
	var dirs []string
	for i := range 4 {
		files := map[string]string{}
		for p, s := range shop {
			files[p] = s
		}
		files["more.py"] = fmt.Sprintf("def only_here_%d():\n    return %d\n", i, i)
		dirs = append(dirs, fixture(t, files))
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe)
	c.Env = append(os.Environ(), "RANK_TEST_SERVE=http", "RANK_TEST_CACHE="+t.TempDir())
	c.Stderr = os.Stderr
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() {
		t.Fatal("no address")
	}
	at := "http://" + lines.Text()
	memory := func() (kib int) {
		if _, err := fmt.Fprintln(stdin, "memory"); err != nil || !lines.Scan() {
			t.Fatalf("the server is gone: %v", err)
		}
		if _, err := fmt.Sscan(lines.Text(), &kib); err != nil || kib == 0 {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		return kib
	}
	clients := make([]*mcp.ClientSession, soakClients)
	for i := range clients {
		clients[i], err = mcp.NewClient(&mcp.Implementation{Name: "soak", Version: "1"}, nil).Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: at, HTTPClient: &http.Client{Transport: &http.Transport{}}, DisableStandaloneSSE: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	var cancelled, answered atomic.Int64
	var after []int
	for round := range soakRounds {
		var wg sync.WaitGroup
		for i, cs := range clients {
			wg.Add(1)
			go func() {
				defer wg.Done()
				r := rand.New(rand.NewPCG(uint64(round), uint64(i)))
				for range soakCalls / soakRounds / soakClients {
					ctx, cancel := context.WithCancel(t.Context())
					cut := r.IntN(5) == 0
					if cut {
						time.AfterFunc(time.Duration(r.IntN(40))*time.Millisecond, cancel)
					}
					which := r.IntN(len(dirs))
					res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "rank", Arguments: map[string]any{
						"task": fmt.Sprintf("only_here_%d", which), "repo": dirs[which], "session": fmt.Sprintf("s%d", i)}})
					switch {
					case cut && (errors.Is(err, context.Canceled) || err != nil && ctx.Err() != nil || err == nil && res.IsError && ctx.Err() != nil):
						cancelled.Add(1)
					case err != nil:
						t.Errorf("client %d: %v", i, err)
					case res.IsError || !strings.Contains(textOf(res), fmt.Sprintf("def only_here_%d", which)):
						t.Errorf("client %d: %s", i, textOf(res))
					default:
						answered.Add(1)
					}
					cancel()
				}
			}()
		}
		wg.Wait()
		after = append(after, memory())
	}
	t.Logf("%d answered, %d cancelled, KiB after each hundred: %v", answered.Load(), cancelled.Load(), after)
	if n := answered.Load() + cancelled.Load(); n != soakCalls || cancelled.Load() == 0 {
		t.Errorf("%d calls ended", n)
	}
	// A leak of a call's engine would be megabytes a hundred calls; what a heap
	// keeps for itself comes and goes.
	first, last := after[1], min(after[len(after)-1], after[len(after)-2])
	if last > first+first/4+8<<10 {
		t.Errorf("memory grows: %v KiB", after)
	}
	for _, cs := range clients {
		cs.Close()
	}
	stdin.Close()
	if err := c.Wait(); err != nil {
		t.Errorf("after stdin is closed: %v", err)
	}
}
