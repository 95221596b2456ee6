package agent

import (
	"context"
	"fmt"
	"os"
)

// serveForTest is the test binary as a server of its own: what a client
// starts over stdio.
func serveForTest() int {
	m := &MCP{Repo: os.Getenv("RANK_TEST_REPO"), CacheDir: os.Getenv("RANK_TEST_CACHE"), Deadline: patient}
	if err := m.Stdio(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
