//go:build !unix

package git

import (
	"fmt"
	"io/fs"
	"os"
)

// openRegular opens a regular file by its name, links followed.
func openRegular(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("open %s: %w", name, ErrNotFile)
	}
	f, err := os.Open(name)
	return f, info, err
}
