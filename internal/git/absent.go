package git

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// AbsentFolder is what Absence says of a folder.
const AbsentFolder = "it is a folder"

// Absence says why a path is no entry of a snapshot though something is there;
// "" if nothing is known of it, as of a mistyped one. commit is what was ranked,
// zero for the working tree. It looks at this one path, again, and so may be
// slow a path and is for messages alone.
func (r *Repo) Absence(path string, commit OID) string {
	if !validPath(path) {
		return ""
	}
	w := &worktree{repo: r, rd: r.NewReader(), conf: r.treeConfig(), index: &gitIndex{}}
	defer w.rd.Close()
	if commit.IsZero() && r.Worktree != "" {
		return w.absentHere(path)
	}
	return w.absentThen(path, commit)
}

// absentHere is Absence in the working tree.
func (w *worktree) absentHere(path string) string {
	w.loadIndex()
	entries := w.index.entries
	tracked := func(p string) *indexEntry {
		i, ok := slices.BinarySearchFunc(entries, p, func(e indexEntry, p string) int { return strings.Compare(e.path, p) })
		if !ok {
			return nil
		}
		return &entries[i]
	}
	for _, p := range prefixes(path) {
		if e := tracked(p); e != nil && e.mode&ModeType == ModeGitlink {
			return isModule(p, path)
		}
		info, err := os.Lstat(w.disk(p))
		switch {
		case err != nil && tracked(path) != nil:
			return "it is deleted from the working tree: --rev HEAD ranks it as committed"
		case err != nil:
			return ""
		case info.Mode()&os.ModeSymlink != 0:
			return isLink(p, path)
		case info.IsDir() && isRepository(w.disk(p)):
			return isModule(p, path)
		case info.IsDir() && p == path:
			return AbsentFolder
		case !info.IsDir() && !info.Mode().IsRegular():
			return "it is no regular file"
		}
	}
	rank := NewIgnore(rankIgnoreName, w.readRules, w.conf.ignoreCase)
	if file, rule := rank.rule(path); rule != "" {
		return fmt.Sprintf("the rule %q of %s leaves it out", rule, file)
	}
	if tracked(path) != nil {
		return ""
	}
	if file, rule := w.gitIgnore().rule(path); file != "" {
		return fmt.Sprintf("it is not tracked, and the rule %q of %s ignores it: git add --force tracks it", rule, file)
	} else if rule != "" {
		return fmt.Sprintf("it is not tracked, and %s ignores it: git add --force tracks it", rule)
	}
	return "it is not tracked, and there are too many such files to look at: git add tracks it"
}

// absentThen is Absence in a commit.
func (w *worktree) absentThen(path string, commit OID) string {
	entries, _, _, err := w.rd.Tree(commit, "")
	if err != nil {
		return ""
	}
	find := func(p string) (int, bool) {
		return FindEntry(entries, p)
	}
	for _, p := range prefixes(path) {
		if i, ok := find(p); ok && entries[i].Mode&ModeType == ModeGitlink {
			return isModule(p, path)
		} else if ok && entries[i].Mode&ModeType == ModeSymlink {
			return isLink(p, path)
		}
	}
	i, ok := find(path)
	if !ok {
		if i, _ := find(path + "/"); i < len(entries) && strings.HasPrefix(entries[i].Path, path+"/") {
			return AbsentFolder
		}
		if w.repo.Worktree != "" {
			if info, err := os.Lstat(w.disk(path)); err == nil && info.Mode().IsRegular() {
				return "it is in the working tree, but not in commit " + commit.String()[:12]
			}
		}
		return ""
	}
	if entries[i].Mode&ModeType != ModeRegular {
		return "it is no regular file"
	}
	read := w.readRules
	if w.repo.Worktree == "" {
		read = w.headRules()
	}
	known := func(p string) []byte { // as AtCommit reads them
		if _, ok := find(p); !ok && p != rankIgnoreName {
			return nil
		}
		return read(p)
	}
	if file, rule := NewIgnore(rankIgnoreName, known, w.conf.ignoreCase).rule(path); rule != "" {
		return fmt.Sprintf("the rule %q of %s leaves it out", rule, file)
	}
	return ""
}

func isModule(p, path string) string {
	if p == path {
		return "it is a submodule, or a repository of its own: --repo " + p + " ranks it"
	}
	return "it is in " + p + ", a submodule or a repository of its own: --repo " + p + " ranks that"
}

func isLink(p, path string) string {
	if p == path {
		return "it is a symbolic link, and links are not followed"
	}
	return "it is behind " + p + ", a symbolic link, and links are not followed"
}

// prefixes lists the folders above a path, from the top, and the path.
func prefixes(path string) (list []string) {
	for i := range len(path) {
		if path[i] == '/' {
			list = append(list, path[:i])
		}
	}
	return append(list, path)
}

// rule names the rule that ignores a file or a folder above it, as it is
// written, and the file that it stands in; "" and where they stand for rules
// from outside the tree; "" twice if none does.
func (g *Ignore) rule(path string) (file, text string) {
	for _, p := range prefixes(path) {
		isDir := p != path
		d := g.dir(parentDir(p))
		if !g.match(d, p, isDir) {
			continue
		}
		for ; d != nil; d = d.parent {
			if _, found := lastMatch(d.patterns, p[len(d.base):], isDir); !found {
				continue
			}
			file = d.base + g.name
			for line := range bytes.Lines(bytes.TrimPrefix(g.read(file), []byte("\xef\xbb\xbf"))) {
				one := strings.TrimRight(string(line), "\r\n")
				if c, ok := compilePattern(one, g.fold); ok && c.Match(p[len(d.base):], isDir) {
					text = one
				}
			}
			return file, text
		}
		return "", "info/exclude of the git directory or core.excludesFile"
	}
	return "", ""
}
