package git

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// indexEntry is one path of the index.
type indexEntry struct {
	path         string
	mode         uint32
	id           OID
	size         uint32 // of the file in the working tree when it was added, modulo 2^32
	mtime        int64  // seconds
	nsec         uint32
	stage        uint8 // 0, or 1 to 3 in a conflict
	assumeValid  bool
	skipWorktree bool // sparse checkout: not in the working tree
	intentToAdd  bool // git add -N: has no content yet
}

// gitIndex is a decoded index file.
type gitIndex struct {
	entries []indexEntry // by path, then stage
	tree    OID          // tree that the entries make up; zero when not known
	sparse  bool         // some entries are folders (mode ModeDir, path without the slash)
}

// Bits of an entry's flags.
const (
	flagAssumeValid  = 1 << 15
	flagExtended     = 1 << 14
	flagStage        = 3 << 12
	extSkipWorktree  = 1 << 14
	extIntentToAdd   = 1 << 13
	indexStat        = 40 // bytes of an entry before its id, which flags follow
	maxIndexPath     = 1 << 15
	maxIndexFileSize = 1 << 30
)

// parseGitIndex decodes versions 2 to 4 of gitformat-index(5). shared gives the
// content of the shared file, by all digits of its id, that a split index is
// relative to. Optional
// extensions are passed over, and so is their content when it is odd; unknown
// mandatory ones are errors.
func parseGitIndex(data []byte, ids naming, shared func(id string) ([]byte, error)) (*gitIndex, error) {
	idx, link, err := parseGitIndexFile(data, ids)
	if err != nil {
		return nil, err
	}
	if link != nil {
		if err := idx.join(link, ids, shared); err != nil {
			return nil, fmt.Errorf("split index: %w", err)
		}
	}
	order := func(a, b indexEntry) int {
		if c := strings.Compare(a.path, b.path); c != 0 {
			return c
		}
		return int(a.stage) - int(b.stage)
	}
	for i := range idx.entries {
		e := &idx.entries[i]
		if e.mode&ModeType == ModeDir {
			idx.sparse = true
			e.path = strings.TrimSuffix(e.path, "/")
		}
		if i > 0 && order(idx.entries[i-1], *e) >= 0 && !idx.sparse {
			return nil, fmt.Errorf("index: %w: entry %d %q is out of order", ErrCorrupt, i, e.path)
		}
	}
	if idx.sparse {
		slices.SortStableFunc(idx.entries, order)
	}
	return idx, nil
}

// parseGitIndexFile decodes one file. link is the content of its split index
// extension, if it has one.
func parseGitIndexFile(data []byte, ids naming) (idx *gitIndex, link []byte, err error) {
	size := ids.size()
	if len(data) < 12+size || string(data[:4]) != "DIRC" {
		return nil, nil, fmt.Errorf("index: %w: no header", ErrCorrupt)
	}
	body, sum := data[:len(data)-size], data[len(data)-size:]
	// index.skipHash writes zeros instead of the checksum.
	if !bytes.Equal(ids.sum(body), sum) && !bytes.Equal(sum, make([]byte, size)) {
		return nil, nil, fmt.Errorf("index: %w: checksum differs", ErrCorrupt)
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return nil, nil, fmt.Errorf("index: %w: version %d", ErrUnsupported, version)
	}
	if int64(count)*int64(indexStat+size+2) > int64(len(body)) {
		return nil, nil, fmt.Errorf("index: %w: %d entries in %d bytes", ErrCorrupt, count, len(body))
	}
	idx = &gitIndex{entries: make([]indexEntry, 0, count)}
	text := string(body) // names are substrings of it
	pos := 12
	for i := range int(count) {
		e, next, err := parseGitIndexEntry(text, body, pos, size, version, idx.entries)
		if err != nil {
			return nil, nil, fmt.Errorf("index: entry %d: %w", i, err)
		}
		idx.entries = append(idx.entries, e)
		pos = next
	}
	for pos+8 <= len(body) {
		sig, length := text[pos:pos+4], int64(binary.BigEndian.Uint32(body[pos+4:]))
		pos += 8
		if length > int64(len(body)-pos) {
			return nil, nil, fmt.Errorf("index: %w: extension %q is cut off", ErrCorrupt, sig)
		}
		content := body[pos : pos+int(length)]
		pos += int(length)
		switch {
		case sig == "link":
			link = content
		case sig == "sdir":
			idx.sparse = true
		case sig == "TREE":
			idx.tree = cachedTree(content, size)
		case sig[0] < 'A' || sig[0] > 'Z':
			return nil, nil, fmt.Errorf("index: %w: extension %q", ErrUnsupported, sig)
		}
	}
	if pos != len(body) {
		return nil, nil, fmt.Errorf("index: %w: %d bytes too many", ErrCorrupt, len(body)-pos)
	}
	return idx, link, nil
}

