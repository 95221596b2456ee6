package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"cohop/labels"
)

// Schema names the version of Report's JSON.
const Schema = "rank-eval/1"

// TaskResult is what one label gave.
type TaskResult struct {
	ID         string          `json:"id"`
	Repo       string          `json:"repo"`
	Tags       []string        `json:"tags,omitempty"`
	Relevant   []string        `json:"files"`
	Ranked     []labels.Scored `json:"-"` // at most RunDepth
	Measures   Measures        `json:"measures"`
	PoolMissed []string        `json:"pool_missed,omitempty"` // answers that no column proposed
	Absent     []string        `json:"absent,omitempty"`      // answers that are not in the tree: the label is wrong
	NEff       float64         `json:"n_eff"`
	Intent     string          `json:"intent"`
	Abstained  bool            `json:"abstained,omitempty"`
	OverBudget []int           `json:"over_budget,omitempty"` // budgets that the pack exceeds, by its own count
	Error      string          `json:"error,omitempty"`

	Contamination string         `json:"contamination,omitempty"` // of a label written by hand: who had seen what
	Confidence    *float64       `json:"confidence,omitempty"`    // said of the pack of 2,000 tokens
	Tokens        map[string]int `json:"tokens,omitempty"`        // of the pack, by budget
	Lost          []Lost         `json:"lost,omitempty"`          // answers that are not as high as they could be

	pairs    *pairs
	answered bool // there is a ranking, perhaps an empty one
	skipped  bool // interrupted before its turn
}

// Failure names a label that went wrong, and how.
type Failure struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// Spread holds quantiles over tasks.
type Spread struct {
	P10 float64 `json:"p10"`
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
}

// Report is what one run over a set of labels gave. The figures of Micro,
// Macro, ByRepo and ByTag are named as in score.py ("ndcg@10", "all@k",
// "r@k", "mrr") with "pool_recall", "recall.body.B" and "recall.signature.B"
// for every budget B beside them ("recall.span.B" where labels have spans);
// groups carry their number of "tasks" too.
type Report struct {
	Schema      string              `json:"schema"`
	Variant     string              `json:"variant,omitempty"`
	Without     []string            `json:"without,omitempty"`
	Tasks       int                 `json:"tasks"`   // that count: all but the skipped
	Missing     int                 `json:"missing"` // of them without a ranked file, as score.py counts them: failed, or abstained
	Skipped     int                 `json:"skipped"` // never asked, since the run was interrupted
	PoolRecall  float64             `json:"pool_recall"`
	Macro       Measures            `json:"macro"`
	Micro       Measures            `json:"micro"`
	ByRepo      map[string]Measures `json:"by_repo"`
	ByTag       map[string]Measures `json:"by_tag"`
	Abstained   int                 `json:"abstained"`
	OverBudget  int                 `json:"over_budget"` // packs larger than their budget; never expected
	Intents     map[string]int      `json:"intents"`     // how often each was found
	NEff        Spread              `json:"n_eff"`
	Intervals   Intervals           `json:"intervals"`             // 95 %, of the main measures
	Misses      Misses              `json:"misses"`                // where answers were lost
	Reliability *SetReliability     `json:"reliability,omitempty"` // of the header's confidence, at 2,000 tokens
	Correlation *Correlation        `json:"correlation,omitempty"` // of the columns
	PerHit      map[string]float64  `json:"tokens_per_hit"`        // tokens spent for each answer that is in as a body, by budget
	Apart       *Apart              `json:"contaminated,omitempty"`
	Unusable    []Failure           `json:"unusable,omitempty"` // labels that were not asked, since they leak or are not there
	Failed      []Failure           `json:"failed"`
	Warnings    []string            `json:"warnings"`
	TaskResults []TaskResult        `json:"by_task,omitempty"` // in the order of the labels, skipped ones left out

	budgets []int
}

// Intervals of the averages, by measure.
type Intervals struct {
	Micro map[string]Interval `json:"micro"` // drawing tasks
	Macro map[string]Interval `json:"macro"` // drawing repositories
}

// Apart are the figures of labels whose authors had seen what they should not.
// The report's own figures leave them out, unless there are no others.
type Apart struct {
	Tasks int      `json:"tasks"`
	Micro Measures `json:"micro"`
	Macro Measures `json:"macro"`
}

// seedOfIntervals fixes the resamples of a report's intervals.
const seedOfIntervals = 1

