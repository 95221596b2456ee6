package eval

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cohop/internal/config"
	"cohop/labels"
)

// TestSweepTakesWhatIsBetter asks an engine that ranks the answer first when
// the clip is 4 and not otherwise: 4 is half of the shipped 8.
func TestSweepTakesWhatIsBetter(t *testing.T) {
	var set []labels.Label
	for i := range 30 {
		set = append(set, label(fmt.Sprint("t", i), "r", "c", "b"))
	}
	eng := &fakeEngine{answer: func(_ Tree, q Question) (Answer, error) {
		files := []string{"a", "b"}
		if q.Config.Fusion.Clip == 4 {
			files = []string{"b", "a"}
		}
		return &fakeAnswer{pool: files, files: files}, nil
	}}
	base := config.Default()
	fits, err := Sweep(context.Background(), eng, set, nameMRR, base, Constants, Options{Repos: "dir"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fits {
		want := f.Before
		if f.Constant.Name() == "fusion.clip" {
			want = 4
		}
		if f.After != want {
			t.Errorf("%s: %v → %v, want %v", f.Constant.Name(), f.Before, f.After, want)
		}
	}
	after, any := Swept(base, fits)
	if !any || after.Fusion.Clip != 4 || base.Fusion.Clip != 8 {
		t.Errorf("clip %v of base %v", after.Fusion.Clip, base.Fusion.Clip)
	}
	// From 1/2 to 1 in every task.
	ranking, packs, err := CompareConfigs(context.Background(), eng, set, nameMRR, base, after, Options{Repos: "dir"})
	if err != nil || ranking.Mean != .5 || packs.Mean != 0 {
		t.Errorf("%v %v %v", ranking, packs, err)
	}
	if got := SweptTOML(fits); got != "\n[fusion]\nclip = 4.0\n" {
		t.Errorf("%q", got)
	}
}

// Each constant reads back under its name, within its range at every step.
func TestConstantsStandInTheConfiguration(t *testing.T) {
	for _, c := range Constants {
		for _, x := range c.Times {
			cfg := config.Default()
			v := c.times(cfg, x)
			if v == c.Get(cfg) {
				t.Errorf("%s × %v changes nothing", c.Name(), x)
			}
			text := SweptTOML([]ConstantFit{{Constant: c, Before: v + 1, After: v}})
			if err := cfg.Merge("x", text); err != nil || c.Get(cfg) != v {
				t.Errorf("%s × %v: %v, %v", c.Name(), x, c.Get(cfg), err)
			}
		}
	}
	if !strings.Contains(packMeasure, "2000") {
		t.Error(packMeasure)
	}
}
