package git

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Bounds of a walk. They only stop trees that were made to do harm, such as
// ten levels of ten names for the same tree.
const (
	maxDepth   = 512
	maxEntries = 4 << 20
	maxTrees   = 1 << 18
)

// rawEntry is an entry of a tree object; name and id point into it.
type rawEntry struct {
	mode uint32
	name []byte
	id   []byte
}

// nextEntry cuts the first entry off a tree: octal mode, space, name, NUL, id,
// of which size bytes are there.
func nextEntry(b []byte, size int) (e rawEntry, rest []byte, ok bool) {
	i := 0
	for ; i < len(b) && b[i] != ' '; i++ {
		c := b[i] - '0'
		if c > 7 || i > 7 {
			return e, nil, false
		}
		e.mode = e.mode<<3 | uint32(c)
	}
	if i == 0 || i >= len(b) {
		return e, nil, false
	}
	b = b[i+1:]
	n := bytes.IndexByte(b, 0)
	if n <= 0 || len(b)-n-1 < size {
		return e, nil, false
	}
	e.name, e.id = b[:n], b[n+1:n+1+idLen]
	return e, b[n+1+size:], true
}

// isTree reports whether an entry is a folder.
func (e *rawEntry) isTree() bool { return e.mode&ModeType == ModeDir }

// tree reads a tree object. The data is not overwritten by later calls.
func (rd *Reader) tree(id OID) ([]byte, error) {
	typ, data, err := rd.Object(id)
	if err != nil {
		return nil, err
	}
	if typ != TypeTree {
		return nil, fmt.Errorf("object %s is a %s, not a tree: %w", id, typ, ErrCorrupt)
	}
	return data, nil
}

// fileName reports whether a tree may hold the name. Control characters and
// bytes that are not UTF-8 may occur; what would lead out of the folder or
// into a git directory is not shown.
func fileName(name []byte) bool {
	switch string(name) {
	case "", ".", "..":
		return false
	}
	return bytes.IndexByte(name, '/') < 0 && !(len(name) == 4 && strings.EqualFold(string(name), ".git"))
}

// Tree lists the files of a commit, a tag of one, or a tree, below the folder
// root ("" or ".": all), in the order of their paths' bytes. Paths are
// relative to the repository whatever root is; tree is the id of the whole
// tree, not of root. What is missing or corrupt below is skipped, with a
// warning. The error is ErrNoFolder if root is not there.
func (rd *Reader) Tree(commitOrTree OID, root string) (entries []Entry, tree OID, warnings []string, err error) {
	if tree, err = rd.treeOf(commitOrTree); err != nil {
		return nil, OID{}, nil, err
	}
	root = strings.Trim(path.Clean("/"+root), "/")
	w := treeWalk{rd: rd}
	top := tree
	prefix := ""
	if root != "" {
		for name := range strings.SplitSeq(root, "/") {
			if top, err = rd.child(top, name); err != nil {
				return nil, OID{}, nil, fmt.Errorf("folder %q: %w", root, err)
			}
		}
		prefix = root + "/"
	}
	data, err := rd.tree(top)
	if err != nil {
		return nil, OID{}, nil, err
	}
	w.walk(data, []byte(prefix), 0)
	sorted := slices.IsSortedFunc(w.entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	if !sorted {
		slices.SortStableFunc(w.entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	}
	n := len(w.entries)
	w.entries = slices.CompactFunc(w.entries, func(a, b Entry) bool { return a.Path == b.Path })
	if n > len(w.entries) {
		w.warn("%d paths stand twice in the tree; the first is taken", n-len(w.entries))
	}
	return w.entries, tree, w.warnings, nil
}

// treeOf gives the tree of a commit, or of a tag.
func (rd *Reader) treeOf(id OID) (OID, error) {
	typ, _, err := rd.Size(id)
	if err != nil {
		return OID{}, err
	}
	if typ == TypeTree {
		return id, nil
	}
	if id, err = rd.peel(id); err != nil {
		return OID{}, err
	}
	c, _, err := rd.commit(id)
	return c.tree, err
}

// child finds a folder in a tree.
func (rd *Reader) child(tree OID, name string) (OID, error) {
	data, err := rd.tree(tree)
	if err != nil {
		return OID{}, err
	}
	size := rd.repo.naming.size()
	for len(data) > 0 {
		e, rest, ok := nextEntry(data, size)
		if !ok {
			return OID{}, fmt.Errorf("tree %s: %w", tree, ErrCorrupt)
		}
		if e.isTree() && string(e.name) == name {
			return OID(e.id), nil
		}
		data = rest
	}
	return OID{}, ErrNoFolder
}

type treeWalk struct {
	rd       *Reader
	entries  []Entry
	trees    int
	warnings []string
}

// maxWarnings of one walk are told one by one.
const maxWarnings = 20

func (w *treeWalk) warn(format string, args ...any) {
	switch n := len(w.warnings); {
	case n < maxWarnings:
		w.warnings = append(w.warnings, fmt.Sprintf(format, args...))
	case n == maxWarnings:
		w.warnings = append(w.warnings, "more of the tree cannot be read")
	}
}

func (w *treeWalk) walk(data, prefix []byte, depth int) {
	size := w.rd.repo.naming.size()
	for len(data) > 0 {
		e, rest, ok := nextEntry(data, size)
		if !ok {
			w.warn("folder %q: its tree is corrupt; the rest is skipped", prefix)
			return
		}
		data = rest
		if !fileName(e.name) {
			w.warn("name %q in folder %q is not allowed; skipped", e.name, prefix)
			continue
		}
		if len(w.entries) >= maxEntries || w.trees >= maxTrees {
			w.warn("more than %d files or %d folders; the rest is skipped", maxEntries, maxTrees)
			return
		}
		name := append(prefix[:len(prefix):len(prefix)], e.name...)
		if !e.isTree() {
			w.entries = append(w.entries, Entry{Path: string(name), Mode: fileMode(e.mode), ID: OID(e.id), Size: -1})
			continue
		}
		if depth >= maxDepth {
			w.warn("folder %q is nested more than %d deep; skipped", name, maxDepth)
			continue
		}
		w.trees++
		sub, err := w.rd.tree(OID(e.id))
		if err != nil {
			why := "corrupt"
			if errors.Is(err, ErrMissing) {
				why = "not here"
			} else if errors.Is(err, ErrTooLarge) {
				why = "too large"
			}
			w.warn("folder %q: its tree %s is %s; skipped", name, OID(e.id), why)
			continue
		}
		w.walk(sub, append(name, '/'), depth+1)
	}
}

// fileMode gives the mode as git writes it today; old tools wrote 0100664.
func fileMode(m uint32) uint32 {
	switch m & ModeType {
	case ModeSymlink, ModeGitlink:
		return m & ModeType
	}
	if m&0o100 != 0 {
		return ModeRegular | 0o755
	}
	return ModeRegular | 0o644
}
