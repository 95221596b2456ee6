package resolve

import (
	"slices"
	"sort"
	"strings"

	"cohop/internal/facts"
)

// Imports of code that a build generates. No file of the tree answers them, but
// the schema or grammar that the code is made of does: it is what must be read,
// and what is changed. Tried last, for imports that lead nowhere else.
//
// A source needs two witnesses of three: its name and a generator's ending make
// the name that is imported (foo.proto, foo_pb2); its folder, or the package that
// it declares, ends like the folder or package that is imported; it defines what
// is named. An ending that only generators write (_pb2, .pb.h) counts for two
// where the import says no package. Of several the best agreeing folder is
// meant, then the nearest, then the one with more witnesses; of several still,
// none.
//
// Limits: options of schemas that rename packages are not read, a class that is
// neither called like its file nor defined in it is not found, and where code
// joins its module without an import (Swift, Rust's macros) there is no edge.

// madeWeight is what such an import weighs, where one that leads to a file is 1.
// Of the commits of kafka and grpc-java that change a file, 1.6 and 1.9 % change
// a given source of what it imports, and 3.1 and 3.4 % a given file of code that
// it does: half as many. (Mesos, with 67 such imports: 6.9 and 2.5 %.)
const madeWeight = 0.5

// addMade adds the edges of such an import. A file that imports ten classes made
// of one source depends on it no more than by the first.
func (w *worker) addMade(f int32, files []int32) {
	for _, g := range files {
		if !slices.ContainsFunc(w.raw, func(e rawEdge) bool { return e.to == g && e.kind == Import }) {
			w.add(f, []int32{g}, Import, madeWeight)
		}
	}
}

// maker is a source by which a name is made.
type maker struct {
	file int32
	sure bool
}

// madeSite lists the schemas and grammars of the tree.
type madeSite struct {
	by      [readers]map[string][]maker // name as imports write it → sources
	folders map[string][]int32          // folder → schemas with definitions in it
	alike   map[string][]string         // twoSegs of these folders → they
}

func (s *site) buildMade() *madeSite {
	m := &madeSite{folders: map[string][]int32{}, alike: map[string][]string{}}
	var has [readers]bool
	for i := range s.n {
		has[readerOf(s.lang[i], s.fam[i])] = true
	}
	for i := range s.n {
		name, ext, ok := sourceName(s.path[i])
		if !ok {
			continue
		}
		if definers[s.lang[i]] {
			if d := s.dir[i]; m.folders[d] == nil {
				m.alike[twoSegs(d)] = append(m.alike[twoSegs(d)], d)
			}
			m.folders[s.dir[i]] = append(m.folders[s.dir[i]], int32(i))
		}
		list := endings[ext]
		for r := readNone + 1; r < readers; r++ {
			if !has[r] || len(list[r]) == 0 || ext == "json" && (name[0] < 'A' || name[0] > 'Z') {
				continue // data, not a message
			}
			if m.by[r] == nil {
				m.by[r] = map[string][]maker{}
			}
			spellings(r, name, func(n string) {
				for _, e := range list[r] {
					k := n + e.ending
					if r == readJVM {
						k = n + strings.ToLower(e.ending)
					}
					m.by[r][k] = append(m.by[r][k], maker{int32(i), e.sure})
				}
			})
		}
	}
	return m
}

// madeModule finds the source of what a module or path names, in languages
// whose modules are files; name, if not "", is taken from the module.
func (w *worker) madeModule(f int32, im *facts.Import, name string) []int32 {
	r := readerOf(w.s.lang[f], w.s.fam[f])
	if r == readNone || r == readJVM || w.s.made().by[r] == nil {
		return nil
	}
	dir, base, relative, ok := w.madePlace(r, f, im, name)
	if !ok {
		return nil
	}
	makers := w.s.made().by[r][base]
	if len(makers) == 0 {
		return nil
	}
	c := w.crowd(crowdKey{r, base}, func() (all, sure []int32) {
		for _, m := range makers {
			if all = append(all, m.file); m.sure {
				sure = append(sure, m.file)
			}
		}
		return all, sure
	})
	// Where the import says goes before what ends like that.
	var own []int32
	if relative {
		own = w.in(c, dir)
	}
	if dir == "" {
		own = slices.Concat(own, w.in(c, w.s.dir[f]))
		slices.Sort(own)
	}
	sets := []*bucket{{of: c, all: own}}
	if len(own) == 0 {
		agree := 0
		if sets, agree = w.closest(dir, c); agree == 0 && (dir == "" || relative || outputs[lastSeg(dir)]) {
			sets = []*bucket{c.sure}
		}
	}
	if near := w.pick(f, sets); len(near) == 1 {
		return near
	}
	return nil
}

