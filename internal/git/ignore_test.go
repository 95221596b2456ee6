package git

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cohop/internal/fuzzwatch"
)

func TestPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		dir, want     bool
	}{
		{"foo", "foo", false, true},
		{"foo", "a/foo", false, true},
		{"foo", "foo/a", false, false}, // what is below a match is the caller's affair
		{"foo", "Foo", false, false},
		{"/foo", "foo", false, true},
		{"/foo", "a/foo", false, false},
		{"a/foo", "b/a/foo", false, false},
		{"foo/", "foo", false, false},
		{"foo/", "foo", true, true},
		{"foo//", "foo", true, false},
		{"*.go", "a/b.go", false, true},
		{"*.go", ".go", false, true},
		{"a/*.go", "a/b/c.go", false, false},
		{"a/*", "a/b", false, true},
		{"a/*", "a", true, false},
		{"[!x]y", "xy", false, false},
		{"[!x]y", "zy", false, true},
		{"[^x]y", "zy", false, true},
		{"[]x]", "]", false, true},
		{"[!]x]", "]", false, false},
		{"[!]x]", "a", false, true},
		{"[[:digit:]]a", "7a", false, true},
		{"[[:digit:]]a", "xa", false, false},
		{"[[:digit:]-a]", "-", false, true}, // a class starts no range
		{"[[:nosuch:]]", "a", false, false},
		{"[[:a]", ":", false, true}, // not closed by ":]": an ordinary set
		{"[a-c]", "b", false, true},
		{"[c-a]", "b", false, false},
		{"[a-]", "-", false, true},
		{`[\]]`, "]", false, true},
		{`[a-\c]`, "b", false, true},
		{"[a", "[a", false, false},
		{"a[/]b", "a/b", false, false},
		{"a/[!x]b", "a//b", false, false},
		{"abc/**", "abc/d", false, true},
		{"abc/**", "abc/d/e", false, true},
		{"abc/**", "abc", true, false},
		{"**/foo", "foo", false, true},
		{"**/foo", "a/b/foo", false, true},
		{"**/foo", "afoo", false, false},
		{"**/", "a/b", true, true},
		{"**/", "a/b", false, false},
		{"a/**/b", "a/b", false, true},
		{"a/**/b", "a/x/y/b", false, true},
		{"a/**/b", "a/xb", false, false},
		{"/a**/b", "ax/y/b", false, true}, // behind the literal "a" the rest begins with "**"
		{"/?**/b", "ax/b", false, true},
		{"/?**/b", "ax/y/b", false, false}, // here the stars are ordinary
		{"**/a*/**/b*c", "x/ay/z/z/bc", false, true},
		{"**\\/x", "x", false, false},
		{"**\\/x", "a/x", false, true},
		{"***/x", "a/b/x", false, true},
		{`\#a`, "#a", false, true},
		{`\!a`, "!a", false, true},
		{`a\*`, "a*", false, true},
		{`a\*`, "ab", false, false},
		{`a\`, `a\`, false, false},
		{`a\`, "a", false, false},
		{"a ", "a", false, true},
		{`a\ `, "a ", false, true},
		{`a\  `, "a ", false, true},
		{"a\t", "a", false, false},
		{"a b ", "a b", false, true},
		{"é?", "é\xff", false, true}, // bytes, not runes
		{"a\x00b", "a", false, true},
	} {
		p, ok := CompilePattern(c.pattern)
		if got := ok && p.Match(c.path, c.dir); got != c.want {
			t.Errorf("pattern %q on %q (dir %v): %v", c.pattern, c.path, c.dir, got)
		}
	}
	for _, line := range []string{"", "#a", " ", "!", "/", "!/", "\x00a"} {
		if p, ok := CompilePattern(line); ok {
			t.Errorf("%q: a pattern: %+v", line, p)
		}
	}
	p, _ := compilePattern("A[[:upper:]]*b", true)
	if !p.Match("aBcB", false) || !p.Match("AbB", false) {
		t.Error("case is not ignored")
	}
}

// wtRules reads ignore files from a map.
func wtRules(files map[string]string) func(string) []byte {
	return func(path string) []byte {
		if s, ok := files[path]; ok {
			return []byte(s)
		}
		return nil
	}
}

func TestIgnore(t *testing.T) {
	g := NewIgnore(".gitignore", wtRules(map[string]string{
		".gitignore":     "\xef\xbb\xbf*\r\n!*/\n!*.go\n/out/\n",
		"sub/.gitignore": "!*.md\nx.go\n",
		"out/.gitignore": "!*\n",
	}), false, []byte("secret.go\n!a.txt\n"), []byte("a.txt\nz.go"))
	for _, c := range []struct {
		path string
		dir  bool
		want bool
	}{
		{"a.go", false, false},
		{"a.txt", false, true},
		{"sub", true, false},
		{"sub/a.md", false, false},
		{"sub/x.go", false, true},
		{"sub/deep/x.go", false, true},
		{"x.go", false, false},
		{"out/a.go", false, true}, // its folder is ignored
		{"out/deep/a.go", false, true},
		{"secret.go", false, false}, // the tree's own rules are stronger
	} {
		if got := g.Match(c.path, c.dir); got != c.want {
			t.Errorf("%s: %v", c.path, got)
		}
	}
	g = NewIgnore(".gitignore", wtRules(nil), false, []byte("!a.txt\n"), []byte("a.txt\nb.txt"))
	if g.Match("a.txt", false) || !g.Match("b.txt", false) {
		t.Error("of the rules outside the first must be stronger")
	}
}

// wtRun runs git in dir with a configuration of its own.
func wtRun(t testing.TB, dir string, args ...string) []byte {
	t.Helper()
	out, err := wtCommand(dir, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func wtCommand(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000", "LC_ALL=C", "GIT_ADVICE=0")
	return cmd
}

// wtIsolate hides the configuration of whoever runs the test.
func wtIsolate(t testing.TB) {
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
}

func wtWrite(t testing.TB, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestIgnoreAsGit puts random rules over a tree of a small alphabet and asks
// git of every path.
func TestIgnoreAsGit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	wtRun(t, dir, "init", "-q")
	names := []string{"a", "b", "ab", "a.b", "A", "[a]", "a b", "é", "-", "#a", "!a", "a*", "1"}
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	type node struct {
		path string
		dir  bool
	}
	var tree []node
	var grow func(base string, depth int)
	grow = func(base string, depth int) {
		for _, name := range names {
			isDir := depth < 4 && rng.IntN(3+depth) == 0
			if depth > 1 && rng.IntN(3) > 0 {
				continue
			}
			path := base + name
			tree = append(tree, node{path, isDir})
			if isDir {
				grow(path+"/", depth+1)
			} else {
				wtWrite(t, filepath.Join(dir, path), "")
			}
			if err := os.MkdirAll(filepath.Join(dir, parentDir(path)), 0o777); err != nil {
				t.Fatal(err)
			}
			if isDir {
				if err := os.MkdirAll(filepath.Join(dir, path), 0o777); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	grow("", 0)
	atoms := []string{"a", "b", "a", "b", ".", "/", "/", "*", "**", "**/", "/**", "?", "[ab]", "[!a]", "[^b]", "[a-b]", "[[:alpha:]]", "[[:digit:]]", "[]a]", "[", "]", `\`, `\a`, `\*`, `\[`, " ", "\xc3", "é", "-", "#", "!", "A", "1", "[[:upper:]", "[a-", "*/", "[a/b]", "\t"}
	line := func() string {
		var b strings.Builder
		if rng.IntN(4) == 0 {
			b.WriteString("!")
		}
		for range 1 + rng.IntN(5) {
			b.WriteString(pick(atoms...))
		}
		if rng.IntN(5) == 0 {
			b.WriteString("/")
		}
		return b.String()
	}
	checked := 0
	for round := range 120 {
		files := map[string]string{}
		for _, at := range []string{"", "a/", "ab/", "a/b/", "b/"} {
			if info, err := os.Lstat(filepath.Join(dir, at)); err != nil || !info.IsDir() || at != "" && rng.IntN(3) > 0 {
				continue
			}
			var b strings.Builder
			if rng.IntN(5) == 0 {
				b.WriteString("\xef\xbb\xbf")
			}
			if rng.IntN(6) == 0 {
				b.WriteString(pick("*\n!*/\n!*.b\n", "/*\n!/a\n", "*\n!a/\n!a/**\n"))
			}
			for range 1 + rng.IntN(6) {
				b.WriteString(line() + pick("\n", "\n", "\n", "\r\n", " \n"))
			}
			files[at+".gitignore"] = b.String()
		}
		exclude, user := line()+"\n"+line(), line()+"\n"
		for name, content := range files {
			wtWrite(t, filepath.Join(dir, name), content)
		}
		wtWrite(t, filepath.Join(dir, ".git/info/exclude"), exclude)
		wtWrite(t, filepath.Join(dir, ".git/user"), user)
		fold := round%4 == 3

		var in bytes.Buffer
		for _, n := range tree {
			fmt.Fprintf(&in, "%s\x00", n.path)
		}
		cmd := wtCommand(dir, "-c", "core.excludesFile="+filepath.Join(dir, ".git/user"), "-c", fmt.Sprintf("core.ignoreCase=%v", fold),
			"check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
		cmd.Stdin = &in
		out, _ := cmd.Output() // exits 1 when nothing is ignored
		fields := strings.Split(string(out), "\x00")
		if len(fields) < 4*len(tree) {
			t.Fatalf("git answered %d fields for %d paths", len(fields), len(tree))
		}
		g := NewIgnore(".gitignore", wtRules(files), fold, []byte(exclude), []byte(user))
		for i, n := range tree {
			pattern, path := fields[4*i+2], fields[4*i+3]
			if path != n.path {
				t.Fatalf("git answered %q for %q", path, n.path)
			}
			want := pattern != "" && pattern[0] != '!'
			if got := g.Match(n.path, n.dir); got != want {
				t.Errorf("round %d, fold %v: %q (dir %v): %v, git's pattern %q of %s\n%q", round, fold, n.path, n.dir, got, pattern, fields[4*i], files)
			}
			checked++
		}
		for name := range files {
			os.Remove(filepath.Join(dir, name))
		}
		if t.Failed() {
			break
		}
	}
	if checked < 10000 {
		t.Errorf("only %d paths checked", checked)
	}
	t.Logf("%d paths", checked)
}

// plainMatch is gitignore's glob by its definition: try every length of every
// star. It is exponential.
func plainMatch(toks []token, text string) bool {
	if len(toks) == 0 {
		return text == ""
	}
	rest := toks[1:]
	switch tok := toks[0]; tok.kind {
	case tokStar:
		for i := 0; ; i++ {
			if plainMatch(rest, text[i:]) {
				return true
			}
			if i == len(text) || text[i] == '/' {
				return false
			}
		}
	case tokDeepEnd:
		return true
	case tokDeep, tokDeepSome:
		if tok.kind == tokDeep && plainMatch(rest, text) {
			return true
		}
		for i := range text {
			if text[i] == '/' && plainMatch(rest, text[i+1:]) {
				return true
			}
		}
		return false
	case tokLiteral:
		return text != "" && text[0] == tok.b && plainMatch(rest, text[1:])
	case tokAny:
		return text != "" && text[0] != '/' && plainMatch(rest, text[1:])
	default:
		return text != "" && tok.set.has(text[0]) && plainMatch(rest, text[1:])
	}
}

// TestMatchPlain compares the matcher with the definition on every short
// pattern over every short path of a small alphabet.
func TestMatchPlain(t *testing.T) {
	words := func(alphabet []string, n int) []string {
		all, last := []string{""}, []string{""}
		for range n {
			var next []string
			for _, w := range last {
				for _, a := range alphabet {
					next = append(next, w+a)
				}
			}
			all, last = append(all, next...), next
		}
		return all
	}
	paths := words([]string{"a", "b", "/"}, 6)
	for _, pattern := range words([]string{"a", "*", "?", "**/", "/"}, 5) {
		p, ok := CompilePattern("/" + pattern)
		if !ok || p.tokens == nil {
			continue
		}
		for _, path := range paths {
			rest, ok := strings.CutPrefix(path, p.prefix)
			if want := ok && plainMatch(p.tokens, rest); p.Match(path, true) != want {
				t.Fatalf("%q on %q: want %v", pattern, path, want)
			}
		}
	}
}

// TestMatchCost counts on the test's own time limit: by trying every length
// of every star these would take for ever.
func TestMatchCost(t *testing.T) {
	for _, c := range []struct{ pattern, path string }{
		{strings.Repeat("*a", 2000) + "b", strings.Repeat("a", 4000)},
		{"/" + strings.Repeat("**/a*a/", 500) + "b", strings.Repeat("aa/", 1300)},
		{"/" + strings.Repeat("*/", 1000) + "**/" + strings.Repeat("a*/", 500) + "b", strings.Repeat("aa/", 1300)},
		{"/**/" + strings.Repeat("*a*", 600) + "/b", strings.Repeat(strings.Repeat("a", 100)+"/", 40)},
	} {
		p, ok := CompilePattern(c.pattern)
		if !ok || p.Match(c.path, false) {
			t.Errorf("%.20q… matches", c.pattern)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, s := range []string{"a/**/b", "*.go", "[!a-z]x", "[[:alpha:]]", `\`, "**/*?[a", "a**/b", `**\/b`} {
		f.Add(s, "a/x/b", false)
	}
	f.Fuzz(func(t *testing.T, pattern, path string, fold bool) {
		p, ok := compilePattern(pattern, fold)
		if !ok || len(pattern) > 60 || len(path) > 60 {
			return
		}
		got := p.Match(path, true)
		stars := 0
		for _, tok := range p.tokens {
			if tok.kind >= tokStar {
				stars++
			}
		}
		if p.base || p.ends || p.never || stars > 3 {
			return
		}
		if fold {
			path = lowerASCII(path)
		}
		rest, ok := strings.CutPrefix(path, p.prefix)
		if want := ok && plainMatch(p.tokens, rest); got != want {
			t.Errorf("%q on %q: %v", pattern, path, got)
		}
	})
}

// FuzzIgnore asks the rules of a tree of two folders; a path inside of an
// ignored folder is ignored, and asking in another order changes nothing.
func FuzzIgnore(f *testing.F) {
	f.Add([]byte("*.o\n!keep.o\n/build/\n# c\n\\#x\na/**/b\n"), []byte("!*.o\n"), []byte(".DS_Store"), "sub/a/x/keep.o", false)
	f.Add([]byte("\xef\xbb\xbf[[:alpha:]]*\r\n**\n!sub/\n\\ \n"), []byte("/**/x  \n"), []byte{}, "sub/x", true)
	f.Fuzz(func(t *testing.T, top, sub, outside []byte, path string, fold bool) {
		path = strings.Trim(path, "/")
		if path == "" || strings.Contains(path, "//") {
			return
		}
		fuzzwatch.Input(t, func() {
			read := func(p string) []byte {
				switch p {
				case ".gitignore":
					return top
				case "sub/.gitignore":
					return sub
				}
				return nil
			}
			g := NewIgnore(".gitignore", read, fold, outside)
			got, dir := g.Match(path, false), false
			for i, c := range path {
				if c == '/' {
					dir = dir || NewIgnore(".gitignore", read, fold, outside).Match(path[:i], true)
				}
			}
			if dir && !got {
				t.Errorf("%q is not ignored, a folder above it is", path)
			}
			if again := g.Match(path, false); again != got {
				t.Errorf("%q: %v, then %v", path, got, again)
			}
		})
	})
}

func TestParseConfig(t *testing.T) {
	var got []string
	parseConfig("\ufeff; c\n[core]\n\tautoCRLF = input # c\n  excludesFile = \"~/a b\"  \n bare\n[pack]window=10k\n[remote.old]\nx=1\n"+
		"[branch \"Feature/]x\"] merge = a\\\n b ; c\n=bad\n[bad\ny=1\n[Core]\nq = a\\\"b\\t \"c ; d\"  e\nlast", func(k, v string) { got = append(got, k+"="+v) })
	want := []string{"core.autocrlf=input", "core.excludesfile=~/a b", "core.bare=true", "pack.window=10k", "remote.old.x=1",
		"branch.Feature/]x.merge=a b", "core.q=a\"b\t c ; d  e", "core.last=true"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add("[a \"b\"]c=d\\\n e ; f\n[g]h")
	f.Fuzz(func(t *testing.T, text string) {
		fuzzwatch.Input(t, func() {
			parseConfig(text, func(key, value string) {
				if !strings.Contains(key, ".") || len(key) > len(text) || len(value) > len(text)+len("true") {
					t.Errorf("%q=%q", key, value)
				}
			})
		})
	})
}

func BenchmarkPattern(b *testing.B) {
	for _, pattern := range []string{"*.pyc", "/docs/_build/", "**/node_modules/**", "a*b*c"} {
		b.Run(pattern, func(b *testing.B) {
			p, _ := CompilePattern(pattern)
			for b.Loop() {
				p.Match("django/contrib/admin/static/admin/js/vendor/select2/i18n/pt-BR.js", false)
			}
		})
	}
}
