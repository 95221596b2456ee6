package eval

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"cohop/labels"
)

// TestJournalGoesOn runs half of a set, then all of it: only the other half is
// asked, and the report is that of a run at once.
func TestJournalGoesOn(t *testing.T) {
	set := []labels.Label{label("a", "r", "c1", "x"), label("b", "r", "c1", "y"), label("c", "r", "c2", "x"), label("d", "broken", "c1", "x")}
	answer := func(Tree, Question) (Answer, error) {
		return &fakeAnswer{pool: []string{"x", "y"}, files: []string{"x", "y"}}, nil
	}
	ask := func(set []labels.Label, journal *Journal) (*Report, int) {
		eng := &fakeEngine{answer: answer}
		reports, err := Run(context.Background(), eng, set, Options{Repos: "dir", Budgets: []int{100}, Journal: journal})
		if err != nil {
			t.Fatal(err)
		}
		return reports[0], len(eng.asked)
	}
	whole, _ := ask(set, nil)

	var file bytes.Buffer
	j, torn, err := NewJournal(nil, &file, "v1")
	if err != nil || torn {
		t.Fatal(torn, err)
	}
	if _, n := ask(set[:2], j); n != 2 {
		t.Fatalf("asked %d", n)
	}
	kept := file.String()
	j, torn, err = NewJournal(strings.NewReader(kept+`{"key":"half a li`), &file, "v1")
	if err != nil || !torn || j.Len() != 2 {
		t.Fatalf("%d kept, torn %v, %v", j.Len(), torn, err)
	}
	again, n := ask(set, j)
	if n != 1 { // c; d cannot be opened
		t.Errorf("asked %d tasks, want the one that is left", n)
	}
	for i := range again.TaskResults {
		again.TaskResults[i].pairs, whole.TaskResults[i].pairs = nil, nil
	}
	if !reflect.DeepEqual(again, whole) {
		t.Errorf("report %+v, want %+v", again, whole)
	}
	// Other circumstances: nothing counts.
	if j, _, _ = NewJournal(strings.NewReader(kept), &file, "v2"); j.Len() != 2 {
		t.Fatal(j.Len())
	}
	if _, n := ask(set[:2], j); n != 2 {
		t.Errorf("another version: asked %d, want 2", n)
	}
	changed := append([]labels.Label(nil), set[:2]...)
	changed[0].Text = "another task"
	if j, _, _ = NewJournal(strings.NewReader(kept), &file, "v1"); j.Len() != 2 {
		t.Fatal(j.Len())
	}
	if _, n := ask(changed, j); n != 1 {
		t.Errorf("another text: asked %d, want 1", n)
	}
}
