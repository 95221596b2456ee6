package history

// Merges counts the ancestors that have more than one parent in the log.
func (v *View) Merges() (n int) {
	v.eachBack(int32(len(v.When)), func(p *Part, _ int, i int32) {
		if len(p.read().parentsOf(i)) > 1 {
			n++
		}
	})
	return n
}
