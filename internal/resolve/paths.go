package resolve

import (
	"path"
	"slices"
	"strings"

	"cohop/internal/facts"
)

// cleanLink strips what is no path from an import or link: fragments,
// queries, quotes. ok is false for addresses outside of the tree.
func cleanLink(p string) (string, bool) {
	p = strings.Trim(strings.TrimSpace(p), `"'<>`)
	if i := strings.IndexAny(p, "#?"); i >= 0 {
		p = p[:i]
	}
	if p == "" || len(p) > 512 || strings.Contains(p, "://") || strings.HasPrefix(p, "//") || strings.HasPrefix(p, "mailto:") || strings.HasPrefix(p, "data:") {
		return "", false
	}
	return p, true
}

// pathModule resolves an import that names a path: beside the file or from
// the root.
func pathModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	p, ok := cleanLink(im.Module)
	if !ok {
		return nil, false
	}
	if q, ok := joinPath(w.s.dir[f], p); ok && !strings.HasPrefix(p, "/") {
		if out := w.s.find(q); out != nil {
			return out, true
		}
	}
	if out := w.s.find(path.Clean(strings.TrimPrefix(p, "/"))); out != nil {
		return out, true
	}
	return nil, strings.HasPrefix(p, ".")
}

// tail resolves a path by the files that end with it, the nearest first.
func (w *worker) tail(f int32, p string) []int32 {
	key := "t:" + p
	all, ok := w.memo[key]
	if !ok {
		all = w.s.suffix(p)
		w.memo[key] = all
	}
	if len(all) == 0 {
		return nil
	}
	out := w.s.near(f, all)
	if len(out) > maxGuess {
		return nil
	}
	return out
}

// tried makes a module function that tries a path with endings: beside the
// file, from the root, then by the tail. dots turns a.b into a/b first; only
// says that a bare name is of the tree at all when something is found.
func tried(dots bool, endings ...string) func(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	return func(w *worker, f int32, im *facts.Import) ([]int32, bool) {
		p, ok := cleanLink(im.Module)
		if !ok {
			return nil, false
		}
		rel := strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") || im.Relative > 0
		if dots && !strings.Contains(p, "/") {
			p = strings.ReplaceAll(strings.ReplaceAll(p, "::", "/"), ".", "/")
		}
		for _, e := range endings {
			dir, base := splitPath(p)
			q := p + e
			if t, ok := strings.CutPrefix(e, "^"); ok { // prefix of the base name
				q = at(dir, t+base)
			}
			if !strings.HasPrefix(p, "/") {
				if r, ok := joinPath(w.s.dir[f], q); ok {
					if out := w.s.find(r); out != nil {
						return out, true
					}
				}
			}
			if out := w.s.find(path.Clean(strings.TrimPrefix(q, "/"))); out != nil {
				return out, true
			}
		}
		if rel && !dots {
			return nil, true
		}
		for _, e := range endings {
			if !strings.HasPrefix(e, "^") {
				if out := w.tail(f, p+e); len(out) > 0 {
					return out, true
				}
			}
		}
		head, _, _ := strings.Cut(p, "/")
		return nil, rel || dots && strings.Contains(p, "/") && w.s.hasFolder(head)
	}
}

// hasFolder reports whether a folder of that name stands at the root or in a
// usual source folder.
func (s *site) hasFolder(name string) bool {
	return name != "" && (s.dirs[name] || s.dirs["src/"+name] || s.dirs["lib/"+name] || s.dirs["lua/"+name])
}

