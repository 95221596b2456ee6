package rank_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cohop/internal/config"
	"cohop/rank"
)

// market is a repository in which every column has something to say of the
// task marketTask.
func market(t testing.TB) string {
	files := office().with(tree{
		"market/__init__.py": "",
		"market/bid.py":      "\"\"\"Bids of an auction.\"\"\"\nfrom market.auction import Auction\n\n\ndef place_bid(auction: Auction, amount):\n    \"\"\"Place a bid; refuses with ERR-4711 below the reserve.\"\"\"\n    if amount < auction.reserve:\n        raise ValueError('ERR-4711')\n    return auction.accept(amount)\n",
		"market/auction.py":  "\"\"\"Auctions.\"\"\"\nfrom market.clock import closing\n\n\nclass Auction:\n    reserve = 10\n\n    def accept(self, amount):\n        return closing(self) and amount\n",
		"market/clock.py":    "def closing(auction):\n    return auction.reserve > 0\n",
		"market/report.py":   "from market.auction import Auction\n\n\ndef report(auctions):\n    return [Auction() for _ in auctions]\n",
		"tests/test_bid.py":  "from market.bid import place_bid\n\n\ndef test_place_bid():\n    assert place_bid\n",
		"docs/bids.md":       "# Bids\n\nA bid below the reserve is refused.\n",
	})
	commits := []commit{{msg: "Start", files: files}}
	for i := range 5 {
		commits = append(commits, commit{msg: "Refuse bids below the reserve of an auction", files: tree{
			"market/bid.py": files["market/bid.py"] + repeat(i+1, "# note"), "market/rules.yaml": fmt.Sprintf("step: %d\n", i)}})
		commits = append(commits, busy(2)...)
	}
	return build(t, commits...)
}

const marketTask = "Fix place_bid: bids below the reserve must be refused with \"ERR-4711\" (market/bid.py)"

// Every column that is switched off is gone, with the group it makes alone, and
// all else stands.
func TestWithoutEachColumn(t *testing.T) {
	dir := market(t)
	all := ask(t, dir, marketTask)
	wantFirst(t, all, "market/bid.py")
	first := all.Files[0]
	for _, id := range config.Columns {
		if _, ok := first.Signals[id]; !ok {
			t.Errorf("the signal %s is missing", id)
		}
	}
	if !first.Promoted {
		t.Error("ERR-4711 does not promote")
	}
	ids := append(slices.Clone(config.Columns), config.Literal, "similarity", "priors")
	for _, id := range ids {
		t.Run(id, func(t *testing.T) {
			r := ask(t, dir, marketTask, without(id))
			if len(r.Files) == 0 || len(r.Pack) == 0 {
				t.Fatalf("no answer:\n%s", listing(r, 5))
			}
			for _, f := range r.Files {
				if _, ok := f.Signals[id]; ok {
					t.Errorf("%s still has the signal %s", f.Path, id)
				}
				for _, c := range config.Columns {
					if _, ok := f.Signals[c]; ok != (c != id && config.Group(c) != id) {
						t.Errorf("%s: signal %s is there: %v", f.Path, c, ok)
					}
				}
				if id == config.Literal && f.Promoted {
					t.Errorf("%s is promoted", f.Path)
				}
				if id == "cochange" && strings.Contains(f.Reason, "changed with") || id == "precedent" && strings.Contains(f.Reason, "precedent") {
					t.Errorf("%s is there for %q", f.Path, f.Reason)
				}
				part, group := 0.0, f.Signals["similarity"].Part
				for _, c := range config.Columns {
					if config.Group(c) == "similarity" && c != "similarity" {
						part += f.Signals[c].Part
					}
				}
				if d := part - group; d > 1e-4 || d < -1e-4 {
					t.Errorf("%s: similarity is %g, its members add up to %g", f.Path, group, part)
				}
			}
		})
	}
	t.Run("all but one", func(t *testing.T) {
		for _, keep := range config.Columns {
			off := slices.DeleteFunc(slices.Clone(config.Columns), func(c string) bool { return c == keep })
			ask(t, dir, marketTask, without(off...))
		}
	})
	t.Run("all", func(t *testing.T) { ask(t, dir, marketTask, without(ids...)) })
	_, err := try(dir, marketTask, without("colour"))
	if u := usage(t, err); !strings.Contains(u.Text, "colour") || !strings.Contains(u.Text, "precedent") {
		t.Errorf("the error names not what is wrong and what there is: %s", u.Text)
	}
}

