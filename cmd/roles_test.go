package cmd

import (
	"slices"
	"testing"

	"cohop/internal/config"
	"cohop/internal/repo"
)

// A configuration may name every role, and none that no file has.
func TestRolesOfConfig(t *testing.T) {
	if !slices.Equal(repo.Roles(), config.Roles) {
		t.Errorf("roles %q, in a configuration %q", repo.Roles(), config.Roles)
	}
}
