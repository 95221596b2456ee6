package git

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// maxAlternates bounds how deep alternates may name alternates; git's bound.
const maxAlternates = 5

// maxText bounds small files that are read whole: alternates, refs, config.
const maxText = 64 << 20

// store is the object database of a repository: its object directories, and
// the packs found in them. It is shared by readers.
type store struct {
	ids   naming
	dirs  []string // objects directories, the repository's own first
	packs atomic.Pointer[[]*pack]

	mu      sync.Mutex
	seq     uint32
	stamps  []dirStamp // of each dir's pack folder at the last scan
	known   map[string]knownPack
	damaged atomic.Bool // a pack could not be understood: go-git may know better
	warn    func(string)
}

type dirStamp struct {
	mtime time.Time
	ok    bool
}

// knownPack says which file a pack was opened from: one of the same name may
// take its place.
type knownPack struct {
	pack  *pack
	size  int64
	mtime time.Time
}

// openStore finds the object directories reachable from objects.
func openStore(objects string, ids naming, warn func(string)) *store {
	s := &store{ids: ids, warn: warn}
	seen := map[string]bool{}
	var add func(dir string, depth int)
	add = func(dir string, depth int) {
		dir = filepath.Clean(dir)
		if seen[dir] {
			return
		}
		seen[dir] = true
		s.dirs = append(s.dirs, dir)
		text, err := readText(filepath.Join(dir, "info", "alternates"))
		if err != nil {
			return
		}
		if depth >= maxAlternates {
			warn("alternates are nested too deeply; some objects are not here")
			return
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if line[0] == '"' {
				if plain, err := strconv.Unquote(line); err == nil {
					line = plain
				}
			}
			if !filepath.IsAbs(line) {
				line = filepath.Join(dir, line)
			}
			if fi, err := os.Stat(line); err != nil || !fi.IsDir() {
				warn(fmt.Sprintf("alternate object directory %s is not here", line))
				continue
			}
			add(line, depth+1)
		}
	}
	add(objects, 0)
	s.scan()
	return s
}

// Borrows reports whether objects are looked for in another repository too.
func (r *Repo) Borrows() bool { return len(r.store.dirs) > 1 }

// readText reads a small file.
func readText(name string) (string, error) {
	f, fi, err := openRegular(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if fi.Size() > maxText {
		return "", fmt.Errorf("read %s: %w: %d bytes", name, ErrTooLarge, fi.Size())
	}
	b, err := io.ReadAll(io.LimitReader(f, maxText))
	return string(b), err
}

// scan lists the packs again and reports whether the list changed.
func (s *store) scan() (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamps := make([]dirStamp, len(s.dirs))
	for i, dir := range s.dirs {
		if fi, err := os.Stat(filepath.Join(dir, "pack")); err == nil {
			stamps[i] = dirStamp{fi.ModTime(), true}
		}
	}
	if s.stamps != nil && slices.Equal(stamps, s.stamps) {
		return false
	}
	s.stamps = stamps
	var packs []*pack
	known := map[string]knownPack{}
	for _, dir := range s.dirs {
		files, _ := os.ReadDir(filepath.Join(dir, "pack")) // none: no packs
		for _, f := range files {                          // in order of name
			name, ok := strings.CutSuffix(f.Name(), ".idx")
			if !ok {
				continue
			}
			name = filepath.Join(dir, "pack", name)
			fi, err := os.Stat(name + ".idx")
			if err != nil {
				continue
			}
			if _, err := os.Stat(name + ".pack"); err != nil {
				continue // being written, or removed
			}
			k := s.known[name]
			if k.pack == nil || k.size != fi.Size() || !k.mtime.Equal(fi.ModTime()) {
				s.seq++
				p, err := openIndex(name, s.seq, s.ids)
				if err != nil {
					if !errors.Is(err, fs.ErrNotExist) {
						s.damaged.Store(true)
						s.warn(fmt.Sprintf("pack cannot be read: %v", err))
					}
					continue
				}
				k = knownPack{p, fi.Size(), fi.ModTime()}
				changed = true
			}
			known[name] = k
			packs = append(packs, k.pack)
		}
	}
	changed = changed || len(known) != len(s.known)
	s.known = known
	s.packs.Store(&packs)
	return changed
}

func (s *store) list() []*pack { return *s.packs.Load() }

// loose opens the file of a loose object.
func (s *store) loose(id OID) ([]byte, error) {
	hex := id.String()
	for _, dir := range s.dirs {
		name := hex[2:]
		if s.ids != bySHA1 {
			if name = fullName(filepath.Join(dir, hex[:2]), name); name == "" {
				continue
			}
		}
		b, err := readLoose(filepath.Join(dir, hex[:2], name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return b, err
	}
	return nil, ErrMissing
}

// fullName gives the name of the file in dir that begins with prefix, and is of
// the length that a loose object of a SHA-256 repository has; "" if none is.
func fullName(dir, prefix string) string {
	files, _ := os.ReadDir(dir)
	i, _ := slices.BinarySearchFunc(files, prefix, func(f fs.DirEntry, p string) int { return strings.Compare(f.Name(), p) })
	if i < len(files) && strings.HasPrefix(files[i].Name(), prefix) && len(files[i].Name()) == 2*bySHA256.size()-2 {
		return files[i].Name()
	}
	return ""
}

func readLoose(name string) ([]byte, error) {
	f, fi, err := openRegular(name)
	if errors.Is(err, ErrNotFile) {
		return nil, ErrCorrupt
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// Deflate never makes content much larger.
	if fi.Size() > MaxObject+MaxObject/8 {
		return nil, ErrTooLarge
	}
	b := make([]byte, fi.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return b, nil
}

// prefixed lists the objects whose ids begin with the given digits, at most
// about limit.
func (s *store) prefixed(hex string, limit int) []OID {
	var ids []OID
	for _, p := range s.list() {
		ids = p.prefixed(ids, hex, limit)
	}
	for _, dir := range s.dirs {
		files, _ := os.ReadDir(filepath.Join(dir, hex[:2]))
		for _, f := range files {
			if full := hex[:2] + f.Name(); strings.HasPrefix(full, hex) && len(ids) < limit {
				if id, err := ParseOID(full); err == nil {
					ids = append(ids, id)
				}
			}
		}
	}
	slices.SortFunc(ids, OID.compare)
	return slices.Compact(ids)
}
