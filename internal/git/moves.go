package git

import "path"

// A commit that sweeps over thousands of files says nothing about what belongs
// together, but when it moves them all, what is known of them under their old
// names is lost unless the moves are kept.
const (
	// maxSwept bounds the additions and deletions of a sweeping commit among
	// which moves are looked for: a tree of 250,000 files that moves as one.
	maxSwept = 500_000

	// leastMoved is the fewest moves that are kept of a sweeping commit. A few
	// equal files among thousands are chance, and a commit of a few changes
	// is what co-change is read from.
	leastMoved = 500
)

// moves gives the renames of a commit that changes more than a differ keeps;
// nil if it hardly moves any file, or is too large even for that.
func (d *differ) moves(from, to OID) ([]Change, error) {
	if from.IsZero() || to.IsZero() || d.opened > maxDiffTrees {
		return nil, nil
	}
	d.raw, d.opened, d.overflow, d.sweep = d.raw[:0], 0, false, true
	d.path = d.path[:0]
	if err := d.compare(from, to, 0); err != nil {
		return nil, err
	}
	if d.overflow {
		return nil, nil
	}
	d.pairRenames()
	list := d.moved()
	if cap(d.raw) > 2*maxRaw {
		d.raw = nil
	}
	return list, nil
}

// moved gives the renames among what differs, nil if they are few.
func (d *differ) moved() []Change {
	var list []Change
	for i := range d.raw {
		if d.raw[i].Status == 'R' {
			list = append(list, d.raw[i].Change)
		}
	}
	if len(list) < leastMoved {
		return nil
	}
	sortChanges(list)
	return list
}

// origin is what an addition must have in common with the deletion that it is
// the other half of. base is "" where the name does not matter.
type origin struct {
	id   OID
	mode uint32 // type only
	base string
}

// pairRenames makes one 'R' of each deletion and addition of the same blob:
// those of equal base name first, then by the order of paths. Files without
// content are all alike, so one is taken for another only under the same name.
func (d *differ) pairRenames() {
	gone, added := 0, 0
	for _, c := range d.raw {
		switch {
		case c.Status == 'A':
			added++
		case c.Status == 'D' && c.mode&ModeType != ModeGitlink:
			gone++
		}
	}
	if gone == 0 || added == 0 {
		return
	}
	drop := make([]bool, len(d.raw))
	empty := d.rd.repo.naming.blobID(nil)
	for _, byName := range []bool{true, false} {
		key := func(c *rawChange) origin {
			o := origin{id: c.id, mode: c.mode & ModeType}
			if byName {
				o.base = path.Base(c.Path)
			}
			return o
		}
		queue := make(map[origin][]int, gone) // deletions, in order
		for i := range d.raw {
			if c := &d.raw[i]; c.Status == 'D' && !drop[i] && c.mode&ModeType != ModeGitlink {
				k := key(c)
				queue[k] = append(queue[k], i)
			}
		}
		for i := range d.raw {
			c := &d.raw[i]
			if c.Status != 'A' || !byName && c.id == empty {
				continue
			}
			k := key(c)
			if old := queue[k]; len(old) > 0 {
				c.Status, c.Old = 'R', d.raw[old[0]].Path
				drop[old[0]] = true
				queue[k] = old[1:]
			}
		}
	}
	kept := d.raw[:0]
	for i, c := range d.raw {
		if !drop[i] {
			kept = append(kept, c)
		}
	}
	d.raw = kept
}
