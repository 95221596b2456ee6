package eval

import (
	"bytes"
	"context"
	"encoding/csv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"cohop/labels"
)

func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
		ok   bool
	}{
		{[]float64{1, 2, 3}, []float64{10, 20, 900}, 1, true},
		{[]float64{1, 2, 3}, []float64{3, 2, 1}, -1, true},
		// Ranks 1 2 3 4 and 2 1 4 3: 1 − 6·(1+1+1+1)/(4·15) = .6
		{[]float64{1, 2, 3, 4}, []float64{2, 1, 4, 3}, .6, true},
		// Midranks 1.5 1.5 3 and 1 2 3: covariance 1.5, variances 1.5 and 2
		{[]float64{5, 5, 7}, []float64{1, 2, 3}, 1.5 / math.Sqrt(1.5*2), true},
		{[]float64{1, 1}, []float64{1, 2}, 0, false},
		{[]float64{1}, []float64{2}, 0, false},
		{nil, nil, 0, false},
	} {
		got, ok := Spearman(c.a, c.b)
		if ok != c.ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Spearman(%v, %v) = %v, %v", c.a, c.b, got, ok)
		}
	}
}

func TestCorrelationIsTheMeanOverTasks(t *testing.T) {
	tasks := []TaskResult{
		{pairs: correlate([]string{"a", "b"}, [][]float64{{1, 2, 3}, {1, 2, 3}})},
		{pairs: correlate([]string{"b", "a"}, [][]float64{{1, 2, 3}, {3, 2, 1}})},
		{pairs: correlate([]string{"a", "b"}, [][]float64{{0, 0, 0}, {1, 2, 3}})}, // says nothing
		{},
	}
	c := meanCorrelation(tasks)
	if c.Tasks[0][1] != 2 || c.Tasks[1][0] != 2 || c.Rho[0][1] != 0 || c.Rho[1][0] != 0 || c.Rho[0][0] != 1 {
		t.Errorf("%+v: want 0 over two tasks, (1 − 1)/2", c)
	}
	if meanCorrelation(tasks[3:]) != nil {
		t.Error("a correlation of nothing")
	}
}

func TestMissesAndWorst(t *testing.T) {
	files := make([]string, 12)
	for i := range files {
		files[i] = string(rune('a' + i))
	}
	set := []labels.Label{
		label("t", "r", "c", "a", "l", "out", "gone"), // first, twelfth, in no pool, not in the tree
		label("u", "r", "c", "a"),
		label("v", "broken", "c", "a"),
	}
	set[1].Contamination = "author had read the ranking"
	eng := &fakeEngine{answer: func(_ Tree, q Question) (Answer, error) {
		return &fakeAnswer{pool: files, files: files}, nil
	}}
	reports, err := Run(context.Background(), eng, set, Options{Repos: "dir", Budgets: []int{2000}})
	if err != nil {
		t.Fatal(err)
	}
	r := reports[0]
	if want := (Misses{Answers: 6, Found: 2, Ranking: 1, Pool: 1, Absent: 1, Failed: 1}); r.Misses != want {
		t.Errorf("misses %+v, want %+v", r.Misses, want)
	}
	if r.Tasks != 2 || r.Apart == nil || r.Apart.Tasks != 1 || r.Apart.Micro[nameNDCG] != 1 {
		t.Errorf("%d tasks, apart %+v: the contaminated one is not to be averaged in", r.Tasks, r.Apart)
	}
	if values, _ := r.Values(nameNDCG); len(values) != 2 {
		t.Errorf("intervals over %d tasks, want 2", len(values))
	}
	if w := r.Worst(2); w[0].ID != "v" || w[1].ID != "t" || !strings.HasPrefix(w[0].Why(), "failed: open") {
		t.Errorf("worst are %s (%s) and %s", w[0].ID, w[0].Why(), w[1].ID)
	}
	worst := r.Worst(2)[1]
	for _, want := range []string{"l (place 12", "out (no column proposed it)", "gone (not in the tree)"} {
		if !strings.Contains(worst.Why(), want) {
			t.Errorf("why: %s, want %q in it", worst.Why(), want)
		}
	}
	var b bytes.Buffer
	if err := r.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 4 || rows[1][0] != "t" {
		t.Errorf("csv %v, %v", rows, err)
	}
}

func TestAgainstARun(t *testing.T) {
	set := []labels.Label{label("t", "r", "c", "a"), label("u", "r", "c", "b")}
	eng := &fakeEngine{answer: func(Tree, Question) (Answer, error) {
		return &fakeAnswer{pool: []string{"a", "b"}, files: []string{"a", "b"}}, nil
	}}
	reports, err := Run(context.Background(), eng, set, Options{Repos: "dir", Budgets: []int{2000}})
	if err != nil {
		t.Fatal(err)
	}
	// The other run has u right and lacks t.
	other := reports[0].OfRun([]labels.Ranking{{ID: "u", Files: []labels.Scored{{Path: "b", Score: 1}}}, {ID: "stranger"}}, "old")
	list, err := Differences(reports[0], other, []string{nameMRR, "recall.body.2000"}, 1)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	// mrr here 1 and 1/2, there 0 and 1.
	if d := list[0]; d.First != .75 || d.Second != .5 || d.Micro.Mean != .25 || d.Better != 1 || d.Worse != 1 {
		t.Errorf("%+v", d)
	}
	if len(other.Warnings) == 0 || !strings.Contains(strings.Join(other.Warnings, "\n"), "not among the labels") {
		t.Errorf("warnings %q", other.Warnings)
	}
}

