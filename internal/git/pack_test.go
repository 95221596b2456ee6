package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// makeIndex writes an index of version 2 for ids in order.
func makeIndex(ids []OID, offset func(i int) uint32, large []uint64) []byte {
	b := []byte(idxMagic + "\x00\x00\x00\x02")
	n := 0
	for first := range 256 {
		for n < len(ids) && int(ids[n][0]) == first {
			n++
		}
		b = binary.BigEndian.AppendUint32(b, uint32(n))
	}
	for _, id := range ids {
		b = append(b, id[:]...)
	}
	b = append(b, make([]byte, 4*len(ids))...)
	for i := range ids {
		b = binary.BigEndian.AppendUint32(b, offset(i))
	}
	for _, o := range large {
		b = binary.BigEndian.AppendUint64(b, o)
	}
	return append(b, make([]byte, 2*idLen)...)
}

// TestIndexSearch finds every id, and none that is not there, in indexes so
// large that the guess matters, with ids spread evenly and not.
func TestIndexSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, kind := range []string{"even", "crowded", "one byte"} {
		ids := make([]OID, 6000)
		for i := range ids {
			for k := range ids[i] {
				ids[i][k] = byte(rng.Uint32())
			}
			switch kind {
			case "crowded":
				ids[i][0], ids[i][1] = 7, byte(rng.IntN(2)*255)
			case "one byte":
				ids[i][0] = 200
			}
		}
		slices.SortFunc(ids, OID.compare)
		x, err := parseIndex(makeIndex(ids, func(i int) uint32 { return uint32(i) }, nil), bySHA1)
		if err != nil || x.count != len(ids) {
			t.Fatal(kind, x.count, err)
		}
		p := pack{idx: x}
		for i, id := range ids {
			if o, ok := p.find(&id); !ok || o != int64(i) {
				t.Fatalf("%s: id %d found at %d %v", kind, i, o, ok)
			}
			id[19]++
			if at, there := slices.BinarySearchFunc(ids, id, OID.compare); !there {
				if _, ok := p.find(&id); ok || x.search(id[:]) != at {
					t.Fatalf("%s: %s: search gives %d, want %d", kind, id, x.search(id[:]), at)
				}
			}
		}
	}
}

func TestIndexOffsets(t *testing.T) {
	ids := []OID{{1}, {2}, {3}}
	offsets := []uint32{12, 1 << 31, 1<<31 | 1}
	x, err := parseIndex(makeIndex(ids, func(i int) uint32 { return offsets[i] }, []uint64{5 << 32}), bySHA1)
	if err != nil {
		t.Fatal(err)
	}
	// The third names a second large offset, which is not there.
	for i, want := range []int64{12, 5 << 32, -1} {
		if got := x.offset(i); got != want {
			t.Errorf("offset %d is %d, want %d", i, got, want)
		}
	}
}

func TestApplyDelta(t *testing.T) {
	base := []byte("0123456789")
	cases := []struct {
		name  string
		delta string
		want  string // "": refused
	}{
		// 0x91: offset in one byte, size in one byte.
		{"copy", "\x91\x02\x03", "234"},
		{"copy from the start: no offset given", "\x90\x04", "0123"},
		{"insert", "\x02ab", "ab"},
		{"both", "\x91\x08\x02\x01x\x90\x01", "89x0"},
		{"copy past the end", "\x91\x08\x03", ""},
		{"no size is 65,536, past the end", "\x80", ""},
		{"offset of 4 bytes past the end", "\x9f\xff\xff\xff\xff\x01", ""},
		{"insert past the end", "\x05ab", ""},
		{"reserved", "\x00", ""},
		{"cut within a copy", "\x91\x02", ""},
	}
	for _, c := range cases {
		dst := make([]byte, len(c.want))
		if c.want == "" {
			dst = make([]byte, 70000)
		}
		ok := applyDelta(dst, base, []byte(c.delta))
		if ok != (c.want != "") || ok && string(dst) != c.want {
			t.Errorf("%s: %q %v", c.name, dst[:min(len(dst), 20)], ok)
		}
		if ok && (applyDelta(make([]byte, len(dst)+1), base, []byte(c.delta)) || applyDelta(dst[1:], base, []byte(c.delta))) {
			t.Errorf("%s: a result of another size was accepted", c.name)
		}
	}
}

