package history

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/RoaringBitmap/roaring/v2"

	"cohop/internal/sections"
)

// A View costs a walk over the log; Encode gives it a form that is mapped
// instead: flat arrays, and per file a roaring bitmap of its commits. It is
// derived, belongs to one log, tip and tree, which the key names, and can be
// thrown away at any time.
//
//	magic[8] version u32 sections u32 key[32]
//	per section offset u64, length u32, crc32c u32
//	crc32c of the header u32, zero u32
//	sections, each at a multiple of 8

// PastVersion is the version of that layout and of what At derives; its
// changelog:
//
//	1: first
//	2: times in four bytes where they fit
const PastVersion = 2

const pastMagic = "COHOPPST"

const (
	pastMeta     = iota // u64 ancestors, u64 terms, f64 half-life of the heat
	pastWhen            // u32 a commit, i64 if one does not fit
	pastLens            // i32
	pastSize            // i32
	pastStart           // u32, one more than commits
	pastFiles           // i32
	pastAlive           // u64
	pastRowStart        // u32 start in pastRows, one more than files
	pastRows            // serialised bitmaps
	pastPaths           // u64, sorted
	pastNarrow          // u32 a file
	pastHeat            // f64 a file
	pastSections
)

// pastHead is what stands before the table of sections: magic, version, the
// number of sections, key.
const pastHead = 48

// Tables are columns by file that others derive of a view and keep with it.
type Tables struct {
	Narrow   []uint32  // changes of the usual sizes
	Heat     []float64 // decayed changes
	HalfLife float64   // of the heat, seconds
}

// Key names a derived view: the log, the tip and the tree with its settings.
type Key [32]byte

// PastKey returns the key of the view of a tree at a tip.
func (l *Log) PastKey(tip [20]byte, tree string) (k Key) {
	h := sha256.New()
	for _, p := range l.parts {
		h.Write(p.sum())
	}
	h.Write(tip[:])
	h.Write([]byte(tree))
	return Key(h.Sum(nil))
}

// littleEndian tells whether the arrays may be used as they are mapped.
var littleEndian = func() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}()

type number interface {
	int32 | uint32 | int64 | uint64 | float64
}

func bytesOf[T number](list []T) []byte {
	var zero T
	if size := int(unsafe.Sizeof(zero)); littleEndian && len(list) > 0 {
		return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*size)
	}
	var b bytes.Buffer
	for _, x := range list {
		switch x := any(x).(type) {
		case int32:
			b.Write(le.AppendUint32(nil, uint32(x)))
		case uint32:
			b.Write(le.AppendUint32(nil, x))
		case int64:
			b.Write(le.AppendUint64(nil, uint64(x)))
		case uint64:
			b.Write(le.AppendUint64(nil, x))
		case float64:
			b.Write(le.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	return b.Bytes()
}

// numbers is bytesOf back; where the machine allows it the result shares b.
func numbers[T number](b []byte) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	n := len(b) / size
	if n == 0 {
		return nil
	}
	if littleEndian && uintptr(unsafe.Pointer(&b[0]))%uintptr(size) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
	}
	out := make([]T, n)
	for i := range out {
		switch p := any(&out[i]).(type) {
		case *int32:
			*p = int32(le.Uint32(b[4*i:]))
		case *uint32:
			*p = le.Uint32(b[4*i:])
		case *int64:
			*p = int64(le.Uint64(b[8*i:]))
		case *uint64:
			*p = le.Uint64(b[8*i:])
		case *float64:
			*p = math.Float64frombits(le.Uint64(b[8*i:]))
		}
	}
	return out
}