func newReport(v Variant, all []TaskResult, budgets []int) *Report {
	r := &Report{Schema: Schema, Variant: v.Name, Without: v.Without, ByRepo: map[string]Measures{}, ByTag: map[string]Measures{},
		Macro: Measures{}, Micro: Measures{}, Intents: map[string]int{}, Failed: []Failure{}, Warnings: []string{}, budgets: budgets}
	tags := map[string][]Row{}
	var rows, apart []Row
	var neff []float64
	absent, unanswered := 0, 0
	for _, t := range all {
		if t.skipped {
			r.Skipped++
			continue
		}
		r.TaskResults = append(r.TaskResults, t)
		row := Row{t.Repo, t.Measures}
		if t.Contamination != "" {
			apart = append(apart, row)
		} else {
			rows = append(rows, row)
		}
		for _, tag := range slices.Compact(slices.Sorted(slices.Values(t.Tags))) {
			tags[tag] = append(tags[tag], row)
		}
		r.OverBudget += len(t.OverBudget)
		if len(t.Absent) > 0 {
			absent++
		}
		if t.Error != "" {
			r.Failed = append(r.Failed, Failure{t.ID, t.Error})
		}
		if len(t.Ranked) == 0 {
			r.Missing++
		}
		switch {
		case !t.answered:
			unanswered++
		case t.Abstained:
			r.Abstained++
		default:
			neff = append(neff, t.NEff)
			r.Intents[t.Intent]++
		}
	}
	if len(apart) > 0 && len(rows) > 0 {
		r.Apart = &Apart{len(apart), Micro(apart), Macro(apart)}
	} else {
		rows = append(rows, apart...)
	}
	r.Tasks = len(rows)
	r.judge()
	if len(rows) > 0 {
		r.Macro, r.Micro = Macro(rows), Micro(rows)
		r.PoolRecall = r.Micro[namePool]
	}
	for _, g := range byRepo(rows) {
		r.ByRepo[g[0].Repo] = group(g)
	}
	for tag, g := range tags {
		r.ByTag[tag] = group(g)
	}
	if len(neff) > 0 {
		slices.Sort(neff)
		r.NEff = Spread{quantile(neff, .1), quantile(neff, .5), quantile(neff, .9)}
	}
	warn := func(n int, what string) {
		if n > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("%d %s", n, what))
		}
	}
	warn(r.Skipped, "labels were not asked: the run was interrupted, and the figures are of the others")
	warn(unanswered, "labels failed and count as 0")
	warn(r.Missing-unanswered, "labels were answered with no file, and count as 0")
	warn(len(r.Failed)-unanswered, "labels could not be packed at every budget and count as 0 there")
	warn(absent, "labels name files that are not in their tree")
	warn(r.OverBudget, "packs exceed their budget")
	if r.Apart != nil {
		warn(r.Apart.Tasks, "labels say that their author had seen something: their figures stand apart")
	}
	return r
}

// counted are the tasks that the figures are of.
func (r *Report) counted() (list []*TaskResult) {
	clean := 0
	for i := range r.TaskResults {
		if r.TaskResults[i].Contamination == "" {
			clean++
		}
	}
	for i := range r.TaskResults {
		if t := &r.TaskResults[i]; clean == 0 || t.Contamination == "" {
			list = append(list, t)
		}
	}
	return list
}

// judge fills what is said of the averages: intervals, misses, reliability,
// correlation and price.
func (r *Report) judge() {
	r.Intervals = Intervals{map[string]Interval{}, map[string]Interval{}}
	r.Misses, r.Correlation, r.PerHit = countMisses(r.TaskResults), meanCorrelation(r.TaskResults), map[string]float64{}
	main := append(slices.Clone(tableColumns), "all@20")
	for _, b := range r.budgets {
		main = append(main, nameBody(b), nameSignature(b))
	}
	for _, m := range main {
		if values, repos := r.Values(m); len(values) > 0 {
			r.Intervals.Micro[m] = Bootstrap(values, repos, Tasks, seedOfIntervals)
			r.Intervals.Macro[m] = Bootstrap(values, repos, Repos, seedOfIntervals)
		}
	}
	var p []float64
	var y []bool
	for _, t := range r.counted() {
		if full, ok := t.Measures[nameBody(reportedBudget)]; ok && t.Confidence != nil {
			p, y = append(p, *t.Confidence), append(y, full == 1)
		}
	}
	if len(p) > 0 {
		r.Reliability = reliabilityOf("all", p, y)
	}
	for _, b := range r.budgets {
		name := fmt.Sprint(b)
		var tokens, hits float64
		for _, t := range r.counted() {
			tokens += float64(t.Tokens[name])
			hits += t.Measures[nameBody(b)] * float64(len(t.Relevant))
		}
		if hits > 0 {
			r.PerHit[name] = tokens / hits
		}
	}
}

func group(rows []Row) Measures {
	m := Micro(rows)
	m["tasks"] = float64(len(rows))
	return m
}

// Values gives one measure of every task with its repository, for intervals.
// Tasks that do not have it are left out.
func (r *Report) Values(measure string) (values []float64, repos []string) {
	for _, t := range r.counted() {
		if v, ok := t.Measures[measure]; ok {
			values, repos = append(values, v), append(repos, t.Repo)
		}
	}
	return values, repos
}

// WriteRun writes the rankings as a TREC run.
func (r *Report) WriteRun(w io.Writer, tag string) error {
	run := make([]labels.Ranking, 0, len(r.TaskResults))
	for _, t := range r.TaskResults {
		run = append(run, labels.Ranking{ID: t.ID, Files: t.Ranked})
	}
	return labels.WriteRun(w, tag, run)
}

// WriteJSON writes the report, indented; tasks one by one only if asked.
func (r *Report) WriteJSON(w io.Writer, tasks bool) error {
	out := *r
	if !tasks {
		out.TaskResults = nil
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(&out); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// firstLine keeps a stack trace out of a table; the JSON has all of it.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
