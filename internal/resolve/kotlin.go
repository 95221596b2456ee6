package resolve

import (
	"strings"

	"cohop/internal/facts"
)

// Kotlin's source sets: a module that is compiled for several platforms has
// one folder of sources for each, and for what some of them share. What is
// said in a shared one (expect) is defined anew in those of the platforms
// (actual), in the same package and under the same name, so that an import fits
// all of them. A file means what its own set holds, else what the narrowest set
// around it does, and never sees a set that is not compiled along with its own.
//
// Which platforms a set is for is read from its name (jvm, jsAndWasmShared,
// nonApple). Limits: sets that only the build script relates, like concurrent,
// count as nearly common; a module without sets is taken to be of the JVM.

// platforms is a set of what Kotlin compiles for.
type platforms uint16

const (
	onJVM platforms = 1 << iota
	onAndroid
	onJS
	onWasmJS
	onWasmWasi
	onMac
	onIOS
	onTV
	onWatch
	onLinux
	onAndroidNative
	onWindows
	onRest // that no name speaks of: what only a common set is for

	everywhere = onRest<<1 - 1
	somewhere  = everywhere &^ onRest // of a set whose name says nothing
	anyJVM     = onJVM | onAndroid
	onApple    = onMac | onIOS | onTV | onWatch
	onUnix     = onApple | onLinux | onAndroidNative
)

// platformWords are the words in names of source sets that say what they are
// for.
var platformWords = map[string]platforms{
	"common": everywhere,
	"jvm":    anyJVM, "android": onAndroid,
	"js": onJS, "wasm": onWasmJS | onWasmWasi, "web": onJS | onWasmJS,
	"native": onUnix | onWindows, "posix": onUnix | onWindows,
	"unix": onUnix, "nix": onUnix, "apple": onApple, "darwin": onApple,
	"macos": onMac, "osx": onMac, "ios": onIOS, "tvos": onTV, "watchos": onWatch,
	"linux": onLinux, "mingw": onWindows, "windows": onWindows,
}

// platformPairs are words that only together say it.
var platformPairs = map[[2]string]platforms{
	{"wasm", "js"}: onWasmJS, {"wasm", "wasi"}: onWasmWasi, {"android", "native"}: onAndroidNative,
}

// platformsOf reads the name of a source set: words joined by And are all
// meant, of others what they have in common; non turns the next around.
// known says whether a word was known.
func platformsOf(name string) (p platforms, known bool) {
	var group platforms // of the words since the last And; 0: none yet
	not := false
	take := func(q platforms) {
		if not {
			q, not = somewhere&^q, false
		}
		if group != 0 && group&q != 0 {
			q &= group
		}
		group = q
	}
	word := func(i int) (string, int) {
		j := i + 1
		for j < len(name) && (name[j] < 'A' || name[j] > 'Z') {
			j++
		}
		return strings.ToLower(name[i:j]), j
	}
	for i := 0; i < len(name); {
		w, j := word(i)
		if j < len(name) {
			next, k := word(j)
			if q, ok := platformPairs[[2]string{w, next}]; ok {
				take(q)
				i = k
				continue
			}
		}
		i = j
		switch q, ok := platformWords[w]; {
		case ok:
			take(q)
		case w == "non":
			not = true
		case w == "and":
			p, group = p|group, 0
		}
	}
	p |= group
	if p == 0 {
		return somewhere, false
	}
	return p, true
}

// sourceSet says where a file is compiled.
type sourceSet struct {
	root string // folder of the module
	name string // without Main or Test; "main" of a module without sets
	runs platforms
	test bool
}

