package resolve

import (
	"cmp"
	"slices"
	"strings"

	"cohop/internal/facts"
)

// jsSite is what package.json and tsconfig.json files say about names.
type jsSite struct {
	packages []jsPackage // longest name first
	configs  map[string]tsConfig
}

type jsPackage struct {
	name, dir string
	entries   [][2]string // "." or "./sub" or pattern with one * → file
	imports   [][2]string // the same for "#name", of the package's own files
	main      []string
}

// tsConfig is what the tsconfig files of a folder say, extends followed.
type tsConfig struct {
	base  string      // folder of baseUrl
	based bool        // has a baseUrl
	paths [][2]string // pattern → path from the root of the tree, both with at most one *
}

// jsExts are tried in this order: sources before declarations before what is
// built from them.
var jsExts = []string{".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", ".vue", ".svelte", ".json", ".css", ".scss"}

// jsSwap maps the extension that an import names to those a source may have.
var jsSwap = map[string][]string{
	".js": {".ts", ".tsx", ".jsx", ".d.ts"}, ".mjs": {".mts", ".ts", ".js", ".d.mts"}, ".cjs": {".cts", ".ts", ".js", ".d.cts"}, ".jsx": {".tsx"},
}

// built are folders of build products whose sources stand in one of sources.
var (
	built   = []string{"dist", "lib", "build", "out", "esm", "cjs", "es", "umd"}
	sources = []string{"src", "source", "lib", ""}
)

func (s *site) buildJS() *jsSite {
	js := &jsSite{configs: map[string]tsConfig{}}
	for _, f := range s.t.Manifests("package.json") {
		p := jsPackage{dir: s.dir[f]}
		for _, x := range s.t.Facts(f).Props {
			switch x.Key {
			case "name":
				p.name = x.Value
			case "exports":
				if sub, file, ok := strings.Cut(x.Value, "=>"); ok {
					p.entries = append(p.entries, [2]string{sub, file})
				}
			case "imports":
				if sub, file, ok := strings.Cut(x.Value, "=>"); ok {
					p.imports = append(p.imports, [2]string{sub, file})
				}
			case "main", "module", "types", "source":
				p.main = append(p.main, x.Value)
			}
		}
		if p.name != "" || len(p.imports) > 0 {
			js.packages = append(js.packages, p)
		}
	}
	slices.SortStableFunc(js.packages, func(a, b jsPackage) int {
		return cmp.Or(cmp.Compare(len(b.name), len(a.name)), cmp.Compare(a.name, b.name), cmp.Compare(len(a.dir), len(b.dir)), cmp.Compare(a.dir, b.dir))
	})
	for _, f := range s.t.Manifests("tsconfig") {
		c := s.tsConfig(f, 0)
		old, ok := js.configs[s.dir[f]]
		if ok { // several in one folder: the first base, all paths
			if !old.based {
				old.base, old.based = c.base, c.based
			}
			old.paths = append(old.paths[:len(old.paths):len(old.paths)], c.paths...)
			c = old
		}
		js.configs[s.dir[f]] = c
	}
	for d, c := range js.configs {
		// The longest prefix wins, as the compiler has it.
		slices.SortStableFunc(c.paths, func(a, b [2]string) int { return cmp.Compare(len(b[0]), len(a[0])) })
		js.configs[d] = c
	}
	return js
}

// tsConfig reads one tsconfig and what it extends; its own paths replace
// inherited ones.
func (s *site) tsConfig(f int32, depth int) tsConfig {
	const deepest = 8
	var c tsConfig
	props := s.t.Facts(f).Props
	for _, p := range props {
		if p.Key != "extends" || depth >= deepest || !strings.HasPrefix(p.Value, ".") {
			continue
		}
		q, ok := joinPath(s.dir[f], p.Value)
		if !ok {
			continue
		}
		for _, e := range []string{"", ".json", "/tsconfig.json"} {
			if g, ok := s.t.Find(q + e); ok && g != f {
				up := s.tsConfig(g, depth+1)
				if up.based {
					c.base, c.based = up.base, true
				}
				if len(up.paths) > 0 {
					c.paths = up.paths
				}
				break
			}
		}
	}
	for _, p := range props {
		if p.Key == "baseUrl" {
			if d, ok := joinPath(s.dir[f], p.Value); ok {
				c.base, c.based = d, true
			}
		}
	}
	root := s.dir[f]
	if c.based {
		root = c.base
	}
	own := false
	for _, p := range props {
		if p.Key != "paths" {
			continue
		}
		from, to, ok := strings.Cut(p.Value, "=>")
		if !ok || from == "*" && strings.Contains(to, "node_modules") {
			continue
		}
		if q, ok := joinPath(root, to); ok {
			if !own {
				c.paths, own = nil, true
			}
			c.paths = append(c.paths, [2]string{from, q})
		}
	}
	return c
}

