package git

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
)

// maxChain bounds a chain of deltas. git makes chains of 50, of 250 when asked
// to be thorough, and refuses to make more than 4,095.
const maxChain = 4096

// maxNested bounds how often a base outside of its pack leads to another.
const maxNested = 16

// scratchBytes is the largest buffer that a reader keeps for the next object.
const scratchBytes = 4 << 20

// Reader reads objects. It is for one goroutine at a time.
type Reader struct {
	repo  *Repo
	z     inflater
	cache objectCache
	last  *pack   // where the last object was found
	chain []delta // the deltas of the object being read
	out   []byte  // the object given out, when the cache does not own it
	diff  []byte  // the delta being applied
	git   *second // go-git's storage, opened when first needed

	trees     map[OID][]byte // loose trees read, dropped as a whole when too many
	treeBytes int
}

// looseTreeBytes is how much of loose trees a reader keeps: opening a file
// costs far more than a look into a pack, and a walk asks again for most trees.
const looseTreeBytes = 8 << 20

// delta is one link of a chain: where its entry and its stream are.
type delta struct {
	offset int64
	data   int
	size   int64
}

// NewReader gives a reader with a cache of its own.
func (r *Repo) NewReader() *Reader { return &Reader{repo: r} }

// Close drops the cache.
func (rd *Reader) Close() error {
	err := rd.git.close()
	*rd = Reader{repo: rd.repo}
	return err
}

// Object gives an object's type and content, through replace refs. data is
// valid until the next call and must not be written to. The error is
// ErrMissing when the object is not here, ErrTooLarge when it has more than
// MaxObject bytes, else ErrCorrupt or what the file system said.
func (rd *Reader) Object(id OID) (typ ObjectType, data []byte, err error) {
	typ, data, err = rd.read(rd.repo.replaced(id))
	if err != nil {
		return 0, nil, fmt.Errorf("object %s: %w", id, err)
	}
	return typ, data, nil
}

// Size gives an object's type and size in bytes without inflating all of it.
func (rd *Reader) Size(id OID) (typ ObjectType, size int64, err error) {
	typ, size, err = rd.head(rd.repo.replaced(id))
	if err != nil {
		return 0, 0, fmt.Errorf("size of object %s: %w", id, err)
	}
	return typ, size, nil
}

// read finds an object in packs, then loose, then in packs that came since,
// and asks go-git where that fails for another reason than absence or size.
func (rd *Reader) read(id OID) (typ ObjectType, data []byte, err error) {
	typ, data, err = rd.own(id, 0)
	if err == nil || errors.Is(err, ErrTooLarge) {
		return typ, data, err
	}
	if errors.Is(err, ErrMissing) && !rd.repo.store.damaged.Load() {
		return 0, nil, err
	}
	if typ, data, second := rd.second(id); second == nil {
		return typ, data, nil
	}
	return 0, nil, err
}

// guard turns a fault while reading mapped memory (a pack cut short under our
// hands, a disk that fails) into ErrCorrupt. Use: defer guard(&err)().
func guard(err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			if _, fault := p.(interface{ Addr() uintptr }); !fault {
				panic(p)
			}
			*err = fmt.Errorf("%w: %v", ErrCorrupt, p)
		}
	}
}

// own reads an object with the reader of this package.
func (rd *Reader) own(id OID, nested int) (typ ObjectType, data []byte, err error) {
	defer guard(&err)()
	if nested > maxNested {
		return 0, nil, ErrCorrupt
	}
	err = ErrMissing
	if p, offset := rd.locate(&id); p != nil {
		if typ, data, err = rd.packed(p, offset, nested); err == nil || errors.Is(err, ErrTooLarge) {
			return typ, data, err
		}
	}
	// Another copy may be sound; a pack may have been removed by a repack.
	typ, data, lerr := rd.loose(id)
	if lerr == nil || !errors.Is(lerr, ErrMissing) && errors.Is(err, ErrMissing) {
		return typ, data, lerr
	}
	if rd.repo.store.scan() {
		rd.last = nil
		if p, offset := rd.locate(&id); p != nil {
			return rd.packed(p, offset, nested)
		}
	}
	for _, p := range rd.repo.store.list() {
		if p != rd.last && !errors.Is(err, ErrMissing) {
			if offset, ok := p.find(&id); ok {
				if typ, data, perr := rd.packed(p, offset, nested); perr == nil {
					return typ, data, nil
				}
			}
		}
	}
	return 0, nil, err
}

