package eval

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"cohop/adaptive"
	"cohop/confidence"
)

// reportedBudget is the pack at which reliability is told: an agent's.
const reportedBudget = 2000

// Kept is the share of real tasks that abstention must let through: its
// threshold stands where this share of them is above.
const Kept = 0.99

// Calibration is what Calibrate fitted, and what it is worth on repositories
// that a fit has not seen.
type Calibration struct {
	Tau    adaptive.Fit
	Spread []Spread // of N_eff by set, at the fitted τ

	Confidence  *confidence.Model // nil: could not be fitted
	Reliability []SetReliability  // all sets together first

	Abstain       *confidence.Model // nil: no off-topic task
	Overlap       float64           // of the bands, out of fold: see AUC
	AbstainRates  []Rate            // out of fold, by set and kind
	CurrentlyRate []Rate            // as it is configured
	sets          []string
	names         []string
	evidence      []string
	why           string
}

// SetReliability tells how far a set's confidences can be trusted.
type SetReliability struct {
	Set        string           `json:"set"`
	Tasks      int              `json:"tasks"`
	Complete   float64          `json:"complete"` // share
	ECE        float64          `json:"ece"`
	AUC        float64          `json:"auc"`
	Brier      float64          `json:"brier"`
	Bins       []confidence.Bin `json:"bins"`
	InSampleEC float64          `json:"in_sample_ece,omitempty"`
}

func reliabilityOf(set string, p []float64, y []bool) *SetReliability {
	r := &SetReliability{Set: set, Tasks: len(p)}
	for _, yes := range y {
		if yes {
			r.Complete += 1 / float64(len(y))
		}
	}
	r.Bins = confidence.Reliability(p, y, confidence.DefaultBins)
	r.ECE, r.AUC, r.Brier = confidence.ECE(r.Bins), confidence.AUC(p, y), confidence.Brier(p, y)
	return r
}

// Rate is how many of some tasks abstained.
type Rate struct {
	Name      string
	Tasks     int
	Abstained int
}

func (r Rate) share() float64 { return float64(r.Abstained) / math.Max(1, float64(r.Tasks)) }

// Calibrate fits τ, the confidence and abstention. Figures are over folds of
// repositories (0: DefaultFolds).
func Calibrate(s *Signs, folds int) (*Calibration, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	if folds <= 0 {
		folds = DefaultFolds
	}
	c := &Calibration{sets: s.Sets, names: s.Names, evidence: s.Evidence}
	c.tau(s)
	repos, sets := make([]string, len(s.Tasks)), make([]int, len(s.Tasks))
	for i := range s.Tasks {
		repos[i], sets[i] = s.Tasks[i].Repo, s.Tasks[i].Set
	}
	fold := Folds(repos, sets, folds)
	if err := c.confide(s, fold); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	if err := c.abstain(s, fold); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	return c, nil
}

func (t *SignedTask) scores() adaptive.Scores {
	s := adaptive.Scores{Floor: t.Floor, Tail: t.Tail, Z: make([]float64, len(t.Z))}
	for i, z := range t.Z {
		s.Z[i] = float64(z)
	}
	return s
}

func (c *Calibration) tau(s *Signs) {
	var order []string
	groups := map[string][]adaptive.Scores{}
	bySet := make([][]adaptive.Scores, len(s.Sets))
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Kind != "" || t.Signs == nil {
			continue
		}
		key := fmt.Sprint(t.Set, " ", t.Repo)
		if groups[key] == nil {
			order = append(order, key)
		}
		z := t.scores()
		groups[key] = append(groups[key], z)
		bySet[t.Set] = append(bySet[t.Set], z)
	}
	slices.Sort(order)
	var list [][]adaptive.Scores
	for _, k := range order {
		list = append(list, groups[k])
	}
	c.Tau = adaptive.FitTau(list)
	for _, set := range bySet {
		var n []float64
		for _, z := range set {
			n = append(n, z.Softmax(c.Tau.Tau).NEff())
		}
		slices.Sort(n)
		sp := Spread{}
		if len(n) > 0 {
			sp = Spread{quantile(n, .1), quantile(n, .5), quantile(n, .9)}
		}
		c.Spread = append(c.Spread, sp)
	}
}

