// Package skills holds the agent skill that ships with the program, as the
// file that clients read.
package skills

import _ "embed"

// Rank is skills/rank/SKILL.md.
//
//go:embed rank/SKILL.md
var Rank string
