package git

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// maxRaw is how many files may differ before renames are paired: more cannot
// come down to MaxChanges, since each rename makes one of two.
const maxRaw = 2 * MaxChanges

// maxDiffTrees bounds the folders compared for one commit.
const maxDiffTrees = 1 << 16

// treeCacheBytes is how much of the trees just seen a differ keeps by id. A
// commit's tree is the next one's parent, so most of them are asked for twice.
const treeCacheBytes = 8 << 20

// differ compares trees. It is for one goroutine at a time.
type differ struct {
	rd       *Reader
	trees    map[OID][]byte // seen; dropped as a whole when over treeCacheBytes
	bytes    int
	paths    map[string]string // one copy of each path
	path     []byte
	opened   int
	raw      []rawChange
	overflow bool
	sweep    bool // of a sweeping commit only what may be a rename is wanted
}

// rawChange is a file that differs.
type rawChange struct {
	Change
	id   OID    // of the blob: after, or for 'D' before
	mode uint32 // with it
}

// changes compares two trees; a zero id is the empty tree. huge: more than
// MaxChanges files differ, and the list is of the renames among them alone.
func (d *differ) changes(from, to OID) (list []Change, huge bool, err error) {
	d.raw, d.opened, d.overflow, d.sweep = d.raw[:0], 0, false, false
	d.path = d.path[:0]
	if err := d.compare(from, to, 0); err != nil {
		return nil, false, err
	}
	if d.overflow {
		list, err = d.moves(from, to)
		return list, true, err
	}
	d.pairRenames()
	if len(d.raw) > MaxChanges {
		return d.moved(), true, nil
	}
	if len(d.raw) == 0 {
		return nil, false, nil
	}
	list = make([]Change, len(d.raw))
	for i := range d.raw {
		list[i] = d.raw[i].Change
	}
	sortChanges(list)
	return list, false, nil
}

func sortChanges(list []Change) {
	slices.SortFunc(list, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Status, b.Status), strings.Compare(a.Old, b.Old))
	})
}

// tree reads a tree through the differ's own cache.
func (d *differ) tree(id OID) ([]byte, error) {
	if id.IsZero() {
		return nil, nil
	}
	if data, ok := d.trees[id]; ok {
		return data, nil
	}
	data, err := d.rd.tree(id)
	if err != nil {
		return nil, err
	}
	if d.bytes += len(data); d.bytes > treeCacheBytes || d.trees == nil {
		d.trees = map[OID][]byte{}
		d.bytes = len(data)
	}
	d.trees[id] = data
	return data, nil
}

// compare merges the entries of two trees, which are sorted by name with a
// slash behind the names of folders.
func (d *differ) compare(from, to OID, depth int) error {
	if d.opened++; d.opened > maxDiffTrees || depth > maxDepth {
		d.overflow = true
		return nil
	}
	a, err := d.tree(from)
	if err != nil {
		return err
	}
	b, err := d.tree(to)
	if err != nil {
		return err
	}
	size := d.rd.repo.naming.size()
	for (len(a) > 0 || len(b) > 0) && !d.overflow {
		var x, y rawEntry
		restA, restB := a, b
		if len(a) > 0 {
			var ok bool
			if x, restA, ok = nextEntry(a, size); !ok {
				return ErrCorrupt
			}
			// What is the same on both sides needs no second parse.
			if n := len(a) - len(restA); len(b) >= n && bytes.Equal(a[:n], b[:n]) {
				a, b = restA, b[n:]
				continue
			}
		}
		if len(b) > 0 {
			var ok bool
			if y, restB, ok = nextEntry(b, size); !ok {
				return ErrCorrupt
			}
		}
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		default:
			order = compareEntries(&x, &y)
		}
		switch {
		case order < 0:
			err = d.side('D', x, depth)
			a = restA
		case order > 0:
			err = d.side('A', y, depth)
			b = restB
		case x.isTree(): // and so is y: a folder's name sorts as no file's
			if !bytes.Equal(x.id, y.id) {
				err = d.descend(y.name, OID(x.id), OID(y.id), depth)
			}
			a, b = restA, restB
		default:
			if !bytes.Equal(x.id, y.id) || x.mode != y.mode {
				d.emit('M', y)
			}
			a, b = restA, restB
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compareEntries orders as git sorts trees.
func compareEntries(x, y *rawEntry) int {
	n := min(len(x.name), len(y.name))
	if c := bytes.Compare(x.name[:n], y.name[:n]); c != 0 {
		return c
	}
	next := func(e *rawEntry) int {
		switch {
		case len(e.name) > n:
			return int(e.name[n])
		case e.isTree():
			return '/'
		}
		return 0
	}
	if c := next(x) - next(y); c != 0 {
		return c
	}
	return len(x.name) - len(y.name)
}

// side takes an entry that only one side has.
func (d *differ) side(status byte, e rawEntry, depth int) error {
	if !e.isTree() {
		d.emit(status, e)
		return nil
	}
	if status == 'D' {
		return d.descend(e.name, OID(e.id), OID{}, depth)
	}
	return d.descend(e.name, OID{}, OID(e.id), depth)
}

func (d *differ) descend(name []byte, from, to OID, depth int) error {
	n := len(d.path)
	d.path = append(append(d.path, name...), '/')
	err := d.compare(from, to, depth+1)
	d.path = d.path[:n]
	return err
}

func (d *differ) emit(status byte, e rawEntry) {
	if d.sweep && status == 'M' {
		return
	}
	if len(d.raw) >= maxRaw && (!d.sweep || len(d.raw) >= maxSwept) {
		d.overflow = true
		return
	}
	n := len(d.path)
	full := append(d.path, e.name...)
	d.path = full[:n]
	name, ok := d.paths[string(full)]
	if !ok {
		if d.paths == nil {
			d.paths = map[string]string{}
		}
		name = string(full)
		d.paths[name] = name
	}
	d.raw = append(d.raw, rawChange{Change: Change{Status: status, Path: name}, id: OID(e.id), mode: e.mode})
}
