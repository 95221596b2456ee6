package git

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Where the git program makes reftables itself, TestKinds reads those; these
// tests make their own, so that every git will do.

// makeTable writes a table of refs in blocks of a size, 0 for one after the
// other. A tag is followed by what it is of.
func makeTable(refs map[string]tableRef, blockSize int, tags bool) string {
	varint := func(v uint64) []byte {
		b := []byte{byte(v & 0x7f)}
		for v >>= 7; v > 0; v >>= 7 {
			v--
			b = append([]byte{byte(v&0x7f | 0x80)}, b...)
		}
		return b
	}
	put24 := func(b []byte, v int) { b[0], b[1], b[2] = byte(v>>16), byte(v>>8), byte(v) }
	head := append([]byte("REFT\x01\x00\x00\x00"), make([]byte, 16)...)
	put24(head[5:], blockSize)
	out := slices.Clone(head)
	var block []byte
	start, count, last := 0, 0, ""
	open := func() {
		block, last, count = append(block[:0], "r\x00\x00\x00"...), "", 0
	}
	closeBlock := func() {
		if count == 0 {
			return
		}
		block = append(block, 0, 0, 28, 0, 1) // one restart, at the first record
		put24(block[1:], len(out)-start+len(block))
		out = append(out, block...)
		if blockSize > 0 {
			out = append(out, make([]byte, start+blockSize-len(out))...)
		}
		start = len(out)
	}
	open()
	for _, name := range slices.Sorted(maps.Keys(refs)) {
		r := refs[name]
		kind, value := uint64(recordDeleted), []byte(nil)
		switch {
		case r.target != "":
			kind, value = recordSymbolic, append(varint(uint64(len(r.target))), r.target...)
		case r.id.IsZero():
		case tags && strings.HasPrefix(name, "refs/tags/"):
			kind, value = recordPeeled, append(r.id[:], make([]byte, idLen)...)
		default:
			kind, value = recordID, r.id[:]
		}
		record := func() []byte {
			shared := 0
			for shared < len(last) && shared < len(name) && last[shared] == name[shared] {
				shared++
			}
			b := append(varint(uint64(shared)), varint(uint64(len(name)-shared)<<3|kind)...)
			return append(append(append(b, name[shared:]...), varint(300)...), value...)
		}
		b := record()
		if blockSize > 0 && len(out)-start+len(block)+len(b)+5 > blockSize {
			closeBlock()
			open()
			b = record()
		}
		block = append(block, b...)
		last = name
		count++
	}
	closeBlock()
	out = append(out, "gnot a block of refs\x01"...)
	foot := append(slices.Clone(head), make([]byte, 5*8)...)
	return string(append(append(out, foot...), binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(foot))...))
}

// toReftable turns the refs of a repository into a stack of tables.
func toReftable(t *testing.T, dir string, tables ...string) {
	t.Helper()
	list := ""
	for i, table := range tables {
		name := fmt.Sprintf("0x%012x-0x%012x-%08x.ref", i+1, i+1, i)
		write(t, filepath.Join(dir, "reftable", name), table)
		list += name + "\n"
	}
	write(t, filepath.Join(dir, "reftable", "tables.list"), list)
	write(t, filepath.Join(dir, "HEAD"), "ref: refs/heads/.invalid\n")
	if err := os.RemoveAll(filepath.Join(dir, "refs")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "refs", "heads"), "this repository uses the reftable format\n")
	_ = os.Remove(filepath.Join(dir, "packed-refs"))
	write(t, filepath.Join(dir, "config"), "[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n")
}

