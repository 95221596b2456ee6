package rank

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"cohop/cochange"
)

// reason says in words what speaks most for the pool's file i.
func (q *Query) reason(f *fused, i int) string {
	type part struct {
		col int
		v   float64
	}
	var parts []part
	for c := range q.Columns {
		if p := f.parts[c][i]; p > 0.05 && q.Columns[c].Raw[i] != 0 {
			parts = append(parts, part{c, p})
		}
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.v, a.v) })
	var said []string
	if f.promoted[i] {
		for _, l := range q.literals {
			if slices.Contains(l.Files, q.pool[i]) && distinctive(l.Text) {
				said = append(said, fmt.Sprintf("holds the rare literal %q", l.Text))
				break
			}
		}
	}
	text := false
	for _, p := range parts {
		s := q.say(q.Columns[p.col].ID, i)
		if strings.HasPrefix(q.Columns[p.col].ID, "similarity.") {
			if text {
				continue
			}
			text = true
		}
		if s != "" {
			said = append(said, s)
		}
		if len(said) == 3 {
			break
		}
	}
	return strings.Join(said, "; ")
}

// say words one column for one file.
func (q *Query) say(id string, i int) string {
	e := q.eng
	file := q.pool[i]
	switch id {
	case "similarity.file", "similarity.chunk":
		return "its text fits"
	case "similarity.title":
		if q.task.Shape.Lines <= 1 {
			return "its text fits" // the title is all there is
		}
		return "its text fits the title"
	case "similarity.code":
		return "holds the task's identifiers"
	case "path":
		return "its name fits"
	case "definition":
		if n := q.definedIn(file); n != "" {
			return "defines " + n
		}
		return "defines what the task names"
	case "mention":
		return "named in the task"
	case "precedent":
		v := q.votes[file]
		return fmt.Sprintf("precedent %.7x %q", idBytes(e.st.History.Log.ID(v.Best)), shorten(e.st.History.Log.Subject(v.Best), 60))
	case "cochange":
		best, both, of := int32(-1), 0, 0
		for _, s := range q.seeds {
			if s.Node == file {
				continue
			}
			if b, _, n := e.log.Joint(s.Node, file, cochange.Query{MinFiles: q.cfg.CoChange.MinFiles, MaxFiles: q.cfg.CoChange.MaxFiles}); b > both {
				best, both, of = s.Node, b, n
			}
		}
		if best >= 0 {
			with := "changed with " + path.Base(e.st.View.Path(best))
			if of == 1 {
				return with + " in its only commit"
			}
			return fmt.Sprintf("%s in %d of its %d commits", with, both, of)
		}
	case "hops":
		for _, s := range q.seeds {
			if e.graph().Weight(s.Node, file) > 0 {
				return "used by " + path.Base(e.st.View.Path(s.Node))
			}
			if e.graph().Weight(file, s.Node) > 0 {
				return "uses " + path.Base(e.st.View.Path(s.Node))
			}
		}
		for _, s := range q.seeds {
			if s.Node == file {
				return "" // a seed is near itself: that is no reason
			}
		}
		return "near in the import graph"
	case "priors.centrality":
		return "much depends on it"
	case "priors.heat":
		return "often changed lately"
	}
	return ""
}

func idBytes(id [20]byte) []byte { return id[:4] }

// definedIn names the first identifier of the task that a file defines.
func (q *Query) definedIn(file int32) string {
	v := q.eng.st.View
	try := func(key string) string {
		for _, id := range v.Definers(key) {
			if s := v.Symbol(id); s.File == file {
				return s.Name
			}
		}
		return ""
	}
	for _, codeOnly := range []bool{true, false} {
		for i := range q.task.Idents {
			if d := &q.task.Idents[i]; d.Code == codeOnly {
				if n := try(d.Key); n != "" {
					return n
				}
			}
		}
	}
	for _, p := range q.task.Phrases {
		if n := try(p); n != "" {
			return n
		}
	}
	return ""
}

// shorten cuts a text for people at a word.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return strings.TrimSpace(string(r[:n-1])) + "…"
}
