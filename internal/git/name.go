package git

import (
	"path/filepath"
	"strings"
)

// Name is what people call the repository: the name of its top folder, or of
// the bare git directory without ".git". It holds no path of the machine.
func (r *Repo) Name() string {
	dir := r.Worktree
	if dir == "" {
		dir = r.CommonDir
	}
	if r.Linked || dir == "" {
		dir = r.CommonDir
		if filepath.Base(dir) == ".git" {
			dir = filepath.Dir(dir)
		}
	}
	return strings.TrimSuffix(filepath.Base(dir), ".git")
}
