package labels

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strings"

	"cohop/internal/git"
)

// Bounds of a commit whose edited files are an answer.
const (
	// MineMaxFiles keeps sweeping commits out: beyond about fifteen files
	// they are formatting passes and moves.
	MineMaxFiles = 15

	// mineMinWords of a task: "fix", "wip" and "more tests" ask for nothing
	// that could be found.
	mineMinWords = 3

	// MineCount is how many labels are mined when nothing is said: at 500
	// tasks the interval of a recall is about ±.03.
	MineCount = 500
)

// MineOptions says what Mine takes.
type MineOptions struct {
	Name     string           // Label.Repo and the start of ids; "": the repository's name in ids only
	Rev      string           // the history's end; "": HEAD
	Count    int              // labels; 0: MineCount
	Since    int64            // commit time in seconds, inclusive; 0: no bound
	Until    int64            // exclusive; 0: no bound
	Paths    []string         // gitignore-like patterns: only answers that match one; nil: all
	MinFiles int              // edited files; 0: 1
	MaxFiles int              // changed files, created ones included; 0: MineMaxFiles
	Seed     uint64           // of the sample
	Issues   map[string]Issue // by number: their texts stand in for messages that refer to them
}

// Mined is what Mine found.
type Mined struct {
	Labels  []Label // oldest commit first
	Commits int     // that were looked at
	Usable  int     // of them that would do
	Dropped []Drop  // why the others would not, most frequent first
}

// Drop counts commits that were left out for one reason.
type Drop struct {
	Reason  string
	Commits int
}

// Mine makes labels of a history: the task is a commit's message, the tree is
// its parent's, and the answer is what the commit edited there. Merges,
// reverts, sweeping and mechanical commits, and such as change nothing but
// lock files give none, nor do tasks that name an answer or repeat an earlier
// one (the second would find the first among its precedents). Of what is left
// Count are drawn; the same seed on the same history draws the same.
//
// Limits: what a commit created is no answer, since it cannot be ranked; what
// it should have edited and did not is not known. A message is written after
// the change and knows words that a ticket would not.
func Mine(ctx context.Context, r *git.Repo, opt MineOptions) (*Mined, error) {
	match, err := matcher(opt.Paths)
	if err != nil {
		return nil, err
	}
	rev := opt.Rev
	if rev == "" {
		rev = "HEAD"
	}
	head, err := r.Resolve(rev)
	if err != nil {
		return nil, fmt.Errorf("mine %s: %w", rev, err)
	}
	commits, err := r.Commits(ctx, head, nil, 0)
	if err != nil {
		return nil, fmt.Errorf("mine %s: %w", rev, err)
	}
	if opt.Count <= 0 {
		opt.Count = MineCount
	}
	opt.MinFiles = max(1, opt.MinFiles)
	if opt.MaxFiles <= 0 {
		opt.MaxFiles = MineMaxFiles
	}
	out := &Mined{Commits: len(commits)}
	dropped := map[string]int{}
	seen := map[string]bool{}
	var usable []candidate
	for i := range commits {
		c, why := opt.candidate(&commits[i], match)
		if why == "" {
			key := strings.Join(strings.Fields(strings.ToLower(c.text)), " ")
			if seen[key] {
				why = "repeats an earlier task"
			}
			seen[key] = true
		}
		if why != "" {
			dropped[why]++
			continue
		}
		usable = append(usable, c)
	}
	out.Usable = len(usable)
	rng := rand.New(rand.NewPCG(opt.Seed, uint64(len(usable))))
	rd := r.NewReader()
	defer rd.Close()
	var taken []int
	for _, i := range rng.Perm(len(usable)) {
		if len(taken) == opt.Count {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("mine %s: %w", rev, err)
		}
		if usable[i].regular(rd); len(usable[i].files) < opt.MinFiles {
			dropped["edits no regular file of its parent"]++
			continue
		}
		taken = append(taken, i)
	}
	slices.Sort(taken)
	name := opt.Name
	prefix := path.Base(name)
	if name == "" {
		prefix = r.Name()
	}
	prefix = strings.Map(func(r rune) rune {
		if oneWord(string(r)) {
			return r
		}
		return '-'
	}, prefix)
	for _, i := range taken {
		c := &usable[i]
		l := Label{ID: prefix + "-" + c.id.String()[:10], Text: c.text, Files: c.files, Commit: c.parent.String(), Repo: name,
			Intent: "change", Tags: []string{TagMined}, Answer: c.id.String()}
		if c.issue != "" {
			l.Tags = append(l.Tags, "issue")
		}
		if err := l.check(); err != nil {
			dropped["makes no label: "+err.Error()]++
			continue
		}
		out.Labels = append(out.Labels, l)
	}
	for _, why := range sortedKeys(dropped) {
		out.Dropped = append(out.Dropped, Drop{why, dropped[why]})
	}
	slices.SortStableFunc(out.Dropped, func(a, b Drop) int { return b.Commits - a.Commits })
	return out, nil
}

// TagMined marks labels whose task was written after the answer: for them a
// path in the text is a leak, and not a user's help.
const TagMined = "mined"

// candidate is a commit that may become a label.
type candidate struct {
	id, parent git.OID
	text       string
	issue      string // number of the issue that the text is of
	files      []string
}

