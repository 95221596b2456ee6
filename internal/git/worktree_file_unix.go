//go:build unix

package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// treeFiles opens files below a folder. No symlink is followed in any
// component, whatever happens to the tree meanwhile: each component is opened
// relative to the one before. It is for one goroutine.
type treeFiles struct {
	root int
	dir  string // folder that last is, "" for root
	last int    // open folder that the previous path was in
}

func openTree(root string) (*treeFiles, error) {
	fd, err := openRetry(unix.AT_FDCWD, root, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: root, Err: err}
	}
	return &treeFiles{root: fd, last: fd}, nil
}

func (t *treeFiles) close() {
	t.leave()
	unix.Close(t.root)
}

func (t *treeFiles) leave() {
	if t.last != t.root {
		unix.Close(t.last)
	}
	t.dir, t.last = "", t.root
}

// enter makes last the folder dir.
func (t *treeFiles) enter(dir string) error {
	if dir == t.dir {
		return nil
	}
	t.leave()
	at := t.root
	for rest := dir; rest != ""; {
		name := rest
		name, rest = cutElement(rest)
		fd, err := openRetry(at, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW)
		if at != t.root {
			unix.Close(at)
		}
		if err != nil {
			return err
		}
		at = fd
	}
	t.dir, t.last = dir, at
	return nil
}

// open opens a regular file; path must have passed validPath.
func (t *treeFiles) open(path string) (*os.File, fs.FileInfo, error) {
	dir := parentDir(path)
	err := t.enter(dir)
	var f *os.File
	if err == nil {
		name := path
		if dir != "" {
			name = path[len(dir)+1:]
		}
		var fd int
		// Without O_NONBLOCK opening a pipe would wait for its writer.
		if fd, err = openRetry(t.last, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY); err == nil {
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
