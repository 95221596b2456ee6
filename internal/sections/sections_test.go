package sections

import (
	"bytes"
	"testing"
)

func TestJoinAndSplit(t *testing.T) {
	head := []byte("magic678")
	want := [][]byte{[]byte("abc"), nil, []byte("12345678")}
	b, err := Join(head, want)
	if err != nil {
		t.Fatal(err)
	}
	// 8 of head, 3 rows of 16, 8 of tail; then 3 padded to 8, 0, 8.
	if len(b) != 8+48+8+8+0+8 || HeaderSize(8, 3) != 64 || !bytes.HasPrefix(b, head) {
		t.Fatalf("%d bytes, header of %d", len(b), HeaderSize(8, 3))
	}
	got := make([][]byte, 3)
	if err := Split(b, 8, got, true); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Errorf("section %d is %q, want %q", i, got[i], want[i])
		}
	}
	padding := map[int]bool{67: true, 68: true, 69: true, 70: true, 71: true, 60: true, 61: true, 62: true, 63: true}
	for i := range b {
		bad := bytes.Clone(b)
		bad[i] ^= 1
		if err := Split(bad, 8, got, true); (err == nil) != padding[i] {
			t.Errorf("byte %d flipped: %v", i, err)
		}
	}
	for n := range b {
		if Split(b[:n], 8, got, true) == nil {
			t.Errorf("cut to %d bytes of %d: taken", n, len(b))
		}
	}
}

func FuzzSplit(f *testing.F) {
	b, _ := Join([]byte("magic678"), [][]byte{[]byte("abc"), []byte("d")})
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) { _ = Split(b, 8, make([][]byte, 2), true) })
}
