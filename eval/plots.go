package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// leastRange of an axis of differences: a thousandth is less than any noise.
const leastRange = 0.01

// ablationPlot shows what each variant changes in a measure, with its 95 %
// interval. reports[0] is the whole.
func ablationPlot(reports []*Report, measure, prefix, title string) (string, error) {
	type bar struct {
		name string
		d    Interval
	}
	var bars []bar
	lo, hi := 0.0, 0.0
	for _, r := range reports[1:] {
		name, ok := strings.CutPrefix(r.Variant, prefix)
		if !ok {
			continue
		}
		d, err := Compare(r, reports[0], measure, Tasks, seedOfIntervals)
		if err != nil {
			return "", err
		}
		bars = append(bars, bar{name, d})
		lo, hi = min(lo, d.Lo), max(hi, d.Hi)
	}
	if len(bars) == 0 {
		return "", nil
	}
	slices.SortStableFunc(bars, func(a, b bar) int {
		switch {
		case a.d.Mean < b.d.Mean:
			return -1
		case a.d.Mean > b.d.Mean:
			return 1
		}
		return 0
	})
	if hi-lo < leastRange { // nothing changes anything: a scale all the same
		lo, hi = -leastRange/2, leastRange/2
	}
	const row = 24
	p := newPlot(title, 720, 34+48+row*float64(len(bars)))
	p.left = 150
	p.scale(lo, hi+(hi-lo)*.02+1e-6, 0, float64(len(bars)))
	p.axes("change of "+measure+" against all columns (share, 95 % interval over tasks)", "column", ticks(p.x0, p.x1, 6), nil, "%g")
	for i, b := range bars {
		y := p.top + row*float64(i) + 4
		x0, x1 := p.px(min(0, b.d.Mean)), p.px(max(0, b.d.Mean))
		class := "bar"
		if !b.d.Significant() {
			class = "bar faint"
		}
		p.rect(x0, y, x1-x0, row-8, class, fmt.Sprintf("%s %s: %s", prefix, b.name, b.d))
		p.line(p.px(b.d.Lo), y+row/2-4, p.px(b.d.Hi), y+row/2-4, "whisker")
		p.text(p.left-8, y+row/2, "end", "tick", b.name)
	}
	p.line(p.px(0), p.top, p.px(0), p.h-p.bottom, "axis")
	return p.done(), nil
}

// recallPlot shows recall@k with its interval over tasks.
func recallPlot(r *Report) string {
	var xs, micro, macro, lo, hi []float64
	for _, k := range Cutoffs {
		iv := r.intervalOf(nameRecall(k))
		xs, micro, macro = append(xs, float64(k)), append(micro, r.Micro[nameRecall(k)]), append(macro, r.Macro[nameRecall(k)])
		lo, hi = append(lo, iv.Lo), append(hi, iv.Hi)
	}
	p := newPlot("Recall by place", 460, 320)
	p.scale(0, xs[len(xs)-1], 0, 1)
	p.axes("first k files of the list (files)", "answers among them (share)", xs, ticks(0, 1, 5), "%.1f")
	p.band(xs, lo, hi, "c1")
	p.curve(xs, micro, "c1", "over tasks")
	p.curve(xs, macro, "c2", "over repositories")
	p.legend(p.w-p.right-150, p.h-p.bottom-30, []string{"c1", "c2"}, []string{"mean over tasks", "over repositories"})
	return p.done()
}

func (r *Report) intervalOf(m string) Interval {
	if iv, ok := r.Intervals.Micro[m]; ok {
		return iv
	}
	values, repos := r.Values(m)
	if len(values) == 0 {
		return Interval{}
	}
	return Bootstrap(values, repos, Tasks, seedOfIntervals)
}

// budgetPlot shows what a pack holds by its budget.
func budgetPlot(r *Report) string {
	budgets := slices.Sorted(slices.Values(r.budgets))
	var xs, body, sig, lo, hi []float64
	for _, b := range budgets {
		iv := r.intervalOf(nameBody(b))
		xs, body, sig = append(xs, float64(b)), append(body, r.Micro[nameBody(b)]), append(sig, r.Micro[nameSignature(b)])
		lo, hi = append(lo, iv.Lo), append(hi, iv.Hi)
	}
	p := newPlot("Recall by budget", 460, 320)
	p.logX = true
	first, last := xs[0], xs[len(xs)-1]
	if first == last {
		last = 2 * first
	}
	p.scale(first, last, 0, 1)
	p.axes("budget of the pack (tokens, logarithmic)", "answers in the pack (share)", xs, ticks(0, 1, 5), "%.1f")
	p.band(xs, lo, hi, "c1")
	p.curve(xs, body, "c1", "as a body")
	p.curve(xs, sig, "c2", "as a body or signature")
	p.legend(p.w-p.right-160, p.h-p.bottom-30, []string{"c1", "c2"}, []string{"as a body", "body or signature"})
	return p.done()
}

