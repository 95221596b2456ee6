package labels

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Issue is one entry of a tracker's export: an issue, or a request for a
// change.
type Issue struct {
	Number  string
	Title   string
	Body    string
	Created int64    // seconds since 1970; 0: not said
	Change  bool     // a pull or merge request rather than an issue
	Closes  []string // numbers of issues, as the tracker lists them
	Base    string   // of a change: the commit that it was made against
	Merged  string   // of a change: the commit that it became
	Files   []string // of a change: what it edited; created files are left out where the export tells
}

// tracked is the union of what GitHub's REST answers, its command line, and
// GitLab's REST answers hold, as far as it is needed. Unknown keys are ignored.
type tracked struct {
	Number      json.Number     `json:"number"`
	IID         json.Number     `json:"iid"`
	Title       string          `json:"title"`
	Body        *string         `json:"body"`
	Description *string         `json:"description"`
	CreatedAt   string          `json:"created_at"`
	CreatedAt2  string          `json:"createdAt"`
	PullRequest json.RawMessage `json:"pull_request"`

	Base *struct {
		SHA string `json:"sha"`
	} `json:"base"`
	BaseRefOID     string  `json:"baseRefOid"`
	MergeCommitSHA *string `json:"merge_commit_sha"`
	MergeCommit    *struct {
		OID string `json:"oid"`
	} `json:"mergeCommit"`
	Files   json.RawMessage `json:"files"`
	Closing []struct {
		Number json.Number `json:"number"`
	} `json:"closingIssuesReferences"`

	DiffRefs *struct {
		BaseSHA string `json:"base_sha"`
	} `json:"diff_refs"`
	Changes []struct {
		OldPath string `json:"old_path"`
		NewFile bool   `json:"new_file"`
	} `json:"changes"`
	ClosesIssues []struct {
		IID json.Number `json:"iid"`
	} `json:"closes_issues"`
	SourceBranch string `json:"source_branch"`
}

// changedFile is a file of a request, as GitHub's two exports have it.
type changedFile struct {
	Filename string `json:"filename"`
	Path     string `json:"path"`
	Status   string `json:"status"`
	Previous string `json:"previous_filename"`
	Change   string `json:"changeType"`
}

// ReadIssues reads an export of issues and requests: JSON Lines, or JSON
// arrays, of GitHub's or GitLab's objects, in one input or several put
// together. Entries that cannot be read are reported by their number in the
// input and skipped.
func ReadIssues(r io.Reader, name string) ([]Issue, []Problem, error) {
	var out []Issue
	var problems []Problem
	data, err := io.ReadAll(io.LimitReader(r, maxExport+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read issues %s: %w", name, err)
	}
	if len(data) > maxExport {
		return nil, nil, fmt.Errorf("read issues %s: larger than %d MiB", name, maxExport>>20)
	}
	dec := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	n := 0
	one := func(raw json.RawMessage) {
		n++
		is, err := parseIssue(raw)
		if err != nil {
			problems = append(problems, Problem{name, n, err})
			return
		}
		out = append(out, is)
	}
	for {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err == io.EOF {
			break
		} else if err != nil {
			return nil, problems, fmt.Errorf("read issues %s: entry %d: %w", name, n+1, err)
		}
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			for _, e := range list {
				one(e)
			}
			continue
		}
		one(raw)
	}
	if len(out) == 0 {
		return nil, problems, fmt.Errorf("read issues %s: no usable entry (%d bad ones)", name, len(problems))
	}
	return out, problems, nil
}

// maxExport bounds an export in bytes: 100,000 issues of 5 KB.
const maxExport = 512 << 20

func parseIssue(raw json.RawMessage) (Issue, error) {
	var t tracked
	if err := json.Unmarshal(raw, &t); err != nil {
		return Issue{}, fmt.Errorf("not an issue: %w", err)
	}
	is := Issue{Number: string(t.Number), Title: strings.TrimSpace(t.Title)}
	if t.IID != "" {
		is.Number = string(t.IID)
	}
	if is.Number == "" || is.Title == "" {
		return Issue{}, errors.New(`no "number" (or "iid") and "title"`)
	}
	switch {
	case t.Body != nil:
		is.Body = *t.Body
	case t.Description != nil:
		is.Body = *t.Description
	}
	for _, s := range []string{t.CreatedAt, t.CreatedAt2} {
		if at, err := time.Parse(time.RFC3339, s); err == nil {
			is.Created = at.Unix()
		}
	}
	for _, c := range t.Closing {
		is.Closes = append(is.Closes, string(c.Number))
	}
	for _, c := range t.ClosesIssues {
		is.Closes = append(is.Closes, string(c.IID))
	}
	switch {
	case t.Base != nil:
		is.Base = t.Base.SHA
	case t.BaseRefOID != "":
		is.Base = t.BaseRefOID
	case t.DiffRefs != nil:
		is.Base = t.DiffRefs.BaseSHA
	}
	if t.MergeCommitSHA != nil {
		is.Merged = *t.MergeCommitSHA
	} else if t.MergeCommit != nil {
		is.Merged = t.MergeCommit.OID
	}
	is.Change = is.Base != "" || len(t.Changes) > 0 || t.SourceBranch != "" || len(t.PullRequest) > 0 && string(t.PullRequest) != "null"
	for _, c := range t.Changes {
		if !c.NewFile {
			is.Files = append(is.Files, c.OldPath)
		}
	}
	if len(t.Files) > 0 {
		var names []string
		var files []changedFile
		if json.Unmarshal(t.Files, &names) == nil {
			is.Files = append(is.Files, names...)
		} else if json.Unmarshal(t.Files, &files) == nil {
			for _, f := range files {
				p := f.Filename
				if p == "" {
					p = f.Path
				}
				if f.Previous != "" {
					p = f.Previous
				}
				if f.Status != "added" && f.Change != "ADDED" && p != "" {
					is.Files = append(is.Files, p)
				}
			}
		}
	}
	return is, nil
}

// IssuesByNumber indexes an export; of two with one number an issue goes
// before a request, and the first before the second.
func IssuesByNumber(list []Issue) map[string]Issue {
	out := make(map[string]Issue, len(list))
	for _, is := range list {
		if old, ok := out[is.Number]; !ok || old.Change && !is.Change {
			out[is.Number] = is
		}
	}
	return out
}

var (
	closing = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|see|issues?|bug|ticket)\b:?\s+(?:\w[\w./-]*)?(?:#|gh-|!)(\d{1,9})\b`)
	anyRef  = regexp.MustCompile(`(?i)(?:^|[\s(\[,])(?:#|gh-)(\d{1,9})\b`)
)

// references gives the numbers that a text refers to, those that it says to
// close first, each once.
func references(s string) []string {
	var out []string
	seen := map[string]bool{}
	for _, re := range []*regexp.Regexp{closing, anyRef} {
		for _, m := range re.FindAllStringSubmatch(s, 100) {
			n, err := strconv.Atoi(m[1])
			if k := strconv.Itoa(n); err == nil && !seen[k] {
				seen[k] = true
				out = append(out, k)
			}
		}
	}
	return out
}