func TestReftable(t *testing.T) {
	for _, blockSize := range []int{0, 256, 4096} {
		dir := importRepo(t, 5, 60)
		ids := strings.Fields(runGit(t, dir, "", "rev-list", "main"))
		id := func(n int) tableRef { return tableRef{id: mustID(t, ids[n])} }
		tag := mustID(t, strings.TrimSpace(runGit(t, dir, fmt.Sprintf("object %s\ntype commit\ntag v1\ntagger A <a@example.com> 1 +0000\n\nx\n", ids[3]), "mktag")))
		old := map[string]tableRef{"HEAD": {target: "refs/heads/main"}, "refs/heads/main": id(7), "refs/heads/gone": id(2), "refs/heads/side": id(4),
			"refs/tags/v1": {id: tag}, "refs/heads/alias": {target: "refs/heads/side"}, "refs/heads/x": {target: "refs/heads/y"}, "refs/heads/y": {target: "refs/heads/x"}}
		for i := range 300 {
			old[fmt.Sprintf("refs/heads/many/%d/branch", i)] = id(i % len(ids))
		}
		toReftable(t, filepath.Join(dir, ".git"), makeTable(old, blockSize, true),
			makeTable(map[string]tableRef{"refs/heads/gone": {}, "refs/heads/side": id(5)}, blockSize, true),
			makeTable(nil, blockSize, true), makeTable(map[string]tableRef{"refs/heads/main": id(0), "refs/replace/" + ids[1]: id(6)}, blockSize, true))
		write(t, filepath.Join(dir, ".git", "FETCH_HEAD"), ids[8]+"\tbranch 'x' of y\n")
		r := mustOpen(t, dir)
		for rev, n := range map[string]int{"HEAD": 0, "main": 0, "side": 5, "alias": 5, "v1": 3, "many/7/branch": 7, "refs/heads/many/299/branch": 299 % len(ids), "FETCH_HEAD": 8} {
			if got, err := r.Resolve(rev); err != nil || got.String() != ids[n] {
				t.Errorf("blocks of %d: %s is %s, %v; want %s", blockSize, rev, got, err, ids[n])
			}
		}
		for rev, want := range map[string]error{"gone": ErrUnknownRevision, "many/300/branch": ErrUnknownRevision, "x": ErrCorrupt, "heads": ErrUnknownRevision} {
			if got, err := r.Resolve(rev); !errors.Is(err, want) {
				t.Errorf("blocks of %d: %s is %s, %v; want %v", blockSize, rev, got, err, want)
			}
		}
		if r.replaced(mustID(t, ids[1])) != id(6).id {
			t.Errorf("blocks of %d: the replacement is not known", blockSize)
		}
		// What comes later is seen by the same Repo.
		toReftable(t, filepath.Join(dir, ".git"), makeTable(map[string]tableRef{"HEAD": id(9)}, blockSize, false))
		if got, ref, err := r.Head(); err != nil || ref != "" || got != id(9).id {
			t.Errorf("blocks of %d: HEAD is %s %q, %v", blockSize, got, ref, err)
		}
		if _, err := r.Resolve("main"); !errors.Is(err, ErrUnknownRevision) {
			t.Errorf("blocks of %d: main is gone, but %v", blockSize, err)
		}
	}
}

func TestReftableDamaged(t *testing.T) {
	dir := newRepo(t)
	first := commitFile(t, dir, "f", "x", "first")
	id := tableRef{id: mustID(t, first)}
	table := makeTable(map[string]tableRef{"HEAD": {target: "refs/heads/main"}, "refs/heads/main": id}, 4096, false)
	git := filepath.Join(dir, ".git")
	for name, c := range map[string]string{
		"cut": table[:len(table)-9], "empty": "", "header": "RAFT" + table[4:], "version": table[:4] + "\x09" + table[5:], "footer": table[:len(table)-1] + "x",
		"block too long": table[:25] + "\xff" + table[26:], "no records": table[:25] + "\x00\x00\x1e" + table[28:],
	} {
		toReftable(t, git, c)
		if _, _, err := mustOpen(t, dir).Head(); !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	toReftable(t, git, table)
	for _, list := range []string{"../../f\n", "/etc/passwd\n", "gone.ref\n", ".\n"} {
		write(t, filepath.Join(git, "reftable", "tables.list"), list)
		if _, _, err := mustOpen(t, dir).Head(); err == nil || errors.Is(err, ErrNoCommits) {
			t.Errorf("%q: %v", list, err)
		}
	}
	if err := os.RemoveAll(filepath.Join(git, "reftable")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := mustOpen(t, dir).Head(); !errors.Is(err, ErrNoCommits) {
		t.Errorf("no tables: %v", err)
	}
}

// FuzzReftable reads tables of any bytes: no more names than bytes, and an end.
func FuzzReftable(f *testing.F) {
	refs := map[string]tableRef{"HEAD": {target: "refs/heads/main"}, "refs/heads/a": {id: OID{1}}, "refs/heads/ab": {}, "refs/tags/t": {id: OID{2}}}
	for _, size := range []int{0, 128} {
		table := makeTable(refs, size, true)
		f.Add(table[24:len(table)-68], size)
	}
	f.Fuzz(func(t *testing.T, body string, size int) {
		head := "REFT\x01" + string([]byte{byte(size >> 16), byte(size >> 8), byte(size)}) + strings.Repeat("\x00", 16)
		foot := head + strings.Repeat("\x00", 40)
		n := 0
		_ = readTable(head+body+foot+string(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(foot)))), bySHA1, func(string, tableRef) error { n++; return nil })
		if n > len(body) {
			t.Fatalf("%d refs of %d bytes", n, len(body))
		}
	})
}
