package resolve

import (
	"cmp"
	"slices"
	"strings"

	"cohop/internal/facts"
)

// pySite says where top-level modules of Python live.
type pySite struct {
	// first maps the first segment of a module path to the folders that
	// hold a module or package of that name.
	first map[string][]pyRoot
}

type pyRoot struct {
	dir string
	// anywhere: a package, or in one of the tree's main roots; else only
	// files below dir can mean it.
	anywhere bool
}

// mainRoots are folders that builds put on the path by convention.
var mainRoots = map[string]bool{"": true, "src": true, "lib": true, "python": true, "Lib": true, "source": true}

var pyExts = []string{".py", ".pyi", ".pyx", ".pyx.in", ".pyx.tp", ".pxd", ".pxd.in", ".py.in"}

// stdlibLike are modules of the standard library that small folders of a tree
// often share a name with; only a file beside means the tree's own.
var stdlibLike = map[string]bool{
	"types": true, "logging": true, "json": true, "io": true, "email": true, "test": true, "code": true, "site": true,
	"queue": true, "random": true, "platform": true, "string": true, "time": true, "copy": true, "abc": true,
	"typing": true, "enum": true, "collections": true, "http": true, "html": true, "xml": true, "ssl": true, "os": true,
	"sys": true, "re": true, "math": true, "token": true, "parser": true, "signal": true, "select": true, "inspect": true,
	"functools": true, "operator": true, "warnings": true, "contextlib": true, "dataclasses": true, "subprocess": true,
	"urllib": true, "unittest": true, "tempfile": true, "socket": true, "threading": true, "multiprocessing": true,
	"concurrent": true, "asyncio": true, "importlib": true, "pathlib": true, "datetime": true, "decimal": true, "ast": true,
}

func (s *site) buildPython() *pySite {
	py := &pySite{first: map[string][]pyRoot{}}
	inits := map[string]bool{}
	for _, b := range []string{"__init__.py", "__init__.pyi", "__init__.pyx"} {
		for _, f := range s.t.Base(b) {
			inits[s.dir[f]] = true
		}
	}
	roots := map[string]bool{}
	for r := range mainRoots {
		if s.dirs[r] {
			roots[r] = true
		}
	}
	for _, f := range s.t.Manifests("pyproject") {
		for _, p := range s.t.Facts(f).Props {
			if d, ok := joinPath(s.dir[f], p.Value); ok && p.Key == "where" && s.dirs[d] {
				roots[d] = true
			}
		}
	}
	for d := range inits {
		for d != "" && inits[d] {
			d, _ = splitPath(d)
		}
		if !inits[d] {
			roots[d] = true
		}
	}
	seen := map[[2]string]bool{}
	note := func(root, seg string, pkg bool) {
		k := [2]string{root, seg}
		if seen[k] {
			return
		}
		seen[k] = true
		py.first[seg] = append(py.first[seg], pyRoot{root, mainRoots[root] || pkg})
	}
	for i := range s.n {
		if s.fam[i] != famPython {
			continue
		}
		p := s.path[i]
		for d := s.dir[i]; ; d, _ = splitPath(d) {
			if roots[d] {
				rest := p
				if d != "" {
					rest = p[len(d)+1:]
				}
				if j := strings.IndexByte(rest, '/'); j >= 0 {
					pkg := rest[:j]
					full := pkg
					if d != "" {
						full = d + "/" + pkg
					}
					note(d, pkg, inits[full])
				} else {
					note(d, stem(rest), false)
				}
			}
			if d == "" {
				break
			}
		}
	}
	return py
}

// pyModule finds the file of the module that im names.
func pyModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	if im.Relative > 0 {
		dir := w.s.dir[f]
		for range im.Relative - 1 {
			if dir == "" {
				return nil, true
			}
			dir, _ = splitPath(dir)
		}
		files, _ := w.pyAt(dir, im.Module)
		return files, true
	}
	if im.Module == "" {
		return nil, false
	}
	seg, _, _ := strings.Cut(im.Module, ".")
	dir := w.s.dir[f]
	py := w.s.py()
	cands := make([]pyRoot, 0, 4)
	for _, r := range py.first[seg] {
		if below(w.s.dir[f], r.dir) && !(stdlibLike[seg] && !mainRoots[r.dir] && r.dir != dir) || r.anywhere && !(stdlibLike[seg] && r.dir != "" && r.dir != "src") {
			cands = append(cands, r)
		}
	}
	// The deepest root that holds the file is meant, then the main ones,
	// then the others.
	if len(cands) > 1 {
		rank := func(r pyRoot) int {
			switch {
			case below(dir, r.dir):
				return 1000 + len(r.dir)
			case mainRoots[r.dir]:
				return 500 - len(r.dir)
			}
			return common2(r.dir, dir)
		}
		slices.SortStableFunc(cands, func(a, b pyRoot) int {
			if c := cmp.Compare(rank(b), rank(a)); c != 0 {
				return c
			}
			return cmp.Compare(a.dir, b.dir)
		})
	}
	namespace := false
	for _, r := range cands {
		files, ok := w.pyAt(r.dir, im.Module)
		if len(files) > 0 {
			return files, true
		}
		namespace = namespace || ok
	}
	if namespace && !stdlibLike[seg] {
		return nil, true
	}
	// A script finds the modules beside it.
	if !stdlibLike[seg] || w.s.pyBeside(dir, seg) {
		if files, ok := w.pyAt(dir, im.Module); len(files) > 0 || ok {
			if len(files) > 0 {
				return files, true
			}
		}
	}
	return nil, len(cands) > 0 && !stdlibLike[seg]
}

// common2 is sharedSegs, kept below the ranks of real roots.
func common2(a, b string) int { return min(sharedSegs(a, b), 100) }

// pyBeside reports whether dir is no package, so that its scripts see the
// modules beside them before the library's.
func (s *site) pyBeside(dir, seg string) bool {
	_, pkg := s.t.Find(at(dir, "__init__.py"))
	if pkg {
		return false
	}
	_, ok := s.t.Find(at(dir, seg+".py"))
	return ok
}

// at joins a folder ("" is the root) and a name in it.
func at(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// pyAt finds dotted module below dir. ok without files: a namespace folder.
func (w *worker) pyAt(dir, module string) (files []int32, ok bool) {
	p := dir
	if module != "" {
		p = at(dir, strings.ReplaceAll(module, ".", "/"))
	}
	for _, i := range []string{"__init__.py", "__init__.pyi", "__init__.pyx"} {
		if f, ok := w.s.t.Find(at(p, i)); ok {
			return []int32{f}, true
		}
	}
	if p == "" {
		return nil, true
	}
	for _, e := range pyExts {
		if f, ok := w.s.t.Find(p + e); ok {
			return []int32{f}, true
		}
	}
	if w.s.dirs[p] {
		return nil, true
	}
	// An extension module: its source carries its name.
	d, leaf := splitPath(p)
	if leaf != "" && (d == "" || w.s.dirs[d]) && strings.HasPrefix(leaf, "_") {
		for _, e := range []string{".c", ".cpp", ".cc", ".rs"} {
			if c := w.s.t.Base(leaf + e); len(c) > 0 {
				return w.s.near(c[0], c[:1]), true
			}
		}
	}
	return nil, false
}

// pySub finds submodule name of the package that f is.
func pySub(w *worker, f int32, name string) []int32 {
	if !strings.HasPrefix(stem(w.s.path[f]), "__init__") {
		return nil
	}
	files, _ := w.pyAt(w.s.dir[f], name)
	return files
}
