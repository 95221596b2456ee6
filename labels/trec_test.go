package labels

import (
	"bytes"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestEncodePath(t *testing.T) {
	for in, want := range map[string]string{
		"a/b.go":         "a/b.go",
		"my file.go":     "my%20file.go",
		"100%.md":        "100%25.md",
		"tab\tnl\n":      "tab%09nl%0A",
		"é.md":           "é.md",
		"a\u00a0b":       "a%C2%A0b",    // no-break space: readers split on it
		"a\u2028b":       "a%E2%80%A8b", // line separator
		"bad\xffbyte":    "bad%FFbyte",  // not UTF-8
		"x\x1fy\x7f\x85": "x%1Fy%7F%85", // unit separator, delete, a lone continuation byte
		"a%20b":          "a%2520b",
	} {
		got := EncodePath(in)
		if got != want {
			t.Errorf("EncodePath(%q) = %q, want %q", in, got, want)
		}
		if len(strings.Fields(got)) != 1 {
			t.Errorf("EncodePath(%q) is not one field", in)
		}
		if back := DecodePath(got); back != in {
			t.Errorf("DecodePath(%q) = %q, want %q", got, back, in)
		}
	}
	if got := DecodePath("50%zz%4"); got != "50%zz%4" {
		t.Errorf("broken escapes became %q", got)
	}
}

func TestRunRoundTripKeepsOrderOfTies(t *testing.T) {
	run := []Ranking{
		{"t2", []Scored{{"b", 1}, {"a", 1}, {"c d", 1}, {"e", 0.5}, {"f", 0.7}}}, // ties, and one that rises
		{"t1", []Scored{{"x", 0}, {"y", 0}, {"z", math.Copysign(0, -1)}, {"w", -3}}},
		{"t3", nil},
	}
	var out bytes.Buffer
	if err := WriteRun(&out, "rank", run); err != nil {
		t.Fatal(err)
	}
	last := map[string]float64{}
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		f := strings.Fields(line)
		s, err := strconv.ParseFloat(f[4], 32)
		if err != nil {
			t.Fatal(err)
		}
		if l, ok := last[f[0]]; ok && float32(s) >= float32(l) {
			t.Errorf("score does not fall as a float32: %s", line)
		}
		last[f[0]] = s
	}
	got, err := ReadRun(&out, "x")
	if err != nil {
		t.Fatal(err)
	}
	order := func(run []Ranking) map[string]string {
		m := map[string]string{}
		for _, r := range run {
			for _, f := range r.Files {
				m[r.ID] += f.Path + "|"
			}
		}
		return m
	}
	if !reflect.DeepEqual(order(got), order(run)) {
		t.Errorf("order %v, want %v", order(got), order(run))
	}
	if got[0].ID != "t2" || got[1].ID != "t1" {
		t.Errorf("tasks out of order: %v", got)
	}
}

func TestReadRunSortsByScoreThenPath(t *testing.T) {
	got, err := ReadRun(strings.NewReader("q Q0 b 1 1.0 x\nq Q0 c 2 2.0 x\n\nq Q0 a%20a 3 1.0 x\n"), "x")
	want := []Ranking{{"q", []Scored{{"c", 2}, {"a a", 1}, {"b", 1}}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
}

func TestTRECErrorsNameTheLine(t *testing.T) {
	for in, want := range map[string]string{
		"q Q0 a 1 1 x\nq Q0 a 2 0 x\n": "x:2: ",
		"q Q0 a 1 1\n":                 "x:1: want 6 fields, have 5",
		"q Q0 a 1 nan x\n":             "x:1: score",
		"q Q0 a 1 one x\n":             "x:1: score",
	} {
		if _, err := ReadRun(strings.NewReader(in), "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
	for _, bad := range []Ranking{
		{"a b", []Scored{{"x", 1}}},
		{"", []Scored{{"x", 1}}},
		{"a", []Scored{{"x", math.NaN()}}},
		{"a", []Scored{{"x", math.Inf(1)}}},
		{"a", []Scored{{"", 1}}},
		{"a", []Scored{{"x", 2}, {"x", 1}}},
	} {
		if err := WriteRun(&bytes.Buffer{}, "t", []Ranking{bad}); err == nil {
			t.Errorf("%v was written", bad)
		}
	}
}

func TestQrels(t *testing.T) {
	set := []Label{{ID: "b", Files: []string{"z", "a b"}}, {ID: "a", Files: []string{"z"}}}
	var out bytes.Buffer
	if err := WriteQrels(&out, set); err != nil {
		t.Fatal(err)
	}
	if want := "b 0 z 1\nb 0 a%20b 1\na 0 z 1\n"; out.String() != want {
		t.Errorf("qrels %q, want %q", out.String(), want)
	}
	got, err := ReadQrels(strings.NewReader(out.String()+"c 0 z 0\na 0 y 2\n"), "x")
	want := []Judged{{"b", []string{"z", "a b"}}, {"a", []string{"z", "y"}}, {"c", nil}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v %v, want %v", got, err, want)
	}
	for _, in := range []string{"a 0 z\n", "a 0 z one\n", "a 0 z 1\na 0 z 1\n"} {
		if _, err := ReadQrels(strings.NewReader(in), "x"); err == nil {
			t.Errorf("%q was read", in)
		}
	}
}

func FuzzEncodePath(f *testing.F) {
	f.Add("a b%\xff\u00a0")
	f.Fuzz(func(t *testing.T, p string) {
		e := EncodePath(p)
		if DecodePath(e) != p {
			t.Fatalf("%q became %q became %q", p, e, DecodePath(e))
		}
		if p != "" && len(strings.Fields(e)) != 1 {
			t.Fatalf("%q is not one field: %q", p, e)
		}
	})
}

func FuzzReadRun(f *testing.F) {
	f.Add([]byte("q Q0 a%20b 1 2.5 t\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		run, err := ReadRun(bytes.NewReader(in), "x")
		if err != nil {
			return
		}
		for _, r := range run {
			for i := 1; i < len(r.Files); i++ {
				if r.Files[i].Score > r.Files[i-1].Score {
					t.Fatalf("%s: not sorted", r.ID)
				}
			}
		}
	})
}
