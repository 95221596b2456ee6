package git

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
)

// Refs kept as reftable stand in a stack of tables, named from the oldest to
// the newest by reftable/tables.list; what a newer one says of a ref goes
// before what older ones say. A table is a file of blocks:
//
//	header   "REFT", version u8, block size u24, two update indexes u64,
//	         in version 2 also the naming of objects
//	blocks   of refs, then of indexes, objects and logs, which are not read
//	footer   the header again, where the parts begin, crc32
//	block    type u8, length u24, records, restart offsets u24, their count u16
//	record   length shared with the name before, length of the rest << 3 | kind,
//	         rest, update index, then by kind nothing, an id, two, or a target
//
// Source: the file format as reftable.txt of git's technical documentation
// describes it. Tables are read whole, without their indexes: some 20 ns a ref.

// tableRef is what a table says of a ref: an id, or the ref that it stands
// for; neither when it is deleted.
type tableRef struct {
	id     OID
	target string
}

// refStack is what a stack of tables says, as its list was when it was read.
type refStack struct {
	list string
	refs map[string]tableRef
}

// refStacks keeps the stacks of a repository: the shared one, and that of a
// linked worktree. It is safe for concurrent use.
type refStacks struct {
	ids naming

	mu   sync.Mutex
	dirs map[string]refStack // by git directory
}

const (
	// maxTables bounds a stack; git keeps the sizes geometric, some ten.
	maxTables = 1000

	// maxNames bounds the bytes of the names of a stack: records share what
	// they begin with, so that a small file could hold very long ones. The
	// largest public repositories have a million refs of 60 bytes.
	maxNames = 256 << 20

	// stackTries is how often a stack is read again whose tables are gone:
	// another process joined them between the list and the table.
	stackTries = 4
)

// Kinds of records of refs.
const (
	recordDeleted = iota
	recordID
	recordPeeled // of a tag: its id, and what it is of
	recordSymbolic
)

