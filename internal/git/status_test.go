//go:build unix

package git

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// wtRepo is a repository under test and its working tree.
type wtRepo struct {
	t   testing.TB
	dir string
}

func newTreeRepo(t testing.TB) wtRepo {
	t.Helper()
	wtIsolate(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := wtRepo{t, filepath.Join(dir, "r")}
	if err := os.Mkdir(w.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	w.git("init", "-q", "-b", "main")
	return w
}

func (w wtRepo) git(args ...string) string  { w.t.Helper(); return shorten(wtRun(w.t, w.dir, args...)) }
func (w wtRepo) path(p string) string       { return filepath.Join(w.dir, p) }
func (w wtRepo) write(path, content string) { w.t.Helper(); wtWrite(w.t, w.path(path), content) }

func (w wtRepo) remove(path string) {
	w.t.Helper()
	if err := os.RemoveAll(w.path(path)); err != nil {
		w.t.Fatal(err)
	}
}

func (w wtRepo) symlink(target, path string) {
	w.t.Helper()
	if err := os.Symlink(target, w.path(path)); err != nil {
		w.t.Fatal(err)
	}
}

func (w wtRepo) commit() {
	w.t.Helper()
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", "c")
}

// age makes every file older than the index, so that stats are trusted.
func (w wtRepo) age() {
	w.t.Helper()
	old := time.Now().Add(-time.Hour)
	for _, p := range strings.Split(w.git("ls-files", "-z"), "\x00") {
		if info, err := os.Lstat(w.path(p)); p != "" && err == nil && info.Mode().IsRegular() {
			os.Chtimes(w.path(p), old, old)
		}
	}
	w.git("update-index", "-q", "--really-refresh")
}

// feed gives git lines on its input, quoted as C strings where need be, and
// takes as many from its output.
func (w wtRepo) feed(lines []string, args ...string) []string {
	w.t.Helper()
	if len(lines) == 0 {
		return nil
	}
	var in strings.Builder
	for _, line := range lines {
		if strings.ContainsAny(line, "\"\\\n") {
			var q strings.Builder
			for _, c := range []byte(line) {
				fmt.Fprintf(&q, "\\%03o", c)
			}
			line = `"` + q.String() + `"`
		}
		in.WriteString(line + "\n")
	}
	cmd := wtCommand(w.dir, args...)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	got := strings.Split(strings.TrimSuffix(shorten(out), "\n"), "\n")
	if err != nil || len(got) != len(lines) {
		w.t.Fatalf("git %v: %v, %d answers to %d lines", args, err, len(got), len(lines))
	}
	return got
}

func (w wtRepo) snapshot(opt WorktreeOptions) *Snapshot {
	w.t.Helper()
	r, err := Open(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	s, err := r.WorkingTree(context.Background(), opt)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// check compares a snapshot with what git says about the same working tree,
// file by file, and each id with git's hash of the file.
func (w wtRepo) check(what string) *Snapshot {
	w.t.Helper()
	s := w.snapshot(WorktreeOptions{Untracked: true})
	fail := func(format string, args ...any) {
		w.t.Helper()
		w.t.Errorf("%s: %s\n%s", what, fmt.Sprintf(format, args...), w.git("status", "--porcelain", "-uall"))
	}

	// The names: what the index has, minus what is gone, plus untracked.
	want := map[string]string{}  // path -> id in the index, "" when it must be hashed
	links := map[string]string{} // the same of symbolic links
	for _, line := range strings.Split(w.git("ls-files", "-z", "-s"), "\x00") {
		if meta, path, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(meta, "160000") {
			want[path] = strings.Fields(meta)[1]
			if strings.HasPrefix(meta, "120000") {
				links[path] = want[path]
			}
		}
	}
	skip := map[string]bool{}
	for _, line := range strings.Split(w.git("ls-files", "-z", "-t"), "\x00") {
		if tag, path, ok := strings.Cut(line, " "); ok && tag == "S" {
			skip[path] = true
		}
	}
	untracked := 0
	for _, path := range strings.Split(w.git("ls-files", "-z", "-o", "--exclude-standard"), "\x00") {
		if path != "" && !strings.HasSuffix(path, "/") {
			want[path] = ""
			untracked++
		}
	}
	dirIsReal := func(path string) bool {
		for dir := parentDir(path); dir != ""; dir = parentDir(dir) {
			if info, err := os.Lstat(w.path(dir)); err != nil || !info.IsDir() {
				return false
			}
		}
		return true
	}
	for path := range want {
		info, err := os.Lstat(w.path(path))
		switch {
		case skip[path] && links[path] == "":
		case err != nil || !info.Mode().IsRegular() || !dirIsReal(path):
			delete(want, path)
		}
	}
	// hash-object runs the filters of the path, as status does.
	var onDisk, stored []string
	for _, e := range s.Entries {
		if !skip[e.Path] {
			onDisk = append(onDisk, e.Path)
		}
		if !e.OnDisk {
			stored = append(stored, e.ID.String())
		}
	}
	ids := map[string]string{}
	for i, line := range w.feed(onDisk, "hash-object", "--stdin-paths") {
		ids[onDisk[i]] = line
	}
	for _, line := range w.feed(stored, "cat-file", "--batch-check") {
		if strings.HasSuffix(line, "missing") {
			fail("not on disk only, but not in the repository either: %s", line)
		}
	}
	var have []string
	for _, e := range s.Entries {
		have = append(have, e.Path)
		if _, ok := want[e.Path]; !ok {
			fail("entry %q should not be there", e.Path)
			continue
		}
		id := want[e.Path]
		if !skip[e.Path] {
			id = ids[e.Path]
		}
		if e.ID.String() != id {
			fail("entry %q: id %s, want %s", e.Path, e.ID, id)
		}
		if e.Untracked != (want[e.Path] == "") {
			fail("entry %q: untracked %v", e.Path, e.Untracked)
		}
		delete(want, e.Path)
	}
	for path := range want {
		fail("entry %q is missing", path)
	}
	if !slices.IsSorted(have) {
		fail("not sorted: %q", have)
	}

	// The counts: HEAD against the disk.
	head := map[string][2]string{}
	if _, err := wtCommand(w.dir, "rev-parse", "-q", "--verify", "HEAD").Output(); err == nil {
		for _, line := range strings.Split(w.git("ls-tree", "-r", "-z", "HEAD"), "\x00") {
			if meta, path, ok := strings.Cut(line, "\t"); ok {
				f := strings.Fields(meta)
				if f[0] != "160000" {
					head[path] = [2]string{f[0][:2], f[2]}
				}
			}
		}
	}
	disk := map[string][2]string{}
	for _, e := range s.Entries {
		disk[e.Path] = [2]string{"10", e.ID.String()}
	}
	linked, naming := 0, mustOpen(w.t, w.dir).naming
	for path, id := range links {
		if skip[path] { // not on disk, and taken to be as it was
			disk[path] = [2]string{"12", id}
			linked++
		}
	}
	for _, path := range strings.Split(w.git("ls-files", "-z", "-c", "-o", "--exclude-standard", "--deduplicate"), "\x00") {
		if info, err := os.Lstat(w.path(path)); path != "" && err == nil && info.Mode()&os.ModeSymlink != 0 && dirIsReal(path) {
			target, _ := os.Readlink(w.path(path))
			disk[path] = [2]string{"12", naming.blobID([]byte(target)).String()}
			if !skip[path] {
				linked++
			}
		}
	}
	modified, deleted, fresh := 0, 0, 0
	for path, h := range head {
		switch d, ok := disk[path]; {
		case !ok:
			deleted++
		case d != h:
			modified++
		}
	}
	for path := range disk {
		if _, ok := head[path]; !ok {
			fresh++
		}
	}
	if s.Modified != modified || s.Deleted != deleted || s.Added+s.Untracked != fresh || s.Symlinks != linked {
		fail("modified %d, deleted %d, added %d + untracked %d, symlinks %d; want %d, %d, %d, %d",
			s.Modified, s.Deleted, s.Added, s.Untracked, s.Symlinks, modified, deleted, fresh, linked)
	}
	// The oracle itself: git calls the tree clean exactly when nothing is
	// counted, unless only modes changed or what is not ours to look into.
	status := w.git("-c", "core.fileMode=false", "status", "--porcelain", "-uall", "--ignore-submodules=all")
	clean := true
	for line := range strings.Lines(status) {
		clean = clean && strings.HasPrefix(line, "?? ") && strings.HasSuffix(strings.TrimRight(line, "\"\n"), "/")
	}
	if clean == s.Dirty && !strings.Contains(status, "D  ") {
		fail("dirty %v, git says clean %v", s.Dirty, clean)
	}
	if untracked == 0 && s.Untracked > 0 {
		fail("untracked %d, git knows none", s.Untracked)
	}
	return s
}

func TestStatusClean(t *testing.T) {
	w := newTreeRepo(t)
	for i := range 30 {
		w.write(fmt.Sprintf("d%d/e%d/f%d.txt", i%3, i%5, i), fmt.Sprint("content ", i))
	}
	w.write(".gitignore", "*.o\nbuild/\n")
	w.write("build/x.txt", "x")
	w.write("a.o", "x")
	w.commit()
	w.age()
	s := w.check("clean")
	if s.Dirty || len(s.Entries) != 31 || s.Commit.IsZero() || s.Tree.IsZero() || s.CommitTime != 1700000000 {
		t.Errorf("%+v", s)
	}
	if want := strings.TrimSpace(w.git("rev-parse", "HEAD^{tree}")); s.Tree.String() != want {
		t.Errorf("tree %s, want %s", s.Tree, want)
	}
	// Same size, another time: only reading it can tell.
	w.write("d0/e0/f0.txt", "CONTENT 0")
	if s = w.check("same size"); s.Modified != 1 {
		t.Errorf("modified %d", s.Modified)
	}
	w.write("d0/e0/f0.txt", "content 0")
	if s = w.check("touched"); s.Dirty {
		t.Error("a touched file is not modified")
	}
	os.Chmod(w.path("d0/e0/f0.txt"), 0o755)
	if s = w.check("mode"); s.Dirty {
		t.Error("a mode is not content")
	}
}

func TestStatusRacy(t *testing.T) {
	w := newTreeRepo(t)
	w.write("a", "one")
	w.commit()
	// Written after git looked, with the size and the time git saw.
	info, err := os.Lstat(w.path("a"))
	if err != nil {
		t.Fatal(err)
	}
	w.write("a", "two")
	os.Chtimes(w.path("a"), info.ModTime(), info.ModTime())
	os.Chtimes(w.path(".git/index"), info.ModTime(), info.ModTime())
	if s := w.snapshot(WorktreeOptions{}); s.Modified != 1 || !s.Entries[0].OnDisk {
		t.Errorf("a racy change is not seen: %+v", s)
	}
	later := info.ModTime().Add(time.Second * 2)
	os.Chtimes(w.path(".git/index"), later, later)
	if s := w.snapshot(WorktreeOptions{}); s.Modified != 0 {
		t.Error("a file older than the index was read")
	}
}

func TestStatusKinds(t *testing.T) {
	w := newTreeRepo(t)
	for _, p := range []string{"a", "b", "c/d", "c/e", "gone", "gonedir/x", "toDir", "toLink", "dirToLink/x", "staged", "cached", "conf"} {
		w.write(p, "text of "+p+"\n")
	}
	w.symlink("a", "link")
	w.symlink("/etc/passwd", "linkout")
	w.symlink("loop", "loop")
	w.symlink("c", "linkdir")
	w.commit()
	w.age()
	w.check("start")

	w.remove("gone")
	w.remove("gonedir")
	w.remove("toDir")
	w.write("toDir/x", "x")
	w.remove("toLink")
	w.symlink("a", "toLink")
	outside := t.TempDir()
	wtWrite(t, filepath.Join(outside, "x"), "text of dirToLink/x\n")
	w.remove("dirToLink")
	w.symlink(outside, "dirToLink")
	w.remove("link")
	w.write("link", "now a file")
	w.write("staged", "staged")
	w.git("add", "staged")
	w.git("rm", "-q", "--cached", "cached")
	w.write("new", "new")
	w.git("add", "new")
	w.write("ita", "")
	w.write("ita2", "x")
	w.git("add", "-N", "ita", "ita2")
	w.git("mv", "c/d", "c/moved")
	for _, name := range []string{"with space", "new\nline", `quote"\`, "é", "e\u0301", "bad\xffbyte", "-dash", ":colon", "*star", "\x01"} {
		w.write("odd/"+name, name)
	}
	w.symlink("nowhere", "odd/link")
	if err := os.Mkdir(w.path("emptydir"), 0o777); err != nil {
		t.Fatal(err)
	}
	s := w.check("edits")
	// cached is in HEAD and on disk as it was: no difference, though git
	// says deleted and untracked.
	if s.Deleted != 5 || s.Modified != 3 { // gone gonedir/x toDir dirToLink/x c/d; toLink link staged
		t.Errorf("deleted %d, modified %d", s.Deleted, s.Modified)
	}
	w.commit()
	w.check("edits committed")
}

func TestStatusConflict(t *testing.T) {
	w := newTreeRepo(t)
	w.write("a", "base\n")
	w.write("b", "base\n")
	w.commit()
	w.git("checkout", "-q", "-b", "side")
	w.write("a", "side\n")
	w.git("rm", "-q", "b")
	w.commit()
	w.git("checkout", "-q", "main")
	w.write("a", "main\n")
	w.write("b", "main\n")
	w.commit()
	wtCommand(w.dir, "merge", "-q", "side").Run()
	s := w.check("conflict")
	if len(s.Entries) != 2 || !s.Entries[0].OnDisk || s.Modified != 1 {
		t.Errorf("%+v", s)
	}
}

func TestStatusNested(t *testing.T) {
	w := newTreeRepo(t)
	w.write("a", "a")
	w.write("sub/tracked", "x")
	w.commit()
	repo := func(path string) {
		w.git("init", "-q", path)
		w.git("-C", path, "commit", "-q", "--allow-empty", "-m", "c")
	}
	repo("nested")
	w.write("nested/file", "x")
	repo("deep/er/nested")
	w.write("deep/er/nested/file", "x")
	w.write("deep/own", "x")
	repo("sub") // has tracked files: part of us
	w.write("sub/untracked", "x")
	w.write("stray/.git/nothing", "x") // not a repository
	w.write("stray/file", "x")
	w.write("gitfile/.git", "gitdir: /nowhere/at/all\n")
	w.write("gitfile/file", "x")
	w.git("worktree", "add", "-q", "--detach", "wt")
	w.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", w.dir, "module")
	s := w.check("nested")
	if s.Submodules != 4 { // nested, deep/er/nested, wt, module
		t.Errorf("%d submodules and repositories", s.Submodules)
	}
	// The linked worktree has files of its own.
	wt := wtRepo{t, w.path("wt")}
	wt.write("only", "here")
	wt.write("a", "changed")
	if s := wt.check("worktree"); s.Modified != 1 || s.Untracked != 1 {
		t.Errorf("worktree: %+v", s)
	}
	w.commit()
	w.check("nested committed")
}

func TestStatusSparse(t *testing.T) {
	for _, args := range [][]string{{"--cone"}, {"--cone", "--sparse-index"}, {"--no-cone"}} {
		w := newTreeRepo(t)
		for i := range 20 {
			w.write(fmt.Sprintf("d%d/s%d/f%d", i%4, i%2, i), fmt.Sprint(i))
		}
		w.write("top", "x")
		w.write("d3/.gitignore", "*.log\n")
		w.commit()
		w.git(append(append([]string{"sparse-checkout", "set"}, args...), "d0", "d1/s1")...)
		what := strings.Join(args, " ")
		s := w.check(what)
		if s.Dirty || len(s.Entries) != 22 {
			t.Errorf("%s: %d entries, dirty %v", what, len(s.Entries), s.Dirty)
		}
		// A file of a folder that is left out, put back by hand.
		w.write("d0/s0/f0", "changed")
		w.write("d3/new.log", "ignored by rules that are not on disk")
		w.write("d3/new.txt", "x")
		w.check(what + " edits")
	}
}

func TestStatusUnborn(t *testing.T) {
	w := newTreeRepo(t)
	if s := w.check("empty"); s.Dirty || len(s.Entries) != 0 || !s.Commit.IsZero() {
		t.Errorf("%+v", s)
	}
	w.write("a", "a")
	w.write("b", "b")
	w.git("add", "a")
	if s := w.check("unborn"); s.Added != 1 || s.Untracked != 1 || len(s.Entries) != 2 {
		t.Errorf("%+v", s)
	}
	w.commit()
	w.remove(".git/index")
	s := w.snapshot(WorktreeOptions{Untracked: true})
	if s.Dirty || len(s.Entries) != 2 || !s.Entries[0].Untracked || s.Entries[0].OnDisk {
		t.Errorf("without an index: %+v", s)
	}
}

func TestStatusCorruptIndex(t *testing.T) {
	w := newTreeRepo(t)
	w.write("a", "a")
	w.write("b/c", "c")
	w.commit()
	data, err := os.ReadFile(w.path(".git/index"))
	if err != nil {
		t.Fatal(err)
	}
	w.write("a", "changed")
	w.write("new", "x")
	for _, damage := range [][]byte{data[:40], append(slices.Clone(data[:50]), append([]byte{data[50] ^ 1}, data[51:]...)...), {}, []byte("DIRC")} {
		if err := os.WriteFile(w.path(".git/index"), damage, 0o666); err != nil {
			t.Fatal(err)
		}
		s := w.snapshot(WorktreeOptions{Untracked: true})
		if len(s.Warnings) != 1 || len(s.Entries) != 3 || s.Modified != 1 || s.Untracked != 1 || s.Deleted != 0 {
			t.Errorf("%d bytes: %+v", len(damage), s)
		}
	}
}

func TestStatusEOL(t *testing.T) {
	w := newTreeRepo(t)
	w.write("a.txt", "one\ntwo\n")
	w.write("b.bin", "one\r\ntwo\r\n")
	w.commit()
	w.write("a.txt", "one\r\ntwo\r\n")
	if s := w.check("no conversion"); s.Modified != 1 {
		t.Errorf("without conversion line ends are content: %+v", s)
	}
	w.git("config", "core.autocrlf", "true")
	w.remove("a.txt")
	w.git("checkout", "-q", "a.txt")
	now := time.Now()
	os.Chtimes(w.path("a.txt"), now, now)
	if data, err := os.ReadFile(w.path("a.txt")); err != nil || string(data) != "one\r\ntwo\r\n" {
		t.Fatalf("%q, %v", data, err)
	}
	if s := w.snapshot(WorktreeOptions{}); s.Dirty || s.Entries[0].OnDisk {
		t.Errorf("autocrlf: %+v", s)
	}
	w.git("config", "core.autocrlf", "false")
	w.write(".gitattributes", "*.txt text eol=crlf\n")
	w.git("add", ".gitattributes")
	if s := w.snapshot(WorktreeOptions{}); s.Modified != 0 {
		t.Errorf("attributes: %+v", s)
	}
}

func TestStatusRandom(t *testing.T) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 7))
		w := newTreeRepo(t)
		names := []string{"a", "b", "c.go", "d.o", "e f", "é", "a.b", "a-b", "a0", "log"}
		path := func() string {
			p := names[rng.IntN(len(names))]
			for range rng.IntN(4) {
				p = names[rng.IntN(len(names))] + "/" + p
			}
			return p
		}
		// put writes a file unless a file stands where a folder must be.
		put := func(p, content string) {
			if os.MkdirAll(filepath.Dir(w.path(p)), 0o777) == nil {
				os.WriteFile(w.path(p), []byte(content), 0o666)
			}
		}
		for range 60 {
			put(path(), fmt.Sprint(rng.IntN(1000)))
		}
		w.commit()
		if seed%3 == 1 {
			w.git("update-index", "--split-index")
		} else if seed%3 == 2 {
			w.git("update-index", "--index-version", "4")
		}
		if seed%2 == 0 {
			w.age()
		}
		for round := range 4 {
			for range 12 {
				p := path()
				switch rng.IntN(12) {
				case 0, 1, 2:
					put(p, fmt.Sprint(rng.IntN(1000)))
				case 3:
					os.RemoveAll(w.path(p))
				case 4:
					os.Remove(w.path(p))
				case 5:
					now := time.Now()
					os.Chtimes(w.path(p), now, now)
				case 6:
					os.Rename(w.path(p), w.path(path()))
				case 7:
					os.Symlink(path(), w.path(p))
				case 8:
					put(parentDir(p)+"/.gitignore", []string{"*.o\n", "a\n!a.b\n", "*\n!*/\n!*.go\n", "/log/\n"}[rng.IntN(4)])
				case 9:
					wtCommand(w.dir, "add", "--", p).Run()
				case 10:
					wtCommand(w.dir, "rm", "-q", "--cached", "--", p).Run()
				case 11:
					os.Chmod(w.path(p), 0o755)
				}
			}
			w.check(fmt.Sprintf("seed %d, round %d", seed, round))
			if t.Failed() {
				return
			}
			if round == 1 {
				w.commit()
			}
		}
	}
}