// madePlace is where a module of generated code, or name of it, would stand: its
// folder, and its name without an ending. relative: the import says so itself.
func (w *worker) madePlace(r reader, f int32, im *facts.Import, name string) (dir, base string, relative, ok bool) {
	p, relative, ok := modulePath(r, im)
	if !ok {
		return "", "", false, false
	}
	if name != "" {
		p = at(p, name)
	}
	const deepest = 64
	if im.Relative > deepest {
		return "", "", false, false
	}
	if r == readPython && im.Relative > 1 {
		p = strings.Repeat("../", int(im.Relative)-1) + p
	}
	if relative {
		if p, ok = joinPath(w.s.dir[f], p); !ok {
			return "", "", false, false
		}
	}
	dir, base = splitPath(p)
	if r == readJS {
		for _, e := range []string{".js", ".ts", ".mjs", ".cjs"} {
			base = strings.TrimSuffix(base, e)
		}
	}
	return dir, base, relative, true
}

// modulePath writes what an import names as a path: below the importer's
// folder if relative.
func modulePath(r reader, im *facts.Import) (p string, relative, ok bool) {
	p = im.Module
	if len(p) > 512 {
		return "", false, false
	}
	switch r {
	case readPython:
		return strings.ReplaceAll(p, ".", "/"), im.Relative > 0, p != "" || im.Relative > 0
	case readDart:
		if q, ok := strings.CutPrefix(p, "package:"); ok {
			_, p, _ = strings.Cut(q, "/")
			return p, false, p != ""
		}
		return p, true, p != "" && !strings.Contains(p, ":")
	case readRuby:
		p = strings.TrimSuffix(p, ".rb")
	}
	if p, ok = cleanLink(p); !ok {
		return "", false, false
	}
	relative = strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") || r == readRuby && im.Relative > 0
	return strings.TrimPrefix(p, "/"), relative, true
}

