package facts

// What the tables of the later languages share.

// part returns the first named child of i that fills one of the fields or is
// of one of the types given, -1 if none.
func (w *walker) part(i int32, specs ...string) int32 {
	if i < 0 {
		return -1
	}
	for c := i + 1; c < w.nodes[i].next; c = w.nodes[c].next {
		f, t := w.field(c), w.typ(c)
		for _, s := range specs {
			if f == s || t == s {
				return c
			}
		}
	}
	return -1
}

// above says whether one of the types encloses i within a few levels.
func (w *walker) above(i int32, levels int, types ...string) bool {
	for n := 0; n < levels; n++ {
		if i = w.parent(i); i < 0 {
			return false
		}
		for _, t := range types {
			if w.typ(i) == t {
				return true
			}
		}
	}
	return false
}

// takeLocal takes node i as a name that the symbol at hand declares for itself.
func (w *walker) takeLocal(i int32) {
	if i < 0 {
		return
	}
	w.take(i)
	if s := w.scope(); s >= 0 || w.inFunc() {
		w.locals[[2]int32{s, w.id(w.bytes(i))}] = struct{}{}
	}
}

// lift makes a symbol found in a constructor's parameters a member of the
// type.
func (w *walker) lift(at int32) {
	if at < 0 {
		return
	}
	s := &w.f.Symbols[at]
	if p := s.Parent; p >= 0 && w.f.Symbols[p].Kind.Callable() {
		s.Parent = w.f.Symbols[p].Parent
		s.Exported = !w.priv[at] && (s.Parent < 0 || w.f.Symbols[s.Parent].Exported)
	}
}
