package rank

import (
	"cohop/internal/config"
	"cohop/internal/repo"
)

// Features are the pool's columns as a linear model sees them.
type Features struct {
	Names    []string
	X        []float32 // column-major: feature j of file i is X[j·len(Paths)+i]
	Promoted []bool    // files that stand before all others whatever their score
}

// Features restates the columns for fitting: z-scores as fusion adds them, and
// in place of priors.role one indicator a role and intent, weighted by how
// likely the intent is.
func (q *Query) Features() Features {
	var out Features
	n := len(q.pool)
	for _, c := range q.Columns {
		if c.ID == "priors.role" {
			continue
		}
		out.Names = append(out.Names, c.ID)
		for _, z := range c.Z(q.cfg.Fusion.Clip) {
			out.X = append(out.X, float32(z))
		}
	}
	for _, side := range []struct {
		name string
		w    float32
	}{{config.PriorAsk, float32(1 - q.Intent)}, {config.PriorChange, float32(q.Intent)}, {config.PriorReport, float32(q.Intent * q.report)}} {
		for _, r := range repo.Roles() {
			if r == "source" {
				continue // the base that the others are measured from
			}
			out.Names = append(out.Names, side.name+r)
			at := len(out.X)
			out.X = append(out.X, make([]float32, n)...)
			for i, f := range q.pool {
				if q.eng.roles[f] == r {
					out.X[at+i] = side.w
				}
			}
		}
	}
	for _, r := range repo.Roles() {
		if roleWords[r] == nil {
			continue
		}
		out.Names = append(out.Names, config.PriorNamed+r)
		at := len(out.X)
		out.X = append(out.X, make([]float32, n)...)
		for i, f := range q.pool {
			if q.named[r] && q.eng.roles[f] == r {
				out.X[at+i] = float32(q.Intent)
			}
		}
	}
	out.Promoted, _ = q.promote(make([]float64, n))
	return out
}