// madeClass finds the source of a class that is named with its package, as in
// Java: full is the dotted name.
func (w *worker) madeClass(f int32, full string) []int32 {
	m := w.s.made()
	if m.by[readJVM] == nil {
		return nil
	}
	// The package ends before the first name that begins large.
	segs := strings.Split(full, ".")
	n := slices.IndexFunc(segs, func(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' })
	if n < 1 {
		return nil
	}
	class, inner := segs[n], ""
	if n+1 < len(segs) {
		inner = segs[n+1]
	}
	dir := strings.Join(segs[:n], "/")
	output := generatedDirs[segs[n-1]]
	made, defined := w.makersOf(class), w.schemasOf(class)
	// An option may call the class around the messages anything; it mostly
	// says what it is.
	if len(defined.files) == 0 && inner != "" && outerClass(class) {
		defined = w.schemasOf(inner)
	}
	holds := func(g int32) bool {
		w.looks++
		return inner != "" && w.declares(g, inner) && w.s.kin(dir, g)
	}
	sets, agree := w.closest(dir, made, defined)
	switch {
	case agree > 0:
	case output:
		sets = []*bucket{made.whole, defined.whole}
	case inner == "" || len(made.files) > maxScan:
		return nil
	default:
		b := &bucket{of: made}
		for _, g := range made.files {
			if holds(g) {
				b.all = append(b.all, g)
			}
		}
		sets = []*bucket{b}
	}
	near := w.pick(f, sets)
	if len(near) < 2 {
		return near
	}
	// Name and folder are two witnesses, as are definition and folder.
	best, most := []int32(nil), 0
	for _, g := range near {
		n := 2
		if has(made.files, g) && (agree > 0 || output) && holds(g) {
			n++
		}
		switch {
		case n > most:
			best, most = append(best[:0], g), n
		case n == most:
			best = append(best, g)
		}
	}
	if len(best) == 1 {
		return best
	}
	return nil
}

// makersOf lists the sources by whose names a class is made.
func (w *worker) makersOf(class string) *crowd {
	return w.crowd(crowdKey{readJVM, class}, func() (all, _ []int32) {
		for _, k := range w.s.made().by[readJVM][strings.ToLower(class)] {
			if name, ext, _ := sourceName(w.s.path[k.file]); ext == "json" && !strings.HasPrefix(class, name) {
				continue // the build keeps the letters
			}
			all = append(all, k.file)
		}
		return all, nil
	})
}

// outerClass says whether a class is called as what holds messages.
func outerClass(name string) bool {
	return strings.HasSuffix(name, "Proto") || strings.HasSuffix(name, "Protos") || strings.HasSuffix(name, "OuterClass")
}

// kin says whether package dir (as a path) names the folder of g, or the last
// part of the package that it declares, anywhere.
func (s *site) kin(dir string, g int32) bool {
	d := s.dir[g]
	for outputs[lastSeg(d)] || isVersion(lastSeg(d)) {
		d, _ = splitPath(d)
	}
	names := []string{lastSeg(d), lastPart(s.t.Facts(g).Package)}
	for seg := range strings.SplitSeq(dir, "/") {
		if slices.Contains(names, seg) {
			return true
		}
	}
	return false
}

// schemasOf lists the schemas that define what becomes the class.
func (w *worker) schemasOf(class string) *crowd {
	return w.crowd(crowdKey{readNone, class}, func() (all, _ []int32) {
		if len(w.s.made().folders) == 0 {
			return nil, nil
		}
		for _, e := range classEndings {
			name, ok := strings.CutSuffix(class, e)
			if !ok || name == "" {
				continue
			}
			for _, d := range w.s.t.Definers(name) {
				if definers[w.s.lang[d.File]] && isType(d.Kind) && d.Parent == "" {
					all = append(all, d.File)
				}
			}
		}
		return all, nil
	})
}

// madePackage adds the edges of a package of Go that has no file of Go: to the
// schemas of its folder, or of the only folder whose last two names are the
// same, and of several to those that define what is used. It reports whether
// there are schemas.
func (w *worker) madePackage(sc *scope, dir, module, local string) bool {
	files := w.s.made().folders[dir]
	if dir == "" || len(files) == 0 {
		files = w.schemasLike(module)
	}
	var used []int32
	if len(files) > 1 {
		for r := range sc.index().behind(local) {
			used = w.definedAmong(used, files, r.Name)
			used = w.definedAmong(used, files, serviceName(r.Name))
		}
		slices.Sort(used)
		used = slices.Compact(used)
	}
	switch {
	case len(used) > 0:
		w.addMade(sc.f, used)
	case len(files) <= maxGuess:
		w.add(sc.f, files, Import, madeWeight)
	}
	return len(files) > 0
}

// definedAmong appends those of ascending files that define name at top level.
func (w *worker) definedAmong(out, files []int32, name string) []int32 {
	defs := w.s.t.Definers(name)
	if len(defs) < len(files) {
		for i := range defs {
			if w.looks++; topLevel(&defs[i]) && has(files, defs[i].File) {
				out = append(out, defs[i].File)
			}
		}
		return out
	}
	for _, g := range files {
		w.looks++
		i := sort.Search(len(defs), func(i int) bool { return defs[i].File >= g })
		for ; i < len(defs) && defs[i].File == g; i++ {
			if topLevel(&defs[i]) {
				out = append(out, g)
				break
			}
		}
	}
	return out
}

// schemasLike lists the schemas of the only folder that ends like module, which
// a build may write elsewhere: gen/shop/v1 is made of api/shop/v1.
func (w *worker) schemasLike(module string) []int32 {
	key := "made:" + module
	if out, ok := w.memo[key]; ok {
		return out
	}
	m := w.s.made()
	n, out := 0, []int32(nil)
	for _, d := range m.alike[twoSegs(module)] {
		if w.looks++; lastSeg(d) == lastSeg(module) && sameTail(module, d) >= 2 {
			if n, out = n+1, m.folders[d]; n > 1 {
				out = nil
				break
			}
		}
	}
	w.memo[key] = out
	return out
}

// twoSegs is what the last two segments of paths have in common that share them:
// see sameTail.
func twoSegs(p string) (both string) {
	n := 0
	eachTail(p, func(tail string, _ bool) bool {
		both = tail
		n++
		return n < 2
	})
	return both
}

// serviceName is the service that a name of Go belongs to: NewGreeterClient,
// RegisterGreeterServer, GreeterServer are of Greeter.
func serviceName(n string) string {
	for _, p := range servicePrefixes {
		if s, ok := strings.CutPrefix(n, p); ok {
			n = s
			break
		}
	}
	for _, e := range serviceEndings {
		if s, ok := strings.CutSuffix(n, e); ok {
			return s
		}
	}
	return n
}

// outputs are folders and packages named for what generators write there, or
// for the schemas: they say nothing about where a schema stands.
var outputs = map[string]bool{"generated": true, "gen": true, "autogen": true, "codegen": true, "pb": true, "pb2": true, "proto": true, "protos": true, "protobuf": true, "stubs": true}

// generatedDirs are those of them that hold nothing but generated code.
var generatedDirs = map[string]bool{"generated": true, "gen": true, "autogen": true, "codegen": true}

// agreement counts the names with which folder or package dir (as a path) and
// the folder of g, or the package that it declares, both end.
func (s *site) agreement(dir string, g int32) int {
	for outputs[lastSeg(dir)] && !outputs[lastSeg(s.dir[g])] {
		dir, _ = splitPath(dir)
	}
	n := sameTail(dir, s.dir[g])
	if p := s.t.Facts(g).Package; p != "" {
		n = max(n, sameTail(dir, strings.ReplaceAll(p, ".", "/")))
	}
	return n
}

// sameTail counts the last segments that two paths share, letters and what
// joins words aside; versions alone (v1) are none.
func sameTail(a, b string) int {
	n, named := 0, false
	for a != "" && b != "" {
		x, y := lastSeg(a), lastSeg(b)
		if x != y && squeeze(x) != squeeze(y) {
			break
		}
		n++
		named = named || !isVersion(x)
		a, _ = splitPath(a)
		b, _ = splitPath(b)
	}
	if !named {
		return 0
	}
	return n
}

func lastSeg(p string) string {
	_, b := splitPath(p)
	return b
}

// isVersion tells v1 and v2beta3 from names.
func isVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && s[1] >= '0' && s[1] <= '9'
}
