package eval

import (
	"cmp"
	"math"
	"slices"
)

// Columned is an Answer that shows what each column says of each file of the
// pool.
type Columned interface {
	// Columns gives ids and, by column, the raw value of each file of Pool.
	Columns() (ids []string, raw [][]float64)
}

// Correlation is how alike columns order the pool: the mean over tasks of
// Spearman's ρ, of those tasks in which both columns say something.
type Correlation struct {
	Columns []string    `json:"columns"`
	Rho     [][]float64 `json:"rho"` // symmetric; 1 on the diagonal
	Tasks   [][]int     `json:"tasks"`
}

// Spearman is Pearson's correlation of midranks: 1 for the same order, −1 for
// the reverse; ok is false if either is constant or they have no two files.
// a and b must have one length.
func Spearman(a, b []float64) (rho float64, ok bool) {
	return pearson(midranks(a), midranks(b))
}

// midranks gives equal values the mean of the ranks that they share.
func midranks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	out := make([]float64, len(v))
	for lo := 0; lo < len(order); {
		hi := lo
		for hi < len(order) && v[order[hi]] == v[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			out[i] = float64(lo+hi+1) / 2
		}
		lo = hi
	}
	return out
}

func pearson(a, b []float64) (float64, bool) {
	n := float64(len(a))
	if n < 2 {
		return 0, false
	}
	var ma, mb float64
	for i := range a {
		ma += a[i] / n
		mb += b[i] / n
	}
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	if aa == 0 || bb == 0 {
		return 0, false
	}
	return ab / math.Sqrt(aa*bb), true
}

// pairs holds ρ of each pair of columns of one task, NaN where there is none.
type pairs struct {
	ids []string
	rho []float64 // of (i, j), j < i, row by row
}

func correlate(ids []string, raw [][]float64) *pairs {
	p := &pairs{ids: ids}
	ranks := make([][]float64, len(raw))
	for i := range raw {
		ranks[i] = midranks(raw[i])
		for j := range i {
			r, ok := pearson(ranks[i], ranks[j])
			if !ok {
				r = math.NaN()
			}
			p.rho = append(p.rho, r)
		}
	}
	return p
}

// meanCorrelation averages tasks in their order; columns that not all tasks
// have keep their places by the first task that has them.
func meanCorrelation(tasks []TaskResult) *Correlation {
	c := &Correlation{}
	at := map[string]int{}
	for i := range tasks {
		if tasks[i].pairs == nil {
			continue
		}
		for _, id := range tasks[i].pairs.ids {
			if _, ok := at[id]; !ok {
				at[id] = len(c.Columns)
				c.Columns = append(c.Columns, id)
			}
		}
	}
	if len(c.Columns) == 0 {
		return nil
	}
	n := len(c.Columns)
	for range n {
		c.Rho, c.Tasks = append(c.Rho, make([]float64, n)), append(c.Tasks, make([]int, n))
	}
	for i := range tasks {
		p := tasks[i].pairs
		if p == nil {
			continue
		}
		k := 0
		for a := range p.ids {
			for b := range a {
				if x, y := at[p.ids[a]], at[p.ids[b]]; !math.IsNaN(p.rho[k]) {
					c.Rho[x][y] += p.rho[k]
					c.Tasks[x][y]++
				}
				k++
			}
		}
	}
	for x := range n {
		for y := range n {
			if x < y { // both halves were summed apart
				c.Rho[x][y] += c.Rho[y][x]
				c.Tasks[x][y] += c.Tasks[y][x]
				if c.Tasks[x][y] > 0 {
					c.Rho[x][y] /= float64(c.Tasks[x][y])
				}
				c.Rho[y][x], c.Tasks[y][x] = c.Rho[x][y], c.Tasks[x][y]
			}
		}
		c.Rho[x][x] = 1
	}
	return c
}
