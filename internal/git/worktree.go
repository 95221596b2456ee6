package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Snapshot names the files of a tree to rank.
//
// The working tree is what the index names, as it is on disk, and what is
// neither in the index nor ignored. A file whose size and time of change are
// those that the index recorded, and which is older than the index, is not
// opened: it has the index's blob id. Any other is hashed, so that ID always
// is the id that git would give the content, whether or not such an object
// exists; OnDisk says that it may not, and that the content must be read from
// the working tree. A file over MaxFileSize that must be hashed is not read:
// its ID then stands for path, size, and time of change.
//
// Limits: filters (LFS, ident, working-tree-encoding) are not run, so a file
// that they change and whose time of change is newer than the index's counts
// as modified. Submodules and repositories inside the working tree are not
// looked into. Mode changes are not modifications.
type Snapshot struct {
	Commit     OID     // zero when HEAD is not born
	Tree       OID     // of Commit, of its top even when a root was asked for
	CommitTime int64   // committer's, seconds since 1970, clamped as in Commit; 0 without a commit
	Entries    []Entry // regular files that are not left out, by path bytes
	Dirty      bool    // the working tree differs from Commit by one of the next four
	Modified   int     // files and symlinks whose content or type differs from HEAD's
	Added      int     // in the index but not in HEAD
	Deleted    int     // in HEAD but not on disk
	Untracked  int     // neither in the index nor in HEAD nor ignored
	Symlinks   int     // left out
	Submodules int     // left out: submodules, and untracked folders that are repositories
	Ignored    int     // left out by .rankignore
	Rules      string  // digest of the .rankignore files; "": there are none
	Skipped    int     // left out because they cannot be read, or have impossible names
	Warnings   []string
}

// WorktreeOptions says which part of a working tree is wanted.
type WorktreeOptions struct {
	Root         string // folder, slash-separated; "": all
	Untracked    bool   // look for untracked files
	MaxUntracked int    // most untracked files, in walking order; 0: DefaultMaxUntracked
	MaxFileSize  int64  // bytes; larger files are not hashed; 0: DefaultMaxFileSize

	// MaxSizeOf tells the same of a single path; nil: MaxFileSize for all.
	MaxSizeOf func(path string) int64

	// Folders is what an earlier look at this working tree saw, and receives
	// what this one sees; nil: every folder is listed.
	Folders *Folders
}

// Defaults of WorktreeOptions.
const (
	// A tree with more untracked files than this is not a project that is
	// being worked on but a folder that a repository happens to stand in.
	DefaultMaxUntracked = 50_000
	// Larger files are not indexed anyway.
	DefaultMaxFileSize = 1 << 20
)

// diskState is what a path of the index or the walk is on disk.
type diskState uint8

const (
	stateClean   diskState = iota // regular, content known to be the blob ID
	stateHash                     // regular, must be read to know
	stateChanged                  // regular, ID made from what is on disk
	stateStore                    // not looked at (sparse, assume-unchanged): as in the index
	stateLink                     // symlink
	stateModule                   // submodule
	stateGone                     // not on disk
	stateFailed                   // there, but cannot be read
)

// diskFile is one path of the working tree.
type diskFile struct {
	Entry
	e        *indexEntry // nil when untracked
	mtime    int64       // ns, of files to hash
	state    diskState
	conflict bool
}

// worktree is one WorkingTree call.
type worktree struct {
	repo *Repo
	rd   *Reader
	opt  WorktreeOptions
	conf treeConfig
	snap Snapshot

	index     *gitIndex
	indexTime time.Time // zero: no stat of the index is to be trusted
	files     []diskFile
	untracked []diskFile
	ranked    []string // paths of .rankignore files
	eol       bool     // line ends may differ between blob and file
}

