package labels

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"cohop/internal/git"
)

// SplitByRepo deals whole repositories to two parts such that about share of
// the labels are in the first: the largest first, each to the part that lacks
// most. It depends on names and counts alone, and keeps the order of the set.
func SplitByRepo(set []Label, share float64) (first, second []Label, err error) {
	count := map[string]int{}
	for i := range set {
		count[set[i].Repo]++
	}
	if len(count) < 2 {
		return nil, nil, fmt.Errorf("split: the labels are of one repository: split them by time")
	}
	names := sortedKeys(count)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	want := [2]float64{share * float64(len(set)), (1 - share) * float64(len(set))}
	part := map[string]int{}
	for _, n := range names {
		side := 0
		if want[1] > want[0] {
			side = 1
		}
		part[n] = side
		want[side] -= float64(count[n])
	}
	for i := range set {
		if part[set[i].Repo] == 0 {
			first = append(first, set[i])
		} else {
			second = append(second, set[i])
		}
	}
	return first, second, nil
}

// SplitByTime puts the oldest trees of every repository, about share of its
// labels, into the first part, so that weights fitted there meet only what
// came later. Labels of one commit stay together. A label of the working tree
// is the latest of all.
func SplitByTime(ctx context.Context, set []Label, share float64, at Place) (first, second []Label, err error) {
	when, err := Times(ctx, set, at)
	if err != nil {
		return nil, nil, fmt.Errorf("split: %w", err)
	}
	byRepo := map[string][]int{}
	for i := range set {
		byRepo[set[i].Repo] = append(byRepo[set[i].Repo], i)
	}
	early := make([]bool, len(set))
	for _, list := range byRepo {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(when[a], when[b]) })
		n := int(math.Round(share * float64(len(list))))
		for n > 0 && n < len(list) && when[list[n-1]] == when[list[n]] {
			n-- // trees of one moment are not divided
		}
		for _, i := range list[:n] {
			early[i] = true
		}
	}
	for i := range set {
		if early[i] {
			first = append(first, set[i])
		} else {
			second = append(second, set[i])
		}
	}
	return first, second, nil
}

// Times gives the commit time of each label's tree in seconds; that of the
// working tree is the largest int64.
func Times(ctx context.Context, set []Label, at Place) ([]int64, error) {
	out := make([]int64, len(set))
	repos := map[string]*git.Repo{}
	defer func() {
		for _, r := range repos {
			r.Close()
		}
	}()
	known := map[[2]string]int64{}
	for i := range set {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l := &set[i]
		if l.Commit == "" {
			out[i] = math.MaxInt64
			continue
		}
		dir, err := at.Dir(l)
		if err != nil {
			return nil, fmt.Errorf("label %s: %w", l.ID, err)
		}
		key := [2]string{dir, l.Commit}
		if t, ok := known[key]; ok {
			out[i] = t
			continue
		}
		r := repos[dir]
		if r == nil {
			if r, err = git.Open(dir); err != nil {
				return nil, fmt.Errorf("label %s: %w", l.ID, err)
			}
			repos[dir] = r
		}
		id, err := r.Resolve(l.Commit)
		if err != nil {
			return nil, fmt.Errorf("label %s: %w", l.ID, err)
		}
		list, err := r.Commits(ctx, id, nil, 1)
		if err != nil || len(list) == 0 {
			return nil, fmt.Errorf("label %s: commit %s cannot be read: %w", l.ID, l.Commit, err)
		}
		out[i] = list[len(list)-1].Time
		known[key] = out[i]
	}
	return out, nil
}
