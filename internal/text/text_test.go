package text

import (
	"reflect"
	"strings"
	"testing"

	"cohop/internal/fuzzwatch"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"SameSite=None", "sam sit samesit non"},
		{"same_site", "sam sit samesit"},
		{"HTTPServer2", "http server httpserver2"},
		{"alias aliases", "alias alias"},
		{"worker work workers", "worker work worker"},
		{"cache caching cached caches", "cach cach cach cach"},
		{"retry retries retried retrying", "retry retry retry retry"},
		{"stop stopped stopping", "stop stop stop"},
		{"class classes", "class class"},
		{"status statuses", "status status"},
		{"process processes", "process process"},
		{"query queries", "query query"},
		{"file files", "fil fil"},
		{"box boxes", "box box"},
		{"parseURLs x", "pars url parseurl"},
		{"naïve Café", "naiv caf"},
		{"日本語の", "日本 本語 語の"},
		{"utf8", "utf utf8"},
		{"embed embeds embedded embedding", "embed embed embed embed"},
		// Japanese: the long mark is part of kana; half widths are full ones;
		// a voice mark may stand apart.
		{"サーバーの設定", "サー ーバ バー ーの の設 設定"},
		{"ｻｰﾊﾞｰ", "サー ーバ バー"},
		{"か\u3099く", "がく"},
		{"日。本", "日 本"},
		{"用户login失败", "用户 login 失败"},
		{"검색어를", "검색 색어 어를"},
		{"\u1100\u1161\u1102\u1161", "가나"}, // parted syllables
		{"ค้นหา", "ค้ ้น นห หา"},
		{"ＡＰＩ２", "api api2"},
		// Other scripts: vowel signs stay, points go, й is a letter.
		{"खोज सूची", "खोज सूची"},
		{"مُحَمَّد می\u200cخواهم", "محمد میخواهم"},
		{"Ошибка ошибки объём", "ошибка ошибки объем"},
		{"Страный стране", "страный стране"},
		{"e\u0301cole École", "ecol ecol"},
		{"Straße STRASSE smørrebrød Łódź", "strass strass smorrebrod lodz"},
		{"ΟΔΟΣ οδός", "οδοσ οδοσ"},
		{"ﬁle", "fil"},
		{"_private __init__", "privat init"},
	} {
		if got := strings.Join(Terms(c.in), " "); got != c.want {
			t.Errorf("Terms(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzEach(f *testing.F) {
	f.Add([]byte("SameSite=None HTTPServer2 日本語 e\u0301"))
	f.Fuzz(func(t *testing.T, b []byte) {
		fuzzwatch.Input(t, func() {
			var sp Splitter
			sp.Each(b, func(term []byte, _ bool) {
				if len(term) == 0 || len(term) > MaxTerm+4 {
					t.Fatalf("term %q of %d bytes", term, len(term))
				}
			})
		})
	})
}

// FuzzParse reads any task: what comes out is bounded, in the text, and the
// same each time.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"fix: SameSite=None is lost in `Session.save()` of lib/session.py:12",
		"Why does `a.b::C` raise \"no such table: x\"?\n\n```\nTraceback (most recent call last):\n  File \"a/b.py\", line 3, in f\n    g()\nValueError: bad\n```\n",
		"at com.acme.Foo.bar(Foo.java:10)\npanic: x\n\tmain.go:3 +0x1d\n    at f (src/x.ts:1:2)\n<!-- note -->\n~~~\n--flag=1 https://x.org/a/b#c E0277",
		"日本語の検索 caf\u00e9 '' `` \"\" <b> \xff\xfe",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		fuzzwatch.Input(t, func() {
			task := Parse(s)
			again := Parse(s)
			if !reflect.DeepEqual(task, again) {
				t.Fatal("two readings differ")
			}
			if task.Text != s || task.Truncated != (len(s) > MaxTask) {
				t.Fatal("the text is not kept")
			}
			for _, field := range [][]Weighted{task.All, task.Title, task.Code, task.Prose} {
				for i, w := range field {
					if w.Term == "" || w.N < 1 || i > 0 && field[i-1].Term >= w.Term {
						t.Fatalf("term %q %d", w.Term, w.N)
					}
				}
			}
			for _, id := range task.Idents {
				if id.Name == "" || id.N < 1 || id.Key != Key(id.Name) {
					t.Fatalf("name %+v", id)
				}
			}
			for _, m := range task.Mentions {
				if m.Path == "" || len(m.Path) > 400 || m.Line < 0 || strings.HasPrefix(m.Path, "/") {
					t.Fatalf("mention %+v", m)
				}
			}
			for _, q := range task.Literals {
				if q.Text == "" {
					t.Fatal("an empty literal")
				}
			}
		})
	})
}