func parseGitIndexEntry(text string, body []byte, pos, size int, version uint32, before []indexEntry) (e indexEntry, next int, err error) {
	least := indexStat + size + 2
	if len(body)-pos < least {
		return e, 0, fmt.Errorf("%w: cut off", ErrCorrupt)
	}
	u32 := func(off int) uint32 { return binary.BigEndian.Uint32(body[pos+off:]) }
	e.mtime, e.nsec = int64(int32(u32(8))), u32(12)
	e.mode, e.size = u32(24), u32(36)
	copy(e.id[:], body[pos+indexStat:])
	flags := binary.BigEndian.Uint16(body[pos+indexStat+size:])
	e.assumeValid = flags&flagAssumeValid != 0
	e.stage = uint8(flags & flagStage >> 12)
	name := pos + least
	if version >= 3 && flags&flagExtended != 0 {
		if len(body)-name < 2 {
			return e, 0, fmt.Errorf("%w: cut off", ErrCorrupt)
		}
		ext := binary.BigEndian.Uint16(body[name:])
		e.skipWorktree = ext&extSkipWorktree != 0
		e.intentToAdd = ext&extIntentToAdd != 0
		name += 2
	}
	keep := 0 // bytes shared with the name before, version 4
	last := ""
	if version == 4 {
		cut, n := offsetVarint(body[name:])
		if len(before) > 0 {
			last = before[len(before)-1].path
		}
		if n == 0 || cut > uint64(len(last)) {
			return e, 0, fmt.Errorf("%w: prefix of name", ErrCorrupt)
		}
		name += n
		keep = len(last) - int(cut)
	}
	length := strings.IndexByte(text[name:], 0)
	if length < 0 || keep+length > maxIndexPath {
		return e, 0, fmt.Errorf("%w: name", ErrCorrupt)
	}
	e.path = text[name : name+length]
	next = name + length + 1
	if version == 4 {
		if keep > 0 {
			e.path = last[:keep] + e.path
		}
		return e, next, nil
	}
	// One to eight NULs fill an entry up to a multiple of eight bytes.
	next = pos + (name+length-pos+8)&^7
	if next > len(body) {
		return e, 0, fmt.Errorf("%w: cut off", ErrCorrupt)
	}
	return e, next, nil
}

// offsetVarint reads git's base-128 number in which each further byte also
// adds one; n is 0 when it is cut off or too large.
func offsetVarint(b []byte) (v uint64, n int) {
	for n < len(b) && n < 9 {
		c := b[n]
		n++
		v |= uint64(c & 0x7f)
		if c&0x80 == 0 {
			return v, n
		}
		v = (v + 1) << 7
	}
	return 0, 0
}

// cachedTree gives the tree id of the cache tree's root; zero when entries
// changed since it was made.
func cachedTree(b []byte, size int) (id OID) {
	if len(b) == 0 || b[0] != 0 {
		return OID{}
	}
	count, rest, ok := bytes.Cut(b[1:], []byte(" "))
	_, rest, ok2 := bytes.Cut(rest, []byte("\n"))
	n, err := strconv.Atoi(string(count))
	if !ok || !ok2 || err != nil || n < 0 || len(rest) < size {
		return OID{}
	}
	copy(id[:], rest)
	return id
}

