package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"cohop/labels"
	"cohop/rank"
)

// fakeEngine answers from a table and counts what it is asked.
type fakeEngine struct {
	mu     sync.Mutex
	opens  map[Tree]int
	asked  []Question
	open   int // snapshots not yet closed
	answer func(Tree, Question) (Answer, error)
}

type fakeSnapshot struct {
	e *fakeEngine
	t Tree
}

type fakeAnswer struct {
	pool    []string
	files   []string
	pack    func(budget int) []rank.Item
	tokens  func(budget int) int
	fails   int // this budget cannot be packed
	abstain bool
}

func (e *fakeEngine) Open(_ context.Context, t Tree) (Snapshot, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opens == nil {
		e.opens = map[Tree]int{}
	}
	e.opens[t]++
	if strings.HasSuffix(t.Repo, "broken") {
		return nil, errors.New("not a repository")
	}
	e.open++
	return &fakeSnapshot{e, t}, nil
}

func (s *fakeSnapshot) Query(_ context.Context, q Question) (Answer, error) {
	s.e.mu.Lock()
	s.e.asked = append(s.e.asked, q)
	s.e.mu.Unlock()
	return s.e.answer(s.t, q)
}

func (s *fakeSnapshot) Has(p string) bool { return p != "gone" }

func (s *fakeSnapshot) Close() error {
	s.e.mu.Lock()
	defer s.e.mu.Unlock()
	s.e.open--
	return nil
}

func (a *fakeAnswer) Pool() []string { return a.pool }

func (a *fakeAnswer) Result(budget int) (*rank.Result, error) {
	if budget == a.fails {
		return nil, errors.New("too small")
	}
	r := &rank.Result{Header: rank.Header{NEff: float64(len(a.files)), Intent: "ask", Budget: budget, Abstained: a.abstain}}
	for i, f := range a.files {
		r.Files = append(r.Files, rank.File{Path: f, Rank: i + 1, Score: 1})
	}
	if a.pack != nil {
		r.Pack = a.pack(budget)
	}
	if a.tokens != nil {
		r.Header.Tokens = a.tokens(budget)
	}
	return r, nil
}

// plain ranks "a", "b", "c" for every question.
func plain(Tree, Question) (Answer, error) {
	return &fakeAnswer{pool: []string{"a", "b", "c"}, files: []string{"a", "b", "c"}}, nil
}

func label(id, repo, commit string, files ...string) labels.Label {
	return labels.Label{ID: id, Text: "task " + id, Repo: repo, Commit: commit, Files: files, Tags: []string{"all", repo}}
}

func TestRunOpensEachTreeOnce(t *testing.T) {
	var set []labels.Label
	for i := range 60 {
		l := label(fmt.Sprint("t", i), fmt.Sprint("o/r", i%7), fmt.Sprint("c", i%3), "a", "z")
		if i%2 == 0 {
			l.Root = "src"
		}
		set = append(set, l)
	}
	for _, workers := range []int{1, 2, 8} {
		e := &fakeEngine{answer: plain}
		if _, err := Run(context.Background(), e, set, Options{Repos: "repos", Workers: workers}); err != nil {
			t.Fatal(err)
		}
		want := map[Tree]int{}
		for i := range set {
			want[Tree{"repos/" + set[i].Repo, set[i].Commit, set[i].Root}] = 1
		}
		if !reflect.DeepEqual(e.opens, want) {
			t.Errorf("%d workers opened %v", workers, e.opens)
		}
		if len(e.asked) != len(set) || e.open != 0 {
			t.Errorf("%d workers asked %d of %d questions and left %d trees open", workers, len(e.asked), len(set), e.open)
		}
	}
}

