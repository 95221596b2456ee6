//go:build !unix

package git

import (
	"fmt"
	"io/fs"
	"os"
)

// treeFiles opens files below a folder. os.Root keeps every path inside the
// folder; symlinks are looked for before opening, so one that is put there in
// between is followed, but never out of the folder.
type treeFiles struct{ root *os.Root }

func openTree(root string) (*treeFiles, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	return &treeFiles{root: r}, nil
}

func (t *treeFiles) close() { t.root.Close() }

// open opens a regular file; path must have passed validPath.
func (t *treeFiles) open(path string) (*os.File, fs.FileInfo, error) {
	for i := range len(path) + 1 {
		if i < len(path) && path[i] != '/' {
			continue
		}
		info, err := t.root.Lstat(path[:i])
		if err != nil {
			return nil, nil, err
		}
		if i < len(path) && !info.IsDir() || i == len(path) && !info.Mode().IsRegular() {
			return nil, nil, fmt.Errorf("open %s: %w", path, ErrNotFile)
		}
	}
	f, err := t.root.Open(path)
	if err != nil {
		return nil, nil, err
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
