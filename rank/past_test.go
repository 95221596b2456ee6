package rank_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"cohop/internal/config"
	"cohop/rank"
)

// busy returns n commits that touch one office file each, so that a history
// has something in it that is not the case.
func busy(n int) []commit {
	nouns := []string{"desk", "lamp", "carpet", "printer", "window", "kettle", "drawer", "stapler"}
	var out []commit
	for i := range n {
		noun := nouns[i%len(nouns)]
		out = append(out, commit{msg: fmt.Sprintf("Polish the %s", noun),
			files: tree{"internal/" + noun + "/" + noun + "_care.go": fmt.Sprintf("package %s\n\nconst polished = %d\n", noun, i)}})
	}
	return out
}

// A configuration file and a route share no word and no import, but of the
// route's 14 commits 11 changed the configuration too: whoever names one needs
// the other.
func TestCoChangeBringsWhatWordsCannot(t *testing.T) {
	const route, conf = "api/routes/export.py", "deploy/limits.yaml"
	files := office().with(tree{
		"api/routes/__init__.py": "", "api/__init__.py": "",
		"api/routes/login.py":  "def login(request):\n    return request.session\n",
		"api/routes/search.py": "def search(request):\n    return request.query\n",
		"deploy/cluster.yaml":  "nodes: 3\n", "deploy/alerts.yaml": "pager: on\n", "deploy/backup.yaml": "nightly: true\n",
	})
	routeAt := func(i int) string {
		return fmt.Sprintf("def export(request):\n    \"\"\"Streams a spreadsheet.\"\"\"\n    return stream(request, chunk=%d)\n", i)
	}
	confAt := func(i int) string { return fmt.Sprintf("throttle:\n  burst: %d\n  refill: 5\n", i) }
	commits := []commit{{msg: "Start", files: files}}
	for i := range 14 {
		c := commit{msg: fmt.Sprintf("Tune, round %d", i), files: tree{route: routeAt(i)}}
		if i%5 != 4 && i != 13 { // 4, 9, 13 change the route alone
			c.files[conf] = confAt(i)
		}
		commits = append(commits, c)
		commits = append(commits, busy(i%4+1)...)
	}
	dir := build(t, commits...)
	for _, c := range []struct{ task, named, other string }{
		{"Stream the export route as a spreadsheet", route, conf},
		{"Raise the throttle burst", conf, route},
		{"`deploy/limits.yaml` allows too much", conf, route},
	} {
		r := ask(t, dir, c.task)
		if place(r, c.named) != 1 {
			t.Errorf("%q: %s is not first:\n%s", c.task, c.named, listing(r, 6))
		}
		at := place(r, c.other)
		if at > 5 {
			t.Errorf("%q: %s is not in the first five:\n%s", c.task, c.other, listing(r, 8))
			continue
		}
		f := r.Files[at-1]
		if !strings.HasPrefix(f.Reason, "changed with") || !strings.Contains(f.Reason, "11 of") {
			t.Errorf("%q: %s is there because %q, want the 11 commits", c.task, c.other, f.Reason)
		}
		if q := ask(t, dir, c.task, without("cochange")); place(q, c.other) <= at {
			t.Errorf("%q: %s is as high without co-change:\n%s", c.task, c.other, listing(q, 8))
		}
	}
}

// A commit message resembles the task where the code does not: the file has one
// of the task's words, as many others do, and the message has them all.
func TestPrecedentBringsWhatWordsCannot(t *testing.T) {
	files := office().with(tree{"core/gate.go": "package core\n\n// pass looks at a ticket.\nfunc pass(x int) bool { return x > 3 }\n"})
	for i := range 6 {
		files[fmt.Sprintf("desk/ticket_%d.go", i)] = fmt.Sprintf("package desk\n\n// Ticket%d prints a ticket; a ticket is printed on paper.\nfunc Ticket%d() {}\n", i, i)
	}
	dir := build(t, append([]commit{
		{msg: "Start", files: files},
		{msg: "Refuse passengers without a boarding ticket", files: tree{"core/gate.go": files["core/gate.go"] + "\n// Four.\n"}},
	}, busy(12)...)...)
	task := "Passengers with an expired boarding ticket are let in"
	r := ask(t, dir, task)
	wantFirst(t, r, "core/gate.go")
	if len(r.Files) > 0 && !strings.Contains(r.Files[0].Reason, "precedent") {
		t.Errorf("the reason is %q, want the precedent", r.Files[0].Reason)
	}
	if r := ask(t, dir, task, without("precedent")); place(r, "core/gate.go") == 1 {
		t.Errorf("first without its precedent too:\n%s", listing(r, 3))
	}
}

