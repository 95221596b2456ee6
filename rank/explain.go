package rank

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"cohop/cochange"
	"cohop/internal/config"
	"cohop/internal/text"
	"cohop/precedent"
)

// ExplainSchema names the version of Explanation's JSON.
const ExplainSchema = "rank-explain/1"

const (
	shownCommits = 5 // of each kind, the weightiest
	shownPaths   = 3 // nearest names to one that is not in the tree
)

// Explanation tells how one file's place came about. Scores are before
// anything is packed. Lists are never nil.
type Explanation struct {
	Schema   string       `json:"schema"`
	Task     string       `json:"task"`
	Path     string       `json:"path"`
	PathB64  string       `json:"path_b64,omitempty"`
	Language string       `json:"language"`
	Role     string       `json:"role"`
	LeftOut  string       `json:"left_out,omitempty"` // why it is not in the ranked tree, if that is what is to be said
	Unread   string       `json:"unread,omitempty"`   // why little or nothing is known of what it holds
	Intent   float64      `json:"intent"`             // probability that the task asks for a change
	Fusion   string       `json:"fusion"`
	Place    int          `json:"place"` // in the whole pool, from 1; 0: not in it
	Pool     int          `json:"pool"`
	Score    float64      `json:"score"`
	Promoted bool         `json:"promoted"`
	Columns  []ColumnPart `json:"columns"` // the largest part first
	Skipped  []Skipped    `json:"skipped"` // why it is not in the pool

	Seeds      []Seed      `json:"seeds"`           // from which hops and co-change start
	Defines    []string    `json:"defines"`         // identifiers of the task
	Literals   []Literal   `json:"literals"`        // rare literals of the task that it holds
	Precedents []Precedent `json:"precedents"`      // commits that voted for it
	Voters     int         `json:"voters"`          // how many there are
	Shared     []Shared    `json:"shared"`          // commits that it has in common with seeds
	Edges      []SeedEdge  `json:"edges"`           // to and from seeds
	Typed      bool        `json:"typed,omitempty"` // the edges of Go files were found by their types (rank index --precise)
	Chain      []string    `json:"chain"`           // files that lead from the nearest seed to it, both included
}

// ColumnPart is one column of the file: Part is what it added to the score.
type ColumnPart struct {
	ID     string  `json:"id"`
	Raw    float64 `json:"raw"`
	Z      float64 `json:"z"`
	Weight float64 `json:"weight"`
	Part   float64 `json:"part"`
}

// Skipped says of one column why it did not propose the file.
type Skipped struct {
	Column string `json:"column"`
	Reason string `json:"reason"`
}

// Seed is a file that nearness is measured from.
type Seed struct {
	Path   string  `json:"path"`
	Weight float64 `json:"weight"`
	Given  bool    `json:"given"` // named by the caller
}

// Literal is a rare literal of the task.
type Literal struct {
	Text     string `json:"text"`
	Files    int    `json:"files"` // of the tree that hold it
	Promotes bool   `json:"promotes"`
}

// Commit names a commit.
type Commit struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
}

// Precedent is a commit whose message resembles the task.
type Precedent struct {
	Commit
	Score float64 `json:"score"` // BM25 of its message, to the title if only that finds it
	Files int     `json:"files"` // that it touched
	Vote  float64 `json:"vote"`  // the column is ln(1 + Σ votes)
	Share float64 `json:"share"` // of all votes for the file
}

// Shared says how often the file was changed with a seed.
type Shared struct {
	Seed    string   `json:"seed"`
	Both    int      `json:"both"`
	OfFile  int      `json:"of_file"`
	OfSeed  int      `json:"of_seed"`
	Commits []Commit `json:"commits"` // the latest of them
}

// SeedEdge is an edge between the file and a seed.
type SeedEdge struct {
	Seed   string  `json:"seed"`
	Uses   bool    `json:"uses"` // the file uses the seed; otherwise the seed uses the file
	Weight float64 `json:"weight"`
}

// pastQuery is the task as package precedent is asked it.
func (q *Query) pastQuery() ([]precedent.Term, precedent.Options) {
	terms := make([]precedent.Term, 0, len(q.task.All))
	title := map[string]bool{}
	for _, w := range q.task.Title {
		title[w.Term] = true
	}
	for _, w := range q.task.All {
		x := math.Log2(1 + float64(w.N))
		if title[w.Term] {
			x++
		}
		terms = append(terms, precedent.Term{Text: w.Term, Weight: x})
	}
	c := &q.cfg.Past
	return terms, precedent.Options{Now: q.eng.st.Snapshot.CommitTime, Top: c.Top, Exponent: c.Exponent,
		HalfLife: c.HalfLifeDays * day, MaxFiles: c.MaxFiles}
}