func (c *Calibration) confide(s *Signs, fold []int) error {
	var rows []confidence.Row
	var at, inFold []int // rows at the reported budget, and every row's fold
	var set []int        // of those rows
	report := slices.Index(s.Budgets, reportedBudget)
	if report < 0 {
		report = len(s.Budgets) / 2
	}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if t.Kind != "" {
			continue
		}
		for b, x := range t.Signs {
			if b == report {
				at, set = append(at, len(rows)), append(set, t.Set)
			}
			rows = append(rows, confidence.Row{X: x, Y: t.Complete[b], Weight: 1 / float64(len(s.Budgets))})
			inFold = append(inFold, fold[i])
		}
	}
	m, err := confidence.Fit(s.Names, rows, 0)
	if errors.Is(err, confidence.ErrOneSided) {
		c.why = err.Error()
		return nil
	} else if err != nil {
		return err
	}
	c.Confidence = &m
	p, err := confidence.OutOfFold(s.Names, rows, inFold, 0)
	if err != nil {
		return err
	}
	for k := -1; k < len(s.Sets); k++ {
		name := "all"
		if k >= 0 {
			name = s.Sets[k]
		}
		var ps, own []float64
		var y []bool
		for j, i := range at {
			if k < 0 || set[j] == k {
				ps, y = append(ps, p[i]), append(y, rows[i].Y)
				own = append(own, m.P(s.Names, rows[i].X))
			}
		}
		r := reliabilityOf(name, ps, y)
		r.InSampleEC = confidence.ECE(confidence.Reliability(own, y, confidence.DefaultBins))
		c.Reliability = append(c.Reliability, *r)
	}
	return nil
}

// abstain fits when a task is not about its repository. Real tasks and stray
// ones count the same together, so that neither side decides by its number.
func (c *Calibration) abstain(s *Signs, fold []int) error {
	var rows []confidence.Row
	var at []int
	stray, inFold := 0, []int(nil)
	for i := range s.Tasks {
		if t := &s.Tasks[i]; t.Asked {
			rows = append(rows, confidence.Row{X: t.Evidence, Y: t.Kind == ""})
			at, inFold = append(at, i), append(inFold, fold[i])
			if t.Kind != "" {
				stray++
			}
		}
	}
	kinds := rates{index: map[string]int{}}
	for i := range s.Tasks {
		t := &s.Tasks[i]
		kinds.add(c.name(t), t.Abstained)
	}
	c.CurrentlyRate = kinds.list
	if stray == 0 || stray == len(rows) {
		return nil
	}
	for i := range rows {
		if rows[i].Y {
			rows[i].Weight = float64(stray) / float64(len(rows)-stray)
		}
	}
	m, err := confidence.Fit(s.Evidence, rows, 0)
	if err != nil {
		return err
	}
	m.Bias -= threshold(s.Evidence, m, rows)
	c.Abstain = &m
	odds := make([]float64, len(rows))
	for _, f := range slices.Compact(slices.Sorted(slices.Values(inFold))) {
		var train []confidence.Row
		for i := range rows {
			if inFold[i] != f {
				train = append(train, rows[i])
			}
		}
		m, err := confidence.Fit(s.Evidence, train, 0)
		if err != nil {
			return err
		}
		m.Bias -= threshold(s.Evidence, m, train)
		for i := range rows {
			if inFold[i] == f {
				odds[i] = logit(s.Evidence, m, rows[i].X)
			}
		}
	}
	y := make([]bool, len(rows))
	abstained := map[int]bool{}
	for i := range rows {
		y[i] = rows[i].Y
		abstained[at[i]] = odds[i] < 0
	}
	c.Overlap = 1 - confidence.AUC(odds, y)
	out := rates{index: map[string]int{}}
	for i := range s.Tasks {
		out.add(c.name(&s.Tasks[i]), abstained[i])
	}
	c.AbstainRates = out.list
	return nil
}

