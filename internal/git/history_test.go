package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCommitsLimitAndKnown(t *testing.T) {
	dir := importRepo(t, 11, 120)
	r := mustOpen(t, dir)
	head := mustHead(t, r)
	ctx := context.Background()
	all, err := r.Commits(ctx, head, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	byID := map[OID]string{}
	for i := range all {
		byID[all[i].ID] = apart(&all[i])
	}
	for _, limit := range []int{1, 2, 17, len(all), len(all) + 1} {
		got, err := r.Commits(ctx, head, nil, limit)
		if err != nil || len(got) != min(limit, len(all)) {
			t.Fatalf("limit %d: %d commits, %v", limit, len(got), err)
		}
		for i := range got {
			if apart(&got[i]) != byID[got[i].ID] {
				t.Fatalf("limit %d: commit %s differs", limit, got[i].ID)
			}
		}
		if !slices.ContainsFunc(got, func(c Commit) bool { return c.ID == head }) {
			t.Fatalf("limit %d: not from the head", limit)
		}
	}
	// What an older commit reaches is known: the rest is the difference.
	old := mustID(t, runGit(t, dir, "", "rev-parse", "main~9"))
	reached, err := r.Commits(ctx, old, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	known := map[OID]bool{}
	for _, c := range reached {
		known[c.ID] = true
	}
	rest, err := r.Commits(ctx, head, func(id OID) bool { return known[id] }, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Fields(runGit(t, dir, "", "rev-list", "main", "^main~9")); len(rest) != len(want) || len(rest) == 0 {
		t.Fatalf("%d commits, want %d", len(rest), len(want))
	}
	for i := range rest {
		if apart(&rest[i]) != byID[rest[i].ID] {
			t.Fatalf("commit %s differs", rest[i].ID)
		}
	}
	if none, err := r.Commits(ctx, head, func(OID) bool { return true }, 0); err != nil || len(none) != 0 {
		t.Fatalf("all known: %d commits, %v", len(none), err)
	}
	if _, err := r.Commits(ctx, OID{7}, nil, 0); !errors.Is(err, ErrMissing) {
		t.Fatalf("from nowhere: %v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := r.Commits(stopped, head, nil, 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
}

func TestRenames(t *testing.T) {
	blob := func(s string) string { return fmt.Sprintf("inline %%s\ndata %d\n%s\n", len(s), s) }
	set := func(path, content string) string { return fmt.Sprintf("M 100644 "+blob(content), path) }
	cases := []struct {
		name          string
		before, after string
		want          string
	}{
		{"moved", set("a/x.go", "1"), "D a/x.go\n" + set("b/x.go", "1"), "R a/x.go>b/x.go"},
		{"renamed in place", set("x.go", "1"), "D x.go\n" + set("y.go", "1"), "R x.go>y.go"},
		{"moved and changed", set("x.go", "1"), "D x.go\n" + set("y.go", "2"), "D x.go, A y.go"},
		{"copied", set("x.go", "1"), set("y.go", "1"), "A y.go"},
		// The base name decides before the order of paths does.
		{"two alike", set("a/x", "1") + set("a/y", "1"), "D a/x\nD a/y\n" + set("b/y", "1") + set("c/x", "1"), "R a/y>b/y, R a/x>c/x"},
		{"two alike under new names", set("a/x", "1") + set("a/y", "1"), "D a/x\nD a/y\n" + set("b/p", "1") + set("b/q", "1"), "R a/x>b/p, R a/y>b/q"},
		{"one becomes two", set("a/x", "1"), "D a/x\n" + set("b/p", "1") + set("b/x", "1"), "A b/p, R a/x>b/x"},
		{"empty, same name", set("a/__init__.py", ""), "D a/__init__.py\n" + set("b/__init__.py", ""), "R a/__init__.py>b/__init__.py"},
		{"empty, other name", set("a/p", ""), "D a/p\n" + set("b/q", ""), "D a/p, A b/q"},
		{"file becomes folder", set("x", "1"), "D x\n" + set("x/y", "1"), "R x>x/y"},
		{"link is no file", "M 120000 " + fmt.Sprintf(blob("t"), "l"), "D l\n" + set("f", "t"), "A f, D l"},
		{"mode", set("x", "1"), "M 100755 " + fmt.Sprintf(blob("1"), "x"), "M x"},
		{"type", set("x", "1"), "M 120000 " + fmt.Sprintf(blob("1"), "x"), "M x"},
		{"submodule moved on", "M 160000 " + strings.Repeat("a", 40) + " sub\n", "M 160000 " + strings.Repeat("b", 40) + " sub\n", "M sub"},
		{"nothing", set("x", "1"), "", ""},
	}
	for _, c := range cases {
		dir := newRepo(t)
		head := "commit refs/heads/main\ncommitter N <n@example.com> 1500000000 +0000\ndata 1\nx\n"
		runGit(t, dir, head+set("keep", "k")+c.before+"\n"+head+c.after+"\n", "fast-import", "--quiet")
		r := mustOpen(t, dir)
		commits, err := r.Commits(context.Background(), mustHead(t, r), nil, 0)
		if err != nil || len(commits) != 2 {
			t.Fatal(len(commits), err)
		}
		var got []string
		for _, ch := range commits[1].Changes {
			if ch.Status == 'R' {
				got = append(got, "R "+ch.Old+">"+ch.Path)
			} else {
				got = append(got, string(ch.Status)+" "+ch.Path)
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s; want %s", c.name, s, c.want)
		}
	}
}

func TestHuge(t *testing.T) {
	// n files, all moved: n changes made of 2n. However many there are, where
	// they went is known.
	for _, n := range []int{MaxChanges, MaxChanges + 1, maxRaw + 1} {
		dir := newRepo(t)
		var b strings.Builder
		head := "commit refs/heads/main\ncommitter N <n@example.com> 1500000000 +0000\ndata 1\nx\n"
		b.WriteString(head)
		for i := range n {
			fmt.Fprintf(&b, "M 100644 inline old/%d\ndata %d\n%d\n", i, len(fmt.Sprint(i)), i)
		}
		b.WriteString("\n" + head + "R old new\n\n")
		runGit(t, dir, b.String(), "fast-import", "--quiet")
		r := mustOpen(t, dir)
		commits, err := r.Commits(context.Background(), mustHead(t, r), nil, 0)
		if err != nil || len(commits) != 2 {
			t.Fatal(len(commits), err)
		}
		for i, c := range commits {
			huge, want := n > MaxChanges, n
			if huge && i == 0 {
				want = 0
			}
			if c.Huge != huge || len(c.Changes) != want {
				t.Errorf("commit %d of %d files: huge %v, %d changes", i, n, c.Huge, len(c.Changes))
			}
		}
		if commits[1].Changes[0] != (Change{'R', "new/0", "old/0"}) {
			t.Errorf("first rename: %+v", commits[1].Changes[0])
		}
	}
}

// TestFewMoves: a few equal files among thousands that change are no moves,
// and the commit must not look like one of a few changes.
func TestFewMoves(t *testing.T) {
	dir := newRepo(t)
	var b strings.Builder
	for step := range 2 {
		b.WriteString("commit refs/heads/main\ncommitter N <n@example.com> 1500000000 +0000\ndata 1\nx\n")
		for i := range maxRaw + 10 {
			fmt.Fprintf(&b, "M 100644 inline f/%d\ndata %d\n%d %d\n", i, len(fmt.Sprint(i, step)), i, step)
		}
		if step == 0 {
			b.WriteString("M 100644 inline moved\ndata 4\nsame\n")
		} else {
			b.WriteString("R moved elsewhere\n")
		}
		b.WriteByte('\n')
	}
	runGit(t, dir, b.String(), "fast-import", "--quiet")
	r := mustOpen(t, dir)
	commits, err := r.Commits(context.Background(), mustHead(t, r), nil, 0)
	if err != nil || len(commits) != 2 {
		t.Fatal(len(commits), err)
	}
	if c := commits[1]; !c.Huge || c.Changes != nil {
		t.Errorf("huge %v, %d changes", c.Huge, len(c.Changes))
	}
}

func TestParseCommit(t *testing.T) {
	tree := strings.Repeat("1", 40)
	cases := []struct {
		name, ident string
		want        int64
	}{
		{"usual", "A B <a@b> 1700000000 +0100", 1700000000},
		{"year 3170843", "A <a@b> 99999999999999 +0000", maxTime},
		{"too long for a number", "A <a@b> 99999999999999999999999999 +0000", maxTime},
		{"last second kept", "A <a@b> 8589934592 +0000", 1 << 33},
		{"before 1970", "A <a@b> -62135596800 +0000", 0},
		{"none", "A <a@b>", 0},
		{"no mail", "A 17 +0000", 0},
		{"brackets in the name", "A > 5 <x> <a@b> 7 +0000", 7},
		{"empty", "", 0},
	}
	for _, c := range cases {
		got, ok := parseCommit([]byte("tree " + tree + "\nauthor A <a@b> 1 +0000\ncommitter " + c.ident + "\n\nm"))
		if !ok || got.time != c.want || string(got.message) != "m" {
			t.Errorf("%s: %d %q %v, want %d", c.name, got.time, got.message, ok, c.want)
		}
	}
	// Headers end at the blank line; a signature's lines are no headers.
	got, ok := parseCommit([]byte("tree " + tree + "\ngpgsig x\n parent " + tree + "\nencoding latin1\n\ncommitter A <a> 5 +0000\n\nparent " + tree))
	if !ok || len(got.parents) != 0 || got.time != 0 || !strings.HasPrefix(string(got.message), "committer") {
		t.Errorf("headers: %+v %v", got, ok)
	}
	for _, bad := range []string{"", "\n\nx", "tree 12\n\nx", "parent " + tree + "\n\n"} {
		if _, ok := parseCommit([]byte(bad)); ok {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestCutMessage(t *testing.T) {
	for shift := range 4 {
		s := strings.Repeat("x", shift) + strings.Repeat("日", MaxMessage)
		got := cutMessage([]byte(s))
		if !utf8.ValidString(got) || len(got) > MaxMessage || len(got) <= MaxMessage-3 || !strings.HasPrefix(s, got) {
			t.Errorf("shift %d: %d bytes, valid %v", shift, len(got), utf8.ValidString(got))
		}
	}
	if got := cutMessage([]byte(strings.Repeat("\x80", MaxMessage+9))); len(got) < MaxMessage-3 {
		t.Errorf("bytes that are no text: %d", len(got))
	}
}

// looseFile is where a loose object lies.
func looseFile(dir, id string) string {
	id = strings.TrimSpace(id)
	files, _ := filepath.Glob(filepath.Join(dir, ".git/objects", id[:2], id[2:]+"*")) // ids may be shortened
	if len(files) != 1 {
		return filepath.Join(dir, ".git/objects", id[:2], id[2:])
	}
	return files[0]
}

func TestDamagedTrees(t *testing.T) {
	dir := newRepo(t)
	commitFile(t, dir, "good/f", "x", "c0")
	commitFile(t, dir, "bad/f", "y", "c1")
	commitFile(t, dir, "bad/f", "z", "c2")
	commitFile(t, dir, "good/f", "zz", "c3")
	bad := looseFile(dir, runGit(t, dir, "", "rev-parse", "HEAD:bad"))
	for _, how := range []string{"missing", "empty", "garbage", "cut"} {
		content, err := os.ReadFile(bad)
		if err == nil {
			if err = os.Remove(bad); err != nil {
				t.Fatal(err)
			}
		}
		switch how {
		case "empty":
			write(t, bad, "")
		case "garbage":
			write(t, bad, "not an object at all")
		case "cut":
			write(t, bad, string(content[:len(content)/2]))
		}
		r := mustOpen(t, dir)
		rd := r.NewReader()
		entries, _, warnings, err := rd.Tree(mustHead(t, r), "")
		if err != nil || len(entries) != 1 || entries[0].Path != "good/f" || len(warnings) != 1 || !strings.Contains(warnings[0], `"bad"`) {
			t.Errorf("%s: %v %q %v", how, entries, warnings, err)
		}
		commits, err := r.Commits(context.Background(), mustHead(t, r), nil, 0)
		if err != nil || len(commits) != 4 {
			t.Fatalf("%s: %d commits, %v", how, len(commits), err)
		}
		// c2 changes what cannot be read; c3 passes it by.
		if !commits[2].Boundary || commits[2].Changes != nil || commits[3].Boundary || len(commits[3].Changes) != 1 {
			t.Errorf("%s: %+v\n%+v", how, commits[2], commits[3])
		}
		if w := r.Warnings(); len(w) != 1 || !strings.Contains(w[0], "1 commit ") {
			t.Errorf("%s: %q", how, w)
		}
		rd.Close()
	}
}

func TestMissingHistory(t *testing.T) {
	dir := newRepo(t)
	var ids []string
	for i := range 4 {
		ids = append(ids, commitFile(t, dir, "f", fmt.Sprint(i), fmt.Sprint("c", i)))
	}
	if err := os.Remove(looseFile(dir, ids[1])); err != nil {
		t.Fatal(err)
	}
	r := mustOpen(t, dir)
	commits, err := r.Commits(context.Background(), mustHead(t, r), nil, 0)
	if err != nil || len(commits) != 2 || !commits[0].Boundary || commits[1].Boundary {
		t.Fatalf("%+v, %v", commits, err)
	}
	if w := r.Warnings(); !slices.Equal(w, []string{"history is incomplete: missing or corrupt: 1 commit"}) {
		t.Errorf("%q", w)
	}
}

// TestHostileTrees: names that lead elsewhere are not shown, a tree of trees
// of trees ends, and odd modes are made plain.
func TestHostileTrees(t *testing.T) {
	dir := newRepo(t)
	hash := func(typ, content string) string {
		return strings.TrimSpace(runGit(t, dir, content, "hash-object", "-t", typ, "-w", "--stdin", "--literally"))
	}
	raw := func(entries ...string) string { // "mode name", id
		var b strings.Builder
		for i := 0; i < len(entries); i += 2 {
			id := mustID(t, entries[i+1])
			b.WriteString(entries[i] + "\x00" + string(id[:]))
		}
		return b.String()
	}
	blob := hash("blob", "x")
	inner := hash("tree", raw("100644 f", blob))
	rd := mustOpen(t, dir).NewReader()
	defer rd.Close()
	paths := func(tree string) (string, []string) {
		t.Helper()
		entries, _, warnings, err := rd.Tree(mustID(t, tree), "")
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, e := range entries {
			fmt.Fprintf(&b, "%o %s\n", e.Mode, e.Path)
		}
		return b.String(), warnings
	}
	got, warnings := paths(hash("tree", raw("40000 ..", inner, "40000 .GIT", inner, "100664 a", blob, "100644 b/c", blob, "40000 d", inner, "100744 e", blob, "40000 .", inner)))
	if want := "100644 a\n100644 d/f\n100755 e\n"; got != want || len(warnings) != 4 {
		t.Errorf("%q %q, want %q", got, warnings, want)
	}
	// Out of order, and twice.
	got, warnings = paths(hash("tree", raw("100644 b", blob, "100644 a", blob, "100755 b", blob)))
	if want := "100644 a\n100644 b\n"; got != want || len(warnings) != 1 {
		t.Errorf("%q %q, want %q", got, warnings, want)
	}
	// Cut within an entry: what stands before it counts.
	whole := raw("100644 a", blob, "100644 b", blob)
	if got, warnings = paths(hash("tree", whole[:len(whole)-5])); got != "100644 a\n" || len(warnings) != 1 {
		t.Errorf("%q %q", got, warnings)
	}
	// Ten names for one tree, twelve levels: a billion folders without a file.
	bomb := hash("tree", "")
	for range 12 {
		var e []string
		for i := range 10 {
			e = append(e, fmt.Sprintf("40000 d%d", i), bomb)
		}
		bomb = hash("tree", raw(e...))
	}
	if got, warnings = paths(bomb); got != "" || len(warnings) == 0 {
		t.Errorf("%d bytes of paths, %q", len(got), warnings)
	}
	commit := mustID(t, hash("commit", "tree "+bomb+"\ncommitter A <a@b> 1 +0000\n\nbomb\n"))
	commits, err := mustOpen(t, dir).Commits(context.Background(), commit, nil, 0)
	if err != nil || len(commits) != 1 {
		t.Fatal(commits, err)
	}
	// Folders nested a thousand deep.
	deep := inner
	for range 1000 {
		deep = hash("tree", raw("40000 d", deep))
	}
	if got, warnings = paths(deep); got != "" || len(warnings) != 1 {
		t.Errorf("%q %q", got, warnings)
	}
}

// FuzzDiff: trees of any bytes can be compared, and a tree with itself gives
// nothing.
func FuzzDiff(f *testing.F) {
	tree := "100644 a\x00aaaaaaaaaaaaaaaaaaaa40000 b\x00bbbbbbbbbbbbbbbbbbbb"
	f.Add(tree, tree+"120000 c\x00cccccccccccccccccccc")
	f.Add("", tree)
	f.Add("40000 a\x00aaaaaaaaaaaaaaaaaaaa", "100644 a\x00aaaaaaaaaaaaaaaaaaaa")
	f.Fuzz(func(t *testing.T, a, b string) {
		r := &Repo{store: &store{warn: func(string) {}}, warnings: map[string]bool{}}
		r.store.packs.Store(&[]*pack{})
		from, to, inner := OID{1}, OID{2}, OID([]byte("bbbbbbbbbbbbbbbbbbbb"))
		d := differ{rd: r.NewReader(), trees: map[OID][]byte{from: []byte(a), to: []byte(b), inner: []byte("100644 x\x00xxxxxxxxxxxxxxxxxxxx")}}
		there, _, err := d.changes(from, to)
		back, _, err2 := d.changes(to, from)
		// Damage in the part that is skipped as equal is found both ways; the
		// renames found need not be the same, but nothing appears or vanishes.
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%v one way, %v the other", err, err2)
		}
		if count(there, 'A') != count(back, 'D') || count(there, 'R') != count(back, 'R') {
			t.Fatalf("%v one way, %v the other", there, back)
		}
		d.trees[to] = []byte(a)
		if same, _, err := d.changes(from, to); err == nil && len(same) > 0 {
			t.Fatalf("a tree differs from itself: %v", same)
		}
	})
}

func count(list []Change, status byte) (n int) {
	for _, c := range list {
		if c.Status == status {
			n++
		}
	}
	return n
}

// BenchmarkCommits reads a whole history: that of the repository named by
// RANK_BENCH_REPO, else a generated one. "git log" of the same stands beside.
func BenchmarkCommits(b *testing.B) {
	dir := os.Getenv("RANK_BENCH_REPO")
	if dir == "" {
		dir = importRepo(b, 21, 2000)
		runGit(b, dir, "", "gc", "-q")
	}
	for _, limit := range []int{0, 5000} {
		b.Run(fmt.Sprintf("own/limit=%d", limit), func(b *testing.B) {
			for b.Loop() {
				r := mustOpen(b, dir)
				commits, err := r.Commits(b.Context(), mustHead(b, r), nil, limit)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(commits)), "commits")
			}
		})
		b.Run(fmt.Sprintf("git/limit=%d", limit), func(b *testing.B) {
			args := []string{"log", "--no-merges", "--name-only", "--no-renames"}
			if limit > 0 {
				args = append(args, fmt.Sprintf("-%d", limit))
			}
			for b.Loop() {
				runGit(b, dir, "", args...)
			}
		})
	}
}

// BenchmarkTree lists the files of HEAD.
func BenchmarkTree(b *testing.B) {
	dir := os.Getenv("RANK_BENCH_REPO")
	if dir == "" {
		dir = importRepo(b, 21, 2000)
		runGit(b, dir, "", "gc", "-q")
	}
	r := mustOpen(b, dir)
	head := mustHead(b, r)
	for b.Loop() {
		rd := r.NewReader()
		if _, _, _, err := rd.Tree(head, ""); err != nil {
			b.Fatal(err)
		}
		rd.Close()
	}
}
