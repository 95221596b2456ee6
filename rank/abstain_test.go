package rank_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"cohop/internal/config"
	"cohop/rank"
)

// town is large enough that the model decides: eighty files about trams.
func town(t *testing.T) string {
	files := tree{"README.md": "# Trams\n\nTimes of trams, and the moon over the depot.\n"}
	for i := range 80 {
		name := []string{"timetable", "platform", "conductor", "ticket"}[i%4]
		files[fmt.Sprintf("trams/%s_%d.py", name, i)] = fmt.Sprintf("def %s_%d(line):\n    \"\"\"The %s of a line.\"\"\"\n    return line + %d\n", name, i, name, i)
	}
	return build(t, commit{msg: "Timetables and platforms of trams", files: files})
}

func TestAbstainsByEvidence(t *testing.T) {
	dir := town(t)
	for task, abstains := range map[string]bool{
		"where is the timetable of a platform":        false,
		"conductor checks the ticket on the platform": false,
		"timetable":         false,
		"trams/ticket_3.py": false, // names a file
		"how deep is the moon reflected in a frozen puddle": true, // one word, by chance
		"best recipe for sourdough bread with rye":          true,
		"fnord blarg wibblesnatch":                          true,
		"please help me":                                    true,
		"what is conductor_2 doing with marmalade toast":    false, // an identifier of its
	} {
		if r := ask(t, dir, task); r.Header.Abstained != abstains {
			t.Errorf("%q: abstained %v, missing %q", task, r.Header.Abstained, r.Header.Missing)
		}
	}
	never := config.Default()
	never.Abstain.Bias = 100
	r, err := rank.Rank(context.Background(), rank.Request{Task: "the moon in a frozen puddle", Repo: dir, NoCache: true, Config: never})
	if err != nil || r.Header.Abstained {
		t.Errorf("a bias of 100 abstained: %v", err)
	}
}

// Each key of the calibrated tables is a sign that is there, or it would count
// for nothing without a word.
func TestCalibratedKeysAreSigns(t *testing.T) {
	dir := town(t)
	r := ask(t, dir, "where is the timetable of a platform")
	s := r.Signs()
	if len(s.Names) == 0 || len(s.Names) != len(s.Values) {
		t.Fatalf("%d names of %d signs", len(s.Names), len(s.Values))
	}
	c := config.Default().Confidence
	for k := range c {
		if k != "bias" && !slices.Contains(s.Names, k) {
			t.Errorf("[confidence] %s is no sign: there are %s", k, strings.Join(s.Names, ", "))
		}
	}
	for i, n := range s.Names {
		if _, ok := c[n]; !ok {
			t.Errorf("sign %s has no weight: calibrate anew", n)
		}
		if math.IsNaN(s.Values[i]) || math.IsInf(s.Values[i], 0) {
			t.Errorf("sign %s is %v", n, s.Values[i])
		}
	}
}

func TestConfidenceIsAProbability(t *testing.T) {
	dir := town(t)
	p := r2(t, dir, "where is the timetable of a platform", nil)
	if !(p > 0 && p < 1) {
		t.Errorf("confidence %v", p)
	}
	if r := ask(t, dir, "fnord blarg"); r.Header.Confidence != nil {
		t.Error("an abstention is confident")
	}
	none := config.Default()
	none.Confidence = nil
	r, err := rank.Rank(context.Background(), rank.Request{Task: "timetable", Repo: dir, NoCache: true, Config: none})
	if err != nil || r.Header.Confidence != nil {
		t.Errorf("confidence without a model, %v", err)
	}
	// Bias alone: 1/(1+e^−0) = ½.
	half := config.Default()
	half.Confidence = map[string]float64{"bias": 0}
	if p := r2(t, dir, "timetable", half); p != .5 {
		t.Errorf("confidence %v, want .5", p)
	}
}

func r2(t *testing.T, dir, task string, c *config.Config) float64 {
	t.Helper()
	r, err := rank.Rank(context.Background(), rank.Request{Task: task, Repo: dir, NoCache: true, Config: c})
	if err != nil || r.Header.Confidence == nil {
		t.Fatalf("%q: no confidence, %v", task, err)
	}
	return *r.Header.Confidence
}
