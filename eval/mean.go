package eval

import "slices"

// Measures holds figures by name. Its JSON has the names in order.
type Measures map[string]float64

// Row is what one task gave.
type Row struct {
	Repo     string
	Measures Measures
}

// Micro averages tasks. A measure that not every task has (spans, say) is
// averaged over those that have it.
func Micro(rows []Row) Measures {
	sum, n := Measures{}, map[string]int{}
	for _, r := range rows {
		for name, v := range r.Measures {
			sum[name] += v // one term a task and name: the order of names is of no account
			n[name]++
		}
	}
	for name := range sum {
		sum[name] /= float64(n[name])
	}
	return sum
}

// Macro averages repositories: the mean of each repository's Micro.
func Macro(rows []Row) Measures {
	repos := byRepo(rows)
	means := make([]Row, len(repos))
	for i, r := range repos {
		means[i] = Row{r[0].Repo, Micro(r)}
	}
	return Micro(means)
}

// byRepo splits rows by repository, repositories by name and tasks in their
// order, so that sums come out the same whatever the order of sets.
func byRepo(rows []Row) [][]Row {
	at := map[string]int{}
	var repos [][]Row
	for _, r := range rows {
		i, ok := at[r.Repo]
		if !ok {
			i = len(repos)
			at[r.Repo] = i
			repos = append(repos, nil)
		}
		repos[i] = append(repos[i], r)
	}
	slices.SortFunc(repos, func(a, b []Row) int {
		if a[0].Repo < b[0].Repo {
			return -1
		}
		return 1 // never equal
	})
	return repos
}
