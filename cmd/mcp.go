package cmd

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/spf13/cobra"

	"cohop/agent"
)

// tokenVar holds the token of an HTTP server: a flag would show it to every
// user of the machine.
const tokenVar = "RANK_MCP_TOKEN"

// serving holds the flags of rank mcp.
type serving struct {
	agent.MCP
	http string
}

func mcpCommand() *cobra.Command {
	m := &serving{}
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve agents over the Model Context Protocol",
		Long: `mcp serves the tools rank and explain on stdin and stdout, or with --http at an
address. Without a token only addresses of this machine are listened at; the
variable ` + tokenVar + ` holds one.

rank install registers it with a client.`,
		Example: "  rank mcp\n  rank mcp --profile compact\n  rank mcp --http 127.0.0.1:8717",
		Args:    noWords,
		RunE:    runs(m.run),
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&m.Repo, "repo", "", "repository of calls that name none (default the current folder)")
	f.StringVar(&m.Profile, "profile", agent.Full, "what answers hold: full, or compact without reasons")
	f.StringVar(&m.http, "http", "", "serve at this address, such as 127.0.0.1:8717, instead of stdin and stdout")
	f.BoolVar(&m.Structured, "structured", false, "add figures and paths as structured content, for clients that are programs")
	f.DurationVar(&m.Deadline, "deadline", agent.MCPDeadline, "answer from file names when an index is not ready within this time")
	f.StringVar(&m.CacheDir, "cache-dir", "", "folder for derived files")
	f.BoolVar(&m.NoCache, "no-cache", false, "neither read nor write derived files")
	complete(c, "profile", agent.Full, agent.Compact)
	return c
}

func (m *serving) run(ctx context.Context, _ []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if m.Profile != agent.Full && m.Profile != agent.Compact {
		return &usageError{fmt.Sprintf("--profile %q: there is no such profile", m.Profile), "want full or compact"}
	}
	if m.Deadline <= 0 {
		return &usageError{fmt.Sprintf("--deadline %v is over before anything can be done", m.Deadline), "give a time such as 20s"}
	}
	m.Version = version()
	if m.http != "" {
		return m.HTTP(ctx, m.http, os.Getenv(tokenVar), func(a net.Addr) {
			fmt.Fprintf(stderr, "rank: serving at http://%s\n", a)
		})
	}
	return m.Stdio(ctx, io.NopCloser(stdin), unclosed{stdout})
}

// unclosed is a stream whose owner closes it.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