// join completes a split index: link names the shared file and says which of
// its entries are deleted and which are replaced; entries without a name are
// the replacements, in order, the others are new.
func (idx *gitIndex) join(link []byte, ids naming, shared func(id string) ([]byte, error)) error {
	size := ids.size()
	if len(link) < size {
		return fmt.Errorf("%w: link is cut off", ErrCorrupt)
	}
	id := link[:size]
	link = link[size:]
	if bytes.Equal(id, make([]byte, size)) {
		return nil
	}
	data, err := shared(hex.EncodeToString(id))
	if err != nil {
		return err
	}
	base, link2, err := parseGitIndexFile(data, ids)
	if err != nil {
		return fmt.Errorf("shared %w", err)
	}
	if link2 != nil {
		return fmt.Errorf("%w: shared file is split", ErrCorrupt)
	}
	var deleted, replaced []uint64
	if len(link) > 0 {
		if deleted, link, err = parseEWAH(link, len(base.entries)); err != nil {
			return fmt.Errorf("deleted entries: %w", err)
		}
		if replaced, _, err = parseEWAH(link, len(base.entries)); err != nil {
			return fmt.Errorf("replaced entries: %w", err)
		}
	}
	named := idx.entries
	for i := range base.entries {
		if !hasBit(replaced, i) {
			continue
		}
		if len(named) == 0 || named[0].path != "" {
			return fmt.Errorf("%w: too few replacements", ErrCorrupt)
		}
		name := base.entries[i].path
		base.entries[i] = named[0]
		base.entries[i].path = name
		named = named[1:]
	}
	all := make([]indexEntry, 0, len(base.entries)+len(named))
	for i, e := range base.entries {
		if !hasBit(deleted, i) {
			all = append(all, e)
		}
	}
	idx.entries = append(all, named...)
	idx.sparse = idx.sparse || base.sparse
	slices.SortStableFunc(idx.entries, func(a, b indexEntry) int {
		if c := strings.Compare(a.path, b.path); c != 0 {
			return c
		}
		return int(a.stage) - int(b.stage)
	})
	return nil
}

func hasBit(words []uint64, i int) bool {
	return i>>6 < len(words) && words[i>>6]&(1<<(i&63)) != 0
}

// parseEWAH expands a compressed bitmap of at most n bits: marker words that
// hold a bit, how many words are filled with it, and how many literal words
// follow.
func parseEWAH(b []byte, n int) (set []uint64, rest []byte, err error) {
	if len(b) < 8 {
		return nil, nil, fmt.Errorf("%w: bitmap is cut off", ErrCorrupt)
	}
	count := int64(binary.BigEndian.Uint32(b[4:]))
	b = b[8:]
	if count*8+4 > int64(len(b)) {
		return nil, nil, fmt.Errorf("%w: bitmap is cut off", ErrCorrupt)
	}
	words, rest := b[:count*8], b[count*8+4:]
	limit := uint64(n+63) / 64
	for len(words) > 0 {
		marker := binary.BigEndian.Uint64(words)
		words = words[8:]
		run, literals := marker>>1&(1<<32-1), marker>>33
		if literals > uint64(len(words)/8) || uint64(len(set))+run > limit || uint64(len(set))+run+literals > limit {
			return nil, nil, fmt.Errorf("%w: bitmap is too long", ErrCorrupt)
		}
		fill := -(marker & 1)
		for range run {
			set = append(set, fill)
		}
		for range literals {
			set = append(set, binary.BigEndian.Uint64(words))
			words = words[8:]
		}
	}
	if len(set) > 0 && n&63 != 0 && uint64(len(set)) == limit && bits.Len64(set[limit-1]) > n&63 {
		// A run of ones may be rounded up to whole words; bits past the end
		// name nothing.
		set[limit-1] &= 1<<(n&63) - 1
	}
	return set, rest, nil
}