// Both ways of fusion answer, and an unknown one does not crash.
func TestFusionByRank(t *testing.T) {
	wantFirst(t, ask(t, market(t), marketTask, func(r *rank.Request) { r.Fusion = "rrf" }), "market/bid.py")
}

// A filter may let through what has nothing to do with the task.
func TestFilterWithoutAnswer(t *testing.T) {
	dir := build(t, commit{msg: "Start", files: office().with(tree{"market/auction.py": "def reserve(bids, auction):\n    return [b for b in bids if b < auction.reserve]\n"})}, commit{msg: "Hide the cache", files: tree{"hidden.txt": "*.pyc\n"}})
	r := ask(t, dir, "bids below the reserve of an auction", inPaths("hidden.txt"))
	if !r.Header.Abstained || r.Header.Confidence != nil || len(r.Files) > 0 {
		t.Errorf("abstained %t, confidence %v, %d files", r.Header.Abstained, r.Header.Confidence, len(r.Files))
	}
}

func TestFilters(t *testing.T) {
	dir := market(t)
	task := "bids below the reserve of an auction"
	all := ask(t, dir, task)
	cases := []struct {
		name string
		mod  func(*rank.Request)
		keep func(f *rank.File) bool
	}{
		{"folder", inPaths("market/"), func(f *rank.File) bool { return strings.HasPrefix(f.Path, "market/") }},
		{"glob", inPaths("*.md", "*.yaml"), func(f *rank.File) bool {
			return strings.HasSuffix(f.Path, ".md") || strings.HasSuffix(f.Path, ".yaml")
		}},
		{"anchored", inPaths("/tests/**/*.py", "/docs"), func(f *rank.File) bool {
			return strings.HasPrefix(f.Path, "tests/") || strings.HasPrefix(f.Path, "docs/")
		}},
		{"all but", inPaths("!market/"), func(f *rank.File) bool { return !strings.HasPrefix(f.Path, "market/") }},
		{"but", inPaths("*.py", "!market/"), func(f *rank.File) bool {
			return strings.HasSuffix(f.Path, ".py") && !strings.HasPrefix(f.Path, "market/")
		}},
		{"language", langs("python"), func(f *rank.File) bool { return f.Language == "python" }},
		{"languages", langs("markdown", "go"), func(f *rank.File) bool { return f.Language == "go" || f.Language == "markdown" }},
		{"role", roles("test"), func(f *rank.File) bool { return f.Role == "test" }},
		{"both", func(r *rank.Request) { r.Langs, r.Paths = []string{"python"}, []string{"market/"} },
			func(f *rank.File) bool { return f.Language == "python" && strings.HasPrefix(f.Path, "market/") }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := ask(t, dir, task, c.mod)
			if len(r.Files) == 0 {
				t.Fatal("no answer")
			}
			for i := range r.Files {
				if !c.keep(&r.Files[i]) {
					t.Errorf("%s is let through", r.Files[i].Path)
				}
			}
			for _, it := range r.Pack {
				if place(r, it.Path) > len(r.Files) {
					t.Errorf("%s is packed", it.Path)
				}
			}
			for i := range all.Files[:min(5, len(all.Files))] { // what fits best is not lost by the filter
				if f := &all.Files[i]; c.keep(f) && place(r, f.Path) > len(r.Files) {
					t.Errorf("%s is not let through", f.Path)
				}
			}
			if r.Header.Files != all.Header.Files {
				t.Errorf("the snapshot has %d files, filtered %d", all.Header.Files, r.Header.Files)
			}
		})
	}
	nothing := func(r *rank.Request) { r.Langs, r.Roles = []string{"markdown"}, []string{"test"} }
	for what, mod := range map[string]func(*rank.Request){"nowhere/": inPaths("nowhere/"), "language markdown; role test": nothing} {
		if _, err := try(dir, task, mod); !strings.Contains(usage(t, err).Text, what) {
			t.Errorf("a filter that lets nothing through is named %q, not %q", err, what)
		}
	}
	for what, mod := range map[string]func(*rank.Request){"klingon": langs("klingon"), "hero": roles("hero")} {
		_, err := try(dir, task, mod)
		if u := usage(t, err); !strings.Contains(u.Text, what) || !strings.Contains(u.Text, "python") && !strings.Contains(u.Text, "source") {
			t.Errorf("the error names not what is wrong and what there is: %s", u.Text)
		}
	}
}

