package labels

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// sweLine is a task of the SWE-bench family: a report, the commit that it was
// made against, and the patch that answered it.
type sweLine struct {
	InstanceID       string `json:"instance_id"`
	Repo             string `json:"repo"`
	BaseCommit       string `json:"base_commit"`
	ProblemStatement string `json:"problem_statement"`
	Patch            string `json:"patch"`
}

// ImportSWE reads JSON Lines of the SWE-bench family. The answer is the files
// that the patch edits, and its spans the lines that it takes out or adds to,
// as they were. Files that the patch creates are no answer.
func ImportSWE(r io.Reader, name string) ([]Label, []Problem, error) {
	return importLines(r, name, func(line []byte) (Label, error) {
		var s sweLine
		if err := json.Unmarshal(line, &s); err != nil {
			return Label{}, fmt.Errorf("not a task: %w", err)
		}
		files, spans := patchFiles(s.Patch)
		l := Label{ID: s.InstanceID, Text: strings.ToValidUTF8(s.ProblemStatement, ""), Repo: s.Repo, Commit: s.BaseCommit, Intent: "change",
			Files: files, Spans: spans}
		if len(files) == 0 {
			return l, errors.New("the patch edits no file that was there")
		}
		return l, nil
	})
}

// importLines makes a label of each line; what cannot be used is reported.
func importLines(r io.Reader, name string, parse func([]byte) (Label, error)) ([]Label, []Problem, error) {
	c := collector{name: name, seen: map[string]bool{}}
	err := eachLine(r, func(n int, line []byte, tooLong bool) error {
		if tooLong {
			c.bad(n, fmt.Errorf("longer than %d MiB", maxLine>>20))
		} else if len(strings.TrimSpace(string(line))) > 0 {
			l, err := parse(line)
			c.add(n, l, err)
		}
		return nil
	})
	return c.done(err)
}

// collector gathers labels and what is wrong with the others.
type collector struct {
	name     string
	set      []Label
	problems []Problem
	seen     map[string]bool
}

func (c *collector) bad(n int, err error) { c.problems = append(c.problems, Problem{c.name, n, err}) }

func (c *collector) add(n int, l Label, err error) {
	if err == nil {
		err = l.check()
	}
	if err == nil && c.seen[l.ID] {
		err = fmt.Errorf("id %q stands twice", l.ID)
	}
	if err != nil {
		c.bad(n, err)
		return
	}
	c.seen[l.ID] = true
	c.set = append(c.set, l)
}

func (c *collector) done(err error) ([]Label, []Problem, error) {
	if err != nil {
		return c.set, c.problems, fmt.Errorf("import %s: %w", c.name, err)
	}
	if len(c.set) == 0 {
		return nil, c.problems, fmt.Errorf("import %s: %w (%d bad ones)", c.name, ErrEmpty, len(c.problems))
	}
	return c.set, c.problems, nil
}

