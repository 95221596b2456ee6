package resolve

import (
	"path"
	"strings"
	"sync"
	"sync/atomic"

	"cohop/internal/facts"
)

// site is what resolution knows about the tree as a whole. Everything in it is
// read-only once built; the parts that only some languages need are built on
// first use.
type site struct {
	t     Tree
	n     int
	path  []string
	dir   []string
	lang  []string
	fam   []family
	roles []atomic.Uint32 // of files, as far as they were asked for: see role
	dirs  map[string]bool // every folder that holds files, at any depth
	py    func() *pySite
	mods  func() []goModule
	js    func() *jsSite
	cargo func() *cargoSite
	psr4  func() []psr4Root
	made  func() *madeSite
}

// family groups languages whose files may call each other. Definitions of
// another family are never candidates.
type family uint8

const (
	famNone family = iota
	famC
	famJS
	famJVM
	famStyle
	famPython
	famFirst // languages of their own count on from here
)

var familyOf = map[string]family{
	"c": famC, "cpp": famC, "objc": famC, "cuda": famC,
	"javascript": famJS, "typescript": famJS, "tsx": famJS, "jsx": famJS, "vue": famJS, "svelte": famJS, "astro": famJS,
	"java": famJVM, "kotlin": famJVM, "scala": famJVM, "groovy": famJVM,
	"css": famStyle, "scss": famStyle, "sass": famStyle, "less": famStyle,
	"python": famPython, "cython": famPython, "notebook": famPython,
}

// prose lists languages whose files only link to others: they define nothing
// that code could call.
var prose = map[string]bool{
	"": true, "text": true, "markdown": true, "rst": true, "asciidoc": true, "yaml": true, "toml": true,
	"json": true, "ini": true, "xml": true, "csv": true, "html": true, "properties": true,
}

func newSite(t Tree) *site {
	n := t.Len()
	s := &site{
		t: t, n: n,
		path: make([]string, n), dir: make([]string, n), lang: make([]string, n),
		fam: make([]family, n), roles: make([]atomic.Uint32, n),
		dirs: make(map[string]bool, n/4+1),
	}
	own := map[string]family{}
	last := "\x00"
	for i := range n {
		f := int32(i)
		p := t.Path(f)
		d, _ := splitPath(p)
		l := t.Lang(f)
		s.path[i], s.dir[i], s.lang[i] = p, d, l
		switch fam, ok := familyOf[l]; {
		case ok:
			s.fam[i] = fam
		case prose[l] || isManifest(l):
		default:
			if own[l] == 0 {
				own[l] = famFirst + family(len(own)%(256-int(famFirst)))
			}
			s.fam[i] = own[l]
		}
		if d == last { // paths are sorted: the folder was seen
			continue
		}
		last = d
		for d != "" && !s.dirs[d] {
			s.dirs[d] = true
			d, _ = splitPath(d)
		}
	}
	s.dirs[""] = true
	s.py = sync.OnceValue(s.buildPython)
	s.mods = sync.OnceValue(s.buildGo)
	s.js = sync.OnceValue(s.buildJS)
	s.cargo = sync.OnceValue(s.buildCargo)
	s.psr4 = sync.OnceValue(s.buildPSR4)
	s.made = sync.OnceValue(s.buildMade)
	return s
}

const (
	roleKnown = 1 << iota
	roleAside
	roleCopied
)

// role says what a file's path makes of it. A few files' edges ask for few.
func (s *site) role(f int32) uint32 {
	if r := s.roles[f].Load(); r != 0 {
		return r
	}
	r := uint32(roleKnown)
	role := facts.RoleOf(s.path[f], s.lang[f], 0)
	if aside(role) {
		r |= roleAside
	}
	if _, base := splitPath(s.path[f]); copied(role, s.dir[f], base) {
		r |= roleCopied
	}
	s.roles[f].Store(r)
	return r
}

