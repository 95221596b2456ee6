package eval

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"cohop/internal/config"
)

// defaultTable is where a feature without a table in its name is written.
const defaultTable = "weights"

// EncodeTOML writes weights as the tables of a configuration. A feature named
// by config.PriorAsk, PriorChange, PriorReport or PriorNamed and a role becomes a key of that
// table, any other a key of weights. Tables and keys stand in the
// order of the features; a 0 is written too, since it overrides what the
// reader would take otherwise.
func EncodeTOML(names []string, weights []float64) string {
	var order []string
	lines := map[string][]string{}
	for j, name := range names {
		table, key := defaultTable, name
		for _, prior := range []string{config.PriorAsk, config.PriorChange, config.PriorReport, config.PriorNamed} {
			if role, ok := strings.CutPrefix(name, prior); ok && role != "" {
				table, key = strings.TrimSuffix(prior, "."), role
			}
		}
		if lines[table] == nil {
			order = append(order, table)
		}
		lines[table] = append(lines[table], quoteKey(key)+" = "+tomlFloat(weights[j]))
	}
	var b strings.Builder
	for i, table := range order {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s]\n%s\n", table, strings.Join(lines[table], "\n"))
	}
	return b.String()
}

// quoteKey leaves a bare key of TOML alone. Dots are quoted: "a.b" is one key.
func quoteKey(k string) string {
	for _, c := range []byte(k) {
		if c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return strconv.Quote(k)
		}
	}
	return k
}

func tomlFloat(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0" // a whole number would be another type
	}
	return s
}

// tuneColumns are the measures shown beside the target.
var tuneColumns = []string{nameNDCG, "all@1", "all@5", "r@10", "r@20"}

// WriteText writes a table of the figures, in-sample and over folds, with the
// gap between, and one of the weights with their range over folds.
func (t *Tuned) WriteText(w io.Writer) error {
	var b strings.Builder
	for k, set := range t.Sets {
		fmt.Fprintf(&b, "%s: %d tasks, target %s\n", set.Name, t.Stages[0].InSample[k].Tasks, set.Target)
		fmt.Fprintf(&b, "  %-12s %-10s %7s %26s", "weights", "on", "target", "95 %")
		for _, c := range tuneColumns {
			fmt.Fprintf(&b, " %8s", c)
		}
		b.WriteByte('\n')
		for s := range t.Stages {
			st := &t.Stages[s]
			t.figures(&b, st, "in-sample", &st.InSample[k], k)
			if st.Folds != nil {
				t.figures(&b, st, fmt.Sprintf("%d folds", t.Options.Folds), &st.Folds[k], k)
				fmt.Fprintf(&b, "  %-12s %-10s %+7.4f\n", "", "gap", st.Folds[k].Target-st.InSample[k].Target)
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString("objective")
	for s, st := range t.Stages {
		mark := ""
		if s == t.Chosen {
			mark = " (chosen)"
		}
		fmt.Fprintf(&b, "  %s %.4f, folds %.4f%s", st.Name, st.Objective, st.OutOfFold, mark)
	}
	b.WriteString("\n\n")
	width := len("feature")
	for _, n := range t.Names {
		width = max(width, len(n))
	}
	fmt.Fprintf(&b, "%-*s", width, "feature")
	for _, st := range t.Stages {
		fmt.Fprintf(&b, " %10s %20s", st.Name, "over folds")
	}
	b.WriteByte('\n')
	for j, n := range t.Names {
		fmt.Fprintf(&b, "%-*s", width, n)
		for _, st := range t.Stages {
			span := ""
			if len(st.ByFold) > 0 {
				lo, hi := math.Inf(1), math.Inf(-1)
				for _, f := range st.ByFold {
					lo, hi = min(lo, f[j]), max(hi, f[j])
				}
				span = fmt.Sprintf("[%.3f, %.3f]", lo, hi)
			}
			fmt.Fprintf(&b, " %10.4f %20s", st.Weights[j], span)
		}
		b.WriteByte('\n')
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write tuning: %w", err)
	}
	return nil
}

// figures writes one line of a set's table.
func (t *Tuned) figures(b *strings.Builder, st *Stage, on string, f *SetFigures, set int) {
	m, unit := f.Micro, Tasks
	if t.Sets[set].Target.Macro {
		m, unit = f.Macro, Repos
	}
	span := ""
	if len(f.PerRow) > 0 {
		iv := Bootstrap(f.PerRow, f.repos, unit, t.Options.Seed)
		span = fmt.Sprintf("[%.4f, %.4f]", iv.Lo, iv.Hi)
	}
	fmt.Fprintf(b, "  %-12s %-10s %7.4f %26s", st.Name, on, f.Target, span)
	for _, c := range tuneColumns {
		fmt.Fprintf(b, " %8.4f", m[c])
	}
	b.WriteByte('\n')
}
