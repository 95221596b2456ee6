package repo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"sort"

	"cohop/internal/facts"
)

// A facts file:
//
//	magic[8] records u32 crc32c(table) u32
//	table: per record, sorted: key[24] offset u64 length u32 crc32c u32
//	data
//
// A key is the blob id and a hash of the language that the path alone tells.
// The checksum of the data is a record's own, checked when it is read.
const (
	factsMagic    = "COHOPFCT"
	factsRecSize  = 40
	factsHeadSize = 16

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
	files []*factsFile
	fresh map[factsKey][]byte // extracted since, not yet on disk
}

type factsFile struct {
	path string
	m    *mapping
	n    int
}

func openFacts(c *cache) *factStore {
	s := &factStore{dir: c.sub(fmt.Sprintf("facts-%d", facts.Version)), fresh: map[factsKey][]byte{}}
	if s.dir == "" {
		return s
	}
	paths, _ := numbered(s.dir, ".facts")
	for _, p := range paths {
		if f := openFactsFile(p); f != nil {
			s.files = append(s.files, f)
		}
	}
	return s
}

// openFactsFile returns nil for a file that does not check: its facts are then
// extracted again.
func openFactsFile(path string) *factsFile {
	m, err := mapFile(path)
	if err != nil {
		return nil
	}
	b := m.data
	if len(b) >= factsHeadSize && string(b[:8]) == factsMagic {
		n := int(binary.LittleEndian.Uint32(b[8:]))
		if n <= (len(b)-factsHeadSize)/factsRecSize &&
			crc32.Checksum(b[factsHeadSize:factsHeadSize+n*factsRecSize], castagnoli) == binary.LittleEndian.Uint32(b[12:]) {
			return &factsFile{path: path, m: m, n: n}
		}
	}
	m.close()
	return nil
}

func (f *factsFile) rec(i int) []byte {
	return f.m.data[factsHeadSize+i*factsRecSize:][:factsRecSize]
}

func (f *factsFile) get(k factsKey) ([]byte, bool) {
	i := sort.Search(f.n, func(i int) bool { return bytes.Compare(f.rec(i)[:24], k[:]) >= 0 })
	if i == f.n || !bytes.Equal(f.rec(i)[:24], k[:]) {
		return nil, false
	}
	return f.data(i)
}

func (f *factsFile) data(i int) ([]byte, bool) {
	r := f.rec(i)
	at, n := binary.LittleEndian.Uint64(r[24:]), uint64(binary.LittleEndian.Uint32(r[32:]))
	if at > uint64(len(f.m.data)) || n > uint64(len(f.m.data))-at {
		return nil, false
	}
	b := f.m.data[at : at+n]
	return b, crc32.Checksum(b, castagnoli) == binary.LittleEndian.Uint32(r[36:])
}

// get returns the encoded facts of a key. It is safe for concurrent use as
// long as nobody adds.
func (s *factStore) get(k factsKey) ([]byte, bool) {
	if b, ok := s.fresh[k]; ok {
		return b, true
	}
	for i := len(s.files) - 1; i >= 0; i-- {
		if b, ok := s.files[i].get(k); ok {
			return b, true
		}
	}
	return nil, false
}

func (s *factStore) add(k factsKey, encoded []byte) { s.fresh[k] = encoded }

func (s *factStore) freshBytes() (n int) {
	for _, b := range s.fresh {
		n += len(b)
	}
	return n
}

// flush writes what is fresh as one more file, and joins the files when they
// are many. The caller holds the writer's lock.
func (s *factStore) flush() error {
	if s.dir == "" || len(s.fresh) == 0 {
		return nil
	}
	keys := make([]factsKey, 0, len(s.fresh))
	for k := range s.fresh {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b factsKey) int { return bytes.Compare(a[:], b[:]) })
	path, err := s.write(keys, func(i int) []byte { return s.fresh[keys[i]] })
	if err != nil {
		return err
	}
	if f := openFactsFile(path); f != nil {
		s.files = append(s.files, f)
		s.fresh = map[factsKey][]byte{}
	}
	if len(s.files) > maxFactsFiles {
		return s.join()
	}
	return nil
}

// write makes one more file of sorted keys; value is asked for each in order,
// twice.
func (s *factStore) write(keys []factsKey, value func(i int) []byte) (path string, err error) {
	table := make([]byte, 0, len(keys)*factsRecSize)
	at := uint64(factsHeadSize + len(keys)*factsRecSize)
	for i, k := range keys {
		b := value(i)
		table = append(table, k[:]...)
		table = binary.LittleEndian.AppendUint64(table, at)
		table = binary.LittleEndian.AppendUint32(table, uint32(len(b)))
		table = binary.LittleEndian.AppendUint32(table, crc32.Checksum(b, castagnoli))
		at += uint64(len(b))
	}
	head := append([]byte(nil), factsMagic...)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(keys)))
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(table, castagnoli))
	_, next := numbered(s.dir, ".facts")
	path = numberedName(s.dir, next, ".facts")
	return path, writeStream(path, func(yield func([]byte) bool) {
		if !yield(head) || !yield(table) {
			return
		}
		for i := range keys {
			if !yield(value(i)) {
				return
			}
		}
	})
}

// join writes all files as one and removes them.
func (s *factStore) join() error {
	type ref struct{ file, rec int }
	at := map[factsKey]ref{}
	for f, file := range s.files {
		for i := range file.n {
			at[factsKey(file.rec(i)[:24])] = ref{f, i}
		}
	}
	keys := make([]factsKey, 0, len(at))
	for k := range at {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b factsKey) int { return bytes.Compare(a[:], b[:]) })
	value := func(k factsKey) ([]byte, bool) { return s.files[at[k].file].data(at[k].rec) }
	kept := keys[:0]
	for _, k := range keys {
		if _, ok := value(k); ok {
			kept = append(kept, k)
		}
	}
	path, err := s.write(kept, func(i int) []byte { b, _ := value(kept[i]); return b })
	if err != nil {
		return err
	}
	f := openFactsFile(path)
	if f == nil {
		return fmt.Errorf("join facts: %s does not check", path)
	}
	old := s.files
	s.files = []*factsFile{f}
	for _, o := range old {
		o.m.close()
		os.Remove(o.path)
	}
	return nil
}

func (s *factStore) close() {
	for _, f := range s.files {
		f.m.close()
	}
	s.files = nil
}
