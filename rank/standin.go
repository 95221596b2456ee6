package rank

import (
	"path"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"cohop/internal/index"
)

// Some files stand for another: a header declares what the source beside it
// does, and where a tree keeps the same file for several platforms, one of them
// answers a question that names none. What the text of such a file says is then
// as true of the other one, and the other one is what must be read. So the
// stand-in gives the other its text's score, where that is greater, and steps
// back by a prior.
//
// Limits: folders of platforms are told by their names; and a twin is left
// alone where the texts differ, since then the question is about that platform
// whatever it names.

// textual are the columns that a stand-in shares.
var textual = [...]string{"similarity.file", "similarity.chunk", "similarity.title", "similarity.code"}

const (
	// twinPrior is what the twin of a lesser platform yields when a task asks:
	// that of an example or a benchmark, which show the same thing once more.
	twinPrior = -1.0
	// alike is the least share of its twin's best chunk that a file's own must
	// score for the two to say the same.
	alike = 0.5
)

// standIns raises the files that others of the pool stand for, and adds them.
// It changes what the columns say of few files, and asks just those of the pool.
func (q *Query) standIns(pool *roaring.Bitmap) {
	v := q.eng.st.View
	for _, x := range pool.ToArray() {
		f := int32(x)
		if src, ok := sourceOf(v, f); ok && q.ok(src) {
			q.yield(pool, f, src, q.rolePrior("reexport"))
		} else if twin, ok := q.mainTwin(f); ok && q.ok(twin) {
			q.yield(pool, f, twin, (1-q.Intent)*twinPrior)
		}
	}
}

// yield lets file f share its text with what it stands for.
func (q *Query) yield(pool *roaring.Bitmap, f, whole int32, prior float64) {
	pool.Add(uint32(whole))
	for _, c := range textual {
		raw := q.raw[c]
		raw[whole] = max(raw[whole], raw[f])
	}
	if q.on("priors.role") {
		q.raw["priors.role"][f] += min(0, prior)
	}
}

// sourceOf finds the source beside a header of C, C++ or Objective-C that only
// declares.
func sourceOf(v *index.View, f int32) (int32, bool) {
	p := v.Path(f)
	ext := path.Ext(p)
	switch ext {
	case ".h", ".hh", ".hpp", ".hxx":
	default:
		return 0, false
	}
	for _, e := range [...]string{".c", ".cc", ".cpp", ".cxx", ".m", ".mm"} {
		if src, ok := v.Find(strings.TrimSuffix(p, ext) + e); ok {
			return src, v.OnlyDeclares(f)
		}
	}
	return 0, false
}

// platforms are the names that folders of a platform's files go by; words of
// one family say the same.
var platforms = []struct{ name, family string }{
	{"unix", "unix"}, {"posix", "unix"}, {"linux", "unix"},
	{"windows", "windows"}, {"win", "windows"}, {"win32", "windows"},
	{"darwin", "darwin"}, {"macos", "darwin"}, {"mac", "darwin"}, {"osx", "darwin"},
}

func platform(name string) string {
	for _, p := range platforms {
		if p.name == name {
			return p.family
		}
	}
	return ""
}

// mainTwin finds the file that answers for a platform's: of the same path but
// for the platform's folder, in that of a platform that the task names, or, if
// it names neither, that holds more files.
func (q *Query) mainTwin(f int32) (int32, bool) {
	v := q.eng.st.View
	p := v.Path(f)
	for at := 0; ; {
		n := strings.IndexByte(p[at:], '/')
		if n < 0 {
			return 0, false
		}
		above, own, rest := p[:at], p[at:at+n], p[at+n:]
		at += n + 1
		family := platform(own)
		if family == "" {
			continue
		}
		if q.names(family) {
			return 0, false
		}
		for _, o := range platforms {
			if o.family == family {
				continue
			}
			twin, ok := v.Find(above + o.name + rest)
			if ok && q.alike(twin, f) && (q.names(o.family) || filesBelow(v, above+o.name+"/") > filesBelow(v, above+own+"/")) {
				return twin, true
			}
		}
	}
}

// alike tells whether the text of a fits the task about as well as that of b.
func (q *Query) alike(a, b int32) bool {
	chunk := q.raw["similarity.chunk"]
	return chunk[a] >= alike*chunk[b]
}

// names tells whether the task names a platform.
func (q *Query) names(family string) bool {
	for _, w := range q.task.Words {
		if platform(w) == family {
			return true
		}
	}
	return false
}

// filesBelow counts the files below a folder, whose path ends in a slash.
func filesBelow(v *index.View, dir string) int32 {
	next := strings.TrimSuffix(dir, "/") + string('/'+1) // the first path behind all of them
	return v.Seek(next) - v.Seek(dir)
}
