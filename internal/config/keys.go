package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Error is a file of settings that cannot be meant: its text names the file,
// the key, the value, and what is allowed. It is the user's to mend, as a wrong
// flag is.
type Error struct{ File, Text string }

func (e *Error) Error() string { return "read " + e.File + ": " + e.Text }

// Roles are the roles that a file can have: those of package facts, which this
// one must not see (a test of package cmd compares).
var Roles = []string{"source", "test", "benchmark", "example", "documentation", "vendored", "generated", "configuration",
	"migration", "lock", "fixture", "changelog", "script", "reexport", "legal", "data", "ci"}

// Signs are the keys of [confidence] besides "bias", what rank/confidence.go
// takes of an answer (a test there compares).
var Signs = []string{"n_eff", "epsilon", "unpacked", "body_mass", "margin1", "margin5", "agree", "precedent", "definition",
	"promoted", "missing", "words", "intent", "change_words", "budget"}

// unknownKey says of a key that no field has where it stands, and which keys
// that table has.
func unknownKey(key toml.Key) string {
	known := reflect.TypeFor[Config]()
	table := ""
	for _, part := range key {
		next := fieldOf(known, part)
		if next == nil || next.Kind() == reflect.Map { // a map has every key
			break
		}
		if next.Kind() == reflect.Slice {
			next = next.Elem()
		}
		if next.Kind() != reflect.Struct {
			break
		}
		known, table = next, strings.TrimPrefix(table+"."+part, ".")
	}
	var names []string
	for i := range known.NumField() {
		names = append(names, known.Field(i).Tag.Get("toml"))
	}
	if table == "" {
		return fmt.Sprintf("unknown key %q: the tables are %s (doc/format.md says what they hold)", key.String(), strings.Join(names, ", "))
	}
	return fmt.Sprintf("unknown key %q: the keys of %s are %s (doc/format.md says what they set)", key.String(), table, strings.Join(names, ", "))
}

// fieldOf is the type of the field that a key sets, as the decoder finds it;
// nil: none.
func fieldOf(t reflect.Type, key string) reflect.Type {
	for i := range t.NumField() {
		if strings.EqualFold(t.Field(i).Tag.Get("toml"), key) {
			return t.Field(i).Type
		}
	}
	return nil
}

// checkNames tells the first name in a table of free keys, or the first role,
// that nothing here has: it would be taken and change nothing.
func (c *Config) checkNames() error {
	for _, t := range []struct {
		table, kind string
		held        map[string]float64
		known       []string
	}{
		{"weights", "column", c.Weights, Columns},
		{"priors.ask", "role", c.Priors.Ask, Roles}, {"priors.change", "role", c.Priors.Change, Roles},
		{"priors.named", "role", c.Priors.Named, Roles}, {"priors.report", "role", c.Priors.Report, Roles},
		{"confidence", "sign", c.Confidence, append([]string{"bias"}, Signs...)},
	} {
		for _, name := range slices.Sorted(maps.Keys(t.held)) {
			if !slices.Contains(t.known, name) {
				return fmt.Errorf("%s: unknown %s %q: the %ss are %s", t.table, t.kind, name, t.kind, strings.Join(t.known, ", "))
			}
		}
	}
	for i, r := range c.Roles {
		switch {
		case r.Role == "":
			return fmt.Errorf("roles: number %d, for pattern %q, lacks its role: want one of %s", i+1, r.Pattern, strings.Join(Roles, ", "))
		case !slices.Contains(Roles, r.Role):
			return fmt.Errorf("roles: pattern %q: unknown role %q: the roles are %s", r.Pattern, r.Role, strings.Join(Roles, ", "))
		case strings.TrimSpace(r.Pattern) == "" || strings.HasPrefix(r.Pattern, "#") || strings.Trim(r.Pattern, "/") == "":
			return fmt.Errorf("roles: number %d, for role %q: pattern %q matches nothing: write it as in .gitignore, such as \"third/\" or \"*.pb.go\"", i+1, r.Role, r.Pattern)
		case strings.HasPrefix(r.Pattern, "!"):
			return fmt.Errorf("roles: pattern %q: a role's pattern excludes nothing: the first that matches a file wins, so put an exception before it", r.Pattern)
		}
	}
	return nil
}