// WorkingTree gives the files of the working tree; of HEAD when the
// repository is bare. Damage degrades the answer and is said in Warnings.
func (r *Repo) WorkingTree(ctx context.Context, opt WorktreeOptions) (*Snapshot, error) {
	if opt.MaxUntracked <= 0 {
		opt.MaxUntracked = DefaultMaxUntracked
	}
	if opt.MaxFileSize <= 0 {
		opt.MaxFileSize = DefaultMaxFileSize
	}
	root, err := cleanRoot(opt.Root)
	if err != nil {
		return nil, err
	}
	opt.Root = root
	if r.Worktree == "" {
		head, _, err := r.Head()
		if err != nil {
			return nil, err
		}
		return r.AtCommit(ctx, head, opt.Root)
	}
	w := &worktree{repo: r, rd: r.NewReader(), opt: opt, conf: r.treeConfig()}
	defer w.rd.Close()
	if err := w.loadHead(); err != nil {
		return nil, err
	}
	w.loadIndex()
	w.list()
	if err := w.look(ctx); err != nil {
		return nil, err
	}
	if len(w.files)+len(w.untracked) == 0 && opt.Root != "" {
		if info, err := os.Lstat(w.disk(opt.Root)); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("working tree: folder %q: %w", opt.Root, ErrNoFolder)
		}
	}
	if err := w.hash(ctx); err != nil {
		return nil, err
	}
	w.files = append(w.files, w.untracked...)
	slices.SortFunc(w.files, func(a, b diskFile) int { return strings.Compare(a.Path, b.Path) })
	w.compare()
	w.assemble()
	return &w.snap, nil
}

// cleanRoot checks a folder and gives it without slashes at its ends.
func cleanRoot(root string) (string, error) {
	clean := strings.Trim(filepath.ToSlash(root), "/")
	if clean == "." || clean == "" {
		return "", nil
	}
	clean = strings.TrimPrefix(clean, "./")
	if !validPath(clean) {
		return "", fmt.Errorf("working tree: folder %q: %w", root, ErrNoFolder)
	}
	return clean, nil
}

func (w *worktree) warn(format string, args ...any) {
	w.snap.Warnings = append(w.snap.Warnings, fmt.Sprintf(format, args...))
}

// disk gives the name of a path for the operating system.
func (w *worktree) disk(path string) string { return w.repo.Worktree + "/" + path }

func (w *worktree) loadHead() error {
	head, _, err := w.repo.Head()
	if errors.Is(err, ErrNoCommits) {
		return nil
	}
	if err != nil {
		return err
	}
	tree, when, err := w.rd.commitTree(head)
	if err != nil {
		w.warn("HEAD cannot be read, every file counts as added: %v", err)
		return nil
	}
	w.snap.Commit, w.snap.Tree, w.snap.CommitTime = head, tree, when
	return nil
}

// commitTree gives a commit's tree and time.
func (rd *Reader) commitTree(id OID) (tree OID, when int64, err error) {
	typ, data, err := rd.Object(id)
	if err != nil {
		return OID{}, 0, fmt.Errorf("commit %s: %w", id, err)
	}
	if typ != TypeCommit {
		return OID{}, 0, fmt.Errorf("commit %s: %w: is a %s", id, ErrCorrupt, typ)
	}
	head, _, _ := strings.Cut(string(data), "\n\n")
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch key {
		case "tree":
			if tree.IsZero() {
				if tree, err = ParseOID(value); err != nil {
					return OID{}, 0, fmt.Errorf("commit %s: %w: %w", id, ErrCorrupt, err)
				}
			}
		case "committer":
			fields := strings.Fields(value[strings.LastIndexByte(value, '>')+1:])
			if len(fields) > 0 {
				// A time out of range parses to the nearest one in range.
				when, _ = strconv.ParseInt(fields[0], 10, 64)
				when = min(max(when, 0), 1<<33)
			}
		}
	}
	if tree.IsZero() {
		return OID{}, 0, fmt.Errorf("commit %s: %w: no tree", id, ErrCorrupt)
	}
	return tree, when, nil
}

