package eval

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"cohop/labels"
	"cohop/rank"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }

func TestHits(t *testing.T) {
	for _, c := range []struct {
		ranked, relevant []string
		want             []int
	}{
		{[]string{"a", "b", "c"}, []string{"c", "a"}, []int{1, 3}},
		{[]string{"a", "b", "a"}, []string{"a", "x"}, []int{1}}, // ranked twice: first place
		{nil, []string{"a"}, nil},
		{[]string{"a"}, []string{"a", "a"}, []int{1}},
	} {
		if got := Hits(c.ranked, c.relevant); !reflect.DeepEqual(got, c.want) {
			t.Errorf("Hits(%v, %v) = %v, want %v", c.ranked, c.relevant, got, c.want)
		}
	}
}

func TestMeasuresByArithmetic(t *testing.T) {
	lg := math.Log2
	for _, c := range []struct {
		name string
		got  float64
		want float64
	}{
		{"ndcg: both first", NDCG([]int{1, 2}, 2, 10), 1},
		{"ndcg: ranks 2 and 4 of 3", NDCG([]int{2, 4}, 3, 10), (1/lg(3) + 1/lg(5)) / (1/lg(2) + 1/lg(3) + 1/lg(4))},
		{"ndcg: rank 11 is outside", NDCG([]int{1, 11}, 2, 10), 1 / (1 + 1/lg(3))},
		{"ndcg: ideal stops at k", NDCG([]int{1, 2}, 5, 2), 1},
		{"ndcg: nothing", NDCG(nil, 1, 10), 0},
		{"ndcg: beyond the table", NDCG([]int{40}, 1, 50), 1 / lg(41)},
		{"all: both in 3", All([]int{1, 3}, 2, 3), 1},
		{"all: one outside 2", All([]int{1, 3}, 2, 2), 0},
		{"all: one not ranked", All([]int{1}, 2, 10), 0},
		{"all: more answers than places", All([]int{1, 2}, 2, 1), 0},
		{"recall", Recall([]int{1, 10, 11}, 4, 10), 2. / 4},
		{"recall at 20", Recall([]int{1, 10, 11}, 4, 20), 3. / 4},
		{"mrr", MRR([]int{4, 5}), 1. / 4},
		{"mrr: nothing", MRR(nil), 0},
		{"pool", PoolRecall([]string{"a", "b"}, []string{"a", "z"}), 1. / 2},
	} {
		if !near(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestBudgetRecall(t *testing.T) {
	odd := "odd\xff.go"
	pack := []rank.Item{
		{Path: "a", Tier: "signature"}, {Path: "a", Tier: "body"}, {Path: "a", Tier: "path"},
		{Path: "b", Tier: "signature"},
		{Path: "c", Tier: "path"},
		{Path: "odd\ufffd.go", PathB64: base64.StdEncoding.EncodeToString([]byte(odd)), Tier: "body"},
		{Path: "other", Tier: "body"},
	}
	body, either := BudgetRecall(pack, []string{"a", "b", "c", "d", odd})
	if !near(body, 2./5) || !near(either, 3./5) {
		t.Errorf("body %v, either %v; want 2/5 and 3/5", body, either)
	}
}

func TestSpanRecall(t *testing.T) {
	pack := []rank.Item{
		{Path: "a", Tier: "body", StartLine: 10, EndLine: 20},
		{Path: "a", Tier: "signature", StartLine: 30, EndLine: 40},
		{Path: "b", Tier: "body", StartLine: 1, EndLine: 99},
	}
	got := SpanRecall(pack, []labels.Span{
		{Path: "a", Start: 20, End: 25}, // touches the last line
		{Path: "a", Start: 21, End: 25}, // just below
		{Path: "a", Start: 35, End: 36}, // signature only
		{Path: "c", Start: 1, End: 2},
	})
	if !near(got, 1./4) {
		t.Errorf("%v, want 1/4", got)
	}
}

func TestMacroAndMicro(t *testing.T) {
	rows := []Row{
		{"b", Measures{"m": 1}}, {"a", Measures{"m": 0, "s": 1}}, {"b", Measures{"m": 0.5}}, {"b", Measures{"m": 0}},
	}
	if got := Micro(rows); !near(got["m"], 1.5/4) || got["s"] != 1 {
		t.Errorf("micro %v, want m 1.5/4 and s 1", got)
	}
	if got := Macro(rows); !near(got["m"], (0+1.5/3)/2) || got["s"] != 1 {
		t.Errorf("macro %v, want m (0 + 0.5)/2 and s 1", got)
	}
}

// scorer is the evaluator that the figures must agree with. It lives outside
// of the module; without it or without python3 only the arithmetic above
// speaks.
func scorer(t *testing.T) (python, script string) {
	script = os.Getenv("SCORE_PY")
	if script == "" {
		script = filepath.Join("..", "..", "shared", "bench", "score.py")
	}
	if _, err := os.Stat(script); err != nil {
		t.Skip("no score.py: set SCORE_PY to compare with it")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	return python, script
}

func TestAgreesWithScorePy(t *testing.T) {
	python, script := scorer(t)
	rng := rand.New(rand.NewPCG(7, 7))
	paths := make([]string, 60)
	for i := range paths {
		paths[i] = fmt.Sprintf("dir %d/naïve%%20%d.go", i%7, i) // blanks, a percent sign, an accent
	}
	for round := range 4 {
		var set []labels.Label
		var run []labels.Ranking
		var rows []Row
		missing := 0
		for i := range 120 {
			l := labels.Label{ID: fmt.Sprintf("t%%%d", i), Text: "task", Repo: fmt.Sprintf("o/r%d", rng.IntN(9)), Tags: []string{"x"}}
			for _, p := range rng.Perm(len(paths))[:1+rng.IntN(12)] {
				l.Files = append(l.Files, paths[p])
			}
			set = append(set, l)
			var ranked []string
			if rng.IntN(5) == 0 {
				missing++ // the run says nothing of this task
			} else {
				r := labels.Ranking{ID: l.ID}
				for _, p := range rng.Perm(len(paths))[:1+rng.IntN(40)] {
					r.Files = append(r.Files, labels.Scored{Path: paths[p], Score: float64(rng.IntN(3))})
					ranked = append(ranked, paths[p])
				}
				// Ties, kept apart by WriteRun: the list's order counts.
				for i := range r.Files {
					r.Files[i].Score = float64(len(r.Files)/4 - i/4)
				}
				run = append(run, r)
			}
			rows = append(rows, Row{l.Repo, fileMeasures(ranked, l.Files)})
		}
		dir := t.TempDir()
		write := func(name string, f func(*os.File) error) string {
			p := filepath.Join(dir, name)
			w, err := os.Create(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := f(w); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return p
		}
		labelFile := write("labels.jsonl", func(w *os.File) error { return labels.Write(w, set) })
		runFile := write("run.trec", func(w *os.File) error { return labels.WriteRun(w, "test", run) })
		cmd := exec.Command(python, script, labelFile, runFile, "--json")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("score.py: %v", err)
		}
		var want struct {
			Micro, Macro   Measures
			Tasks, Missing int
		}
		if err := json.Unmarshal(out, &want); err != nil {
			t.Fatal(err)
		}
		if want.Tasks != len(set) || want.Missing != missing {
			t.Fatalf("score.py saw %d tasks, %d missing; want %d, %d", want.Tasks, want.Missing, len(set), missing)
		}
		for _, c := range []struct {
			name      string
			got, want Measures
		}{{"micro", Micro(rows), want.Micro}, {"macro", Macro(rows), want.Macro}} {
			if len(c.want) < 10 {
				t.Fatalf("score.py gave only %v", c.want)
			}
			for m, w := range c.want {
				if g, ok := c.got[m]; !ok || math.Abs(g-w) > 1e-9 {
					t.Errorf("round %d, %s %s: %v, score.py has %v", round, c.name, m, g, w)
				}
			}
		}
	}
}
