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

	if iv, ok := r.Intervals.Macro[nameNDCG]; ok {
		for _, g := range []struct {
			name string
			m    map[string]Interval
		}{{"± over tasks", r.Intervals.Micro}, {"± over repositories", r.Intervals.Macro}} {
			fmt.Fprintf(&b, "%-*s %6s", width, g.name, "")
			for _, c := range tableColumns {
				iv = g.m[c]
				fmt.Fprintf(&b, " %11s", share(iv.Lo)+"–"+share(iv.Hi))
			}
			b.WriteByte('\n')
		}
	}

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
	r.writeJudged(&b)
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

// share writes one in four characters.
func share(v float64) string {
	if n := max(0, int(v*1000+0.5)); n < 1000 {
		return fmt.Sprintf(".%03d", n)
	}
	return "1.00"
}

// shownWorst is how many of the worst tasks a table tells of.
const shownWorst = 5

func (r *Report) writeJudged(b *strings.Builder) {
	m := &r.Misses
	fmt.Fprintf(b, "of %d answers %d in the first %d, %d ranked lower, %d in no pool", m.Answers, m.Found, missDepth, m.Ranking, m.Pool)
	if m.Absent > 0 {
		fmt.Fprintf(b, ", %d not in the tree", m.Absent)
	}
	if m.Failed > 0 {
		fmt.Fprintf(b, ", %d unanswered", m.Failed)
	}
	b.WriteByte('\n')
	if len(r.PerHit) > 0 {
		b.WriteString("tokens for each answer that is in:")
		sep := " "
		for _, t := range r.budgets {
			if v, ok := r.PerHit[fmt.Sprint(t)]; ok {
				fmt.Fprintf(b, "%s%.0f at %d", sep, v, t)
				sep = ", "
			}
		}
		b.WriteByte('\n')
	}
	if l := r.Reliability; l != nil {
		fmt.Fprintf(b, "confidence at %d tokens: complete %.3f, ECE %.3f, AUC %.3f\n", reportedBudget, l.Complete, l.ECE, l.AUC)
	}
	if a := r.Apart; a != nil {
		fmt.Fprintf(b, "contaminated labels, apart: %d tasks, ndcg@10 %.4f, all@5 %.4f, r@10 %.4f\n", a.Tasks, a.Micro[nameNDCG], a.Micro["all@5"], a.Micro["r@10"])
	}
	if c := r.Correlation; c != nil {
		b.WriteString("columns that say nearly the same:")
		any := false
		for i := range c.Columns {
			for j := range i {
				if c.Rho[i][j] >= sameRho {
					fmt.Fprintf(b, " %s and %s %.2f;", c.Columns[j], c.Columns[i], c.Rho[i][j])
					any = true
				}
			}
		}
		if !any {
			fmt.Fprintf(b, " none with ρ of %.1f or more", sameRho)
		}
		b.WriteByte('\n')
	}
	for k, t := range r.Worst(shownWorst) {
		if t.Measures[nameNDCG] == 1 {
			break
		}
		if k == 0 {
			b.WriteString("worst:\n")
		}
		fmt.Fprintf(b, "  %s: ndcg@10 %.3f: %s\n", t.ID, t.Measures[nameNDCG], t.Why())
	}
}

// sameRho is from where on two columns are told as one: they agree on four
// pairs of files in five.
const sameRho = 0.7
