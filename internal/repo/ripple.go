package repo

import (
	"path"
	"slices"
	"strings"

	"cohop/internal/facts"
	"cohop/internal/index"
	"cohop/internal/resolve"
)

// Which unchanged files must be resolved again when some files change?
//
// An edge of a file depends on its own facts and on what the resolver asked of
// the tree: who defines a name, what stands at a path, in a folder, in a
// package, and what a file that it reached imports. A change answers some of
// these questions otherwise. Its names are the names of symbols that came, went
// or changed, of imports that did, and of paths and packages that came or went;
// a file is affected if it mentions one of them. Two things carry further than
// a mention: an import under another name, whose new name counts as changed
// too, and files that show others what they import (C's includes, star imports),
// whose own importers are affected in turn. Conventions that hang on the mere
// presence of a file (package roots, manifests) affect all of their language.
//
// The set is a superset by construction: resolving a file that was not affected
// gives the edges that it had. Tests compare random edits with a rebuilt index.

const (
	// maxRipple is how many files are resolved again one by one; beyond it
	// all are, which costs less than finding out.
	maxRipple = 2000

	// leastCrowd is how many files are looked at one by one in any tree.
	leastCrowd = 500

	// maxChangedNames is the same for names.
	maxChangedNames = 4000
)

// edit is one file that differs between a base and a view. old or new is nil
// when the file is not in it, or when its old facts are not to be had.
type edit struct {
	path     string
	old, new *facts.Facts
}

type ripple struct {
	v     *index.View
	facts func(f int32) *facts.Facts // imports and references of a file

	names map[string]bool // folded names that changed
	asked []string        // of them, whose mentions are not yet looked at
	langs map[string]bool // languages all of whose files are affected
	dirs  map[string]bool // folders likewise, with a language each: dir + "\x00" + lang

	cand  map[int32]bool  // files looked at → affected
	stems map[string]bool // names of the files that show others what changed
	full  bool            // everything is affected
}

