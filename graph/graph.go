// Package graph measures nearness over weighted, directed edges between dense
// ids: hop distances, spread of weight from seeds, in-degree.
//
// A [Graph] keeps the edges twice in compressed rows, by source and by target,
// so that both directions are walked in order. An edge's weight in (0,1] is
// how sure its resolver was; kinds of edge are merged by the caller.
//
// Limits: nearness is undirected (a caller and what it calls are equally
// near). Hops do not see weights: an edge is there or it is not; a caller
// leaves out those it does not trust.
package graph

import (
	"fmt"
	"iter"
	"math"
	"slices"
)

const (
	// MaxHops is how far the hop column looks: beyond three hops nearly
	// every file of a repository is near.
	MaxHops = 3

	// Steps and Damping are the usual ones of Spread: weight that has gone
	// three edges far is an eighth of what the seeds had.
	Steps, Damping = 3, 0.5
)

// Edge leads from one node to another.
type Edge struct {
	From, To int32
	W        float32
}

// Graph is immutable and safe for concurrent use.
type Graph struct {
	out, in rows
	degree  []float64 // sum of the weights of a node's edges, both directions
}

// rows are the edges of each node: row v is at[v] to at[v+1] of to and w.
type rows struct {
	at []uint32
	to []int32
	w  []float32
}

// New builds the graph of n nodes. Edges may come in any order, sorted by source
// and target the fastest; parallel ones add up, loops and weights of 0 are
// dropped. The array of edges is New's to overwrite: the caller must not use it
// afterwards. It panics on a node outside the graph and on a weight that is
// negative or not finite.
func New(n int, edges []Edge) *Graph {
	keep := edges[:0]
	sorted := true
	for _, e := range edges {
		if e.From < 0 || int(e.From) >= n || e.To < 0 || int(e.To) >= n {
			panic(fmt.Sprintf("graph: edge %d → %d of %d nodes", e.From, e.To, n))
		}
		if !(e.W >= 0) || math.IsInf(float64(e.W), 0) {
			panic(fmt.Sprintf("graph: edge %d → %d weighs %v", e.From, e.To, e.W))
		}
		if e.From == e.To || e.W == 0 {
			continue
		}
		if k := len(keep); k > 0 {
			last := &keep[k-1]
			sorted = sorted && (last.From < e.From || last.From == e.From && last.To <= e.To)
		}
		keep = append(keep, e)
	}
	if !sorted { // those of an index are
		// Counting sorts, by target and then stably by source.
		keep = sortBy(n, keep, func(e *Edge) int32 { return e.To })
		keep = sortBy(n, keep, func(e *Edge) int32 { return e.From })
	}
	k := 0
	for from := 0; from < len(keep); {
		to := from + 1
		for to < len(keep) && keep[to].From == keep[from].From && keep[to].To == keep[from].To {
			to++
		}
		keep[k] = keep[from]
		if to-from > 1 { // ascending weights: the sum must not depend on the order given
			w := make([]float32, 0, to-from)
			for _, e := range keep[from:to] {
				w = append(w, e.W)
			}
			slices.Sort(w)
			var sum float64
			for _, x := range w {
				sum += float64(x)
			}
			keep[k].W = float32(sum)
		}
		k++
		from = to
	}
	keep = keep[:k]

	g := &Graph{degree: make([]float64, n), out: newRows(n, len(keep)), in: newRows(n, len(keep))}
	for i := range keep {
		e := &keep[i]
		g.degree[e.From] += float64(e.W)
		g.degree[e.To] += float64(e.W)
		g.out.at[e.From+1]++
		g.in.at[e.To+1]++
		g.out.to[i], g.out.w[i] = e.To, e.W
	}
	for v := range n {
		g.out.at[v+1] += g.out.at[v]
		g.in.at[v+1] += g.in.at[v]
	}
	next := slices.Clone(g.in.at[:n])
	for i := range keep {
		e := &keep[i]
		k := next[e.To]
		next[e.To]++
		g.in.to[k], g.in.w[k] = e.From, e.W
	}
	return g
}

// sortBy sorts stably by key, each in [0,n).
func sortBy(n int, edges []Edge, key func(*Edge) int32) []Edge {
	at := make([]uint32, n+1)
	for i := range edges {
		at[key(&edges[i])+1]++
	}
	for v := range n {
		at[v+1] += at[v]
	}
	out := make([]Edge, len(edges))
	for i := range edges {
		k := key(&edges[i])
		out[at[k]] = edges[i]
		at[k]++
	}
	return out
}

