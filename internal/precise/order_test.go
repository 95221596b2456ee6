package precise

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Packages are met in the order of what imports them and of their import paths,
// not in that of a map.
func TestUnitOrder(t *testing.T) {
	root := &packages.Package{ID: "root", PkgPath: "root", GoFiles: []string{"/m/root.go"}, Imports: map[string]*packages.Package{}}
	want := []string{"root"}
	for i := range 12 {
		at := fmt.Sprintf("dep%02d", i)
		deep := &packages.Package{ID: at + "/deep", PkgPath: at + "/deep", GoFiles: []string{"/d/" + at + "/deep/a.go"}}
		root.Imports[at] = &packages.Package{ID: at, PkgPath: at, GoFiles: []string{"/d/" + at + "/a.go"}, Imports: map[string]*packages.Package{deep.ID: deep}}
		want = append(want, at, deep.ID)
	}
	c := newChecker(Input{Root: "/m", Has: func(string) bool { return true }})
	c.join([]*packages.Package{root})
	var got []string
	for _, u := range c.order {
		got = append(got, u.id)
	}
	if !slices.Equal(got, want) {
		t.Errorf("units %q, want %q", got, want)
	}
}
