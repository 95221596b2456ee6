package resolve

import (
	"strings"

	"cohop/internal/facts"
)

// csSees says whether r of another file can mean d: it cannot if d is private
// to its class; nor can a member of a value be a type or a constant, which
// stand behind the name of what holds them, or a method that is not called.
// See language.sees.
func csSees(_ *worker, _ *scope, d *Def, r *facts.Ref) bool {
	member := r.Qualifier != "" && r.Qualifier != d.Parent
	switch {
	case isType(d.Kind):
		return !member || d.Within != facts.KindModule
	case member && (d.Kind == facts.KindConst || d.Kind == facts.KindMethod && r.Kind == facts.RefUse):
		return false
	}
	return d.Exported || d.Kind != facts.KindMethod && d.Kind != facts.KindField && d.Kind != facts.KindConst
}

// csChoose picks of files that declare one type those that are meant by it:
// of Name and Name<T> the one with as many arguments, then the main part of
// a class in parts, of a test those of the project that it tests. The file's name
// says which is which, as there may be a declaration of the name in each:
// Name.cs; Name.TArg.cs, Name`1.cs or Name{T}.cs; Name.Part.cs. Members follow
// their use, and those that several parts have are the main one's. See
// language.choose.
func csChoose(w *worker, sc *scope, u use, defs []Def) []Def {
	name, types := defs[0].Parent, true
	for i := range defs {
		types = types && isType(defs[i].Kind)
		if defs[i].Parent != name {
			name = ""
		}
	}
	switch {
	case types:
		name = u.defined
	case name == "":
		return defs
	}
	stemOf := func(d *Def) string {
		_, base := splitPath(w.s.path[d.File])
		return strings.TrimSuffix(base, ".cs")
	}
	if types {
		generic := func(d *Def) bool {
			rest, ok := strings.CutPrefix(stemOf(d), name)
			return ok && csArguments(rest)
		}
		if u.generic {
			defs = keep(defs, generic)
		} else {
			defs = keep(defs, func(d *Def) bool { return !generic(d) })
		}
	}
	defs = keep(defs, func(d *Def) bool { return stemOf(d) == name })
	defs = keep(defs, func(d *Def) bool { // Name.cs of Name.cs and Name.Part.cs
		for i := range defs {
			if s := stemOf(&defs[i]); s != stemOf(d) && !strings.HasPrefix(s, stemOf(d)+".") {
				return false
			}
		}
		return true
	})
	best := 0
	for i := range defs {
		best = max(best, w.s.tested(sc.f, defs[i].File))
	}
	return keep(defs, func(d *Def) bool { return w.s.tested(sc.f, d.File) == best })
}

// tested is the length of the longest name of a folder of g that one of f's
// goes on from behind a dot: A.B and A.B.Tests.
func (s *site) tested(f, g int32) int {
	best := 0
	for own := range strings.SplitSeq(s.dir[f], "/") {
		for name := range strings.SplitSeq(s.dir[g], "/") {
			if len(name) > best && len(own) > len(name) && strings.HasPrefix(own, name) && own[len(name)] == '.' {
				best = len(name)
			}
		}
	}
	return best
}

// csArguments says whether what follows a type's name in its file's name
// stands for type arguments.
func csArguments(rest string) bool {
	if rest == "" {
		return false
	}
	switch rest[0] {
	case '`', '{', '<', '(', '[':
		return true
	}
	if rest == "OfT" || rest == ".Generic" || rest == "Generic" {
		return true
	}
	if rest[0] != '.' && rest[0] != '_' && rest[0] != '-' {
		return false
	}
	rest = rest[1:]
	return rest == "T" || len(rest) > 1 && rest[0] == 'T' && rest[1] >= 'A' && rest[1] <= 'Z'
}

// csQualified finds a type that is written with its namespace or what it is
// nested in: global::A.B.Name, Alias::B.Name, or B.Name in what encloses
// namespace A.
func csQualified(w *worker, sc *scope, r *facts.Ref) []int32 {
	full := r.Qualifier
	alias, rest, global := strings.Cut(full, "::")
	switch {
	case global:
		full = rest
		for i := range sc.fa.Imports {
			if im := &sc.fa.Imports[i]; im.Alias == alias {
				full = strings.TrimSuffix(strings.TrimPrefix(im.Module, "global::")+"."+rest, ".")
			}
		}
		if full == "" {
			return nil
		}
	case !strings.Contains(full, "."):
		return nil
	}
	p := ""
	if !global {
		p = sc.fa.Package
	}
	for {
		name := full
		if p != "" {
			name = p + "." + full
		}
		if files := w.packageFiles(&csStyle, name); len(files) > 0 {
			fit := w.fit[:0]
			for _, d := range w.s.t.Definers(r.Name) {
				if topLevel(&d) && usable(d.Kind, r.Kind) && has(files, d.File) {
					fit = append(fit, d)
				}
			}
			w.fit = fit[:0]
			if out := w.chosen(sc, r, fit); len(out) > 0 {
				return w.prefer(sc.f, out)
			}
		}
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			if files := w.packageFiles(&csStyle, name[:i]); len(files) > 0 {
				if out := w.ownedIn(files, name[i+1:], r.Name); len(out) > 0 {
					return w.prefer(sc.f, out)
				}
			}
		}
		if p == "" {
			return nil
		}
		p = p[:max(0, strings.LastIndexByte(p, '.'))]
	}
}
