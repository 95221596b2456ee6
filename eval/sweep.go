package eval

import (
	"context"
	"fmt"
	"io"
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
}

// Name is how the constant stands in a configuration.
func (c Constant) Name() string { return c.Table + "." + c.Key }

// Constants are what Sweep tries: half-lives, the clip, the values of tiers,
// and what a file's further chunks are worth. Caps and counts are whole
// numbers that seldom decide, and stay.
var Constants = []Constant{
	{"cochange", "half_life_days", func(c *config.Config) *float64 { return &c.CoChange.HalfLifeDays }, []float64{.25, .5, 2, 4}, false},
	{"precedent", "half_life_days", func(c *config.Config) *float64 { return &c.Past.HalfLifeDays }, []float64{.1, .3, 3}, false},
	{"precedent", "exponent", func(c *config.Config) *float64 { return &c.Past.Exponent }, []float64{.5, 1.5, 2}, false},
	{"fusion", "clip", func(c *config.Config) *float64 { return &c.Fusion.Clip }, []float64{.5, .75, 1.5}, false},
	{"pack", "signature", func(c *config.Config) *float64 { return &c.Pack.Signature }, []float64{.4, .7, 1.4}, true},
	{"pack", "path", func(c *config.Config) *float64 { return &c.Pack.Path }, []float64{.3, .6, 1.5}, true},
	{"pack", "repeat", func(c *config.Config) *float64 { return &c.Pack.Repeat }, []float64{.6, .8, 1.3}, true},
	{"pack", "temper", func(c *config.Config) *float64 { return &c.Pack.Temper }, []float64{.5, .75, 1.5, 2}, true},
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
			v := *c.Of(base) * x
			*c.Of(&cfg) = v
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
		out[i] = ConstantFit{Constant: c, Before: *c.Of(base), After: *c.Of(base), Measure: measure}
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
			*f.Constant.Of(&cfg), any = f.After, true
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
		fmt.Fprintf(&b, "%s = %s\n", f.Constant.Key, tomlFloat(f.After))
	}
	return b.String()
}