// affected returns the files of v, those of the edits aside, whose edges may
// differ from those that the base has; all says that they are too many to tell.
func affected(v *index.View, edits []edit, facts func(f int32) *facts.Facts) (files []int32, all bool) {
	r := &ripple{v: v, facts: facts, names: map[string]bool{}, langs: map[string]bool{}, dirs: map[string]bool{}, cand: map[int32]bool{}, stems: map[string]bool{}}
	for i := range edits {
		r.edit(&edits[i])
	}
	if r.full || r.crowded() {
		return nil, true
	}
	r.spread()
	if r.full {
		return nil, true
	}
	edited := map[string]bool{}
	for _, e := range edits {
		edited[e.path] = true
	}
	if len(r.langs)+len(r.dirs) > 0 {
		for f := range v.Files() {
			if lang := v.Lang(f); r.langs[lang] || r.dirs[folder(v.Path(f))+"\x00"+lang] {
				r.cand[f] = true
			}
		}
	}
	for f, yes := range r.cand {
		if yes && !edited[v.Path(f)] {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	return files, len(files) > maxRipple
}

func (r *ripple) name(n string) {
	if n == "" {
		return
	}
	n = index.Fold(n)
	if !r.names[n] {
		r.names[n] = true
		r.asked = append(r.asked, n)
		if len(r.names) > maxChangedNames {
			r.full = true
		}
	}
}

// symbol names a definition that came or went.
func (r *ripple) symbol(n string) {
	r.name(n)
	if i := strings.LastIndexAny(n, ".:\\/"); i >= 0 {
		r.name(n[i+1:])
	}
}

// made names what a generator makes of a definition in a schema.
func (r *ripple) made(lang, symbol string) {
	for _, n := range resolve.MadeOf(lang, symbol) {
		r.name(n)
	}
}

func (r *ripple) edit(e *edit) {
	if e.old == nil || e.new == nil || e.old.Lang != e.new.Lang || e.old.Package != e.new.Package {
		r.moved(e)
		return
	}
	if !slices.Equal(e.old.Props, e.new.Props) {
		r.full = true
		return
	}
	for n := range changedSymbols(e.old, e.new) {
		r.symbol(n)
		r.made(e.new.Lang, n)
	}
	through := false
	for _, m := range changedImports(e.old, e.new) {
		if resolve.SeesThrough(e.new.Lang) || m.Reexport || star(m) {
			through = true
		}
		for _, n := range m.Names {
			orig, local, ok := strings.Cut(n, " as ")
			r.symbol(strings.TrimSpace(orig))
			if ok {
				r.symbol(strings.TrimSpace(local))
			}
		}
		r.symbol(m.Alias)
		if len(m.Names) == 0 && m.Alias == "" { // it binds the module's own name
			r.symbol(strings.TrimRight(m.Module, "/"))
			head, _, _ := strings.Cut(m.Module, ".")
			r.name(head)
		}
	}
	if through {
		r.through(e.path)
	}
}

func star(m *facts.Import) bool {
	return slices.Contains(m.Names, "*") || slices.Contains(m.Names, "_")
}

// moved handles a file that came, went, or says that it is something else.
func (r *ripple) moved(e *edit) {
	for _, f := range [...]*facts.Facts{e.old, e.new} {
		if f == nil {
			continue
		}
		if len(f.Props) > 0 || resolve.IsManifest(f.Lang) {
			r.full = true
			return
		}
		for i := range f.Symbols {
			r.symbol(f.Symbols[i].Name)
			if k := f.Symbols[i].Kind; k != facts.KindField && k != facts.KindMethod {
				r.made(f.Lang, f.Symbols[i].Name)
			}
		}
		r.symbol(f.Package)
		r.convention(e.path, f.Lang)
	}
	r.place(e.path)
	r.through(e.path)
	// Common source sets are told by their folders, whatever stands in them.
	for d := folder(e.path); d != "" && r.alone(d, e.path, ""); d = folder(d) {
		if at := "/" + d; strings.HasSuffix(at, "/src/commonMain") || strings.HasSuffix(at, "/common/src") {
			r.langs["kotlin"], r.langs["java"] = true, true
		}
	}
}

// place names a path: its stems, its folder, and the folders that stand or fall
// with it.
func (r *ripple) place(p string) {
	for _, s := range stems(p) {
		r.name(s)
	}
	for _, s := range resolve.Made(p) { // imports of what is made of it
		r.name(s)
	}
	dir := folder(p)
	if dir != "" {
		r.name(path.Base(dir))
	}
	if entry(path.Base(p)) {
		r.name(".")
	}
	for d := dir; d != ""; d = folder(d) {
		if !r.alone(d, p, "") {
			break
		}
		r.name(path.Base(d))
	}
}

// stems are the names that a path may be asked for by: its base whole, and up to
// each dot.
func stems(p string) (out []string) {
	base := path.Base(p)
	out = append(out, base)
	for i := 1; i < len(base); i++ {
		if base[i] == '.' {
			out = append(out, base[:i])
		}
	}
	return out
}

// entry tells whether a file stands for its folder.
func entry(base string) bool {
	stem, _, _ := strings.Cut(base, ".")
	switch stem {
	case "__init__", "index", "mod", "lib", "main", "init":
		return true
	}
	return false
}

func folder(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// alone tells whether p is, or was, the only file below dir (of a language,
// unless that is "").
func (r *ripple) alone(dir, p, lang string) bool {
	from := r.v.Seek(dir + "/")
	for f := from; f < r.v.Files(); f++ {
		q := r.v.Path(f)
		if !strings.HasPrefix(q, dir+"/") {
			break
		}
		if q != p && (lang == "" || r.v.Lang(f) == lang) {
			return false
		}
	}
	return true
}

// convention handles files whose mere presence means something in a language.
func (r *ripple) convention(p, lang string) {
	dir, base := folder(p), path.Base(p)
	stem, _, _ := strings.Cut(base, ".")
	has := func(p string) bool { _, ok := r.v.Find(p); return ok }
	switch {
	case lang == "python" || lang == "cython":
		for d := dir; d != ""; d = folder(d) {
			if !r.alone(d, p, lang) {
				break
			}
			r.name(path.Base(d)) // a top-level package may stand or fall
			switch d {
			case "src", "lib", "python", "Lib", "source":
				r.python()
			}
		}
		if stem == "__init__" {
			// Below a package, and not above one, it changes no root.
			if parent := folder(dir); dir == "" || !has(join(parent, "__init__.py")) || r.packagesBelow(dir) {
				r.python()
			}
			r.dirs[dir+"\x00"+lang] = true
		}
	case lang == "rust":
		switch base {
		case "mod.rs", "lib.rs", "main.rs", "build.rs":
			r.langs["rust"] = true
		}
		r.dirs[join(dir, stem)+"\x00rust"] = true // super of what stands below
		r.manifests("cargo", func(at string, props []facts.Prop) {
			for _, x := range props {
				if x.Key == "path" && path.Join(at, x.Value) == p {
					r.langs["rust"] = true
				}
			}
		})
	case lang == "go":
		r.manifests("gomod", func(at string, props []facts.Prop) {
			for _, x := range props {
				if x.Key == "module" && at == dir {
					r.name(path.Base(strings.Trim(x.Value, `"`)))
				}
				if old, to, ok := strings.Cut(x.Value, "=>"); ok && x.Key == "replace" && path.Join(at, strings.TrimSpace(to)) == dir {
					old, _, _ = strings.Cut(strings.TrimSpace(old), " ")
					r.name(path.Base(old))
				}
			}
		})
	case resolve.Script(lang) || lang == "json" || lang == "css" || lang == "scss":
		r.manifests("package.json", func(at string, props []facts.Prop) {
			if at != "" && !strings.HasPrefix(p, at+"/") {
				return
			}
			for _, x := range props {
				if x.Key == "name" {
					r.name(path.Base(x.Value))
				}
				if from, _, ok := strings.Cut(x.Value, "=>"); ok { // exports, imports
					r.name(path.Base(strings.TrimSuffix(from, "/*")))
				}
			}
		})
		r.manifests("tsconfig", func(at string, props []facts.Prop) {
			for _, x := range props {
				if from, _, ok := strings.Cut(x.Value, "=>"); ok && x.Key == "paths" && !strings.Contains(from, "*") {
					r.name(path.Base(from))
				}
			}
		})
	case lang == "swift":
		if dir == "Source" {
			r.langs["swift"] = true
		}
	case base == "build.zig.zon":
		r.full = true
	}
}

func (r *ripple) python() { r.langs["python"], r.langs["cython"] = true, true }

// packagesBelow tells whether a folder directly below dir is a Python package.
func (r *ripple) packagesBelow(dir string) bool {
	for f := r.v.Seek(dir + "/"); f < r.v.Files(); f++ {
		rest, ok := strings.CutPrefix(r.v.Path(f), dir+"/")
		if !ok {
			return false
		}
		if sub, base, ok := strings.Cut(rest, "/"); ok && sub != "" && strings.HasPrefix(base, "__init__.") {
			return true
		}
	}
	return false
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// manifests calls f with the folder and the content of each manifest of a
// language.
func (r *ripple) manifests(lang string, f func(dir string, props []facts.Prop)) {
	for m := range r.v.Files() {
		if r.v.Lang(m) == lang {
			f(folder(r.v.Path(m)), r.facts(m).Props)
		}
	}
}

// through notes that what a file shows of others changed, or the file itself
// did: those that import it are affected, and those that see through them.
func (r *ripple) through(p string) {
	list := stems(p)
	if entry(path.Base(p)) {
		list = append(list, ".")
		if dir := folder(p); dir != "" {
			list = append(list, path.Base(dir))
		}
	}
	for _, s := range list {
		if s = index.Fold(s); !r.stems[s] {
			r.stems[s] = true
			r.asked = append(r.asked, s)
		}
	}
}

// crowded tells whether the files that may mention what changed are so many
// that all may as well be resolved: to look at each of them takes its facts,
// to count them does not.
func (r *ripple) crowded() bool {
	most := min(2*maxRipple, max(leastCrowd, int(r.v.Files())/2))
	seen := make([]bool, r.v.Files())
	n := 0
	for _, name := range r.asked {
		r.v.MentionsOf(name, func(f int32) {
			if !seen[f] {
				seen[f] = true
				n++
			}
		})
		if n > most {
			return true
		}
	}
	return false
}

// spread looks at the files that mention what changed until nothing is new.
func (r *ripple) spread() {
	seen := map[int32]bool{}
	for len(r.asked) > 0 && !r.full {
		name := r.asked[len(r.asked)-1]
		r.asked = r.asked[:len(r.asked)-1]
		r.v.MentionsOf(name, func(f int32) {
			if r.full || r.cand[f] && !r.carries(f) {
				return
			}
			if !seen[f] {
				seen[f] = true
				if len(seen) > 2*maxRipple {
					r.full = true
					return
				}
			}
			r.look(f)
		})
	}
}

// carries tells whether a file may affect others when it is affected.
func (r *ripple) carries(f int32) bool { return len(r.facts(f).Imports) > 0 }

// look decides whether a file mentions what changed.
func (r *ripple) look(f int32) {
	fa := r.facts(f)
	hit := r.cand[f]
	if !hit {
		index.EachMention(fa, func(n string) { hit = hit || r.names[n] || r.stems[n] })
		if r.cand[f] = hit; !hit {
			return
		}
	}
	for i := range fa.Imports {
		m := &fa.Imports[i]
		mine := false
		index.EachImported(m, func(n string) { mine = mine || r.names[n] || r.stems[n] })
		if !mine {
			continue
		}
		if m.Alias != "" {
			r.symbol(m.Alias)
		}
		for _, n := range m.Names {
			if orig, local, ok := strings.Cut(n, " as "); ok && r.names[index.Fold(strings.TrimSpace(orig))] {
				r.symbol(strings.TrimSpace(local))
			}
		}
		if star(m) || m.Reexport || resolve.SeesThrough(fa.Lang) {
			r.through(r.v.Path(f))
		}
	}
}

// changedSymbols are the names whose definitions differ in anything that
// resolution looks at: kind, owner, enclosing kind, visibility, order.
func changedSymbols(a, b *facts.Facts) map[string]bool {
	type def struct {
		kind, within facts.Kind
		owner        string
		exported     bool
	}
	defs := func(f *facts.Facts) map[string][]def {
		out := make(map[string][]def, len(f.Symbols))
		for i := range f.Symbols {
			s := &f.Symbols[i]
			d := def{kind: s.Kind, owner: s.Owner, exported: s.Exported}
			if s.Parent >= 0 && int(s.Parent) < len(f.Symbols) {
				p := &f.Symbols[s.Parent]
				d.within = p.Kind
				if d.owner == "" {
					d.owner = p.Name
				}
			}
			out[s.Name] = append(out[s.Name], d)
		}
		return out
	}
	x, y := defs(a), defs(b)
	out := map[string]bool{}
	for n, d := range x {
		if !slices.Equal(d, y[n]) {
			out[n] = true
		}
	}
	for n := range y {
		if x[n] == nil {
			out[n] = true
		}
	}
	return out
}

// changedImports are those that only one of two versions has, their lines
// aside.
func changedImports(a, b *facts.Facts) (out []*facts.Import) {
	key := func(m *facts.Import) string {
		flags := ""
		if m.Reexport {
			flags = "r"
		}
		if m.Mod {
			flags += "m"
		}
		return strings.Join(append([]string{m.Module, m.Alias, flags, string(rune('0' + m.Relative&63))}, m.Names...), "\x00")
	}
	count := map[string]int{}
	for i := range a.Imports {
		count[key(&a.Imports[i])]++
	}
	for i := range b.Imports {
		k := key(&b.Imports[i])
		if count[k]--; count[k] < 0 {
			out = append(out, &b.Imports[i])
		}
	}
	for i := range a.Imports {
		k := key(&a.Imports[i])
		if count[k] > 0 {
			count[k]--
			out = append(out, &a.Imports[i])
		}
	}
	return out
}
