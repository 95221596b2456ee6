package config

import (
	"strings"
	"testing"
)

func TestShippedWeightsNameEveryColumn(t *testing.T) {
	c := Default()
	for _, id := range Columns {
		if _, ok := c.Weights[id]; !ok {
			t.Errorf("no shipped weight for %s", id)
		}
	}
	if err := c.check(); err != nil {
		t.Error(err)
	}
}

func TestMerge(t *testing.T) {
	c := Default()
	if err := c.Merge("x", "[weights]\nhops = 2.5\n[pack]\nbudget = 100\n"); err != nil {
		t.Fatal(err)
	}
	if c.Weights["hops"] != 2.5 || c.Pack.Budget != 100 || c.Weights["path"] != Default().Weights["path"] {
		t.Errorf("merged: hops %v, budget %v", c.Weights["hops"], c.Pack.Budget)
	}
	if Default().Weights["hops"] == 2.5 {
		t.Error("Merge wrote into the shipped configuration")
	}
	for _, bad := range []string{"[weights]\nnothing = 1\n", "[pak]\nx = 1\n", "[text]\nb = 2.0\n", "x = ", "[fusion]\nmethod = \"sum\"\n"} {
		before := c.Pack.Budget
		if err := c.Merge("f.toml", bad); err == nil || !strings.Contains(err.Error(), "f.toml") {
			t.Errorf("Merge(%q) = %v, want an error that names the file", bad, err)
		}
		if c.Pack.Budget != before {
			t.Error("a failed Merge changed the configuration")
		}
	}
}

func TestExpand(t *testing.T) {
	got, err := Expand([]string{"similarity", "hops", Literal})
	if err != nil || len(got) != 6 || !got["similarity.title"] || !got[Literal] {
		t.Errorf("Expand = %v, %v", got, err)
	}
	if _, err := Expand([]string{"sim"}); err == nil {
		t.Error("an unknown column was taken")
	}
}

func FuzzMerge(f *testing.F) {
	f.Add(shipped)
	f.Fuzz(func(t *testing.T, s string) { _ = Default().Merge("x", s) })
}
