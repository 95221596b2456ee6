package git

import (
	"context"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// seal gives an index body its checksum.
func seal(body []byte) []byte {
	sum := sha1.Sum(body)
	return append(slices.Clone(body), sum[:]...)
}

// indexBytes builds a version 2 index of empty stats.
func indexBytes(version uint32, paths ...string) []byte {
	b := []byte("DIRC")
	b = binary.BigEndian.AppendUint32(b, version)
	b = binary.BigEndian.AppendUint32(b, uint32(len(paths)))
	for _, p := range paths {
		start := len(b)
		b = append(b, make([]byte, indexStat+idLen+2)...)
		b[start+26], b[start+27] = 0x81, 0xa4 // 0100644
		b = append(b, p...)
		b = append(b, make([]byte, 8-(len(b)-start)%8)...)
	}
	return b
}

func noShared(string) ([]byte, error) { return nil, ErrMissing }

func TestParseGitIndex(t *testing.T) {
	idx, err := parseGitIndex(seal(indexBytes(2, "a", "a.b", "a/b")), bySHA1, noShared)
	if err != nil || len(idx.entries) != 3 || idx.entries[2].path != "a/b" || idx.entries[0].mode != 0o100644 {
		t.Fatalf("%+v, %v", idx, err)
	}
	ext := func(sig string, content string) []byte {
		b := append(indexBytes(2, "a"), sig...)
		return seal(append(binary.BigEndian.AppendUint32(b, uint32(len(content))), content...))
	}
	id := strings.Repeat("\x11", 20)
	if idx, err = parseGitIndex(ext("TREE", "\x001 0\n"+id), bySHA1, noShared); err != nil || string(idx.tree[:]) != id {
		t.Errorf("cache tree: %+v, %v", idx, err)
	}
	if idx, err = parseGitIndex(ext("TREE", "\x00-1 0\n"), bySHA1, noShared); err != nil || !idx.tree.IsZero() {
		t.Errorf("invalid cache tree: %+v, %v", idx, err)
	}
	if _, err = parseGitIndex(ext("ZZZZ", "x"), bySHA1, noShared); err != nil {
		t.Errorf("optional extension: %v", err)
	}
	broken := seal(indexBytes(2, "a"))
	broken[20] ^= 1
	for _, c := range []struct {
		name string
		data []byte
		want error
	}{
		{"empty", nil, ErrCorrupt},
		{"checksum", broken, ErrCorrupt},
		{"version", seal(indexBytes(5, "a")), ErrUnsupported},
		{"extension", ext("zzzz", "x"), ErrUnsupported},
		{"order", seal(indexBytes(2, "b", "a")), ErrCorrupt},
		{"twice", seal(indexBytes(2, "a", "a")), ErrCorrupt},
		{"trailing", seal(append(indexBytes(2, "a"), 1, 2, 3)), ErrCorrupt},
		{"cut off", seal(indexBytes(2, "a")[:70]), ErrCorrupt},
		{"split without its base", ext("link", id), ErrMissing},
		{"short link", ext("link", "x"), ErrCorrupt},
	} {
		if _, err := parseGitIndex(c.data, bySHA1, noShared); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestParseEWAH(t *testing.T) {
	word := func(bit, run, literals uint64) uint64 { return bit | run<<1 | literals<<33 }
	build := func(words ...uint64) []byte {
		b := binary.BigEndian.AppendUint32(nil, 0)
		b = binary.BigEndian.AppendUint32(b, uint32(len(words)))
		for _, w := range words {
			b = binary.BigEndian.AppendUint64(b, w)
		}
		return append(binary.BigEndian.AppendUint32(b, 0), "rest"...)
	}
	// 64 zeros, 64 ones, then bits 128 and 131.
	set, rest, err := parseEWAH(build(word(0, 1, 0), word(1, 1, 1), 1|8), 140)
	if err != nil || string(rest) != "rest" || hasBit(set, 63) || !hasBit(set, 64) || !hasBit(set, 127) || !hasBit(set, 128) || hasBit(set, 129) || !hasBit(set, 131) || hasBit(set, 1000) {
		t.Errorf("%x, %q, %v", set, rest, err)
	}
	for _, b := range [][]byte{nil, build(word(1, 1<<31, 0)), build(word(0, 0, 2), 1), build(word(0, 0, 0))[:14]} {
		if _, _, err := parseEWAH(b, 140); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%x: %v", b, err)
		}
	}
}

func FuzzParseGitIndex(f *testing.F) {
	base := indexBytes(2, "a", "b/c", "b/d")
	link := append(indexBytes(2, "x"), "link\x00\x00\x00\x40"...)
	f.Add(base, base)
	f.Add(append(link, make([]byte, 64)...), base)
	f.Add(indexBytes(4), base)
	f.Fuzz(func(t *testing.T, body, shared []byte) {
		for _, ids := range []naming{bySHA1, bySHA256} {
			whole := func(b []byte) []byte { return append(slices.Clone(b), ids.sum(b)...) }
			idx, err := parseGitIndex(whole(body), ids, func(string) ([]byte, error) { return whole(shared), nil })
			if err != nil {
				continue
			}
			for i := 1; i < len(idx.entries); i++ {
				if a, b := idx.entries[i-1], idx.entries[i]; a.path > b.path {
					t.Fatalf("%q before %q", a.path, b.path)
				}
			}
		}
	})
}

// bigTree makes a repository of n committed files and as many ignored ones,
// all older than the index.
func bigTree(b *testing.B, n int) string {
	wtIsolate(b)
	dir := filepath.Join(b.TempDir(), "r")
	for i := range n {
		wtWrite(b, filepath.Join(dir, fmt.Sprintf("pkg%d/sub%d/file%d.py", i%40, i%7, i)), fmt.Sprint(i))
		wtWrite(b, filepath.Join(dir, fmt.Sprintf("build/x%d/file%d.o", i%40, i)), "")
	}
	wtWrite(b, filepath.Join(dir, ".gitignore"), "build/\n*.pyc\n__pycache__/\n/docs/_build/\n")
	wtRun(b, dir, "init", "-q")
	wtRun(b, dir, "add", "-A")
	wtRun(b, dir, "commit", "-q", "-m", "c")
	later := func(name string) {
		info, err := os.Stat(name)
		if err != nil {
			b.Fatal(err)
		}
		at := info.ModTime().Add(2e9)
		os.Chtimes(name, at, at)
	}
	later(filepath.Join(dir, ".git", "index"))
	return dir
}

func BenchmarkWorkingTree(b *testing.B) {
	dir := os.Getenv("BENCH_TREE") // a checkout to measure instead
	if dir == "" {
		dir = bigTree(b, 7000)
	}
	r, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	b.ReportAllocs()
	for b.Loop() {
		s, err := r.WorkingTree(context.Background(), WorktreeOptions{Untracked: true})
		if err != nil {
			b.Fatal(err)
		}
		if s.Dirty {
			b.Fatalf("dirty: %+v", s.Warnings)
		}
	}
}
