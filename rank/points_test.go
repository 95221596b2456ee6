package rank

import (
	"strings"
	"testing"
)

func TestPoints(t *testing.T) {
	for task, want := range map[string]bool{
		"what are its arguments?": true, "and in the tests?": true, "why?": true, "how so": true, "does that work with generators": true,
		"where is this called from": true, "explain the above": true, "is there one for a range as well?": true, "do the same thing for uploads": true,
		"compress responses and cache them":                     true, // three content words stand before it
		"compress large responses and cache them":               false,
		"make sure that the parser rejects tabs":                false,
		"rate limit the export endpoint":                        false,
		"there is a race in the scheduler":                      false,
		"":                                                      false,
		"it " + strings.Repeat("breaks the scheduler here ", 9): false, // a ticket brings its own subject
	} {
		if got := points(task); got != want {
			t.Errorf("%q: %v, want %v", task, got, want)
		}
	}
}
