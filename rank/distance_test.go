package rank_test

import (
	"strings"
	"testing"

	"cohop/internal/config"
	"cohop/rank"
)

// With hops as a distance what a seed leads to is proposed as well, though the
// column's values are not above 0.
func TestDistanceProposes(t *testing.T) {
	dir := build(t, commit{msg: "Start", files: tree{
		"ferry.py": "import mast\n\n\ndef ferry():\n    return mast.hoist()\n",
		"mast.py":  "import rope\n\n\ndef hoist():\n    return rope.pull()\n",
		"rope.py":  "def pull():\n    return 1\n",
		"cook.py":  "def soup():\n    return 2\n",
	}})
	for _, spread := range []bool{false, true} {
		c := config.Default()
		c.Hops.Spread, c.Hops.Sibling = spread, 0
		r := ask(t, dir, "ferry", func(r *rank.Request) { r.Config, r.Without = c, []string{"cochange", "precedent"} })
		if got := names(r); got[0] != "ferry.py" || len(got) != 3 || place(r, "cook.py") <= 3 {
			t.Errorf("spread %v: %q, want the ferry and what it leads to", spread, got)
		}
	}
}

// A way of fusing that there is none of is not taken for the usual one.
func TestUnknownFusion(t *testing.T) {
	dir := build(t, commit{msg: "Start", files: tree{"ferry.py": "def ferry():\n    return 1\n"}})
	_, err := try(dir, "ferry", func(r *rank.Request) { r.Fusion = "sum" })
	if u := usage(t, err); !strings.Contains(u.Text, `"sum"`) || !strings.Contains(u.Text, "rrf") {
		t.Errorf("%q", u.Text)
	}
}

// Stars that were in the file are not counted as masked secrets.
func TestMaskedAreCounted(t *testing.T) {
	frame := strings.Repeat("*", 60)
	dir := build(t, commit{msg: "Start", files: tree{
		"frame.c": "/" + frame + "\n * ferry\n " + frame + "/\nint ferry(void) { return 1; }\n",
		"conf.py": "# ferry\nferry_password = \"" + "Zx9" + "kQ2vLm8RtY4\"\n",
	}})
	r := ask(t, dir, "ferry")
	if r.Header.Masked != 1 {
		t.Errorf("%d masked, want the one of conf.py: %s", r.Header.Masked, rank.Body(r.Pack))
	}
}