// signsOf makes a collection in which one sign tells completeness and one
// tells strays.
func signsOf(n int) *Signs {
	rng := rand.New(rand.NewPCG(3, 4))
	s := &Signs{Sets: []string{"s"}, Budgets: []int{500, 2000}, Names: []string{"x", "noise"}, Evidence: []string{"e"}}
	for i := range n {
		repo := string(rune('a' + i%7))
		x := rng.NormFloat64()
		done := rng.Float64() < 1/(1+math.Exp(-2*x))
		t := SignedTask{ID: "t", Repo: repo, Evidence: []float64{2 + rng.Float64()}, Asked: true, Signs: [][]float64{{x, 1}, {x, 2}}, Complete: []bool{done, done}, Tail: 100}
		for range 20 {
			t.Z = append(t.Z, float32(rng.NormFloat64()))
		}
		s.Tasks = append(s.Tasks, t, SignedTask{ID: "o", Repo: repo, Kind: "offtopic", Evidence: []float64{rng.Float64()}, Asked: true, Abstained: i%2 == 0})
	}
	return s
}

func TestCalibrate(t *testing.T) {
	c, err := Calibrate(signsOf(700), 5)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Reliability[0]
	if r.Tasks != 700 || r.ECE > .06 || r.AUC < .75 {
		t.Errorf("reliability %+v", r)
	}
	if w := c.Confidence.Weights["x"]; math.Abs(w-2) > .4 {
		t.Errorf("weight %v of a sign that was made with 2", w)
	}
	if c.Overlap != 0 {
		t.Errorf("overlap %v of bands that do not touch", c.Overlap)
	}
	for _, rate := range c.AbstainRates {
		if rate.Name == "offtopic" && rate.Abstained != rate.Tasks || rate.Name == "s" && rate.share() > 2*(1-Kept) {
			t.Errorf("%+v", rate)
		}
	}
	if c.CurrentlyRate[1].Abstained != 350 {
		t.Errorf("as configured %+v: every second stray abstains", c.CurrentlyRate)
	}
	var text, data bytes.Buffer
	if err := c.WriteText(&text); err != nil || !strings.Contains(text.String(), "overlap") {
		t.Error(text.String(), err)
	}
	if err := WriteSigns(&data, signsOf(7)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSigns(&data, "x"); err != nil {
		t.Error(err)
	}
	if _, err := ReadSigns(strings.NewReader(`{"sets":["s"],"budgets":[1],"names":["x"],"tasks":[{"set":1}]}`), "x"); err == nil {
		t.Error("a task of no set is read")
	}
	if toml := c.TOML(0.6, 0.47); !strings.Contains(toml, "[confidence]\nbias = ") || !strings.Contains(toml, "tau = 0.6\n") {
		t.Error(toml)
	}
}

func TestOffTopicIsCommitted(t *testing.T) {
	kinds := map[string]int{}
	for _, o := range readOffTopic(t) {
		kinds[o.Kind]++
	}
	if kinds["gibberish"] != 100 || kinds["offtopic"] != 100 {
		t.Errorf("%v, want 100 of each", kinds)
	}
	for _, bad := range []string{"", "{}", `{"id":"a@b","text":"x"}`, "nonsense"} {
		if _, err := ReadOffTopic(strings.NewReader(bad), "x"); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func TestVerdicts(t *testing.T) {
	m := &Matrix{Names: []string{"good", "bad"}, Sets: []Set{{Name: "s", Target: FixTarget}}}
	for i := range 40 {
		// File 1 is the answer; "good" says so in all tasks but the last.
		x := []float32{0, 1, 1, 0}
		if i == 39 {
			x = []float32{1, 0, 0, 1}
		}
		m.Tasks = append(m.Tasks, TaskFeatures{ID: string(rune('A' + i)), Repo: string(rune('a' + i%4)), N: 2, X: x, Relevant: []int{1}, Answers: 1})
	}
	list, err := Judge(m, []float64{0, 1}, []float64{1, 0}, 1)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	v := list[0]
	// all@1 goes from 1/40 to 39/40, all@5 is 1 both times; their mean from
	// .5125 to .9875.
	if v.Better != 39 || v.Worse != 1 || math.Abs(v.Before-.5125) > 1e-9 || math.Abs(v.After-.9875) > 1e-9 || !Improves(list) {
		t.Errorf("%+v", v)
	}
	if len(v.Losses) != 1 || v.Losses[0].ID != m.Tasks[39].ID {
		t.Errorf("losses %+v", v.Losses)
	}
	back, err := Judge(m, []float64{1, 0}, []float64{0, 1}, 1)
	if err != nil || Improves(back) {
		t.Error("the way back improves too")
	}
	same, err := Judge(m, []float64{1, 0}, []float64{1, 0}, 1)
	if err != nil || Improves(same) {
		t.Error("nothing is better than itself")
	}
	early, late := m.Divide(func(id string) bool { return id < "K" })
	if len(early.Tasks) != 10 || len(late.Tasks) != 30 {
		t.Error(len(early.Tasks), len(late.Tasks))
	}
}