func TestRunGivesTheSameBytesWithAnyWorkers(t *testing.T) {
	var set []labels.Label
	for i := range 80 {
		set = append(set, label(fmt.Sprint("t", i), fmt.Sprint("o/r", i%9), fmt.Sprint("c", i%5), string(rune('a'+i%5))))
	}
	answer := func(tr Tree, q Question) (Answer, error) {
		files := []string{"a", "b", "c", "d"}
		k := len(q.Text) % 3
		if strings.HasSuffix(q.ID, "7") {
			return nil, errors.New("cannot")
		}
		return &fakeAnswer{pool: files, files: append(files[k:], files[:k]...)[:3]}, nil
	}
	var first []byte
	for _, workers := range []int{1, 2, 8} {
		reports, err := Run(context.Background(), &fakeEngine{answer: answer}, set, Options{Repos: "r", Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		for _, f := range []func() error{
			func() error { return reports[0].WriteJSON(&out, true) },
			func() error { return reports[0].WriteText(&out, "repo") },
			func() error { return reports[0].WriteRun(&out, "fake") },
		} {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}
		if first == nil {
			first = out.Bytes()
		} else if !bytes.Equal(first, out.Bytes()) {
			t.Errorf("%d workers gave other bytes", workers)
		}
	}
}

func TestRunFigures(t *testing.T) {
	set := []labels.Label{
		label("one", "o/a", "c", "a"),
		label("two", "o/a", "c", "b", "z"),
		label("fails", "o/b", "c", "a"),
		label("panics", "o/b", "c", "a"),
		label("shut", "o/broken", "c", "a"),
		label("quiet", "o/a", "c", "a", "gone"),
		label("tight", "o/a", "c", "c"),
	}
	set[0].Spans = []labels.Span{{Path: "a", Start: 5, End: 6}}
	e := &fakeEngine{answer: func(_ Tree, q Question) (Answer, error) {
		a := &fakeAnswer{pool: []string{"a", "b", "c"}, files: []string{"a", "b", "c"}}
		switch q.ID {
		case "fails":
			return nil, errors.New("no luck")
		case "panics":
			panic("index out of range")
		case "quiet":
			a.files, a.abstain = nil, true
		case "tight":
			a.fails = 500
			a.tokens = func(b int) int { return b + 1 }
		}
		a.pack = func(b int) []rank.Item {
			items := []rank.Item{{Path: "a", Tier: "body", StartLine: 1, EndLine: 5}}
			if b >= 1000 {
				items = append(items, rank.Item{Path: "b", Tier: "signature"}, rank.Item{Path: "c", Tier: "path"})
			}
			return items
		}
		return a, nil
	}}
	var progress bytes.Buffer
	reports, err := Run(context.Background(), e, set, Options{Repos: "r", Budgets: []int{500, 1000}, Progress: &progress})
	if err != nil {
		t.Fatal(err)
	}
	r := reports[0]
	if r.Tasks != 7 || r.Missing != 4 || r.Skipped != 0 || r.Abstained != 1 || r.OverBudget != 1 {
		t.Errorf("tasks %d, missing %d, skipped %d, abstained %d, over budget %d; want 7, 4, 0, 1, 1", r.Tasks, r.Missing, r.Skipped, r.Abstained, r.OverBudget)
	}
	failed := map[string]string{}
	for _, f := range r.Failed {
		failed[f.ID] = firstLine(f.Error)
	}
	want := map[string]string{"fails": "no luck", "panics": "panic: index out of range", "shut": "open o/broken c: not a repository", "tight": "budget 500: too small"}
	if !reflect.DeepEqual(failed, want) {
		t.Errorf("failed %v, want %v", failed, want)
	}
	// Ranks: one 1; two 2 of 2 files; tight 3; the other four 0.
	for name, w := range map[string]float64{
		"mrr":                   (1 + 1./2 + 1./3) / 7,
		"all@1":                 1. / 7,
		"all@3":                 2. / 7,
		"r@10":                  (1 + 1./2 + 1) / 7,
		"pool_recall":           (1 + 1./2 + 1./2 + 1) / 7, // the abstained has a pool
		"recall.body.500":       (1 + 1./2) / 7,            // one; quiet packs a all the same
		"recall.signature.500":  (1 + 1./2) / 7,
		"recall.signature.1000": (1 + 1./2 + 1./2) / 7, // two gains b
		"recall.span.500":       1,                     // over the one task that has spans
	} {
		if !near(r.Micro[name], w) {
			t.Errorf("micro %s = %v, want %v", name, r.Micro[name], w)
		}
	}
	// o/a: 1, 1/2, 0, 1/3; o/b and o/broken: 0.
	if w := (1 + 1./2 + 1./3) / 4 / 3; !near(r.Macro["mrr"], w) {
		t.Errorf("macro mrr = %v, want %v", r.Macro["mrr"], w)
	}
	if r.ByRepo["o/a"]["tasks"] != 4 || r.ByTag["all"]["tasks"] != 7 || !near(r.ByTag["o/b"]["mrr"], 0) {
		t.Errorf("groups %v %v", r.ByRepo, r.ByTag)
	}
	if got := r.TaskResults[5]; !reflect.DeepEqual(got.Absent, []string{"gone"}) || !reflect.DeepEqual(got.PoolMissed, []string{"gone"}) {
		t.Errorf("absent %v, pool missed %v", got.Absent, got.PoolMissed)
	}
	if !strings.Contains(progress.String(), "o/broken c (1): cannot be opened: not a repository") ||
		!strings.Contains(progress.String(), "3/3 trees, 7/7 labels") || !strings.Contains(progress.String(), "2 FAILED") {
		t.Errorf("progress:\n%s", progress.String())
	}

	var text, js bytes.Buffer
	if err := r.WriteText(&text, "tag"); err != nil {
		t.Fatal(err)
	}
	for _, w := range []string{"macro (repositories)      3", "micro (tasks)             7", "warning: 3 labels failed", "failed: panics: panic: index out of range\n"} {
		if !strings.Contains(text.String(), w) {
			t.Errorf("table lacks %q:\n%s", w, text.String())
		}
	}
	if err := r.WriteJSON(&js, false); err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(js.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back["schema"] != Schema || back["missing"] != 4.0 || back["by_task"] != nil ||
		back["macro"].(map[string]any)["recall.body.1000"] == nil {
		t.Errorf("JSON %s", js.String())
	}
}

func TestRunInterruptedKeepsWhatWasDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var set []labels.Label
	for i := range 10 {
		set = append(set, label(fmt.Sprint("t", i), "o/r", fmt.Sprint("c", i/2), "a"))
	}
	e := &fakeEngine{}
	n := 0
	e.answer = func(tr Tree, q Question) (Answer, error) {
		if n++; n == 4 {
			cancel()
			return nil, ctx.Err()
		}
		return plain(tr, q)
	}
	reports, err := Run(ctx, e, set, Options{Repos: "r", Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := reports[0]
	if r.Tasks != 3 || r.Skipped != 7 || len(r.Failed) != 0 || r.Micro["all@1"] != 1 {
		t.Errorf("tasks %d, skipped %d, failed %v, all@1 %v; want 3, 7, none, 1", r.Tasks, r.Skipped, r.Failed, r.Micro["all@1"])
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "interrupted") {
		t.Errorf("warnings %q", r.Warnings)
	}
	if e.open != 0 {
		t.Error("a tree was left open")
	}

	cancelled, stop := context.WithCancel(context.Background())
	stop()
	reports, err = Run(cancelled, &fakeEngine{answer: plain}, set, Options{Repos: "r"})
	if err != nil || reports[0].Tasks != 0 || reports[0].Skipped != 10 {
		t.Errorf("nothing done: %+v %v", reports[0], err)
	}
	if err := reports[0].WriteText(&bytes.Buffer{}, ""); err != nil {
		t.Error(err)
	}
}

func TestRunPassesIntent(t *testing.T) {
	set := []labels.Label{label("a", "r", "", "a"), label("b", "r", "", "a")}
	set[0].Intent = "change"
	for intent, want := range map[string][]string{"": {"auto", "auto"}, "ask": {"ask", "ask"}, "label": {"change", "auto"}} {
		e := &fakeEngine{answer: plain}
		if _, err := Run(context.Background(), e, set, Options{Repos: "r", Intent: intent}); err != nil {
			t.Fatal(err)
		}
		if got := []string{e.asked[0].Intent, e.asked[1].Intent}; !reflect.DeepEqual(got, want) {
			t.Errorf("intent %q asked %v, want %v", intent, got, want)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	one := []labels.Label{label("a", "r", "", "a")}
	for name, c := range map[string]struct {
		set  []labels.Label
		opts Options
	}{
		"no labels":  {nil, Options{}},
		"bad intent": {one, Options{Intent: "guess"}},
		"budget 0":   {one, Options{Budgets: []int{0}}},
	} {
		if _, err := Run(context.Background(), &fakeEngine{answer: plain}, c.set, c.opts); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRunFindsRepositories(t *testing.T) {
	for name, c := range map[string]struct {
		set  []labels.Label
		opts Options
		want map[Tree]int
		fail int
	}{
		"below the folder":      {[]labels.Label{label("a", "o/r", "", "a")}, Options{Repos: "x"}, map[Tree]int{{Repo: "x/o/r"}: 1}, 0},
		"none named":            {[]labels.Label{label("a", "", "", "a")}, Options{Repos: "x", Repo: "y"}, map[Tree]int{{Repo: "y"}: 1}, 0},
		"one named, no folder":  {[]labels.Label{label("a", "o/r", "", "a"), label("b", "", "", "a")}, Options{Repo: "y"}, map[Tree]int{{Repo: "y"}: 1}, 0},
		"many named, no folder": {[]labels.Label{label("a", "o/r", "", "a"), label("b", "o/s", "", "a")}, Options{Repo: "y"}, nil, 2},
		"nothing to go by":      {[]labels.Label{label("a", "", "", "a")}, Options{}, nil, 1},
	} {
		e := &fakeEngine{answer: plain}
		reports, err := Run(context.Background(), e, c.set, c.opts)
		if err != nil || !reflect.DeepEqual(e.opens, c.want) || len(reports[0].Failed) != c.fail {
			t.Errorf("%s: opened %v, failed %v, error %v", name, e.opens, reports[0].Failed, err)
		}
	}
}

func TestAblation(t *testing.T) {
	var set []labels.Label
	for i := range 50 {
		set = append(set, label(fmt.Sprint("t", i), fmt.Sprint("r", i%5), "", "a"))
	}
	e := &fakeEngine{answer: func(_ Tree, q Question) (Answer, error) {
		files := []string{"a", "b"}
		if len(q.Without) > 0 && q.Without[0] == "path" {
			files = []string{"b", "a"}
		}
		return &fakeAnswer{pool: files, files: files}, nil
	}}
	reports, err := Run(context.Background(), e, set, Options{Repos: "x", Budgets: []int{1000}, Variants: Without([]string{"path", "hops"})})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range e.opens {
		if n != 1 {
			t.Errorf("a tree was opened %d times for three variants", n)
		}
	}
	d, err := Compare(reports[1], reports[0], "mrr", Repos, 1)
	if err != nil || d != (Interval{-0.5, -0.5, -0.5}) {
		t.Errorf("without path: %v %v, want −1/2 for certain", d, err)
	}
	var out bytes.Buffer
	if err := WriteAblation(&out, reports, []string{"mrr", "all@1"}, 1); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[2], "without path") || !strings.Contains(lines[2], "-0.5000 [-0.5000, -0.5000]*") ||
		!strings.Contains(lines[3], "without hops") || strings.Contains(lines[3], "*") {
		t.Errorf("ablation:\n%s", out.String())
	}
	if _, err := Compare(reports[0], &Report{}, "mrr", Tasks, 1); err == nil {
		t.Error("compared with nothing")
	}
}

func TestKeepSeesEveryAnswerOnce(t *testing.T) {
	var set []labels.Label
	for i := range 20 {
		set = append(set, label(fmt.Sprint("t", i), fmt.Sprint("r", i%4), "", "a"))
	}
	seen := make([]int, len(set))
	reports, err := Run(context.Background(), &fakeEngine{answer: plain}, set, Options{Repos: "x", Variants: Without([]string{"path"}),
		Keep: func(i int, a Answer) error {
			seen[i]++
			if i == 3 {
				return errors.New("cannot be kept")
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range seen {
		if n != 1 {
			t.Errorf("answer %d kept %d times", i, n)
		}
	}
	if len(reports[0].Failed) != 1 || reports[0].Failed[0].ID != "t3" {
		t.Errorf("failed %v", reports[0].Failed)
	}
}

func TestScheduleStaysInTheRepositoryThenHelps(t *testing.T) {
	var set []labels.Label
	add := func(repo string, trees int) {
		for i := range trees {
			set = append(set, label(fmt.Sprint(repo, i), repo, fmt.Sprint("c", i), "a"))
		}
	}
	add("small", 1)
	add("large", 4)
	s, _ := plan(set, &Options{Repos: "x"}, make([]bool, len(set)))
	var got []string
	next := func(l *lane) *lane {
		l, j := s.next(l)
		if j == nil {
			got = append(got, "done")
			return l
		}
		got = append(got, j.name)
		return l
	}
	w1 := next(nil) // the largest first
	w2 := next(nil) // the one nobody is in
	w1 = next(w1)   // stays
	w2 = next(w2)   // its own is empty: helps
	next(w2)
	next(w1)
	if want := []string{"large c0", "small c0", "large c1", "large c2", "large c3", "done"}; !reflect.DeepEqual(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}
