package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// The git program builds the repositories of these tests, and is the oracle.

// runGit runs git in dir with input and gives what it prints.
func runGit(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=C", "GIT_COMMITTER_EMAIL=c@example.com",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000", "LC_ALL=C", "GIT_ADVICE=0")
	cmd.Stdin = strings.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return shorten(out)
}

var fullID = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// shorten cuts the ids of a SHA-256 repository down to those of this package;
// git takes them so.
func shorten(out []byte) string {
	return string(fullID.ReplaceAllFunc(out, func(id []byte) []byte { return id[:2*idLen] }))
}

// newRepo makes an empty repository with a working tree.
func newRepo(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "", "init", "-q", "-b", "main")
	runGit(t, dir, "", "config", "gc.auto", "0")
	return dir
}

// commitFile writes a file and commits it.
func commitFile(t testing.TB, dir, name, content, message string) string {
	t.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "", "add", "-A")
	runGit(t, dir, "", "commit", "-q", "--allow-empty", "-m", message)
	return strings.TrimSpace(runGit(t, dir, "", "rev-parse", "HEAD"))
}

// oddNames are paths that break careless readers.
var oddNames = []string{
	"plain.go", "dir/a.go", "dir/b.go", "dir.go", "dir-x", "dir/sub/deep/file", "a b", "tab\there", "line\nbreak",
	"quote\"s", "é", "e\u0301", "\xff\xfe", "back\\slash", "zz/1", "zz/2", "zz.c", "zz", "dir/sub", "dir/a.go.orig",
}

