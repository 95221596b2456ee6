package tokens

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/tiktoken-go/tokenizer"
)

var oracle = sync.OnceValue(func() tokenizer.Codec {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic(err)
	}
	return c
})

// The library's matcher is generated code, and differs from its own pattern in
// two things: it loses U+007F, and it ends white space at the first line break
// ("\n" and " \n" for "\n \n", which is one token). So the pattern is also run
// by the interpreter; the group around it keeps the generated matcher out.
var pattern = regexp2.MustCompile(`(?:[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|`+
	`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|`+
	`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)`, regexp2.None)

// quirk matches where the library differs.
var quirk = regexp.MustCompile(`\x7f|[\r\n][\p{Z}\t\v\f\x{85}]+[\r\n]`)

var vocabulary = sync.OnceValue(func() map[string]int {
	m := make(map[string]int, count)
	for id := range count {
		tok, err := oracle().Decode([]uint{uint(id)})
		if err != nil {
			panic(err)
		}
		m[tok] = id
	}
	return m
})

// plain splits by the interpreted pattern and merges in the plainest way.
func plain(t *testing.T, s string) (out []string) {
	t.Helper()
	vocab := vocabulary()
	m, err := pattern.FindStringMatch(s)
	for ; m != nil && err == nil; m, err = pattern.FindNextMatch(m) {
		if _, ok := vocab[m.String()]; ok {
			out = append(out, m.String())
			continue
		}
		var parts []string
		for _, c := range []byte(m.String()) {
			parts = append(parts, string([]byte{c}))
		}
		for {
			best, at := count, -1
			for k := range len(parts) - 1 {
				if r, ok := vocab[parts[k]+parts[k+1]]; ok && r < best {
					best, at = r, k
				}
			}
			if at < 0 {
				break
			}
			parts[at] += parts[at+1]
			parts = slices.Delete(parts, at+1, at+2)
		}
		out = append(out, parts...)
	}
	if err != nil {
		t.Fatalf("pattern: %v", err)
	}
	return out
}

// pieces returns the tokens of s as texts.
func pieces(s string) []string {
	var c Counter
	var out []string
	b := c.valid([]byte(s))
	s = string(b)
	for i := 0; i < len(b); {
		end := next(b, i)
		p := s[i:end]
		if rank(b[i:end]) != noRank {
			out = append(out, p)
		} else {
			from := 0
			c.merge(b[i:end], func(to int) {
				out = append(out, p[from:to])
				from = to
			})
		}
		i = end
	}
	return out
}

// check holds s against the library and against its pattern: not the number
// alone but every token.
func check(t *testing.T, s string) {
	t.Helper()
	got := pieces(s)
	if n := CountString(s); n != len(got) {
		t.Fatalf("CountString(%q) = %d, but pieces are %d", s, n, len(got))
	}
	n, most := Bound([]byte(s))
	if n != len(got) || most < n {
		t.Fatalf("Bound(%q) = %d, %d, but pieces are %d", s, n, most, len(got))
	}
	if !quirk.MatchString(s) {
		_, want, err := oracle().Encode(s)
		if err != nil {
			t.Fatalf("library: %v", err)
		}
		compare(t, "library", s, got, want)
		if len(s) > 400 {
			return // the plain way takes n²
		}
	} else if n, err := oracle().Count(s); err != nil || n > most {
		t.Fatalf("library counts %d of %q, the bound is %d: %v", n, s, most, err)
	}
	compare(t, "pattern", s, got, plain(t, string([]rune(s))))
}

func compare(t *testing.T, who, s string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			if len(s) > 300 {
				s = s[:300] + "…"
			}
			t.Fatalf("%s: %q: token %d differs\n got %q\nwant %q", who, s, i, got[min(len(got), max(0, i-3)):min(len(got), i+3)], want[min(len(want), max(0, i-3)):min(len(want), i+3)])
		}
	}
}

func TestKnown(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int
	}{
		{"", 0},
		{"a", 1},
		{"hello world", 2},            // hello| world
		{"12345", 2},                  // 123|45
		{"<|endoftext|>", 7},          // <|endo|ft|ext|...: plain text, not one special token
		{"\n\n\n", 1},                 //
		{strings.Repeat(" ", 128), 1}, // the longest token
		{"\xff", 1},                   // counts as U+FFFD
		{"\xff\xfe", 1},               // two U+FFFD are one token
	} {
		check(t, c.s)
		if got := CountString(c.s); got != c.want {
			t.Errorf("CountString(%q) = %d, want %d: %q", c.s, got, c.want, pieces(c.s))
		}
	}
}