// shellModule resolves source: what stands before the last expansion of a
// variable or command is a folder that only the run knows.
func shellModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	p, ok := cleanLink(im.Module)
	if !ok {
		return nil, false
	}
	variable := false
	if i := strings.LastIndexAny(p, "$)}`"); i >= 0 {
		variable = true
		j := strings.IndexByte(p[i:], '/')
		if j < 0 {
			return nil, false // source "$file"
		}
		p = p[i+j+1:]
	} else if strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") {
		return nil, false
	}
	p = strings.Trim(p, `"' `)
	if p == "" || strings.ContainsAny(p, "*[") {
		return nil, false
	}
	if q, ok := joinPath(w.s.dir[f], p); ok {
		if out := w.s.find(q); out != nil {
			return out, true
		}
	}
	if out := w.s.find(path.Clean(p)); out != nil {
		return out, true
	}
	if out := w.tail(f, p); len(out) > 0 {
		return out, true
	}
	// What stands before the path may have been a variable: only a folder
	// that the tree has makes it the tree's.
	head, _, has := strings.Cut(p, "/")
	if head == "." || head == ".." {
		return nil, !variable
	}
	return nil, has && (w.s.dirs[head] || w.s.dirs[at(w.s.dir[f], head)])
}

// markdownModule resolves a link of a document; a folder leads to its index.
func markdownModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	p, ok := cleanLink(im.Module)
	if !ok {
		return nil, false
	}
	p = strings.ReplaceAll(p, "%20", " ")
	if i := strings.Index(p, "auto_examples/"); i >= 0 { // made from examples
		out := w.s.find("examples/" + p[i+len("auto_examples/"):])
		return out, out != nil
	}
	q, ok := joinPath(w.s.dir[f], p)
	if strings.HasPrefix(p, "/") {
		q, ok = strings.Trim(path.Clean(p), "/"), true
	}
	if !ok {
		return nil, false // above the tree: the site's, not ours
	}
	for _, e := range []string{"", ".md", ".mdx", ".rst", ".adoc", ".markdown", "/index.md", "/README.md", "/index.rst"} {
		if out := w.s.find(q + e); out != nil {
			return out, true
		}
	}
	if t, ok := strings.CutSuffix(q, ".html"); ok {
		for _, e := range []string{".md", ".rst", ".adoc"} {
			if out := w.s.find(t + e); out != nil {
				return out, true
			}
		}
	}
	if q != "" && w.s.dirs[q] { // a folder without an index: seen, no file
		return nil, false
	}
	return nil, strings.HasPrefix(p, ".") || path.Ext(p) == ".md"
}

// styleModule resolves @import, @use: partials have an underscore.
func styleModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	p, ok := cleanLink(strings.TrimPrefix(im.Module, "~"))
	if !ok {
		return nil, false
	}
	dir, base := splitPath(p)
	for _, d := range []string{w.s.dir[f], ""} {
		for _, b := range []string{base, "_" + base} {
			for _, e := range []string{"", ".scss", ".sass", ".less", ".css", "/_index.scss", "/index.scss"} {
				if q, ok := joinPath(d, at(dir, b+e)); ok {
					if out := w.s.find(q); out != nil {
						return out, true
					}
				}
			}
		}
	}
	if out := w.tail(f, at(dir, "_"+base+".scss")); len(out) > 0 {
		return out, true
	}
	return nil, strings.HasPrefix(p, ".")
}

// hclModule: the source of a module is a folder; its files share it.
func hclModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	if !strings.HasPrefix(im.Module, ".") {
		return nil, false
	}
	q, ok := joinPath(w.s.dir[f], im.Module)
	if !ok {
		return nil, true
	}
	var out []int32
	for _, g := range w.s.t.Dir(q) {
		if w.s.lang[g] == "hcl" {
			out = append(out, g)
		}
	}
	return out, true
}

// haskellModule finds a module by the package clause or by its path.
func haskellModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	if fs := w.s.t.Package(im.Module, "haskell"); len(fs) > 0 {
		return w.s.near(f, fs), true
	}
	p := strings.ReplaceAll(im.Module, ".", "/")
	for _, e := range []string{".hs", ".hsc", ".lhs", ".x", ".y"} {
		var out []int32
		for _, g := range w.s.suffix(p + e) { // one that says another name is another
			if q := w.s.t.Facts(g).Package; q == "" || q == "Main" {
				out = append(out, g)
			}
		}
		if out = w.s.near(f, out); len(out) > 0 && len(out) <= maxGuess {
			return out, true
		}
	}
	// Absent: ours if its parent, of two segments or more, is a folder.
	if d, _ := splitPath(p); strings.Contains(d, "/") {
		for _, r := range []string{"", "src", "lib", "app", "test", "tests"} {
			if w.s.dirs[at(r, d)] {
				return nil, true
			}
		}
	}
	return nil, false
}

