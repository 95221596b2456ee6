package eval

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Verdict is what other weights change on tasks that they were not fitted to.
type Verdict struct {
	Set        string
	Target     Target
	Tasks      int
	Before     float64
	After      float64
	Difference Interval // over repositories if the target is macro, else over tasks
	Better     int      // tasks
	Worse      int
	Losses     []Loss            // tasks that lose most, the largest loss first
	Repos      []Loss            // repositories that lose, the largest loss first
	Measures   map[string]Change // of the table's measures, micro
}

// Loss is a task or repository that does worse.
type Loss struct {
	ID            string
	Before, After float64
}

// Change is a measure before and after.
type Change struct{ Before, After float64 }

// shownLosses is how many tasks and repositories that lose are named.
const shownLosses = 5

// Improves says that the weights are better on some set by more than chance,
// and on none worse by more than that.
func Improves(list []Verdict) bool {
	better := false
	for _, v := range list {
		if v.Difference.Hi < 0 {
			return false
		}
		better = better || v.Difference.Lo > 0
	}
	return better
}

// Judge compares two vectors of weights on m, whose tasks neither was fitted
// to.
func Judge(m *Matrix, before, after []float64, seed uint64) ([]Verdict, error) {
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("judge weights: %w", err)
	}
	if len(before) != len(m.Names) || len(after) != len(m.Names) {
		return nil, fmt.Errorf("judge weights: %d and %d weights for %d features", len(before), len(after), len(m.Names))
	}
	for i := range m.Tasks {
		m.Tasks[i].index(len(m.Names))
	}
	b, _ := measure(m, func(int) []float64 { return before })
	a, _ := measure(m, func(int) []float64 { return after })
	return verdicts(m, b, a, seed), nil
}

// Verdicts compares the chosen weights with TuneOptions.Start over the folds:
// every task by weights that never saw its repository. nil without a start or
// folds.
func (t *Tuned) Verdicts(m *Matrix) []Verdict {
	start := &t.Stages[0]
	if start.Name != StageStart || start.Folds == nil {
		return nil
	}
	return verdicts(m, start.Folds, t.Stages[t.Chosen].Folds, t.Options.Seed)
}

// Sure says that the chosen weights beat the start over the folds by at least
// a standard error on some set, and are not that much worse on any.
func (t *Tuned) Sure(m *Matrix) bool {
	better := false
	for _, v := range t.Verdicts(m) {
		se := (v.Difference.Hi - v.Difference.Lo) / (2 * 1.96)
		if v.Difference.Mean <= -se && se > 0 {
			return false
		}
		better = better || v.Difference.Mean > 0 && v.Difference.Mean >= se
	}
	return better
}

func verdicts(m *Matrix, before, after []SetFigures, seed uint64) []Verdict {
	ids := make([][]string, len(m.Sets))
	for i := range m.Tasks {
		ids[m.Tasks[i].Set] = append(ids[m.Tasks[i].Set], m.Tasks[i].ID)
	}
	var out []Verdict
	for k := range m.Sets {
		b, a := &before[k], &after[k]
		if len(a.PerRow) == 0 {
			continue
		}
		unit := Tasks
		if m.Sets[k].Target.Macro {
			unit = Repos
		}
		v := Verdict{Set: m.Sets[k].Name, Target: m.Sets[k].Target, Tasks: len(a.PerRow), Before: b.Target, After: a.Target,
			Difference: PairedBootstrap(a.PerRow, b.PerRow, a.repos, unit, seed), Measures: map[string]Change{}}
		for _, c := range tuneColumns {
			v.Measures[c] = Change{b.Micro[c], a.Micro[c]}
		}
		var rows []Loss
		sum, n := map[string]*Loss{}, map[string]float64{}
		for i := range a.PerRow {
			rows = append(rows, Loss{ids[k][i], b.PerRow[i], a.PerRow[i]})
			switch cmp.Compare(a.PerRow[i], b.PerRow[i]) {
			case 1:
				v.Better++
			case -1:
				v.Worse++
			}
			r := a.repos[i]
			if sum[r] == nil {
				sum[r] = &Loss{ID: r}
			}
			sum[r].Before += b.PerRow[i]
			sum[r].After += a.PerRow[i]
			n[r]++
		}
		var repos []Loss
		for r, l := range sum {
			repos = append(repos, Loss{r, l.Before / n[r], l.After / n[r]})
		}
		v.Losses, v.Repos = losers(rows), losers(repos)
		out = append(out, v)
	}
	return out
}

// losers keeps those that lose, the largest loss first.
func losers(list []Loss) []Loss {
	list = slices.DeleteFunc(list, func(l Loss) bool { return l.After >= l.Before })
	slices.SortFunc(list, func(x, y Loss) int {
		return cmp.Or(cmp.Compare(x.After-x.Before, y.After-y.Before), strings.Compare(x.ID, y.ID))
	})
	return list[:min(shownLosses, len(list))]
}

// WriteVerdicts writes what changes, and what gets worse.
func WriteVerdicts(w io.Writer, list []Verdict, on string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "on %s\n", on)
	for _, v := range list {
		fmt.Fprintf(&b, "  %s, %d tasks, %s: %.4f → %.4f, %s; %d tasks better, %d worse\n", v.Set, v.Tasks, v.Target, v.Before, v.After, v.Difference, v.Better, v.Worse)
		b.WriteString("   ")
		for _, c := range tuneColumns {
			fmt.Fprintf(&b, " %s %.4f → %.4f;", c, v.Measures[c].Before, v.Measures[c].After)
		}
		b.WriteByte('\n')
		if len(v.Repos) > 0 && v.Repos[0].ID != "" {
			b.WriteString("    repositories that lose:")
			for _, l := range v.Repos {
				fmt.Fprintf(&b, " %s %.3f → %.3f;", l.ID, l.Before, l.After)
			}
			b.WriteByte('\n')
		}
		if len(v.Losses) > 0 {
			b.WriteString("    tasks that lose most:")
			for _, l := range v.Losses {
				fmt.Fprintf(&b, " %s %.3f → %.3f;", l.ID, l.Before, l.After)
			}
			b.WriteByte('\n')
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write verdict: %w", err)
	}
	return nil
}

// WriteChanges writes the weights that change, those that change most first.
func WriteChanges(w io.Writer, names []string, before, after []float64) error {
	order := make([]int, 0, len(names))
	for i := range names {
		if before[i] != after[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(math.Abs(after[j]-before[j]), math.Abs(after[i]-before[i]))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d weights change\n", len(order), len(names))
	for _, i := range order {
		fmt.Fprintf(&b, "  %-28s %8.3f → %8.3f\n", names[i], before[i], after[i])
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write changes: %w", err)
	}
	return nil
}

// Divide gives the tasks for which first says yes, and the others.
func (m *Matrix) Divide(first func(id string) bool) (yes, no *Matrix) {
	yes, no = &Matrix{Names: m.Names, Sets: m.Sets}, &Matrix{Names: m.Names, Sets: m.Sets}
	for i := range m.Tasks {
		if first(m.Tasks[i].ID) {
			yes.Tasks = append(yes.Tasks, m.Tasks[i])
		} else {
			no.Tasks = append(no.Tasks, m.Tasks[i])
		}
	}
	return yes, no
}
