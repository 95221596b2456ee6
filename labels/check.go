package labels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"cohop/internal/git"
)

// Kinds of a Finding.
const (
	KindRepository = "repository" // it cannot be opened
	KindCommit     = "commit"     // the tree to rank is not there
	KindFile       = "file"       // an answer is not in the tree
	KindSpan       = "span"       // a span is of no answer
	KindNames      = "names"      // the task names an answer's path
	KindLater      = "later"      // the tree, and so its history, holds the answer already
	KindFuture     = "future"     // an answer's file or blob is younger than the tree
	KindMoving     = "moving"     // the tree is named by a tag or branch, which can move
	KindTwice      = "twice"      // the same task stands on several labels with other answers
)

// Finding is what is wrong with one label.
type Finding struct {
	Index int    // of the label in the set
	ID    string // of the label
	Kind  string
	Text  string
	// Leak says that the ranking could see the answer.
	Leak bool
	// Unusable says that the label cannot be measured on, or would give a
	// figure that is too good.
	Unusable bool
}

func (f Finding) String() string {
	what := f.Kind
	if f.Leak {
		what = "leak, " + what
	}
	return fmt.Sprintf("%s: %s: %s", f.ID, what, f.Text)
}

// Check asks the labels' repositories whether commits and files exist and
// whether the answer leaks into what the ranking may see: the task names an
// answer's path, the ranked tree or its history holds the commit of the answer
// (by Answer, or by a message that is the task's), an answer's file or pinned
// blob came into being later, or the tree is named by a tag or a branch, which
// points forward as soon as it moves. Findings come in the order of the set.
//
// A path in the text is a leak that makes a label unusable only where the
// text was written after the answer (TagMined): a user who names the file
// helps the ranking, and is meant to.
func Check(ctx context.Context, set []Label, at Place) ([]Finding, error) {
	c := checker{ctx: ctx, set: set, repos: map[string]*checked{}}
	defer c.close()
	for i := range set {
		c.text(i)
	}
	order := make([]int, len(set))
	for i := range order {
		order[i] = i
	}
	// One repository after the other, so that one history is held at a time.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(set[a].Repo, set[b].Repo) })
	last := ""
	for _, i := range order {
		dir, err := at.Dir(&set[i])
		if err != nil {
			c.find(i, KindRepository, false, true, "%v", err)
			continue
		}
		if dir != last {
			c.close()
			last = dir
		}
		c.repo(i, dir)
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("check labels: %w", err)
		}
	}
	slices.SortStableFunc(c.found, func(a, b Finding) int { return cmp.Compare(a.Index, b.Index) })
	return c.found, nil
}

type checker struct {
	ctx   context.Context
	set   []Label
	repos map[string]*checked
	found []Finding
	texts map[string]int
}

func (c *checker) find(i int, kind string, leak, unusable bool, format string, args ...any) {
	c.found = append(c.found, Finding{Index: i, ID: c.set[i].ID, Kind: kind, Leak: leak, Unusable: unusable, Text: fmt.Sprintf(format, args...)})
}

// text is what can be said without the repository.
func (c *checker) text(i int) {
	l := &c.set[i]
	for _, f := range l.Files {
		if Names(l.Text, f) {
			mined := slices.Contains(l.Tags, TagMined)
			c.find(i, KindNames, true, mined, "the task names %s", f)
			break
		}
	}
	for _, s := range l.Spans {
		if !slices.Contains(l.Files, s.Path) {
			c.find(i, KindSpan, false, false, "lines %d to %d are of %s, which is no answer", s.Start, s.End, s.Path)
			break
		}
	}
	if c.texts == nil {
		c.texts = map[string]int{}
	}
	key := l.Repo + "\x00" + l.Commit + "\x00" + l.Root + "\x00" + normal(l.Text)
	if j, ok := c.texts[key]; ok {
		if !slices.Equal(sortedCopy(l.Files), sortedCopy(c.set[j].Files)) {
			c.find(i, KindTwice, false, false, "has the task of %s and another answer", c.set[j].ID)
		}
	} else {
		c.texts[key] = i
	}
}