// zigModule finds @import("x.zig") beside the file, and a package by the
// root file of that name.
func zigModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	p, ok := cleanLink(im.Module)
	if !ok {
		return nil, false
	}
	if strings.HasSuffix(p, ".zig") || strings.HasSuffix(p, ".zon") {
		q, ok := joinPath(w.s.dir[f], p)
		if !ok {
			return nil, true
		}
		return w.s.find(q), true
	}
	for _, q := range []string{"lib/" + p + "/" + p + ".zig", "src/" + p + ".zig", "src/" + p + "/" + p + ".zig", p + ".zig", "src/root.zig"} {
		if q == "src/root.zig" && w.s.zigName() != p {
			continue
		}
		if out := w.s.find(q); out != nil && out[0] != f {
			return out, true
		}
	}
	return nil, false
}

// zigName guesses the name of the tree's own package: build.zig's module is
// called like the only root file below src that is no main.
func (s *site) zigName() string {
	if f, ok := s.t.Find("build.zig.zon"); ok {
		for _, p := range s.t.Facts(f).Props {
			if p.Key == "name" {
				return strings.Trim(p.Value, `."`)
			}
		}
	}
	return ""
}

// underscore turns a constant of Ruby or Elixir into the path that loaders
// look for: ActiveRecord::HTTPServer → active_record/http_server.
func underscore(name string) string {
	b := make([]byte, 0, len(name)+8)
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == ':' || c == '.':
			if len(b) > 0 && b[len(b)-1] != '/' {
				b = append(b, '/')
			}
		case c >= 'A' && c <= 'Z':
			low := i > 0 && (name[i-1] >= 'a' && name[i-1] <= 'z' || name[i-1] >= '0' && name[i-1] <= '9')
			next := i > 0 && name[i-1] >= 'A' && name[i-1] <= 'Z' && i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z'
			if low || next {
				b = append(b, '_')
			}
			b = append(b, c+'a'-'A')
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// rubyModule resolves require and require_relative: below lib or app folders,
// any that fits, the nearest first.
func rubyModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	p, ok := cleanLink(im.Module)
	if !ok || strings.Contains(p, "#{") {
		return nil, false
	}
	p = strings.TrimSuffix(p, ".rb")
	if im.Relative > 0 || strings.HasPrefix(p, ".") {
		q, ok := joinPath(w.s.dir[f], p)
		if !ok {
			return nil, true
		}
		for _, e := range []string{".rb", "", ".rake"} {
			if out := w.s.find(q + e); out != nil {
				return out, true
			}
		}
		return nil, true
	}
	key := "rb:" + p
	all, ok := w.memo[key]
	if !ok {
		for _, g := range w.s.suffix(p + ".rb") {
			root := strings.TrimSuffix(strings.TrimSuffix(w.s.path[g], p+".rb"), "/")
			if _, b := splitPath(root); root == "" || b == "lib" || b == "test" || b == "spec" || b == "app" || b == "ext" || b == "src" || b == "tests" {
				all = append(all, g)
			}
		}
		if len(all) == 0 && strings.Contains(p, "/") {
			all = w.s.suffix(p + ".rb")
		}
		w.memo[key] = all
	}
	if len(all) > 0 {
		return w.s.near(f, all), true
	}
	head, _, has := strings.Cut(p, "/")
	return nil, has && w.s.rubyRoot(head)
}

