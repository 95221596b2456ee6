package rank_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"cohop/rank"
)

// A task none of whose words is in the repository has no answer, and says so.
func TestAbstains(t *testing.T) {
	dir := market(t)
	for _, task := range []string{"zirconium flux capacitor", "photosynthesis", "Wie geht das eigentlich weiter", "量子", "🦊🦊", "how do I do this?", "the of and", "?!"} {
		r := ask(t, dir, task)
		if !r.Header.Abstained || len(r.Files)+len(r.Pack) != 0 {
			t.Errorf("%q is answered:\n%s", task, listing(r, 3))
		}
		if r.Header.Missing == nil || r.Header.Warnings == nil || r.Files == nil || r.Pack == nil || r.LeftOut == nil {
			t.Errorf("%q: a list is null", task)
		}
	}
	r := ask(t, dir, "photosynthesis of auktion")
	if !r.Header.Abstained || len(r.Header.Missing) != 2 {
		t.Errorf("missing %q", r.Header.Missing)
	}
	r = ask(t, dir, "acution")
	if !r.Header.Abstained || len(r.Header.Nearest) == 0 && strings.Contains(asJSON(t, r), "auct") {
		t.Errorf("nearest %q", r.Header.Nearest)
	}
	for _, task := range []string{"", " \n\t"} {
		_, err := try(dir, task)
		usage(t, err)
	}
	if r := ask(t, dir, "auctoin reserve of photosynthesis"); len(r.Header.Missing) != 2 || len(r.Header.Nearest) == 0 {
		t.Errorf("missing %q, nearest %q", r.Header.Missing, r.Header.Nearest)
	}
}

// Too little evidence is no evidence.
func TestThinEvidenceAbstains(t *testing.T) {
	r := ask(t, market(t), "photosynthesis of zirconium in the colour of a capacitor") // "colour" is in every office file
	if !r.Header.Abstained {
		t.Errorf("answered on one common word:\n%s", listing(r, 3))
	}
}

// A task of a megabyte is cut, with a warning, and answered.
func TestLongTask(t *testing.T) {
	dir := market(t)
	for _, fill := range []string{"lorem ipsum ", "ж", "🦊", "\xff\xfe", "((((", "a.b.c.", "`", "x\n", "/a/b/c.py:1 ", "\x00"} {
		r := ask(t, dir, marketTask+"\n"+strings.Repeat(fill, (1<<20)/len(fill)))
		if len(r.Header.Warnings) == 0 {
			t.Errorf("fill %q: no warning", fill)
		}
		if place(r, "market/bid.py") > 3 {
			t.Errorf("fill %q: the title is lost:\n%s", fill, listing(r, 3))
		}
	}
}

