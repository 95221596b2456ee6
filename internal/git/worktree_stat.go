package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ctxEvery is how many files are handled between two looks at the context.
const ctxEvery = 256

func (w *worktree) stat(ctx context.Context, files []diskFile) {
	t, err := newTreeStats(w.repo.Worktree)
	if err != nil {
		for i := range files {
			files[i].state = stateFailed
		}
		return
	}
	defer t.close()
	for i := range files {
		if i%ctxEvery == 0 && ctx.Err() != nil {
			return
		}
		w.statFile(&files[i], t)
	}
}

func (w *worktree) statFile(f *diskFile, t *treeStats) {
	e := f.e
	switch {
	case e.mode&ModeType == ModeGitlink:
		f.state = stateModule
		return
	case e.assumeValid, e.skipWorktree && !w.conf.sparse:
		f.state = stateStore
		return
	}
	f.state = stateGone
	if e.skipWorktree {
		f.state = stateStore
	}
	st, err := t.lstat(f.Path)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			f.state = stateFailed
		}
		return
	}
	isLink := e.mode&ModeType == ModeSymlink
	switch {
	case st.typ&fs.ModeSymlink != 0:
		f.state, f.Mode = stateLink, ModeSymlink
		if !isLink || !w.unchanged(f, &st) {
			f.ID = linkID(w.disk(f.Path), w.repo.naming)
		}
	case st.typ != 0:
		f.state = stateGone // a folder, a pipe: the file is not there
	case isLink && w.conf.noSymlinks:
		f.state = stateLink
	case !isLink && w.unchanged(f, &st):
		f.state, f.Size = stateClean, st.size
	default:
		f.state, f.Size, f.mtime = stateHash, st.size, st.mtime()
		if isLink {
			f.Mode = ModeRegular | 0o644
		}
	}
}

// unchanged reports whether a stat proves that the content is the index's.
// A file as young as the index may have been written after git looked at it.
func (w *worktree) unchanged(f *diskFile, st *diskStat) bool {
	e := f.e
	if f.conflict || e.intentToAdd || w.indexTime.IsZero() || uint32(st.size) != e.size || uint32(st.sec) != uint32(e.mtime) {
		return false
	}
	if e.nsec == 0 { // whoever wrote the index, or the disk, knows only seconds
		return st.sec < w.indexTime.Unix()
	}
	return uint32(st.nsec) == e.nsec && time.Unix(st.sec, st.nsec).Before(w.indexTime)
}

// linkID gives the blob id of a symlink, zero when it cannot be read.
func linkID(name string, ids naming) OID {
	target, err := os.Readlink(name)
	if err != nil {
		return OID{}
	}
	return ids.blobID([]byte(filepath.ToSlash(target)))
}

// hash reads the files that a stat could not settle, on two goroutines.
func (w *worktree) hash(ctx context.Context) error {
	var todo []*diskFile
	for _, files := range [][]diskFile{w.files, w.untracked} {
		for i := range files {
			if files[i].state == stateHash {
				todo = append(todo, &files[i])
			}
		}
	}
	if len(todo) == 0 {
		return nil
	}
	var wg sync.WaitGroup
	var errs [2]error
	mid := len(todo) / 2
	for i, part := range [][]*diskFile{todo[:mid], todo[mid:]} {
		wg.Go(func() { errs[i] = w.hashFiles(ctx, part) })
	}
	wg.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return fmt.Errorf("working tree: %w", err)
	}
	return nil
}

func (w *worktree) hashFiles(ctx context.Context, files []*diskFile) error {
	t, err := openTree(w.repo.Worktree)
	if err != nil {
		return err
	}
	defer t.close()
	var buf []byte
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		most := w.opt.MaxFileSize
		if w.opt.MaxSizeOf != nil {
			most = w.opt.MaxSizeOf(f.Path)
		}
		large := f.Size > most
		if !large {
			data, err := t.read(f.Path, most, buf)
			switch {
			case err == nil:
				buf = data
				w.settle(f, data)
				continue
			case errors.Is(err, ErrTooLarge): // it grew meanwhile
				large = true
			case errors.Is(err, os.ErrNotExist), errors.Is(err, ErrNotFile):
				f.state = stateGone
			default:
				f.state = stateFailed
			}
		}
		if large {
			w.settleLarge(f)
		}
	}
	return nil
}

// settle decides about a file whose content is known.
func (w *worktree) settle(f *diskFile, data []byte) {
	f.Size = int64(len(data))
	id := w.repo.naming.blobID(data)
	if e := f.e; e != nil && !f.conflict && !e.intentToAdd && e.mode&ModeType == ModeRegular {
		same := id == e.id
		if !same && w.eol && bytes.Contains(data, []byte("\r\n")) {
			same = w.repo.naming.blobID(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))) == e.id
		}
		if same {
			f.state = stateClean
			return
		}
	}
	f.state, f.ID, f.OnDisk = stateChanged, id, true
}

// settleLarge decides about a file that is too large to be read: one of the
// index that kept its size is taken for unchanged.
func (w *worktree) settleLarge(f *diskFile) {
	if e := f.e; e != nil && !f.conflict && e.size == uint32(f.Size) && !w.indexTime.IsZero() {
		f.state = stateClean
		return
	}
	f.state, f.OnDisk = stateChanged, true
	f.ID = w.repo.naming.blobID(fmt.Appendf(nil, "large %s\x00%d %d", f.Path, f.Size, f.mtime))
}
