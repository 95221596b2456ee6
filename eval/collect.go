package eval

import (
	"context"
	"fmt"
	"slices"

	"cohop/labels"
)

// LabelSet is a set of labels with what weights are to achieve on it.
type LabelSet struct {
	Set
	Labels []labels.Label
}

// Collect asks eng every label and keeps the features of its answers, which
// must be Featured. It gives the matrix and, by set, the report of the same
// run: what eng makes of the labels with the weights it has. Labels that
// fail are in their report and not in the matrix, and those of which no
// answer is in the pool are in it, since they count in the target.
func Collect(ctx context.Context, eng Engine, sets []LabelSet, opts Options) (*Matrix, []*Report, error) {
	m := &Matrix{}
	var reports []*Report
	for k, set := range sets {
		names := make([][]string, len(set.Labels))
		tasks := make([]*TaskFeatures, len(set.Labels))
		o := opts
		o.Variants = nil
		o.Keep = func(i int, a Answer) error {
			f, ok := a.(Featured)
			if !ok {
				return fmt.Errorf("the engine's answers have no features")
			}
			var err error
			tasks[i], names[i], err = taskFeatures(f, &set.Labels[i], repoName(&set.Labels[i], &o), k)
			return err
		}
		got, err := Run(ctx, eng, set.Labels, o)
		if err != nil {
			return nil, nil, fmt.Errorf("collect %s: %w", set.Name, err)
		}
		reports = append(reports, got[0])
		m.Sets = append(m.Sets, set.Set)
		for i, t := range tasks {
			if t == nil {
				continue
			}
			if m.Names == nil {
				m.Names = names[i]
			} else if !slices.Equal(m.Names, names[i]) {
				return nil, nil, fmt.Errorf("collect %s: task %q has features %q, others have %q", set.Name, t.ID, names[i], m.Names)
			}
			m.Tasks = append(m.Tasks, *t)
		}
	}
	if err := m.check(); err != nil {
		return m, reports, fmt.Errorf("collect: %w", err)
	}
	return m, reports, nil
}

func taskFeatures(a Featured, l *labels.Label, repo string, set int) (*TaskFeatures, []string, error) {
	pool := a.Pool()
	names, x, promoted := a.Features()
	t := &TaskFeatures{ID: l.ID, Repo: repo, Set: set, N: len(pool), X: x, Promoted: promoted, Answers: len(l.Files)}
	want := make(map[string]bool, len(l.Files))
	for _, f := range l.Files {
		want[f] = true
	}
	for i, p := range pool {
		if want[p] {
			t.Relevant = append(t.Relevant, i)
		}
	}
	if !slices.Contains(promoted, true) {
		t.Promoted = nil
	}
	if err := t.check(len(names), set+1); err != nil {
		return nil, nil, fmt.Errorf("features: %w", err)
	}
	return t, names, nil
}
