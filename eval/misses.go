package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cohop/internal/config"
	"cohop/rank"
)

// missDepth is the place beyond which an answer counts as missed.
const missDepth = 10

// Misses tells where answers were lost: each counts once.
type Misses struct {
	Answers int `json:"answers"`
	Found   int `json:"found"`   // in the first ten places
	Ranking int `json:"ranking"` // in the pool, but ranked lower: the columns or their weights failed
	Pool    int `json:"pool"`    // no column proposed it: no weight can bring it back
	Absent  int `json:"absent"`  // not in the tree: the label is wrong
	Failed  int `json:"failed"`  // of labels that failed or were abstained from
}

func countMisses(tasks []TaskResult) Misses {
	var m Misses
	for i := range tasks {
		t := &tasks[i]
		m.Answers += len(t.Relevant)
		if !t.answered || t.Abstained {
			m.Failed += len(t.Relevant)
			continue
		}
		place := map[string]int{}
		for k, f := range t.Ranked {
			place[f.Path] = k + 1
		}
		for _, f := range t.Relevant {
			switch p := place[f]; {
			case p > 0 && p <= missDepth:
				m.Found++
			case slices.Contains(t.Absent, f):
				m.Absent++
			case slices.Contains(t.PoolMissed, f):
				m.Pool++
			default:
				m.Ranking++
			}
		}
	}
	return m
}

// Lost says why an answer stands where it does.
type Lost struct {
	Path string  `json:"path"`
	Rank int     `json:"rank"` // 0: not among the first 100
	Gap  float64 `json:"gap"`  // fused score that it lacks to the first file
	// By is what each column added to the gap, the largest first: "precedent
	// −1.20" means that the first file has 1.20 more from it.
	By []ColumnGap `json:"by,omitempty"`
}

// ColumnGap is one column's share of a gap, in units of the score.
type ColumnGap struct {
	Column string  `json:"column"`
	Part   float64 `json:"part"`
}

// shownGaps is how many columns of a gap are kept: a third one seldom decides.
const shownGaps = 4

// lost explains the answers that are not in the first places.
func lost(res *rank.Result, relevant []string) []Lost {
	if len(res.Files) == 0 {
		return nil
	}
	at := map[string]*rank.File{}
	for i := range res.Files {
		at[filePath(&res.Files[i])] = &res.Files[i]
	}
	top := &res.Files[0]
	var out []Lost
	for _, p := range relevant {
		f := at[p]
		if f == nil {
			out = append(out, Lost{Path: p})
			continue
		}
		if f.Rank <= len(relevant) {
			continue // as high as it can be asked to stand
		}
		l := Lost{Path: p, Rank: f.Rank, Gap: top.Score - f.Score}
		for _, c := range slices.Sorted(maps.Keys(top.Signals)) {
			if !slices.Contains(config.Columns, c) {
				continue // a group's sum
			}
			if d := top.Signals[c].Part - f.Signals[c].Part; d > 0 {
				l.By = append(l.By, ColumnGap{c, d})
			}
		}
		slices.SortStableFunc(l.By, func(a, b ColumnGap) int { return cmp.Compare(b.Part, a.Part) })
		l.By = l.By[:min(shownGaps, len(l.By))]
		out = append(out, l)
	}
	return out
}

// Worst gives the n tasks with the lowest NDCG@10, worst first; equals by the
// share of the answers in the first hundred, then by id.
func (r *Report) Worst(n int) []*TaskResult {
	var list []*TaskResult
	for i := range r.TaskResults {
		list = append(list, &r.TaskResults[i])
	}
	slices.SortStableFunc(list, func(a, b *TaskResult) int {
		return cmp.Or(cmp.Compare(a.Measures[nameNDCG], b.Measures[nameNDCG]), cmp.Compare(a.Measures[nameMRR], b.Measures[nameMRR]), strings.Compare(a.ID, b.ID))
	})
	return list[:min(n, len(list))]
}

// Why says in words what went wrong with a task.
func (t *TaskResult) Why() string {
	switch {
	case t.Error != "":
		return "failed: " + firstLine(t.Error)
	case t.Abstained:
		return "abstained"
	}
	var parts []string
	for _, l := range t.Lost {
		var s string
		switch {
		case slices.Contains(t.Absent, l.Path):
			s = "not in the tree"
		case slices.Contains(t.PoolMissed, l.Path):
			s = "no column proposed it"
		case l.Rank == 0:
			s = fmt.Sprintf("beyond the first %d", RunDepth)
		default:
			s = fmt.Sprintf("place %d, %.2f behind", l.Rank, l.Gap)
			for i, b := range l.By {
				if i == 0 {
					s += ":"
				} else {
					s += ","
				}
				s += fmt.Sprintf(" %s %.2f", b.Column, b.Part)
			}
		}
		parts = append(parts, l.Path+" ("+s+")")
	}
	return strings.Join(parts, "; ")
}
