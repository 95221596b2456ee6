package eval

// All is 1 when all n relevant files stand in the first k places, else 0:
// Acc@k of the issue-localisation papers. A task with more than k relevant
// files cannot reach it.
func All(hits []int, n, k int) float64 {
	if inside(hits, k) == n {
		return 1
	}
	return 0
}
