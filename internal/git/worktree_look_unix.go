//go:build unix

package git

import (
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"
)

// treeFolders opens folders below a folder. Those above the last one are kept
// open, so that the next file of the same folder costs one look-up of its name:
// half of what its whole path costs. No symlink is followed in any component,
// whatever happens to the tree meanwhile: each is opened relative to the one
// before. It is for one goroutine.
type treeFolders struct {
	root int
	open []openFolder // each inside of the one before; the first is in root
	deep openFolder   // the last one, if it is below maxOpenFolders; path "": it is not
}

type openFolder struct {
	path string
	fd   int   // -1: it cannot be opened
	err  error // why
}

// maxOpenFolders bounds what is kept open: several of these work at once, and a
// process may have a few hundred descriptors in all.
const maxOpenFolders = 16

func openTreeFolders(top string) (treeFolders, error) {
	fd, err := openRetry(unix.AT_FDCWD, top, openFolderOnly)
	if err != nil {
		return treeFolders{}, &fs.PathError{Op: "open", Path: top, Err: err}
	}
	return treeFolders{root: fd}, nil
}

func (t *treeFolders) close() {
	t.leave(0)
	t.deep.close()
	unix.Close(t.root)
}

func (d openFolder) close() {
	if d.path != "" && d.fd >= 0 {
		unix.Close(d.fd)
	}
}

// leave closes all but the first n folders.
func (t *treeFolders) leave(n int) {
	for _, d := range t.open[n:] {
		d.close()
	}
	t.open = t.open[:n]
}

// enter opens dir and the folders above it. What it returns is open until it is
// called again.
func (t *treeFolders) enter(dir string) (fd int, err error) {
	if dir != "" && t.deep.path == dir {
		return t.deep.fd, t.deep.err
	}
	n := len(t.open)
	for n > 0 && !inFolder(dir, t.open[n-1].path) {
		n--
	}
	t.leave(n)
	at, from := t.root, 0
	if n > 0 {
		last := &t.open[n-1]
		at, from, err = last.fd, len(last.path)+1, last.err
	}
	before := t.deep
	defer func() { before.close() }()
	t.deep = openFolder{}
	for err == nil && from < len(dir) {
		to := len(dir)
		if i := strings.IndexByte(dir[from:], '/'); i >= 0 {
			to = from + i
		}
		if at, err = openRetry(at, dir[from:to], openFolderOnly|unix.O_NOFOLLOW); err != nil {
			at = -1
		}
		d := openFolder{dir[:to], at, err}
		if len(t.open) < maxOpenFolders {
			t.open = append(t.open, d)
		} else {
			t.deep.close()
			t.deep = d
		}
		from = to + 1
	}
	return at, err
}

// treeStats asks about files below a folder.
type treeStats struct{ treeFolders }

func newTreeStats(top string) (*treeStats, error) {
	f, err := openTreeFolders(top)
	return &treeStats{f}, err
}

// inFolder reports whether path is dir or below it.
func inFolder(path, dir string) bool {
	return strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

// notFolder reports whether a folder could not be opened since it is none, or a
// symlink, rather than for want of rights or of descriptors.
func notFolder(err error) bool {
	return err == unix.ENOENT || err == unix.ENOTDIR || err == unix.ELOOP || err == unix.EMLINK
}

// lstat says what path is. A file whose folder is none, or a symlink, does not
// exist.
func (t *treeStats) lstat(path string) (diskStat, error) {
	dir := parentDir(path)
	at, err := t.enter(dir)
	if notFolder(err) {
		return diskStat{}, fs.ErrNotExist
	} else if err != nil {
		return diskStat{}, err
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
