package render

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"cohop/rank"
)

// TestExplanation spells out one of a ranked file: parts in the given order,
// their sum, and no byte of a hostile subject or path left to a terminal.
func TestExplanation(t *testing.T) {
	x := &rank.Explanation{
		Path: "a\x1b[31m.go", Language: "go", Role: "source", Intent: 0.25, Fusion: "z", Place: 2, Pool: 9, Score: 0.75,
		Columns:    []rank.ColumnPart{{ID: "precedent", Raw: 3, Z: 1.5, Weight: 0.6, Part: 0.9}, {ID: "hops", Raw: 0, Z: -0.75, Weight: 0.2, Part: -0.15}},
		Seeds:      []rank.Seed{{Path: "b.go", Weight: 1, Given: true}},
		Precedents: []rank.Precedent{{Commit: rank.Commit{ID: "0123456789abcdef", Subject: "Fix\x1b]0;owned\x07 it"}, Files: 1, Share: 0.5}},
		Voters:     2,
		Edges:      []rank.SeedEdge{{Seed: "b.go", Uses: true, Weight: 0.7}},
	}
	var b bytes.Buffer
	if err := Explanation(&b, x); err != nil {
		t.Fatal(err)
	}
	want := `a\x1b[31m.go
place 2 of 9, score 0.750, role source, language go
change 0.25, fusion z

column           raw          z     weight       part
precedent          3      1.500        0.6     +0.900
hops               0     -0.750        0.2     -0.150
sum                                            +0.750

precedents (2 in all)
  0123456   50%  Fix\x1b]0;owned\x07 it, 1 file

seeds
  b.go, weight 1.00, given

edges to seeds
  uses b.go, weight 0.70
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}

	b.Reset()
	x = &rank.Explanation{Path: "c.go", Role: "test", Unread: "it is too large", Pool: 9, Skipped: []rank.Skipped{{Column: "path", Reason: "nothing speaks for it"}}}
	if err := Explanation(&b, x); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "not among the 9 files that were scored, role test\n") ||
		!strings.Contains(got, "\nnot read: it is too large\n") || !strings.Contains(got, "not proposed\n  path             nothing speaks for it\n") || strings.Contains(got, "column ") {
		t.Errorf("outside the pool:\n%s", got)
	}

	b.Reset()
	if err := Explanation(&b, &rank.Explanation{Path: "d.go", LeftOut: "a rule", Pool: 9}); err != nil || !strings.Contains(b.String(), "\nnot in the ranked tree: a rule\n") || strings.Contains(b.String(), "scored") {
		t.Errorf("outside the tree: %v\n%s", err, b.String())
	}

	b.Reset()
	if err := ExplanationJSON(&b, x); err != nil {
		t.Fatal(err)
	}
	var back rank.Explanation
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.Path != "c.go" || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("%v: %s", err, b.String())
	}
}
