package eval

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"cohop/internal/config"
	"cohop/labels"
)

// Constant is a setting that is no weight and may be fitted.
type Constant struct {
	Table, Key string
	Of         func(c *config.Config) *float64
	Times      []float64 // what its value is multiplied by
	Packs      bool      // it changes what is packed, not the ranking
	// Count is Of for a whole number; one of the two is nil.
	Count func(c *config.Config) *int
}

// Get returns the constant's value in c.
func (c Constant) Get(cfg *config.Config) float64 {
	if c.Count != nil {
		return float64(*c.Count(cfg))
	}
	return *c.Of(cfg)
}

// Set gives the constant a value in c; one of a whole number is rounded.
func (c Constant) Set(cfg *config.Config, v float64) {
	if c.Count != nil {
		*c.Count(cfg) = int(math.Round(v))
		return
	}
	*c.Of(cfg) = v
}

// times is the constant's value in c, multiplied: what Set would leave there.
func (c Constant) times(cfg *config.Config, x float64) float64 {
	v := c.Get(cfg) * x
	if c.Count != nil {
		v = math.Round(v)
	}
	return v
}

// Name is how the constant stands in a configuration.
func (c Constant) Name() string { return c.Table + "." + c.Key }

// Constants are what Sweep tries: half-lives, the clip, the boost of rare
// literals (how many files may hold one), the values of tiers, what a file's
// further chunks are worth, and the caps on a commit's files and a folder's.
var Constants = []Constant{
	{"cochange", "half_life_days", func(c *config.Config) *float64 { return &c.CoChange.HalfLifeDays }, []float64{.25, .5, 2, 4}, false, nil},
	{"cochange", "heat_half_life_days", func(c *config.Config) *float64 { return &c.CoChange.HeatDays }, []float64{.25, .5, 2}, false, nil},
	{"cochange", "max_files", nil, []float64{.5, 2}, false, func(c *config.Config) *int { return &c.CoChange.MaxFiles }},
	{"precedent", "half_life_days", func(c *config.Config) *float64 { return &c.Past.HalfLifeDays }, []float64{.1, .3, 3}, false, nil},
	{"precedent", "exponent", func(c *config.Config) *float64 { return &c.Past.Exponent }, []float64{.5, 1.5, 2}, false, nil},
	{"fusion", "clip", func(c *config.Config) *float64 { return &c.Fusion.Clip }, []float64{.5, .75, 1.5}, false, nil},
	{"fusion", "literal_files", nil, []float64{.34, 2}, false, func(c *config.Config) *int { return &c.Fusion.LiteralFiles }},
	{"pack", "signature", func(c *config.Config) *float64 { return &c.Pack.Signature }, []float64{.4, .7, 1.4}, true, nil},
	{"pack", "path", func(c *config.Config) *float64 { return &c.Pack.Path }, []float64{.3, .6, 1.5}, true, nil},
	{"pack", "repeat", func(c *config.Config) *float64 { return &c.Pack.Repeat }, []float64{.6, .8, 1.3}, true, nil},
	{"pack", "temper", func(c *config.Config) *float64 { return &c.Pack.Temper }, []float64{.5, .75, 1.5, 2}, true, nil},
	{"pack", "dir_cap", nil, []float64{.67, 2, 4}, true, func(c *config.Config) *int { return &c.Pack.DirCap }},
}

// ConstantFit is what Sweep found of one constant.
type ConstantFit struct {
	Constant   Constant
	Before     float64
	After      float64 // Before, if no other value is better by more than chance
	Measure    string
	Difference Interval // of the best other value
}

// packMeasure is what the constants of the pack are judged by.
var packMeasure = nameBody(reportedBudget)