// recentQuery asks for recent precedents of the title.
func (q *Query) recentQuery() ([]precedent.Term, precedent.Options) {
	terms := make([]precedent.Term, 0, len(q.task.Title))
	for _, w := range q.task.Title {
		terms = append(terms, precedent.Term{Text: w.Term, Weight: math.Log2(1 + float64(w.N))})
	}
	c := &q.cfg.Past
	return terms, precedent.Options{Now: q.eng.st.Snapshot.CommitTime, Top: c.Top, Exponent: c.Exponent,
		HalfLife: c.RecentDays * day, MaxFiles: c.MaxFiles}
}

// Explain says how the place of a file came about, whether or not it is among
// a Result's. A path that is not in the tree is a *UsageError with the nearest
// that are.
func (q *Query) Explain(name string) (*Explanation, error) {
	e := q.eng
	v := e.st.View
	id, ok := v.Find(strings.TrimPrefix(name, "./"))
	if !ok {
		text := "there is no file " + strconv.Quote(name) + " in the ranked tree"
		if near := q.nearestPaths(name); len(near) > 0 {
			text += ": did you mean " + strings.Join(near, ", ") + "?"
		} else {
			text += ": give its path from the repository's top"
		}
		return nil, &UsageError{text}
	}
	f := q.fuse()
	x := q.explanation(v.Path(id))
	x.Language, x.Role, x.Unread = e.langs[id], e.roles[id], e.st.Unread(id)
	if i, ok := slices.BinarySearch(q.pool, id); ok {
		x.Place, x.Score, x.Promoted = 1+slices.Index(f.order, i), round(f.score[i]), f.promoted[i]
		for c := range q.Columns {
			x.Columns = append(x.Columns, ColumnPart{q.Columns[c].ID, round(q.Columns[c].Raw[i]), round(f.z[c][i]), q.Columns[c].Weight, round(f.parts[c][i])})
		}
		slices.SortStableFunc(x.Columns, func(a, b ColumnPart) int { return cmp.Compare(math.Abs(b.Part), math.Abs(a.Part)) })
	} else {
		x.Skipped = q.skipped(id)
	}
	q.explainText(x, id)
	q.explainSeeds(x, id)
	x.Typed = e.langs[id] == "go" && e.st.Typed() != nil
	return x, nil
}

// ExplainAbsent is Explain of a file that is not in the ranked tree: why says
// what leaves it out.
func (q *Query) ExplainAbsent(name, why string) *Explanation {
	x := q.explanation(name)
	x.LeftOut = why
	return x
}

// explanation is one of which nothing is known but the query.
func (q *Query) explanation(name string) *Explanation {
	x := &Explanation{Schema: ExplainSchema, Task: q.req.Task, Intent: round(q.Intent),
		Fusion: q.method(), Pool: len(q.pool), Columns: []ColumnPart{}, Skipped: []Skipped{}, Seeds: []Seed{}, Defines: []string{},
		Literals: []Literal{}, Precedents: []Precedent{}, Shared: []Shared{}, Edges: []SeedEdge{}, Chain: []string{}}
	x.Path, x.PathB64 = safePath(name)
	return x
}

// method names the fusion in force.
func (q *Query) method() string {
	if q.req.Fusion != "" {
		return q.req.Fusion
	}
	return q.cfg.Fusion.Method
}

// explainText adds what the file holds of the task, and its precedents.
func (q *Query) explainText(x *Explanation, id int32) {
	e := q.eng
	v := e.st.View
	defines := func(key string) {
		for _, s := range v.Definers(key) {
			if sym := v.Symbol(s); sym.File == id && !slices.Contains(x.Defines, sym.Name) {
				x.Defines = append(x.Defines, sym.Name)
			}
		}
	}
	if q.on("definition") {
		for i := range q.task.Idents {
			defines(q.task.Idents[i].Key)
		}
		for _, p := range q.task.Phrases {
			defines(p)
		}
	}
	for _, l := range q.literals {
		if slices.Contains(l.Files, id) {
			x.Literals = append(x.Literals, Literal{l.Text, len(l.Files), distinctive(l.Text) && q.promotable(id)})
		}
	}
	if e.past == nil || !q.on("precedent") {
		return
	}
	voters := q.voters(id)
	x.Voters = len(voters)
	sum := 0.0
	for _, p := range voters {
		sum += p.Part
	}
	for _, p := range voters[:min(shownCommits, len(voters))] {
		share := 0.0
		if sum > 0 {
			share = p.Part / sum
		}
		x.Precedents = append(x.Precedents, Precedent{e.commit(p.Commit), round(p.Score), p.Files, round(p.Part), round(share)})
	}
}

// voters are the commits whose votes takeVotes adds up for a file, each with its
// part in the sum, the greatest first.
func (q *Query) voters(file int32) []precedent.Voter {
	terms, opt := q.pastQuery()
	out := q.eng.past.Voters(terms, opt, file, nil)
	if q.cfg.Past.Recent > 0 {
		terms, opt = q.recentQuery()
		for _, v := range q.eng.past.Voters(terms, opt, file, nil) {
			v.Part *= q.cfg.Past.Recent
			if i := slices.IndexFunc(out, func(o precedent.Voter) bool { return o.Commit == v.Commit }); i >= 0 {
				out[i].Part += v.Part
			} else {
				out = append(out, v)
			}
		}
	}
	slices.SortFunc(out, func(a, b precedent.Voter) int {
		return cmp.Or(cmp.Compare(b.Part, a.Part), cmp.Compare(a.Commit, b.Commit))
	})
	return out
}