// What is seeded leads to its neighbours: by import and by history.
func TestSeeds(t *testing.T) {
	dir := market(t)
	task := "print the figures of the month" // says nothing of a market
	plain, seeded := ask(t, dir, task), ask(t, dir, task, seeds("market/auction.py"))
	if seeded.Header.Abstained {
		t.Fatal("a seed is something to go by")
	}
	if place(seeded, "market/auction.py") > 5 {
		t.Errorf("the seed is not among the first:\n%s", listing(seeded, 8))
	}
	near := 0
	for _, p := range []string{"market/clock.py", "market/bid.py", "market/report.py"} {
		if place(seeded, p) < place(plain, p) {
			near++
		}
	}
	if near != 3 {
		t.Errorf("of the seed's three neighbours %d rise:\n%s", near, listing(seeded, 10))
	}
	r := ask(t, dir, task, seeds("market/bid.py"))
	if p := place(r, "market/rules.yaml"); p > 5 || r.Files[p-1].Signals["cochange"].Raw <= 0 {
		t.Errorf("what always changes with the seed is not there:\n%s", listing(r, 8))
	}
	for _, same := range []string{"./market/bid.py", "/market/bid.py"} {
		if a, b := asJSON(t, ask(t, dir, task, seeds(same))), asJSON(t, r); a != b {
			t.Errorf("the seed %s is not market/bid.py", same)
		}
	}
	_, err := try(dir, task, seeds("market/bit.py"))
	if u := usage(t, err); !strings.Contains(u.Text, "market/bit.py") {
		t.Errorf("the error names not the seed: %s", u.Text)
	}
}

// An identifier is the same in any case and with any separators.
func TestIdentifierInAnyWriting(t *testing.T) {
	dir := build(t, commit{msg: "Start", files: office().with(tree{
		"web/cookie.go":  "package web\n\n// Policy of what is set.\nfunc Policy() string { return \"SameSite=None; Secure\" }\n",
		"web/site.go":    "package web\n\n// Site is one of many; all sites look the same.\ntype Site struct{ Same bool }\n",
		"web/session.go": "package web\n\n// Session is kept for a visitor.\ntype Session struct{ ID string }\n",
		"web/empty.go":   "package web\n\n// Empty tells none from some.\nfunc Empty() bool { return true }\n",
	})})
	for _, task := range []string{"samesite", "cookies are lost: samesite", "SAMESITE", "samesite=none is refused"} {
		wantFirst(t, ask(t, dir, task), "web/cookie.go")
	}
	// Written in two parts, it may also be two words.
	for _, task := range []string{"same_site is wrong", "`SameSite=None`", "sameSite", "same-site"} {
		if r := ask(t, dir, task); place(r, "web/cookie.go") > 2 {
			t.Errorf("%q:\n%s", task, listing(r, 4))
		}
	}
}

// A word is found in its plural, and an agent is not its verb.
func TestStemming(t *testing.T) {
	dir := build(t, commit{msg: "Start", files: office().with(tree{
		"shell/aliases.py":   "class Table(dict):\n    \"\"\"Short names of commands.\"\"\"\n\n    def expand(self, word):\n        return self.get(word, word)\n",
		"shell/alien.py":     "def greet():\n    return 'hello'\n",
		"queue/worker.py":    "class Worker:\n    \"\"\"A worker of the worker pool works off jobs.\"\"\"\n\n    def worker_loop(self):\n        return self.worker\n",
		"queue/scheduler.py": "class Scheduler:\n    \"\"\"Decides by priority which job is next.\"\"\"\n\n    def next_job(self, jobs):\n        return max(jobs)\n",
	})})
	for _, task := range []string{"alias", "how are aliases expanded", "alias is not expanded"} {
		wantFirst(t, ask(t, dir, task), "shell/aliases.py")
	}
	for _, task := range []string{"How does scheduling of a job by priority work?", "how does the scheduler work", "how does priority work"} {
		wantFirst(t, ask(t, dir, task), "queue/scheduler.py")
	}
}

