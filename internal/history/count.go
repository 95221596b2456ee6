package history

// Merges counts the ancestors that have more than one parent in the log.
func (v *View) Merges() (n int) {
	v.eachBack(int32(len(v.When)), func(p *Part, _ int, i int32) {
		if from, to := p.span(secParentEnds, i); to-from > 1 {
			n++
		}
	})
	return n
}