// locate finds the pack that holds an object, the last one first, and makes
// it the last one.
func (rd *Reader) locate(id *OID) (*pack, int64) {
	if rd.last != nil {
		if offset, ok := rd.last.find(id); ok {
			return rd.last, offset
		}
	}
	for _, p := range rd.repo.store.list() {
		if p == rd.last {
			continue
		}
		if offset, ok := p.find(id); ok {
			rd.last = p
			return p, offset
		}
	}
	return nil, 0
}

// packed reads the object whose entry is at offset.
func (rd *Reader) packed(p *pack, offset int64, nested int) (typ ObjectType, data []byte, err error) {
	b, err := p.bytes()
	if err != nil {
		return 0, nil, err
	}
	defer runtime.KeepAlive(p)
	key := func(offset int64) cacheKey { return cacheKey{p.seq, offset} }

	// Down the chain of deltas to something whole.
	var found bool
	chain := rd.chain[:0]
	for at := offset; ; {
		if typ, data, found = rd.cache.get(key(at)); found {
			break
		}
		e, ok := parseEntry(b, at, p.idx.size)
		if !ok || len(chain) > maxChain || !plausible(e.size, len(b)-e.data) {
			return 0, nil, ErrCorrupt
		}
		if e.size > MaxObject {
			return 0, nil, ErrTooLarge
		}
		if e.typ < typeOfsDelta {
			typ = e.typ
			keep := len(chain) > 0 || typ == TypeTree
			if data, err = rd.fill(b, e, keep); err != nil {
				return 0, nil, err
			}
			if keep {
				rd.cache.put(key(at), typ, data)
			}
			break
		}
		chain = append(chain, delta{at, e.data, e.size})
		if e.typ == typeOfsDelta {
			at = e.base
			continue
		}
		if base, ok := p.find(&e.ref); ok {
			at = base
			continue
		}
		// A base in another place: read it with a chain of its own.
		rd.chain = nil
		typ, data, err = rd.own(e.ref, nested+1)
		if err != nil {
			return 0, nil, err
		}
		data = bytes.Clone(data) // it may lie in the buffer used below
		break
	}
	rd.chain = chain

	// And up again.
	for i := len(chain) - 1; i >= 0; i-- {
		d := chain[i]
		if int64(cap(rd.diff)) < d.size {
			rd.diff = make([]byte, max(d.size, 4096))
		}
		diff := rd.diff[:d.size]
		if _, err := rd.z.inflate(diff, b[d.data:]); err != nil {
			return 0, nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
		}
		base, size, at, ok := deltaSizes(diff)
		if !ok || base != int64(len(data)) {
			return 0, nil, ErrCorrupt
		}
		if size > MaxObject {
			return 0, nil, ErrTooLarge
		}
		// A blob at the end of its chain is rarely asked for again.
		keep := i > 0 || typ == TypeTree
		var made []byte
		if keep {
			made = make([]byte, size)
		} else {
			made = rd.scratch(size)
		}
		if !applyDelta(made, data, diff[at:]) {
			return 0, nil, ErrCorrupt
		}
		data = made
		if keep {
			rd.cache.put(key(d.offset), typ, data)
		}
	}
	if cap(rd.diff) > scratchBytes {
		rd.diff = nil
	}
	return typ, data, nil
}

// fill inflates a whole entry, into memory of its own if it is to be kept.
func (rd *Reader) fill(b []byte, e packEntry, keep bool) ([]byte, error) {
	var data []byte
	if keep {
		data = make([]byte, e.size)
	} else {
		data = rd.scratch(e.size)
	}
	if _, err := rd.z.inflate(data, b[e.data:]); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	return data, nil
}

// scratch gives the buffer for an object that is handed out once.
func (rd *Reader) scratch(size int64) []byte {
	if int64(cap(rd.out)) < size || cap(rd.out) > scratchBytes {
		rd.out = make([]byte, max(size, 4096))
	}
	return rd.out[:size]
}