func TestCache(t *testing.T) {
	var c objectCache
	data := make([]byte, cacheBytes/16)
	key := func(i int) cacheKey { return cacheKey{1, int64(i)} }
	for i := range 40 {
		c.put(key(i), TypeTree, data)
		c.get(key(0)) // kept fresh
		if c.bytes > cacheBytes {
			t.Fatalf("%d bytes held", c.bytes)
		}
	}
	held := 0
	for i := range 40 {
		if _, _, ok := c.get(key(i)); ok {
			held++
			// 16 of them and their overhead do not fit: 15 do, the first and
			// the last 14.
			if i != 0 && i < 26 {
				t.Errorf("%d is held", i)
			}
		}
	}
	if held != 15 {
		t.Errorf("%d held, want 15", held)
	}
	if c.put(key(99), TypeBlob, make([]byte, cacheBytes/8+1)); c.at[key(99)] != 0 {
		t.Error("an object of an eighth was taken")
	}
}

// FuzzIndex: no index makes a look-up fail but by "not there".
func FuzzIndex(f *testing.F) {
	ids := []OID{{1, 2, 3}, {1, 2, 4}, {0xff}}
	f.Add(makeIndex(ids, func(i int) uint32 { return uint32(i) << 30 }, []uint64{1, 1 << 63}), []byte{1, 2, 3})
	f.Add(make([]byte, fanoutLen+2*idLen), []byte{0})
	f.Add([]byte(idxMagic), []byte{})
	f.Add(make([]byte, fanoutLen+2*bySHA256.size()), []byte{0})
	lookUp := func(t *testing.T, b, want []byte, ids naming) {
		x, err := parseIndex(b, ids)
		if err != nil {
			return
		}
		p := pack{idx: x}
		var id OID
		copy(id[:], want)
		if o, ok := p.find(&id); ok && o < -1 {
			t.Fatalf("offset %d", o)
		}
		for i := range min(x.count, 100) {
			if o := x.offset(i); o < -1 {
				t.Fatalf("offset %d", o)
			}
		}
		p.prefixed(nil, id.String()[:7], 10)
	}
	f.Fuzz(func(t *testing.T, b, want []byte) {
		lookUp(t, b, want, bySHA1)
		lookUp(t, b, want, bySHA256)
	})
}

// packOf reads a fixture: the pack of a small repository, with deltas of
// either kind.
func packOf(t testing.TB, offsets bool, format string) (body, index []byte) {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "", "init", "-q", "--object-format="+format)
	for i := range 6 {
		commitFile(t, dir, "dir/file", strings.Repeat("some line\n", 30)+strings.Repeat("x", i), "c")
	}
	by := "repack.useDeltaBaseOffset=false"
	if offsets {
		by = "repack.useDeltaBaseOffset=true"
	}
	runGit(t, dir, "", "-c", by, "repack", "-adfq")
	for _, ext := range []string{".pack", ".idx"} {
		files, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*"+ext))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		b, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if ext == ".pack" {
			body = b
		} else {
			index = b
		}
	}
	return body, index
}

// memoryPack makes a Reader over a pack in memory.
func memoryPack(body, index []byte, ids naming) (*Reader, *pack, bool) {
	x, err := parseIndex(index, ids)
	if err != nil || checkPack(body, &x) != nil {
		return nil, nil, false
	}
	p := &pack{name: "memory", seq: 1, idx: x, keep: &mapping{index}, body: &mapping{body}}
	p.once.Do(func() {})
	r := &Repo{naming: ids, store: &store{ids: ids, warn: func(string) {}}, warnings: map[string]bool{}}
	r.store.packs.Store(&[]*pack{p})
	return r.NewReader(), p, true
}

// FuzzPack: whatever a pack holds, reading it ends, with an error or an object
// of the size that Size says.
func FuzzPack(f *testing.F) {
	for _, offsets := range []bool{false, true} {
		for _, format := range []string{"sha1", "sha256"} {
			body, index := packOf(f, offsets, format)
			f.Add(body, index)
		}
	}
	read := func(t *testing.T, body, index []byte, ids naming) {
		rd, p, ok := memoryPack(body, index, ids)
		if !ok {
			return
		}
		for i := range min(p.idx.count, 50) {
			id := OID(p.idx.id(i))
			typ, data, err := rd.own(id, 0)
			head, size, herr := rd.ownHead(id)
			if err == nil && (herr != nil || typ != head || size != int64(len(data))) {
				t.Fatalf("%s: %s of %d bytes, but %s of %d, %v", id, typ, len(data), head, size, herr)
			}
		}
	}
	f.Fuzz(func(t *testing.T, body, index []byte) {
		read(t, body, index, bySHA1)
		read(t, body, index, bySHA256)
	})
}

