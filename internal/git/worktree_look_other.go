//go:build !unix

package git

import (
	"io/fs"
	"os"
)

// treeStats asks about files below a folder. No symlink is followed in any
// component. It is for one goroutine.
type treeStats struct {
	top  string
	dirs map[string]bool // whether a path is a folder that no symlink leads to
}

func newTreeStats(top string) (*treeStats, error) {
	return &treeStats{top: top, dirs: map[string]bool{"": true}}, nil
}

func (t *treeStats) close() {}

func (t *treeStats) isDir(dir string) bool {
	ok, known := t.dirs[dir]
	if !known {
		if t.isDir(parentDir(dir)) {
			info, err := os.Lstat(t.top + "/" + dir)
			ok = err == nil && info.IsDir()
		}
		t.dirs[dir] = ok
	}
	return ok
}

// lstat says what path is. A file whose folder is none, or a symlink, does not
// exist.
func (t *treeStats) lstat(path string) (diskStat, error) {
	if !t.isDir(parentDir(path)) {
		return diskStat{}, fs.ErrNotExist
	}
	info, err := os.Lstat(t.top + "/" + path)
	if err != nil {
		return diskStat{}, err
	}
	return statOf(info), nil
}

func statOf(info fs.FileInfo) diskStat {
	t := info.ModTime()
	return diskStat{typ: info.Mode().Type(), size: info.Size(), sec: t.Unix(), nsec: int64(t.Nanosecond())}
}
