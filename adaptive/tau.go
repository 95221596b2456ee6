package adaptive

import "math"

const (
	// tauLo and tauHi bound the search for τ. Below, all mass sits on the
	// best chunk whatever the task; above, a standard score of 8 is a factor
	// of e, and N_eff just tells how large the repository is.
	tauLo, tauHi = 0.1, 8.0

	// tauSteps is the grid's size: neighbours differ by a ninth, which is
	// finer than the spread's own bumps on a few dozen tasks.
	tauSteps = 40

	// tauRounds of golden section shrink a grid cell to a ten-thousandth.
	tauRounds = 16
)

// Fit is the outcome of FitTau.
type Fit struct {
	Tau float64
	Var float64   // the variance of log N_eff at Tau
	At  []float64 // the grid, ascending
	Vs  []float64 // the variance there
}

// FitTau returns the τ in [0.1, 8] that maximises the variance of log N_eff
// over the tasks. Tasks come grouped by repository and the variance is the one
// within groups, Σ_g Σ_i (x_gi − mean_g)² / (Σ_g n_g − groups): otherwise a
// large τ, where N_eff just counts a repository's chunks, would win by the
// spread of the repositories' sizes. A grid, equally spaced in log τ, finds
// the best cell (the curve may have several tops), golden section refines it.
// With no group of two tasks, or nothing to tell them apart, it returns [Tau].
func FitTau(groups [][]Scores) Fit {
	var buf []float64
	var logs [][]float64
	df := 0
	for _, g := range groups {
		logs = append(logs, make([]float64, len(g)))
		df += max(0, len(g)-1)
		for _, s := range g {
			if len(s.Z) > len(buf) {
				buf = make([]float64, len(s.Z))
			}
		}
	}
	spread := func(tau float64) float64 {
		if df == 0 {
			return 0
		}
		var ss float64
		for gi, g := range groups {
			var sum float64
			n := 0
			for _, s := range g {
				if s.N() == 0 {
					continue
				}
				logs[gi][n] = s.logNEff(tau, buf)
				sum += logs[gi][n]
				n++
			}
			for _, x := range logs[gi][:n] {
				dev := x - sum/float64(n)
				ss += float64(dev * dev)
			}
		}
		return ss / float64(df)
	}

	fit := Fit{Tau: Tau}
	ratio := math.Log(tauHi / tauLo)
	best := 0
	for i := range tauSteps + 1 {
		tau := tauLo * math.Exp(ratio*float64(i)/tauSteps)
		fit.At = append(fit.At, tau)
		fit.Vs = append(fit.Vs, spread(tau))
		if fit.Vs[i] > fit.Vs[best] {
			best = i
		}
	}
	if fit.Vs[best] <= flat {
		return fit
	}
	fit.Tau, fit.Var = fit.At[best], fit.Vs[best]

	lo, hi := math.Log(fit.At[max(best-1, 0)]), math.Log(fit.At[min(best+1, tauSteps)])
	const golden = 0.6180339887498949 // 1/φ
	a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
	va, vb := spread(math.Exp(a)), spread(math.Exp(b))
	for range tauRounds {
		if va >= vb {
			hi, b, vb = b, a, va
			a = hi - golden*(hi-lo)
			va = spread(math.Exp(a))
		} else {
			lo, a, va = a, b, vb
			b = lo + golden*(hi-lo)
			vb = spread(math.Exp(b))
		}
	}
	for _, c := range []struct{ x, v float64 }{{a, va}, {b, vb}} {
		if c.v > fit.Var { // never worse than the grid
			fit.Tau, fit.Var = math.Exp(c.x), c.v
		}
	}
	return fit
}

// logNEff returns log N_eff = 2 log Σe − log Σe² without making weights.
func (s Scores) logNEff(tau float64, buf []float64) float64 {
	sum, tail := s.exps(tau, buf[:len(s.Z)])
	ss := float64(s.Tail) * float64(tail*tail)
	for _, e := range buf[:len(s.Z)] {
		ss += float64(e * e)
	}
	return 2*math.Log(sum) - math.Log(ss)
}
