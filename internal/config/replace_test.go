package config

import "testing"

func TestReplaceTables(t *testing.T) {
	old := "# ours\n[weights]\n\"path\" = 2.0\n\n[pack] # keep\nbudget = 500\n\n[priors.ask]\ntest = -1.0\n[[roles]]\npattern = \"x/\"\nrole = \"source\"\n"
	got, err := ReplaceTables(old, "[weights]\n\"path\" = 3.0\n\n[priors.ask]\ntest = -2.0\n")
	want := "# ours\n[pack] # keep\nbudget = 500\n\n[[roles]]\npattern = \"x/\"\nrole = \"source\"\n\n[weights]\n\"path\" = 3.0\n\n[priors.ask]\ntest = -2.0\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if got, err := ReplaceTables("", "[weights]\n\"path\" = 3.0\n"); err != nil || got != "[weights]\n\"path\" = 3.0\n" {
		t.Errorf("%q, %v", got, err)
	}
	// A table in another form cannot be taken out by lines: better say so than
	// write a file that is no configuration.
	if got, err := ReplaceTables("weights = { path = 1.0 }\n", "[weights]\n\"path\" = 3.0\n"); err == nil {
		t.Errorf("wrote %q", got)
	}
	c := Default()
	if len(c.Confidence) == 0 || c.Abstain.Bias == 0 || c.Adaptive.Tau == 1.28 {
		t.Error("calibrated.toml is not read")
	}
}
