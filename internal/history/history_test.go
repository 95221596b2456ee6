package history

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

func id(n byte) [20]byte { return [20]byte{n, 1, n} }

// The log of the tests: 1 adds a and lock; 2 renames a to b; 3 (on a side
// branch of 1) modifies a; 4 merges; 5 adds a new a and modifies b.
func testLog(t *testing.T, split int) *Log {
	t.Helper()
	all := []Commit{
		{ID: id(1), Time: 10, Message: "Add export\n\nSigned-off-by: someone", Changes: []Change{{"a", Added}, {"lock", Added}}},
		{ID: id(2), Parents: [][20]byte{id(1)}, Time: 20, Message: "rename", Changes: []Change{{"a", From}, {"b", To}}},
		{ID: id(3), Parents: [][20]byte{id(1)}, Time: 30, Message: "fix export export", Changes: []Change{{"a", Modified}}},
		{ID: id(4), Parents: [][20]byte{id(2), id(3)}, Time: 40, Merge: true, Message: "merge"},
		{ID: id(5), Parents: [][20]byte{id(4)}, Time: 50, Message: "more", Changes: []Change{{"a", Added}, {"b", Modified}}},
	}
	var parts []*Part
	log := &Log{}
	for _, run := range [][]Commit{all[:split], all[split:]} {
		raw, err := Build(slices.All(run), len(run), log.Commits(), log.Find)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Open(raw)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
		if log, err = NewLog(parts); err != nil {
			t.Fatal(err)
		}
	}
	return log
}

func TestAt(t *testing.T) {
	for split := range 6 {
		log := testLog(t, split)
		tree := map[string]int32{"a": 0, "b": 1, "lock": 2}
		find := func(p string) (int32, bool) { f, ok := tree[p]; return f, ok }
		noise := func(p string) bool { return p == "lock" }
		v, ok := log.At(id(5), find, noise)
		if !ok || v.N != 5 {
			t.Fatalf("split %d: N = %d, %v", split, v.N, ok)
		}
		// Commits 1 and 3 touched the file that is b today, not the new a. (3 was
		// made on a branch, after the rename in the log's order: its a is the
		// path that stands today, the one case that is told wrongly.)
		want := [][]int32{{1}, {1}, {0}, nil, {0, 1}}
		for c, w := range want {
			if got := v.Files(int32(c)); !reflect.DeepEqual(append([]int32(nil), got...), append([]int32(nil), w...)) {
				t.Errorf("split %d: commit %d touched %v, want %v", split, c, got, w)
			}
		}
		if v.Size[0] != 1 {
			t.Errorf("size of commit 0 = %d, want 1: the lock file is noise", v.Size[0])
		}
		v, _ = log.At(id(2), find, noise)
		if v.N != 2 || v.Alive(2) {
			t.Errorf("split %d: at commit 2 N = %d and its sibling alive = %v", split, v.N, v.Alive(2))
		}
		if got, tf := log.Postings("export", nil, nil); !reflect.DeepEqual(got, []int32{0, 2}) || !reflect.DeepEqual(tf, []int32{1, 2}) {
			t.Errorf("postings of export = %v, %v times", got, tf)
		}
		if got, _ := log.Postings("someon", nil, nil); got != nil {
			t.Errorf("a trailer was indexed: %v", got)
		}
		if _, ok := log.At(id(9), find, noise); ok {
			t.Error("an unknown tip was found")
		}
		if s := log.Subject(0); s != "" {
			t.Errorf("subject %q of a log that has no messages", s)
		}
		log.Messages(func(id [20]byte) string { return fmt.Sprintf("\nAdd %d\n\nMore", id[0]) })
		if s := log.Subject(2); s != "Add 3" {
			t.Errorf("subject %q", s)
		}
	}
}

func FuzzOpen(f *testing.F) {
	raw, _ := Build(slices.All([]Commit{{ID: id(1), Message: "x y", Changes: []Change{{"a", Added}}}}), 1, 0, func([20]byte) (int32, bool) { return 0, false })
	f.Add(raw)
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Open(b)
		if err != nil {
			return
		}
		if l, err := NewLog([]*Part{p}); err == nil && p.n > 0 {
			l.At(l.ID(p.n-1), func(string) (int32, bool) { return 0, true }, func(string) bool { return false })
		}
	})
}
