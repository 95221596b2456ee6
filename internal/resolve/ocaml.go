package resolve

import (
	"slices"
	"strings"

	"cohop/internal/facts"
)

// ocamlModule: module Foo stands in foo.ml. Of A.B.C the last part that has a
// file beside that of A is meant, since the file named like a library only
// passes on what stands beside it; the others are modules inside. A module of
// one letter is a parameter, unless its file is at hand. Failing all that, the
// one file that defines a module of the name inside.
//
// What the file itself defines above is meant before any file, and followed if
// it is another name of a module. That an open library hides a module beside
// the file is not seen.
func ocamlModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	return w.ocamlModule(f, im, 0)
}

func (w *worker) ocamlModule(f int32, im *facts.Import, depth int) ([]int32, bool) {
	name := im.Module
	if alias, own := w.ocamlOwn(f, im); own {
		if alias == "" {
			return nil, false
		}
		_, rest, _ := strings.Cut(name, ".")
		name = strings.TrimSuffix(alias+"."+rest, ".")
	}
	parts := strings.Split(name, ".")
	head := w.ocamlFile(f, parts[0])
	if len(parts[0]) == 1 && len(head) > 0 && w.s.dir[head[0]] != w.s.dir[f] {
		head = nil
	}
	if parts[0] == "Stdlib" && len(head) == 0 {
		return nil, false
	}
	if len(head) == 0 { // a library's name may be its folder's alone
		for d := range parts[1:] {
			for _, g := range w.tail(f, strings.ToLower(parts[0])+"/"+strings.ToLower(parts[d+1])+".ml") {
				return []int32{g}, true
			}
		}
	}
	if len(parts) > 1 && len(head) == 1 && head[0] != f && depth < maxHops {
		if a := w.ocamlAlias(head[0], parts[1]); a != nil {
			on := *a
			on.Module, on.Alias = strings.Join(append([]string{a.Module}, parts[2:]...), "."), ""
			if out, in := w.ocamlModule(head[0], &on, depth+1); len(out) > 0 {
				return out, in
			}
		}
	}
	if len(parts) > 1 && len(head) > 0 && w.ocamlInside(head[0], parts[1], parts[len(parts)-1]) {
		return head, true
	}
	for i := len(parts) - 1; i > 0 && len(head) > 0; i-- {
		if parts[i] == "" {
			continue
		}
		beside := at(w.s.dir[head[0]], strings.ToLower(parts[i][:1])+parts[i][1:]+".ml")
		if out := w.s.find(beside); out != nil {
			return out, true
		}
	}
	if len(head) > 0 {
		return head, true
	}
	var out []int32
	for _, d := range w.s.t.Definers(parts[0]) {
		switch {
		case d.Kind != facts.KindModule || w.s.lang[d.File] != "ocaml":
		case d.File == f:
			return nil, false // its own
		case !slices.Contains(out, d.File):
			out = append(out, d.File)
		}
	}
	if out = w.s.near(f, out); len(out) == 1 && len(parts[0]) > 1 {
		return out, true
	}
	return nil, false
}

// ocamlFile finds the files of a module; a source sees no tests.
func (w *worker) ocamlFile(f int32, module string) []int32 {
	if module == "" {
		return nil
	}
	out := w.s.suffix(strings.ToLower(module[:1]) + module[1:] + ".ml")
	if !w.s.test(f) {
		k := 0
		for _, g := range out {
			if !w.s.test(g) {
				out[k] = g
				k++
			}
		}
		out = out[:k]
	}
	if out = w.s.near(f, out); len(out) > maxGuess {
		return nil
	}
	return out
}

// ocamlOwn says whether the first name of im is a module that f defines above
// the import; alias is the module that it is another name of, if it is.
func (w *worker) ocamlOwn(f int32, im *facts.Import) (alias string, own bool) {
	head, _, _ := strings.Cut(im.Module, ".")
	fa := w.s.t.Facts(f)
	for i := range fa.Symbols {
		s := &fa.Symbols[i]
		if s.Name != head || s.Kind != facts.KindModule && s.Kind != facts.KindInterface || s.Start >= im.Line {
			continue
		}
		if im.Line <= s.End {
			continue // inside of a module its name is still another's
		}
		if p := s.Parent; p >= 0 && int(p) < len(fa.Symbols) && (fa.Symbols[p].Start > im.Line || im.Line > fa.Symbols[p].End) {
			continue
		}
		alias, own = "", true
		for k := range fa.Imports {
			if a := &fa.Imports[k]; a.Line == s.Start && a.Alias == head {
				alias = a.Module
			}
		}
	}
	if first, _, _ := strings.Cut(alias, "."); first == head {
		return "", false // module Option = Option: the file is meant
	}
	return alias, own
}

// ocamlAlias finds what the library file f calls name: module Arg = Lib_arg.
func (w *worker) ocamlAlias(f int32, name string) *facts.Import {
	fa := w.s.t.Facts(f)
	for i := range fa.Imports {
		if a := &fa.Imports[i]; a.Alias == name && a.Module != name {
			for k := range fa.Symbols {
				if s := &fa.Symbols[k]; s.Start == a.Line && s.Name == name && s.Parent < 0 {
					return a
				}
			}
		}
	}
	return nil
}

// ocamlInside says whether f defines module name itself, not as another name
// of what stands beside it, and does not pass on module last in it.
func (w *worker) ocamlInside(f int32, name, last string) bool {
	fa := w.s.t.Facts(f)
	for i := range fa.Symbols {
		s := &fa.Symbols[i]
		if s.Name != name || s.Parent >= 0 || s.Kind != facts.KindModule && s.Kind != facts.KindInterface {
			continue
		}
		if s.End == s.Start && s.Kind == facts.KindModule {
			return false // module A = A or A.Make (B)
		}
		for k := range fa.Imports {
			a := &fa.Imports[k]
			if a.Line == s.Start && a.Alias == name || a.Alias == last && s.Start <= a.Line && a.Line <= s.End {
				return false
			}
		}
		return true
	}
	return false
}