var hunk = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d+(?:,\d+)? @@`)

// patchFiles gives the files that a unified diff edits, by their names before
// it, and the lines there that it changes: those taken out, or for a pure
// addition the line that it follows.
func patchFiles(patch string) (files []string, spans []Span) {
	file := ""
	line, left := 0, 0 // next line of the file before, and how many the hunk has left
	from, to := 0, 0
	flush := func() {
		if file != "" && from > 0 {
			spans = append(spans, Span{file, from, to})
		}
		from, to = 0, 0
	}
	mark := func(n int) {
		if n < 1 {
			n = 1
		}
		if from > 0 && n > to+1 {
			flush()
		}
		if from == 0 {
			from = n
		}
		to = max(to, n)
	}
	for s := range strings.Lines(patch) {
		s = strings.TrimRight(s, "\r\n")
		if left <= 0 && strings.HasPrefix(s, "--- ") {
			flush()
			file = ""
			name, _, _ := strings.Cut(s[4:], "\t")
			if q, err := strconv.Unquote(name); err == nil {
				name = q
			}
			if name, ok := strings.CutPrefix(name, "a/"); ok && path.Clean(name) == name {
				file = name
				files = append(files, name)
			}
			continue
		}
		if m := hunk.FindStringSubmatch(s); m != nil {
			flush()
			line, _ = strconv.Atoi(m[1])
			left = 1
			if m[2] != "" {
				left, _ = strconv.Atoi(m[2])
			}
			continue
		}
		switch {
		case strings.HasPrefix(s, "diff --git "):
			left = 0
		case left > 0 && strings.HasPrefix(s, "-"):
			mark(line)
			line, left = line+1, left-1
		case strings.HasPrefix(s, "+") && !strings.HasPrefix(s, "+++ ") && line > 0:
			if from == 0 || to < line-1 {
				mark(line - 1)
			}
		case left > 0 && (strings.HasPrefix(s, " ") || s == ""):
			line, left = line+1, left-1
		}
	}
	flush()
	return files, spans
}

// ImportTracker makes labels of a tracker's export (ReadIssues): each merged
// request that edits files is an answer, on the tree that it was made
// against; the task is the text of the issue that it closes, or its own, then
// tagged "request-text", where it closes none. repo becomes Label.Repo.
func ImportTracker(list []Issue, name, repo string) ([]Label, []Problem, error) {
	c := collector{name: name, seen: map[string]bool{}}
	byNumber := map[string]Issue{}
	for _, is := range list {
		if !is.Change {
			byNumber[is.Number] = is
		}
	}
	prefix := path.Base(repo)
	if repo == "" {
		prefix = "request"
	}
	for i, is := range list {
		if !is.Change {
			continue
		}
		l := Label{ID: prefix + "-" + is.Number, Repo: repo, Commit: is.Base, Files: is.Files, Intent: "change", Answer: is.Merged, Tags: []string{"request"}}
		text, found := is, false
		for _, n := range append(append([]string(nil), is.Closes...), references(is.Title+"\n"+is.Body)...) {
			if t, ok := byNumber[n]; ok {
				text, found = t, true
				break
			}
		}
		if !found {
			l.Tags = append(l.Tags, "request-text")
		}
		l.Text = CleanText(strings.TrimSpace(text.Title + "\n\n" + text.Body))
		switch {
		case len(is.Files) == 0:
			c.bad(i+1, fmt.Errorf("request %s lists no file that was there", is.Number))
		case is.Base == "":
			c.bad(i+1, fmt.Errorf("request %s does not say what it was made against", is.Number))
		default:
			c.add(i+1, l, nil)
		}
	}
	return c.done(nil)
}

var topicTag = regexp.MustCompile(`(?i)^\s*<(/?)(top|num|title|desc|narr|query)>\s*(?:(?:number|topic|description|narrative):)?\s*(.*)$`)

// ImportTREC makes labels of TREC topics, either <top> blocks (the title, or
// else the description, is the task) or lines of an id, a tab and a text, and
// the files judged above 0. commit and repo are those of every label.
func ImportTREC(topics, qrels io.Reader, name, commit, repo string) ([]Label, []Problem, error) {
	judged, err := ReadQrels(qrels, name)
	if err != nil {
		return nil, nil, err
	}
	files := map[string][]string{}
	for _, j := range judged {
		files[j.ID] = j.Files
	}
	c := collector{name: name, seen: map[string]bool{}}
	emit := func(n int, id, text string) {
		l := Label{ID: id, Text: strings.TrimSpace(text), Commit: commit, Repo: repo, Files: files[id]}
		if len(l.Files) == 0 {
			c.bad(n, fmt.Errorf("topic %q: no file is judged relevant", id))
			return
		}
		c.add(n, l, nil)
	}
	fields := map[string]string{}
	at, start := "", 0
	err = eachLine(topics, func(n int, line []byte, tooLong bool) error {
		s := string(line)
		m := topicTag.FindStringSubmatch(s)
		switch {
		case tooLong:
			c.bad(n, errors.New("line too long"))
		case m != nil && strings.EqualFold(m[2], "top"):
			if m[1] == "" {
				clear(fields)
				at, start = "", n
				break
			}
			text := fields["title"]
			for _, k := range []string{"query", "desc"} {
				if strings.TrimSpace(text) == "" {
					text = fields[k]
				}
			}
			if start == 0 {
				c.bad(n, errors.New("</top> without <top>"))
				break
			}
			emit(start, strings.TrimSpace(fields["num"]), text)
			at, start = "", 0
		case start > 0 && m != nil:
			at = ""
			if m[1] == "" {
				at = strings.ToLower(m[2])
				text := m[3]
				if i := strings.Index(text, "</"); i >= 0 {
					text = text[:i]
				}
				fields[at] = strings.TrimSpace(text)
			}
		case start > 0 && at != "":
			fields[at] = strings.TrimSpace(fields[at] + "\n" + strings.TrimSpace(s))
		case start == 0 && strings.TrimSpace(s) != "":
			id, text, ok := strings.Cut(s, "\t")
			if !ok {
				c.bad(n, errors.New("want <top> blocks, or an id, a tab and a text"))
				break
			}
			emit(n, strings.TrimSpace(id), text)
		}
		return nil
	})
	if err == nil && start > 0 {
		c.bad(start, errors.New("<top> without </top>"))
	}
	return c.done(err)
}
