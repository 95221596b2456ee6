package git

import (
	"bytes"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"testing"
)

// deflate compresses with the standard library, the oracle of these tests.
func deflate(t testing.TB, level int, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// samples are contents that make the encoder use stored, fixed and dynamic
// blocks, long codes, and overlapping copies.
func samples() [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 70000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	skew := make([]byte, 200000) // geometric: code lengths up to 15
	for i := range skew {
		b := 0
		for b < 200 && rng.IntN(2) == 0 {
			b++
		}
		skew[i] = byte(b)
	}
	mixed := make([]byte, 0, 300000)
	for len(mixed) < 250000 {
		if rng.IntN(3) == 0 || len(mixed) < 10 {
			for range rng.IntN(40) {
				mixed = append(mixed, byte(rng.IntN(256)))
			}
			continue
		}
		d := 1 + rng.IntN(min(len(mixed), 32768))
		for range 3 + rng.IntN(300) {
			mixed = append(mixed, mixed[len(mixed)-d])
		}
	}
	return [][]byte{
		nil, []byte("a"), []byte("hello hello hello hello"), bytes.Repeat([]byte{0}, 100000),
		bytes.Repeat([]byte("ab"), 50000), noise, skew, mixed,
	}
}

func TestInflate(t *testing.T) {
	var z inflater // one for all: tables must not leak from one stream into the next
	for i, data := range samples() {
		for level := -2; level <= 9; level++ {
			src := deflate(t, level, data)
			dst := make([]byte, len(data))
			n, err := z.inflate(dst, append(src[:len(src):len(src)], "trailing bytes"...))
			if err != nil || n != len(src) || !bytes.Equal(dst, data) {
				t.Fatalf("sample %d level %d: read %d of %d, %v", i, level, n, len(src), err)
			}
			if n, err = z.inflate(dst, src); err != nil || n != len(src) || !bytes.Equal(dst, data) {
				t.Fatalf("sample %d level %d at the very end: %v", i, level, err)
			}
			if _, err := z.inflate(make([]byte, len(data)+1), src); err == nil {
				t.Fatalf("sample %d level %d: one byte too few was accepted", i, level)
			}
			if len(data) > 0 {
				if _, err := z.inflate(make([]byte, len(data)-1), src); err == nil {
					t.Fatalf("sample %d level %d: one byte too many was accepted", i, level)
				}
			}
			part := make([]byte, min(len(data), 100))
			if n, err := z.peek(part, src); err != nil || n != len(part) || !bytes.Equal(part, data[:n]) {
				t.Fatalf("sample %d level %d peek: %d, %v", i, level, n, err)
			}
		}
	}
}

func TestInflateDamaged(t *testing.T) {
	data := samples()[7][:3000]
	src := deflate(t, 6, data)
	var z inflater
	dst := make([]byte, len(data))
	for n := range len(src) {
		if _, err := z.inflate(dst, src[:n]); err == nil {
			t.Fatalf("stream cut at %d of %d was accepted", n, len(src))
		}
	}
	accepted := 0
	for i := range len(src) * 8 {
		bad := bytes.Clone(src)
		bad[i/8] ^= 1 << (i % 8)
		if _, err := z.inflate(dst, bad); err == nil {
			// A bit that pads the last byte, or says how well it was
			// compressed, means nothing.
			if accepted++; accepted > 8 || !bytes.Equal(dst, data) {
				t.Fatalf("bit %d flipped was accepted", i)
			}
		}
	}
}

// FuzzInflate holds the decoder against the standard library's on anything.
func FuzzInflate(f *testing.F) {
	for _, data := range samples() {
		if len(data) < 30000 {
			f.Add(deflate(f, 6, data), len(data))
			f.Add(deflate(f, 0, data), len(data))
		}
	}
	f.Add(deflate(f, 9, samples()[7][:5000]), 5000)
	f.Add(deflate(f, -2, samples()[6][:5000]), 5000)
	f.Fuzz(func(t *testing.T, src []byte, size int) {
		if size < 0 || size > 1<<18 {
			return
		}
		var z inflater
		dst := make([]byte, size)
		_, err := z.inflate(dst, src)

		var want []byte
		r, werr := zlib.NewReader(bytes.NewReader(src))
		if werr == nil {
			want, werr = io.ReadAll(io.LimitReader(r, 1<<18+1))
		}
		switch {
		case err == nil && (werr != nil || !bytes.Equal(dst, want)):
			t.Fatalf("accepted what the standard library has as %v, %d bytes for %d", werr, len(want), size)
		case err != nil && werr == nil && len(want) == size:
			t.Fatalf("refused what the standard library accepts: %v", err)
		}
	})
}

func BenchmarkInflate(b *testing.B) {
	// The size of a folder's tree: 40 entries with noise for ids.
	rng := rand.New(rand.NewPCG(3, 4))
	var tree []byte
	for i := range 40 {
		tree = append(tree, "100644 some_file_"...)
		tree = append(tree, byte('a'+i%26), byte('a'+i/26), 0)
		for range 20 {
			tree = append(tree, byte(rng.Uint32()))
		}
	}
	src := deflate(b, 6, tree)
	b.Run("own", func(b *testing.B) {
		var z inflater
		dst := make([]byte, len(tree))
		b.SetBytes(int64(len(tree)))
		for b.Loop() {
			if _, err := z.inflate(dst, src); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("standard", func(b *testing.B) {
		in := bytes.NewReader(src)
		r, err := zlib.NewReader(in)
		if err != nil {
			b.Fatal(err)
		}
		dst := make([]byte, len(tree))
		b.SetBytes(int64(len(tree)))
		for b.Loop() {
			in.Reset(src)
			if err := r.(zlib.Resetter).Reset(in, nil); err != nil {
				b.Fatal(err)
			}
			if _, err := io.ReadFull(r, dst); err != nil {
				b.Fatal(err)
			}
		}
	})
}