// test tells whether a file's definitions are not for sources; copy, whether it
// repeats other files.
func (s *site) test(f int32) bool { return s.role(f)&roleAside != 0 }
func (s *site) copy(f int32) bool { return s.role(f)&roleCopied != 0 }

// aside lists the roles whose definitions no source file uses.
func aside(r facts.Role) bool {
	switch r {
	case facts.Test, facts.Fixture, facts.Benchmark, facts.Example, facts.Documentation:
		return true
	}
	return false
}

// copied says whether a file repeats what stands elsewhere: vendored,
// generated, or built, of all headers in one as well.
func copied(r facts.Role, dir, base string) bool {
	return r == facts.Vendored || r == facts.GeneratedCode || inCopies(dir) ||
		strings.HasSuffix(base, ".d.ts") || strings.HasSuffix(base, ".d.cts") || strings.HasSuffix(base, ".d.mts")
}

// inCopies says whether a folder, or one above it, is named for what is built of
// other files. A name that only begins so says nothing: src/distributed,
// amalgamate (which holds the tool).
func inCopies(dir string) bool {
	for segment := range strings.SplitSeq(dir, "/") {
		switch segment {
		case "dist", "single_include", "single-include", "amalgam", "amalgamated", "amalgamation":
			return true
		}
	}
	return false
}

// joinPath is path.Join for clean parts; ok is false when p climbs out of the tree.
func joinPath(dir, rel string) (p string, ok bool) {
	p = path.Join(dir, rel)
	if p == "." {
		return "", true
	}
	if p == ".." || strings.HasPrefix(p, "../") || strings.HasPrefix(p, "/") {
		return "", false
	}
	return p, true
}

// find is Tree.Find as a list of at most one.
func (s *site) find(p string) []int32 {
	if f, ok := s.t.Find(p); ok {
		return []int32{f}
	}
	return nil
}

// suffix returns the files whose path ends with the whole segments of p.
func (s *site) suffix(p string) []int32 {
	p = strings.TrimPrefix(path.Clean(p), "/")
	for strings.HasPrefix(p, "../") {
		p = p[3:]
	}
	_, base := splitPath(p)
	if base == "" || base == "." || base == ".." {
		return nil
	}
	var out []int32
	for _, f := range s.t.Base(base) {
		if q := s.path[f]; q == p || len(q) > len(p) && strings.HasSuffix(q, p) && q[len(q)-len(p)-1] == '/' {
			out = append(out, f)
		}
	}
	return out
}

// near keeps those of files that share the longest run of folders with f;
// what stands in f's own folder goes before what stands below it. It reorders
// nothing and never returns none of some.
func (s *site) near(f int32, files []int32) []int32 {
	if len(files) < 2 {
		return files
	}
	best, out := -1, []int32(nil)
	for _, g := range files {
		k := 2 * sharedSegs(s.dir[f], s.dir[g])
		if s.dir[f] == s.dir[g] {
			k++
		}
		switch {
		case k > best:
			best, out = k, append(out[:0:0], g)
		case k == best:
			out = append(out, g)
		}
	}
	return out
}

// sharedSegs counts the leading path segments that a and b share.
func sharedSegs(a, b string) int {
	k, i := 0, 0
	for {
		if i > len(a) || i > len(b) {
			return k
		}
		x, y := nextSeg(a, i), nextSeg(b, i)
		if x == "" || x != y {
			return k
		}
		k++
		i += len(x) + 1
	}
}

func nextSeg(p string, i int) string {
	if i >= len(p) {
		return ""
	}
	if j := strings.IndexByte(p[i:], '/'); j >= 0 {
		return p[i : i+j]
	}
	return p[i:]
}

// below reports whether path or folder p is dir or lies in it.
func below(p, dir string) bool {
	return dir == "" || strings.HasPrefix(p, dir) && (len(p) == len(dir) || p[len(dir)] == '/')
}

// stem is a base name up to its first dot.
func stem(p string) string {
	_, b := splitPath(p)
	if i := strings.IndexByte(b, '.'); i > 0 {
		return b[:i]
	}
	return b
}
