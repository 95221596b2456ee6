package eval

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// tableColumns are the measures of the table's columns; the JSON has all.
var tableColumns = []string{nameNDCG, "all@1", "all@3", "all@5", "all@10", "r@10", "r@20", nameMRR, namePool}

// maxFailures is how many failures a table lists; the JSON has all.
const maxFailures = 20

// WriteText writes the report as tables: the averages, recall by budget, and
// the groups of by ("repo", "tag" or "").
func (r *Report) WriteText(w io.Writer, by string) error {
	var b strings.Builder
	width := len("macro (repositories)")
	groups := map[string]Measures(nil)
	switch by {
	case "":
	case "repo":
		groups = r.ByRepo
	case "tag":
		groups = r.ByTag
	default:
		return fmt.Errorf("write report: group by %q: want repo or tag", by)
	}
	for g := range groups {
		width = max(width, len(g))
	}
	fmt.Fprintf(&b, "%-*s %6s", width, "", "tasks")
	for _, c := range tableColumns {
		fmt.Fprintf(&b, " %11s", c)
	}
	b.WriteByte('\n')
	line := func(name string, tasks int, m Measures) {
		fmt.Fprintf(&b, "%-*s %6d", width, name, tasks)
		for _, c := range tableColumns {
			fmt.Fprintf(&b, " %11.4f", m[c])
		}
		b.WriteByte('\n')
	}
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		line(g, int(groups[g]["tasks"]), groups[g])
	}
	line("micro (tasks)", r.Tasks, r.Micro)
	line("macro (repositories)", len(r.ByRepo), r.Macro)

	fmt.Fprintf(&b, "\n%-*s", width+7, "recall at tokens")
	for _, t := range r.budgets {
		fmt.Fprintf(&b, " %8d", t)
	}
	b.WriteByte('\n')
	tiers := []struct {
		name string
		of   func(int) string
	}{{"body", nameBody}, {"body or signature", nameSignature}, {"span", nameSpan}}
	for _, mean := range []struct {
		name string
		m    Measures
	}{{"micro", r.Micro}, {"macro", r.Macro}} {
		for _, tier := range tiers {
			if _, ok := mean.m[tier.of(r.budgets[0])]; !ok {
				continue
			}
			fmt.Fprintf(&b, "%-*s", width+7, tier.name+", "+mean.name)
			for _, t := range r.budgets {
				fmt.Fprintf(&b, " %8.4f", mean.m[tier.of(t)])
			}
			b.WriteByte('\n')
		}
	}
	fmt.Fprintf(&b, "\nn_eff p10 %.1f, p50 %.1f, p90 %.1f; abstained %d; packs over budget %d; intents", r.NEff.P10, r.NEff.P50, r.NEff.P90, r.Abstained, r.OverBudget)
	for _, in := range slices.Sorted(maps.Keys(r.Intents)) {
		fmt.Fprintf(&b, " %s %d", in, r.Intents[in])
	}
	b.WriteByte('\n')
	for _, warning := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", warning)
	}
	for i, f := range r.Failed {
		if i == maxFailures {
			fmt.Fprintf(&b, "… and %d more\n", len(r.Failed)-i)
			break
		}
		fmt.Fprintf(&b, "failed: %s: %s\n", f.ID, firstLine(f.Error))
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
