package rank

import (
	"fmt"
	"strings"

	"cohop/internal/repo"
)

// Barren says of a repository what it lacks altogether (files, files that can be
// read, commits) and what to do about it; "" if it has all of them.
func Barren(st *repo.State) string {
	k := st.Snapshot
	n := int(st.View.Files())
	unborn := k.Commit.IsZero()
	switch {
	case n > 0 && st.View.Chunks() == 0 && !st.Incomplete():
		what := fmt.Sprintf("none of the %d files can", n)
		if n == 1 {
			what = "the one file cannot"
		}
		return what + " be read as text (binary, too large, empty, or made to hold secrets): ranked by path alone; rank doctor counts them"
	case n > 0 && unborn:
		return "there are no commits yet: ranked by text, names and imports alone; once something is committed, its history helps"
	case n > 0:
		return ""
	}
	var out []string
	for _, c := range []struct {
		n    int
		what string
	}{{k.Ignored, "left out by .rankignore"}, {k.Symlinks, "symbolic links"}, {k.Submodules, "submodules"}, {k.Skipped, "unreadable"}} {
		if c.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	switch {
	case len(out) > 0:
		return "there is no file to rank (" + strings.Join(out, ", ") + "): rank explain PATH -- TASK says what keeps one out"
	case k.Rules != "":
		return "there is no file to rank, and .rankignore may be why: rank explain PATH -- TASK says what keeps one out"
	case unborn && st.Git.Worktree != "":
		return "there are no commits and no files yet: add files, which need not be committed, and ask again"
	case unborn:
		return "there are no commits yet, and without a working tree no files: push or fetch some"
	}
	return "there is no file to rank in this tree: --rev NAME ranks another commit, and git log --all --oneline lists them"
}
