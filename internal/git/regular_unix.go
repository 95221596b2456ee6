//go:build unix

package git

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// openRegular opens a regular file by its name, links followed. A pipe, a
// socket or a device is refused, not waited for.
func openRegular(name string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: %w", name, ErrNotFile)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}
