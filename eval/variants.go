package eval

import (
	"slices"

	"cohop/internal/config"
)

// Ablations are the engine as it is, without each column in turn, and by each
// column alone.
func Ablations() []Variant {
	all := append(slices.Clone(config.Columns), config.Literal)
	packed := []int{reportedBudget} // seven packs a variant would be most of the time
	out := []Variant{{}}
	for _, c := range all {
		out = append(out, Variant{Name: "without " + c, Without: []string{c}, Budgets: packed})
	}
	for i, c := range all {
		if c == config.Literal {
			continue // it only lifts what others ranked
		}
		out = append(out, Variant{Name: "only " + c, Without: slices.Delete(slices.Clone(all), i, i+1), Budgets: packed})
	}
	return out
}