// looseHeader is more than the longest header: "commit", a space, 20 digits,
// and NUL.
const looseHeader = 32

// loose reads a loose object.
func (rd *Reader) loose(id OID) (ObjectType, []byte, error) {
	if data, ok := rd.trees[id]; ok {
		return TypeTree, data, nil
	}
	src, err := rd.repo.store.loose(id)
	if err != nil {
		return 0, nil, err
	}
	typ, size, at, err := rd.looseHead(src)
	if err != nil {
		return 0, nil, err
	}
	if size > MaxObject {
		return 0, nil, ErrTooLarge
	}
	if !plausible(size, len(src)) {
		return 0, nil, ErrCorrupt
	}
	data := make([]byte, int64(at)+size)
	if _, err := rd.z.inflate(data, src); err != nil {
		return 0, nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	data = data[at:]
	if typ == TypeTree && size < looseTreeBytes/8 {
		if rd.treeBytes += len(data); rd.trees == nil || rd.treeBytes > looseTreeBytes {
			rd.trees, rd.treeBytes = map[OID][]byte{}, len(data)
		}
		rd.trees[id] = data
	}
	return typ, data, nil
}

// looseHead reads "type size NUL" and gives where the content begins.
func (rd *Reader) looseHead(src []byte) (typ ObjectType, size int64, at int, err error) {
	var buf [looseHeader]byte
	n, err := rd.z.peek(buf[:], src)
	if err != nil {
		return 0, 0, 0, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	end := bytes.IndexByte(buf[:n], 0)
	if end < 0 {
		return 0, 0, 0, ErrCorrupt
	}
	name, digits, _ := bytes.Cut(buf[:end], []byte{' '})
	switch string(name) {
	case "commit":
		typ = TypeCommit
	case "tree":
		typ = TypeTree
	case "blob":
		typ = TypeBlob
	case "tag":
		typ = TypeTag
	default:
		return 0, 0, 0, ErrCorrupt
	}
	size, err = strconv.ParseInt(string(digits), 10, 64)
	if err != nil || size < 0 {
		return 0, 0, 0, ErrCorrupt
	}
	return typ, size, end + 1, nil
}

// head gives type and size without making the object.
func (rd *Reader) head(id OID) (typ ObjectType, size int64, err error) {
	typ, size, err = rd.ownHead(id)
	if err == nil || errors.Is(err, ErrMissing) && !rd.repo.store.damaged.Load() {
		return typ, size, err
	}
	typ, data, err := rd.read(id)
	return typ, int64(len(data)), err
}

func (rd *Reader) ownHead(id OID) (typ ObjectType, size int64, err error) {
	defer guard(&err)()
	p, offset := rd.locate(&id)
	if p == nil {
		src, err := rd.repo.store.loose(id)
		if err == nil {
			typ, size, _, err = rd.looseHead(src)
			return typ, size, err
		}
		if !errors.Is(err, ErrMissing) || !rd.repo.store.scan() {
			return 0, 0, err
		}
		if p, offset = rd.locate(&id); p == nil {
			return 0, 0, ErrMissing
		}
	}
	b, err := p.bytes()
	if err != nil {
		return 0, 0, err
	}
	defer runtime.KeepAlive(p)
	size = -1
	for range maxChain {
		e, ok := parseEntry(b, offset, p.idx.size)
		if !ok {
			return 0, 0, ErrCorrupt
		}
		if e.typ < typeOfsDelta {
			if size < 0 {
				size = e.size
			}
			return e.typ, size, nil
		}
		if size < 0 {
			// The result's size stands within the delta's first 20 bytes.
			var buf [20]byte
			n, err := rd.z.peek(buf[:min(int64(len(buf)), e.size)], b[e.data:])
			if err != nil {
				return 0, 0, fmt.Errorf("%w: %v", ErrCorrupt, err)
			}
			if _, size, _, ok = deltaSizes(buf[:n]); !ok {
				return 0, 0, ErrCorrupt
			}
		}
		if offset = e.base; e.typ == typeRefDelta {
			if offset, ok = p.find(&e.ref); !ok {
				// A base in another pack: its type is this one's.
				typ, _, err := rd.head(e.ref)
				return typ, size, err
			}
		}
	}
	return 0, 0, ErrCorrupt
}
