package cmd

import "strconv"

// count is a number with its noun, which takes an s unless it is one.
func count(n int, noun string) string { return counts(n, noun, noun+"s") }

// counts is count for a noun with a plural of its own.
func counts(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
