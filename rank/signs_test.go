package rank

import (
	"slices"
	"testing"

	"cohop/internal/config"
)

// A configuration may name every sign, and none that is not taken.
func TestSignsOfConfig(t *testing.T) {
	if !slices.Equal(signNames, config.Signs) {
		t.Errorf("signs %q, in a configuration %q", signNames, config.Signs)
	}
}
