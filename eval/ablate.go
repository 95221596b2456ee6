package eval

import (
	"fmt"
	"io"
	"strings"
)

// Without gives the variants that leave out one column or group at a time,
// the whole engine first.
func Without(columns []string) []Variant {
	v := []Variant{{}}
	for _, c := range columns {
		v = append(v, Variant{Name: "without " + c, Without: []string{c}})
	}
	return v
}

// Compare gives the difference of two reports in a measure, with − base, over
// the tasks that both have.
func Compare(with, base *Report, measure string, unit Unit, seed uint64) (Interval, error) {
	at := map[string]float64{}
	for _, t := range base.TaskResults {
		if v, ok := t.Measures[measure]; ok {
			at[t.ID] = v
		}
	}
	var a, b []float64
	var repos []string
	for _, t := range with.TaskResults {
		v, ok := t.Measures[measure]
		if w, both := at[t.ID]; ok && both {
			a, b, repos = append(a, v), append(b, w), append(repos, t.Repo)
		}
	}
	if len(a) == 0 {
		return Interval{}, fmt.Errorf("compare %s: no task in common", measure)
	}
	return PairedBootstrap(a, b, repos, unit, seed), nil
}

// WriteAblation writes what each variant loses against the first: the
// difference in each measure, micro, with its 95 % interval. A star marks
// those whose interval leaves 0 out.
func WriteAblation(w io.Writer, reports []*Report, measures []string, seed uint64) error {
	if len(reports) == 0 {
		return fmt.Errorf("write ablation: no report")
	}
	width := len("all columns")
	for _, r := range reports {
		width = max(width, len(r.Variant))
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%-*s", width, "")
	for _, m := range measures {
		fmt.Fprintf(&s, "  %-26s", m)
	}
	s.WriteByte('\n')
	for i, r := range reports {
		name := r.Variant
		if i == 0 {
			name = "all columns"
		}
		fmt.Fprintf(&s, "%-*s", width, name)
		for _, m := range measures {
			cell := fmt.Sprintf("%.4f", r.Micro[m])
			if i > 0 {
				d, err := Compare(r, reports[0], m, Tasks, seed)
				if err != nil {
					return err
				}
				cell = d.String()
			}
			fmt.Fprintf(&s, "  %-26s", cell)
		}
		s.WriteByte('\n')
	}
	if _, err := io.WriteString(w, s.String()); err != nil {
		return fmt.Errorf("write ablation: %w", err)
	}
	return nil
}