// importStream writes a random history for git fast-import: changes, renames,
// files in place of folders, links, submodules, merges of up to four parents,
// and clocks that jump.
func importStream(seed uint64, commits int) string {
	rng := rand.New(rand.NewPCG(seed, 7))
	var b strings.Builder
	quote := func(s string) string {
		var q strings.Builder
		q.WriteByte('"')
		for i := range len(s) {
			switch c := s[i]; {
			case c == '"' || c == '\\':
				q.WriteByte('\\')
				q.WriteByte(c)
			case c < ' ' || c >= 0x7f:
				fmt.Fprintf(&q, "\\%03o", c)
			default:
				q.WriteByte(c)
			}
		}
		return q.String() + "\""
	}
	text := func() string {
		var s strings.Builder
		word := rng.IntN(40)
		for i := range rng.IntN(200) {
			fmt.Fprintf(&s, "line %d of text %d\n", i, word+rng.IntN(2))
		}
		return s.String()
	}
	for n := 1; n <= commits; n++ {
		when := 1500000000 + n*1000
		switch rng.IntN(20) {
		case 0:
			when = 0
		case 1:
			when = 4102444800
		case 2:
			when -= 5000000
		case 3, 4, 5:
			when = 1500000000 // ties
		}
		message := fmt.Sprintf("commit %d\n\nbody\n", n)
		fmt.Fprintf(&b, "commit refs/heads/main\nmark :%d\ncommitter N <n@example.com> %d +0100\ndata %d\n%s", n, when, len(message), message)
		first := n - 1
		if n > 3 && rng.IntN(6) == 0 {
			first = 1 + rng.IntN(n-1)
		}
		if first > 0 {
			fmt.Fprintf(&b, "from :%d\n", first)
		}
		if n > 6 && rng.IntN(4) == 0 {
			for range 1 + rng.IntN(3) {
				if other := 1 + rng.IntN(n-1); other != first {
					fmt.Fprintf(&b, "merge :%d\n", other)
				}
			}
		}
		if n == 1 {
			for _, name := range []string{"keep/1", "keep/2", "dir/a.go", "mv/x", "mv/y"} {
				s := text()
				fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", quote(name), len(s), s)
			}
		}
		for range rng.IntN(5) {
			name := quote(oddNames[rng.IntN(len(oddNames))])
			switch rng.IntN(9) {
			case 0:
				fmt.Fprintf(&b, "D %s\n", name)
			case 1:
				fmt.Fprintf(&b, "M 120000 inline %s\ndata 4\nkeep\n", name)
			case 2:
				fmt.Fprintf(&b, "M 160000 %040x %s\n", 0xabc+rng.IntN(3), name)
			case 3:
				s := text()
				fmt.Fprintf(&b, "M 100755 inline %s\ndata %d\n%s\n", name, len(s), s)
			case 4:
				fmt.Fprintf(&b, "C %s %s\n", quote("keep/1"), name)
			default:
				s := text()
				fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", name, len(s), s)
			}
		}
		if rng.IntN(10) == 0 {
			fmt.Fprintf(&b, "M 100644 inline keep/2\ndata 2\n%d\n\n", rng.IntN(10))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// importRepo makes a repository with a random history.
func importRepo(t testing.TB, seed uint64, commits int) string {
	t.Helper()
	dir := newRepo(t)
	runGit(t, dir, importStream(seed, commits), "-c", "fastimport.unpackLimit=0", "fast-import", "--quiet")
	return dir
}

// unpack turns every object of a repository loose.
func unpack(t testing.TB, dir string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*"))
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	for _, p := range packs {
		if err := os.Rename(p, filepath.Join(tmp, filepath.Base(p))); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range packs {
		if strings.HasSuffix(p, ".pack") {
			b, err := os.ReadFile(filepath.Join(tmp, filepath.Base(p)))
			if err != nil {
				t.Fatal(err)
			}
			runGit(t, dir, string(b), "unpack-objects", "-q")
		}
	}
}

// reindex rewrites the indexes of a repository's packs.
func reindex(t testing.TB, dir, version string) {
	t.Helper()
	packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) == 0 {
		t.Fatal("no pack", err)
	}
	for _, p := range packs {
		idx := strings.TrimSuffix(p, "pack") + "idx"
		if err := os.Remove(idx); err != nil {
			t.Fatal(err)
		}
		runGit(t, dir, "", "index-pack", "--index-version="+version, p)
	}
}

// shapes are ways to store the same history.
var shapes = []struct {
	name string
	make func(t *testing.T, dir string) string // gives the repository to read
}{
	{"imported", func(_ *testing.T, dir string) string { return dir }},
	{"loose", func(t *testing.T, dir string) string { unpack(t, dir); return dir }},
	{"deltas by offset", func(t *testing.T, dir string) string {
		runGit(t, dir, "", "repack", "-adfq", "--depth=250", "--window=50")
		return dir
	}},
	{"deltas by id", func(t *testing.T, dir string) string {
		runGit(t, dir, "", "-c", "repack.useDeltaBaseOffset=false", "repack", "-adfq", "--depth=50", "--window=50")
		return dir
	}},
	{"index v1", func(t *testing.T, dir string) string { reindex(t, dir, "1"); return dir }},
	{"index with large offsets", func(t *testing.T, dir string) string { reindex(t, dir, "2,0x100"); return dir }},
	{"many packs", func(t *testing.T, dir string) string {
		runGit(t, dir, "", "repack", "-adq", "--max-pack-size=1m")
		for i := range 3 {
			commitFile(t, dir, "more", strings.Repeat(strconv.Itoa(i), 500), "more")
			runGit(t, dir, "", "repack", "-dq")
		}
		return dir
	}},
	{"loose and packed", func(t *testing.T, dir string) string {
		runGit(t, dir, "", "gc", "-q")
		commitFile(t, dir, "more", "text", "more")
		return dir
	}},
	{"stored without compression", func(t *testing.T, dir string) string {
		runGit(t, dir, "", "-c", "core.compression=0", "-c", "pack.compression=0", "repack", "-adfFq")
		return dir
	}},
	{"alternates, nested", func(t *testing.T, dir string) string {
		runGit(t, dir, "", "symbolic-ref", "HEAD", "refs/heads/main")
		base := t.TempDir()
		runGit(t, base, "", "clone", "-q", "--shared", "--bare", dir, "one.git")
		runGit(t, base, "", "clone", "-q", "--shared", "--bare", "one.git", "two.git")
		return filepath.Join(base, "two.git")
	}},
	{"alternates, relative and quoted", func(t *testing.T, dir string) string {
		two := filepath.Join(filepath.Dir(dir), filepath.Base(dir)+"-two")
		runGit(t, dir, "", "init", "-q", "-b", "main", two)
		alt := fmt.Sprintf("# comment\n\"../../../\\%03o%s/.git/objects\"\n", filepath.Base(dir)[0], filepath.Base(dir)[1:])
		if err := os.WriteFile(filepath.Join(two, ".git/objects/info/alternates"), []byte(alt), 0o666); err != nil {
			t.Fatal(err)
		}
		runGit(t, two, "", "update-ref", "refs/heads/main", strings.TrimSpace(runGit(t, dir, "", "rev-parse", "main")))
		return two
	}},
}

func TestShapes(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			dir := s.make(t, importRepo(t, 1, 150))
			sameObjects(t, dir)
			sameTrees(t, dir)
			sameHistory(t, dir)
		})
	}
}

