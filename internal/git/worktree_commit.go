package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// AtCommit gives the files of a commit below root ("": all); no checkout is
// needed. What .rankignore leaves out is decided by today's files of that
// name, not by the commit's: those on disk, or HEAD's in a bare repository,
// at the top and wherever the commit has one.
func (r *Repo) AtCommit(ctx context.Context, commit OID, root string) (*Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("tree of %s: %w", commit, err)
	}
	root, err := cleanRoot(root)
	if err != nil {
		return nil, err
	}
	w := &worktree{repo: r, rd: r.NewReader(), conf: r.treeConfig(), opt: WorktreeOptions{Root: root}, index: &gitIndex{}}
	defer w.rd.Close()
	s := &w.snap
	s.Commit = commit
	if s.Tree, s.CommitTime, err = w.rd.commitTree(commit); err != nil {
		return nil, err
	}
	entries, _, warnings, err := w.rd.Tree(s.Tree, root)
	if err != nil {
		return nil, fmt.Errorf("tree of commit %s: %w", commit, err)
	}
	s.Warnings = warnings
	for i := range entries {
		if isNamed(entries[i].Path, rankIgnoreName) {
			w.ranked = append(w.ranked, entries[i].Path)
		}
	}
	ignore := w.rankIgnore()
	s.Entries = entries[:0]
	for _, e := range entries {
		switch {
		case e.Mode&ModeType == ModeSymlink:
			s.Symlinks++
		case e.Mode&ModeType == ModeGitlink:
			s.Submodules++
		case e.Mode&ModeType != ModeRegular:
			s.Skipped++
		case ignore != nil && ignore.Match(e.Path, false):
			s.Ignored++
		default:
			s.Entries = append(s.Entries, e)
		}
	}
	return s, nil
}

// rankIgnore gives the rules of the .rankignore files that are known and of
// those at the top and above the root; nil when there are none. Their digest
// goes into the snapshot.
func (w *worktree) rankIgnore() *Ignore {
	paths := append([]string{rankIgnoreName}, w.ranked...)
	for dir := w.opt.Root; dir != ""; dir = parentDir(dir) {
		paths = append(paths, dir+"/"+rankIgnoreName)
	}
	read := w.readRules
	if w.repo.Worktree == "" {
		read = w.headRules()
	}
	content := map[string][]byte{}
	sum := sha256.New()
	for _, path := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if data := read(path); data != nil {
			content[path] = data
			fmt.Fprintf(sum, "%q %q\n", path, data)
		}
	}
	if len(content) == 0 {
		return nil
	}
	w.snap.Rules = hex.EncodeToString(sum.Sum(nil))
	return NewIgnore(rankIgnoreName, func(path string) []byte { return content[path] }, w.conf.ignoreCase)
}

// headRules reads files of rules from HEAD.
func (w *worktree) headRules() func(path string) []byte {
	none := func(string) []byte { return nil }
	head, _, err := w.repo.Head()
	if err != nil {
		return none
	}
	tree, _, err := w.rd.commitTree(head)
	if err != nil {
		return none
	}
	return func(path string) []byte {
		id := tree
		for rest := path; rest != ""; {
			var name string
			name, rest = cutElement(rest)
			typ, data, err := w.rd.Object(id)
			if err != nil || typ != TypeTree {
				return nil
			}
			if id = namedEntry(data, name, w.repo.naming.size()); id.IsZero() {
				return nil
			}
		}
		return w.rd.rules(id)
	}
}

// namedEntry finds a name in the raw entries of a tree: mode, space, name, NUL,
// id of size bytes. It gives zero when there is none, or it is a symlink.
func namedEntry(data []byte, name string, size int) (id OID) {
	for len(data) > 0 {
		space, nul := bytes.IndexByte(data, ' '), bytes.IndexByte(data, 0)
		if space < 0 || nul < space || len(data)-nul-1 < size {
			return OID{}
		}
		if string(data[space+1:nul]) == name && string(data[:space]) != "120000" {
			copy(id[:], data[nul+1:])
			return id
		}
		data = data[nul+1+size:]
	}
	return OID{}
}
