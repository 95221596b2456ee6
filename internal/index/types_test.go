package index

import (
	"errors"
	"slices"
	"testing"
)

func TestTypes(t *testing.T) {
	edges := []Edge{{0, 1, 0, 1}, {0, 1, 1, 0.5}, {2, 0, 2, 0.25}}
	b, err := EncodeTypes(3, edges, []byte("note"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := OpenTypes(b, true)
	if err != nil {
		t.Fatal(err)
	}
	if list, ok := got.Edges(); !ok || !slices.Equal(list, edges) || string(got.Note) != "note" || got.Files != 3 {
		t.Errorf("got %+v, %v", got, list)
	}
	other, err := EncodeTypes(3, edges[:2], []byte("note"))
	if err != nil {
		t.Fatal(err)
	}
	if o, err := OpenTypes(other, true); err != nil || o.Tag == got.Tag {
		t.Errorf("other edges have tag %s, %v", o.Tag, err)
	}
	// Whatever changes in a byte is found, and nothing is read out of bounds
	// when it is not looked for.
	for i := range b {
		bad := slices.Clone(b)
		bad[i] ^= 0x41
		if o, err := OpenTypes(bad, false); err == nil {
			o.Edges()
		}
		if o, err := OpenTypes(bad, true); err == nil {
			list, _ := o.Edges()
			if !slices.Equal(list, edges) || string(o.Note) != "note" {
				t.Errorf("byte %d: not found", i)
			}
		} else if !errors.Is(err, ErrCorrupt) {
			t.Errorf("byte %d: %v", i, err)
		}
		if o, err := OpenTypes(b[:i], true); err == nil && string(o.Note) != "note" { // padding may go
			t.Errorf("cut at %d: not found", i)
		}
	}
	for name, list := range map[string][]Edge{"out of the tree": {{0, 3, 0, 1}}, "negative": {{-1, 0, 0, 1}}, "not sorted": {{1, 0, 0, 1}, {0, 1, 0, 1}}} {
		b, err := EncodeTypes(3, list, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := OpenTypes(b, true); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
