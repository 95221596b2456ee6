package labels

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
)

// Span is a run of lines of one file that holds (part of) the answer. Lines
// are one-based and inclusive.
type Span struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// Label is one task with its answer.
type Label struct {
	ID     string   `json:"id"`               // unique in its set; one word, as TREC wants it
	Text   string   `json:"text"`             // the task as a user would type it
	Files  []string `json:"files"`            // the answer: paths relative to the repository, each once
	Commit string   `json:"commit,omitempty"` // the tree to rank; history ends here. "": the working tree
	Repo   string   `json:"repo,omitempty"`   // path below the folder of repositories; "": the repository asked
	Intent string   `json:"intent,omitempty"` // ask | change; "" or auto: not said
	Root   string   `json:"root,omitempty"`   // the only folder searched; "": all
	Spans  []Span   `json:"spans,omitempty"`
	Tags   []string `json:"tags,omitempty"`

	// Answer is the commit that holds the answer, where there is one: Check
	// sees by it that the ranked tree is older.
	Answer string `json:"answer,omitempty"`
	// Blobs are the ids of answers' blobs in the ranked tree, where whoever
	// wrote the label pinned them.
	Blobs map[string]string `json:"blobs,omitempty"`
	// Contamination says, of a label written by hand, who had seen what when
	// it was written: "author had read the ranking". Figures of such labels
	// stand apart.
	Contamination string `json:"contamination,omitempty"`
}

// check says why l cannot be used, and brings what can be written in several
// ways (roots, repeated files) into the one way the rest relies on.
func (l *Label) check() error {
	switch {
	case l.ID == "":
		return errors.New(`no "id"`)
	case !oneWord(l.ID):
		return fmt.Errorf("id %q holds a blank or a control character, which a TREC run cannot carry", l.ID)
	case strings.TrimSpace(l.Text) == "":
		return errors.New(`no "text"`)
	case len(l.Files) == 0:
		return errors.New(`no "files": a task without an answer cannot be scored`)
	case !oneWord(l.Commit) || strings.HasPrefix(l.Commit, "-"):
		return fmt.Errorf("commit %q is not a revision", l.Commit)
	}
	switch l.Intent {
	case "", "auto", "ask", "change":
	default:
		return fmt.Errorf("intent %q: want ask or change", l.Intent)
	}
	var err error
	if l.Repo, err = folder("repo", l.Repo); err != nil {
		return err
	}
	if l.Root, err = folder("root", l.Root); err != nil {
		return err
	}
	seen := make(map[string]bool, len(l.Files))
	kept := make([]string, 0, len(l.Files))
	for _, f := range l.Files {
		if err := file(f); err != nil {
			return err
		}
		if l.Root != "" && !strings.HasPrefix(f, l.Root+"/") {
			return fmt.Errorf("file %q is outside root %q", f, l.Root)
		}
		if !seen[f] {
			seen[f] = true
			kept = append(kept, f)
		}
	}
	l.Files = kept
	if !oneWord(l.Answer) || strings.HasPrefix(l.Answer, "-") {
		return fmt.Errorf("answer %q is not a revision", l.Answer)
	}
	for _, s := range l.Spans {
		if err := file(s.Path); err != nil {
			return fmt.Errorf("span: %w", err)
		}
		if s.Start < 1 || s.End < s.Start {
			return fmt.Errorf("span of %q: lines %d to %d", s.Path, s.Start, s.End)
		}
	}
	return nil
}

// folder cleans a relative folder; "." becomes "". One that leaves its
// parent is refused, since a label set may come from a stranger.
func folder(what, p string) (string, error) {
	if p == "" {
		return "", nil
	}
	c := path.Clean(p)
	if path.IsAbs(c) || c == ".." || strings.HasPrefix(c, "../") || strings.ContainsRune(p, 0) {
		return "", fmt.Errorf("%s %q is not a path below its folder", what, p)
	}
	if c == "." {
		return "", nil
	}
	return c, nil
}

// file accepts a path exactly as git writes it and nothing that merely means
// the same, because paths are compared as strings.
func file(p string) error {
	if p == "" || p == "." || p == ".." || path.IsAbs(p) || strings.HasPrefix(p, "../") || path.Clean(p) != p || strings.ContainsRune(p, 0) {
		return fmt.Errorf("file %q is not a path as git writes it", p)
	}
	return nil
}

func oneWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) < 0
}