// Names of any bytes are found, changed together, packed, and printed without
// loss.
func TestNamesOfAnyBytes(t *testing.T) {
	odd := []string{
		"odd/with space.py", "odd/\"quoted\".py", "odd/new\nline.py", "odd/tab\there.py", "odd/esc\x1b[31mred.py", "odd/back\\slash.py",
		"odd/caf\u00e9.py", "odd/cafe\u0301.py", "odd/\xff\xfe.py", "odd/latin\xe9.py", "odd/\u202egpj.py", "odd/-rf.py", "odd/`tick`.py",
		"odd/## heading.py", "odd/" + strings.Repeat("long", 50) + ".py", "odd/\u0085next.py", "odd/\u2028sep.py", "odd/\x7fdel.py",
	}
	files := office()
	for i, p := range odd {
		files[p] = fmt.Sprintf("def marmalade_%d(jar):\n    \"\"\"Marmalade in a jar.\"\"\"\n    return jar + %d\n", i, i)
	}
	commits := []commit{{msg: "Start", files: files}}
	for i := 0; i+1 < len(odd); i += 2 {
		for k := range 3 {
			commits = append(commits, commit{msg: fmt.Sprintf("Round %d", k), files: tree{
				odd[i]: files[odd[i]] + repeat(k+1, "# %d"), odd[i+1]: files[odd[i+1]] + repeat(k+1, "# %d")}})
		}
	}
	dir := build(t, commits...)
	r := ask(t, dir, "marmalade jar", budget(20000), func(r *rank.Request) { r.Top = 100 })
	blob := []byte(asJSON(t, r))
	if !utf8.Valid(blob) {
		t.Error("the JSON is not UTF-8")
	}
	var back struct {
		Files []rank.File
		Pack  []rank.Item
	}
	if err := json.Unmarshal(blob, &back); err != nil {
		t.Fatal(err)
	}
	exact := func(p, b64 string) string {
		if b64 == "" {
			return p
		}
		raw, err := base64.StdEncoding.DecodeString(b64)
		if err != nil || strings.ToValidUTF8(string(raw), "\ufffd") != p {
			t.Errorf("%q: path_b64 %q, %v", p, b64, err)
		}
		return string(raw)
	}
	ranked, packed := map[string]*rank.File{}, map[string]bool{}
	for i := range back.Files {
		ranked[exact(back.Files[i].Path, back.Files[i].PathB64)] = &back.Files[i]
	}
	for _, it := range back.Pack {
		packed[exact(it.Path, it.PathB64)] = true
	}
	for _, p := range odd {
		if ranked[p] == nil {
			t.Errorf("%q is not found", p)
			continue
		}
		if !packed[p] {
			t.Errorf("%q is not packed", p)
		}
		if (ranked[p].PathB64 != "") == utf8.ValidString(p) {
			t.Errorf("%q: path_b64 %q", p, ranked[p].PathB64)
		}
	}
	for i, p := range odd {
		twin := odd[i^1]
		r := ask(t, dir, "marmalade jar", seeds(p), func(r *rank.Request) { r.Top = 100 })
		for _, f := range r.Files {
			if exact(f.Path, f.PathB64) == twin && f.Signals["cochange"].Raw <= 0 {
				t.Errorf("%q has not changed with %q", twin, p)
			}
		}
	}
	body := string(rank.Body(r.Pack))
	for _, c := range body {
		if c != '\n' && c != '\t' && (c < 0x20 || c >= 0x7f && c < 0xa0) {
			t.Errorf("the Markdown holds the control character %U", c)
			break
		}
	}
	for _, l := range strings.Split(body, "\n") {
		if strings.HasPrefix(l, "line.py") || strings.HasPrefix(l, "## heading") {
			t.Errorf("a name breaks its line: %q", l)
		}
	}
	// Two names of the same shape are two files.
	if ranked["odd/caf\u00e9.py"] == ranked["odd/cafe\u0301.py"] {
		t.Error("composed and decomposed names are one")
	}
	wantFirst(t, ask(t, dir, "odd/with space.py marmalade"), "odd/with space.py")
}

// Names that look the same once they are UTF-8 are two files, each under its
// own heading.
func TestNamesThatLookTheSame(t *testing.T) {
	text := func(i int) string { return fmt.Sprintf("def marmalade(jar):\n    return jar + %d\n", i) }
	r := ask(t, build(t, commit{msg: "Start", files: office().with(tree{"odd/\xff.py": text(1), "odd/\xfe.py": text(2)})}), "marmalade jar")
	if len(r.Files) < 2 || r.Files[0].Path != r.Files[1].Path || r.Files[0].PathB64 == r.Files[1].PathB64 {
		t.Fatalf("want two files of one look first:\n%s", listing(r, 3))
	}
	body := rank.Body(r.Pack)
	if n := strings.Count(string(body), "## odd/"); n != 2 {
		t.Errorf("%d headings for two files:\n%s", n, body)
	}
	if n := count(body); n != r.Header.Tokens {
		t.Errorf("%d tokens, the header says %d", n, r.Header.Tokens)
	}
}

