package config

import (
	"fmt"
	"strings"
)

// Names of fitted features that are role priors rather than column weights.
const (
	PriorAsk    = "priors.ask."
	PriorChange = "priors.change."
	PriorReport = "priors.report."
)

// WeightsTOML writes fitted weights in the form of shipped.toml: a name is a
// column's id, or PriorAsk, PriorChange or PriorReport and a role. The role priors are in
// units of the score, so their column's own weight is 1.
func WeightsTOML(names []string, weights []float64) string {
	var cols, ask, change, report strings.Builder
	for i, n := range names {
		if r, ok := strings.CutPrefix(n, PriorAsk); ok {
			fmt.Fprintf(&ask, "%s = %.3f\n", r, weights[i])
		} else if r, ok := strings.CutPrefix(n, PriorChange); ok {
			fmt.Fprintf(&change, "%s = %.3f\n", r, weights[i])
		} else if r, ok := strings.CutPrefix(n, PriorReport); ok {
			fmt.Fprintf(&report, "%s = %.3f\n", r, weights[i])
		} else {
			fmt.Fprintf(&cols, "%q = %.3f\n", n, weights[i])
		}
	}
	out := "[weights]\n" + cols.String() + "\"priors.role\" = 1.0\n"
	if ask.Len() > 0 {
		out += "\n[priors.ask]\n" + ask.String() + "\n[priors.change]\n" + change.String() + "\n[priors.report]\n" + report.String()
	}
	return out
}