// sourceSet reads the path of a file: src/jvmMain/kotlin/…, or jvm/src/… where
// the name is a platform's or a common set stands beside it.
func (s *site) sourceSet(p string) sourceSet {
	prev, from := "", 0 // the segment before, and where it starts
	for i := 0; i < len(p); {
		seg := nextSeg(p, i)
		end := i + len(seg)
		if end == len(p) {
			break // the file
		}
		root := strings.TrimSuffix(p[:i], "/")
		if seg == "src" {
			next := nextSeg(p, end+1)
			for _, suffix := range []string{"Main", "Test"} {
				if name, ok := strings.CutSuffix(next, suffix); ok && name != "" {
					if runs, known := platformsOf(name); known || s.dirs[at(root, "src/commonMain")] {
						return sourceSet{root, name, runs, suffix == "Test"}
					}
				}
			}
			switch below := nextSeg(p, end+1+len(next)+1); {
			case below != "kotlin" && below != "java":
			case s.dirs[at(root, "src/commonMain")]:
				runs, _ := platformsOf(next)
				return sourceSet{root, next, runs, false}
			default:
				return sourceSet{root, "main", anyJVM, next == "test" || strings.HasSuffix(next, "Test")}
			}
		}
		if (seg == "src" || seg == "test" || seg == "kotlin") && prev != "" {
			above := strings.TrimSuffix(p[:from], "/")
			if runs, known := platformsOf(prev); known || s.dirs[at(above, "common/src")] {
				return sourceSet{above, prev, runs, seg == "test"}
			}
		}
		if seg == "src" || seg == "test" {
			return sourceSet{root, "main", anyJVM, seg == "test"}
		}
		prev, from = seg, i
		i = end + 1
	}
	return sourceSet{"", "main", anyJVM, false}
}

// setOf is sourceSet of a file, remembered.
func (w *worker) setOf(f int32) sourceSet {
	ss, ok := w.sets[f]
	if !ok {
		ss = w.s.sourceSet(w.s.path[f])
		w.sets[f] = ss
	}
	return ss
}

// kotlinSees says whether r can mean d of another file: it cannot if d is
// private to that file, or a function that is not called or a property that is,
// or in a set that is not compiled with the own. See language.sees.
func kotlinSees(w *worker, sc *scope, d *Def, r *facts.Ref) bool {
	f := sc.f
	if w.s.lang[d.File] != "kotlin" {
		return true
	}
	if !d.Exported || w.s.lang[f] == "kotlin" && (r.Kind == facts.RefUse && d.Kind.Callable() || r.Kind == facts.RefCall && isValue(d.Kind)) {
		return false
	}
	if r.Qualifier == "String" && d.Parent != "String" && d.Parent != "CharSequence" && d.Parent != "Any" {
		return false // of a literal
	}
	if r.Qualifier == "" && isExtension(d) && (d.Kind == facts.KindVar || r.Name == "invoke") && sc.receiverKnown(d.Parent, r.Name) == 0 {
		return false // a local's name, or what every function has
	}
	return w.compiledWith(f, d.File)
}

// isValue says whether a kind of definition is read.
func isValue(k facts.Kind) bool {
	return k == facts.KindVar || k == facts.KindConst || k == facts.KindField
}

// compiledWith says whether the source set of file g is one that f's sees.
func (w *worker) compiledWith(f, g int32) bool {
	a, b := w.setOf(f), w.setOf(g)
	if a.root == b.root {
		return a.name == b.name || b.runs&a.runs == a.runs
	}
	return a.runs&b.runs != 0 && !b.test
}

// kotlinChoose picks of definitions of one name those that f means: see
// language.choose.
func kotlinChoose(w *worker, sc *scope, u use, defs []Def) []Def {
	any := false
	for i := range defs {
		any = any || w.s.lang[defs[i].File] == "kotlin"
	}
	if !any {
		return defs
	}
	defs = keep(defs, func(d *Def) bool { return d.Exported || w.s.lang[d.File] != "kotlin" })
	defs = keep(defs, func(d *Def) bool { return w.compiledWith(sc.f, d.File) })
	// A type's name is its type's; but an interface is not called, so that what
	// is has to be a function.
	defs = keep(defs, func(d *Def) bool { return isType(d.Kind) && (u.kind != facts.RefCall || d.Kind != facts.KindInterface) })
	if u.kind == facts.RefCall {
		defs = keep(defs, func(d *Def) bool { return d.Kind != facts.KindInterface })
	}
	defs = w.narrowest(sc.f, u, defs)
	defs = w.byReceiver(sc, u, defs)
	if len(defs) == 0 || defs[0].File == defs[len(defs)-1].File || isType(defs[0].Kind) {
		return defs
	}
	// What a class implements is its interface's; of overloads that nothing
	// tells apart the file that has the most, then the most of what else is used.
	defs = keep(defs, func(d *Def) bool { return d.Within == facts.KindInterface })
	near := filesOf(nil, defs)
	for _, f := range near { // in one module no set is nearer than others
		if w.setOf(f).root != w.setOf(near[0]).root {
			near = w.prefer(sc.f, near)
			break
		}
	}
	defs = w.most(defs, near, func(d *Def) int { return 1 })
	if len(filesOf(nil, defs)) < 2 || !isExtension(&defs[0]) {
		return defs
	}
	owner := defs[0].Parent
	used := w.usedBare(sc)
	own := map[int32]int{} // what u itself counts for there
	if n := sc.index().bareCount(u.name); n > 0 {
		for _, d := range w.s.t.Definers(u.name) {
			if d.Parent == owner {
				own[d.File] += n
			}
		}
	}
	return w.most(defs, near, func(d *Def) int { return used[ownedAt{owner, d.File}] - own[d.File] })
}

