package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// walkFactor bounds a walk that meets nothing to keep: it ends after
// walkFactor × MaxUntracked entries of folders beyond those of the index.
const walkFactor = 20

// walker looks for untracked files: folder by folder in name order, ignored
// folders and repositories not entered, symlinks not followed.
type walker struct {
	w      *worktree
	ctx    context.Context
	ignore *Ignore // .gitignore and the rules of repository and user
	rank   *Ignore // .rankignore

	sparse        bool // the index has files that are not on disk
	seen, seenMax int
	full          bool     // a limit was met
	failed        []string // folders that cannot be read
	nested        int      // repositories
	ranked        []string // .rankignore files that are not in the index
	eol           bool     // there are attributes that are not in the index
	files         []diskFile
	lister        folderLister
	watch         *folderWatch
	lists         [][]folderName // memory, one a depth
}

func (k *walker) run() {
	w := k.w
	k.seenMax = walkFactor*w.opt.MaxUntracked + 2*len(w.index.entries)
	k.ignore = w.gitIgnore()
	k.rank = NewIgnore(rankIgnoreName, w.readRules, w.conf.ignoreCase)
	if w.opt.Folders != nil {
		k.watch = watchFolders(w.repo.Worktree)
	}
	lo, hi := 0, len(w.index.entries)
	var ignore, rank *ignoreDir // of the folder above
	if root := w.opt.Root; root != "" {
		lo, hi = prefixRange(w.index.entries, root+"/", lo, hi)
		ignore, rank = k.ignore.dir(parentDir(root)), k.rank.dir(parentDir(root))
		if !w.isRealDir(root) || k.ignore.match(ignore, root, true) || k.rank.match(rank, root, true) {
			return
		}
	}
	for i := range w.index.entries {
		k.sparse = k.sparse || w.index.entries[i].skipWorktree
	}
	k.dir(w.opt.Root, ignore, rank, lo, hi, 0)
	if w.opt.Folders != nil {
		w.opt.Folders.partial = k.full || k.ctx.Err() != nil
	}
}

// isRealDir reports whether path is a folder that no symlink leads to.
func (w *worktree) isRealDir(path string) bool {
	for i := range len(path) + 1 {
		if i == len(path) || path[i] == '/' {
			if info, err := os.Lstat(w.disk(path[:i])); err != nil || !info.IsDir() {
				return false
			}
		}
	}
	return true
}

// report hands the finds over, when nothing else runs any more.
func (k *walker) report() {
	w := k.w
	w.untracked = k.files
	w.ranked = append(w.ranked, k.ranked...)
	w.eol = w.eol || k.eol
	w.snap.Submodules += k.nested
	if k.full {
		w.warn("not all untracked files are looked at: there are more than %d of them, or more than %d in all", w.opt.MaxUntracked, k.seenMax)
	}
	if len(k.failed) > 0 {
		w.warn("some folders cannot be read, the first is %q", k.failed[0])
	}
}

// dir walks one folder; the rules are those of the folder above, the entries
// of the index below it are [lo, hi).
func (k *walker) dir(path string, ignore, rank *ignoreDir, lo, hi, depth int) {
	w := k.w
	if k.full || k.ctx.Err() != nil {
		return
	}
	if len(k.lists) == depth {
		k.lists = append(k.lists, nil)
	}
	list, err := k.list(path, k.lists[depth])
	k.lists[depth] = list
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.failed = append(k.failed, path)
	}
	base := path
	if base != "" {
		base += "/"
	}
	if k.sparse || isListed(list, gitIgnoreName) || path == "" {
		ignore = k.ignore.push(ignore, path)
	}
	if k.sparse || isListed(list, rankIgnoreName) || path == "" {
		rank = k.rank.push(rank, path)
	}
	entries := w.index.entries
	next := lo // most names are those of the index, in its order
	for _, de := range list {
		if k.seen++; k.seen > k.seenMax {
			k.full = true
			return
		}
		name := de.name
		if name == ".git" || w.conf.ignoreCase && isGitFolder(name) {
			continue
		}
		isDir := de.typ.IsDir()
		if next < hi && !isDir && len(entries[next].path) == len(base)+len(name) && entries[next].path[len(base):] == name {
			next++
			continue
		}
		child := base + name
		at, tracked := slices.BinarySearchFunc(entries[lo:hi], child, func(e indexEntry, p string) int { return strings.Compare(e.path, p) })
		if tracked && entries[lo+at].mode&ModeType == ModeGitlink {
			continue
		}
		if isDir {
			next = max(next, k.folder(child, ignore, rank, lo+at, hi, depth+1))
			if k.full {
				return
			}
			continue
		}
		if tracked {
			next = lo + at + 1
			continue
		}
		if k.ignore.match(ignore, child, false) {
			continue
		}
		typ := de.typ
		if !typ.IsRegular() && typ&fs.ModeSymlink == 0 {
			continue // pipes, sockets, devices
		}
		switch name {
		case rankIgnoreName:
			k.ranked = append(k.ranked, child)
		case gitAttributesName:
			k.eol = true
		}
		if len(k.files) >= w.opt.MaxUntracked {
			k.full = true
			return
		}
		f := diskFile{Entry: Entry{Path: child, Untracked: true, Size: -1}}
		if typ&fs.ModeSymlink != 0 {
			f.state, f.Mode, f.ID = stateLink, ModeSymlink, linkID(w.disk(child), w.repo.naming)
		} else {
			info, err := os.Lstat(w.disk(child))
			if err != nil || !info.Mode().IsRegular() {
				continue // it went away
			}
			f.state, f.Size, f.mtime = stateHash, info.Size(), info.ModTime().UnixNano()
			f.Mode = ModeRegular | 0o644
			if info.Mode()&0o100 != 0 {
				f.Mode = ModeRegular | 0o755
			}
		}
		k.files = append(k.files, f)
	}
}

