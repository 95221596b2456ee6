package git

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotFile says that a path is a symlink, leads through one, or is another
// thing that cannot be read as a file.
var ErrNotFile = errors.New("not a regular file")

// ReadFile reads a regular file of the working tree by its slash-separated
// path. Symlinks are not followed in any component, and git's own folder is
// not read. A file over limit bytes (0: MaxObject) is ErrTooLarge.
func (r *Repo) ReadFile(path string, limit int64) ([]byte, error) {
	if r.Worktree == "" {
		return nil, fmt.Errorf("read %s: %w: the repository is bare", path, os.ErrNotExist)
	}
	if !validPath(path) {
		return nil, fmt.Errorf("read %q: %w", path, os.ErrInvalid)
	}
	t, err := openTree(r.Worktree)
	if err != nil {
		return nil, err
	}
	defer t.close()
	return t.read(path, limit, nil)
}

// Files reads files of the working tree that are expected to hold a blob. It is
// for one goroutine; a nil one has no files.
type Files struct {
	repo *Repo
	t    *treeFiles
	buf  []byte // of the file read last
}

// keepBuffer is up to how many bytes a buffer is used for the next file.
const keepBuffer = 1 << 20

// Files opens the working tree; nil if there is none.
func (r *Repo) Files() *Files {
	if r.Worktree == "" {
		return nil
	}
	t, err := openTree(r.Worktree)
	if err != nil {
		return nil
	}
	return &Files{repo: r, t: t}
}

// Close lets the working tree go.
func (f *Files) Close() {
	if f != nil {
		f.t.close()
	}
}

// Blob returns what the disk holds of e if that is the very blob, and of at most
// limit bytes (0: MaxObject). It is valid until the next call.
func (f *Files) Blob(e *Entry, limit int64) ([]byte, bool) {
	if f == nil || !validPath(e.Path) {
		return nil, false
	}
	data, err := f.t.read(e.Path, limit, f.buf)
	if data != nil && cap(data) <= keepBuffer {
		f.buf = data
	}
	return data, err == nil && f.repo.IsBlob(data, e.ID)
}

// read reads a file into buf, growing it.
func (t *treeFiles) read(path string, limit int64, buf []byte) ([]byte, error) {
	if limit <= 0 {
		limit = MaxObject
	}
	f, info, err := t.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, fmt.Errorf("read %s: %w: %d bytes", path, ErrTooLarge, info.Size())
	}
	// One byte more than the file should have shows its end without growing.
	b := bytes.NewBuffer(buf[:0])
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, limit+1)); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if int64(b.Len()) > limit {
		return nil, fmt.Errorf("read %s: %w: over %d bytes", path, ErrTooLarge, limit)
	}
	return b.Bytes(), nil
}

// validPath reports whether path names something below the top: no empty,
// "." or ".." element, and none that is git's own folder.
func validPath(path string) bool {
	if path == "" || strings.IndexByte(path, 0) >= 0 || filepath.Separator != '/' && strings.ContainsRune(path, filepath.Separator) {
		return false
	}
	for rest := path; ; {
		var name string
		name, rest = cutElement(rest)
		if name == "" || name == "." || name == ".." || isGitFolder(name) {
			return false
		}
		if rest == "" {
			return path[len(path)-1] != '/' && filepath.VolumeName(path) == ""
		}
	}
}

// isGitFolder reports whether a file system that ignores case may take name
// for ".git".
func isGitFolder(name string) bool { return len(name) == 4 && strings.EqualFold(name, ".git") }

// cutElement splits a path after its first element.
func cutElement(path string) (name, rest string) {
	name, rest, _ = strings.Cut(path, "/")
	return name, rest
}