// jsModule finds the files that a module specifier names.
func jsModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	spec := im.Module
	if i := strings.IndexAny(spec, "?"); i > 0 { // ./x?raw
		spec = spec[:i]
	}
	spec = strings.TrimPrefix(spec, "node:")
	if spec == "" || len(spec) > 512 {
		return nil, false
	}
	if spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../") {
		p, ok := joinPath(w.s.dir[f], spec)
		if !ok {
			return nil, true
		}
		if out := w.s.jsFile(p); out != nil {
			return out, true
		}
		return w.s.jsBuilt(p), true
	}
	key := w.s.dir[f] + "\x00" + spec
	if out, ok := w.memo[key]; ok {
		return out, len(out) > 0 || w.s.jsInternal(f, spec)
	}
	out := w.s.jsBare(f, spec)
	w.memo[key] = out
	return out, len(out) > 0 || w.s.jsInternal(f, spec)
}

// jsInternal says whether a bare specifier looks like one of the tree's own.
func (s *site) jsInternal(f int32, spec string) bool {
	for _, p := range s.js().packages {
		if p.name == "" {
			continue
		}
		if spec == p.name || strings.HasPrefix(spec, p.name+"/") {
			return true
		}
	}
	for d := s.dir[f]; ; d, _ = splitPath(d) {
		for _, p := range s.js().configs[d].paths {
			if p[0] != "*" {
				if _, ok := matchStar(p[0], spec); ok {
					return true
				}
			}
		}
		if d == "" {
			return false
		}
	}
}

// jsBare resolves a specifier that is not relative: by the nearest tsconfig,
// by the packages of the tree, by baseUrl.
func (s *site) jsBare(f int32, spec string) []int32 {
	js := s.js()
	for d := s.dir[f]; ; d, _ = splitPath(d) {
		if c, ok := js.configs[d]; ok {
			for _, p := range c.paths {
				if star, ok := matchStar(p[0], spec); ok {
					q := strings.Replace(p[1], "*", star, 1)
					if out := s.jsFile(q); out != nil {
						return out
					}
					if out := s.jsBuilt(q); out != nil {
						return out
					}
				}
			}
			if c.based {
				if p, ok := joinPath(c.base, spec); ok {
					if out := s.jsFile(p); out != nil {
						return out
					}
				}
			}
		}
		if d == "" {
			break
		}
	}
	if len(js.packages) == 0 {
		return nil
	}
	for i := range js.packages {
		p := &js.packages[i]
		if strings.HasPrefix(spec, "#") && below(s.path[f], p.dir) {
			if out := s.jsEntry(p, p.imports, spec); out != nil {
				return out
			}
		}
		if p.name == "" {
			continue
		}
		if spec == p.name || strings.HasPrefix(spec, p.name) && spec[len(p.name)] == '/' {
			if out := s.jsPackage(p, strings.TrimPrefix(spec[len(p.name):], "/")); out != nil {
				return out
			}
		}
	}
	return nil
}

// jsPackage resolves sub ("" for the package itself) of a package.
func (s *site) jsPackage(p *jsPackage, sub string) []int32 {
	want := "."
	if sub != "" {
		want = "./" + sub
	}
	if out := s.jsEntry(p, p.entries, want); out != nil {
		return out
	}
	if sub == "" {
		for _, m := range p.main {
			if q, ok := joinPath(p.dir, m); ok {
				if out := s.jsFile(q); out != nil {
					return out
				}
				if out := s.jsBuilt(q); out != nil {
					return out
				}
			}
		}
		sub = "index"
	}
	for _, src := range []string{"", "src", "lib", "source"} {
		if out := s.jsFile(at(p.dir, at(src, sub))); out != nil {
			return out
		}
	}
	return s.jsByStem(p, want)
}

// jsEntry resolves want by entries: the file named, or the source it is built
// from.
func (s *site) jsEntry(p *jsPackage, entries [][2]string, want string) []int32 {
	for _, e := range entries {
		star, ok := matchStar(e[0], want)
		if !ok {
			continue
		}
		if q, ok := joinPath(p.dir, strings.ReplaceAll(e[1], "*", star)); ok {
			if out := s.jsFile(q); out != nil {
				return out
			}
			if out := s.jsBuilt(q); out != nil {
				return out
			}
		}
	}
	return nil
}

