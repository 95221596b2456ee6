package cmd

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"cohop/internal/facts"
	"cohop/internal/history"
	"cohop/internal/index"
	"cohop/rank"
)

// version is what the build knows of itself: the module's version, else the
// commit that was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v, dirty := info.Main.Version, ""
	commit := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			commit = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	switch {
	case v != "" && v != "(devel)":
		return v
	case commit != "":
		return "devel " + commit + dirty
	}
	return "devel"
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and those of the formats",
		Args:  noWords,
		RunE: runs(func(_ context.Context, _ []string, _ io.Reader, stdout, _ io.Writer) error {
			_, err := fmt.Fprintf(stdout, "rank %s\n%s %s/%s\nresult %s\nfacts %d, segment %d, log %d\n",
				version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, rank.Schema,
				facts.Version, index.FormatVersion, history.FormatVersion)
			return err
		}),
	}
}
