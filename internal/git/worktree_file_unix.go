//go:build unix

package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// treeFiles opens files below a folder, links in no component followed. It is
// for one goroutine.
type treeFiles struct{ treeFolders }

func openTree(root string) (*treeFiles, error) {
	f, err := openTreeFolders(root)
	if err != nil {
		return nil, err
	}
	return &treeFiles{f}, nil
}

// open opens a regular file; path must have passed validPath.
func (t *treeFiles) open(path string) (*os.File, fs.FileInfo, error) {
	dir := parentDir(path)
	at, err := t.enter(dir)
	var f *os.File
	if err == nil {
		name := path
		if dir != "" {
			name = path[len(dir)+1:]
		}
		var fd int
		// Without O_NONBLOCK opening a pipe would wait for its writer.
		if fd, err = openRetry(at, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY); err == nil {
			f = os.NewFile(uintptr(fd), path)
		}
	}
	if err != nil {
		if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EMLINK) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ENXIO) {
			err = ErrNotFile
		}
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("open %s: %w", path, ErrNotFile)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func openRetry(at int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(at, name, flags|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}
