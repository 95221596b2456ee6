package adaptive

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

const (
	// memoryCap bounds a session's memory. A pool has a few hundred files
	// of a few chunks; what is beyond the best few thousand sits at the floor.
	memoryCap = 4096

	// memoryLeast is how far above the floor a score must be to be kept, in
	// standard deviations: below it a chunk's weight differs from the
	// floor's by less than a hundredth.
	memoryLeast = 0.01
)

// Entry is one remembered chunk.
type Entry struct {
	Key string  // names the chunk across edits: its path and symbol
	Z   float64 // smoothed score
}

// Memory is the smoothed scores m of one stream of questions (a session, a
// repository, a filter), sparse: all chunks without an entry are at Floor. The
// zero value remembers nothing. It is a value: Blend does not change it.
//
// After each task, m_t = λ m_{t−1} + (1 − λ) s̃_t with λ = max(0, corr(s̃_t,
// m_{t−1})) over all chunks. A follow-up that resembles the session is pulled
// toward its focus; a change of topic has no correlation, so the memory is
// gone without a rule for resetting it (tobler, session smoothing).
type Memory struct {
	Floor   float64
	Entries []Entry // ascending by key
}

// Blend takes the scores s of a pool whose chunks have the given keys into the
// memory. It returns the smoothed scores of the pool, the memory that holds
// them, and λ in [0,1], how much of them is memory.
//
// Chunks that the memory holds and the pool does not count as part of the
// tail, at the tail's score for this task; a caller that wants them ranked
// adds them to the pool first (see Top). Chunks of one key share one memory,
// that of the best of them.
func (m Memory) Blend(keys []string, s Scores) (out Scores, next Memory, lambda float64) {
	lambda = m.Correlation(keys, s)
	out, next = m.Mix(keys, s, lambda)
	return out, next, lambda
}

// Mix is Blend at a λ that the caller has from elsewhere.
func (m Memory) Mix(keys []string, s Scores, lambda float64) (out Scores, next Memory) {
	old, inPool := m.recall(keys, s)
	lambda = min(max(lambda, 0), 1)
	mix := func(was, is float64) float64 { return float64(lambda*was) + float64((1-lambda)*is) }
	out = Scores{Z: make([]float64, len(s.Z)), Tail: s.Tail, Floor: mix(m.Floor, s.Floor)}
	for i, z := range s.Z {
		out.Z[i] = mix(old[i], z)
	}

	next.Floor = out.Floor
	for i, k := range keys {
		next.Entries = append(next.Entries, Entry{k, out.Z[i]})
	}
	for j, e := range m.Entries {
		if !inPool[j] {
			next.Entries = append(next.Entries, Entry{e.Key, mix(e.Z, s.Floor)})
		}
	}
	next.trim()
	return out, next
}

// recall gives what the memory holds of the chunks of a pool, its floor where
// it holds nothing, and which of its entries are in the pool.
func (m Memory) recall(keys []string, s Scores) (old []float64, inPool []bool) {
	if len(keys) != len(s.Z) {
		panic("adaptive: as many keys as scores are needed")
	}
	at := make(map[string]int, len(m.Entries)) // looked up, never ranged over
	for i, e := range m.Entries {
		at[e.Key] = i
	}
	old = make([]float64, len(keys)) // m_{t−1} of the pool
	inPool = make([]bool, len(m.Entries))
	for i, k := range keys {
		old[i] = m.Floor
		if j, ok := at[k]; ok {
			old[i], inPool[j] = m.Entries[j].Z, true
		}
	}
	return old, inPool
}

// Correlation returns max(0, Pearson's r) of the scores and the memory over
// all chunks.
func (m Memory) Correlation(keys []string, s Scores) float64 {
	old, inPool := m.recall(keys, s)
	return m.correlate(s, old, inPool)
}

