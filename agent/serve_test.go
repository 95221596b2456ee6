package agent

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// serveForTest is the test binary as a server of its own: what a client starts
// over stdio, or with RANK_TEST_SERVE=http a server at an address that it
// prints. The latter answers a line on stdin with the memory it holds, and
// ends with stdin.
func serveForTest() int {
	m := &MCP{Repo: os.Getenv("RANK_TEST_REPO"), CacheDir: os.Getenv("RANK_TEST_CACHE"), Deadline: patient}
	serve := func(ctx context.Context) error { return m.Stdio(ctx, os.Stdin, os.Stdout) }
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if os.Getenv("RANK_TEST_SERVE") == "http" {
		serve = func(ctx context.Context) error {
			return m.HTTP(ctx, "127.0.0.1:0", "", func(a net.Addr) { fmt.Println(a) })
		}
		go func() {
			defer cancel()
			for in := bufio.NewScanner(os.Stdin); in.Scan(); {
				debug.FreeOSMemory()
				fmt.Println(held())
			}
		}()
	}
	if err := serve(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// held is the memory of this process that is in use, in KiB: what the system
// says, which counts what is outside Go's heap, or what Go says.
func held() int {
	if b, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(b)) {
			var n int
			if _, err := fmt.Sscanf(line, "RssAnon: %d kB", &n); err == nil {
				return n
			}
		}
	}
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapInuse >> 10)
}