func (e *Engine) commit(c int32) Commit {
	id := e.st.History.Log.ID(c)
	return Commit{hex.EncodeToString(id[:]), e.st.History.Log.Subject(c)}
}

// explainSeeds adds the seeds, and what ties the file to them.
func (q *Query) explainSeeds(x *Explanation, id int32) {
	e := q.eng
	v := e.st.View
	nodes := make([]int32, 0, len(q.seeds))
	for i, s := range q.seeds {
		p, _ := safePath(v.Path(s.Node))
		x.Seeds = append(x.Seeds, Seed{p, round(s.Weight), i < q.given})
		nodes = append(nodes, s.Node)
		if s.Node == id {
			continue
		}
		if q.on("hops") {
			if w := e.graph().Weight(id, s.Node); w > 0 {
				x.Edges = append(x.Edges, SeedEdge{p, true, round(float64(w))})
			}
			if w := e.graph().Weight(s.Node, id); w > 0 {
				x.Edges = append(x.Edges, SeedEdge{p, false, round(float64(w))})
			}
		}
		if e.log == nil || !q.on("cochange") {
			continue
		}
		c := &q.cfg.CoChange
		both, ofSeed, ofFile := e.log.Joint(s.Node, id, cochange.Query{MinFiles: c.MinFiles, MaxFiles: c.MaxFiles})
		if both == 0 {
			continue
		}
		sh := Shared{Seed: p, Both: both, OfFile: ofFile, OfSeed: ofSeed, Commits: []Commit{}}
		common := e.log.Changes(id).Clone()
		common.And(e.log.Changes(s.Node))
		for it := common.ReverseIterator(); it.HasNext() && len(sh.Commits) < shownCommits; {
			k := it.Next()
			if _, size, _ := e.log.Change(int(k)); size >= c.MinFiles && size <= c.MaxFiles {
				sh.Commits = append(sh.Commits, e.commit(int32(k)))
			}
		}
		x.Shared = append(x.Shared, sh)
	}
	if !q.on("hops") || len(nodes) == 0 {
		return
	}
	hops, via := e.graph().Nearest(nodes, q.cfg.Hops.Max)
	for at := id; hops[at] > 0; at = via[at] {
		p, _ := safePath(v.Path(at))
		x.Chain = append(x.Chain, p)
		if hops[via[at]] == 0 {
			p, _ := safePath(v.Path(via[at]))
			x.Chain = append(x.Chain, p)
		}
	}
	slices.Reverse(x.Chain)
}

// skipped says of every column why it did not propose a file.
func (q *Query) skipped(id int32) []Skipped {
	if !q.ok(id) {
		return []Skipped{{"filter", "the request's filter leaves it out"}}
	}
	n := int(q.eng.st.View.Files())
	var out []Skipped
	say := func(column string, part float64, score func(f int32) float64) {
		if !q.on(column) {
			out = append(out, Skipped{column, "switched off"})
			return
		}
		own := score(id)
		if !(own > 0) {
			out = append(out, Skipped{column, "nothing speaks for it"})
			return
		}
		place := 1
		for f := range int32(n) {
			if s := score(f); q.ok(f) && (s > own || s == own && f < id) {
				place++
			}
		}
		out = append(out, Skipped{column, fmt.Sprintf("%.4g, place %d; it proposes the first %d", own, place, q.proposal(part))})
	}
	for _, p := range proposals {
		say(p.column, p.share, q.proposed(p.column, p.soft))
	}
	order := func(s Skipped) int { return slices.Index(config.Columns, s.Column) }
	slices.SortStableFunc(out, func(a, b Skipped) int { return cmp.Compare(order(a), order(b)) })
	return out
}

// nearestPaths finds files whose name or path resembles one that is not there.
func (q *Query) nearestPaths(name string) []string {
	type near struct {
		path string
		dist int
	}
	const far = 5 // a typo or two, or another ending
	base := path.Base(name)
	var found []near
	v := q.eng.st.View
	for f := range v.Files() {
		p := v.Path(f)
		d := text.Distance(strings.ToLower(path.Base(p)), strings.ToLower(base), far)
		if strings.HasSuffix(p, "/"+name) {
			d = -1
		}
		if d < far && d*2 < len(base) {
			found = append(found, near{p, d})
		}
	}
	slices.SortFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.dist, b.dist), cmp.Compare(text.Distance(a.path, name, 1000), text.Distance(b.path, name, 1000)), cmp.Compare(a.path, b.path))
	})
	var out []string
	for _, x := range found[:min(shownPaths, len(found))] {
		p, _ := safePath(x.path)
		out = append(out, p)
	}
	return out
}