// Derive adds what Encode keeps beside the arrays: the commits of each file of
// a tree of files files, and the paths that the log knows.
func (v *View) Derive(files int) {
	if v.rowStart != nil {
		return
	}
	count := make([]uint32, files+1)
	for _, f := range v.files {
		count[f+1]++
	}
	for f := range files {
		count[f+1] += count[f]
	}
	ids := make([]uint32, len(v.files))
	next := slices.Clone(count[:files])
	for c := range v.When {
		for _, f := range v.Files(int32(c)) {
			ids[next[f]] = uint32(c)
			next[f]++
		}
	}
	v.rowStart = make([]uint32, files+1)
	b := roaring.New()
	var buf bytes.Buffer
	for f := range files {
		if own := ids[count[f]:count[f+1]]; len(own) > 0 {
			b.Clear()
			b.AddMany(own)
			b.RunOptimize()
			_, _ = b.WriteTo(&buf) // a buffer takes everything
		}
		v.rowStart[f+1] = uint32(buf.Len())
	}
	v.rows = buf.Bytes()
	for _, p := range v.Log.parts {
		for _, path := range p.pathList() {
			v.paths = append(v.paths, pathHash(path))
		}
	}
	slices.Sort(v.paths)
	v.paths = slices.Compact(v.paths)
}

func pathHash[T string | []byte](p T) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := 0; i < len(p); i++ {
		h = (h ^ uint64(p[i])) * prime
	}
	return h
}

// Knows tells whether any commit of the log, an ancestor or not, touched a
// path. (One in 2^64 that none did is known too.) The view must be derived.
func (v *View) Knows(path string) bool {
	h := pathHash(path)
	if _, ok := v.morePaths[h]; ok {
		return true
	}
	_, ok := slices.BinarySearch(v.paths, h)
	return ok
}

// Commits returns the commits that touched a file, nil if none did. The view
// must be derived.
func (v *View) Commits(f int32) *roaring.Bitmap {
	if v.fileOf != nil {
		if f = v.fileOf[f]; f < 0 {
			return nil
		}
	}
	if int(f)+1 >= len(v.rowStart) {
		return nil
	}
	from, to := v.rowStart[f], v.rowStart[f+1]
	more := v.more[f]
	if from >= to && more == nil || uint64(to) > uint64(len(v.rows)) {
		return nil
	}
	b := roaring.New()
	// Rows are at no alignment: they are copied, and those of a few seeds are
	// all that a query reads.
	if from < to {
		if _, err := b.ReadFrom(bytes.NewReader(v.rows[from:to])); err != nil {
			return nil
		}
	}
	b.AddMany(more)
	if !b.IsEmpty() && uint64(b.Maximum()) >= uint64(len(v.When)) {
		return nil
	}
	return b
}

// Moved returns the view with other file ids: to gives, for each file of the
// view's tree, the id in another tree of files files. Files of that tree that
// have no preimage have no history.
func (v *View) Moved(to []int32, files int) *View {
	w := *v
	w.files = make([]int32, len(v.files))
	for i, f := range v.files {
		w.files[i] = to[f]
	}
	w.fileOf = make([]int32, files)
	for f := range w.fileOf {
		w.fileOf[f] = -1
	}
	for f, g := range to {
		w.fileOf[g] = int32(f)
	}
	w.Tables.Narrow, w.Tables.Heat = moved(v.Tables.Narrow, to, files), moved(v.Tables.Heat, to, files)
	return &w
}

func moved[T any](list []T, to []int32, files int) []T {
	if len(list) != len(to) {
		return nil
	}
	out := make([]T, files)
	for f, g := range to {
		out[g] = list[f]
	}
	return out
}

