package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Interval is a figure with what chance alone could have made of it.
type Interval struct {
	Mean float64 `json:"mean"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
}

// Significant says that 0 is outside: for a difference, that it is not noise.
func (i Interval) Significant() bool { return i.Lo > 0 || i.Hi < 0 }

// Resamples of a bootstrap: at 2,000 the ends of a 95 % interval stand on 50
// draws each, and 640 tasks still take milliseconds.
const Resamples = 2000

// level is the share of resamples that an interval covers.
const level = 0.95

// Unit is what an interval draws again, and so whom its figure speaks for.
type Unit int

const (
	Tasks Unit = iota // draws tasks: would other tasks on these repositories say the same?
	Repos             // draws whole repositories, mean of their means: would other repositories?
)

// Bootstrap gives the mean of values, one a task, with Efron's percentile
// interval. With Repos the mean is that of Macro. The same seed gives the
// same interval. values and repos must have one length, and not be empty.
func Bootstrap(values []float64, repos []string, unit Unit, seed uint64) Interval {
	if len(values) == 0 || len(values) != len(repos) {
		panic(fmt.Sprintf("eval: bootstrap of %d values in %d repositories", len(values), len(repos)))
	}
	draw := values
	if unit == Repos {
		draw = repoMeans(values, repos)
	}
	var sum float64
	for _, v := range draw {
		sum += v
	}
	n := len(draw)
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	means := make([]float64, Resamples)
	for b := range means {
		var s float64
		for range n {
			s += draw[rng.IntN(n)]
		}
		means[b] = s / float64(n)
	}
	slices.Sort(means)
	tail := (1 - level) / 2
	return Interval{sum / float64(n), quantile(means, tail), quantile(means, 1-tail)}
}

// PairedBootstrap is Bootstrap on a − b task by task: both systems are drawn
// on the same tasks, so that hard tasks cancel out.
func PairedBootstrap(a, b []float64, repos []string, unit Unit, seed uint64) Interval {
	if len(a) != len(b) {
		panic(fmt.Sprintf("eval: %d tasks paired with %d", len(a), len(b)))
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return Bootstrap(d, repos, unit, seed)
}

func repoMeans(values []float64, repos []string) []float64 {
	sum, n := map[string]float64{}, map[string]float64{}
	for i, v := range values {
		sum[repos[i]] += v
		n[repos[i]]++
	}
	names := make([]string, 0, len(n))
	for r := range n {
		names = append(names, r)
	}
	slices.Sort(names)
	means := make([]float64, len(names))
	for i, r := range names {
		means[i] = sum[r] / n[r]
	}
	return means
}

// quantile interpolates between order statistics. sorted must not be empty.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	lo := math.Floor(at)
	i := int(lo)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-lo)*(sorted[i+1]-sorted[i])
}