// TestEveryToken looks every token of the library up in the table: so the
// generator's hash and this package's agree, and nothing is missing.
func TestEveryToken(t *testing.T) {
	seen := 0
	for id := range uint(count) {
		tok, err := oracle().Decode([]uint{id})
		if err != nil {
			t.Fatal(err)
		}
		if got := rank([]byte(tok)); got != uint32(id) {
			t.Fatalf("rank(%q) = %d, want %d", tok, got, id)
		}
		if len(tok) > longest {
			t.Errorf("token %d has %d bytes", id, len(tok))
		}
		seen++
	}
	for _, id := range []uint{count, 199999, 200018, 200019} {
		if tok, err := oracle().Decode([]uint{id}); err == nil && !strings.HasPrefix(tok, "<|") {
			t.Errorf("the vocabulary goes on: %d is %q", id, tok)
		}
	}
	if want := bytesAt + int(word(bytesAt-4)); seen != count || len(table) != want {
		t.Errorf("%d tokens; table of %d bytes, want %d", seen, len(table), want)
	}
	used := 0
	for s := range slots {
		if word(4*s) != 0 {
			used++
		}
	}
	if used != count {
		t.Errorf("%d slots are taken by %d tokens", used, count)
	}
}

func TestASCII(t *testing.T) {
	for a := range 128 {
		check(t, string(rune(a)))
		for b := range 128 {
			check(t, string(rune(a))+string(rune(b)))
		}
	}
}

// TestClasses holds every string of up to five runes over one rune of each
// class against the library: all ways in which the rules can meet.
func TestClasses(t *testing.T) {
	alphabet := []string{"A", "b", "ǅ", "ʰ", "中", "\u0301", "1", " ", "\n", "\u00a0", "!", "/", "'", "s", "\xff"}
	depth := 4
	if testing.Short() {
		depth = 3
	}
	var walk func(s string, n int)
	walk = func(s string, n int) {
		check(t, s)
		if n == 0 {
			return
		}
		for _, a := range alphabet {
			walk(s+a, n-1)
		}
	}
	walk("", depth)
}

// TestRunes puts every assigned rune, and a sample of others, between letters.
func TestRunes(t *testing.T) {
	var b strings.Builder
	step := rune(1)
	if testing.Short() {
		step = 17
	}
	for r := rune(0); r <= unicode.MaxRune; r += step {
		if unicode.In(r, unicode.Lo) && r%64 != 0 {
			continue // the bulk of East Asian letters: a sample is enough
		}
		if r > 0x32000 && r%4096 != 0 && r>>8 != 0xE00 && r>>8 != 0xE01 {
			continue // unassigned or private planes
		}
		fmt.Fprintf(&b, "%c%ca%c 1%c\n", r, r, r, r)
		if b.Len() > 1<<12 {
			check(t, b.String())
			b.Reset()
		}
	}
	check(t, b.String())
}

func TestContractions(t *testing.T) {
	for _, w := range []string{"it", "IT", "It", "中", "\u0301", "1", "!", " "} {
		for _, c := range []string{"'s", "'S", "'ſ", "'t", "'re", "'RE", "'rE", "'ve", "'m", "'ll", "'LL", "'lL", "'l", "'r", "'v", "'d", "'D", "'x", "'", "''s", "’s"} {
			for _, after := range []string{"", "a", "A", " ", "'s", "ay"} {
				check(t, w+c+after)
				check(t, " "+w+c+after)
			}
		}
	}
}

// TestLongRuns crosses the bound between the two merges, and holds long
// pieces of one class against the library.
func TestLongRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, unit := range []string{"a", "ab", "A", " ", "\n", "\t", "=", "-", "/", "*", "1", "é", "中", "中文", "😀", "\u0301", "\xff", "\x00", "xyzzy", "\r\n", "한국", "ا"} {
		for _, n := range []int{1, 2, 3, 30, 31, 32, 33, 62, 63, 64, 65, 66, 127, 128, 129, 130, 1000} {
			check(t, strings.Repeat(unit, n))
			check(t, strings.Repeat(unit, n)+"b")
		}
	}
	for n := range 200 {
		var b strings.Builder
		for range n + 1 {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
		check(t, b.String())
	}
}

// TestMergesAgree proves the heap against the plain way on the same pieces.
func TestMergesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var c Counter
	for range 20000 {
		p := make([]byte, 2+r.IntN(longPiece-1))
		for i := range p {
			switch r.IntN(8) {
			case 0:
				p[i] = byte(r.IntN(256))
			default:
				p[i] = "aeinrst_ =-"[r.IntN(11)]
			}
		}
		var short, long []int
		n := mergeShort(p, func(e int) { short = append(short, e) })
		m := c.mergeLong(p, func(e int) { long = append(long, e) })
		if n != m || fmt.Sprint(short) != fmt.Sprint(long) || len(short) != n {
			t.Fatalf("%q: %v and %v", p, short, long)
		}
	}
}