// candidate says why a commit does not do, or what it would give.
func (opt *MineOptions) candidate(c *git.Commit, match func(string) bool) (candidate, string) {
	switch {
	case c.Merge:
		return candidate{}, "merge"
	case len(c.Parents) == 0:
		return candidate{}, "has no parent"
	case c.Boundary:
		return candidate{}, "its parent is not here"
	case opt.Since != 0 && c.Time < opt.Since || opt.Until != 0 && c.Time >= opt.Until:
		return candidate{}, "out of the period"
	case c.Huge || len(c.Changes) > opt.MaxFiles:
		return candidate{}, fmt.Sprintf("changes more than %d files", opt.MaxFiles)
	case reverts(c.Message):
		return candidate{}, "revert"
	case mechanical(c.Message):
		return candidate{}, "mechanical by its message"
	}
	out := candidate{id: c.ID, parent: c.Parents[0]}
	edits, locks := 0, 0
	for _, ch := range c.Changes {
		switch {
		case ch.Status == 'A':
		case ch.Status == 'R':
			edits++ // moved and not edited: nothing of it is asked for
		case lockFile(ch.Path):
			edits++
			locks++
		case match(ch.Path):
			edits++
			out.files = append(out.files, ch.Path)
		}
	}
	switch {
	case edits > 0 && locks == edits:
		return candidate{}, "changes lock files only"
	case len(out.files) < opt.MinFiles:
		return candidate{}, fmt.Sprintf("edits fewer than %d files that count", opt.MinFiles)
	}
	out.text = CleanMessage(c.Message)
	if n, issue, ok := opt.issue(c); ok {
		out.issue, out.text = n, CleanText(strings.TrimSpace(issue.Title+"\n\n"+issue.Body))
	}
	if words(out.text) < mineMinWords {
		return candidate{}, fmt.Sprintf("fewer than %d words", mineMinWords)
	}
	for _, f := range out.files {
		if Names(out.text, f) {
			return candidate{}, "names an answer"
		}
	}
	return out, ""
}

// issue finds the issue that a message refers to and that was there before
// the commit. A request for the change itself leads on to what it closes.
func (opt *MineOptions) issue(c *git.Commit) (string, Issue, bool) {
	if len(opt.Issues) == 0 {
		return "", Issue{}, false
	}
	for _, n := range references(c.Message) {
		is, ok := opt.Issues[n]
		if ok && is.Change {
			ok = false
			for _, m := range append(slices.Clone(is.Closes), references(is.Body)...) {
				if next, found := opt.Issues[m]; found && !next.Change {
					n, is, ok = m, next, true
					break
				}
			}
		}
		if ok && (is.Created == 0 || is.Created <= c.Time) && words(is.Title) > 0 {
			return n, is, true
		}
	}
	return "", Issue{}, false
}

// regular keeps the files that are regular ones of the parent's tree, which
// only a look into it can tell from links and submodules.
func (c *candidate) regular(rd *git.Reader) {
	entries, _, _, err := rd.Tree(c.parent, "")
	if err != nil {
		c.files = nil
		return
	}
	c.files = slices.DeleteFunc(c.files, func(f string) bool {
		i, ok := git.FindEntry(entries, f)
		return !ok || !entries[i].IsRegular()
	})
}

var (
	reverting = regexp.MustCompile(`(?i)^\s*(?:revert\b|back ?out\b|.*\bthis reverts commit\b)`)
	machinery = regexp.MustCompile(`(?i)^(?:` + strings.Join([]string{
		`merge (?:branch|pull|remote|tag|commit)\b`, `(?:fixup|squash|amend)! `, `wip\b`,
		`(?:chore|build|fix)?(?:\((?:deps|deps-dev|release)\))[:! ]`, `chore: release\b`,
		`\[?(?:pre-commit|dependabot|renovate|bot|automated|auto)[\] :.-]`,
		`(?:bump|update|upgrade)(?:ed|s)? (?:the )?(?:version|dependenc|requirements|\S+ (?:from \S+ )?to v?\d|\S+ requirement)`,
		`(?:prepare |cut |tag |new |bump )*(?:release|version)s? ?:?v?\d`, `v?\d+\.\d+(?:\.\d+)?\S*\s*$`,
		`(?:run|apply|applied|ran) (?:black|isort|gofmt|prettier|rustfmt|clang-format|autopep8|yapf|ruff|eslint|lint)`,
		`(?:black|isort|gofmt|prettier|rustfmt|clang-format|reformat|formatting|whitespace|lint|typos?)\W*$`,
		`fix(?:ed|es)?(?: a| some)? (?:typos?|whitespace|formatting|lint)\W*$`,
		`(?:update|updated)? ?(?:changelog|copyright|translations?|snapshots?|lock ?files?)\W*$`,
		`(?:happy new year|update copyright|bump copyright)`,
	}, "|") + `)`)
)

func reverts(msg string) bool {
	return reverting.MatchString(firstLine(msg)) || strings.Contains(msg, "This reverts commit ")
}

// mechanical tells messages of commits that a program made or that change
// nothing but form.
func mechanical(msg string) bool { return machinery.MatchString(strings.TrimSpace(firstLine(msg))) }

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// lockFile tells files that a package manager writes from others.
func lockFile(p string) bool {
	switch base := strings.ToLower(path.Base(p)); base {
	case "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "packages.lock.json", "bun.lockb", "package.resolved",
		"gradle.lockfile", "cartfile.resolved":
		return true
	default:
		return strings.HasSuffix(base, ".lock")
	}
}

func matcher(patterns []string) (func(string) bool, error) {
	if len(patterns) == 0 {
		return func(string) bool { return true }, nil
	}
	var list []git.Pattern
	for _, p := range patterns {
		c, ok := git.CompilePattern(p)
		if !ok {
			return nil, fmt.Errorf("path pattern %q matches nothing: write it as in .gitignore, such as src/ or *.go", p)
		}
		list = append(list, c)
	}
	return func(file string) bool {
		for i := range list {
			if list[i].Match(file, false) {
				return true
			}
			for k := len(file) - 1; k > 0; k-- { // "src/" means all below it
				if file[k] == '/' && list[i].Match(file[:k], true) {
					return true
				}
			}
		}
		return false
	}, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
