package rank

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"cohop/internal/repo"
	"cohop/internal/text"
	"cohop/internal/tokens"
)

// The warnings of an answer by Quick: the first is what it says, the second what
// InTime makes of it.
const (
	NamesOnly   = "only file names were looked at: the index of this repository is not ready yet"
	NamesInTime = "only file names were looked at: the time was too short for more"
)

const (
	quickStem    = 1.0 // what a term is worth in the file's own name
	quickDir     = 0.5 // and in the names of its folders
	quickMention = 8.0 // a path that the task spells out outweighs any words
)

// Quick answers from names alone, for a repository whose index is not ready:
// it costs one walk of the tree. Files score by the idf of the task's terms
// that their paths hold; the pack is their paths. It abstains when no name
// holds a word of the task. The request's filter holds, as far as a path tells
// language and role; what it says of columns, fusion, seeds and session is
// passed over.
func Quick(ctx context.Context, req Request) (*Result, error) {
	if strings.TrimSpace(req.Task) == "" {
		return nil, &UsageError{"the task is empty: say in words what is to be done or found"}
	}
	if req.Budget < 0 {
		return nil, badBudget(req.Budget)
	}
	inPath := func(string) bool { return true }
	if len(req.Paths) > 0 {
		var err error
		if inPath, err = repo.PathMatcher(req.Paths); err != nil {
			return nil, &UsageError{err.Error()}
		}
	}
	st, err := repo.Peek(ctx, repo.Options{Path: req.Repo, Rev: req.Rev, Root: req.Root, ConfigFile: req.ConfigFile})
	if err != nil {
		return nil, err
	}
	defer st.Close()
	budget := req.Budget
	if budget == 0 {
		budget = st.Config.Pack.Budget
	}
	r := &Result{Schema: Schema, Task: req.Task, Repo: st.Git.Name(), Dirty: st.Snapshot.Dirty, Files: []File{}, Pack: []Item{}, LeftOut: []LeftOut{}}
	if !st.Snapshot.Commit.IsZero() {
		r.Rev = st.Snapshot.Commit.String()
	}
	r.Header = Header{Budget: budget, Files: len(st.Snapshot.Entries), Intent: Ask, Missing: []string{}, Warnings: append(slices.Clone(st.Warnings), NamesOnly)}
	if err := ctx.Err(); err != nil {
		return nil, err
	}

	task := text.Parse(req.Task)
	want := map[string]bool{}
	for _, w := range task.All {
		want[w.Term] = true
	}
	type hit struct {
		path       string
		lang, role string
		stem, dirs []string // terms of the task that its name and its folders hold
		score      float64
	}
	var sp text.Splitter
	df := map[string]int{}
	var hits []hit
	for _, e := range st.Snapshot.Entries {
		h := hit{path: e.Path}
		collect := func(s string, to *[]string) {
			sp.Each([]byte(s), func(t []byte, _ bool) {
				if want[string(t)] && !slices.Contains(h.stem, string(t)) && !slices.Contains(h.dirs, string(t)) {
					*to = append(*to, string(t))
				}
			})
		}
		collect(path.Base(e.Path), &h.stem)
		collect(path.Dir(e.Path), &h.dirs)
		for _, m := range task.Mentions {
			if m.Path != "" && (e.Path == m.Path || strings.HasSuffix(e.Path, "/"+m.Path)) {
				h.score += quickMention
			}
		}
		for _, t := range append(slices.Clone(h.stem), h.dirs...) {
			df[t]++
		}
		if h.score == 0 && len(h.stem)+len(h.dirs) == 0 || !inPath(e.Path) {
			continue
		}
		h.lang, h.role = repo.PathRole(e.Path)
		if (len(req.Langs) == 0 || slices.Contains(req.Langs, h.lang)) && (len(req.Roles) == 0 || slices.Contains(req.Roles, h.role)) {
			hits = append(hits, h)
		}
	}
	n := float64(len(st.Snapshot.Entries))
	idf := func(t string) float64 { return math.Log1p((n - float64(df[t]) + 0.5) / (float64(df[t]) + 0.5)) }
	for i := range hits {
		for _, t := range hits[i].stem {
			hits[i].score += quickStem * idf(t)
		}
		for _, t := range hits[i].dirs {
			hits[i].score += quickDir * idf(t)
		}
		if hits[i].role != "source" {
			hits[i].score /= 2 // the same words in a test's or a document's name
		}
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.path, b.path)) })
	// Names hold fewer words than files: half the evidence is as telling.
	if len(hits) == 0 || hits[0].score < st.Config.Abstain.Evidence/2 {
		r.Header.Abstained = true
		return r, nil
	}
	r.Header.Pool = len(hits)
	for k, h := range hits[:req.files(len(hits))] {
		f := File{Rank: k + 1, Score: round(h.score), Signals: map[string]Signal{}, Reason: "its name: " + strings.Join(append(h.stem, h.dirs...), ", ")}
		f.Path, f.PathB64 = safePath(h.path)
		f.Language, f.Role = h.lang, h.role
		r.Files = append(r.Files, f)
		it := Item{Path: f.Path, PathB64: f.PathB64, Tier: TierPath, Language: f.Language}
		if cost := tokens.Count(Body(append(slices.Clone(r.Pack), it))); cost <= budget {
			r.Pack, r.Header.Tokens = append(r.Pack, it), cost
		}
	}
	return r, nil
}

// InTime says of an answer by Quick that the repository was indexed before, so
// that what it lacked was time.
func (r *Result) InTime() {
	if i := slices.Index(r.Header.Warnings, NamesOnly); i >= 0 {
		r.Header.Warnings[i] = NamesInTime
	}
}