// loadIndex reads the index. Without one every file is untracked; in place of
// a damaged one HEAD's tree stands, with no stat to trust.
func (w *worktree) loadIndex() {
	w.index = &gitIndex{}
	name := filepath.Join(w.repo.Dir, "index")
	info, err := os.Stat(name)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	var data []byte
	if err == nil {
		if data = readSmallFile(name, maxIndexFileSize); data == nil {
			err = fmt.Errorf("index: cannot be read, or is larger than %d bytes", maxIndexFileSize)
		}
	}
	if err == nil {
		var idx *gitIndex
		idx, err = parseGitIndex(data, w.repo.naming, func(id string) ([]byte, error) {
			name := "sharedindex." + id
			data := readSmallFile(filepath.Join(w.repo.Dir, name), maxIndexFileSize)
			if data == nil {
				return nil, fmt.Errorf("%s: %w", name, ErrMissing)
			}
			return data, nil
		})
		if err == nil {
			w.index, w.indexTime = idx, info.ModTime()
			return
		}
	}
	w.warn("the index is not used, files are compared with HEAD: %v", err)
	if w.snap.Tree.IsZero() {
		return
	}
	entries, _, warnings, err := w.rd.Tree(w.snap.Tree, "")
	w.snap.Warnings = append(w.snap.Warnings, warnings...)
	if err != nil {
		w.warn("HEAD's tree cannot be read: %v", err)
	}
	for _, e := range entries {
		w.index.entries = append(w.index.entries, indexEntry{path: e.Path, mode: e.Mode, id: e.ID, skipWorktree: w.conf.sparse})
	}
}

// list turns the entries of the index into files: folders of a sparse index
// opened, conflicts made one, all below the root, and says whether attributes
// are in use.
func (w *worktree) list() {
	w.expandSparse()
	entries := w.index.entries
	lo, hi := 0, len(entries)
	if w.opt.Root != "" {
		lo, hi = prefixRange(entries, w.opt.Root+"/", 0, hi)
	}
	w.files = make([]diskFile, 0, hi-lo)
	for i := lo; i < hi; i++ {
		e := &entries[i]
		if n := len(w.files); n > 0 && w.files[n-1].Path == e.path {
			w.files[n-1].conflict = true
			continue
		}
		if !validPath(e.path) {
			w.snap.Skipped++
			continue
		}
		w.files = append(w.files, diskFile{
			Entry:    Entry{Path: e.path, Mode: e.mode, ID: e.id, Size: -1},
			e:        e,
			conflict: e.stage > 0,
		})
	}
	w.eol = w.conf.autoCRLF
	for i := range entries {
		if path := entries[i].path; isNamed(path, gitAttributesName) {
			w.eol = true
		} else if isNamed(path, rankIgnoreName) {
			w.ranked = append(w.ranked, path)
		}
	}
	if !w.eol {
		_, err := os.Stat(filepath.Join(w.repo.CommonDir, "info", "attributes"))
		w.eol = err == nil
	}
}

const gitAttributesName = ".gitattributes"

// isNamed reports whether the last element of path is name.
func isNamed(path, name string) bool {
	return strings.HasSuffix(path, name) && (len(path) == len(name) || path[len(path)-len(name)-1] == '/')
}

// expandSparse puts the files of a sparse index's folders in their place.
func (w *worktree) expandSparse() {
	if !w.index.sparse {
		return
	}
	all := make([]indexEntry, 0, len(w.index.entries))
	for _, e := range w.index.entries {
		if e.mode&ModeType != ModeDir {
			all = append(all, e)
			continue
		}
		inside, _, warnings, err := w.rd.Tree(e.id, "")
		w.snap.Warnings = append(w.snap.Warnings, warnings...)
		if err != nil {
			w.warn("sparse folder %q cannot be read: %v", e.path, err)
		}
		for _, in := range inside {
			all = append(all, indexEntry{path: e.path + "/" + in.Path, mode: in.Mode, id: in.ID, skipWorktree: true})
		}
	}
	slices.SortStableFunc(all, func(a, b indexEntry) int { return strings.Compare(a.path, b.path) })
	w.index.entries, w.index.sparse = all, false
}