// jsByStem guesses the source of a built entry whose folder the build chose:
// the file of that name in the package's src that is least deep, if but one
// is.
func (s *site) jsByStem(p *jsPackage, want string) []int32 {
	name := ""
	for _, e := range p.entries {
		if e[0] == want {
			name = stem(e[1])
		}
	}
	if name == "" {
		return nil
	}
	src := at(p.dir, "src")
	least, out := 1<<30, []int32(nil)
	for _, e := range []string{".ts", ".tsx", ".js", ".mjs"} {
		for _, f := range s.t.Base(name + e) {
			if !below(s.path[f], src) {
				continue
			}
			switch d := strings.Count(s.path[f], "/"); {
			case d < least:
				least, out = d, []int32{f}
			case d == least:
				out = append(out, f)
			}
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// jsFile finds the source that path p, with or without extension, means.
func (s *site) jsFile(p string) []int32 {
	if p != "" {
		if out := s.find(p); out != nil {
			return out
		}
		for _, e := range jsExts {
			if out := s.find(p + e); out != nil {
				return out
			}
		}
		dir, b := splitPath(p)
		if i := strings.LastIndexByte(b, '.'); i > 0 {
			for _, e := range jsSwap[b[i:]] {
				if out := s.find(at(dir, b[:i]+e)); out != nil {
					return out
				}
			}
			if strings.HasSuffix(b, ".d.ts") {
				return s.find(at(dir, strings.TrimSuffix(b, ".d.ts")+".ts"))
			}
		}
	}
	if !s.dirs[p] {
		return nil
	}
	for _, e := range jsExts[:13] {
		if out := s.find(at(p, "index"+e)); out != nil {
			return out
		}
	}
	if f, ok := s.t.Find(at(p, "package.json")); ok {
		for _, x := range s.t.Facts(f).Props {
			if x.Key == "main" || x.Key == "module" || x.Key == "source" {
				q, ok := joinPath(p, x.Value)
				if ok && q != p {
					for _, e := range append([]string{""}, jsExts...) {
						if out := s.find(q + e); out != nil {
							return out
						}
					}
					if out := s.jsBuilt(q); out != nil {
						return out
					}
				}
			}
		}
	}
	return nil
}

// jsBuilt finds the source of a build product: the last build folder of p is
// replaced by a source folder.
func (s *site) jsBuilt(p string) []int32 {
	segs := strings.Split(p, "/")
	for i := len(segs) - 2; i >= 0; i-- {
		if !slices.Contains(built, segs[i]) {
			continue
		}
		head, tail := strings.Join(segs[:i], "/"), segs[i+1:]
		for len(tail) > 0 {
			for _, src := range sources {
				if q := at(at(head, src), strings.Join(tail, "/")); q != p {
					if out := s.jsSource(q); out != nil {
						return out
					}
				}
			}
			if len(tail) == 1 {
				break
			}
			if !slices.Contains(built, tail[0]) {
				break
			}
			tail = tail[1:]
		}
	}
	return nil
}

// jsSource is jsFile for files only, extensions of products dropped.
func (s *site) jsSource(p string) []int32 {
	for _, e := range []string{".d.ts", ".d.mts", ".d.cts", ".mjs", ".cjs", ".js"} {
		if t, ok := strings.CutSuffix(p, e); ok {
			p = t
			break
		}
	}
	p = strings.TrimPrefix(p, "/")
	for _, e := range []string{"", ".ts", ".tsx", ".mts", ".js", ".mjs", ".jsx", ".cts", ".d.ts", ".vue"} {
		if out := s.find(p + e); out != nil {
			return out
		}
	}
	if s.dirs[p] {
		for _, e := range []string{".ts", ".tsx", ".js", ".mjs", ".d.ts"} {
			if out := s.find(at(p, "index"+e)); out != nil {
				return out
			}
		}
	}
	return nil
}

// matchStar matches s against a pattern with at most one *, and returns what
// the star stands for.
func matchStar(pattern, s string) (star string, ok bool) {
	pre, post, has := strings.Cut(pattern, "*")
	if !has {
		return "", pattern == s
	}
	if len(s) < len(pre)+len(post) || !strings.HasPrefix(s, pre) || !strings.HasSuffix(s, post) {
		return "", false
	}
	return s[len(pre) : len(s)-len(post)], true
}

// jsScope: scripts without modules share their globals.
func jsEnter(w *worker, sc *scope) {
	if len(sc.fa.Imports) > 0 {
		return
	}
	for i := range sc.fa.Symbols {
		if sc.fa.Symbols[i].Exported {
			return
		}
	}
	for _, g := range w.s.t.Dir(w.s.dir[sc.f]) {
		if w.s.fam[g] == famJS && g != sc.f {
			w.mark([]int32{g}, clsPeer)
		}
	}
}
