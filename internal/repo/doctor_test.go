package repo_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cohop/internal/repo"
)

// diagnosed opens a repository and asks the doctor.
func diagnosed(t *testing.T, dir string) *repo.Diagnosis {
	t.Helper()
	st, err := repo.Open(context.Background(), repo.Options{Path: dir, CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	d, err := st.Diagnose(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// finding wants one finding that holds every part, and no more of the first.
func finding(t *testing.T, d *repo.Diagnosis, needs bool, parts ...string) {
	t.Helper()
	found := 0
	for _, f := range d.Findings {
		if !strings.Contains(f.Text, parts[0]) {
			continue
		}
		found++
		for _, p := range parts {
			if !strings.Contains(f.Text, p) || f.Needs != needs {
				t.Errorf("needs %v: %q; want needs %v and %q", f.Needs, f.Text, needs, p)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d findings with %q: %+v", found, parts[0], d.Findings)
	}
}

// plant makes a repository by git fast-import: one commit a map of files.
func plant(t *testing.T, commits ...map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	runGit(t, dir, "init", "-q", "-b", "main")
	for i, files := range commits {
		for path, text := range files {
			full := filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		runGit(t, dir, "add", "-A")
		runGit(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprint("Step ", i))
	}
	return dir
}

// wave is n files that differ from those of any other wave.
func wave(n, step int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("app/part%03d.py", i)] = fmt.Sprintf("def part_%d():\n    return %d\n", i, step)
	}
	return files
}

func TestDoctorOnLanguages(t *testing.T) {
	files := map[string]string{"web/app.min.js": "var a=1;" + strings.Repeat("function f(){return a}", 4000), "web/one.js": "export function one() {}\n",
		"data/picture.bin": "\x00\x01\x02", "secrets/id_rsa": "-----BEGIN\n", "jam.py": "import jam_lib\n"}
	for i := range 12 {
		files[fmt.Sprintf("web/m%d.js", i)] = fmt.Sprintf("import { x } from './made/part%d.js'\nexport const y%d = x\n", i, i)
		files[fmt.Sprintf("lib/l%d.c", i)] = "int f(int a { return (a;\nstruct {{{\n"
	}
	for i := range 6 {
		files[fmt.Sprintf("data/dump%d.sql", i)] = strings.Repeat(fmt.Sprintf("INSERT INTO t VALUES (%d);\n", i), 1<<18)
	}
	d := diagnosed(t, plant(t, files))
	byLang := map[string]repo.LanguageReport{}
	for _, l := range d.Languages {
		byLang[l.Lang] = l
	}
	js := byLang["javascript"]
	if js.Files != 14 || js.Symbols < 13 || js.Imports == nil || js.Imports.Internal != 12 || js.Imports.Resolved != 0 || len(js.Imports.Missed) != 10 {
		t.Errorf("javascript: %+v, imports %+v", js, js.Imports)
	}
	if c := byLang["c"]; c.Files != 12 || c.Broken != 12 {
		t.Errorf("c: %+v", c)
	}
	if k := d.Skipped; k.Binary != 1 || k.Secret != 1 || k.TooLarge != 6 {
		t.Errorf("skipped: %+v", k)
	}
	finding(t, d, false, "javascript: 12 of 12 imports", "./made/part", "--without hops")
	finding(t, d, false, "c: 12 of 12 files do not parse", ".rankignore")
	finding(t, d, false, "1 file is minified", ".rankignore", "(web/app.min.js)")
	finding(t, d, false, "1 file is made to hold secrets", "(secrets/id_rsa)")
	finding(t, d, false, "6 files are too large", ".rankignore", "(data/dump0.sql, data/dump1.sql, data/dump2.sql and 3 more)")
}

func TestDoctorOnHistories(t *testing.T) {
	none := t.TempDir()
	runGit(t, none, "init", "-q")
	finding(t, diagnosed(t, none), false, "there is no history")
	finding(t, diagnosed(t, plant(t, wave(3, 0), wave(2, 1))), false, "the history is short (2 commits)")

	var squashed, alone, imported, healthy []map[string]string
	for i := range 60 {
		squashed = append(squashed, wave(20, i))
		alone = append(alone, wave(1, i))
		healthy = append(healthy, wave(3, i))
	}
	imported = append([]map[string]string{wave(40, 100)}, healthy...)
	finding(t, diagnosed(t, plant(t, squashed...)), false, "most commits touch more than 15 files", "squashed", "--without cochange")
	finding(t, diagnosed(t, plant(t, alone...)), false, "0 % of the commits touch 2 to 15 files", "--without cochange")
	d := diagnosed(t, plant(t, imported...))
	finding(t, d, false, "co-change knows 3 of 40 files", "import", "git replace --graft")
	if h := d.History; h.Commits != 61 || h.Covered != 3 || h.Files != [3]int{0, 60, 1} {
		t.Errorf("%+v", h)
	}
	if d := diagnosed(t, plant(t, healthy...)); len(d.Findings) != 0 {
		t.Errorf("a sound repository: %+v", d.Findings)
	}
}

func TestDoctorOnKinds(t *testing.T) {
	plain := func() string { return plant(t, wave(6, 0), wave(3, 1)) }
	object := func(dir, rev string) string {
		out, err := exec.Command("git", "-C", dir, "rev-parse", rev).Output()
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSpace(string(out))
		return filepath.Join(dir, ".git", "objects", id[:2], id[2:])
	}
	spoil := func(dir, name, text string) {
		t.Helper()
		_ = os.Chmod(filepath.Join(dir, name), 0o644)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	clone := func(dir string, args ...string) string {
		to := filepath.Join(t.TempDir(), "clone")
		runGit(t, dir, append(append([]string{"clone", "-q"}, args...), "file://"+dir, to)...)
		return to
	}

	dir := plain()
	if d := diagnosed(t, dir); d.Kind != "working tree" {
		t.Errorf("kind %q", d.Kind)
	}
	runGit(t, dir, "sparse-checkout", "set", "--cone", "nothing")
	if d := diagnosed(t, dir); d.Kind != "working tree, sparse checkout" {
		t.Errorf("kind %q", d.Kind)
	}

	dir = plain()
	if d := diagnosed(t, clone(dir, "--depth=1")); d.Kind != "working tree, shallow clone" {
		t.Errorf("kind %q", d.Kind)
	} else {
		finding(t, d, true, "shallow", "git fetch --unshallow")
	}
	runGit(t, dir, "config", "uploadpack.allowFilter", "true")
	if d := diagnosed(t, clone(dir, "--filter=blob:none", "--bare")); d.Kind != "bare, partial clone" || d.Skipped.Absent != 6 {
		t.Errorf("kind %q, %+v", d.Kind, d.Skipped)
	} else {
		finding(t, d, true, "6 files of the ranked tree", "git fetch --refetch --no-filter")
	}

	runGit(t, dir, "clone", "-q", "--shared", ".", "shared")
	shared := filepath.Join(dir, "shared")
	if d := diagnosed(t, shared); d.Kind != "working tree, borrowing objects" || len(d.Findings) != 1 { // a short history
		t.Errorf("kind %q, %+v", d.Kind, d.Findings)
	}
	finding(t, diagnosed(t, dir), false, "1 folder is not looked into", "--repo")
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(shared, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir, dir+"-gone"); err != nil {
		t.Fatal(err)
	}
	d := diagnosed(t, moved)
	finding(t, d, true, "alternate object directory", "git fsck")
	if d.Skipped.Absent != 0 || d.Languages[0].Symbols != 6 { // the files are on disk
		t.Errorf("%+v, %+v", d.Skipped, d.Languages)
	}

	dir = plain()
	spoil(dir, ".rank.toml", strings.Repeat("# long\n", 1<<18))
	finding(t, diagnosed(t, dir), true, ".rank.toml", "mend it")

	dir = plain()
	spoil(dir, ".git/index", "DIRC nonsense")
	finding(t, diagnosed(t, dir), true, "the index is not used", "git reset")

	dir = plain()
	file, err := filepath.Rel(dir, object(dir, "HEAD~1:app"))
	if err != nil {
		t.Fatal(err)
	}
	spoil(dir, file, "nonsense")
	d = diagnosed(t, dir)
	finding(t, d, true, "missing or corrupt", "git fsck", "rank index --gc")
	for i, f := range d.Findings { // what needs somebody comes first
		if f.Needs != (i == 0) {
			t.Errorf("%d: %+v", i, f)
		}
	}
}

// TestPartialClones says what lacks, as long as it does and wherever it matters.
func TestPartialClones(t *testing.T) {
	var long []map[string]string
	for i := range 70 {
		long = append(long, wave(3, i))
	}
	dir := plant(t, long...)
	runGit(t, dir, "config", "uploadpack.allowFilter", "true")
	clone := func(filter string) (to, cache string) {
		to = filepath.Join(t.TempDir(), "clone")
		runGit(t, dir, "clone", "-q", "--filter="+filter, "file://"+dir, to)
		return to, t.TempDir()
	}
	look := func(dir, cache string) (warnings string, d *repo.Diagnosis) {
		t.Helper()
		st, err := repo.Open(context.Background(), repo.Options{Path: dir, CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		warnings = strings.Join(st.Warnings, "; ")
		if d, err = st.Diagnose(context.Background()); err != nil {
			t.Fatal(err)
		}
		return warnings, d
	}

	// All that is ranked is here: the blobs of the past are not read.
	part, cache := clone("blob:none")
	for range 2 {
		if w, d := look(part, cache); w != "" || len(d.Findings) > 0 || d.Kind != "working tree, partial clone" {
			t.Errorf("without blobs of the past: %q, %+v", w, d)
		}
	}

	// Without trees there is no history to learn from, in every run.
	part, cache = clone("tree:0")
	for i, want := range []string{"changes of 70 commits cannot be read", "partial clone: trees of past commits"} {
		w, d := look(part, cache)
		if !strings.HasPrefix(w, want) || strings.Contains(w, "; ") {
			t.Errorf("run %d: %q, want %q", i, w, want)
		}
		finding(t, d, true, "changes of 70 commits cannot be read", "git fetch --refetch --no-filter", "rank index --gc")
		if len(d.Findings) != 1 {
			t.Errorf("run %d: %+v", i, d.Findings)
		}
	}
	runGit(t, part, "fetch", "-q", "--refetch", "--no-filter")
	w, d := look(part, cache)
	if w != "" {
		t.Errorf("all is here: %q", w)
	}
	finding(t, d, false, "0 of 70 commits tell of changes", "rank index --gc")
	if w, d = look(part, t.TempDir()); w != "" || len(d.Findings) > 0 {
		t.Errorf("read anew: %q, %+v", w, d.Findings)
	}

	// A long history that is not this folder's is not short.
	long = append(long, map[string]string{"lib/x.py": "x = 1\n"})
	st, err := repo.Open(context.Background(), repo.Options{Path: plant(t, long...), Root: "lib", CacheDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if d, err = st.Diagnose(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Findings {
		if strings.Contains(f.Text, "short") {
			t.Errorf("71 commits: %+v", f)
		}
	}
}

// TestBareTrees looks at working trees that nothing was checked out into.
func TestBareTrees(t *testing.T) {
	dir := plant(t, wave(6, 0))
	to := filepath.Join(t.TempDir(), "clone")
	runGit(t, dir, "clone", "-q", "--no-checkout", "file://"+dir, to)
	warned := func(rev string) bool {
		t.Helper()
		st, err := repo.Open(context.Background(), repo.Options{Path: to, Rev: rev, CacheDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		return strings.Contains(strings.Join(st.Warnings, "; "), "git checkout HEAD -- .")
	}
	if !warned("") || warned("HEAD") {
		t.Errorf("warned of the working tree: %v, of HEAD: %v", warned(""), warned("HEAD"))
	}
	finding(t, diagnosed(t, to), true, "the working tree is empty", "git checkout HEAD -- .", "--rev HEAD")
	if err := os.WriteFile(filepath.Join(to, "notes.py"), []byte("x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	finding(t, diagnosed(t, to), true, "the working tree holds no file of HEAD", "git checkout HEAD -- .")
	runGit(t, to, "checkout", "-q", "HEAD", "--", ".")
	if warned("") {
		t.Error("warned of a tree that was checked out")
	}
	runGit(t, to, "rm", "-q", "-r", "--cached", "app") // the files are there, but git has them no more
	if err := os.RemoveAll(filepath.Join(to, ".git", "index")); err != nil {
		t.Fatal(err)
	}
	if warned("") {
		t.Error("warned of a tree whose index is gone")
	}
	// Nothing was committed that could be checked out.
	none := t.TempDir()
	runGit(t, none, "init", "-q")
	for _, f := range diagnosed(t, none).Findings {
		if strings.Contains(f.Text, "working tree") {
			t.Errorf("%+v", f)
		}
	}
}
