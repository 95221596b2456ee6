// Package fuse turns several columns of evidence about the same files into one
// score a file.
//
// Columns live on scales that cannot be added: a similarity, a negated hop
// count, a boolean, a ratio. Two repairs are offered.
//
//   - [Sum] restates each column per query as standard scores over the pool,
//     z = (v − mean)/stdev, clips them and adds weight·z. Margins survive, and
//     what is stable across queries is just the place within the pool.
//   - [RRF] is reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009):
//     Σ weight/(k + rank) over the columns that ranked the file at all. It
//     needs no scale and loses the margins.
//
// [Promote] comes after either: an exact match of a rare literal is not one
// more term of an average, it lifts its file above all files without one.
//
// The package knows nothing of files: everything is a slice over the pool, in
// the order of the caller. Sums run in that order, so the same pool gives the
// same bits. Products are rounded before they are added, which keeps compilers
// from fusing the two on some machines and not on others.
//
// Limits: standard scores of a tiny pool say little (two files are always at
// ±1), so a caller that knows more files than it ranks gives their values as
// Rest; a column that is 1 for one file of n gives that file √(n−1): that is
// what the clip is for; and it does so whether the 1 is much or little, which
// is what Full is for.
package fuse

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

const (
	// Clip is the usual bound of a standard score. A boolean column that is
	// set for one file of a pool of a few hundred reaches √n ≈ 17 and would
	// drown every other column; 8 lets it stand out without deciding alone.
	Clip = 8.0

	// K is the conventional constant of reciprocal rank fusion; smaller
	// values sharpen the top.
	K = 60.0

	// Margin is how far above the best unpromoted score the best of the
	// lifted files may come, in the unit of the score (a sum of weighted
	// standard scores). Small on purpose: a promotion settles the order,
	// and must not by its own size make the distribution look sharp.
	Margin = 0.1

	// flat is the relative spread below which a column counts as constant:
	// differences that small are the rounding of whoever computed it, and
	// dividing by their deviation would turn noise into evidence.
	flat = 1e-12
)

// Column is what one signal says of every file of the pool.
type Column struct {
	ID     string    // fixed name, as in "similarity.file"
	Raw    []float64 // a value a file, greater is better, in the column's own unit; finite
	Ranked []bool    // whether the column ranked the file at all (only RRF asks); nil: all
	Weight float64   // finite
	Rest   []float64 // values of files outside the pool that count for the mean and the deviation only
	Full   float64   // the value that warrants a score of clip, a lesser one its share of it; 0: any value does
	Unit   bool      // raw is in units of the score already (log-odds of a prior): Sum centres it, but does not scale it
}

// Z returns the standard scores of raw over the pool, with the population's
// deviation (the pool is the whole population), clipped to ±clip (0 or less:
// not clipped). A constant column gives zeros. It panics if a value is not
// finite: a signal that divides by zero must not reach the sum.
func Z(raw []float64, clip float64) []float64 {
	return zInto(make([]float64, len(raw)), raw, clip)
}

// ZOver returns the standard scores of raw, with the mean and deviation over
// raw and rest together.
func ZOver(raw, rest []float64, clip float64) []float64 {
	if len(rest) == 0 {
		return Z(raw, clip)
	}
	return Z(slices.Concat(raw, rest), clip)[:len(raw):len(raw)]
}

// Z returns the column's standard scores as Sum adds them: those of ZOver, or
// with a Full value none above clip·raw/Full (0 for values below 0).
func (c *Column) Z(clip float64) []float64 {
	z := ZOver(c.Raw, c.Rest, clip)
	if c.Full > 0 && clip > 0 {
		for i, v := range c.Raw {
			z[i] = min(z[i], clip*max(0, v)/c.Full)
		}
	}
	return z
}

func zInto(dst, raw []float64, clip float64) []float64 {
	if len(raw) == 0 {
		return dst
	}
	lo, hi := raw[0], raw[0]
	for i, v := range raw {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("fuse: value %d of a column is %v", i, v))
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	// Standard scores do not change under shift and scale, so work on
	// (v − lo)/(hi − lo) in [0,1], where nothing overflows or cancels. The
	// halves keep hi − lo finite for any finite pair.
	span := hi/2 - lo/2
	if span <= flat*max(math.Abs(lo), math.Abs(hi)) {
		clear(dst)
		return dst
	}
	var sum float64
	for i, v := range raw {
		dst[i] = (v/2 - lo/2) / span
		sum += dst[i]
	}
	n := float64(len(raw))
	mean := sum / n
	var ss float64
	for i := range dst {
		dst[i] -= mean
		ss += float64(dst[i] * dst[i])
	}
	sd := math.Sqrt(ss / n)
	for i := range dst {
		z := dst[i] / sd
		if clip > 0 {
			z = max(-clip, min(clip, z))
		}
		dst[i] = z
	}
	return dst
}

// centre subtracts the mean.
func centre(dst, raw []float64) {
	var sum float64
	for _, v := range raw {
		sum += v
	}
	mean := sum / float64(max(1, len(raw)))
	for i, v := range raw {
		dst[i] = v - mean
	}
}

