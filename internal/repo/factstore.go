package repo

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"os"
	"slices"
	"sort"
	"sync"

	"cohop/internal/facts"
)

// A facts file:
//
//	magic[8]
//	data: the blocks, see factsBlock
//	per block: offset u64, then of its light and of its rest stream: length u32,
//	           length inflated u32, crc32c u32
//	per record, sorted: key[24], block<<8 | place in it u32
//	records u32 blocks u32 crc32c of both tables u32 magic[4]
//
// A key is the blob id and a hash of the language that the path alone tells.
// Records stand in the order in which they were added, that of paths: what
// stands together in the tree is alike, and is asked for together.
const (
	factsMagic    = "COHOPFC2"
	factsEnd      = "FCT2"
	factsRecSize  = 28
	factsTailSize = 16

	// maxFactsFiles is when small files are joined into one.
	maxFactsFiles = 12
)

type factsKey [24]byte

func keyOf(blob [20]byte, hint string) (k factsKey) {
	copy(k[:], blob[:])
	binary.LittleEndian.PutUint32(k[20:], hash32(hint))
	return k
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// factStore is the facts kept of one repository.
type factStore struct {
	dir   string
	quick bool // what is fresh is packed at quickLevel
	files []*factsFile
	fresh map[factsKey][]byte // extracted since, not yet on disk
	order []factsKey          // of fresh
	bad   []string            // files that do not check

	mu     sync.Mutex
	recent []*factsBlock // the last used first
}

// recentBlocks is how many inflated blocks are kept: as many as the workers
// that go through a tree in order are at, and some for those that do not.
const recentBlocks = 16

type factsFile struct {
	path   string
	m      *mapping
	blocks []byte // the tables
	recs   []byte
	n      int
}

func openFacts(c *cache) *factStore {
	s := &factStore{dir: c.sub(fmt.Sprintf("facts-%d", facts.Version)), fresh: map[factsKey][]byte{}}
	if s.dir == "" {
		return s
	}
	paths, _ := numbered(s.dir, ".facts")
	for _, p := range paths {
		f, bad := openFactsFile(p)
		if f != nil {
			s.files = append(s.files, f)
		} else if bad {
			s.bad = append(s.bad, p)
		}
	}
	return s
}

// openFactsFile returns nil for a file that does not check: its facts are then
// extracted again. bad tells one that was read from one that could not be.
func openFactsFile(path string) (f *factsFile, bad bool) {
	m, err := mapFile(path)
	if err != nil {
		return nil, false
	}
	b := m.data
	if n := len(b) - factsTailSize; n >= len(factsMagic) && string(b[:len(factsMagic)]) == factsMagic && string(b[len(b)-4:]) == factsEnd {
		tail := b[n:]
		records, blocks := uint64(binary.LittleEndian.Uint32(tail)), uint64(binary.LittleEndian.Uint32(tail[4:]))
		if size := records*factsRecSize + blocks*factsBlockSize; size <= uint64(n-len(factsMagic)) {
			tables := b[n-int(size) : n]
			if crc32.Checksum(tables, castagnoli) == binary.LittleEndian.Uint32(tail[8:]) {
				at := blocks * factsBlockSize
				return &factsFile{path: path, m: m, blocks: tables[:at], recs: tables[at:], n: int(records)}, false
			}
		}
	}
	m.close()
	return nil, true
}

func (f *factsFile) key(i int) []byte { return f.recs[i*factsRecSize:][:24] }

// place returns the block of record i and its place in it.
func (f *factsFile) place(i int) (block, at int) {
	v := binary.LittleEndian.Uint32(f.recs[i*factsRecSize+24:])
	return int(v >> 8), int(v & 0xff)
}

func (f *factsFile) find(k factsKey) (i int, ok bool) {
	i = sort.Search(f.n, func(i int) bool { return bytes.Compare(f.key(i), k[:]) >= 0 })
	return i, i < f.n && bytes.Equal(f.key(i), k[:])
}

// has tells whether the facts of a key are kept, without reading them: bytes
// that are damaged may yet be missed.
func (s *factStore) has(k factsKey) bool {
	if _, ok := s.fresh[k]; ok {
		return true
	}
	return slices.ContainsFunc(s.files, func(f *factsFile) bool { _, ok := f.find(k); return ok })
}

// get returns the encoded facts of a key. It is safe for concurrent use as
// long as nobody adds.
func (s *factStore) get(k factsKey) ([]byte, bool) {
	if b, ok := s.fresh[k]; ok {
		return b, true
	}
	light, rest, ok := s.halves(k, true)
	return append(light[:len(light):len(light)], rest...), ok
}

// light returns the light half of the encoded facts of a key, as facts.Split
// does, which costs half of get. It is as safe as get.
func (s *factStore) light(k factsKey) ([]byte, bool) {
	if b, ok := s.fresh[k]; ok {
		light, _ := facts.Split(b)
		return light, true
	}
	light, _, ok := s.halves(k, false)
	return light, ok
}

func (s *factStore) halves(k factsKey, both bool) (light, rest []byte, ok bool) {
	for i := len(s.files) - 1; i >= 0; i-- {
		f := s.files[i]
		r, ok := f.find(k)
		if !ok {
			continue
		}
		n, at := f.place(r)
		b := s.block(f, n)
		if light, ok = b.light.get(at); !ok {
			continue
		}
		if !both {
			return light, nil, true
		}
		if rest, ok = b.rest.get(at); ok {
			return light, rest, true
		}
	}
	return nil, nil, false
}

// block returns a block of a file.
func (s *factStore) block(f *factsFile, n int) *factsBlock {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.recent, func(b *factsBlock) bool { return b.file == f && b.n == n })
	var b *factsBlock
	if i >= 0 {
		b = s.recent[i]
	} else {
		b = openFactsBlock(f, n)
		if len(s.recent) < recentBlocks {
			s.recent = append(s.recent, nil)
		}
		i = len(s.recent) - 1
	}
	copy(s.recent[1:i+1], s.recent[:i])
	s.recent[0] = b
	return b
}

