package repo

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"iter"
	"runtime"
	"slices"
	"sync"

	"cohop/internal/facts"
	"cohop/internal/git"
)

// Facts are compressed, since they are read when a tree is joined anew and by
// overlays alone: in blocks, of which an overlay reads a few. A block is two
// zlib streams, of the light halves of its records (facts.Split) and of the
// rest, in which each record is a uvarint length and its bytes.
const (
	factsBlockSize = 32 // of a row of the table

	// blockBytes is how many bytes of facts make a block: more would save
	// little and cost each look-up more.
	blockBytes = 64 << 10
	// blockRecords is how many records a block has at most.
	blockRecords = 256
	// packLevel is zlib's for files that stay, quickLevel that for what an
	// overlay read and a query waits for: a fifteenth larger at half the time,
	// until files are joined.
	packLevel, quickLevel = 3, zlib.BestSpeed
	// maxBlock bounds what a block's stream inflates to: a record alone may be
	// large, but far below that.
	maxBlock = 256 << 20
)

// factsBlock is a block of a file, inflated when asked.
type factsBlock struct {
	file        *factsFile
	n           int
	light, rest factsStream
}

// factsStream is one of a block's streams.
type factsStream struct {
	packed []byte
	size   uint32
	sum    uint32

	once sync.Once
	recs [][]byte
}

// openFactsBlock returns an empty block where the table leads out of bounds.
func openFactsBlock(f *factsFile, n int) *factsBlock {
	b := &factsBlock{file: f, n: n}
	if (n+1)*factsBlockSize > len(f.blocks) {
		return b
	}
	row := f.blocks[n*factsBlockSize:]
	at := binary.LittleEndian.Uint64(row)
	for i, s := range []*factsStream{&b.light, &b.rest} {
		row := row[8+12*i:]
		size := uint64(binary.LittleEndian.Uint32(row))
		if at > uint64(len(f.m.data)) || size > uint64(len(f.m.data))-at {
			return b
		}
		s.packed = f.m.data[at : at+size]
		s.size, s.sum = binary.LittleEndian.Uint32(row[4:]), binary.LittleEndian.Uint32(row[8:])
		at += size
	}
	return b
}

var inflaters = sync.Pool{New: func() any { return new(git.Inflater) }}

// get returns the i-th record. It is safe for concurrent use.
func (s *factsStream) get(i int) ([]byte, bool) {
	s.once.Do(func() {
		if s.size > maxBlock || crc32.Checksum(s.packed, castagnoli) != s.sum {
			return
		}
		raw := make([]byte, s.size)
		z := inflaters.Get().(*git.Inflater)
		defer inflaters.Put(z)
		if z.Inflate(raw, s.packed) != nil {
			return
		}
		for len(raw) > 0 {
			n, k := binary.Uvarint(raw)
			if k <= 0 || n > uint64(len(raw)-k) {
				return
			}
			s.recs = append(s.recs, raw[k:][:n:n])
			raw = raw[k+int(n):]
		}
	})
	if i >= len(s.recs) {
		return nil, false
	}
	return s.recs[i], true
}

// factsWriter lays out a facts file behind its magic.
type factsWriter struct {
	level  int
	at     uint64
	blocks []byte
	recs   []factsRef
}

type factsRef struct {
	key factsKey
	at  uint32 // block<<8 | place
}

// rawBlock is a block to be compressed, and then compressed.
type rawBlock struct {
	raw    [2][]byte
	packed [2]bytes.Buffer
}

// data yields the blocks of records, compressed on all cores.
func (w *factsWriter) data(records iter.Seq2[factsKey, []byte], yield func([]byte) bool) bool {
	var list []*rawBlock
	group := 4 * runtime.GOMAXPROCS(0)
	ok := true
	in, n := 0, uint32(0) // records of the last block of list; blocks
	for k, b := range records {
		if len(list) == 0 || in == blockRecords || len(list[len(list)-1].raw[0])+len(list[len(list)-1].raw[1]) >= blockBytes {
			if len(list) == group {
				if ok = w.put(list, yield); !ok {
					return false
				}
				list = list[:0]
			}
			list = append(list, &rawBlock{})
			in = 0
			n++
		}
		block := list[len(list)-1]
		light, rest := facts.Split(b)
		for i, half := range [][]byte{light, rest} {
			block.raw[i] = binary.AppendUvarint(block.raw[i], uint64(len(half)))
			block.raw[i] = append(block.raw[i], half...)
		}
		w.recs = append(w.recs, factsRef{k, (n-1)<<8 | uint32(in)})
		in++
	}
	return w.put(list, yield)
}

// put compresses blocks and yields them.
func (w *factsWriter) put(list []*rawBlock, yield func([]byte) bool) bool {
	var wg sync.WaitGroup
	next := make(chan *rawBlock, len(list))
	for _, b := range list {
		next <- b
	}
	close(next)
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wg.Go(func() {
			var z *zlib.Writer
			for b := range next {
				for i := range b.raw {
					if z == nil {
						// The level is right and a buffer takes everything.
						z, _ = zlib.NewWriterLevel(&b.packed[i], w.level)
					} else {
						z.Reset(&b.packed[i])
					}
					_, _ = z.Write(b.raw[i])
					_ = z.Close()
				}
			}
		})
	}
	wg.Wait()
	for _, b := range list {
		w.blocks = binary.LittleEndian.AppendUint64(w.blocks, w.at)
		for i := range b.raw {
			packed := b.packed[i].Bytes()
			w.blocks = binary.LittleEndian.AppendUint32(w.blocks, uint32(len(packed)))
			w.blocks = binary.LittleEndian.AppendUint32(w.blocks, uint32(len(b.raw[i])))
			w.blocks = binary.LittleEndian.AppendUint32(w.blocks, crc32.Checksum(packed, castagnoli))
			w.at += uint64(len(packed))
			if !yield(packed) {
				return false
			}
		}
	}
	return true
}

// tables returns what stands behind the blocks.
func (w *factsWriter) tables() []byte {
	slices.SortFunc(w.recs, func(a, b factsRef) int {
		return cmp.Or(bytes.Compare(a.key[:], b.key[:]), cmp.Compare(a.at, b.at))
	})
	out := w.blocks
	blocks := len(out) / factsBlockSize
	for _, r := range w.recs {
		out = append(out, r.key[:]...)
		out = binary.LittleEndian.AppendUint32(out, r.at)
	}
	sum := crc32.Checksum(out, castagnoli)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(w.recs)))
	out = binary.LittleEndian.AppendUint32(out, uint32(blocks))
	out = binary.LittleEndian.AppendUint32(out, sum)
	return append(out, factsEnd...)
}