// The manager that everything calls says less of the task than each of its
// many small neighbours.
func TestHubThroughCentrality(t *testing.T) {
	files := office().with(tree{"plugin/__init__.py": "",
		"plugin/manager.py": "\"\"\"Registers plugins and runs their hooks.\"\"\"\n\n\nclass Manager:\n    def register(self, plugin):\n        self.plugins.append(plugin)\n\n    def run_hooks(self, name):\n" +
			"        for plugin in self.plugins:\n            plugin(name)\n" + repeat(30, "\n    def _detail_%d(self, value):\n        return value + %d\n")})
	for _, n := range []string{"audio", "video", "text", "image", "table", "chart", "map", "form", "link", "quote", "video_hd", "poll"} {
		files["plugin/"+n+".py"] = fmt.Sprintf("\"\"\"The %[1]s plugin.\"\"\"\nfrom plugin.manager import Manager\n\n\ndef setup(manager: Manager):\n    \"\"\"Register the plugin's hooks.\"\"\"\n    manager.register(%[1]s_hook)\n\n\ndef %[1]s_hook(name):\n    return name\n", n)
	}
	dir := build(t, commit{msg: "Start", files: files})
	task := "how do plugins register their hooks"
	r := ask(t, dir, task)
	wantFirst(t, r, "plugin/manager.py")
	i, j := place(r, "plugin/manager.py"), place(r, "plugin/audio.py")
	if max(i, j) <= len(r.Files) && r.Files[i-1].Signals["priors.centrality"].Z <= r.Files[j-1].Signals["priors.centrality"].Z {
		t.Errorf("what all import is not more central:\n%s", listing(r, 3))
	}
}

// Files that say the same are worth the same: only their order is settled by
// their paths.
func TestEqualsHaveEqualScores(t *testing.T) {
	files := office()
	for i := range 12 {
		files[fmt.Sprintf("queue/%c%d.py", 'a'+i%7, i)] = "def drain(queue):\n    return queue\n"
	}
	r := ask(t, build(t, commit{msg: "Start", files: files}), "drain")
	for _, f := range r.Files[:12] {
		if f.Score != r.Files[0].Score {
			t.Errorf("equal files have unequal scores:\n%s", listing(r, 12))
			break
		}
	}
}

// A root is the only folder there is: in the files, the counts and the seeds.
func TestRoot(t *testing.T) {
	dir := market(t)
	root := func(p string) func(*rank.Request) { return func(r *rank.Request) { r.Root = p } }
	want := ""
	for _, p := range []string{"market", "market/", "./market", "/market"} {
		r := ask(t, dir, marketTask, root(p))
		wantFirst(t, r, "market/bid.py")
		for _, f := range r.Files {
			if !strings.HasPrefix(f.Path, "market/") {
				t.Errorf("root %s: %s", p, f.Path)
			}
		}
		if r.Header.Files != 6 {
			t.Errorf("root %s: %d files, want 6", p, r.Header.Files)
		}
		if got := asJSON(t, r); want == "" {
			want = got
		} else if got != want {
			t.Errorf("root %s: another answer", p)
		}
	}
	_, err := try(dir, marketTask, root("market"), seeds("docs/bids.md"))
	usage(t, err)
	if _, err := try(dir, marketTask, root("nowhere")); err == nil {
		t.Error("a root that is no folder is answered")
	}
	// A seed that the filter keeps out leads to what it lets through.
	r := ask(t, dir, "what else", seeds("market/bid.py"), inPaths("*.yaml"))
	wantFirst(t, r, "market/rules.yaml")
	if len(r.Files) != 1 {
		t.Errorf("the filter lets through\n%s", listing(r, 5))
	}
}

// A run is as long as asked for, up to a bound, and its ranks count from one.
func TestTop(t *testing.T) {
	dir := market(t)
	for n, want := range map[int]int{0: 20, 1: 1, 7: 7, 1000: rank.MaxRun, -3: 20} {
		r := ask(t, dir, marketTask, func(r *rank.Request) { r.Top = n })
		if len(r.Files) > want || n == 1 && len(r.Files) != 1 || n == 7 && len(r.Files) != 7 {
			t.Errorf("top %d: %d files", n, len(r.Files))
		}
		for i, f := range r.Files {
			if f.Rank != i+1 || i > 0 && f.Score > r.Files[i-1].Score {
				t.Errorf("top %d: rank %d at place %d, score %g after %g", n, f.Rank, i+1, f.Score, r.Files[max(0, i-1)].Score)
			}
		}
	}
}
