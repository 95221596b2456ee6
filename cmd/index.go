package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cohop/internal/repo"
	"cohop/rank"
)

// indexing holds the flags of rank index.
type indexing struct {
	place
	gc      bool
	limit   string
	precise bool

	limited func() bool // whether --limit was given
}

func indexCommand() *cobra.Command {
	x := &indexing{}
	c := &cobra.Command{
		Use:   "index",
		Short: "Build or refresh what queries need, and say what it holds",
		Long: `index does ahead of a query what its first one would do: it extracts the facts of
the files, joins them into an index of the tree, and reads the history. All of
it is kept in the cache and can be thrown away at any time.

With --precise the edges between Go files are found by type-checking instead of
by names. The go command must be in PATH, outside of the repository; it is asked
what packages there are and nothing else, and neither runs nor writes anything
of the repository. Queries use these edges as long as they are there for the
tree, and for what a changed tree left as it was; they never make them. Modules
that were not downloaded leave gaps, which go mod download closes. What cannot
be typed keeps the edges it had.

With --gc it only cleans up, over the caches of all repositories: files that another version
made go, then what was not used for longest, until --limit is kept.`,
		Example: "  rank index\n  rank index --rev v2.1\n  rank index --precise\n  rank index --gc --limit 500MiB",
		Args:    noWords,
		RunE:    runs(x.run),
	}
	f := c.Flags()
	f.SortFlags = false
	x.place.flags(c)
	f.BoolVar(&x.precise, "precise", false, "type-check the working tree's Go files for exact edges")
	f.BoolVar(&x.gc, "gc", false, "remove what is old from the caches of all repositories")
	x.limited = func() bool { return f.Changed("limit") }
	f.StringVar(&x.limit, "limit", bytesFlag(repo.DefaultCacheLimit), "what --gc keeps at most, such as 500MiB")
	return c
}

func (x *indexing) run(ctx context.Context, _ []string, _ io.Reader, stdout, stderr io.Writer) error {
	if err := x.place.check(); err != nil {
		return err
	}
	limit, err := parseBytes(x.limit)
	if err != nil {
		return err
	}
	switch {
	case x.gc && (x.precise || x.rev != ""):
		return &usageError{"--gc only cleans up: it builds nothing", "run rank index again without --gc"}
	case !x.gc && x.limited():
		return &usageError{"--limit says what --gc keeps", "give both, or neither"}
	}
	if x.gc {
		return x.collect(limit, stdout, stderr)
	}
	if x.precise && (x.rev != "" || x.noCache) {
		flag, why := "--rev", "types are those of the working tree"
		if x.noCache {
			flag, why = "--no-cache", "what it finds is kept in the cache"
		}
		return &usageError{"--precise and " + flag + " contradict each other: " + why, "leave one of them out"}
	}
	p := newProgress(stderr)
	start := time.Now()
	opt := x.place.options()
	opt.Exact, opt.Plain, opt.Progress = true, x.precise, p
	st, err := repo.Open(ctx, opt)
	if err != nil {
		p.done()
		return err
	}
	defer st.Close()
	var typed *repo.Precise
	if x.precise {
		typed, err = st.Retype(ctx)
	}
	p.done()
	if errors.Is(err, repo.ErrPrecise) {
		return err
	}
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		warn(stderr, []string{"--precise: " + err.Error() + "; edges are found by names"})
	}
	warn(stderr, st.Warnings)
	if w := rank.Barren(st); w != "" {
		warn(stderr, []string{w})
	}
	took := time.Since(start)
	v := st.View
	commits, symbols := int32(0), 0
	if st.History != nil {
		commits = st.History.N
	}
	for f := range v.Files() {
		symbols += len(v.SymbolsOf(f))
	}
	parts, err := repo.CacheParts(st.CacheDir())
	if err != nil {
		return err
	}
	kept := int64(0)
	for _, c := range parts {
		kept += c.Bytes
	}
	rows := [][]string{
		{"files", strconv.Itoa(int(v.Files()))},
		{"chunks", strconv.Itoa(int(v.Chunks()))},
		{"symbols", strconv.Itoa(symbols)},
		{"edges", strconv.Itoa(len(v.Edges()))},
		{"commits", strconv.Itoa(int(commits))},
		{"seconds", fmt.Sprintf("%.2f", took.Seconds())},
		{"cache", bytesText(kept)},
	}
	if typed != nil {
		row := fmt.Sprintf("%d Go files, %d edges", typed.Files, typed.Edges)
		if typed.Partial > 0 {
			row += fmt.Sprintf("; %d files in part", typed.Partial)
		}
		rows = append(rows, []string{"typed", row})
		warn(stderr, typed.Gaps())
	}
	return table(stdout, rows)
}

func (x *indexing) collect(limit int64, stdout, stderr io.Writer) error {
	if x.noCache {
		return &usageError{"--gc cleans the cache, --no-cache has none", "leave one of them out"}
	}
	done, err := repo.Collect(x.cacheDir, limit)
	if err != nil {
		return err
	}
	if done.Busy > 0 {
		fmt.Fprintf(stderr, "rank: warning: caches in use, left alone: %d\n", done.Busy)
	}
	return table(stdout, [][]string{
		{"repositories", strconv.Itoa(done.Repos)},
		{"files removed", strconv.Itoa(done.Removed)},
		{"freed", bytesText(done.Freed)},
		{"kept", bytesText(done.Kept)},
	})
}

// units of sizes, the longest name first.
var units = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}

// parseBytes reads a size such as 500MiB.
func parseBytes(s string) (int64, error) {
	if s == "0" {
		return 0, nil
	}
	for _, u := range units {
		number, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > (1<<62)/u.size {
			break
		}
		return n * u.size, nil
	}
	return 0, &usageError{fmt.Sprintf("--limit %q is no size", s), "give a number with its unit, B, KiB, MiB or GiB: a bare 5 would keep five bytes"}
}

func bytesFlag(n int64) string { return fmt.Sprintf("%dGiB", n>>30) }
