package eval

import (
	"cmp"
	"path/filepath"
	"slices"
	"sync"

	"cohop/labels"
)

// job is one tree with the labels that are asked of it.
type job struct {
	tree   Tree
	name   string // for messages
	labels []int  // indexes into the set, rising
	err    error  // why no engine needs to be asked
}

// lane holds the jobs of one repository. Caches are kept by repository, so a
// worker stays in its lane while it can.
type lane struct {
	repo string
	jobs []*job // still to do
	size int    // labels in them
}

// schedule deals jobs to workers: first the repository it is in, then the
// largest that nobody is in, then it helps where most is left.
type schedule struct {
	mu    sync.Mutex
	lanes []*lane
	taken map[*lane]bool
}

// plan groups labels by tree and trees by repository, both in the order in
// which the set first names them. What is done is left out.
func plan(set []labels.Label, opts *Options, done []bool) (*schedule, []*job) {
	lanes := map[string]*lane{}
	jobs := map[Tree]*job{}
	var all []*job
	s := &schedule{taken: map[*lane]bool{}}
	at := labels.PlaceOf(set, opts.Repos, opts.Repo)
	for i := range set {
		if done[i] {
			continue
		}
		l := &set[i]
		dir, err := at.Dir(l)
		t := Tree{Repo: dir, Rev: l.Commit, Root: l.Root}
		if err != nil {
			t.Repo = "label:" + l.Repo // not a folder: keeps what cannot be opened together
		}
		j := jobs[t]
		if j == nil {
			j = &job{tree: t, name: treeName(repoName(l, opts), t), err: err}
			jobs[t] = j
			all = append(all, j)
			ln := lanes[t.Repo]
			if ln == nil {
				ln = &lane{repo: t.Repo}
				lanes[t.Repo] = ln
				s.lanes = append(s.lanes, ln)
			}
			ln.jobs = append(ln.jobs, j)
		}
		j.labels = append(j.labels, i)
		lanes[t.Repo].size++
	}
	slices.SortStableFunc(s.lanes, func(a, b *lane) int { return cmp.Compare(b.size, a.size) })
	return s, all
}

// next gives the next job and its lane; nil when nothing is left.
func (s *schedule) next(last *lane) (*lane, *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	pick := last
	if pick == nil || len(pick.jobs) == 0 {
		pick = nil
		for _, l := range s.lanes {
			if len(l.jobs) > 0 && !s.taken[l] {
				pick = l
				break
			}
		}
	}
	if pick == nil {
		for _, l := range s.lanes {
			if len(l.jobs) > 0 && (pick == nil || len(l.jobs) > len(pick.jobs)) {
				pick = l
			}
		}
	}
	if pick == nil {
		return nil, nil
	}
	s.taken[pick] = true
	j := pick.jobs[0]
	pick.jobs = pick.jobs[1:]
	return pick, j
}

// repoName is what macro figures group by.
func repoName(l *labels.Label, opts *Options) string {
	if l.Repo != "" {
		return l.Repo
	}
	if opts.Repo != "" {
		return filepath.Base(opts.Repo)
	}
	return "(none)"
}

func treeName(repo string, t Tree) string {
	name := repo
	if t.Rev != "" {
		name += " " + t.Rev[:min(10, len(t.Rev))]
	}
	if t.Root != "" {
		name += " " + t.Root + "/"
	}
	return name
}