func newRows(nodes, edges int) rows {
	return rows{make([]uint32, nodes+1), make([]int32, edges), make([]float32, edges)}
}

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.degree) }

// Edges returns the number of edges after merging.
func (g *Graph) Edges() int { return len(g.out.to) }

// Out yields the nodes that v leads to, ascending, with the weights.
func (g *Graph) Out(v int32) iter.Seq2[int32, float32] { return g.out.row(v) }

// In yields the nodes that lead to v, ascending, with the weights.
func (g *Graph) In(v int32) iter.Seq2[int32, float32] { return g.in.row(v) }

func (r *rows) row(v int32) iter.Seq2[int32, float32] {
	return func(yield func(int32, float32) bool) {
		for i := r.at[v]; i < r.at[v+1]; i++ {
			if !yield(r.to[i], r.w[i]) {
				return
			}
		}
	}
}

// Weight returns the weight of the edge from one node to another, 0 for none.
func (g *Graph) Weight(from, to int32) float32 {
	a := g.out.at[from]
	i, ok := slices.BinarySearch(g.out.to[a:g.out.at[from+1]], to)
	if !ok {
		return 0
	}
	return g.out.w[a+uint32(i)]
}

// InDegree returns, per node, the weights of the edges that lead to it, added:
// how much of the graph depends on it.
func (g *Graph) InDegree() []float64 {
	d := make([]float64, g.Len())
	for v := range d {
		for i := g.in.at[v]; i < g.in.at[v+1]; i++ {
			d[v] += float64(g.in.w[i])
		}
	}
	return d
}

// Hops returns, per node, the edges to the nearest seed whatever their
// direction: 0 for a seed, −1 if there is none within max (at most 127).
func (g *Graph) Hops(seeds []int32, max int) []int8 {
	hops, _ := g.Nearest(seeds, max)
	return hops
}

// Nearest is Hops, and tells by which neighbour each node was reached: itself
// for a seed, −1 if it was not. Following it leads to a nearest seed. Of
// several the neighbour is one that was reached first: earlier seeds win, then
// smaller ids, edges outward before those inward.
func (g *Graph) Nearest(seeds []int32, max int) (hops []int8, via []int32) {
	hops, via = make([]int8, g.Len()), make([]int32, g.Len())
	for v := range hops {
		hops[v], via[v] = -1, -1
	}
	var queue []int32
	for _, s := range seeds {
		if hops[s] < 0 {
			hops[s], via[s] = 0, s
			queue = append(queue, s)
		}
	}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		h := hops[v] + 1
		if int(h) > max || h <= 0 { // beyond, or beyond 127
			break
		}
		for _, r := range [2]*rows{&g.out, &g.in} {
			for _, to := range r.to[r.at[v]:r.at[v+1]] {
				if hops[to] < 0 {
					hops[to], via[to] = h, v
					queue = append(queue, to)
				}
			}
		}
	}
	return hops, via
}

// Seed is where weight comes from.
type Seed struct {
	Node   int32
	Weight float64
}

// Spread lets the seeds' weight flow over the edges, in both directions, and
// returns what each node has seen of it:
//
//	x₀ = seeds,  x_{t+1}(v) = damping · Σ_u x_t(u) · w(u,v) / √(degree(u)·degree(v))
//	spread = Σ_{t=0}^{steps} x_t
//
// A truncated random walk with restart under the symmetric normalisation (Zhou
// et al., NIPS 2003): an edge between two hubs carries little, one between two
// files that have few others carries much. Unlike hops it tells a file that
// three seeds lead to from one that a single edge happens to touch.
func (g *Graph) Spread(seeds []Seed, steps int, damping float64) []float64 {
	n := g.Len()
	total, now, next := make([]float64, n), make([]float64, n), make([]float64, n)
	root := make([]float64, n) // 1/√degree
	for v, d := range g.degree {
		if d > 0 {
			root[v] = 1 / math.Sqrt(d)
		}
	}
	for _, s := range seeds {
		now[s.Node] += s.Weight
		total[s.Node] += s.Weight
	}
	for range steps {
		clear(next)
		for v, x := range now {
			if x == 0 {
				continue
			}
			x *= damping * root[v]
			for _, r := range [2]*rows{&g.out, &g.in} {
				for i := r.at[v]; i < r.at[v+1]; i++ {
					next[r.to[i]] += float64(x * float64(r.w[i]))
				}
			}
		}
		for v := range next {
			next[v] *= root[v]
			total[v] += next[v]
		}
		now, next = next, now
	}
	return total
}