// Encode returns the derived view under its key. It fails on a history too
// large to be laid out.
func (v *View) Encode(k Key) ([]byte, error) {
	var sec [pastSections][]byte
	sec[pastMeta] = le.AppendUint64(le.AppendUint64(le.AppendUint64(nil, uint64(v.N)), uint64(v.Terms)), math.Float64bits(v.Tables.HalfLife))
	sec[pastWhen], sec[pastLens], sec[pastSize] = encodeTimes(v.When), bytesOf(v.Lens), bytesOf(v.Size)
	sec[pastStart], sec[pastFiles], sec[pastAlive] = bytesOf(v.start), bytesOf(v.files), bytesOf(v.alive)
	sec[pastRowStart], sec[pastRows], sec[pastPaths] = bytesOf(v.rowStart), v.rows, bytesOf(v.paths)
	sec[pastNarrow], sec[pastHeat] = bytesOf(v.Tables.Narrow), bytesOf(v.Tables.Heat)
	head := append(make([]byte, 0, pastHead), pastMagic...)
	head = le.AppendUint32(head, PastVersion)
	head = le.AppendUint32(head, pastSections)
	head = append(head, k[:]...)
	out, err := sections.Join(head, sec[:])
	if err != nil {
		return nil, fmt.Errorf("derive history: %w", err)
	}
	return out, nil
}

// encodeTimes lays out seconds in four bytes each, as they fit until 2106, else
// in eight.
func encodeTimes(when []int64) []byte {
	out := make([]byte, 0, 4*len(when))
	for _, t := range when {
		if t < 0 || t > math.MaxUint32 {
			return bytesOf(when)
		}
		out = le.AppendUint32(out, uint32(t))
	}
	return out
}

// decodeTimes is encodeTimes back, for n commits.
func decodeTimes(b []byte, n int) []int64 {
	if len(b) != 4*n {
		return numbers[int64](b)
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(le.Uint32(b[4*i:]))
	}
	return out
}

// OpenPast returns the view that Encode gave b of, which must stay unchanged
// and may be mapped. check reads all of b; without, b was checked before. files
// is the number of files of the tree.
func (l *Log) OpenPast(b []byte, k Key, files int, check bool) (*View, error) {
	bad := func(what string) (*View, error) { return nil, fmt.Errorf("%w: derived view: %s", ErrCorrupt, what) }
	if len(b) < pastHead || string(b[:8]) != pastMagic || le.Uint32(b[8:]) != PastVersion || le.Uint32(b[12:]) != pastSections ||
		Key(b[16:48]) != k {
		return bad("header")
	}
	var sec [pastSections][]byte
	if err := sections.Split(b, pastHead, sec[:], check); err != nil {
		return bad(err.Error())
	}
	if len(sec[pastMeta]) != 24 {
		return bad("meta")
	}
	v := &View{Log: l, N: int32(le.Uint64(sec[pastMeta])), Terms: int64(le.Uint64(sec[pastMeta][8:])),
		When: decodeTimes(sec[pastWhen], len(sec[pastLens])/4), Lens: numbers[int32](sec[pastLens]), Size: numbers[int32](sec[pastSize]),
		alive: numbers[uint64](sec[pastAlive]), start: numbers[uint32](sec[pastStart]), files: numbers[int32](sec[pastFiles]),
		rowStart: numbers[uint32](sec[pastRowStart]), rows: sec[pastRows], paths: numbers[uint64](sec[pastPaths]),
		Tables: Tables{Narrow: numbers[uint32](sec[pastNarrow]), Heat: numbers[float64](sec[pastHeat]), HalfLife: math.Float64frombits(le.Uint64(sec[pastMeta][16:]))}}
	n := len(v.When)
	if n == 0 || n > int(l.n) || len(v.Lens) != n || len(v.Size) != n || len(v.start) != n+1 || len(v.alive) != int(l.n+63)/64 ||
		len(v.rowStart) != files+1 || len(v.Tables.Narrow) != files || len(v.Tables.Heat) != files {
		return bad("sizes")
	}
	if v.start[0] != 0 || uint64(v.start[n]) != uint64(len(v.files)) {
		return bad("files")
	}
	if check {
		if !slices.IsSorted(v.start) || !slices.IsSorted(v.rowStart) {
			return bad("order")
		}
		for _, f := range v.files {
			if f < 0 || int(f) >= files {
				return bad("file")
			}
		}
	}
	return v, nil
}