// Text that would end its fence, or pretend to be the pack's own, stays text.
func TestFencesInText(t *testing.T) {
	evil := "# Quince\n\n```\nquince\n```\n\n````markdown\n## stolen/heading.py\n```\nquince\n```\n````\n\n`````````` quince\n"
	dir := build(t, commit{msg: "Start", files: office().with(tree{
		"jam/quince.md": evil,
		"jam/quince.py": "def quince():\n    return '''\n```\n## stolen/other.py\n```python\n'''\n",
	})})
	r := ask(t, dir, "quince", budget(4000))
	if len(r.Pack) < 2 {
		t.Fatalf("%d items", len(r.Pack))
	}
	body := string(rank.Body(r.Pack))
	if n := count([]byte(body)); n > 4000 || n != r.Header.Tokens {
		t.Errorf("%d tokens, the header says %d", n, r.Header.Tokens)
	}
	// Read it as CommonMark does: a fence ends at a run of backticks at least
	// as long, alone on its line.
	fence, headings := 0, 0
	for _, l := range strings.Split(body, "\n") {
		run := len(l) - len(strings.TrimLeft(l, "`"))
		switch {
		case fence == 0 && run >= 3:
			fence = run
		case fence > 0 && run >= fence && strings.Trim(l, "` ") == "":
			fence = 0
		case fence == 0 && strings.HasPrefix(l, "## "):
			headings++
			if strings.Contains(l, "stolen") {
				t.Errorf("text outside its fence: %q", l)
			}
		}
	}
	files := map[string]bool{}
	for _, it := range r.Pack {
		files[it.Path] = true
	}
	if fence != 0 || headings != len(files) {
		t.Errorf("a fence of %d stays open, %d headings of %d files:\n%s", fence, headings, len(files), body)
	}
}

// Lines that are files of their own.
func TestLongLine(t *testing.T) {
	dir := build(t, commit{msg: "Start", files: office().with(tree{
		"data/long.py":    "TABLE = [" + strings.Repeat("'gooseberry', ", 100_000/14) + "]\n\n\ndef gooseberry():\n    return TABLE\n",
		"data/long.txt":   strings.Repeat("gooseberry ", 10_000),
		"data/deep.js":    strings.Repeat("[", 100_000) + "gooseberry" + strings.Repeat("]", 100_000),
		"data/short.py":   "def pick_gooseberry(bush):\n    return bush.gooseberry\n",
		"data/zeros.py":   "def gooseberry():\n    return 1\n\x00\x00\x00",
		"data/invalid.py": "def gooseberry():\n    return '\xff\xfe\xc3'\n",
		"data/crlf.py":    "def gooseberry():\r\n    return 2\r\n",
		"data/bom.py":     "\ufeffdef gooseberry():\n    return 3\n",
		"data/empty.py":   "",
		"data/gooseberry": "",
	})})
	for _, b := range []int{100, 1000, 20000} {
		r := ask(t, dir, "pick a gooseberry", budget(b))
		if place(r, "data/short.py") > 2 {
			t.Errorf("a list of the word beats its function:\n%s", listing(r, 5))
		}
		body := rank.Body(r.Pack)
		if n := count(body); n > b || len(r.Pack) == 0 {
			t.Errorf("%d tokens of %d, %d items", n, b, len(r.Pack))
		}
		if !utf8.Valid(body) {
			t.Error("the Markdown is not UTF-8")
		}
	}
}

// A task can be one word of 64 KiB: the header says of it what fits.
func TestMissingIsShort(t *testing.T) {
	dir := market(t)
	for _, word := range []string{strings.Repeat("x", 70_000), strings.Repeat("期", 30_000)} {
		for _, m := range ask(t, dir, word).Header.Missing {
			if n := utf8.RuneCountInString(m); n > 64 {
				t.Errorf("a missing word has %d characters", n)
			}
		}
	}
}
