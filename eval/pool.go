package eval

// PoolRecall is the share of the relevant files that are in the pool, the
// files that were scored at all. It bounds every recall: what it misses, no
// weight can rank. relevant must not be empty.
func PoolRecall(pool, relevant []string) float64 {
	return float64(len(Hits(pool, relevant))) / float64(len(relevant))
}
