package git

// Relax gives the pages of mapped packs back to the system, which keeps what it
// likes in its cache. A walk over a whole history or tree touches most of a
// pack once; without, all of that counts as this process's memory. It may be
// called at any time, and costs what is read again.
func (r *Repo) Relax() {
	for _, p := range r.store.list() {
		p.keep.relax()
		if m := p.mapped.Load(); m != nil {
			m.relax()
		}
	}
}
