package text

import (
	"strings"
	"testing"
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
		var sp Splitter
		sp.Each(b, func(term []byte, _ bool) {
			if len(term) == 0 || len(term) > MaxTerm+4 {
				t.Fatalf("term %q of %d bytes", term, len(term))
			}
		})
	})
}
