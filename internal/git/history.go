package git

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// batch is how many commits a worker compares at a time. Neighbours in time
// share most of their trees, so a worker keeps to a stretch of them.
const batch = 128

// maxPending is how many batches may wait before the walk itself waits.
const maxPending = 4096

// relaxEvery is after how many batches the pages that the walk has touched are
// given back: about once for every 8,000 commits.
const relaxEvery = 64

// maxCommits bounds a history: the largest public ones have 1.5 million.
const maxCommits = 16 << 20

// walked is a commit on the walk.
type walked struct {
	Commit
	tree   OID
	parent OID // tree of the first parent; zero: none
	known  bool
	lost   bool // could not be read
}

// newest orders the walk: the latest commit first, then by id.
type newest []*walked

func (q newest) Len() int { return len(q) }
func (q newest) Less(i, j int) bool {
	return q[i].Time > q[j].Time || q[i].Time == q[j].Time && q[i].ID.compare(q[j].ID) < 0
}
func (q newest) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *newest) Push(x any)   { *q = append(*q, x.(*walked)) }
func (q *newest) Pop() any {
	last := len(*q) - 1
	c := (*q)[last]
	*q = (*q)[:last]
	return c
}

// Commits gives the ancestors of from, itself included, for which known (nil:
// none) is false, without going beyond known ones; at most limit of them, the
// newest by commit time, when limit > 0. Parents come before their children,
// and what is not ordered so goes by time, then id. Each commit that is no
// merge carries its changes against its first parent. Shallow boundaries and
// replace refs are honoured. What is missing of the history ends it there, with
// a warning of the Repo; only from itself must be there. known is called from
// this goroutine.
func (r *Repo) Commits(ctx context.Context, from OID, known func(OID) bool, limit int) ([]Commit, error) {
	return r.CommitsAnew(ctx, from, known, limit, nil)
}

// CommitsAnew is Commits for a walk that was begun before: compared (nil:
// nothing) fills in Changes and Huge of a commit that was compared then and is
// true, or is false. It is called by several goroutines at once.
func (r *Repo) CommitsAnew(ctx context.Context, from OID, known func(OID) bool, limit int, compared func(*Commit) bool) ([]Commit, error) {
	h := historyWalk{r: r, rd: r.NewReader(), seen: map[OID]*walked{}, isKnown: known}
	defer h.rd.Close()
	first, err := h.visit(from)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	// One goroutine walks and then helps the other, which compares.
	jobs := make(chan []*walked, maxPending)
	var wg sync.WaitGroup
	var missing [2]int
	var done atomic.Int32
	work := func(worker int) {
		d := differ{rd: r.NewReader()}
		defer d.rd.Close()
		for list := range jobs {
			if ctx.Err() != nil {
				continue
			}
			for _, c := range list {
				if compared == nil || !compared(&c.Commit) {
					missing[worker] += d.compareCommit(c)
				}
			}
			if done.Add(1)%relaxEvery == 0 {
				r.Relax()
			}
		}
	}
	wg.Go(func() { work(0) })
	list := h.walk(ctx, first, limit, jobs)
	close(jobs)
	work(1)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	if n := missing[0] + missing[1]; n > 0 {
		r.warn(fmt.Sprintf("changes of %s cannot be read: their trees are missing or corrupt", commits(n)))
	}
	if h.lost > 0 {
		r.warn(fmt.Sprintf("history is incomplete: missing or corrupt: %s", commits(h.lost)))
	}
	return parentsFirst(list), nil
}

// historyWalk is the walk over commits.
type historyWalk struct {
	r       *Repo
	rd      *Reader
	seen    map[OID]*walked
	isKnown func(OID) bool
	queue   newest
	lost    int
}

// visit reads a commit once.
func (h *historyWalk) visit(id OID) (*walked, error) {
	if c := h.seen[id]; c != nil {
		return c, nil
	}
	c := &walked{Commit: Commit{ID: id}}
	h.seen[id] = c
	c.known = h.isKnown != nil && h.isKnown(id)
	head, cut, err := h.rd.commit(id)
	if err != nil {
		c.lost = true
		return c, err
	}
	c.tree, c.Time, c.Parents, c.Boundary = head.tree, head.time, head.parents, cut
	c.Merge = len(head.parents) > 1
	if !c.known {
		c.Message = cutMessage(head.message)
		heap.Push(&h.queue, c)
	}
	return c, nil
}

// walk pops commits newest first and hands them on in batches.
func (h *historyWalk) walk(ctx context.Context, first *walked, limit int, jobs chan<- []*walked) []*walked {
	if limit <= 0 || limit > maxCommits {
		limit = maxCommits
	}
	var list []*walked
	sent := 0
	for len(h.queue) > 0 && len(list) < limit {
		if len(list)%batch == 0 && ctx.Err() != nil {
			return nil
		}
		c := heap.Pop(&h.queue).(*walked)
		for i, id := range c.Parents {
			p, err := h.visit(id)
			if err != nil {
				h.lost++
			}
			if i == 0 {
				c.parent, c.Boundary = p.tree, c.Boundary || p.lost
			}
		}
		list = append(list, c)
		if len(list)-sent == batch {
			jobs <- list[sent:len(list):len(list)]
			sent = len(list)
		}
	}
	if sent < len(list) {
		jobs <- list[sent:len(list):len(list)]
	}
	return list
}

// compareCommit fills in the changes of a commit, and returns 1 if a tree
// cannot be read.
func (d *differ) compareCommit(c *walked) int {
	if c.Merge || c.Boundary || c.parent == c.tree {
		return 0
	}
	var err error
	if c.Changes, c.Huge, err = d.changes(c.parent, c.tree); err != nil {
		c.Changes, c.Boundary = nil, true
		return 1
	}
	return 0
}

// oldest orders commits that are ready to be given out.
type oldest struct{ newest }

func (q oldest) Less(i, j int) bool {
	a, b := q.newest[i], q.newest[j]
	return cmp.Or(cmp.Compare(a.Time, b.Time), a.ID.compare(b.ID)) < 0
}

// parentsFirst orders a walk so that parents come before children: of those
// whose parents are all out, always the oldest. Replace refs can close a
// circle, which no order suits: what is left then comes last, as walked.
func parentsFirst(list []*walked) []Commit {
	waits := make(map[OID]int, len(list)) // for how many parents
	children := make(map[OID][]*walked, len(list))
	for _, c := range list {
		waits[c.ID] = 0
	}
	for _, c := range list {
		for _, p := range c.Parents {
			if _, here := waits[p]; here {
				waits[c.ID]++
				children[p] = append(children[p], c)
			}
		}
	}
	ready := &oldest{}
	for _, c := range list {
		if waits[c.ID] == 0 {
			heap.Push(ready, c)
		}
	}
	out := make([]Commit, 0, len(list))
	for ready.Len() > 0 {
		c := heap.Pop(ready).(*walked)
		out = append(out, c.Commit)
		waits[c.ID] = -1
		for _, child := range children[c.ID] {
			if waits[child.ID]--; waits[child.ID] == 0 {
				heap.Push(ready, child)
			}
		}
	}
	for _, c := range list {
		if waits[c.ID] > 0 {
			out = append(out, c.Commit)
		}
	}
	return out
}

func commits(n int) string {
	if n == 1 {
		return "1 commit"
	}
	return fmt.Sprintf("%d commits", n)
}