// Sum adds the columns as weighted standard scores. For n files and c columns
// it returns score (n) and, for explanations, parts and z (both c × n), with
// part = weight·z and score = Σ parts in the order of the columns. All columns
// must be of one length; without columns all three are empty.
func Sum(cols []Column, clip float64) (score []float64, parts, z [][]float64) {
	n := size(cols)
	slab := make([]float64, n*(1+2*len(cols)))
	cut := func() (s []float64) { s, slab = slab[:n:n], slab[n:]; return s }
	score = cut()
	parts, z = make([][]float64, len(cols)), make([][]float64, len(cols))
	for c, col := range cols {
		parts[c], z[c] = cut(), cut()
		if col.Unit {
			centre(z[c], col.Raw)
		} else {
			copy(z[c], col.Z(clip))
		}
		for i, v := range z[c] {
			parts[c][i] = col.Weight * v
			score[i] += parts[c][i]
		}
	}
	return score, parts, z
}

// RRF adds the columns by rank: part = weight/(k + rank) where the column
// ranked the file, 0 where it did not. Rank is one more than the number of
// ranked files with a greater value, so ties share the better rank. Shapes are
// those of Sum.
func RRF(cols []Column, k float64) (score []float64, parts [][]float64) {
	n := size(cols)
	slab := make([]float64, n*(1+len(cols)))
	score, slab = slab[:n:n], slab[n:]
	parts = make([][]float64, len(cols))
	order := make([]int, 0, n)
	for c, col := range cols {
		parts[c], slab = slab[:n:n], slab[n:]
		order = order[:0]
		for i := range col.Raw {
			if col.Ranked == nil || col.Ranked[i] {
				order = append(order, i)
			}
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(col.Raw[b], col.Raw[a]) })
		rank := 1
		for at, i := range order {
			if at > 0 && col.Raw[i] != col.Raw[order[at-1]] {
				rank = at + 1
			}
			parts[c][i] = col.Weight / (k + float64(rank))
			score[i] += parts[c][i]
		}
	}
	return score, parts
}

// size returns the common length of the columns.
func size(cols []Column) int {
	if len(cols) == 0 {
		return 0
	}
	n := len(cols[0].Raw)
	for _, c := range cols {
		if len(c.Raw) != n || c.Ranked != nil && len(c.Ranked) != n {
			panic(fmt.Sprintf("fuse: column %q has %d values and %d marks for a pool of %d", c.ID, len(c.Raw), len(c.Ranked), n))
		}
		if math.IsNaN(c.Weight) || math.IsInf(c.Weight, 0) {
			panic(fmt.Sprintf("fuse: column %q weighs %v", c.ID, c.Weight))
		}
	}
	return n
}

// Promote returns the scores after lifting every promoted file above every
// other one. Promoted files are ordered among themselves by key = score +
// strength (strength nil: 0; a caller's measure of how much the matched
// literals say, in the unit of the score), equal keys staying equal. Sorted by
// ascending key, with top the best unpromoted score and m the number of
// promoted files,
//
//	new₁ = max(key₁, top + step)                     step = Margin/m
//	newⱼ = max(keyⱼ, newⱼ₋₁ + min(step, keyⱼ − keyⱼ₋₁))
//
// which is the least lift that keeps their order and puts them above: a file
// whose key is above the others' best already keeps it, and the lifted ones
// come at most Margin above. Unpromoted scores do not change. If nothing is
// unpromoted, new = key.
func Promote(score []float64, promoted []bool, strength []float64) []float64 {
	if len(promoted) != len(score) || strength != nil && len(strength) != len(score) {
		panic(fmt.Sprintf("fuse: %d promotions and %d strengths for a pool of %d", len(promoted), len(strength), len(score)))
	}
	out := slices.Clone(score)
	top := math.Inf(-1)
	var up []int
	for i, p := range promoted {
		if !p {
			top = max(top, score[i])
			continue
		}
		if strength != nil {
			out[i] += strength[i]
		}
		up = append(up, i)
	}
	if len(up) == 0 || math.IsInf(top, -1) {
		return out
	}
	slices.SortFunc(up, func(a, b int) int { return cmp.Compare(out[a], out[b]) })
	step := Margin / float64(len(up))
	prevKey, prevNew := math.Inf(-1), top
	for _, i := range up {
		key := out[i]
		if key == prevKey {
			out[i] = prevNew
			continue
		}
		// Nextafter: a gap below the resolution of the score must not
		// become a tie.
		out[i] = max(key, prevNew+min(step, key-prevKey), math.Nextafter(prevNew, math.Inf(1)))
		prevKey, prevNew = key, out[i]
	}
	return out
}

// Order returns the indices of the pool from the best score to the worst. Ties
// are settled by less, a total order of the pool such as that of its paths
// (nil: the order of the pool).
func Order(score []float64, less func(i, j int) bool) []int {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if c := cmp.Compare(score[b], score[a]); c != 0 {
			return c
		}
		if less != nil {
			switch {
			case less(a, b):
				return -1
			case less(b, a):
				return 1
			}
		}
		return cmp.Compare(a, b)
	})
	return order
}
