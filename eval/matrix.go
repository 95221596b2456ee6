package eval

import (
	"errors"
	"fmt"
	"math"
)

// Set names a set of labels and what weights are to achieve on it.
type Set struct {
	Name   string `json:"name"`
	Target Target `json:"target"`
}

// TaskFeatures is one task as Tune sees it.
type TaskFeatures struct {
	ID       string
	Repo     string
	Set      int       // index into Matrix.Sets
	N        int       // files of the pool, in path order
	X        []float32 // feature j of file i is X[j*N+i]
	Relevant []int     // files of the pool that are relevant, rising
	Answers  int       // relevant files, with those outside the pool
	Promoted []bool    // files that stand before all others; nil: none

	speaks []bool // by feature: not 0 for every file; nil: not known
}

// Matrix is everything Tune needs to know of its tasks.
type Matrix struct {
	Names []string // of the features
	Sets  []Set
	Tasks []TaskFeatures
}

// check finds what would otherwise be an index out of range or a NaN weight
// half an hour later.
func (m *Matrix) check() error {
	if len(m.Names) == 0 || len(m.Tasks) == 0 || len(m.Sets) == 0 {
		return errors.New("no feature, no task or no set")
	}
	seen := map[string]bool{}
	for _, n := range m.Names {
		if n == "" || seen[n] {
			return fmt.Errorf("feature %q stands twice or has no name", n)
		}
		seen[n] = true
	}
	for _, s := range m.Sets {
		if err := s.Target.check(); err != nil {
			return fmt.Errorf("set %q: %w", s.Name, err)
		}
	}
	for i := range m.Tasks {
		if err := m.Tasks[i].check(len(m.Names), len(m.Sets)); err != nil {
			return fmt.Errorf("task %q: %w", m.Tasks[i].ID, err)
		}
	}
	return nil
}

func (t *TaskFeatures) check(features, sets int) error {
	if t.N < 0 || len(t.X) != features*t.N {
		return fmt.Errorf("%d values for %d features of %d files", len(t.X), features, t.N)
	}
	if t.Set < 0 || t.Set >= sets {
		return fmt.Errorf("set %d of %d", t.Set, sets)
	}
	if t.Promoted != nil && len(t.Promoted) != t.N {
		return fmt.Errorf("%d promotions of %d files", len(t.Promoted), t.N)
	}
	if t.Answers < 1 || len(t.Relevant) > t.Answers {
		return fmt.Errorf("%d of %d answers in the pool", len(t.Relevant), t.Answers)
	}
	last := -1
	for _, r := range t.Relevant {
		if r <= last || r >= t.N {
			return fmt.Errorf("relevant file %d of %d, after %d", r, t.N, last)
		}
		last = r
	}
	for i, v := range t.X {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Errorf("feature %d of file %d is %v", i/t.N, i%t.N, v)
		}
	}
	return nil
}

// column is what feature j says of each file.
func (t *TaskFeatures) column(j int) []float32 { return t.X[j*t.N : (j+1)*t.N] }

// index notes which features say nothing of a task: a role that no file of
// its pool has, most often. Fitting is about twice as fast for it.
func (t *TaskFeatures) index(features int) {
	t.speaks = make([]bool, features)
	for j := range t.speaks {
		for _, x := range t.column(j) {
			if x != 0 {
				t.speaks[j] = true
				break
			}
		}
	}
}

// mute says that feature j is known to say nothing.
func (t *TaskFeatures) mute(j int) bool { return t.speaks != nil && !t.speaks[j] }

// score adds the weighted features into dst, which must have length N.
func (t *TaskFeatures) score(dst, w []float64) {
	clear(dst)
	for j, wj := range w {
		if wj == 0 || t.mute(j) {
			continue
		}
		for i, x := range t.column(j) {
			dst[i] += wj * float64(x)
		}
	}
}

// ranks gives the ranks of the relevant files, rising, when the files have
// scores s + d·x (x nil: s alone). Promoted files come first; equal scores
// are in path order. dst is used for the answer if it is large enough.
func (t *TaskFeatures) ranks(dst []int, s []float64, d float64, x []float32) []int {
	dst = dst[:0]
	for _, r := range t.Relevant {
		own := s[r]
		if x != nil {
			own += d * float64(x[r])
		}
		better := 0
		switch {
		case t.Promoted != nil:
			for i := range s {
				v := s[i]
				if x != nil {
					v += d * float64(x[i])
				}
				if t.Promoted[i] != t.Promoted[r] {
					if t.Promoted[i] {
						better++
					}
				} else if v > own || v == own && i < r {
					better++
				}
			}
		case x == nil:
			for i, v := range s {
				if v > own || v == own && i < r {
					better++
				}
			}
		default:
			for i, xi := range x {
				v := s[i] + d*float64(xi)
				if v > own || v == own && i < r {
					better++
				}
			}
		}
		at := better + 1
		k := len(dst)
		dst = append(dst, at)
		for ; k > 0 && dst[k-1] > at; k-- {
			dst[k] = dst[k-1]
		}
		dst[k] = at
	}
	return dst
}
