package labels

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func mine(t *testing.T, dir string, opt MineOptions) *Mined {
	t.Helper()
	got, err := Mine(context.Background(), open(t, dir), opt)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func many(n int) map[string]string {
	m := map[string]string{}
	for i := range n {
		m[fmt.Sprintf("gen/f%02d.go", i)] = fmt.Sprint("x", n, i)
	}
	return m
}

// TestMineTakesEdits spells out for each kind of commit whether it becomes a
// label, and with which answer.
func TestMineTakesEdits(t *testing.T) {
	f := func(kv ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return m
	}
	dir, ids := history(t,
		step{msg: "start of the shop with all parts", files: f("cart.go", "1", "price.go", "1", "go.sum", "1", "old.go", "long content that moves")}, // 0: no parent
		step{msg: "Round totals half up\n\nSee https://example.org/x and 0123abcd99.\n\nSigned-off-by: A <a@example.org>", files: f("cart.go", "2", "new.go", "1")},
		step{msg: "only creates another part here", files: f("extra.go", "1")},
		step{msg: "update what the module file pins", files: f("go.sum", "2")},
		step{msg: "Revert \"Round totals half up\"", files: f("cart.go", "1")},
		step{msg: "Bump left-pad from 1.0 to 1.1", files: f("price.go", "2")},
		step{msg: "v1.2.3", files: f("price.go", "3")},
		step{msg: "more work", files: f("price.go", "4")},
		step{msg: "make price.go read the rate once", files: f("price.go", "5")},
		step{msg: "take a discount before the tax", files: f("price.go", "6", "cart.go", "3", "go.sum", "3")},
		step{msg: "move the old part away for good", files: f("old.go", "-", "attic/older.go", "long content that moves")},
		step{msg: "delete what nobody reads any more", files: f("extra.go", "-")},
		step{msg: "Take a discount  before the tax", files: f("price.go", "7")}, // the words of an earlier task
		step{msg: "touches a whole lot of files at once", files: many(16)},
		step{msg: "and touches them all once more", files: many(17)},
	)
	got := mine(t, dir, MineOptions{Name: "acme/shop"})
	want := []Label{
		{ID: "shop-" + ids[1][:10], Text: "Round totals half up\n\nSee and .", Files: []string{"cart.go"}, Commit: ids[0], Answer: ids[1]},
		{ID: "shop-" + ids[9][:10], Text: "take a discount before the tax", Files: []string{"cart.go", "price.go"}, Commit: ids[8], Answer: ids[9]},
		{ID: "shop-" + ids[11][:10], Text: "delete what nobody reads any more", Files: []string{"extra.go"}, Commit: ids[10], Answer: ids[11]},
	}
	for i := range want {
		want[i].Repo, want[i].Intent, want[i].Tags = "acme/shop", "change", []string{"mined"}
	}
	if !reflect.DeepEqual(got.Labels, want) {
		t.Errorf("labels\n%+v, want\n%+v", got.Labels, want)
	}
	reasons := map[string]int{}
	for _, d := range got.Dropped {
		reasons[d.Reason] = d.Commits
	}
	wantWhy := map[string]int{"has no parent": 1, "edits fewer than 1 files that count": 2, "changes lock files only": 1, "revert": 1,
		"mechanical by its message": 2, "fewer than 3 words": 1, "names an answer": 1, "repeats an earlier task": 1, "changes more than 15 files": 2}
	if !reflect.DeepEqual(reasons, wantWhy) {
		t.Errorf("left out %v, want %v", reasons, wantWhy)
	}
	if got.Commits != 15 || got.Usable != 3 {
		t.Errorf("%d commits, %d usable", got.Commits, got.Usable)
	}

	if got := mine(t, dir, MineOptions{Paths: []string{"price.go"}}).Labels; len(got) != 1 || !slices.Equal(got[0].Files, []string{"price.go"}) {
		t.Errorf("with --path: %+v", got)
	}
	if got := mine(t, dir, MineOptions{MinFiles: 2}).Labels; len(got) != 1 || len(got[0].Files) != 2 {
		t.Errorf("with two files: %+v", got)
	}
	// Step 9 is the tenth commit, so of day 10.
	day := int64(1_600_000_000 + 86400*10)
	if got := mine(t, dir, MineOptions{Since: day, Until: day + 1}).Labels; len(got) != 1 || got[0].Answer != ids[9] {
		t.Errorf("of one day: %+v", got)
	}
}

func TestMineLeavesMergesOut(t *testing.T) {
	dir, _ := history(t,
		step{msg: "start of it all here", files: map[string]string{"a.go": "1", "b.go": "1"}},
		step{msg: "teach the other branch something", on: "side", files: map[string]string{"b.go": "2"}},
		step{msg: "bring both of them together again", merges: "side", files: map[string]string{"a.go": "2", "b.go": "2"}},
	)
	got := mine(t, dir, MineOptions{})
	if len(got.Labels) != 1 || got.Labels[0].Text != "teach the other branch something" || got.Labels[0].Repo != "" {
		t.Errorf("labels %+v", got.Labels)
	}
}

func TestMineSamplesBySeed(t *testing.T) {
	steps := []step{{msg: "start of the many steps", files: map[string]string{"a.go": "0"}}}
	for i := range 60 {
		steps = append(steps, step{msg: fmt.Sprintf("change step%d of the machine", i), files: map[string]string{"a.go": fmt.Sprint(i + 1)}})
	}
	dir, _ := history(t, steps...)
	ids := func(seed uint64) (out []string) {
		for _, l := range mine(t, dir, MineOptions{Count: 10, Seed: seed}).Labels {
			out = append(out, l.Text)
		}
		return out
	}
	a, b := ids(1), ids(2)
	if len(a) != 10 || !slices.Equal(a, ids(1)) {
		t.Errorf("seed 1 gave %v, then %v", a, ids(1))
	}
	if slices.Equal(a, b) {
		t.Errorf("two seeds drew the same: %v", a)
	}
	last := -1
	for _, text := range a { // oldest first
		var n int
		if _, err := fmt.Sscanf(text, "change step%d", &n); err != nil || n <= last {
			t.Errorf("%q after %d", text, last)
		}
		last = n
	}
}

func TestMineTakesIssueTexts(t *testing.T) {
	dir, ids := history(t,
		step{msg: "start of it all here", files: map[string]string{"a.go": "1", "b.go": "1"}},
		step{msg: "round half up (#7)", files: map[string]string{"a.go": "2"}},            // request 7 closes issue 5
		step{msg: "look twice, fixes #6", files: map[string]string{"b.go": "2"}},          // opened after the commit
		step{msg: "read the rate once, closes #8", files: map[string]string{"b.go": "3"}}, // names the answer
	)
	issues := `[{"number":5,"title":"Totals are off by a cent","body":"See https://example.org/t\r\nfor 3 items","created_at":"2020-01-01T00:00:00Z"},
{"number":6,"title":"Late issue about nothing","created_at":"2031-01-01T00:00:00Z"},
{"number":7,"title":"Round half up","body":"Fixes #5","pull_request":{"url":"x"},"created_at":"2020-01-02T00:00:00Z"}]
{"number":8,"title":"b.go reads too often","body":null}
{"title":"no number"}`
	list, problems, err := ReadIssues(strings.NewReader(issues), "issues.json")
	if err != nil || len(list) != 4 || len(problems) != 1 || problems[0].Line != 5 {
		t.Fatalf("%d issues, problems %v, %v", len(list), problems, err)
	}
	got := mine(t, dir, MineOptions{Issues: IssuesByNumber(list)}).Labels
	var texts []string
	for _, l := range got {
		texts = append(texts, l.Text)
	}
	want := []string{"Totals are off by a cent\n\nSee\nfor 3 items", "look twice, fixes #6"}
	if !slices.Equal(texts, want) {
		t.Errorf("texts %q, want %q", texts, want)
	}
	if !slices.Equal(got[0].Tags, []string{"mined", "issue"}) || got[0].Commit != ids[0] {
		t.Errorf("label %+v", got[0])
	}
}

func TestCleanMessage(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"fix it (#12)\n\nCo-authored-by: A <a@b.org>\nChange-Id: I123\n", "fix it"},
		{"see a@b.org and <https://x.org/y?z=1>, ok", "see and <>, ok"},
		{"regression of 1a2b3c4 and of deadbeef and of 1234567", "regression of and of deadbeef and of 1234567"},
		{"40 digits 0123456789012345678901234567890123456789 go", "40 digits go"},
		{"list:\r\n  - a   b\r\n\r\n\r\n\r\n  - c", "list:\n  - a b\n\n  - c"},
		{"Fixes: #3\nkeep: this line says what it is about", "keep: this line says what it is about"},
		{"keep this\nThanks-To: nobody", "keep this"},
		{"git-svn-id: svn@1", ""},
		{"a\xffb", "ab"},
	} {
		if got := CleanMessage(c.in); got != c.want {
			t.Errorf("CleanMessage(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		text, file string
		want       bool
	}{
		{"fix src/cart/price.go now", "src/cart/price.go", true},
		{"fix PRICE.GO now", "src/cart/price.go", true},
		{"fix cart/price now", "src/cart/price.go", true},
		{"fix the price of the cart", "src/cart/price.go", false},
		{"fix cart.price there", "src/cart/price.go", false}, // a member is written so too
		{"fix src.cart.price there", "src/cart/price.go", true},
		{"fix cart.price there", "cart/price.py", true},
		{"fix shop::cart::price there", "shop/cart/price.rs", true},
		{"in shop.cart it fails", "lib/shop/cart/__init__.py", false},
		{"in lib.shop.cart it fails", "lib/shop/cart/__init__.py", true},
		{"upprice.gom", "price.go", false},
		{"the Makefile", "Makefile", false},
		{"the Dockerfile", "x/Dockerfile", true},
		{"", "a/b.c", false},
		{"a", "", false},
	} {
		if got := Names(c.text, c.file); got != c.want {
			t.Errorf("Names(%q, %q) = %v", c.text, c.file, got)
		}
	}
}

func BenchmarkMine(b *testing.B) {
	steps := []step{{msg: "start of the many steps", files: many(15)}}
	for i := range 3000 {
		steps = append(steps, step{msg: fmt.Sprintf("change step%d of the machine", i),
			files: map[string]string{fmt.Sprintf("gen/f%02d.go", i%15): fmt.Sprint(i)}})
	}
	dir, _ := history(b, steps...)
	r := open(b, dir)
	b.ResetTimer()
	for range b.N {
		if _, err := Mine(context.Background(), r, MineOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