func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	words := strings.Fields("the func return if else Foo barBaz HTTPServer snake_case __init__ a1b2 0x1F 3.14 == != -> /* */ // # \" ' don't I'M 中文 字 Straße naïve 日本語 русский العربية हिन्दी 😀👍🏽 é e\u0301 \u200b \ufeff … — “x” <|endoftext|>")
	seps := []string{" ", "  ", "\n", "\n\n", "\r\n", "\t", "", "", " \n ", "\u00a0", "\u3000", "\u2028", "/", "_", "\xc3", "\xf0\x9f"}
	for range 4000 {
		var b strings.Builder
		for range 1 + r.IntN(20) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString(seps[r.IntN(len(seps))])
		}
		check(t, b.String())
	}
	for range 4000 { // any bytes
		p := make([]byte, r.IntN(60))
		for i := range p {
			p[i] = byte(r.IntN(256))
		}
		check(t, string(p))
	}
	for range 4000 { // any runes
		var b strings.Builder
		for range r.IntN(40) {
			switch r.IntN(4) {
			case 0:
				b.WriteRune(rune(r.IntN(0x250)))
			case 1:
				b.WriteRune(rune(r.IntN(0x3100)))
			case 2:
				b.WriteRune(rune(r.IntN(0x20000)))
			case 3:
				b.WriteRune(rune(r.IntN(128)))
			}
		}
		check(t, b.String())
	}
}

// TestReplacement holds what doc.go says of bytes that are not UTF-8: with
// one U+FFFD for each run of them there are never more tokens.
func TestReplacement(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		p := make([]byte, r.IntN(40))
		for i := range p {
			if p[i] = "ab c"[r.IntN(4)]; r.IntN(3) == 0 {
				p[i] = byte(0x80 + r.IntN(128))
			}
		}
		if each, runs := CountString(string(p)), CountString(strings.ToValidUTF8(string(p), string(utf8.RuneError))); runs > each {
			t.Errorf("%q: %d tokens, %d when runs are replaced", p, each, runs)
		}
	}
}

func TestCounterReuse(t *testing.T) {
	var c Counter
	long := strings.Repeat("q", 500)
	for range 2 {
		for _, s := range []string{"hello world", long, "", "x", long + "!"} {
			if got, want := c.CountString(s), CountString(s); got != want {
				t.Errorf("reused counter: %d, fresh: %d for %.20q", got, want, s)
			}
		}
	}
	text := []byte(sample)
	if n := testing.AllocsPerRun(5, func() { c.Count(text) }); n != 0 {
		t.Errorf("%v allocations a count", n)
	}
}

// TestMegabytePiece would not come back were a long piece merged in n².
func TestMegabytePiece(t *testing.T) {
	for _, unit := range []string{"a", "ab", "=", " ", "中", "xq"} {
		n := CountString(strings.Repeat(unit, 1<<20/len(unit)))
		if n < 1<<20/longest || n > 1<<20 {
			t.Errorf("%q: %d tokens in 1 MiB", unit, n)
		}
	}
}

func FuzzCount(f *testing.F) {
	for _, s := range []string{"hello world", "I'LL'S", "\u0301'A中Ab", " \n \t x", "!!\r\n//a", "\xff\xfeab", sample[:300]} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { check(t, s) })
}

var sample = strings.Repeat(`
// Handler answers a request: it looks the token up, and the user's name.
func (s *Server) handle_request(w http.ResponseWriter, r *http.Request) error {
	xsessiontoken := r.Header.Get("X-Session-Token")
	for i := 0; i < len(s.usrz); i++ {
		if s.users[i].token == token && !s.users[i].expired() {
			return writeJSON(w, map[string]any{"id": s.users[i].id, "crc": 0x82f63b78})
		}
	}
	return fmt.Errorf("handle %s: %w", r.URL.Path, ErrNoUser)
}
`, 200)

func TestSample(t *testing.T) { check(t, sample) }

func BenchmarkCountCode(b *testing.B) {
	var c Counter
	text := []byte(sample)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		c.Count(text)
	}
}

func BenchmarkCountProse(b *testing.B) {
	text := []byte(strings.Repeat("Ein schönes Beispiel für Straßenverkehrsordnungsänderungen. 日本語の文章もここにあります。 Пример текста. ", 500))
	var c Counter
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c.Count(text)
	}
}

func BenchmarkOnePiece(b *testing.B) {
	text := []byte(strings.Repeat("ab", 1<<19))
	var c Counter
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c.Count(text)
	}
}