// most keeps of defs those in the one of files whose definitions count for the
// most together.
func (w *worker) most(defs []Def, files []int32, count func(d *Def) int) []Def {
	sum, most := map[int32]int{}, 0
	for i := range defs {
		if f := defs[i].File; has(files, f) {
			sum[f] += count(&defs[i])
			most = max(most, sum[f])
		}
	}
	return keep(defs, func(d *Def) bool { n, ok := sum[d.File]; return ok && n == most })
}

// keep returns those of defs that ok holds for; all if there is none.
func keep(defs []Def, ok func(d *Def) bool) []Def {
	var out []Def
	for i := range defs {
		if ok(&defs[i]) {
			out = append(out, defs[i])
		}
	}
	if len(out) == 0 || len(out) == len(defs) {
		return defs
	}
	return out
}

// narrowest keeps of the definitions that differ only in their source set
// those of f's own set, or of the one that is for the fewest platforms beside
// f's; if f is for more platforms than any, those for the most. What no two
// platforms define each for itself is not expected of them: it is an overload
// of what the common set has.
func (w *worker) narrowest(f int32, u use, defs []Def) []Def {
	own := w.setOf(f)
	expected := func(d *Def) bool {
		if isType(d.Kind) {
			return true
		}
		root := w.setOf(d.File).root
		all := everywhere
		for _, e := range w.s.t.Definers(u.defined) {
			if e.Kind != d.Kind || e.Parent != d.Parent || w.s.lang[e.File] != "kotlin" {
				continue
			}
			ss := w.setOf(e.File)
			if ss.root == root {
				all &= ss.runs
			}
		}
		return all == 0
	}
	rank := func(d *Def) int {
		ss := w.setOf(d.File)
		n := 0
		for b := ss.runs; b != 0; b &= b - 1 {
			n++
		}
		switch {
		case ss.root == own.root && ss.name == own.name:
			return 100
		case ss.runs&own.runs == own.runs:
			return 50 - n
		}
		return n - 50
	}
	return keep(defs, func(d *Def) bool {
		r, ss := rank(d), w.setOf(d.File)
		for i := range defs {
			e := &defs[i]
			if isType(e.Kind) == isType(d.Kind) && e.Parent == d.Parent && w.setOf(e.File).root == ss.root && rank(e) > r {
				return !expected(d)
			}
		}
		return true
	})
}

// byReceiver keeps of functions that extend several types those whose type the
// file knows best; none of a bare name if it knows no type.
func (w *worker) byReceiver(sc *scope, u use, defs []Def) []Def {
	known := map[string]int{}
	best := 0
	for i := range defs {
		o := defs[i].Parent
		if _, ok := known[o]; !ok {
			known[o] = sc.receiverKnown(o, u.name)
		}
		best = max(best, known[o])
	}
	switch {
	case len(known) < 2:
		return defs
	case best == 0 && u.bare:
		return nil // of a receiver that nothing tells
	}
	return keep(defs, func(d *Def) bool { return known[d.Parent] == best })
}

// knownOf is receiverKnown of the best of defs; that one of several types is
// named at all says nothing.
func knownOf(sc *scope, name string, defs []Def) int {
	best, several := 0, false
	for i := range defs {
		best = max(best, sc.receiverKnown(defs[i].Parent, name))
		several = several || defs[i].Parent != defs[0].Parent
	}
	if best == 1 && several {
		return 0
	}
	return best
}