// What the history alone knows is known.
func TestHistoryAloneIsEvidence(t *testing.T) {
	t.Skip("abstention weighs the words of files alone: a task whose words stand only in commit messages abstains, with a precedent at hand")
	dir := build(t, append([]commit{
		{msg: "Start", files: office().with(tree{"core/gate.go": "package core\n\nfunc pass(x int) bool { return x > 3 }\n"})},
		{msg: "Refuse passengers without a boarding ticket", files: tree{"core/gate.go": "package core\n\nfunc pass(x int) bool { return x > 4 }\n"}},
	}, busy(12)...)...)
	wantFirst(t, ask(t, dir, "Passengers with an expired boarding ticket are let in"), "core/gate.go")
}

// What was known under an old name is known under the new one.
func TestRenamesAreFollowed(t *testing.T) {
	const old, now, friend = "lib/old_gate.go", "pkg/entry/barrier.go", "conf/turnstile.yaml"
	gate := func(i int) string {
		return fmt.Sprintf("package entry\n\n// Level %d of the sensor.\nconst level = %d\n", i, i)
	}
	commits := []commit{{msg: "Start", files: office()}}
	for i := range 8 {
		commits = append(commits, commit{msg: fmt.Sprintf("Refuse passengers without a boarding ticket, stage %d", i),
			files: tree{old: gate(i), friend: fmt.Sprintf("arm: %d\n", i)}})
		commits = append(commits, busy(3)...)
	}
	commits = append(commits, commit{msg: "Reorganize", files: tree{old: gone, now: gate(7)}})
	commits = append(commits, busy(2)...)
	// A second rename, to be followed through both.
	const last = "pkg/door/barrier.go"
	twice := append(commits, commit{msg: "Reorganize again", files: tree{now: gone, last: gate(7)}})
	for _, c := range []struct {
		commits []commit
		path    string
	}{{commits, now}, {twice, last}} {
		dir := build(t, c.commits...)
		r := ask(t, dir, "Passengers without a boarding ticket get in at any level")
		at := place(r, c.path)
		if at > 2 || r.Files[at-1].Signals["precedent"].Raw <= 0 {
			t.Errorf("precedent does not follow to %s:\n%s", c.path, listing(r, 5))
		}
		r = ask(t, dir, "The turnstile arm is stuck", without("precedent"))
		at = place(r, c.path)
		if at > 5 || r.Files[at-1].Signals["cochange"].Raw <= 0 {
			t.Errorf("co-change does not follow to %s:\n%s", c.path, listing(r, 8))
		}
		if place(r, old) <= len(r.Files) {
			t.Errorf("a file that is no more is ranked:\n%s", listing(r, 8))
		}
	}
}

// A repository as of a revision answers as one that ends there, whatever came
// later: messages of the task's very words, tags, branches, blobs.
func TestNothingLaterLeaks(t *testing.T) {
	const task = "Reject coupons that expired at midnight"
	past := append([]commit{
		{msg: "Start", files: office().with(tree{
			"shop/coupon.go": "package shop\n\n// Coupon is a voucher.\ntype Coupon struct{ Code string }\n",
			"shop/till.go":   "package shop\n\n// Till redeems coupons.\nfunc Till(c Coupon) bool { return c.Code != \"\" }\n",
			"shop/clock.go":  "package shop\n\n// Midnight is the end of a day.\nconst Midnight = 24\n",
		})},
		{msg: "Redeem coupons at the till", files: tree{"shop/till.go": "package shop\n\n// Till redeems coupons, once.\nfunc Till(c Coupon) bool { return c.Code != \"\" }\n"}},
	}, busy(10)...)
	now := build(t, past...)
	ranked := strings.TrimSpace(git(t, now, "", "rev-parse", "main"))

	later := build(t, past...)
	future := []commit{}
	for i := range 12 {
		future = append(future, commit{msg: task, files: tree{
			"internal/desk/desk_care.go": fmt.Sprintf("package desk\n\n// %s: %d\nconst polished = %d\n", task, i, i),
			"shop/expired.go":            fmt.Sprintf("package shop\n\n// %s.\nfunc RejectExpired() int { return %d }\n", task, i)}})
	}
	future = append(future, commit{msg: "Move", files: tree{"shop/till.go": gone, "shop/checkout.go": "package shop\n\n// Till redeems coupons, once.\nfunc Till(c Coupon) bool { return c.Code != \"\" }\n"}})
	stream(t, later, future)
	git(t, later, "", "tag", "-m", task, "v9", "main")
	git(t, later, task+"\n"+strings.Repeat(task, 50), "hash-object", "-w", "--stdin")
	git(t, later, "", "branch", "expired-coupons", "main")
	if got := strings.TrimSpace(git(t, later, "", "rev-parse", "main~13")); got != ranked {
		t.Fatalf("the two repositories part before %s: %s", ranked, got)
	}

	check := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: the answer is another one:\n%s\nwant\n%s", what, got, want)
		}
	}
	want := asJSON(t, ask(t, now, task, revision(ranked)))
	if !strings.Contains(want, "shop/till.go") {
		t.Fatalf("no answer to compare:\n%s", want)
	}
	check("no cache", asJSON(t, ask(t, later, task, revision(ranked))), want)
	check("by a name", asJSON(t, ask(t, later, task, revision("v9~13"))), want)

	// A cache that has seen the future knows nothing of it either, and the
	// other way round.
	cache := cacheIn(t.TempDir())
	tip := asJSON(t, ask(t, later, task, revision("main"), cache))
	if !strings.Contains(tip, "expired.go") {
		t.Fatal("the future is not seen where it is asked for")
	}
	check("warm cache", asJSON(t, ask(t, later, task, revision(ranked), cache)), want)
	check("and again", asJSON(t, ask(t, later, task, revision(ranked), cache)), want)
	cache = cacheIn(t.TempDir())
	check("cold cache", asJSON(t, ask(t, later, task, revision(ranked), cache)), want)
	check("the tip after the past", asJSON(t, ask(t, later, task, revision("main"), cache)), tip)
}