func (c *Calibration) name(t *SignedTask) string {
	if t.Kind != "" {
		return t.Kind
	}
	return c.sets[t.Set]
}

type rates struct {
	list  []Rate
	index map[string]int
}

func (r *rates) add(name string, abstained bool) {
	i, ok := r.index[name]
	if !ok {
		i = len(r.list)
		r.index[name] = i
		r.list = append(r.list, Rate{Name: name})
	}
	r.list[i].Tasks++
	if abstained {
		r.list[i].Abstained++
	}
}

func logit(names []string, m confidence.Model, x []float64) float64 {
	s := m.Bias
	for j, n := range names {
		s += m.Weights[n] * x[j]
	}
	return s
}

// threshold is the log-odds above which the share Kept of the real rows is.
func threshold(names []string, m confidence.Model, rows []confidence.Row) float64 {
	var real []float64
	for i := range rows {
		if rows[i].Y {
			real = append(real, logit(names, m, rows[i].X))
		}
	}
	slices.Sort(real)
	return quantile(real, 1-Kept)
}

// WriteText writes what was fitted and what it is worth.
func (c *Calibration) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "tau %.3f: variance of ln n_eff within repositories %.3f\n", c.Tau.Tau, c.Tau.Var)
	for i, s := range c.Spread {
		if s.P10 > 0 {
			fmt.Fprintf(&b, "  %-12s n_eff p10 %.1f, p50 %.1f, p90 %.1f: p90/p10 %.1f\n", c.sets[i], s.P10, s.P50, s.P90, s.P90/s.P10)
		}
	}
	if c.Confidence == nil {
		fmt.Fprintf(&b, "\nno confidence: %s\n", c.why)
	} else {
		fmt.Fprintf(&b, "\nconfidence that a pack of %d tokens holds every needed file as a body, on repositories left out\n", reportedBudget)
		fmt.Fprintf(&b, "  %-12s %6s %9s %7s %7s %7s %14s\n", "", "tasks", "complete", "ECE", "AUC", "Brier", "ECE in-sample")
		for _, r := range c.Reliability {
			fmt.Fprintf(&b, "  %-12s %6d %9.3f %7.3f %7.3f %7.3f %14.3f\n", r.Set, r.Tasks, r.Complete, r.ECE, r.AUC, r.Brier, r.InSampleEC)
		}
		b.WriteString("  said, seen, answers:")
		for _, bin := range c.Reliability[0].Bins {
			fmt.Fprintf(&b, "  %.2f %.2f %d", bin.P, bin.Seen, bin.N)
		}
		b.WriteByte('\n')
	}
	line := func(what string, list []Rate) {
		fmt.Fprintf(&b, "  %s:", what)
		for _, r := range list {
			fmt.Fprintf(&b, "  %s %d of %d (%.1f %%)", r.Name, r.Abstained, r.Tasks, 100*r.share())
		}
		b.WriteByte('\n')
	}
	b.WriteString("\nabstains\n")
	line("as configured", c.CurrentlyRate)
	if c.Abstain != nil {
		line("fitted, on repositories left out", c.AbstainRates)
		fmt.Fprintf(&b, "  overlap of the bands: %.4f of the pairs (real task, stray one) are in the wrong order\n", c.Overlap)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write calibration: %w", err)
	}
	return nil
}

// TOML gives what was fitted as the tables of a configuration, with the τ that
// the signs were taken at and the temper that goes with it.
func (c *Calibration) TOML(tau, temper float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[adaptive]\ntau = %.4g\n\n[pack]\ntemper = %.4g\n\n", tau, temper)
	table := func(name string, keys []string, m *confidence.Model) {
		if m == nil {
			return
		}
		fmt.Fprintf(&b, "[%s]\n%s = %.4f\n", name, confidence.BiasKey, m.Bias)
		for _, k := range keys {
			fmt.Fprintf(&b, "%s = %.4f\n", k, m.Weights[k])
		}
		b.WriteByte('\n')
	}
	table("abstain", c.evidence, c.Abstain)
	table("confidence", c.names, c.Confidence)
	return strings.TrimSuffix(b.String(), "\n")
}
