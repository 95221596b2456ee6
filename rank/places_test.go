package rank_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"cohop/rank"
)

// The cases below are about where files lie and how they came there, as those
// of cases_test.go are about what they say: faults that users reported of
// tools of this kind, each reduced to a small repository.

// put writes a file below dir.
func put(t *testing.T, dir, path, content string) {
	t.Helper()
	full := filepath.Join(dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// lists tells whether any path of an answer begins so, ranked or packed.
func lists(r *rank.Result, prefix string) bool {
	for _, it := range r.Pack {
		if strings.HasPrefix(it.Path, prefix) {
			return true
		}
	}
	return slices.ContainsFunc(names(r), func(p string) bool { return strings.HasPrefix(p, prefix) })
}

// Rules that ignore everything and then allow some of it, in either order of
// the exceptions, and written by editors that leave a mark or carriage returns.
func TestIgnoredButForSome(t *testing.T) {
	for _, rules := range []string{"*\n!*.go\n!*/\n", "*\n!*/\n!*.go\n", "\ufeff*\n!*/\n!*.go\n", "*\r\n!*.go\r\n!*/\r\n"} {
		dir := build(t, commit{msg: "Start", files: office()})
		put(t, dir, ".gitignore", rules)
		put(t, dir, "jam/quince.go", "package jam\n\n// Quince cooks quince marmalade.\nfunc Quince() {}\n")
		put(t, dir, "jam/deep/er/peel.go", "package er\n\n// Peel peels a quince for marmalade.\nfunc Peel() {}\n")
		put(t, dir, "jam/quince.py", "def quince():\n    'quince marmalade'\n")
		put(t, dir, "quince/marmalade.txt", "quince marmalade\n")
		want := strings.Contains(git(t, dir, "", "status", "--porcelain", "-uall"), "jam/deep/er/peel.go")
		r := ask(t, dir, "quince marmalade")
		if !want || place(r, "jam/quince.go") > len(r.Files) || place(r, "jam/deep/er/peel.go") > len(r.Files) {
			t.Errorf("%q: what is allowed is not searched:\n%s", rules, listing(r, 5))
		}
		if lists(r, "jam/quince.py") || lists(r, "quince/") || lists(r, ".gitignore") {
			t.Errorf("%q: what is ignored is searched:\n%s", rules, listing(r, 5))
		}
	}
}

// What is ignored stays so: in a cold index, in a warm one after such files
// came, in one built anew, and without one.
func TestIgnoredStaysIgnored(t *testing.T) {
	dir := build(t, commit{msg: "Start", files: office().with(tree{
		".gitignore": "build/\n*.gen.go\nnode_modules\n", "jam/quince.go": "package jam\n\n// Quince cooks quince marmalade.\nfunc Quince() {}\n"})})
	text := "package jam\n\n// Quince cooks quince marmalade, quince marmalade.\nfunc Quince() {}\n"
	put(t, dir, "build/quince.go", text)
	put(t, dir, "web/node_modules/quince/quince.go", text)
	cache := t.TempDir()
	check := func(what string, mod ...func(*rank.Request)) {
		t.Helper()
		r := ask(t, dir, "quince marmalade", mod...)
		wantFirst(t, r, "jam/quince.go")
		if lists(r, "build/") || lists(r, "web/") || lists(r, "jam/quince.gen.go") || r.Dirty {
			t.Errorf("%s: what is ignored is searched, or makes the tree dirty:\n%s", what, listing(r, 5))
		}
	}
	check("cold", cacheIn(cache))
	put(t, dir, "build/more.go", text)
	put(t, dir, "jam/quince.gen.go", text)
	check("warm", cacheIn(cache))
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	check("built anew", cacheIn(cache))
	check("without a cache")
}

// A linked worktree inside the main one is another place: each answers about
// its own, whichever was asked first.
func TestWorktreeInsideWorktree(t *testing.T) {
	old := "package gate\n\n// Throttle limits the requests of a visitor.\nfunc Throttle() {}\n"
	dir := build(t,
		commit{msg: "Start", files: office().with(tree{"gate/throttle.go": old})},
		commit{msg: "Move the throttle", on: "next", onto: "main", files: tree{"gate/throttle.go": gone, "limits/throttle.go": old}})
	inside := filepath.Join(dir, "trees", "next")
	git(t, dir, "", "worktree", "add", "-q", inside, "next")
	put(t, inside, "limits/new.go", "package limits\n\n// Visitor sends requests that Throttle limits.\ntype Visitor struct{}\n")
	for _, first := range []string{dir, inside} {
		cache := cacheIn(t.TempDir())
		for _, at := range []string{first, dir, inside} {
			r := ask(t, at, "Throttle requests of a visitor", cache)
			if head := strings.TrimSpace(git(t, at, "", "rev-parse", "HEAD")); r.Rev != head {
				t.Errorf("%s: ranked %s, HEAD is %s", filepath.Base(at), r.Rev, head)
			}
			want, not := "gate/throttle.go", "limits/"
			if at == inside {
				want, not = "limits/throttle.go", "gate/"
			}
			wantFirst(t, r, want)
			if lists(r, not) || lists(r, "trees/") || r.Dirty != (at == inside) {
				t.Errorf("%s: files of the other place, or dirty %v:\n%s", filepath.Base(at), r.Dirty, listing(r, 5))
			}
		}
	}
}

// Links are not followed: out of the tree, into a folder of it, or in a circle.
func TestLinksAreNotFollowed(t *testing.T) {
	dir := build(t, commit{msg: "Start", files: office().with(tree{"jam/quince.go": "package jam\n\n// Quince cooks quince marmalade.\nfunc Quince() {}\n"})})
	outside := t.TempDir()
	put(t, outside, "quince/secret.go", "package secret\n\n// Quince marmalade that is not ours.\nfunc Quince() {}\n")
	link := func(target, path string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, path)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	link(outside, "out")
	link(filepath.Join(outside, "quince/secret.go"), "quince.go")
	link("jam", "marmalade")
	link("marmalade/quince.go", "deep.go")
	link(".", "jam/self")
	link("..", "jam/up")
	link("two", "one")
	link("one", "two")
	link("nowhere", "quince_marmalade.go")
	check := func(what string) {
		t.Helper()
		r := ask(t, dir, "quince marmalade", budget(8000))
		wantFirst(t, r, "jam/quince.go")
		for _, p := range []string{"out", "quince", "marmalade", "deep", "jam/self", "jam/up", "one", "two"} {
			if lists(r, p) {
				t.Errorf("%s: the link %s is followed:\n%s", what, p, listing(r, 5))
			}
		}
		if strings.Contains(asJSON(t, r), "not ours") {
			t.Errorf("%s: text from outside", what)
		}
	}
	check("untracked")
	git(t, dir, "", "add", "-A")
	git(t, dir, "", "commit", "-q", "-m", "Links")
	check("tracked")
	git(t, dir, "", "rm", "-q", "--cached", "out")
	check("a link that is no longer tracked")
	// A tracked folder that became a link: its files are gone, not elsewhere.
	if err := os.Rename(filepath.Join(dir, "jam"), filepath.Join(outside, "jam")); err != nil {
		t.Fatal(err)
	}
	link(filepath.Join(outside, "jam"), "jam")
	if r := ask(t, dir, "quince marmalade of the office desk"); lists(r, "jam/") {
		t.Errorf("a folder is read through a link:\n%s", listing(r, 5))
	}
}

// A submodule is neither a deleted file nor a folder of ours.
func TestSubmodule(t *testing.T) {
	other := build(t, commit{msg: "Start", files: tree{"quince.go": "package other\n\n// Quince marmalade of a submodule.\nfunc Quince() {}\n"}})
	dir := build(t, commit{msg: "Start", files: office().with(tree{"jam/quince.go": "package jam\n\n// Quince cooks quince marmalade.\nfunc Quince() {}\n"})})
	git(t, dir, "", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "mod")
	git(t, dir, "", "commit", "-q", "-m", "A submodule")
	check := func(what string, dirty bool, mod ...func(*rank.Request)) {
		t.Helper()
		r := ask(t, dir, "quince marmalade", mod...)
		wantFirst(t, r, "jam/quince.go")
		if lists(r, "mod/") || place(r, "mod") <= len(r.Files) || r.Dirty != dirty {
			t.Errorf("%s: dirty %v:\n%s", what, r.Dirty, listing(r, 5))
		}
		if said := strings.Count(strings.Join(r.Header.Warnings, "\n"), "mod"); said > 1 {
			t.Errorf("%s: said %d times: %q", what, said, r.Header.Warnings)
		}
	}
	check("checked out", false)
	check("at a revision", false, revision("HEAD"))
	put(t, dir, "mod/quince.go", "package other\n\n// Quince marmalade, changed.\n")
	check("changed inside", false)
	if err := os.RemoveAll(filepath.Join(dir, "mod")); err != nil {
		t.Fatal(err)
	}
	check("not there", false)
	if err := os.Mkdir(filepath.Join(dir, "mod"), 0o755); err != nil {
		t.Fatal(err)
	}
	check("not initialised", false)
	// Inside it there is another repository.
	wantFirst(t, ask(t, other, "quince marmalade"), "quince.go")
}

// Folders that are no repositories are refused before anything in them is
// looked at, the greatest of all too.
func TestNoRepository(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for i := range 200 {
		put(t, home, fmt.Sprintf("papers/%d/quince.txt", i), "quince marmalade\n")
	}
	for _, at := range []string{home, filepath.Join(home, "papers", "7"), string(filepath.Separator)} {
		_, err := try(at, "quince marmalade")
		if err == nil || !strings.Contains(err.Error(), "not a git repository") || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// Files that all define and call one name: what is kept of them grows as the
// files do, not as their pairs.
func TestOneNameInManyFiles(t *testing.T) {
	size := func(n int) (disk int64, allocated uint64) {
		files := tree{}
		for i := range n {
			files[fmt.Sprintf("app/part%04d.py", i)] = fmt.Sprintf("from app.part%04d import handle\n\n\nclass Handler:\n    def handle(self, event):\n        return handle(event)\n\n\ndef handle(event):\n    return Handler().handle(event) + %d\n", (i+1)%n, i)
		}
		dir, cache := build(t, commit{msg: "Start", files: files}), t.TempDir()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, task := range []string{"handle", "where is Handler.handle"} {
			r := ask(t, dir, task, cacheIn(cache))
			if len(r.Files) > 20 || !r.Header.Abstained && len(r.Pack) == 0 {
				t.Errorf("%d files, %q: %d ranked, %d packed", n, task, len(r.Files), len(r.Pack))
			}
		}
		runtime.ReadMemStats(&after)
		err := filepath.WalkDir(cache, func(_ string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err == nil {
				disk += info.Size()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return disk, after.TotalAlloc - before.TotalAlloc
	}
	few, fewAlloc := size(400)
	many, manyAlloc := size(2000)
	if many > 8*few || manyAlloc > 8*fewAlloc {
		t.Errorf("five times the files take %.1f times the cache (%d bytes) and %.1f times the memory (%d bytes)", float64(many)/float64(few), many, float64(manyAlloc)/float64(fewAlloc), manyAlloc)
	}
}

// Text is text, however it is encoded and wherever its lines end.
func TestOddlyEncodedSource(t *testing.T) {
	wide := func(order binary.AppendByteOrder, s string) string {
		var b []byte
		for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	source := func(i int) string {
		return fmt.Sprintf("// Füllt Quitten %[1]d ein.\nclass Quince%[1]d {\n  int marmalade() {\n    return %[1]d;\n  }\n}\n", i)
	}
	files := tree{
		"jam/Quince1.java": wide(binary.LittleEndian, source(1)),
		"jam/Quince2.java": wide(binary.BigEndian, source(2)),
		"jam/Quince3.java": "\ufeff" + source(3),
		"jam/Quince4.java": strings.ReplaceAll(source(4), "\n", "\r\n"),
		"jam/Quince5.java": wide(binary.LittleEndian, strings.ReplaceAll(source(5), "\n", "\r\n")),
		"jam/Quince6.java": strings.ReplaceAll(source(6), "\u00fc", "\xfc"), // Latin-1
	}
	dir := build(t, commit{msg: "Start", files: office().with(files)})
	r := ask(t, dir, "marmalade of a quince", budget(8000))
	text := map[string]string{}
	for _, it := range r.Pack {
		text[it.Path] += it.Text
	}
	for path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".java")
		if !strings.Contains(text[path], "class "+name+" {") || strings.ContainsAny(text[path], "\x00\ufeff") {
			t.Errorf("%s is packed as %q", path, text[path])
		}
		wantFirst(t, ask(t, dir, "what does "+name+" return"), path)
	}
}

// A history of everything that a history may be: its counts stay what people
// would count, and a file is the same one before and after all were moved.
func TestOddHistory(t *testing.T) {
	const n = 5000
	var b strings.Builder
	commit := func(mark int, when int64, parents ...int) {
		fmt.Fprintf(&b, "commit refs/heads/main\nmark :%d\ncommitter A Dev <dev@example.org> %d +0000\ndata %d\nStep %d\n", mark, when, len(fmt.Sprint("Step ", mark))+1, mark)
		for i, p := range parents {
			fmt.Fprintf(&b, "%s :%d\n", []string{"from", "merge"}[min(i, 1)], p)
		}
	}
	set := func(path, text string) {
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
	}
	quince, sugar := "def quince():\n    return %d\n", "def sugar():\n    return %d\n"
	commit(1, 0) // the root, in 1970
	for i := range n {
		set(fmt.Sprintf("old/d%02d/f%d.py", i%50, i), fmt.Sprintf("def part_%d():\n    return %d\n", i, i))
	}
	set("old/jam/quince.py", fmt.Sprintf(quince, 0))
	set("old/jam/sugar.py", fmt.Sprintf(sugar, 0))
	for i := range 4 { // changed together, up to 2038
		commit(2+i, 1<<31-2+int64(i), 1+i)
		set("old/jam/quince.py", fmt.Sprintf(quince, i+1))
		set("old/jam/sugar.py", fmt.Sprintf(sugar, i+1))
	}
	commit(6, 1<<31+10, 5) // empty
	for i := range 3 {     // three sides, and the octopus
		commit(7+i, 1<<31+20, 6)
		set(fmt.Sprintf("old/side%d.py", i), fmt.Sprintf("def side_%d():\n    pass\n", i))
	}
	commit(10, 1<<31+30, 7, 8, 9)
	commit(11, 1<<40, 10) // far away
	b.WriteString("R old new\n")
	commit(12, 5, 11) // and back in 1970
	set("new/d00/f0.py", "def part_0():\n    return None\n")
	dir := t.TempDir()
	git(t, dir, "", "init", "-q", "-b", "main")
	git(t, dir, b.String(), "fast-import", "--quiet", "--date-format=raw")
	git(t, dir, "", "reset", "-q", "--hard", "main")

	for _, mod := range []func(*rank.Request){func(*rank.Request) {}, cacheIn(t.TempDir())} {
		r := ask(t, dir, "quince", mod, budget(4000), func(r *rank.Request) { r.Top = 100 })
		wantFirst(t, r, "new/jam/quince.py")
		for _, f := range r.Files {
			for name, s := range f.Signals {
				if s.Raw != s.Raw || s.Part != s.Part || s.Raw > 1e6 || s.Raw < -1e6 {
					t.Errorf("%s: %s is %v", f.Path, name, s)
				}
			}
		}
		// They changed together under their old names.
		r = ask(t, dir, "sugar", seeds("new/jam/quince.py"), mod, func(r *rank.Request) { r.Top = 100 })
		if i := place(r, "new/jam/sugar.py"); i > len(r.Files) || r.Files[i-1].Signals["cochange"].Raw <= 0 {
			t.Errorf("what changed together before all files were moved is not known:\n%s", listing(r, 5))
		}
	}
}
