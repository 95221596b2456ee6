package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestBootstrapIsSeededAndCoversTheMean(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var v []float64
	var repos []string
	for i := range 400 {
		v = append(v, rng.Float64())
		repos = append(repos, fmt.Sprint(i%8))
	}
	a, b := Bootstrap(v, repos, Tasks, 5), Bootstrap(v, repos, Tasks, 5)
	if a != b {
		t.Errorf("same seed, %v and %v", a, b)
	}
	if c := Bootstrap(v, repos, Tasks, 6); c == a {
		t.Errorf("another seed drew the same: %v", c)
	}
	// The mean of n uniform numbers has deviation √(1/12/n); 95 % is ±1.96 of it.
	want := 2 * 1.96 * math.Sqrt(1./12/400)
	if got := a.Hi - a.Lo; math.Abs(got-want) > 0.15*want {
		t.Errorf("width %v, theory says %v", got, want)
	}
	if !(a.Lo < a.Mean && a.Mean < a.Hi) {
		t.Errorf("mean outside its interval: %v", a)
	}
}

func TestBootstrapOfReposAveragesRepos(t *testing.T) {
	// One large repository at 1, one small at 0: macro 1/2, micro 9/10, and
	// two repositories can be drawn as 0, 1/2 or 1.
	v := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 0}
	repos := []string{"l", "l", "l", "l", "l", "l", "l", "l", "l", "s"}
	if got := Bootstrap(v, repos, Repos, 1); got != (Interval{0.5, 0, 1}) {
		t.Errorf("repos: %v, want 0.5 in [0, 1]", got)
	}
	if got := Bootstrap(v, repos, Tasks, 1); !near(got.Mean, 0.9) {
		t.Errorf("tasks: %v, want mean 0.9", got)
	}
}

func TestPairedBootstrapCancelsHardTasks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var a, b []float64
	var repos []string
	for i := range 200 {
		hard := rng.Float64()
		a, b = append(a, hard+0.01+0.002*rng.Float64()), append(b, hard)
		repos = append(repos, fmt.Sprint(i%10))
	}
	if got := PairedBootstrap(a, b, repos, Tasks, 1); !got.Significant() || got.Lo < 0.0105 || got.Hi > 0.0115 {
		t.Errorf("difference %v, want about 0.011", got)
	}
	if got := PairedBootstrap(a, a, repos, Repos, 1); got != (Interval{}) || got.Significant() {
		t.Errorf("nothing against itself: %v", got)
	}
}

func TestFolds(t *testing.T) {
	var repos []string
	var sets []int
	add := func(repo string, set, n int) {
		for range n {
			repos, sets = append(repos, repo), append(sets, set)
		}
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range 30 {
		add(fmt.Sprint("a", i), 0, 20)
	}
	for i := range 10 {
		add(fmt.Sprint("b", i), 1, 3+2*i)
		add(fmt.Sprint("a", i), 2, 27)
	}
	const k = 5
	got := Folds(repos, sets, k)
	count := [3][k]int{}
	part := map[string]int{}
	for i, p := range got {
		count[sets[i]][p]++
		if was, ok := part[repos[i]]; ok && was != p {
			t.Fatalf("%s is in parts %d and %d", repos[i], was, p)
		}
		part[repos[i]] = p
	}
	for set, c := range count {
		total := 0
		for _, n := range c {
			total += n
		}
		for p, n := range c {
			if f := float64(n) / (float64(total) / k); f < 0.7 || f > 1.3 {
				t.Errorf("set %d, part %d holds %d of %d: not balanced (%v)", set, p, n, total, c)
			}
		}
	}
	// The order of tasks must not matter.
	perm := rng.Perm(len(repos))
	r2, s2 := make([]string, len(repos)), make([]int, len(repos))
	for i, p := range perm {
		r2[i], s2[i] = repos[p], sets[p]
	}
	for i, p := range Folds(r2, s2, k) {
		if p != part[r2[i]] {
			t.Fatalf("%s moved from part %d to %d with the order of tasks", r2[i], part[r2[i]], p)
		}
	}
	if one := Folds([]string{"x", "x"}, []int{0, 0}, k); one[0] != one[1] {
		t.Errorf("one repository in two parts: %v", one)
	}
}