func TestRandomHistories(t *testing.T) {
	for seed := range uint64(6) {
		dir := importRepo(t, 100+seed, 60)
		sameTrees(t, dir)
		sameHistory(t, dir)
	}
}

func mustOpen(t testing.TB, dir string) *Repo {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func mustHead(t testing.TB, r *Repo) OID {
	t.Helper()
	id, _, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func mustID(t testing.TB, s string) OID {
	t.Helper()
	id, err := ParseOID(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// sameObjects compares every object with what git prints of it.
func sameObjects(t *testing.T, dir string) {
	t.Helper()
	r := mustOpen(t, dir)
	rd := r.NewReader()
	defer rd.Close()
	out := runGit(t, dir, "", "cat-file", "--batch-all-objects", "--batch")
	n := 0
	for len(out) > 0 {
		line, rest, _ := strings.Cut(out, "\n")
		f := strings.Fields(line)
		size, err := strconv.Atoi(f[2])
		if err != nil {
			t.Fatal(err)
		}
		id := mustID(t, f[0])
		typ, data, err := rd.Object(id)
		if err != nil || typ.String() != f[1] || string(data) != rest[:size] {
			t.Fatalf("%s: %s of %d bytes, %v; git has %s", id, typ, len(data), err, line)
		}
		typ, length, err := rd.Size(id)
		if err != nil || typ.String() != f[1] || length != int64(size) {
			t.Fatalf("%s: %s of size %d, %v; git has %s", id, typ, length, err, line)
		}
		out = rest[size+1:]
		n++
	}
	if n < 100 {
		t.Fatalf("only %d objects", n)
	}
	if _, _, err := rd.Object(OID{1}); !errors.Is(err, ErrMissing) {
		t.Fatalf("missing object: %v", err)
	}
	if _, _, err := rd.Size(OID{1}); !errors.Is(err, ErrMissing) {
		t.Fatalf("missing object's size: %v", err)
	}
}

// sameTrees compares the files of some commits with git ls-tree.
func sameTrees(t *testing.T, dir string) {
	t.Helper()
	rd := mustOpen(t, dir).NewReader()
	defer rd.Close()
	for _, commit := range strings.Fields(runGit(t, dir, "", "rev-list", "--max-count=12", "main")) {
		for _, root := range []string{"", "dir", "dir/sub"} {
			if typ := runGit(t, dir, commit+":"+root, "cat-file", "--batch-check=%(objecttype)"); root != "" && typ != "tree\n" {
				if _, _, _, err := rd.Tree(mustID(t, commit), root); !errors.Is(err, ErrNoFolder) {
					t.Fatalf("folder %s of %s: %v", root, commit, err)
				}
				continue
			}
			args := []string{"ls-tree", "-r", "-z", "--full-tree", commit}
			if root != "" {
				args = append(args, root+"/")
			}
			entries, tree, warnings, err := rd.Tree(mustID(t, commit), root)
			if err != nil || len(warnings) > 0 {
				t.Fatalf("tree of %s: %v %v", commit, err, warnings)
			}
			if want := runGit(t, dir, "", "rev-parse", commit+"^{tree}"); tree != mustID(t, want) {
				t.Fatalf("tree of %s is %s, want %s", commit, tree, want)
			}
			var got strings.Builder
			for _, e := range entries {
				typ := "blob"
				if e.Mode == ModeGitlink {
					typ = "commit"
				}
				fmt.Fprintf(&got, "%06o %s %s\t%s\x00", e.Mode, typ, e.ID, e.Path)
			}
			if want := runGit(t, dir, "", args...); got.String() != want {
				t.Fatalf("tree of %s below %q:\n%q\nwant\n%q", commit, root, got.String(), want)
			}
			if !slices.IsSortedFunc(entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) }) {
				t.Fatalf("tree of %s is not in order", commit)
			}
		}
	}
}

// gitLog reads the history as git has it: id to what Commits should say, with
// renames taken apart.
func gitLog(t *testing.T, dir, rev string, args ...string) map[string]string {
	t.Helper()
	want := map[string]string{}
	out := runGit(t, dir, "", append([]string{"log", "--root", "--no-renames", "--name-status", "-z", "--format=%x01=%x01%H%x02=%x02%P%x02=%x02%ct%x02=%x02%B%x02=%x02", rev}, args...)...)
	for _, part := range strings.Split(out, "\x01=\x01")[1:] {
		f := strings.SplitN(part, "\x02=\x02", 5)
		words := strings.Split(strings.Trim(strings.TrimLeft(f[4], "\n\x00"), "\x00"), "\x00")
		var lines []string
		if !strings.Contains(f[1], " ") { // no merge
			for i := 0; i+1 < len(words); i += 2 {
				status := strings.TrimSpace(words[i])
				if status == "T" {
					status = "M"
				}
				lines = append(lines, status+" "+words[i+1])
			}
		}
		slices.Sort(lines)
		when, _ := strconv.ParseInt(f[2], 10, 64) // nothing where git cannot read it either
		want[f[0]] = fmt.Sprintf("%s|%d|%s|%q", f[1], min(max(when, 0), maxTime), f[3], lines)
	}
	return want
}

func apart(c *Commit) string {
	var lines, parents []string
	for _, ch := range c.Changes {
		if ch.Status == 'R' {
			lines = append(lines, "D "+ch.Old, "A "+ch.Path)
		} else {
			lines = append(lines, string(ch.Status)+" "+ch.Path)
		}
	}
	slices.Sort(lines)
	for _, p := range c.Parents {
		parents = append(parents, p.String())
	}
	return fmt.Sprintf("%s|%d|%s|%q", strings.Join(parents, " "), c.Time, c.Message, lines)
}

// sameHistory compares Commits with git log, and checks its order.
func sameHistory(t *testing.T, dir string) {
	t.Helper()
	r := mustOpen(t, dir)
	head, err := r.Resolve("main")
	if err != nil {
		t.Fatal(err)
	}
	commits, err := r.Commits(context.Background(), head, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	checkHistory(t, commits, gitLog(t, dir, "main"))
	again, err := r.Commits(context.Background(), head, nil, 0)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(commits) {
		t.Fatalf("another run gives another history, %v", err)
	}
}

func checkHistory(t *testing.T, commits []Commit, want map[string]string) {
	t.Helper()
	if len(commits) != len(want) {
		t.Fatalf("%d commits, want %d", len(commits), len(want))
	}
	seen := map[OID]bool{}
	all := map[OID]bool{}
	for _, c := range commits {
		all[c.ID] = true
	}
	for i := range commits {
		c := &commits[i]
		if got := apart(c); got != want[c.ID.String()] {
			t.Fatalf("commit %s:\n%s\nwant\n%s", c.ID, got, want[c.ID.String()])
		}
		if c.Merge != (len(c.Parents) > 1) || c.Merge && c.Changes != nil {
			t.Fatalf("commit %s: merge %v with %d parents, %d changes", c.ID, c.Merge, len(c.Parents), len(c.Changes))
		}
		for _, p := range c.Parents {
			if all[p] && !seen[p] {
				t.Fatalf("commit %s comes before its parent %s", c.ID, p)
			}
		}
		seen[c.ID] = true
	}
}

// TestStorage holds the reader against go-git's storage.
func TestStorage(t *testing.T) {
	dir := importRepo(t, 3, 80)
	runGit(t, dir, "", "repack", "-adfq", "--depth=50")
	commitFile(t, dir, "new", "loose", "loose")
	r := mustOpen(t, dir)
	rd := r.NewReader()
	defer rd.Close()
	other := r.NewReader()
	defer other.Close()
	s := filesystem.NewStorageWithOptions(osfs.New(r.CommonDir), cache.NewObjectLRUDefault(), filesystem.Options{ExclusiveAccess: true})
	defer s.Close()
	iter, err := s.IterEncodedObjects(plumbing.AnyObject)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = iter.ForEach(func(o plumbing.EncodedObject) error {
		n++
		typ, data, err := rd.Object(OID(o.Hash()))
		if err != nil || int(typ) != int(o.Type()) || int64(len(data)) != o.Size() {
			t.Fatalf("%s: %s of %d bytes, %v; go-git has %s of %d", o.Hash(), typ, len(data), err, o.Type(), o.Size())
		}
		// The second opinion is the same.
		typ2, data2, err := other.second(OID(o.Hash()))
		if err != nil || typ2 != typ || !bytes.Equal(data, data2) {
			t.Fatalf("%s: second opinion %s of %d bytes, %v", o.Hash(), typ2, len(data2), err)
		}
		return nil
	})
	if err != nil || n < 100 {
		t.Fatal(n, err)
	}
	if _, _, err := other.second(OID{9}); !errors.Is(err, ErrMissing) {
		t.Fatalf("second opinion on what is missing: %v", err)
	}
}
