package config

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"cohop/internal/fuzzwatch"
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
	for _, bad := range []string{"[weights]\nnothing = 1\n", "[pak]\nx = 1\n", "[text]\nb = 2.0\n", "x = ", "[fusion]\nmethod = \"sum\"\n",
		"[[roles]]\npattern = \"a/\"\nrole = \"tset\"\n", "[[roles]]\npattern = \"a/\"\n", "[[roles]]\nrole = \"test\"\n", "[[roles]]\npattern = \"!a/\"\nrole = \"test\"\n",
		"[[roles]]\npattern = \"a/\"\nrole = \"test\"\nof = 1\n", "[priors.change]\ntset = 1\n", "[priors.chnge]\ntest = 1\n", "[confidence]\nbais = 1\n",
		"x = " + strings.Repeat("{x=", 1<<16), strings.Repeat("a.", 1<<16)} {
		before := c.Pack.Budget
		if err := c.Merge("f.toml", bad); !errors.As(err, new(*Error)) || !strings.Contains(err.Error(), "f.toml") {
			t.Errorf("Merge(%q) = %v, want an error that names the file", bad, err)
		}
		if c.Pack.Budget != before {
			t.Error("a failed Merge changed the configuration")
		}
	}
}

// Every number of the configuration is checked: no file can bring a query to
// work with what is no number.
func TestCheckNumbers(t *testing.T) {
	n := 0
	var spoil func(c *Config, v reflect.Value)
	spoil = func(c *Config, v reflect.Value) {
		switch v.Kind() {
		case reflect.Float64:
			for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
				old := v.Float()
				v.SetFloat(x)
				if c.check() == nil {
					t.Errorf("%v passes as number %d", x, n)
				}
				v.SetFloat(old)
			}
			n++
		case reflect.Struct:
			for i := range v.NumField() {
				spoil(c, v.Field(i))
			}
		case reflect.Map:
			for _, k := range v.MapKeys() {
				old := v.MapIndex(k)
				v.SetMapIndex(k, reflect.ValueOf(math.NaN()))
				if c.check() == nil {
					t.Errorf("%s may be NaN", k)
				}
				v.SetMapIndex(k, old)
				n++
			}
		}
	}
	c := Default()
	spoil(c, reflect.ValueOf(c).Elem())
	if err := c.check(); err != nil || n < 90 {
		t.Errorf("%d numbers, then %v", n, err)
	}
	for _, bad := range []string{"[priors.ask]\ntest = nan\n", "[text]\nquery_k = -1.0\n", "[text]\nbody_weight = 0.0\n",
		"[text]\nplain_word = -0.5\n", "[fusion]\nliteral_files = 9\n", "[pack]\nbudget = 0\n", "[abstain]\nbias = inf\n"} {
		if err := Default().Merge("f.toml", bad); err == nil {
			t.Errorf("Merge(%q) went well", bad)
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
	f.Add("[weights]\nhops = 2.5\n[pack]\nbudget = 100\n[[roles]]\npath = \"a/**\"\nrole = \"test\"\n")
	f.Add("\ufeffpack = {budget = 1}\n\"weights\".hops = nan\n[a.\"b\"]\n'''x'''")
	want := Default()
	f.Fuzz(func(t *testing.T, s string) {
		fuzzwatch.Input(t, func() {
			c := Default()
			if err := c.Merge("x", s); err != nil {
				if !reflect.DeepEqual(c, want) {
					t.Fatalf("a failed Merge changed the configuration: %v", err)
				}
			} else if err := c.check(); err != nil {
				t.Fatalf("merged what does not check: %v", err)
			}
			if !reflect.DeepEqual(Default(), want) {
				t.Fatal("Merge wrote into the shipped configuration")
			}
			if out, err := ReplaceTables(s, "[weights]\nhops = 2.0\n"); err == nil {
				c := Default()
				if err := c.Merge("x", out); err != nil || c.Weights["hops"] != 2 {
					t.Fatalf("replaced: %v, hops %v", err, c.Weights["hops"])
				}
			}
		})
	})
}

// What is unknown is told with what there is, wherever it stands.
func TestUnknown(t *testing.T) {
	for text, want := range map[string][]string{
		"[pack]\nbugdet = 1\n":                             {`"pack.bugdet"`, "keys of pack are budget, body,"},
		"bugdet = 1\n":                                     {`"bugdet"`, "tables are weights, priors,"},
		"[priors.aks]\ntest = 1\n":                         {`"priors.aks"`, "keys of priors are ask, change,"},
		"[[roles]]\npattern = \"a\"\nrole = \"tset\"\n":    {`"a"`, `"tset"`, "source, test, benchmark"},
		"[[roles]]\npattern = \"a\"\nrol = \"test\"\n":     {`"roles.rol"`, "keys of roles are pattern, role "},
		"[[roles]]\npattern = \"a\"\n":                     {`"a"`, "lacks its role"},
		"[[roles]]\npattern = \" \"\nrole = \"test\"\n":    {`" "`, "matches nothing"},
		"[weights]\nhop = 1.0\n":                           {"weights", `"hop"`, "definition, hops, cochange"},
		"[priors.named]\nTest = 1.0\n":                     {"priors.named", `"Test"`, "source, test"},
		"[confidence]\nmargin = 1.0\n[pack]\nbudget = 3\n": {"confidence", `"margin"`, "bias, n_eff"},
	} {
		err := Default().Merge("f.toml", text)
		for _, w := range append(want, "f.toml: ") {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("Merge(%q) = %v, want %q in it", text, err, w)
			}
		}
	}
	// The roles of a file below are not told of as this one's.
	c := Default()
	c.Roles = []Role{{"a/", "of old"}}
	if err := c.Merge("f.toml", "[pack]\nbudget = 3\n"); err != nil {
		t.Error(err)
	}
}
