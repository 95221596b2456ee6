package facts

import (
	"strings"
	"testing"
)

// The decoder would take minutes for these: they say nothing.
func TestDeepTOML(t *testing.T) {
	name := "[package]\nname = \"a\"\n"
	for _, c := range []struct {
		src  string
		deep bool
	}{
		{name, false},
		{name + "# " + strings.Repeat("{", 1000) + "\nx = \"" + strings.Repeat("[.", 1000) + "\"\n", false},
		{name + strings.Repeat("[[a]]\nx = [1, 2]\n", 1000), false},
		{name + "x = " + strings.Repeat("{x=", 1<<16), true},
		{name + strings.Repeat("x = {\n ", 1<<14), true},
		{name + strings.Repeat("a.", 1<<16), true},
	} {
		got := manifestProps("cargo", []byte(c.src))
		if c.deep != (len(got) == 0) {
			t.Errorf("%.60q…: %v", c.src, got)
		}
	}
}
