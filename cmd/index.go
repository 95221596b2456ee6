package cmd

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"cohop/internal/repo"
)

// indexing holds the flags of rank index.
type indexing struct {
	place
}

func indexCommand() *cobra.Command {
	x := &indexing{}
	c := &cobra.Command{
		Use:   "index",
		Short: "Build or refresh what queries need, and say what it holds",
		Args:  noWords,
		RunE:  runs(x.run),
	}
	c.Flags().SortFlags = false
	x.place.flags(c)
	return c
}

func (x *indexing) run(ctx context.Context, _ []string, _ io.Reader, stdout, stderr io.Writer) error {
	p := newProgress(stderr)
	defer p.done()
	start := time.Now()
	opt := x.place.options()
	opt.Exact, opt.Progress = true, p
	st, err := repo.Open(ctx, opt)
	p.done()
	if err != nil {
		return err
	}
	defer st.Close()
	for _, w := range st.Warnings {
		fmt.Fprintf(stderr, "rank: warning: %s\n", w)
	}
	v := st.View
	commits := int32(0)
	if st.History != nil {
		commits = st.History.N
	}
	symbols := 0
	for f := range v.Files() {
		symbols += len(v.SymbolsOf(f))
	}
	fmt.Fprintf(stdout, "files\t%d\nchunks\t%d\nsymbols\t%d\nedges\t%d\ncommits\t%d\ntime\t%.2fs\n",
		v.Files(), v.Chunks(), symbols, len(v.Edges()), commits, time.Since(start).Seconds())
	return nil
}
