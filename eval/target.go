package eval

import (
	"fmt"
	"strconv"
	"strings"
)

// Target is what weights are fitted to on one set: the mean of Measures,
// averaged over repositories (Macro) or tasks, with a Weight among the sets.
type Target struct {
	Measures []string `json:"measures"` // ndcg@K, all@K, r@K or mrr
	Macro    bool     `json:"macro"`
	Weight   float64  `json:"weight"` // positive
}

// The targets of the three kinds of label set.
var (
	AskTarget  = Target{Measures: []string{nameNDCG}, Macro: true, Weight: 1}
	FixTarget  = Target{Measures: []string{"all@1", "all@5"}, Weight: 1}
	EditTarget = Target{Measures: []string{"r@10"}, Weight: 1}
)

func (t Target) check() error {
	if !(t.Weight > 0) || len(t.Measures) == 0 {
		return fmt.Errorf("target %v has no measure or no positive weight", t)
	}
	for _, m := range t.Measures {
		if _, err := parseMeasure(m); err != nil {
			return err
		}
	}
	return nil
}

func (t Target) String() string {
	s := strings.Join(t.Measures, "+")
	if t.Macro {
		return "macro " + s
	}
	return "micro " + s
}

// taskMeasure is a measure of one task by the ranks of its hits and its
// number of answers.
type taskMeasure func(hits []int, n int) float64

func parseMeasure(name string) (taskMeasure, error) {
	if name == nameMRR {
		return func(hits []int, _ int) float64 { return MRR(hits) }, nil
	}
	kind, at, _ := strings.Cut(name, "@")
	k, err := strconv.Atoi(at)
	if err != nil || k < 1 {
		return nil, fmt.Errorf("measure %q: want ndcg@K, all@K, r@K or mrr", name)
	}
	switch kind {
	case "ndcg":
		return func(hits []int, n int) float64 { return NDCG(hits, n, k) }, nil
	case "all":
		return func(hits []int, n int) float64 { return All(hits, n, k) }, nil
	case "r":
		return func(hits []int, n int) float64 { return Recall(hits, n, k) }, nil
	}
	return nil, fmt.Errorf("measure %q: want ndcg@K, all@K, r@K or mrr", name)
}

// objective is the weighted mean of the sets' targets over some tasks: a sum
// of task measures, each with a coefficient.
type objective struct {
	tasks    []*TaskFeatures
	coef     []float64 // of each task; they sum to 1
	measures [][]taskMeasure
}

// newObjective is over the tasks of m for which in says yes. Sets without
// such a task do not count.
func newObjective(m *Matrix, in func(i int) bool) *objective {
	o := &objective{}
	type key struct {
		set  int
		repo string
	}
	perRepo, repos, perSet := map[key]float64{}, make([]float64, len(m.Sets)), make([]float64, len(m.Sets))
	for i := range m.Tasks {
		if t := &m.Tasks[i]; in(i) {
			o.tasks = append(o.tasks, t)
			k := key{t.Set, t.Repo}
			if perRepo[k]++; perRepo[k] == 1 {
				repos[t.Set]++
			}
			perSet[t.Set]++
		}
	}
	var weight float64
	parsed := make([][]taskMeasure, len(m.Sets))
	for s := range m.Sets {
		if perSet[s] > 0 {
			weight += m.Sets[s].Target.Weight
		}
		for _, name := range m.Sets[s].Target.Measures {
			f, err := parseMeasure(name)
			if err != nil {
				panic("eval: target was not checked: " + err.Error())
			}
			parsed[s] = append(parsed[s], f)
		}
	}
	for _, t := range o.tasks {
		target := m.Sets[t.Set].Target
		c := target.Weight / weight
		if target.Macro {
			c /= repos[t.Set] * perRepo[key{t.Set, t.Repo}]
		} else {
			c /= perSet[t.Set]
		}
		o.coef = append(o.coef, c)
		o.measures = append(o.measures, parsed[t.Set])
	}
	return o
}

// value is the target of task i, not weighted, for hits at these ranks.
func (o *objective) value(i int, hits []int) float64 {
	var sum float64
	for _, f := range o.measures[i] {
		sum += f(hits, o.tasks[i].Answers)
	}
	return sum / float64(len(o.measures[i]))
}
