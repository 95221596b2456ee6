//go:build unix

package git

import (
	"io/fs"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// treeStats asks about files below a folder. The folders above the last file
// are kept open, so that the next file of the same folder costs one look-up of
// its name: half of what its whole path costs. No symlink is followed in any
// component. It is for one goroutine.
type treeStats struct {
	top  string
	root int
	open []openFolder // each inside of the one before; the first is in root
}

type openFolder struct {
	path string
	fd   int // -1: it is no folder
}

// maxOpenFolders bounds what is kept open: below that depth files are asked for
// by their path.
const maxOpenFolders = 64

func newTreeStats(top string) (*treeStats, error) {
	fd, err := openRetry(unix.AT_FDCWD, top, openFolderOnly)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: top, Err: err}
	}
	return &treeStats{top: top, root: fd}, nil
}

func (t *treeStats) close() {
	t.leave(0)
	unix.Close(t.root)
}

// leave closes all but the first n folders.
func (t *treeStats) leave(n int) {
	for _, d := range t.open[n:] {
		if d.fd >= 0 {
			unix.Close(d.fd)
		}
	}
	t.open = t.open[:n]
}

// enter opens dir and the folders above it; -1 if any is none.
func (t *treeStats) enter(dir string) int {
	n := len(t.open)
	for n > 0 && !inFolder(dir, t.open[n-1].path) {
		n--
	}
	t.leave(n)
	at, from := t.root, 0
	if n > 0 {
		at, from = t.open[n-1].fd, len(t.open[n-1].path)+1
	}
	for at >= 0 && from < len(dir) {
		to := len(dir)
		if i := strings.IndexByte(dir[from:], '/'); i >= 0 {
			to = from + i
		}
		fd, err := openRetry(at, dir[from:to], openFolderOnly|unix.O_NOFOLLOW)
		if err != nil {
			fd = -1
		}
		t.open = append(t.open, openFolder{dir[:to], fd})
		at, from = fd, to+1
	}
	return at
}

// inFolder reports whether path is dir or below it.
func inFolder(path, dir string) bool {
	return strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

// lstat says what path is. A file whose folder is none, or a symlink, does not
// exist.
func (t *treeStats) lstat(path string) (diskStat, error) {
	dir := parentDir(path)
	if strings.Count(dir, "/") >= maxOpenFolders {
		return lstatBelow(t.top, path)
	}
	at := t.enter(dir)
	if at < 0 {
		return diskStat{}, fs.ErrNotExist
	}
	name := path
	if dir != "" {
		name = path[len(dir)+1:]
	}
	var st unix.Stat_t
	for {
		err := unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return diskStat{}, err
		}
	}
	out := diskStat{size: st.Size, sec: int64(st.Mtim.Sec), nsec: int64(st.Mtim.Nsec)}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
	case unix.S_IFLNK:
		out.typ = fs.ModeSymlink
	case unix.S_IFDIR:
		out.typ = fs.ModeDir
	default:
		out.typ = fs.ModeIrregular
	}
	return out, nil
}

// lstatBelow is lstat by the path itself.
func lstatBelow(top, path string) (diskStat, error) {
	for i := range len(path) {
		if path[i] == '/' {
			if info, err := os.Lstat(top + "/" + path[:i]); err != nil || !info.IsDir() {
				return diskStat{}, fs.ErrNotExist
			}
		}
	}
	info, err := os.Lstat(top + "/" + path)
	if err != nil {
		return diskStat{}, err
	}
	return statOf(info), nil
}
