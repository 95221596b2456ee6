package repo

import (
	"encoding/binary"
	"reflect"
	"testing"

	"cohop/internal/git"
)

// TestNote writes notes and reads them, whole and damaged in every byte.
func TestNote(t *testing.T) {
	for _, n := range []int{0, 1, 7, maxNoted, 3*maxNoted + 5} {
		var l losses
		for i := range n {
			var id git.OID
			binary.LittleEndian.PutUint32(id[:], uint32(i))
			err := git.ErrMissing
			if i%3 == 1 {
				err = git.ErrCorrupt
			}
			l.add(id, err)
		}
		note := l.note([16]byte{1, 2, 3})
		if n == 0 {
			if note.encode() != nil {
				t.Error("a note of nothing")
			}
			continue
		}
		b := note.encode()
		got, ok := decodeNote(b)
		if !ok || !reflect.DeepEqual(got, note) {
			t.Fatalf("%d lost: %v, %+v", n, ok, got)
		}
		if len(got.ids) != min(n, maxNoted) || got.missing != n-(n+1)/3 || got.ids[0] != l.ids[0] {
			t.Errorf("%d lost: %d ids, %d missing", n, len(got.ids), got.missing)
		}
		if n > 7 {
			continue
		}
		for i := range b {
			b[i] ^= 1
			if _, ok := decodeNote(b); ok {
				t.Errorf("damaged at %d, and read", i)
			}
			b[i] ^= 1
			if _, ok := decodeNote(b[:i]); ok {
				t.Errorf("cut at %d, and read", i)
			}
		}
	}
}