// rubyRoot reports whether some lib folder holds name as folder and file.
func (s *site) rubyRoot(name string) bool {
	for _, g := range s.t.Base(name + ".rb") {
		if d := s.dir[g]; (d == "lib" || strings.HasSuffix(d, "/lib")) && s.dirs[d+"/"+name] {
			return true
		}
	}
	return false
}

// definersOf lists the files of a family that define name as a type.
func definersOf(s *site, name string, fam family) []int32 {
	var out []int32
	for _, d := range s.t.Definers(name) {
		switch d.Kind {
		case facts.KindModule, facts.KindClass, facts.KindInterface, facts.KindStruct, facts.KindEnum, facts.KindType:
			if s.fam[d.File] == fam && (len(out) == 0 || out[len(out)-1] != d.File) {
				out = append(out, d.File)
			}
		}
	}
	return out
}

// elixirImport handles alias, import, use and require of a module.
func elixirImport(w *worker, sc *scope, im *facts.Import) (resolved, internal bool) {
	one := func(full, local string) (bool, bool) {
		files := w.elixirFiles(sc.f, full)
		w.add(sc.f, files, Import, 1)
		w.mark(files, clsImport)
		if local != "" {
			sc.set(local, binding{files: files, module: true, name: full})
		}
		if len(files) > 0 {
			return true, true
		}
		head, _, has := strings.Cut(full, ".")
		return false, has && w.elixirFiles(sc.f, head) != nil
	}
	if len(im.Names) == 0 || len(im.Names) == 1 && im.Names[0] == "*" {
		local := im.Alias
		if local == "" {
			local = lastPart(im.Module)
		}
		resolved, internal = one(im.Module, local)
		sc.set(im.Module, sc.bind[local])
		return resolved, internal
	}
	// alias A.{B, C}; or import A, only: names
	for i := range im.Names {
		local, name := boundName(im, i)
		if name != "" && name[0] >= 'A' && name[0] <= 'Z' {
			r, in := one(im.Module+"."+name, lastPart(local))
			resolved, internal = resolved || r, internal || in
		} else if !resolved {
			resolved, internal = one(im.Module, lastPart(im.Module))
		}
	}
	return resolved, internal
}

// elixirFiles finds the file that defines module full.
func (w *worker) elixirFiles(f int32, full string) []int32 {
	key := "ex:" + full
	out, ok := w.memo[key]
	if !ok {
		out = slices.Clone(w.s.t.Package(full, "elixir"))
		for _, d := range w.s.t.Definers(full) {
			if w.s.lang[d.File] == "elixir" && !slices.Contains(out, d.File) {
				out = append(out, d.File)
			}
		}
		if len(out) == 0 {
			out = w.s.suffix("lib/" + underscore(full) + ".ex")
		}
		slices.Sort(out)
		w.memo[key] = out
	}
	if len(out) > 1 && !w.s.test(f) {
		if src := w.sources(out); len(src) > 0 {
			return src
		}
	}
	return out
}

// elixirModule finds the module that a capitalised name means, with what
// stands before it: Ecto.Query is not a part of Ecto.
func elixirModule(w *worker, sc *scope, r *facts.Ref) []int32 {
	if r.Name[0] < 'A' || r.Name[0] > 'Z' {
		return nil
	}
	if r.Qualifier == "" {
		if _, ok := sc.bind[r.Name]; ok {
			return nil
		}
		return w.elixirFiles(sc.f, r.Name)
	}
	return elixirQualifier(w, sc, r.Qualifier+"."+r.Name)
}

// elixirQualifier finds a module named in full.
func elixirQualifier(w *worker, sc *scope, q string) []int32 {
	if q == "" || q[0] < 'A' || q[0] > 'Z' {
		return nil
	}
	if head, rest, ok := strings.Cut(q, "."); ok { // below an alias
		if b := sc.bind[head]; b.name != "" {
			if out := w.elixirFiles(sc.f, b.name+"."+rest); len(out) > 0 {
				return out
			}
		}
	}
	return w.elixirFiles(sc.f, q)
}
