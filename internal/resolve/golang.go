package resolve

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"cohop/internal/facts"
)

// goModule says which folder import paths of a prefix lead to.
type goModule struct {
	prefix string
	dir    string
	scope  string // folder whose files it holds for (replace); "" for all
}

// buildGo reads the go.mod files: module paths and replacements by folders,
// longest prefix first.
func (s *site) buildGo() []goModule {
	var mods []goModule
	for _, f := range s.t.Manifests("gomod") {
		for _, p := range s.t.Facts(f).Props {
			switch p.Key {
			case "module":
				if p.Value != "" {
					mods = append(mods, goModule{prefix: strings.Trim(p.Value, `"`), dir: s.dir[f]})
				}
			case "replace":
				old, to, ok := strings.Cut(p.Value, "=>")
				old, _, _ = strings.Cut(strings.TrimSpace(old), " ")
				to = strings.TrimSpace(to)
				if ok && old != "" && strings.HasPrefix(to, ".") {
					if d, ok := joinPath(s.dir[f], to); ok && s.dirs[d] {
						mods = append(mods, goModule{prefix: old, dir: d, scope: s.dir[f]})
					}
				}
			}
		}
	}
	slices.SortStableFunc(mods, func(a, b goModule) int {
		return cmp.Or(cmp.Compare(len(b.prefix), len(a.prefix)), cmp.Compare(a.prefix, b.prefix), cmp.Compare(len(b.scope), len(a.scope)), cmp.Compare(a.dir, b.dir))
	})
	return mods
}

// goDir finds the folder of an import path; internal says that it should be
// in the tree.
func (w *worker) goDir(f int32, p string) (dir string, ok, internal bool) {
	s := w.s
	for _, m := range s.mods() {
		if p != m.prefix && !(strings.HasPrefix(p, m.prefix) && p[len(m.prefix)] == '/') || !below(s.path[f], m.scope) {
			continue
		}
		d, in := joinPath(m.dir, strings.TrimPrefix(p[len(m.prefix):], "/"))
		if in && s.dirs[d] {
			return d, true, true
		}
		internal = true
	}
	for d := s.dir[f]; ; d, _ = splitPath(d) {
		if v := at(at(d, "vendor"), p); s.dirs[v] {
			return v, true, true
		}
		if d == "" {
			break
		}
	}
	if strings.HasPrefix(p, ".") {
		d, in := joinPath(s.dir[f], p)
		return d, in && s.dirs[d], true
	}
	if len(s.mods()) == 0 {
		// Before modules: the path below GOPATH ends with the folder. The
		// host, the owner and the repository are not in the tree.
		if seg := strings.SplitN(p, "/", 4); len(seg) == 4 && strings.Contains(seg[0], ".") && s.dirs[seg[3]] {
			return seg[3], true, true
		}
	}
	return "", false, internal
}

// goFiles lists the files of the package in dir that importers see.
func (w *worker) goFiles(dir string) []int32 {
	key := "go:" + dir
	if out, ok := w.memo[key]; ok {
		return out
	}
	var out []int32
	for _, g := range w.s.t.Dir(dir) {
		if w.s.lang[g] == "go" && !strings.HasSuffix(w.s.path[g], "_test.go") {
			out = append(out, g)
		}
	}
	w.memo[key] = out
	return out
}

// goImport binds a package to the files of its folder; edges follow the use.
func goImport(w *worker, sc *scope, im *facts.Import) (resolved, internal bool) {
	if im.Module == "C" || im.Module == "" {
		return false, false
	}
	dir, ok, internal := w.goDir(sc.f, im.Module)
	var files []int32
	if ok {
		files = w.goFiles(dir)
	}
	local := im.Alias
	if local == "" {
		local = goName(im.Module)
		if len(files) > 0 {
			if p := w.s.t.Facts(files[0]).Package; p != "" {
				local = p
			}
		}
	}
	if len(files) == 0 {
		sc.set(local, binding{module: true})
		return internal && w.madePackage(sc, dir, im.Module, local), internal
	}
	sc.packs = append(sc.packs, pack{files: files, share: true})
	n := int32(len(sc.packs))
	if hasStar(im) {
		w.mark(files, clsWild)
		return true, true
	}
	if local != "_" {
		sc.set(local, binding{files: files, module: true, pack: n})
	}
	return true, true
}

// goName guesses a package's name from its path: the last segment that is no
// version, without go- and .go.
func goName(p string) string {
	b := path.Base(p)
	if len(b) > 1 && b[0] == 'v' && strings.Trim(b[1:], "0123456789") == "" {
		b = path.Base(path.Dir(p))
	}
	if i := strings.Index(b, ".v"); i > 0 { // gopkg.in/yaml.v3
		b = b[:i]
	}
	b = strings.TrimSuffix(strings.TrimPrefix(b, "go-"), ".go")
	return strings.TrimSuffix(b, "-go")
}

// goEnter marks the other files of the package: same name, same folder.
func goEnter(w *worker, sc *scope) {
	for _, g := range w.s.t.Package(sc.fa.Package, "go") {
		if g != sc.f && w.s.dir[g] == w.s.dir[sc.f] {
			w.mark([]int32{g}, clsPeer)
		}
	}
}
