package labels

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// TestCheckFindsPlantedLeaks plants each kind of leak in a repository and
// looks for just that finding.
func TestCheckFindsPlantedLeaks(t *testing.T) {
	f := func(kv ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return m
	}
	dir, ids := history(t,
		step{msg: "start of the shop with all parts", files: f("cart.go", "1", "price.go", "1")},
		step{msg: "round the totals of every order half up", files: f("cart.go", "2"), tag: "v1"},
		step{msg: "add a part that comes later", files: f("later.go", "1")},
		step{msg: "take the discount off before the tax", files: f("price.go", "2", "later.go", "2"), tag: "v2"},
	)
	blob := strings.TrimSpace(run(t, dir, "rev-parse", ids[3]+":price.go"))
	old := strings.TrimSpace(run(t, dir, "rev-parse", ids[0]+":price.go"))
	base := Label{ID: "x", Text: "take the discount off before the tax", Files: []string{"price.go"}, Commit: ids[2], Answer: ids[3]}
	for _, c := range []struct {
		name   string
		change func(*Label)
		want   []string // kinds
		usable bool
	}{
		{"clean", func(*Label) {}, nil, true},
		{"clean, pinned", func(l *Label) { l.Blobs = map[string]string{"price.go": old} }, nil, true},
		{"later commit", func(l *Label) { l.Commit = ids[3] }, []string{KindLater}, false},
		{"later commit, not said", func(l *Label) { l.Commit, l.Answer = ids[3], "" }, []string{KindLater}, false},
		{"later commit, by the first line", func(l *Label) {
			l.Commit, l.Answer, l.Text = ids[3], "", "Take the discount off before the tax\n\nand say so"
		}, []string{KindLater}, false},
		{"the same words, another file", func(l *Label) { l.Commit, l.Answer, l.Files = ids[3], "", []string{"cart.go"} }, nil, true},
		{"path in a mined text", func(l *Label) { l.Text, l.Tags = "fix price.go", []string{TagMined} }, []string{KindNames}, false},
		{"path in a user's text", func(l *Label) { l.Text = "fix price.go" }, []string{KindNames}, true},
		{"future file", func(l *Label) { l.Commit, l.Files = ids[1], []string{"later.go"} }, []string{KindFuture}, false},
		{"future blob", func(l *Label) { l.Blobs = map[string]string{"price.go": blob} }, []string{KindFuture}, false},
		{"tag that points forward", func(l *Label) { l.Commit = "v2" }, []string{KindMoving, KindLater}, false},
		{"tag that may move", func(l *Label) { l.Commit = "v1" }, []string{KindMoving}, true},
		{"short id", func(l *Label) { l.Commit = ids[2][:12] }, nil, true},
		{"commit is gone", func(l *Label) { l.Commit = strings.Repeat("5", 40) }, []string{KindCommit}, false},
		{"file is gone", func(l *Label) { l.Files = []string{"never.go"} }, []string{KindFile}, false},
		{"answer in no clone", func(l *Label) { l.Answer = strings.Repeat("6", 40) }, nil, true},
		{"span of no answer", func(l *Label) { l.Spans = []Span{{"cart.go", 1, 1}} }, []string{KindSpan}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := base
			c.change(&l)
			set := []Label{l}
			found, err := Check(context.Background(), set, PlaceOf(set, "", dir))
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, f := range found {
				kinds = append(kinds, f.Kind)
			}
			if !slices.Equal(kinds, c.want) {
				t.Errorf("findings %v, want kinds %v", found, c.want)
			}
			if kept, bad := Usable(set, found); (len(kept) == 1) != c.usable || (len(bad) == 0) != c.usable {
				t.Errorf("kept %d, bad %v", len(kept), bad)
			}
		})
	}
}

func TestCheckNamesWhatIsNotThere(t *testing.T) {
	dir, ids := history(t, step{msg: "start of it all here", files: map[string]string{"src/cart.go": "1"}})
	set := []Label{
		{ID: "a", Text: "t", Files: []string{"cart.go"}, Commit: ids[0], Repo: "o/gone"},
		{ID: "b", Text: "t", Files: []string{"cart.go"}, Commit: ids[0]},
		{ID: "c", Text: "t", Files: []string{"src/cart.go"}, Commit: ids[0]},
	}
	found, err := Check(context.Background(), set, Place{Repos: t.TempDir(), Repo: dir})
	if err != nil || len(found) != 3 {
		t.Fatalf("%v, %v", found, err)
	}
	if found[0].ID != "a" || found[0].Kind != KindRepository {
		t.Errorf("%v", found[0])
	}
	if found[1].ID != "b" || !strings.Contains(found[1].Text, "is src/cart.go meant?") {
		t.Errorf("%v", found[1])
	}
	if found[2].ID != "c" || found[2].Kind != KindTwice { // the task of b, another answer
		t.Errorf("%v", found[2])
	}
}

// TestMinedLabelsAreClean is the property that ties both: what Mine gives,
// Check has nothing to say about.
func TestMinedLabelsAreClean(t *testing.T) {
	dir, _ := history(t,
		step{msg: "start of the shop with all parts", files: map[string]string{"cart.go": "1", "price.go": "1"}},
		step{msg: "round the totals of every order half up", files: map[string]string{"cart.go": "2"}},
		step{msg: "take the discount off before the tax", files: map[string]string{"price.go": "2"}},
		step{msg: "round the totals of every order half up", files: map[string]string{"cart.go": "3"}},
	)
	set := mine(t, dir, MineOptions{}).Labels
	found, err := Check(context.Background(), set, PlaceOf(set, "", dir))
	if err != nil || len(set) != 2 || len(found) != 0 {
		t.Errorf("%d labels, findings %v, %v", len(set), found, err)
	}
}

func TestSplit(t *testing.T) {
	var set []Label
	for _, r := range []struct {
		name string
		n    int
	}{{"a", 5}, {"b", 3}, {"c", 2}} {
		for i := range r.n {
			set = append(set, Label{ID: r.name + string(rune('0'+i)), Repo: r.name})
		}
	}
	first, second, err := SplitByRepo(set, .5)
	// a (5) goes to the first part, which then lacks 0; b and c to the second.
	if err != nil || len(first) != 5 || len(second) != 5 || first[0].Repo != "a" {
		t.Errorf("%v | %v, %v", first, second, err)
	}
	if _, _, err := SplitByRepo(set[:5], .5); err == nil {
		t.Error("one repository was divided by repository")
	}

	dir, ids := history(t,
		step{msg: "one", files: map[string]string{"a": "1"}}, step{msg: "two", files: map[string]string{"a": "2"}},
		step{msg: "three", files: map[string]string{"a": "3"}}, step{msg: "four", files: map[string]string{"a": "4"}})
	set = []Label{{ID: "w"}, {ID: "d", Commit: ids[3]}, {ID: "b", Commit: ids[1]}, {ID: "a", Commit: ids[0]}, {ID: "b2", Commit: ids[1]}, {ID: "c", Commit: ids[2]}}
	first, second, err = SplitByTime(context.Background(), set, .4, Place{Repo: dir})
	if err != nil {
		t.Fatal(err)
	}
	names := func(set []Label) (s string) {
		for i := range set {
			s += set[i].ID + " "
		}
		return s
	}
	// .4 of 6 is 2, which would part b from b2: so only a is early.
	if names(first) != "a " || names(second) != "w d b b2 c " {
		t.Errorf("early %s, late %s", names(first), names(second))
	}
}
