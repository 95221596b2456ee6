package history

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// alone builds a part of the commits, opens it as a run does that found it on
// disk, and gives a view at the last one in which every path is the file of its
// place in files.
func alone(t *testing.T, commits []Commit, files ...string) (*Part, *View) {
	t.Helper()
	raw, err := Build(slices.All(commits), len(commits), 0, func([20]byte) (int32, bool) { return 0, false })
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(raw)
	if err != nil {
		t.Fatal(err)
	}
	log, err := NewLog([]*Part{p})
	if err != nil {
		t.Fatal(err)
	}
	find := func(path string) (int32, bool) {
		i := slices.Index(files, path)
		return int32(i), i >= 0
	}
	v, ok := log.At(commits[len(commits)-1].ID, find, func(string) bool { return false })
	if !ok {
		t.Fatal("the last commit is not found")
	}
	return p, v
}

// What Build makes, Open takes: a path as long as may be is kept, a longer one
// costs its own changes and nothing else.
func TestPathBound(t *testing.T) {
	longest := strings.Repeat("x", maxPath/2) + "/" + strings.Repeat("y", maxPath-maxPath/2-1)
	over := longest + "z"
	commits := []Commit{
		{ID: id(1), Message: "start", Changes: []Change{{"a", Added}, {longest, Added}, {over, Added}, {over + "z", Added}}},
		{ID: id(2), Parents: [][20]byte{id(1)}, Changes: []Change{{over, From}, {"b", To}, {"a", Modified}}},
		{ID: id(3), Parents: [][20]byte{id(2)}, Changes: []Change{{"b", From}, {over, To}, {over + "z", Deleted}}},
		{ID: id(4), Parents: [][20]byte{id(3)}, Changes: []Change{{longest, From}, {"c", To}}},
		{ID: id(5), Parents: [][20]byte{id(4)}, Changes: []Change{{over, Modified}}},
	}
	p, v := alone(t, commits, "a", "b", "c")
	if got := p.pathList(); !slices.Equal(got, []string{"a", "b", "c", longest}) {
		t.Errorf("%d paths are kept, want a, b, c and the longest", len(got))
	}
	if v.N != 5 {
		t.Errorf("%d commits, want 5", v.N)
	}
	rows := p.read()
	var got [][]Change
	for c := range int32(5) {
		var list []Change
		for _, ch := range rows.changesOf(c) {
			list = append(list, Change{p.pathList()[ch>>3], Status(ch & 7)})
		}
		got = append(got, list)
	}
	want := [][]Change{{{"a", Added}, {longest, Added}}, {{"b", Added}, {"a", Modified}}, {{"b", Deleted}}, {{longest, From}, {"c", To}}, nil}
	for c := range want {
		if !slices.Equal(got[c], want[c]) {
			t.Errorf("commit %d keeps %d changes that are not those wanted", c, len(got[c]))
		}
	}
	if !slices.Equal(v.Files(0), []int32{0, 2}) || !slices.Equal(v.Files(1), []int32{0, 1}) {
		t.Errorf("files %v and %v", v.Files(0), v.Files(1))
	}
}

// A log that is full takes what it knows, and of a rename the side that fits.
func TestPathRoom(t *testing.T) {
	table := pathTable{room: 5}
	rows := table.appendChanges(nil, []Change{{"aa", Added}, {"bbb", Added}, {"c", Added}, {"aa", From}, {"d", To}, {"e", From}, {"bbb", To}, {"aa", Modified}})
	want := []uint32{0 | uint32(Added), 1<<3 | uint32(Added), 0 | uint32(Deleted), 1<<3 | uint32(Added), 0 | uint32(Modified)}
	if !slices.Equal(rows, want) || !slices.Equal(table.paths, []string{"aa", "bbb"}) {
		t.Errorf("rows %v of paths %q, want %v", rows, table.paths, want)
	}
}

// Times that no clock shows are set to the nearest that may be; bytes with
// others are refused.
func TestTimeBound(t *testing.T) {
	commits := []Commit{{ID: id(1), Time: math.MinInt64}, {ID: id(2), Time: math.MaxInt64, Parents: [][20]byte{id(1)}},
		{ID: id(3), Time: maxTime, Parents: [][20]byte{id(2)}}, {ID: id(4), Parents: [][20]byte{id(3)}}}
	if _, v := alone(t, commits); !slices.Equal(v.When, []int64{0, maxTime, maxTime, 0}) {
		t.Errorf("times %v", v.When)
	}
	for _, bad := range []int64{-1, maxTime + 1, math.MinInt64, math.MaxInt64} {
		r := rows{times: []int64{bad}, lens: []int32{0}, parentEnds: []uint32{0}, changesEnds: []uint32{0}}
		if _, err := decodeRows(r.encode(0, nil), 0, 1, 0); err == nil {
			t.Errorf("the time %d was taken", bad)
		}
	}
}

// A message of more words than count is cut where Open takes it.
func TestTermBound(t *testing.T) {
	p, v := alone(t, []Commit{{ID: id(1), Message: strings.Repeat("word ", maxDocTerms+10)}})
	if v.Lens[0] != maxDocTerms {
		t.Errorf("%d terms, want %d", v.Lens[0], maxDocTerms)
	}
	if _, err := Open(p.Bytes()[:len(p.Bytes())-8]); !errors.Is(err, ErrCorrupt) {
		t.Errorf("%v for a part that is cut off", err)
	}
}
