package eval

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cohop/labels"
)

// OfRun measures a TREC run that was made elsewhere, or by another version, on
// the tasks of r: a report with the measures of ranked files alone. A task
// without a line in the run counts as 0, and so says a warning.
func (r *Report) OfRun(run []labels.Ranking, name string) *Report {
	at := map[string]*labels.Ranking{}
	for i := range run {
		at[run[i].ID] = &run[i]
	}
	var all []TaskResult
	strange := len(at)
	for i := range r.TaskResults {
		t := &r.TaskResults[i]
		o := TaskResult{ID: t.ID, Repo: t.Repo, Tags: t.Tags, Relevant: t.Relevant, Contamination: t.Contamination}
		var ranked []string
		if x := at[t.ID]; x != nil {
			strange--
			o.answered = true
			o.Ranked = x.Files[:min(RunDepth, len(x.Files))]
			for _, f := range o.Ranked {
				ranked = append(ranked, f.Path)
			}
		}
		o.Measures = fileMeasures(ranked, t.Relevant)
		all = append(all, o)
	}
	out := newReport(Variant{Name: name}, all, r.budgets)
	if strange > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%d tasks of the run %s are not among the labels", strange, name))
	}
	return out
}

// Difference is how two reports differ in a measure, first less second.
type Difference struct {
	Measure string   `json:"measure"`
	First   float64  `json:"first"`
	Second  float64  `json:"second"`
	Micro   Interval `json:"micro"`
	Macro   Interval `json:"macro"`
	Better  int      `json:"better"` // tasks
	Worse   int      `json:"worse"`
}

// Differences compares reports in each measure that both have.
func Differences(first, second *Report, measures []string, seed uint64) ([]Difference, error) {
	var out []Difference
	at := map[string]Measures{}
	for i := range second.TaskResults {
		at[second.TaskResults[i].ID] = second.TaskResults[i].Measures
	}
	for _, m := range measures {
		_, a := first.Micro[m]
		_, b := second.Micro[m]
		if !a || !b {
			continue
		}
		micro, err := Compare(first, second, m, Tasks, seed)
		if err != nil {
			return nil, err
		}
		macro, err := Compare(first, second, m, Repos, seed)
		if err != nil {
			return nil, err
		}
		d := Difference{Measure: m, First: first.Micro[m], Second: second.Micro[m], Micro: micro, Macro: macro}
		for i := range first.TaskResults {
			t := &first.TaskResults[i]
			if o, ok := at[t.ID]; ok {
				switch cmp.Compare(t.Measures[m], o[m]) {
				case 1:
					d.Better++
				case -1:
					d.Worse++
				}
			}
		}
		out = append(out, d)
	}
	return out, nil
}

// WriteDifferences writes them as a table; a star marks those whose 95 %
// interval leaves 0 out.
func WriteDifferences(w io.Writer, list []Difference, name string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "against %s\n", name)
	fmt.Fprintf(&b, "%-14s %8s %8s  %-30s %-30s %s\n", "", "this", "other", "difference over tasks", "over repositories", "tasks better, worse")
	for _, d := range list {
		fmt.Fprintf(&b, "%-14s %8.4f %8.4f  %-30s %-30s %d, %d\n", d.Measure, d.First, d.Second, d.Micro, d.Macro, d.Better, d.Worse)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write differences: %w", err)
	}
	return nil
}

// String writes a difference with its interval, starred if it is no noise.
func (i Interval) String() string {
	s := fmt.Sprintf("%+.4f [%+.4f, %+.4f]", i.Mean, i.Lo, i.Hi)
	if i.Significant() {
		s += "*"
	}
	return s
}

// WriteCSV writes a line a task: id, repo, tags, answers, intent, n_eff,
// confidence, abstained, error, and each measure.
func (r *Report) WriteCSV(w io.Writer) error {
	names := map[string]bool{}
	for i := range r.TaskResults {
		for m := range r.TaskResults[i].Measures {
			names[m] = true
		}
	}
	measures := slices.Sorted(maps.Keys(names))
	c := csv.NewWriter(w)
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	rows := [][]string{append([]string{"id", "repo", "tags", "answers", "intent", "n_eff", "confidence", "abstained", "error"}, measures...)}
	for i := range r.TaskResults {
		t := &r.TaskResults[i]
		conf := ""
		if t.Confidence != nil {
			conf = number(*t.Confidence)
		}
		row := []string{t.ID, t.Repo, strings.Join(t.Tags, " "), strconv.Itoa(len(t.Relevant)), t.Intent, number(t.NEff), conf, strconv.FormatBool(t.Abstained), firstLine(t.Error)}
		for _, m := range measures {
			v := ""
			if x, ok := t.Measures[m]; ok {
				v = number(x)
			}
			row = append(row, v)
		}
		rows = append(rows, row)
	}
	if err := c.WriteAll(rows); err != nil {
		return fmt.Errorf("write csv: %w", err)
	}
	return nil
}
