package repo

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cohop/internal/facts"
	"cohop/internal/history"
	"cohop/internal/index"
)

// DefaultCacheLimit is the most that the caches of all repositories keep, in
// bytes: the segments of a hundred mid-sized trees, and little of today's disks.
const DefaultCacheLimit = 2 << 30

// CachePart is one folder of a repository's cache.
type CachePart struct {
	Name    string `json:"name"` // facts-1, tree-1, log-1
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"`
	Current bool   `json:"current"` // of this program's version
}

// CacheDir returns the repository's folder of derived files, "" if there is
// none.
func (s *State) CacheDir() string { return s.cache.dir }

// CacheParts lists the parts of a repository's cache folder by name. A folder
// that is not there has none.
func CacheParts(dir string) ([]CachePart, error) {
	if dir == "" {
		return nil, nil
	}
	kept, err := cacheFiles(dir)
	if err != nil {
		return nil, err
	}
	var parts []CachePart
	for _, f := range kept {
		if n := len(parts); n == 0 || parts[n-1].Name != f.part {
			parts = append(parts, CachePart{Name: f.part, Current: currentPart(f.part)})
		}
		p := &parts[len(parts)-1]
		p.Files++
		p.Bytes += f.size
	}
	return parts, nil
}

// currentPart tells whether this program reads what is in a part.
func currentPart(name string) bool {
	return name == fmt.Sprintf("facts-%d", facts.Version) || name == fmt.Sprintf("tree-%d", index.FormatVersion) ||
		name == lookPart || name == fmt.Sprintf("log-%d", history.FormatVersion) || name == fmt.Sprintf("past-%d", history.PastVersion)
}

// isPart tells whether a folder's name is one that some version makes.
func isPart(name string) bool {
	kind, n, ok := strings.Cut(name, "-")
	if _, err := strconv.ParseUint(n, 10, 31); !ok || err != nil {
		return false
	}
	return kind == "look" || kind == "facts" || kind == "tree" || kind == "log" || kind == "past"
}

// cacheFile is one file of a part.
type cacheFile struct {
	part string // name of the folder
	path string
	size int64
	used time.Time
}

// cacheFiles lists the files of a repository's cache that a version of this
// program made, by part, then name. Whatever else is there is not looked at.
func cacheFiles(dir string) (out []cacheFile, err error) {
	parts, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("read cache: %w", err)
	}
	for _, p := range parts {
		if !p.IsDir() || !isPart(p.Name()) {
			continue
		}
		files, err := os.ReadDir(filepath.Join(dir, p.Name()))
		if err != nil {
			return nil, fmt.Errorf("read cache: %w", err)
		}
		for _, f := range files {
			info, err := f.Info()
			if err != nil || !info.Mode().IsRegular() {
				continue // gone since, or none of ours
			}
			out = append(out, cacheFile{p.Name(), filepath.Join(dir, p.Name(), f.Name()), info.Size(), info.ModTime()})
		}
	}
	return out, nil
}

// Collected says what Collect did.
type Collected struct {
	Repos   int   // caches looked at
	Removed int   // files
	Freed   int64 // bytes
	Kept    int64 // bytes
	Busy    int   // caches left alone since another process writes to them
}

// unit is what is removed together.
type unit struct {
	used  time.Time
	name  string // breaks ties
	files []cacheFile
	size  int64
}

// Collect removes from the caches below root ("" is the user's) what no
// program of this version reads, then what was not used for longest until at
// most limit bytes are left. A segment goes by itself; the facts and the log of
// a repository go together, after its segments, since others are made of them.
// Ties go by name, so that the same caches shrink to the same files.
func Collect(root string, limit int64) (Collected, error) {
	var done Collected
	if root == "" {
		root = CacheRoot()
	}
	repos, err := os.ReadDir(root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return done, nil
		}
		return done, fmt.Errorf("collect caches: %w", err)
	}
	var units []unit
	for _, r := range repos {
		if !r.IsDir() || !isCacheName(r.Name()) {
			continue
		}
		dir := filepath.Join(root, r.Name())
		files, err := cacheFiles(dir)
		if err != nil {
			return done, err
		}
		if len(files) == 0 {
			continue
		}
		done.Repos++
		release := (&cache{dir: dir}).lock(0)
		if release == nil {
			done.Busy++
			for _, f := range files {
				done.Kept += f.size
			}
			continue
		}
		// Held to the end: nobody writes what is about to be weighed.
		defer release()
		units = append(units, done.weigh(dir, files)...)
	}
	slices.SortFunc(units, func(a, b unit) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	total := done.Kept
	for i := range units {
		total += units[i].size
	}
	for i := range units {
		if total <= limit {
			break
		}
		total -= units[i].size
		for _, f := range units[i].files {
			done.remove(f)
		}
	}
	done.Kept = total
	dropStale(root, repos)
	return done, nil
}

// isCacheName tells whether openCache names folders so.
func isCacheName(name string) bool {
	return len(name) == 16 && strings.Trim(name, "0123456789abcdef") == ""
}

// weigh removes what is of no use at once and returns the rest as units.
func (done *Collected) weigh(dir string, files []cacheFile) (units []unit) {
	whole := unit{name: dir + "\xff"} // behind the segments of the same time
	segments := map[string]*unit{}
	var order []string
	for _, f := range files {
		base := filepath.Base(f.path)
		ext := filepath.Ext(strings.TrimSuffix(base, stampExt))
		switch {
		case !currentPart(f.part), strings.HasPrefix(base, ".tmp-"):
			done.remove(f)
			continue
		case strings.HasPrefix(f.part, "tree-") && (ext == ".seg" || ext == statsExt), ext == pastExt, ext == overExt, ext == typesExt:
			key := strings.TrimSuffix(strings.TrimSuffix(f.path, stampExt), ext)
			u := segments[key]
			if u == nil {
				u = &unit{name: key}
				segments[key] = u
				order = append(order, key)
			}
			u.files, u.size = append(u.files, f), u.size+f.size
			if base == filepath.Base(key)+ext && ext != statsExt {
				u.used = f.used
			}
		case strings.HasPrefix(f.part, "tree-"): // which segment was the latest: a few bytes
			continue
		default:
			whole.files, whole.size = append(whole.files, f), whole.size+f.size
		}
		if f.used.After(whole.used) {
			whole.used = f.used
		}
	}
	for _, key := range order {
		units = append(units, *segments[key])
	}
	if len(whole.files) > 0 {
		units = append(units, whole)
	}
	return units
}

func (done *Collected) remove(f cacheFile) {
	if os.Remove(f.path) == nil {
		done.Removed++
		done.Freed += f.size
	}
}

// dropStale removes what names a segment that is gone, and folders that are
// empty.
func dropStale(root string, repos []fs.DirEntry) {
	for _, r := range repos {
		if !r.IsDir() || !isCacheName(r.Name()) {
			continue
		}
		files, _ := cacheFiles(filepath.Join(root, r.Name()))
		for _, f := range files {
			if !strings.HasPrefix(filepath.Base(f.path), "latest-") {
				continue
			}
			b, err := readKept(f.path, maxNote)
			if err != nil {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(f.path), filepath.Base(strings.TrimSpace(string(b))))); errors.Is(err, fs.ErrNotExist) {
				os.Remove(f.path)
			}
		}
		parts, _ := os.ReadDir(filepath.Join(root, r.Name()))
		for _, p := range parts {
			if p.IsDir() && isPart(p.Name()) {
				os.Remove(filepath.Join(root, r.Name(), p.Name())) // only if it is empty
			}
		}
	}
}