// The legacy copy of a module says the same words; the living one is the one
// that is worked on.
func TestLivingCodeBeforeLegacyCopy(t *testing.T) {
	code := func(i int) string {
		return fmt.Sprintf("\"\"\"Parcel tracking.\"\"\"\n\n\ndef track_parcel(number):\n    \"\"\"Track a parcel by its number.\"\"\"\n    return lookup(number, retries=%d)\n", i)
	}
	for _, c := range []struct{ legacy, living string }{
		{"courier/v1/tracking.py", "courier/v2/tracking.py"},
		{"courier/legacy/tracking.py", "courier/tracking.py"},
	} {
		commits := []commit{{msg: "Start", files: office().with(tree{c.legacy: code(0), c.living: code(0)})}}
		for i := range 9 {
			commits = append(commits, commit{msg: fmt.Sprintf("Round %d", i), days: 10, files: tree{c.living: code(i + 1)}})
			commits = append(commits, busy(1)...)
		}
		dir := build(t, commits...)
		for _, task := range []string{"how is a parcel tracked", "Track parcels by number: retry less"} {
			r := ask(t, dir, task)
			wantFirst(t, r, c.living)
			wantBefore(t, r, c.living, c.legacy)
		}
	}
}

// A request's own half-life of heat holds, whatever the engine was opened with.
func TestHeatOfTheRequest(t *testing.T) {
	files := office().with(tree{"shop/coupon.go": "package shop\n\n// Coupon is a voucher.\ntype Coupon struct{ Code string }\n"})
	dir := build(t, commit{msg: "Start", files: files},
		commit{msg: "More", days: 100, files: tree{"shop/coupon.go": "package shop\n\n// Coupon is a voucher.\ntype Coupon struct{ Code, Name string }\n"}},
		commit{msg: "Else", days: 100, files: tree{"README.md": "Office\n"}})
	heat := func(days float64) float64 {
		r := ask(t, dir, "coupon voucher", func(r *rank.Request) {
			r.Config = config.Default()
			r.Config.CoChange.HeatDays = days
		})
		return r.Files[0].Signals["priors.heat"].Raw
	}
	// Two commits, 100 and 200 days old: ln(1 + 2^-1 + 2^-2) with a half-life of
	// 100 days, ln(1 + 2^-2 + 2^-4) with one of 50.
	for days, want := range map[float64]float64{100: math.Log1p(0.75), 50: math.Log1p(0.3125)} {
		if got := heat(days); math.Abs(got-want) > 1e-5 {
			t.Errorf("half-life %v: heat %v, want %v", days, got, want)
		}
	}
}

// The signals of a repository without history, or with one of a single commit,
// are of no effect and do no harm.
func TestNoHistory(t *testing.T) {
	files := office().with(tree{"shop/coupon.go": "package shop\n\n// Coupon is a voucher.\ntype Coupon struct{ Code string }\n"})
	one := build(t, commit{msg: "Start", files: files})
	wantFirst(t, ask(t, one, "coupon voucher"), "shop/coupon.go")
	git(t, one, "", "update-ref", "-d", "refs/heads/main") // files and an index, but no commit
	r := ask(t, one, "coupon voucher")
	wantFirst(t, r, "shop/coupon.go")
	if r.Rev != "" {
		t.Errorf("ranked the commit %s of a repository without any", r.Rev)
	}
	for _, in := range []string{rank.Ask, rank.Change} {
		if r := ask(t, one, "coupon voucher", intent(in), seeds("internal/lamp/lamp.go")); len(r.Files) == 0 {
			t.Error("no answer")
		}
	}
}