func sortedCopy(s []string) []string { s = slices.Clone(s); slices.Sort(s); return s }

// normal is a text without what may differ between two writings of it.
func normal(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

func (c *checker) close() {
	for _, r := range c.repos {
		if r.git != nil {
			r.rd.Close()
			r.git.Close()
		}
	}
	clear(c.repos)
}

// checked is an opened repository with as much of its history as was asked.
type checked struct {
	git      *git.Repo
	rd       *git.Reader
	err      error
	past     map[git.OID]*pastCommit
	byText   map[string][]git.OID // commits by what Mine would make of their messages
	head     git.OID
	hasHead  bool
	lastTree git.OID
	entries  []git.Entry
}

type pastCommit struct {
	parents []git.OID
	changes []git.Change
}

func openChecked(dir string) *checked {
	r := &checked{past: map[git.OID]*pastCommit{}, byText: map[string][]git.OID{}}
	if r.git, r.err = git.Open(dir); r.err != nil {
		return r
	}
	r.rd = r.git.NewReader()
	head, err := r.git.Resolve("HEAD")
	r.head, r.hasHead = head, err == nil
	return r
}

// load walks the history of a commit as far as it was not walked before.
func (r *checked) load(ctx context.Context, from git.OID) error {
	if r.past[from] != nil {
		return nil
	}
	list, err := r.git.Commits(ctx, from, func(id git.OID) bool { return r.past[id] != nil }, 0)
	if err != nil {
		return err
	}
	for i := range list {
		c := &list[i]
		r.past[c.ID] = &pastCommit{c.Parents, c.Changes}
		if text := normal(CleanMessage(c.Message)); words(text) >= mineMinWords {
			r.byText[text] = append(r.byText[text], c.ID)
		}
		if head := normal(CleanMessage(firstLine(c.Message))); words(head) >= subjectWords {
			r.byText["\x00"+head] = append(r.byText["\x00"+head], c.ID)
		}
	}
	return nil
}

// subjectWords is from how many words on the first line of a message alone
// tells that a task was made of it.
const subjectWords = 5

// holds tells whether a commit is of the history of another, itself included.
func (r *checked) holds(commit, from git.OID) bool {
	seen := map[git.OID]bool{from: true}
	queue := []git.OID{from}
	for len(queue) > 0 {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if id == commit {
			return true
		}
		if p := r.past[id]; p != nil {
			for _, q := range p.parents {
				if !seen[q] {
					seen[q] = true
					queue = append(queue, q)
				}
			}
		}
	}
	return false
}

func (r *checked) tree(commit git.OID) error {
	if r.lastTree == commit && r.entries != nil {
		return nil
	}
	entries, _, _, err := r.rd.Tree(commit, "")
	if err != nil {
		return err
	}
	r.lastTree, r.entries = commit, entries
	return nil
}

// entry finds a file of the tree.
func (r *checked) entry(p string) (git.Entry, bool) {
	i, ok := git.FindEntry(r.entries, p)
	if !ok {
		return git.Entry{}, false
	}
	return r.entries[i], true
}

// repo is what only the repository can say.
func (c *checker) repo(i int, dir string) {
	r := c.repos[dir]
	if r == nil {
		r = openChecked(dir)
		c.repos[dir] = r
	}
	if r.err != nil {
		c.find(i, KindRepository, false, true, "%v", r.err)
		return
	}
	l := &c.set[i]
	rev := l.Commit
	if rev == "" {
		rev = "HEAD" // what is on disk is asked of whoever ranks it
	}
	commit, err := r.git.Resolve(rev)
	if err == nil {
		err = r.tree(commit)
	}
	if err != nil {
		if errors.Is(err, git.ErrNoCommits) && l.Commit == "" {
			return // a working tree without a commit
		}
		c.find(i, KindCommit, false, true, "%s: %v", rev, err)
		return
	}
	if err := r.load(c.ctx, commit); err != nil {
		if c.ctx.Err() == nil {
			c.find(i, KindCommit, false, true, "its history cannot be read: %v", err)
		}
		return
	}
	if l.Commit != "" && !strings.HasPrefix(commit.String(), strings.ToLower(l.Commit)) {
		c.find(i, KindMoving, true, false, "%s is a name that can move: it stands for %s now, so write that", l.Commit, commit)
	}
	c.files(i, r, commit)
	c.answer(i, r, commit)
}

// files looks for answers that the tree does not hold or not so.
func (c *checker) files(i int, r *checked, commit git.OID) {
	l := &c.set[i]
	for _, f := range l.Files {
		e, ok := r.entry(f)
		switch {
		case ok && e.IsRegular():
		case ok:
			c.find(i, KindFile, false, true, "%s is no regular file of its tree", f)
		case l.Commit == "":
			// The working tree may hold what HEAD does not.
		case c.later(r, commit, f):
			c.find(i, KindFuture, true, true, "%s is younger than its tree", f)
		default:
			c.find(i, KindFile, false, true, "%s is not in its tree%s", f, near(r, f))
		}
		if want := l.Blobs[f]; want != "" && ok && !strings.HasPrefix(e.ID.String(), strings.ToLower(want)) {
			c.find(i, KindFuture, true, true, "blob %s of %s is not the one of its tree, %s", want, f, e.ID)
		}
	}
}

// later tells whether a file came into being after the tree.
func (c *checker) later(r *checked, commit git.OID, file string) bool {
	if !r.hasHead || r.load(c.ctx, r.head) != nil {
		return false
	}
	for id, p := range r.past {
		for k := range p.changes {
			ch := &p.changes[k]
			if ch.Path == file && (ch.Status == 'A' || ch.Status == 'R') && !r.holds(id, commit) {
				return true
			}
		}
	}
	return false
}

// near names a file that may be meant.
func near(r *checked, f string) string {
	for i := range r.entries {
		if strings.EqualFold(r.entries[i].Path, f) || path.Base(r.entries[i].Path) == path.Base(f) {
			return ": is " + r.entries[i].Path + " meant?"
		}
	}
	return ""
}

// answer looks for the commit of the answer in what the ranking may see.
func (c *checker) answer(i int, r *checked, commit git.OID) {
	l := &c.set[i]
	if l.Answer != "" {
		id, err := r.git.Resolve(l.Answer)
		switch {
		case err != nil: // an export may name a commit that no clone has
		case r.holds(id, commit):
			c.find(i, KindLater, true, true, "the tree %s holds the answer's commit %s", short(commit), short(id))
			return
		}
	}
	keys := []string{normal(CleanText(l.Text))}
	if head := normal(CleanText(firstLine(l.Text))); words(head) >= subjectWords {
		keys = append(keys, "\x00"+head)
	}
	for _, key := range keys {
		for _, id := range r.byText[key] {
			if c.touches(r.past[id], l) && r.holds(id, commit) {
				c.find(i, KindLater, true, true, "commit %s in the tree's past has the task's words and touches its answer", short(id))
				return
			}
		}
	}
}

func (c *checker) touches(p *pastCommit, l *Label) bool {
	if p == nil {
		return false
	}
	for k := range p.changes {
		if slices.Contains(l.Files, p.changes[k].Path) || slices.Contains(l.Files, p.changes[k].Old) {
			return true
		}
	}
	return false
}

func short(id git.OID) string { return id.String()[:10] }

// Usable gives the labels without a finding that makes them unusable, and
// those findings.
func Usable(set []Label, found []Finding) (kept []Label, bad []Finding) {
	drop := map[int]bool{}
	for _, f := range found {
		if f.Unusable {
			drop[f.Index] = true
			bad = append(bad, f)
		}
	}
	for i := range set {
		if !drop[i] {
			kept = append(kept, set[i])
		}
	}
	return kept, bad
}
