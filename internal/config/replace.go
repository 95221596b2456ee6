package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// FileName is the configuration in a repository.
const FileName = ".rank.toml"

var tableHead = regexp.MustCompile(`^\s*\[{1,2}\s*([^\[\]#]+?)\s*\]{1,2}\s*(?:#.*)?$`)

// ReplaceTables gives old with its tables that add has too taken out, and add
// behind it: all else, comments too, stays as it is. It is an error if the
// outcome is no configuration, as where old writes a table in another form.
func ReplaceTables(old, add string) (string, error) {
	if deep(add) || deep(old) {
		return "", fmt.Errorf("replace tables: over %d brackets are open at once, or dots in a line: no setting needs that", maxDepth)
	}
	var tables map[string]any
	md, err := toml.Decode(add, &tables)
	if err != nil {
		return "", fmt.Errorf("replace tables: %w", err)
	}
	gone := map[string]bool{}
	for _, k := range md.Keys() {
		if md.Type(k...) == "Hash" {
			gone[k.String()] = true
		}
	}
	var kept strings.Builder
	keep := true
	for line := range strings.Lines(strings.TrimPrefix(old, "\ufeff")) {
		if m := tableHead.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			keep = !gone[strings.ReplaceAll(strings.ReplaceAll(m[1], " ", ""), "\"", "")]
		}
		if keep {
			kept.WriteString(line)
		}
	}
	out := strings.TrimRight(kept.String(), "\n")
	if out != "" {
		out += "\n\n"
	}
	out += strings.TrimSpace(add) + "\n"
	if err := Default().Merge(FileName, out); err != nil {
		return "", err
	}
	return out, nil
}