func (s *factStore) add(k factsKey, encoded []byte) {
	if _, ok := s.fresh[k]; !ok {
		s.order = append(s.order, k)
	}
	s.fresh[k] = encoded
}

// flush writes what is fresh as one more file, and joins the files when they
// are many. The caller holds the writer's lock.
func (s *factStore) flush() error {
	if s.dir == "" || len(s.fresh) == 0 {
		return nil
	}
	level := packLevel
	if s.quick {
		level = quickLevel
	}
	path, err := s.write(level, func(yield func(factsKey, []byte) bool) {
		for _, k := range s.order {
			if !yield(k, s.fresh[k]) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	for _, p := range s.bad {
		os.Remove(p)
	}
	s.bad = nil
	if f, _ := openFactsFile(path); f != nil {
		s.files = append(s.files, f)
		s.fresh, s.order = map[factsKey][]byte{}, nil
	}
	if len(s.files) > maxFactsFiles {
		return s.join()
	}
	return nil
}

// write makes one more file of records with distinct keys.
func (s *factStore) write(level int, records iter.Seq2[factsKey, []byte]) (path string, err error) {
	_, next := numbered(s.dir, ".facts")
	path = numberedName(s.dir, next, ".facts")
	w := factsWriter{level: level, at: uint64(len(factsMagic))}
	return path, writeStream(path, func(yield func([]byte) bool) {
		if yield([]byte(factsMagic)) && w.data(records, yield) {
			yield(w.tables())
		}
	})
}

// join writes all files as one and removes them.
func (s *factStore) join() error {
	path, err := s.write(packLevel, func(yield func(factsKey, []byte) bool) {
		for i, f := range s.files {
			for _, r := range f.inOrder() {
				k := factsKey(f.key(r))
				newer := func(g *factsFile) bool { _, ok := g.find(k); return ok }
				if slices.ContainsFunc(s.files[i+1:], newer) {
					continue
				}
				if b, ok := s.get(k); ok && !yield(k, b) {
					return
				}
			}
		}
	})
	if err != nil {
		return err
	}
	f, _ := openFactsFile(path)
	if f == nil {
		return fmt.Errorf("join facts: %s does not check", path)
	}
	old := s.files
	s.files, s.recent = []*factsFile{f}, nil
	for _, o := range old {
		o.m.close()
		os.Remove(o.path)
	}
	return nil
}

// inOrder returns the records of a file in the order in which they stand.
func (f *factsFile) inOrder() []int {
	list := make([]int, f.n)
	for i := range list {
		list[i] = i
	}
	rank := func(i int) uint32 { return binary.LittleEndian.Uint32(f.recs[i*factsRecSize+24:]) }
	slices.SortFunc(list, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

func (s *factStore) close() {
	for _, f := range s.files {
		f.m.close()
	}
	s.files, s.recent = nil, nil
}
