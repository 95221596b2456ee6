package rank_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cohop/internal/repo"
	"cohop/rank"
)

// talk has two topics that share no word.
var talk = tree{
	"cart/voucher.py": "def redeem_voucher(cart, voucher):\n    \"\"\"Take a voucher off the total.\"\"\"\n    return cart.total - voucher.worth\n",
	"cart/total.py":   "def total(lines):\n    return sum(line.price for line in lines)\n",
	"parcel/track.py": "def track_parcel(parcel, since):\n    \"\"\"Where a parcel was.\"\"\"\n    return [s for s in parcel.stops if s.when > since]\n",
	"parcel/label.py": "def print_label(parcel, printer):\n    printer.write(parcel.address)\n",
	"README.md":       "# Shop\n\nSells things.\n",
}

// says asks within a session and keeps what it remembers.
func says(t *testing.T, dir, cache, session, task string, mod ...func(*rank.Request)) *rank.Result {
	t.Helper()
	req := rank.Request{Repo: dir, CacheDir: cache, Session: session, Task: task}
	for _, m := range mod {
		m(&req)
	}
	e, err := rank.Open(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	q, err := e.Query(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	r, err := q.Result(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Keep(); err != nil {
		t.Fatal(err)
	}
	return r
}

func fresh(r *rank.Request) { r.Fresh = true }

func TestSession(t *testing.T) {
	dir, cache := build(t, commit{msg: "Shop", files: talk}), t.TempDir()
	first := says(t, dir, cache, "s", "redeem a voucher")
	if first.Header.Mem != 0 || first.Files[0].Path != "cart/voucher.py" {
		t.Fatalf("first: %+v", first.Header)
	}
	// Nothing of its own, so the session is all there is.
	if r := says(t, dir, cache, "s", "what does it return?"); r.Header.Abstained || r.Header.Mem < 0.5 || r.Files[0].Path != "cart/voucher.py" {
		t.Errorf("follow-up: %+v", r.Header)
	}
	if r := says(t, dir, cache, "other", "zzyzx it?"); !r.Header.Abstained {
		t.Errorf("another session: %+v", r.Header)
	}
	if r := says(t, dir, cache, "s", "zzyzx quux"); !r.Header.Abstained {
		t.Errorf("what only names unknown things: %+v", r.Header)
	}
	// A question that was not answered leaves the memory as it was.
	if r := says(t, dir, cache, "s", "zzyzx it?"); r.Header.Abstained || r.Files[0].Path != "cart/voucher.py" {
		t.Errorf("after an abstention: %+v", r.Header)
	}
	if r := says(t, dir, cache, "s", "track a parcel since a time"); r.Files[0].Path != "parcel/track.py" {
		t.Errorf("pivot: %v (mem %v)", r.Files[0].Path, r.Header.Mem)
	}
	if r := says(t, dir, cache, "s", "zzyzx it?"); r.Header.Abstained || r.Files[0].Path != "parcel/track.py" {
		t.Errorf("after the pivot: %+v", r.Header)
	}
	if r := says(t, dir, cache, "s", "zzyzx it?", fresh); !r.Header.Abstained {
		t.Errorf("fresh: %+v", r.Header)
	}
	// A filter is a stream of its own.
	if r := says(t, dir, cache, "s", "zzyzx it?", func(r *rank.Request) { r.Paths = []string{"cart/"} }); !r.Header.Abstained {
		t.Errorf("filter: %+v", r.Header)
	}
}

// TestSessionSurvivesEdits: lines move, a file goes, the thread stays.
func TestSessionSurvivesEdits(t *testing.T) {
	dir, cache := build(t, commit{msg: "Shop", files: talk}), t.TempDir()
	says(t, dir, cache, "s", "track a parcel")
	name := filepath.Join(dir, "parcel/track.py")
	if err := os.WriteFile(name, []byte("# moved\n\n\n"+talk["parcel/track.py"]), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "parcel/label.py")); err != nil {
		t.Fatal(err)
	}
	if r := says(t, dir, cache, "s", "zzyzx it?"); r.Header.Abstained || r.Files[0].Path != "parcel/track.py" {
		t.Errorf("%+v", r.Header)
	}
}

// TestWithoutSession: a request without one is what it was before sessions.
func TestWithoutSession(t *testing.T) {
	dir, cache := build(t, commit{msg: "Shop", files: talk}), t.TempDir()
	says(t, dir, cache, "s", "track a parcel")
	a := says(t, dir, cache, "", "redeem the voucher of that")
	b := says(t, dir, cache, "new", "redeem the voucher of that")
	if a.Header.Mem != 0 || b.Header.Mem != 0 || len(a.Pack) != len(b.Pack) || a.Files[0].Score != b.Files[0].Score {
		t.Errorf("%+v\n%+v", a.Header, b.Header)
	}
	if files, _ := filepath.Glob(filepath.Join(cache, "*", "session-*", "*.session")); len(files) != 2 {
		t.Errorf("kept %q, want the two named sessions", files)
	}
}

// TestSessionFiles: torn, old, foreign and too many files are no sessions.
func TestSessionFiles(t *testing.T) {
	dir, cache := build(t, commit{msg: "Shop", files: talk}), t.TempDir()
	says(t, dir, cache, "s", "track a parcel")
	files, _ := filepath.Glob(filepath.Join(cache, "*", "session-*", "*.session"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(whole), "track a parcel") || strings.Contains(string(whole), "parcel.stops") {
		t.Error("the task or the source is kept")
	}
	for what, b := range map[string][]byte{"empty": {}, "torn": whole[:len(whole)-1], "flipped": append([]byte{whole[0] ^ 1}, whole[1:]...), "short": whole[:16]} {
		if err := os.WriteFile(files[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		if r := says(t, dir, cache, "s", "zzyzx it?"); !r.Header.Abstained {
			t.Errorf("%s: %+v", what, r.Header)
		}
	}
	if err := os.WriteFile(files[0], whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := says(t, dir, cache, "s", "zzyzx it?"); r.Header.Abstained {
		t.Error("the whole file does not work either")
	}
	old := time.Now().Add(-repo.SessionLife - time.Hour)
	if err := os.Chtimes(files[0], old, old); err != nil {
		t.Fatal(err)
	}
	if r := says(t, dir, cache, "s", "zzyzx it?"); !r.Header.Abstained {
		t.Error("an old session lives")
	}
	says(t, dir, cache, "new", "track a parcel")
	if left, _ := filepath.Glob(files[0]); len(left) != 0 {
		t.Error("an old session is still on disk")
	}
}

// TestQuick: names answer without an index, and write nothing.
func TestQuick(t *testing.T) {
	dir, cache := build(t, commit{msg: "Shop", files: talk}), t.TempDir()
	r, err := rank.Quick(t.Context(), rank.Request{Repo: dir, CacheDir: cache, Task: "track a parcel", Budget: 100})
	if err != nil || r.Header.Abstained || r.Files[0].Path != "parcel/track.py" || r.Pack[0].Path != "parcel/track.py" || r.Header.Tokens > 100 {
		t.Fatalf("%v %+v", err, r)
	}
	if len(r.Header.Warnings) == 0 || r.Header.Warnings[len(r.Header.Warnings)-1] != rank.NamesOnly {
		t.Errorf("%q", r.Header.Warnings)
	}
	if r, err := rank.Quick(t.Context(), rank.Request{Repo: dir, Task: "zzyzx quux"}); err != nil || !r.Header.Abstained {
		t.Errorf("%v %+v", err, r)
	}
	if r, err := rank.Quick(t.Context(), rank.Request{Repo: dir, Task: "it fails in total.py:3"}); err != nil || r.Files[0].Path != "cart/total.py" {
		t.Errorf("%v %+v", err, r)
	}
	// The filter holds here too.
	for _, c := range []struct {
		mod  func(*rank.Request)
		want string
	}{{inPaths("cart/"), "cart/total.py"}, {inPaths("parcel/"), "parcel/track.py"}, {langs("go"), ""}, {roles("test"), ""}, {langs("python"), "cart/total.py"}} {
		req := rank.Request{Repo: dir, Task: "total of the cart, track the parcel"}
		c.mod(&req)
		r, err := rank.Quick(t.Context(), req)
		if err != nil || (len(r.Files) == 0) != (c.want == "") || c.want != "" && r.Files[0].Path != c.want {
			t.Errorf("want %q: %v %+v", c.want, err, r)
		}
	}
	if _, err := rank.Quick(t.Context(), rank.Request{Repo: dir, Task: "parcel", Budget: -1}); err == nil {
		t.Error("a negative budget is taken")
	}
	if entries, _ := os.ReadDir(cache); len(entries) != 0 {
		t.Errorf("wrote %v", entries)
	}
}
