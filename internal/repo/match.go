package repo

import (
	"fmt"

	"cohop/internal/facts"
	"cohop/internal/git"
)

// PathMatcher compiles gitignore-like patterns; a path matches if any does.
func PathMatcher(patterns []string) (func(path string) bool, error) {
	var list []git.Pattern
	for _, p := range patterns {
		c, ok := git.CompilePattern(p)
		if !ok {
			return nil, fmt.Errorf("path pattern %q matches nothing: write it as in .gitignore, such as src/ or *.go", p)
		}
		list = append(list, c)
	}
	return func(path string) bool {
		// The last that matches decides; what begins with an exclusion is
		// everything but.
		for i := len(list) - 1; i >= 0; i-- {
			if list[i].Match(path, false) || underMatch(&list[i], path) {
				return !list[i].Negate
			}
		}
		return len(list) > 0 && list[0].Negate
	}, nil
}

// underMatch tells whether a folder above path matches: "src/" means all in it.
func underMatch(p *git.Pattern, path string) bool {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' && p.Match(path[:i], true) {
			return true
		}
	}
	return false
}

// Roles lists the roles that a file can have.
func Roles() []string {
	out := make([]string, len(facts.Roles))
	for i, r := range facts.Roles {
		out[i] = string(r)
	}
	return out
}