// load gives the refs that stand below a git directory.
func (s *refStacks) load(dir string) (map[string]tableRef, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for try := 1; ; try++ {
		list, err := readText(filepath.Join(dir, "reftable", "tables.list"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("refs: %w", err)
		}
		if known, ok := s.dirs[dir]; ok && known.list == list {
			return known.refs, nil
		}
		refs, err := readStack(dir, list, s.ids)
		if errors.Is(err, fs.ErrNotExist) && try < stackTries {
			continue
		}
		if err != nil {
			return nil, err
		}
		if s.dirs == nil {
			s.dirs = map[string]refStack{}
		}
		s.dirs[dir] = refStack{list, refs}
		return refs, nil
	}
}

func readStack(dir, list string, ids naming) (map[string]tableRef, error) {
	names := strings.Fields(list)
	if len(names) > maxTables {
		return nil, fmt.Errorf("refs: %d tables: %w", len(names), ErrTooLarge)
	}
	refs := map[string]tableRef{}
	bytes := 0
	for _, name := range names {
		if name != filepath.Base(name) || strings.HasPrefix(name, ".") {
			return nil, fmt.Errorf("refs: table %q: %w", name, ErrCorrupt)
		}
		text, err := readText(filepath.Join(dir, "reftable", name))
		if err != nil {
			return nil, fmt.Errorf("refs: table %s: %w", name, err)
		}
		err = readTable(text, ids, func(ref string, r tableRef) error {
			if bytes += len(ref); bytes > maxNames {
				return fmt.Errorf("%w: over %d bytes of names", ErrTooLarge, maxNames)
			}
			if r == (tableRef{}) {
				delete(refs, ref)
			} else {
				refs[ref] = r
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("refs: table %s: %w", name, err)
		}
	}
	return refs, nil
}

// readTable calls f for each ref of a table, in the order of names, until it
// fails.
func readTable(text string, ids naming, f func(name string, r tableRef) error) error {
	b := []byte(text)
	head := 24
	if len(b) < 5 || string(b[:4]) != "REFT" {
		return fmt.Errorf("%w: no header", ErrCorrupt)
	}
	switch b[4] {
	case 1:
	case 2:
		head = 28
	default:
		return fmt.Errorf("%w: table of version %d", ErrUnsupported, b[4])
	}
	foot := head + 5*8 + 4
	if len(b) < head+foot {
		return fmt.Errorf("%w: cut off", ErrCorrupt)
	}
	footer := b[len(b)-foot:]
	if crc32.ChecksumIEEE(footer[:foot-4]) != binary.BigEndian.Uint32(footer[foot-4:]) || string(footer[:head]) != string(b[:head]) {
		return fmt.Errorf("%w: the footer does not check", ErrCorrupt)
	}
	if head == 28 && (string(b[24:28]) == "s256") != (ids == bySHA256) {
		return fmt.Errorf("%w: its ids are those of another repository", ErrCorrupt)
	}
	blockSize := u24(b[5:])
	body := b[:len(b)-foot]
	for at := 0; at < len(body); {
		start := at
		if at == 0 {
			start = head
		}
		// What follows the blocks of refs has another type.
		if start >= len(body) || body[start] != 'r' {
			return nil
		}
		if len(body)-start < 4 {
			return fmt.Errorf("%w: block is cut off", ErrCorrupt)
		}
		end := at + u24(body[start+1:])
		if end > len(body) || end < start+4+2 {
			return fmt.Errorf("%w: block is cut off", ErrCorrupt)
		}
		records := end - 2 - 3*int(binary.BigEndian.Uint16(body[end-2:]))
		if records < start+4 {
			return fmt.Errorf("%w: block without records", ErrCorrupt)
		}
		if err := readRefs(body[start+4:records], ids, f); err != nil {
			return err
		}
		// Blocks are padded to their size, or follow each other closely.
		next := at + blockSize
		if next < end || end < len(body) && body[end] != 0 {
			next = end
		}
		at = next
	}
	return nil
}

// readRefs reads the records of a block.
func readRefs(b []byte, ids naming, f func(string, tableRef) error) error {
	size := ids.size()
	name := ""
	for len(b) > 0 {
		shared, n := offsetVarint(b)
		rest, m := offsetVarint(b[n:])
		if n == 0 || m == 0 {
			return fmt.Errorf("%w: record of a ref", ErrCorrupt)
		}
		b = b[n+m:]
		kind, length := rest&7, rest>>3
		if shared > uint64(len(name)) || length > uint64(len(b)) {
			return fmt.Errorf("%w: name of a ref", ErrCorrupt)
		}
		name = name[:shared] + string(b[:length])
		b = b[length:]
		if _, n = offsetVarint(b); n == 0 { // the update index
			return fmt.Errorf("%w: ref %q", ErrCorrupt, name)
		}
		b = b[n:]
		var r tableRef
		take := 0
		switch kind {
		case recordDeleted:
		case recordID:
			take = size
		case recordPeeled:
			take = 2 * size
		case recordSymbolic:
			length, n := offsetVarint(b)
			if n == 0 || length == 0 || length > uint64(len(b)-n) {
				return fmt.Errorf("%w: ref %q", ErrCorrupt, name)
			}
			r.target = string(b[n : n+int(length)])
			take = n + int(length)
		default:
			return fmt.Errorf("%w: ref %q of kind %d", ErrCorrupt, name, kind)
		}
		if take > len(b) {
			return fmt.Errorf("%w: ref %q", ErrCorrupt, name)
		}
		if kind == recordID || kind == recordPeeled {
			copy(r.id[:], b)
		}
		b = b[take:]
		if err := f(name, r); err != nil {
			return err
		}
	}
	return nil
}

func u24(b []byte) int { return int(b[0])<<16 | int(b[1])<<8 | int(b[2]) }