// Agreement returns max(0, Pearson's r) over the heads alone: the k best
// chunks of the scores and the k best of the memory. Over all chunks what does
// not depend on the task (the pool against the tail, roles, central files)
// correlates by itself; two heads that share little do not.
func (m Memory) Agreement(keys []string, s Scores, k int) float64 {
	old, inPool := m.recall(keys, s)
	type point struct{ z, was float64 }
	points := make([]point, 0, len(keys)+len(m.Entries))
	for i, z := range s.Z {
		points = append(points, point{z, old[i]})
	}
	for j, e := range m.Entries {
		if !inPool[j] {
			points = append(points, point{s.Floor, e.Z})
		}
	}
	in := make([]bool, len(points))
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	head := func(f func(point) float64, floor float64) {
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(f(points[b]), f(points[a])), cmp.Compare(a, b)) })
		for _, i := range order[:min(k, len(order))] {
			in[i] = in[i] || f(points[i]) > floor
		}
	}
	head(func(p point) float64 { return p.z }, s.Floor)
	head(func(p point) float64 { return p.was }, m.Floor)
	var n, mz, mw float64
	for i, p := range points {
		if in[i] {
			n++
			mz += p.z
			mw += p.was
		}
	}
	if n < 2 {
		return 0
	}
	mz, mw = mz/n, mw/n
	var zz, ww, zw float64
	for i, p := range points {
		if in[i] {
			dz, dw := p.z-mz, p.was-mw
			zz += float64(dz * dz)
			ww += float64(dw * dw)
			zw += float64(dz * dw)
		}
	}
	r := zw / math.Sqrt(zz*ww)
	if !(r > 0) || zz <= flat || ww <= flat {
		return 0
	}
	return min(r, 1)
}

// correlate returns max(0, Pearson's r) of s and m over all chunks: those of
// the pool, those only remembered, and the rest, which is at both floors.
func (m Memory) correlate(s Scores, old []float64, inPool []bool) float64 {
	only := 0
	for _, in := range inPool {
		if !in {
			only++
		}
	}
	rest := max(0, s.Tail-only) // remembered chunks that are gone may exceed the tail
	n := float64(len(s.Z) + only + rest)
	if n == 0 {
		return 0
	}
	each := func(f func(times, z, was float64)) {
		for i, z := range s.Z {
			f(1, z, old[i])
		}
		for j, e := range m.Entries {
			if !inPool[j] {
				f(1, s.Floor, e.Z)
			}
		}
		f(float64(rest), s.Floor, m.Floor)
	}
	var sz, sm float64
	each(func(times, z, was float64) { sz += float64(times * z); sm += float64(times * was) })
	mz, mm := sz/n, sm/n
	var zz, ww, zw float64
	each(func(times, z, was float64) {
		dz, dw := z-mz, was-mm
		zz += times * float64(dz*dz)
		ww += times * float64(dw*dw)
		zw += times * float64(dz*dw)
	})
	r := zw / math.Sqrt(zz*ww)
	if !(r > 0) || zz <= flat || ww <= flat { // also NaN: nothing to correlate with
		return 0
	}
	return min(r, 1)
}

// trim sorts the entries, joins those of one key at the best score, and drops
// what is as good as at the floor or beyond the cap.
func (m *Memory) trim() {
	e := m.Entries
	slices.SortFunc(e, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Key, b.Key), cmp.Compare(b.Z, a.Z))
	})
	e = slices.CompactFunc(e, func(a, b Entry) bool { return a.Key == b.Key })
	e = slices.DeleteFunc(e, func(a Entry) bool { return !(a.Z-m.Floor >= memoryLeast) })
	if len(e) > memoryCap {
		slices.SortFunc(e, byScore)
		e = e[:memoryCap]
		slices.SortFunc(e, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
	}
	m.Entries = slices.Clip(e)
}

func byScore(a, b Entry) int {
	return cmp.Or(cmp.Compare(b.Z, a.Z), strings.Compare(a.Key, b.Key))
}

// Top returns the keys of the n best remembered chunks, best first: what a
// caller adds to the pool of a follow-up that names nothing itself.
func (m Memory) Top(n int) []string {
	e := slices.Clone(m.Entries)
	slices.SortFunc(e, byScore)
	keys := make([]string, 0, min(max(n, 0), len(e)))
	for _, x := range e[:cap(keys)] {
		keys = append(keys, x.Key)
	}
	return keys
}
