package repo

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cohop/internal/git"
	"cohop/internal/index"
)

// What is laid over a segment is kept too: a person asks several times about
// the same dirty tree, and a hook at every prompt. The name is made of the
// segment's and of all that differs from it, so that a kept overlay is either
// right or not found.

const (
	overExt = ".over"

	// maxOver is how many overlays a repository keeps, the last used.
	maxOver = 8
)

// overPath names the overlay of entries and gone over the State's base, whose
// edges tag tells from others, "" when it cannot be kept.
func (s *State) overPath(entries []git.Entry, gone map[string]bool, tag, ext string) string {
	if s.baseKey == "" {
		return ""
	}
	dir := s.cache.sub(fmt.Sprintf("tree-%d", index.FormatVersion))
	if dir == "" {
		return ""
	}
	h := sha256.New()
	h.Write([]byte(s.baseKey + tag))
	if s.baseLost != nil { // edges depend on what the base knows
		h.Write(s.baseLost.mark[:])
	}
	for i := range entries {
		fmt.Fprintf(h, "\x00%s\x00", entries[i].Path)
		h.Write(entries[i].ID[:])
	}
	lost := make([]string, 0, len(gone))
	for p := range gone {
		lost = append(lost, p)
	}
	slices.Sort(lost)
	for _, p := range lost {
		fmt.Fprintf(h, "\x00-%s", p)
	}
	return filepath.Join(dir, hex.EncodeToString(h.Sum(nil)[:16])+ext)
}

// openOver maps a kept overlay. It is refused unless its files are those of
// entries and its edges fit.
func (s *State) openOver(path string, base *index.Segment, entries []git.Entry, gone map[string]bool) (*index.Segment, []index.Edge, bool) {
	if path == "" {
		return nil, nil, false
	}
	open := func(check bool) func(b []byte) (*index.Over, error) {
		return func(b []byte) (*index.Over, error) { return index.OpenOver(b, check) }
	}
	o, m, err := openChecked(path, s.opt.Exact, open(false), open(true))
	if err != nil {
		if !notExist(err) {
			removeChecked(path)
		}
		return nil, nil, false
	}
	fits := int(o.Segment.Files()) == len(entries)
	files := base.Files() - int32(len(gone))
	for i := range entries {
		if f, ok := o.Segment.Find(entries[i].Path); !ok || int(f) != i {
			fits = false
			break
		}
		if _, stood := base.Find(entries[i].Path); !stood {
			files++
		}
	}
	var edges []index.Edge
	if fits {
		edges, fits = o.Edges(files)
	}
	if !fits {
		m.close()
		removeChecked(path)
		return nil, nil, false
	}
	s.closers = append(s.closers, m.close)
	return o.Segment, edges, true
}

// keepOver writes the overlay if nobody else is writing.
func (s *State) keepOver(path string, over *index.Segment) {
	if path == "" || s.cut || len(s.lost.ids) > 0 { // the next one may get to read more
		return
	}
	release := s.cache.lock(0)
	if release == nil {
		return
	}
	defer release()
	if keep(path, index.EncodeOver(over, s.View.Edges())) == nil {
		sweepOld(filepath.Dir(path), overExt, maxOver)
	}
}

// sweepOld removes the files of a kind but the most last used.
func sweepOld(dir, ext string, most int) {
	entries, _ := os.ReadDir(dir)
	type file struct {
		path string
		when time.Time
	}
	var files []file
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ext) {
			files = append(files, file{filepath.Join(dir, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.when.Compare(a.when), cmp.Compare(a.path, b.path)) })
	for _, f := range files[min(most, len(files)):] {
		removeChecked(f.path)
	}
}
