//go:build unix

package precise

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSpecial(t *testing.T) {
	const plain = "-- go.mod --\nmodule m\n-- a.go --\npackage m\n-- sub/b.go --\npackage sub\n"
	pipe := func(p string) error { return syscall.Mkfifo(p, 0o600) }
	for name, c := range map[string]struct {
		at   string
		make func(p string) error
		want string // "": it is fine
	}{
		"pipe":           {"x.go", pipe, "x.go is named like a source and is a pipe"},
		"pipe below":     {"sub/x.go", pipe, "sub/x.go"},
		"other source":   {"sub/x.s", pipe, "sub/x.s"},
		"sums":           {"go.sum", pipe, "go.sum"},
		"link to device": {"x.go", func(p string) error { return os.Symlink(os.DevNull, p) }, "is a device"},
		"too long":       {"x.go", func(p string) error { return sparse(p, maxListed+1) }, "64 MiB"},
		"long enough":    {"x.go", func(p string) error { return sparse(p, maxListed) }, ""},
		"other name":     {"x.fifo", pipe, ""},
		"passed over":    {"_x/x.go", pipe, ""},
		"link to none":   {"x.go", func(p string) error { return os.Symlink("gone", p) }, ""},
		"link to folder": {"x.go", func(p string) error { return os.Symlink("sub", p) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := tree(t, plain)
			p := filepath.Join(in.Root, c.at)
			if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := c.make(p); err != nil {
				t.Skip(err)
			}
			err := special(context.Background(), in.Root)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if special(ctx, tree(t, plain).Root) == nil {
		t.Error("went on when it was cancelled")
	}
}

func sparse(p string, size int64) error {
	if err := os.WriteFile(p, nil, 0o600); err != nil {
		return err
	}
	return os.Truncate(p, size)
}