// Sweep tries each constant alone, the others as base has them, and takes the
// value whose gain over the labels is largest, if its 95 % interval leaves 0
// out. Values that differ in the same direction are often both better; they
// are not added up.
func Sweep(ctx context.Context, eng Engine, set []labels.Label, measure string, base *config.Config, constants []Constant, opts Options) ([]ConstantFit, error) {
	type try struct {
		constant int
		value    float64
	}
	opts.Variants = []Variant{{Config: base, Budgets: []int{reportedBudget}}}
	tries := []try{{}}
	for i, c := range constants {
		for _, x := range c.Times {
			cfg := *base // what is changed is no map
			v := c.times(base, x)
			c.Set(&cfg, v)
			opts.Variants = append(opts.Variants, Variant{Name: fmt.Sprint(c.Name(), "=", v), Config: &cfg, Budgets: []int{reportedBudget}})
			tries = append(tries, try{i, v})
		}
	}
	reports, err := Run(ctx, eng, set, opts)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("sweep: %w", err)
	}
	out := make([]ConstantFit, len(constants))
	for i, c := range constants {
		out[i] = ConstantFit{Constant: c, Before: c.Get(base), After: c.Get(base), Measure: measure}
		if c.Packs {
			out[i].Measure = packMeasure
		}
		first := true
		for k := 1; k < len(tries); k++ {
			if tries[k].constant != i {
				continue
			}
			d, err := Compare(reports[k], reports[0], out[i].Measure, Tasks, seedOfIntervals)
			if err != nil {
				return nil, fmt.Errorf("sweep %s: %w", c.Name(), err)
			}
			if first || d.Mean > out[i].Difference.Mean {
				out[i].Difference, first = d, false
				if out[i].After = out[i].Before; d.Lo > 0 {
					out[i].After = tries[k].value
				}
			}
		}
	}
	return out, nil
}

// Swept is base with what Sweep took, and whether that is anything.
func Swept(base *config.Config, fits []ConstantFit) (*config.Config, bool) {
	cfg, any := *base, false
	for _, f := range fits {
		if f.After != f.Before {
			f.Constant.Set(&cfg, f.After)
			any = true
		}
	}
	return &cfg, any
}

// CompareConfigs asks labels with both configurations and gives after − before
// in a measure of the ranking and in what packs hold.
func CompareConfigs(ctx context.Context, eng Engine, set []labels.Label, measure string, before, after *config.Config, opts Options) (ranking, packs Interval, err error) {
	opts.Variants = []Variant{{Config: before, Budgets: []int{reportedBudget}}, {Name: "other", Config: after, Budgets: []int{reportedBudget}}}
	reports, err := Run(ctx, eng, set, opts)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		ranking, err = Compare(reports[1], reports[0], measure, Tasks, seedOfIntervals)
	}
	if err == nil {
		packs, err = Compare(reports[1], reports[0], packMeasure, Tasks, seedOfIntervals)
	}
	if err != nil {
		return ranking, packs, fmt.Errorf("compare configurations: %w", err)
	}
	return ranking, packs, nil
}

// WriteSweep writes what was found of each constant.
func WriteSweep(w io.Writer, fits []ConstantFit) error {
	var b strings.Builder
	b.WriteString("constants, each alone on the part to fit on\n")
	for _, f := range fits {
		what := "stays"
		if f.After != f.Before {
			what = fmt.Sprintf("→ %.4g", f.After)
		}
		fmt.Fprintf(&b, "  %-30s %8.4g %-10s best other value: %s %s\n", f.Constant.Name(), f.Before, what, f.Measure, f.Difference)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write constants: %w", err)
	}
	return nil
}

// SweptTOML writes the constants that change.
func SweptTOML(fits []ConstantFit) string {
	var b strings.Builder
	table := ""
	for _, f := range fits { // constants of a table stand together
		if f.After == f.Before {
			continue
		}
		if f.Constant.Table != table {
			table = f.Constant.Table
			fmt.Fprintf(&b, "\n[%s]\n", table)
		}
		if f.Constant.Count != nil {
			fmt.Fprintf(&b, "%s = %d\n", f.Constant.Key, int(f.After))
		} else {
			fmt.Fprintf(&b, "%s = %s\n", f.Constant.Key, tomlFloat(f.After))
		}
	}
	return b.String()
}
