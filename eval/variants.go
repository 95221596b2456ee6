package eval

import "cohop/internal/config"

// Ablations are the engine as it is, and without each column in turn.
func Ablations() []Variant {
	out := []Variant{{}}
	for _, c := range append(append([]string(nil), config.Columns...), config.Literal) {
		out = append(out, Variant{Name: "without " + c, Without: []string{c}})
	}
	return out
}