// prefixRange gives the range of sorted entries in [lo, hi) whose path begins
// with prefix, which ends in a slash.
func prefixRange(entries []indexEntry, prefix string, lo, hi int) (int, int) {
	byPath := func(e indexEntry, p string) int { return strings.Compare(e.path, p) }
	from, _ := slices.BinarySearchFunc(entries[lo:hi], prefix, byPath)
	// "0" follows "/".
	to, _ := slices.BinarySearchFunc(entries[lo:hi], prefix[:len(prefix)-1]+"0", byPath)
	return lo + from, lo + to
}

// look asks the disk about each file of the index on two goroutines, and
// walks the folders for untracked ones meanwhile.
func (w *worktree) look(ctx context.Context) error {
	walk := &walker{w: w, ctx: ctx}
	var wg sync.WaitGroup
	mid := len(w.files) / 2
	for _, part := range [][]diskFile{w.files[:mid], w.files[mid:]} {
		wg.Go(func() { w.stat(ctx, part) })
	}
	if w.opt.Untracked {
		wg.Go(walk.run)
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("working tree: %w", err)
	}
	walk.report()
	return nil
}

// headEntries gives the files of HEAD below the root, by path. The index says
// itself that it is HEAD's tree when nothing is staged, which spares reading
// that tree.
func (w *worktree) headEntries() []Entry {
	if w.snap.Tree.IsZero() {
		return nil
	}
	if w.index.tree == w.snap.Tree {
		head := make([]Entry, 0, len(w.files))
		for i := range w.files {
			if e := w.files[i].e; e != nil && e.stage == 0 && !e.intentToAdd {
				head = append(head, Entry{Path: e.path, Mode: e.mode, ID: e.id})
			}
		}
		return head
	}
	head, _, warnings, err := w.rd.Tree(w.snap.Tree, w.opt.Root)
	w.snap.Warnings = append(w.snap.Warnings, warnings...)
	if err != nil && !errors.Is(err, ErrNoFolder) {
		w.warn("HEAD's tree cannot be read: %v", err)
	}
	return head
}

// compare counts how the sorted files differ from HEAD.
func (w *worktree) compare() {
	s := &w.snap
	head := w.headEntries()
	for i, k := 0, 0; i < len(w.files) || k < len(head); {
		order := 0
		switch {
		case i == len(w.files):
			order = 1
		case k == len(head):
			order = -1
		default:
			order = strings.Compare(w.files[i].Path, head[k].Path)
		}
		var f *diskFile
		var h *Entry
		if order <= 0 {
			f = &w.files[i]
			i++
		}
		if order >= 0 {
			h = &head[k]
			k++
		}
		if f != nil && f.state == stateFailed {
			continue
		}
		module := f != nil && f.state == stateModule
		here := f != nil && f.state != stateGone && !module
		if h != nil && h.Mode&ModeType == ModeGitlink {
			if here { // a file stands where HEAD has a submodule
				s.Modified++
			}
			continue
		}
		if module && h == nil {
			continue
		}
		switch {
		case here && h != nil:
			if f.Mode&ModeType != h.Mode&ModeType || f.ID != h.ID {
				s.Modified++
			} else {
				f.OnDisk = false // HEAD has it, whatever the index says
			}
		case h != nil:
			s.Deleted++
		case here && f.Untracked:
			s.Untracked++
		case here:
			s.Added++
		}
	}
	s.Dirty = s.Modified+s.Added+s.Deleted+s.Untracked > 0
}

// assemble makes the entries from the files, and counts what is left out.
func (w *worktree) assemble() {
	s := &w.snap
	ignore := w.rankIgnore()
	s.Entries = make([]Entry, 0, len(w.files))
	failed := ""
	for i := range w.files {
		f := &w.files[i]
		switch {
		case f.state == stateModule:
			s.Submodules++
		case f.state == stateGone:
		case f.state == stateFailed:
			s.Skipped++
			if failed == "" {
				failed = f.Path
			}
		case f.Mode&ModeType == ModeSymlink:
			s.Symlinks++
		case f.Mode&ModeType != ModeRegular:
			s.Skipped++
		case ignore != nil && ignore.Match(f.Path, false):
			s.Ignored++
		default:
			s.Entries = append(s.Entries, f.Entry)
		}
	}
	if failed != "" {
		w.warn("some files cannot be read, the first is %q", failed)
	}
}