// octave is the width of a bin of N_eff: finer ones are empty on small sets.
const octave = 2.0

// neffPlot shows how many tasks are how sharp.
func neffPlot(r *Report) string {
	counts := map[int]int{}
	most, top, n := 0, 0, 0
	for i := range r.TaskResults {
		t := &r.TaskResults[i]
		if !t.answered || t.Abstained || t.NEff < 1 {
			continue
		}
		k := int(math.Log2(t.NEff))
		counts[k]++
		n++
		most, top = max(most, counts[k]), max(top, k)
	}
	if n == 0 {
		return ""
	}
	p := newPlot("Sharp and diffuse tasks", 460, 320)
	p.logX = true
	p.scale(1, math.Pow(octave, float64(top+1)), 0, float64(most))
	var xs []float64
	for k := 0; k <= top+1; k += 1 + top/8 {
		xs = append(xs, math.Pow(octave, float64(k)))
	}
	p.axes("N_eff (chunks that matter, logarithmic)", "tasks (count)", xs, ticks(0, float64(most), 5), "%.0f")
	for k := range top + 1 {
		lo, hi := math.Pow(octave, float64(k)), math.Pow(octave, float64(k+1))
		x, y := p.px(lo)+1, p.py(float64(counts[k]))
		p.rect(x, y, p.px(hi)-1-x, p.h-p.bottom-y, "bar", fmt.Sprintf("%d tasks with N_eff from %g to %g", counts[k], lo, hi))
	}
	return p.done()
}

// reliabilityPlot shows whether confidences come true.
func reliabilityPlot(s *SetReliability) string {
	p := newPlot(fmt.Sprintf("Reliability of the header's confidence (ECE %.3f, AUC %.3f)", s.ECE, s.AUC), 460, 320)
	p.scale(0, 1, 0, 1)
	p.axes("confidence (probability that all is in the pack)", "packs that held all (share)", ticks(0, 1, 5), ticks(0, 1, 5), "%.1f")
	p.line(p.px(0), p.py(0), p.px(1), p.py(1), "ideal")
	var xs, ys []float64
	for _, b := range s.Bins {
		xs, ys = append(xs, b.P), append(ys, b.Seen)
	}
	p.curve(xs, ys, "c1", "seen")
	p.legend(p.left+12, p.top+16, []string{"c1"}, []string{fmt.Sprintf("%d bins of %d packs", len(s.Bins), s.Tasks)})
	return p.done()
}

// darkCell is from where on a cell is too dark for dark ink.
const darkCell = 0.55

// correlationPlot is a heat map of ρ.
func correlationPlot(c *Correlation) string {
	n := float64(len(c.Columns))
	const cell = 42
	p := newPlot("Columns that say the same: rank correlation (Spearman's ρ, mean over tasks)", 150+cell*n+20, 60+cell*n+110)
	p.left, p.top = 140, 44
	for i, a := range c.Columns {
		y := p.top + cell*float64(i)
		p.text(p.left-8, y+cell/2+4, "end", "tick", a)
		x := p.left + cell*(float64(i)+.5)
		fmt.Fprintf(p, `<text x="%s" y="%s" text-anchor="end" class="tick" transform="rotate(-50 %s %s)">%s</text>`, num(x), num(p.top+cell*n+16), num(x), num(p.top+cell*n+16), esc(a))
		for j, b := range c.Columns {
			rho := c.Rho[i][j]
			class := "pos"
			if rho < 0 {
				class = "neg"
			}
			x := p.left + cell*float64(j)
			fmt.Fprintf(p, `<rect x="%s" y="%s" width="%d" height="%d" class="%s" fill-opacity="%.2f"><title>%s</title></rect>`, num(x), num(y), cell-1, cell-1, class, math.Abs(rho),
				esc(fmt.Sprintf("%s, %s: ρ %.2f in %d tasks", a, b, rho, c.Tasks[i][j])))
			if i != j {
				ink := "cell"
				if math.Abs(rho) > darkCell {
					ink = "cell dark"
				}
				p.text(x+cell/2, y+cell/2+4, "middle", ink, strings.Replace(fmt.Sprintf("%.2f", rho), "0.", ".", 1))
			}
		}
	}
	p.text(p.left+cell*n/2, p.h-8, "middle", "name", "column; ρ has no unit: 1 the same order of files, 0 none, −1 the reverse")
	return p.done()
}
