package labels

import (
	"fmt"
	"path/filepath"
)

// Place says where the repositories of a set are.
type Place struct {
	Repos  string // folder that labels' repositories are below; "": none
	Repo   string // repository of labels that name none; "": none
	single bool   // the set names at most one repository
}

// PlaceOf is the place of a set. Without a folder of repositories, a set about
// one repository is about repo, whatever name it has there.
func PlaceOf(set []Label, repos, repo string) Place {
	p := Place{Repos: repos, Repo: repo, single: true}
	name := ""
	for i := range set {
		r := set[i].Repo
		if r != "" && name != "" && r != name {
			p.single = false
			break
		} else if r != "" {
			name = r
		}
	}
	return p
}

// Dir is the folder of a label's repository.
func (p Place) Dir(l *Label) (string, error) {
	switch {
	case l.Repo != "" && p.Repos != "":
		return filepath.Join(p.Repos, filepath.FromSlash(l.Repo)), nil
	case p.Repo != "" && (l.Repo == "" || p.single):
		return p.Repo, nil
	case l.Repo != "":
		return "", fmt.Errorf("the label is about repository %q: name the folder of repositories with --repos", l.Repo)
	default:
		return "", fmt.Errorf("the label names no repository: name one with --repo")
	}
}
