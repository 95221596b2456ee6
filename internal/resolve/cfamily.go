package resolve

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"cohop/internal/facts"
)

// maxIncluded bounds the files that a file is taken to include through
// others; headers that include everything make everything visible.
const maxIncluded = 400

// sourceExts are files that implement what a header of the same stem declares.
var sourceExts = []string{".c", ".cc", ".cpp", ".cxx", ".m", ".mm", "-inl.h", ".inl", ".ipp", ".tcc"}

// cModule finds an included file: beside the includer if quoted, else by the
// files whose path ends with it, of which the nearest are meant.
func cModule(w *worker, f int32, im *facts.Import) ([]int32, bool) {
	p := strings.TrimSpace(im.Module)
	if p == "" || len(p) > 512 || strings.HasSuffix(p, "/") {
		return nil, false
	}
	quoted := im.Relative > 0
	if quoted || strings.HasPrefix(p, ".") {
		if q, ok := joinPath(w.s.dir[f], p); ok {
			if out := w.s.find(q); out != nil {
				return out, true
			}
		}
	}
	key := "c:" + p
	all, ok := w.memo[key]
	if !ok {
		all = w.s.suffix(p)
		// A header that a build makes from a template.
		for _, e := range []string{".in", ".cmake", ".h.in"} {
			if len(all) == 0 {
				all = w.s.suffix(p + e)
			}
		}
		w.memo[key] = all
	}
	if !quoted && libraryHeaders[p] {
		all = w.s.ownLibrary(all)
		if len(all) == 0 {
			return nil, false
		}
	}
	if len(all) > 0 {
		return w.s.includeRoot(f, p, all), true
	}
	// Absent: the tree's own only if its folder is, or if it should stand
	// beside the includer.
	if d, _ := splitPath(p); d != "" {
		return nil, strings.HasPrefix(p, ".") || len(w.s.folders(d)) > 0 && !systemDirs[d]
	}
	return nil, quoted
}

// systemDirs are folders of system headers that trees often have too.
var systemDirs = map[string]bool{"sys": true, "linux": true, "net": true, "netinet": true, "arpa": true, "asm": true, "mach": true, "os": true, "CoreFoundation": true, "experimental": true, "bits": true}

// libraryHeaders are the single names that mean the C library or the system
// in angles, whatever file of the tree ends with them: <errno.h> is not
// uv/errno.h.
var libraryHeaders = func() map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields(`assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp
		signal stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar
		wchar wctype aio cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen mqueue ndbm netdb
		nl_types poll pthread pwd regex sched search semaphore spawn strings stropts syslog tar termios ulimit unistd
		utime utmpx wordexp alloca malloc memory getopt endian byteswap features elf link ucontext windows winsock2
		ws2tcpip io process direct intrin`) {
		m[s+".h"] = true
	}
	for _, s := range strings.Fields(`algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv
		cfloat charconv chrono cinttypes climits clocale cmath codecvt compare complex concepts condition_variable
		coroutine csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque
		exception execution expected filesystem format forward_list fstream functional future generator
		initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map mdspan memory
		memory_resource mutex new numbers numeric optional ostream print queue random ranges ratio regex
		scoped_allocator semaphore set shared_mutex source_location span spanstream sstream stack stacktrace stdexcept
		stop_token streambuf string string_view strstream syncstream system_error thread tuple type_traits typeindex
		typeinfo unordered_map unordered_set utility valarray variant vector version`) {
		m[s] = true
	}
	return m
}()

// ownLibrary keeps those of the files that a tree which is itself a C library
// has for the name: right below a folder called include at its root.
func (s *site) ownLibrary(files []int32) []int32 {
	var out []int32
	for _, g := range files {
		if s.dir[g] == "include" {
			out = append(out, g)
		}
	}
	return out
}

// folders lists those of the likely include roots that hold folder d.
func (s *site) folders(d string) []string {
	var out []string
	for _, r := range []string{"", "include", "src", "lib", "source"} {
		if s.dirs[at(r, d)] {
			out = append(out, at(r, d))
		}
	}
	return out
}

// includeRoot chooses among files that all end with p: roots called include
// or src above the includer first, then the nearest, then the shortest path.
func (s *site) includeRoot(f int32, p string, files []int32) []int32 {
	if len(files) < 2 {
		return files
	}
	near := s.near(f, files)
	if own := s.originals(near); len(own) > 0 {
		near = own // the header, not what is made of all headers in one
	}
	if len(near) < 2 {
		return near
	}
	// As near as each other: the one closest to the root of the tree.
	best := slices.MinFunc(near, func(a, b int32) int {
		return cmp.Or(cmp.Compare(strings.Count(s.path[a], "/"), strings.Count(s.path[b], "/")), cmp.Compare(a, b))
	})
	var out []int32
	for _, g := range near {
		if strings.Count(s.path[g], "/") == strings.Count(s.path[best], "/") {
			out = append(out, g)
		}
	}
	return out
}

// originals drops the copies among files.
func (s *site) originals(files []int32) []int32 {
	var out []int32
	for _, g := range files {
		if !s.copy(g) {
			out = append(out, g)
		}
	}
	return out
}

// cEnter marks what the includes include, and the sources behind the headers.
func cEnter(w *worker, sc *scope) {
	// Breadth first from the direct includes, which are marked already.
	queue := []int32{}
	for _, g := range w.touched {
		if w.cls[g] == clsImport {
			queue = append(queue, g)
		}
	}
	direct := len(queue)
	slices.Sort(queue)
	seen := map[int32]bool{sc.f: true}
	for _, g := range queue {
		seen[g] = true
	}
	for i := 0; i < len(queue) && len(queue) < maxIncluded; i++ {
		fa := w.s.t.Facts(queue[i])
		if w.s.fam[queue[i]] != famC {
			continue
		}
		for k := range fa.Imports {
			for _, g := range w.included(queue[i], &fa.Imports[k]) {
				if !seen[g] {
					seen[g] = true
					queue = append(queue, g)
				}
			}
		}
	}
	for i, g := range queue {
		c := clsPeer
		if i < direct {
			c = clsImport
		}
		w.mark([]int32{g}, c)
		w.mark(w.implements(g), c)
	}
}

// included is cModule with a memo by includer's folder.
func (w *worker) included(f int32, im *facts.Import) []int32 {
	q := "<"
	if im.Relative > 0 {
		q = "\""
	}
	key := "i:" + w.s.dir[f] + q + im.Module
	if out, ok := w.memo[key]; ok {
		return out
	}
	out, _ := cModule(w, f, im)
	w.memo[key] = out
	return out
}

// implements finds the sources behind header g: same stem, beside it or the
// only such files of the tree.
func (w *worker) implements(g int32) []int32 {
	p := w.s.path[g]
	ext := path.Ext(p)
	if !strings.HasPrefix(ext, ".h") {
		return nil
	}
	key := "s:" + p
	if out, ok := w.memo[key]; ok {
		return out
	}
	st := strings.TrimSuffix(p, ext)
	_, base := splitPath(st)
	var out []int32
	for _, e := range sourceExts {
		if f, ok := w.s.t.Find(st + e); ok {
			out = append(out, f)
		}
	}
	if len(out) == 0 {
		for _, e := range sourceExts[:5] {
			if fs := w.s.t.Base(base + e); len(fs) > 0 {
				out = append(out, w.s.near(g, fs)...)
			}
		}
		if len(out) > 2 {
			out = nil
		}
	}
	w.memo[key] = out
	return out
}