// TestDamagedPack flips each byte of a pack: every object is then read as it
// was or refused, and most are still there.
func TestDamagedPack(t *testing.T) {
	body, index := packOf(t, true, "sha1")
	rd, p, ok := memoryPack(body, index, bySHA1)
	if !ok {
		t.Fatal("fixture")
	}
	good := map[OID][]byte{}
	for i := range p.idx.count {
		id := OID(p.idx.id(i))
		_, data, err := rd.own(id, 0)
		if err != nil {
			t.Fatal(err)
		}
		good[id] = bytes.Clone(data)
	}
	wrong := 0
	for at := packHeader; at < len(body)-idLen; at++ {
		bad := bytes.Clone(body)
		bad[at] ^= 0x41
		rd, p, _ := memoryPack(bad, index, bySHA1)
		for i := range p.idx.count {
			id := OID(p.idx.id(i))
			_, data, err := rd.own(id, 0)
			if err == nil && !bytes.Equal(data, good[id]) {
				wrong++
			}
			if err != nil && !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrMissing) && !errors.Is(err, ErrTooLarge) {
				t.Fatalf("byte %d: %v", at, err)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d objects were read wrongly", wrong)
	}
}

// TestDamagedIndex: an index that makes no sense costs what only its pack
// holds, and is told; so does a pack that is not its index's.
func TestDamagedIndex(t *testing.T) {
	dir := newRepo(t)
	first := mustID(t, commitFile(t, dir, "f", "1", "first"))
	runGit(t, dir, "", "repack", "-adq")
	second := mustID(t, commitFile(t, dir, "f", "2", "second"))
	packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	idx := strings.TrimSuffix(packs[0], "pack") + "idx"
	for _, name := range []string{packs[0], idx} {
		if err := os.Chmod(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	index, err := os.ReadFile(idx)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, index, pack string
		warnings          int
	}{
		{"garbage for an index", "garbage", "", 1},
		{"empty index", "", "", 1},
		{"index cut", string(index[:len(index)-30]), "", 1},
		{"another pack", string(index), "PACK\x00\x00\x00\x02\x00\x00\x00\x03" + strings.Repeat("x", 40), 0},
		{"empty pack", string(index), "", 0},
	} {
		write(t, idx, c.index)
		if c.pack != "" || c.name == "empty pack" {
			write(t, packs[0], c.pack)
		}
		r := mustOpen(t, dir)
		rd := r.NewReader()
		if _, _, err := rd.Object(second); err != nil {
			t.Errorf("%s: loose object: %v", c.name, err)
		}
		if _, _, err := rd.Object(first); err == nil {
			t.Errorf("%s: object of the pack was read", c.name)
		}
		if len(r.Warnings()) != c.warnings {
			t.Errorf("%s: %q", c.name, r.Warnings())
		}
		commits, err := r.Commits(t.Context(), second, nil, 0)
		if err != nil || len(commits) != 1 || !commits[0].Boundary {
			t.Errorf("%s: %+v, %v", c.name, commits, err)
		}
		rd.Close()
	}
}

// TestPackCutWhileOpen: a mapped pack that is cut short faults when it is
// read; that is an error, not the end of the process.
func TestPackCutWhileOpen(t *testing.T) {
	dir := importRepo(t, 9, 150)
	r := mustOpen(t, dir)
	rd := r.NewReader()
	defer rd.Close()
	head := mustHead(t, r)
	if _, _, err := rd.Object(head); err != nil {
		t.Fatal(err)
	}
	packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatal(packs, err)
	}
	if err := os.Chmod(packs[0], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(packs[0], 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := rd.Object(head); err == nil {
		t.Error("read from a pack that is gone")
	}
	if _, _, err := rd.Size(head); err == nil {
		t.Error("size from a pack that is gone")
	}
	if _, err := r.Commits(t.Context(), head, nil, 0); err == nil {
		t.Error("history from a pack that is gone")
	}
}