// list gives the names in a folder, from memory if it did not change.
func (k *walker) list(path string, memory []folderName) ([]folderName, error) {
	w := k.w
	dir := w.disk(path)
	stat, ok := k.watch.stat(dir)
	if ok {
		if list, ok := w.opt.Folders.recall(path, stat, memory); ok {
			return list, nil
		}
	}
	now := int64(0)
	if ok {
		now = w.opt.Folders.now()
	}
	list, opened, err := k.lister.read(dir, memory)
	if ok && err == nil && opened == stat {
		w.opt.Folders.learn(path, stat, now, list)
	}
	return list, err
}

// isListed reports whether a folder's sorted list has a name.
func isListed(list []folderName, name string) bool {
	_, found := slices.BinarySearchFunc(list, name, func(de folderName, n string) int { return strings.Compare(de.name, n) })
	return found
}

// folder walks a folder of a folder, and returns the end of its entries.
func (k *walker) folder(path string, ignore, rank *ignoreDir, lo, hi, depth int) int {
	w := k.w
	lo, hi = prefixRange(w.index.entries, path+"/", lo, hi)
	if k.ignore.match(ignore, path, true) || k.rank.match(rank, path, true) {
		return hi
	}
	if lo == hi && isRepository(w.disk(path)) {
		k.nested++
		return hi
	}
	k.dir(path, ignore, rank, lo, hi, depth)
	return hi
}

// isRepository reports whether a folder is the top of another working tree.
func isRepository(dir string) bool {
	name := filepath.Join(dir, ".git")
	info, err := os.Stat(name)
	if err != nil {
		return false
	}
	if info.IsDir() {
		return isRepositoryDir(name)
	}
	data := readSmallFile(name, 1<<16)
	target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok {
		return false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	return isRepositoryDir(target)
}

// isRepositoryDir reports whether dir is a git directory by what git itself
// asks of one: a plausible HEAD, objects, and refs, the last two perhaps in
// the folder that commondir names.
func isRepositoryDir(dir string) bool {
	head := filepath.Join(dir, "HEAD")
	if target, err := os.Readlink(head); err == nil {
		if !strings.HasPrefix(target, "refs/") {
			return false
		}
	} else {
		text := strings.TrimSpace(string(readSmallFile(head, 1<<12)))
		if rest, ok := strings.CutPrefix(text, "ref:"); ok {
			if !strings.HasPrefix(strings.TrimSpace(rest), "refs/") {
				return false
			}
		} else if _, err := ParseOID(text); err != nil && len(text) != 64 {
			return false
		}
	}
	common := dir
	if data := readSmallFile(filepath.Join(dir, "commondir"), 1<<16); data != nil {
		if common = strings.TrimRight(string(data), "\r\n"); !filepath.IsAbs(common) {
			common = filepath.Join(dir, common)
		}
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(common, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// gitIgnore makes the rules that keep untracked files out.
func (w *worktree) gitIgnore() *Ignore {
	outside := [][]byte{readSmallFile(filepath.Join(w.repo.CommonDir, "info", "exclude"), maxIgnoreFile)}
	if w.conf.excludesFile != "" {
		outside = append(outside, readSmallFile(w.conf.excludesFile, maxIgnoreFile))
	}
	return NewIgnore(gitIgnoreName, w.readRules, w.conf.ignoreCase, outside...)
}

// readRules reads a file of rules from the working tree or, where sparse
// checkout left it out, from the index. A symlink is not followed, nor by git.
func (w *worktree) readRules(path string) []byte {
	data, err := w.repo.ReadFile(path, maxIgnoreFile)
	if err == nil {
		return data
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	entries := w.index.entries
	i, found := slices.BinarySearchFunc(entries, path, func(e indexEntry, p string) int { return strings.Compare(e.path, p) })
	if !found || !entries[i].skipWorktree || entries[i].mode&ModeType != ModeRegular {
		return nil
	}
	rd := w.repo.NewReader()
	defer rd.Close()
	return rd.rules(entries[i].id)
}

// rules reads a blob of ignore rules, nil when it cannot.
func (rd *Reader) rules(id OID) []byte {
	typ, data, err := rd.Object(id)
	if err != nil || typ != TypeBlob || len(data) > maxIgnoreFile {
		return nil
	}
	return slices.Clone(data)
}
