package eval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"cohop/labels"
)

// featuredAnswer says of file i of its pool that its features are i and −i.
type featuredAnswer struct {
	fakeAnswer
	names    []string
	promoted []bool
}

func (a *featuredAnswer) Features() ([]string, []float32, []bool) {
	n := len(a.pool)
	x := make([]float32, 2*n)
	for i := range n {
		x[i], x[n+i] = float32(i), -float32(i)
	}
	return a.names, x, a.promoted
}

func featured(_ Tree, q Question) (Answer, error) {
	if q.ID == "fails" {
		return nil, errors.New("no luck")
	}
	pool := []string{"a", "b", "c"}
	a := &featuredAnswer{fakeAnswer{pool: pool, files: pool}, []string{"up", "down"}, nil}
	switch q.ID {
	case "promoted":
		a.promoted = []bool{false, true, false}
	case "odd":
		a.names = []string{"up", "sideways"}
	case "short":
		a.promoted = []bool{true}
	}
	return a, nil
}

func collectSets() []LabelSet {
	return []LabelSet{
		{Set{"ask", AskTarget}, []labels.Label{label("one", "r", "", "c", "a", "z"), label("fails", "r", "", "a"), label("none", "s", "", "z")}},
		{Set{"edit", EditTarget}, []labels.Label{label("promoted", "r", "", "b"), label("short", "r", "", "b")}},
	}
}

func TestCollect(t *testing.T) {
	m, reports, err := Collect(context.Background(), &fakeEngine{answer: featured}, collectSets(), Options{Repos: "x"})
	if err != nil {
		t.Fatal(err)
	}
	x := []float32{0, 1, 2, 0, -1, -2}
	want := &Matrix{Names: []string{"up", "down"}, Sets: []Set{{"ask", AskTarget}, {"edit", EditTarget}}, Tasks: []TaskFeatures{
		{ID: "one", Repo: "r", Set: 0, N: 3, X: x, Relevant: []int{0, 2}, Answers: 3},
		{ID: "none", Repo: "s", Set: 0, N: 3, X: x, Answers: 1},
		{ID: "promoted", Repo: "r", Set: 1, N: 3, X: x, Relevant: []int{1}, Answers: 1, Promoted: []bool{false, true, false}},
	}}
	// A negative zero is the same number.
	for i := range m.Tasks {
		for k, v := range m.Tasks[i].X {
			m.Tasks[i].X[k] = v + 0
		}
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("matrix %+v\nwant %+v", m, want)
	}
	if len(reports) != 2 || reports[0].Failed[0].ID != "fails" || reports[1].Failed[0].ID != "short" {
		t.Errorf("reports %+v", reports)
	}

	var file bytes.Buffer
	if err := WriteMatrix(&file, m); err != nil {
		t.Fatal(err)
	}
	back, err := ReadMatrix(bytes.NewReader(file.Bytes()), "x")
	if err != nil || !reflect.DeepEqual(back, want) {
		t.Errorf("read back %+v %v", back, err)
	}
	whole := file.String()
	for cut := range len(whole) {
		if _, err := ReadMatrix(strings.NewReader(whole[:cut]), "x"); err == nil {
			t.Fatalf("the first %d of %d bytes were read as a whole", cut, len(whole))
		}
	}
	if _, err := ReadMatrix(strings.NewReader(whole+"x"), "x"); err == nil {
		t.Error("a longer file was read")
	}
}

func TestCollectNeedsTheSameFeatures(t *testing.T) {
	sets := collectSets()
	sets[0].Labels = append(sets[0].Labels, label("odd", "r", "", "a"))
	if _, _, err := Collect(context.Background(), &fakeEngine{answer: featured}, sets, Options{Repos: "x"}); err == nil || !strings.Contains(err.Error(), "sideways") {
		t.Errorf("error %v, want one that names the feature", err)
	}
	_, reports, err := Collect(context.Background(), &fakeEngine{answer: plain}, collectSets(), Options{Repos: "x"})
	if err == nil || len(reports) == 0 || len(reports[0].Failed) != 3 {
		t.Errorf("an engine without features: %v", err)
	}
}

func FuzzReadMatrix(f *testing.F) {
	m := synthetic(1, 3, 4, []float64{1, 2}, 1)
	var b bytes.Buffer
	if err := WriteMatrix(&b, m); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(matrixMagic + `{"names":["a"],"tasks":[{"n":16777216}]}` + "\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		m, err := ReadMatrix(bytes.NewReader(in), "fuzz")
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := WriteMatrix(&out, m); err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		again, err := ReadMatrix(&out, "again")
		if err != nil || fmt.Sprint(again.Names) != fmt.Sprint(m.Names) || len(again.Tasks) != len(m.Tasks) {
			t.Fatalf("round trip: %v", err)
		}
	})
}
