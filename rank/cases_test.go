package rank_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"cohop/rank"
)

// The cases below are faults that users reported of tools of this kind, each
// reduced to a small repository.

// Tests speak of a thing more often than the thing does.
func TestTestsDoNotCrowdOutTheSource(t *testing.T) {
	task := "where is the retry backoff with jitter computed"
	cases := []struct {
		lang, source, code string
		test               func(i int) (path, code string)
	}{
		{"python", "courier/backoff.py", "def next_delay(attempt):\n    \"\"\"Compute the retry backoff.\"\"\"\n    return min(60, 2 ** attempt) * jitter()\n\n\ndef jitter():\n    return 0.5\n",
			func(i int) (string, string) {
				return fmt.Sprintf("tests/test_retry_backoff_%d.py", i), "from courier.backoff import next_delay\n\n\n" +
					repeat(12, "def test_retry_backoff_jitter_computed_%d():\n    \"\"\"The retry backoff with jitter is computed.\"\"\"\n    assert next_delay(%d) > 0  # retry backoff jitter\n\n")
			}},
		{"go", "courier/backoff.go", "package courier\n\n// NextDelay computes the retry backoff.\nfunc NextDelay(attempt int) float64 { return float64(attempt) * jitter() }\n\nfunc jitter() float64 { return 0.5 }\n",
			func(i int) (string, string) {
				return fmt.Sprintf("courier/retry_backoff_%d_test.go", i), "package courier\n\nimport \"testing\"\n\n" +
					repeat(12, fmt.Sprintf("// The retry backoff with jitter is computed.\nfunc TestRetryBackoffJitter%d_%%d(t *testing.T) {\n\tif NextDelay(%%d) < 0 {\n\t\tt.Fatal(\"retry backoff jitter\")\n\t}\n}\n", i))
			}},
		{"typescript", "src/backoff.ts", "/** Computes the retry backoff. */\nexport function nextDelay(attempt: number): number {\n  return Math.min(60, 2 ** attempt) * jitter();\n}\n\nfunction jitter(): number {\n  return 0.5;\n}\n",
			func(i int) (string, string) {
				return fmt.Sprintf("src/__tests__/retry-backoff-%d.test.ts", i), "import { nextDelay } from '../backoff';\n\n" +
					repeat(12, "test('retry backoff with jitter is computed %d', () => {\n  expect(nextDelay(%d)).toBeGreaterThan(0); // retry backoff jitter\n});\n")
			}},
		{"java", "src/main/java/org/example/Backoff.java", "package org.example;\n\n/** Computes the retry backoff. */\npublic class Backoff {\n  public double nextDelay(int attempt) {\n    return attempt * jitter();\n  }\n\n  private double jitter() {\n    return 0.5;\n  }\n}\n",
			func(i int) (string, string) {
				return fmt.Sprintf("src/test/java/org/example/RetryBackoff%dTest.java", i), fmt.Sprintf("package org.example;\n\npublic class RetryBackoff%dTest {\n%s}\n", i,
					repeat(12, "  /** The retry backoff with jitter is computed. */\n  @Test\n  public void retryBackoffJitterComputed%d() {\n    assertTrue(new Backoff().nextDelay(%d) > 0); // retry backoff jitter\n  }\n"))
			}},
	}
	for _, c := range cases {
		t.Run(c.lang, func(t *testing.T) {
			files := office().with(tree{c.source: c.code})
			for i := range 5 {
				p, code := c.test(i)
				files[p] = code
			}
			r := ask(t, build(t, commit{msg: "Start", files: files}), task, intent(rank.Ask))
			wantFirst(t, r, c.source)
			for _, f := range r.Files {
				if strings.Contains(f.Path, "retry") && f.Role != "test" {
					t.Errorf("%s has the role %s", f.Path, f.Role)
				}
			}
		})
	}
}

// Letters inside a word make no test.
func TestNamesThatOnlyLookLikeTests(t *testing.T) {
	source := tree{
		"src/main/java/org/example/latest.java": "package org.example;\n\nclass Latest {\n  String tariffBulletin() { return \"tariff bulletin\"; }\n}\n",
		"contest.py":                            "def tariff_bulletin():\n    return 'tariff bulletin'\n",
		"protest/march.go":                      "package protest\n\n// TariffBulletin is a tariff bulletin.\nfunc TariffBulletin() string { return \"tariff bulletin\" }\n",
		"attestation.rs":                        "/// A tariff bulletin.\npub fn tariff_bulletin() -> &'static str {\n    \"tariff bulletin\"\n}\n",
	}
	dir := build(t, commit{msg: "Start", files: office().with(source)})
	for _, in := range []string{rank.Ask, rank.Change} {
		r := ask(t, dir, "tariff bulletin", intent(in))
		found := 0
		for _, f := range r.Files {
			if source[f.Path] == "" {
				continue
			}
			found++
			if f.Role != "source" {
				t.Errorf("%s has the role %s, want source", f.Path, f.Role)
			}
		}
		if found != len(source) {
			t.Errorf("%d of %d found:\n%s", found, len(source), listing(r, 20))
		}
	}
	r, err := try(dir, "tariff bulletin", roles("test"))
	if err == nil {
		t.Fatalf("there are no tests, but\n%s", listing(r, 5))
	}
	if u := usage(t, err); !strings.Contains(u.Text, "role test") {
		t.Errorf("the error names not the filter: %s", u.Text)
	}
}

// A file that mentions a symbol a lot is not where it is.
func TestDefinerBeforeMentioner(t *testing.T) {
	cases := []struct {
		lang, symbol           string
		definer, def           string
		mentioner, head, lines string
	}{
		{"python", "settle_ledger", "books/closing.py", "def open_ledger(day):\n    return [day]\n\n\ndef settle_ledger(day):\n    return sum(open_ledger(day))\n",
			"books/nightly.py", "from books.closing import settle_ledger\n\n\ndef nightly(days):\n    total = 0\n", "    total += settle_ledger(days[%d])  # settle_ledger"},
		{"go", "SettleLedger", "books/closing.go", "package books\n\nfunc openLedger(day int) []int { return []int{day} }\n\n// SettleLedger adds up a day.\nfunc SettleLedger(day int) int { return len(openLedger(day)) }\n",
			"nightly/run.go", "package nightly\n\nimport \"example.org/office/books\"\n\nvar total int\n\nfunc init() {\n", "\ttotal += books.SettleLedger(%d) // SettleLedger"},
		{"javascript", "settleLedger", "src/closing.js", "function openLedger(day) {\n  return [day];\n}\n\nexport function settleLedger(day) {\n  return openLedger(day).length;\n}\n",
			"src/nightly.js", "import { settleLedger } from './closing';\n\nlet total = 0;\n", "total += settleLedger(%d); // settleLedger"},
		{"rust", "settle_ledger", "src/closing.rs", "fn open_ledger(day: u32) -> Vec<u32> {\n    vec![day]\n}\n\npub fn settle_ledger(day: u32) -> usize {\n    open_ledger(day).len()\n}\n",
			"src/nightly.rs", "use crate::closing::settle_ledger;\n\npub fn nightly() -> usize {\n    let mut total = 0;\n", "    total += settle_ledger(%d); // settle_ledger"},
	}
	for _, c := range cases {
		t.Run(c.lang, func(t *testing.T) {
			end := ""
			if c.lang == "go" {
				end = "}\n"
			} else if c.lang == "rust" {
				end = "    total\n}\n"
			}
			dir := build(t, commit{msg: "Start", files: office().with(tree{c.definer: c.def, c.mentioner: c.head + repeat(200, c.lines) + end})})
			for _, task := range []string{c.symbol, "where is " + c.symbol + " defined", "what does `" + c.symbol + "` do?", "Fix rounding in " + c.symbol} {
				wantFirst(t, ask(t, dir, task), c.definer)
			}
		})
	}
}

// What measures or drives the source repeats its words.
func TestSourceBeforeBenchmarksAndScripts(t *testing.T) {
	body := repeat(6, "    # sparse matrix transpose, column by column: block %d\n    cols = transpose_block(sparse_matrix, %d)")
	dir := build(t, commit{msg: "Start", files: office().with(tree{
		"src/algebra/transpose.py":      "\"\"\"Sparse matrix transpose.\"\"\"\n\n\ndef transpose(sparse_matrix):\n" + body + "    return cols\n",
		"src/algebra/__init__.py":       "",
		"bench/transpose.py":            "\"\"\"Sparse matrix transpose.\"\"\"\n\n\ndef transpose_bench(sparse_matrix):\n" + body + body + "    return cols\n",
		"bench/sparse_matrix.py":        "\"\"\"Sparse matrix transpose, timed.\"\"\"\n\n\ndef sparse_matrix_transpose(sparse_matrix):\n" + body + "    return cols\n",
		"scripts/transpose.py":          "\"\"\"Sparse matrix transpose.\"\"\"\n\n\ndef transpose_script(sparse_matrix):\n" + body + body + "    return cols\n",
		"scripts/run_matrix_profile.py": "\"\"\"Profile the sparse matrix transpose.\"\"\"\n\n\ndef main(sparse_matrix):\n" + body + "    return cols\n",
	})})
	for _, in := range []string{rank.Ask, rank.Change} {
		for _, task := range []string{"how is a sparse matrix transposed", "Speed up sparse matrix transpose by blocks of columns"} {
			wantFirst(t, ask(t, dir, task, intent(in)), "src/algebra/transpose.py")
		}
	}
}

// A changelog repeats the ticket, a guide explains it; the code does it.
func TestCodeBeforeChangelogAndDocuments(t *testing.T) {
	ticket := "Uploads larger than the quota are rejected only after the whole body was read"
	dir := build(t, commit{msg: "Start", files: office().with(tree{
		"store/upload.go":       "package store\n\n// Upload reads the body of an upload and holds it against the quota.\nfunc Upload(body []byte, quota int) error {\n\tif len(body) > quota {\n\t\treturn errRejected\n\t}\n\treturn nil\n}\n",
		"store/errors.go":       "package store\n\nimport \"errors\"\n\nvar errRejected = errors.New(\"rejected\")\n",
		"CHANGELOG.md":          "# Changelog\n\n## 2.1\n" + repeat(8, "- "+ticket+" (#4%d)"),
		"docs/uploads.md":       "# Uploads\n\n" + repeat(5, ticket+".") + "\n## Quota\n\nThe quota of an upload is read from the body.\n",
		"docs/quota/index.rst":  "Upload quota\n============\n\n" + repeat(5, ticket+"."),
		"README.md":             "# Store\n\n" + ticket + ".\n",
		"docs/release-notes.md": repeat(8, "* "+ticket),
	})})
	for _, in := range []string{rank.Ask, rank.Change} {
		wantFirst(t, ask(t, dir, ticket, intent(in)), "store/upload.go")
	}
}

// One very common word is no flood.
func TestOneCommonIdentifier(t *testing.T) {
	files := tree{}
	for i := range 600 {
		files[fmt.Sprintf("app/part%03d.py", i)] = fmt.Sprintf("class Part%[1]d:\n    def get(self, key):\n        return self.values.get(key)\n\n    def set(self, key, value):\n        self.values[key] = value\n\n\ndef get(part):\n    return part.get('part%[1]d')\n", i)
	}
	dir := build(t, commit{msg: "Start", files: files})
	for _, task := range []string{"get", "`get`", "set", "where is get", "get()", "Part.get"} {
		e, err := rank.Open(context.Background(), rank.Request{Repo: dir, NoCache: true})
		if err != nil {
			t.Fatal(err)
		}
		q, err := e.Query(context.Background(), rank.Request{Task: task})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(q.Paths); n > 450 {
			t.Errorf("%q: a pool of %d files", task, n)
		}
		r, err := q.Result(1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Files) > 20 || r.Header.Tokens > 1000 || count(rank.Body(r.Pack)) > 1000 {
			t.Errorf("%q: %d files, %d tokens", task, len(r.Files), r.Header.Tokens)
		}
		if !r.Header.Abstained && len(r.Pack) == 0 {
			t.Errorf("%q: neither an answer nor an abstention", task)
		}
		e.Close()
	}
}

// A copy of the answer that others wrote is not the repository's own.
func TestOwnFileBeforeVendoredCopy(t *testing.T) {
	code := "package slug\n\nimport \"strings\"\n\n// Slugify turns a headline into a slug.\nfunc Slugify(headline string) string {\n\treturn strings.ReplaceAll(strings.ToLower(headline), \" \", \"-\")\n}\n"
	js := "// Turns a headline into a slug.\nexport function slugify(headline) {\n  return headline.toLowerCase().split(' ').join('-');\n}\n"
	for _, folder := range []string{"vendor/example.org/slug", "third_party/slug", "node_modules/slug", "internal/thirdparty/slug", "Vendor/slug"} {
		own, copied, text := "web/headline/slug.go", folder+"/slug.go", code
		if strings.HasPrefix(folder, "node") {
			own, copied, text = "web/headline/slug.js", folder+"/slug.js", js
		}
		dir := build(t, commit{msg: "Start", files: office().with(tree{own: text, copied: text, "web/page.go": "package web\n\n// Page has a headline.\ntype Page struct{ Headline string }\n"})})
		for _, task := range []string{"how is a headline turned into a slug", "Slugify", "Fix Slugify: umlauts of a headline are kept in the slug"} {
			wantFirst(t, ask(t, dir, task), own)
		}
	}
}

// Forty candidates and room for three: the best three are there, the others
// are not what the room goes to.
func TestFewTokensForManyCandidates(t *testing.T) {
	files := office()
	for i := range 40 {
		// The more often a file speaks of it, the better it fits.
		files[fmt.Sprintf("billing/rule_%02d.py", i)] = fmt.Sprintf("class InvoiceRule%02d:\n    \"\"\"Rounds the invoice.\"\"\"\n\n    def apply(self, invoice):\n%s%s        return invoice\n", i,
			repeat(40-i, "        invoice.rounding += %d  # invoice rounding"), repeat(i, "        self.trace.append('step %d was taken')"))
	}
	dir := build(t, commit{msg: "Start", files: files})
	task := "Fix invoice rounding"
	all := ask(t, dir, task, budget(30000))
	if len(all.Files) < 20 {
		t.Fatalf("only %d candidates", len(all.Files))
	}
	one := 0 // tokens of the largest of the best three files' bodies
	for _, it := range all.Pack {
		if it.Tier == rank.TierBody && place(all, it.Path) <= 3 {
			one = max(one, it.Tokens)
		}
	}
	if one < 100 {
		t.Fatalf("the best bodies are of %d tokens", one)
	}
	for _, b := range []int{one / 2, one, 2 * one, 3 * one} {
		r := ask(t, dir, task, budget(b))
		if n := count(rank.Body(r.Pack)); n > b || n == 0 {
			t.Fatalf("budget %d: %d tokens", b, n)
		}
		tier := map[string]string{}
		for _, it := range r.Pack {
			if was := tier[it.Path]; was != rank.TierBody && (was != rank.TierSignature || it.Tier == rank.TierBody) {
				tier[it.Path] = it.Tier // the best of its items
			}
		}
		for _, p := range names(all)[:3] {
			if tier[p] == "" {
				t.Errorf("budget %d: %s is not in the pack %v", b, p, tier)
			}
			if b >= one && tier[p] == rank.TierPath {
				t.Errorf("budget %d: of %s only the path is in the pack %v", b, p, tier)
			}
		}
		if b == 3*one && tier[all.Files[0].Path] != rank.TierBody {
			t.Errorf("budget %d: the best file is there as %s", b, tier[all.Files[0].Path])
		}
	}
}

// A bundle of one line, cut anywhere, in a script of two bytes a letter.
func TestMinifiedCyrillicBundle(t *testing.T) {
	var line strings.Builder
	for i := 0; line.Len() < 5<<20; i++ {
		fmt.Fprintf(&line, "function оплата%d(сумма){return сумма+'налог на товар'}var x%d=оплата%d(1);", i, i, i)
	}
	whole := line.String()
	files := office().with(tree{
		"web/dist/whole.js": whole,
		"web/pay.js":        "// Оплата: сумма и налог.\nexport function payTax(sum) {\n  return sum + 1; // налог на товар\n}\n",
	})
	// At each byte of a few runes, around where readers stop: a line's and a
	// file's usual limits, and short ones that are read whole.
	for _, at := range []int{200, 4096, 8192, 65536, 1 << 20} {
		for k := range 5 {
			files[fmt.Sprintf("web/cut/cut_%d_%d.js", at, k)] = whole[:at+k-2]
		}
	}
	dir := build(t, commit{msg: "Start", files: files})
	task := "налог на товар: сумма"
	for k := range 4 { // and the task cut at any byte
		r := ask(t, dir, task[:len(task)-k], budget(8000), func(r *rank.Request) { r.Top = rank.MaxRun })
		if place(r, "web/pay.js") > len(r.Files) {
			t.Errorf("the readable file is not found:\n%s", listing(r, 5))
		}
		for _, it := range r.Pack {
			if !utf8.ValidString(it.Text) {
				t.Errorf("%s: text cut inside a rune", it.Path)
			}
			// Only where the file itself ends inside a rune may a mark stand.
			if text := strings.TrimRight(it.Text, "\ufffd\n"); strings.Contains(text, "\ufffd") || it.Tier == rank.TierBody && !strings.Contains(files[it.Path], text) {
				t.Errorf("%s: text is not the file's", it.Path)
			}
		}
		if n := count(rank.Body(r.Pack)); n > 8000 {
			t.Errorf("%d tokens of 8000", n)
		}
	}
}

// Words without blanks between them.
func TestTasksInCJK(t *testing.T) {
	dir := build(t, commit{msg: "Start", files: office().with(tree{
		"shop/refund.py":   "def refund(order):\n    # 订单退款时需要先检查库存和支付状态\n    return order.total\n",
		"shop/shipping.py": "def ship(order):\n    # 配送先の住所を検証してから送料を計算する\n    return order.weight * 3\n",
		"shop/member.py":   "def grade(member):\n    # 회원 등급에 따라 할인율을 결정한다\n    return member.level\n",
		"shop/cart.py":     "def cart(order):\n    # 购物车合计金额\n    return order.items\n",
		"shop/stock.py":    "def stock(item):\n    # 在庫の数を返す\n    return item.count\n",
		"shop/coupon.py":   "def coupon(code):\n    # 쿠폰 코드를 확인한다\n    return code.valid\n",
	})})
	for task, want := range map[string]string{
		"退款前没有检查支付状态":         "shop/refund.py",
		"修复订单退款":              "shop/refund.py",
		"送料の計算がおかしい":          "shop/shipping.py",
		"住所を検証する場所はどこですか":     "shop/shipping.py",
		"회원 등급 할인율이 잘못됨":      "shop/member.py",
		"등급에 따른 할인율 결정 로직":    "shop/member.py",
		"購物 購物车 合计":           "shop/cart.py",
		"쿠폰 코드 확인 오류를 고쳐 주세요": "shop/coupon.py",
	} {
		wantFirst(t, ask(t, dir, task), want)
	}
}

// After a checkout the answer is about the new tree, also from a warm cache.
func TestCheckoutBetweenQueries(t *testing.T) {
	old := "package gate\n\n// Throttle limits the requests of a visitor.\nfunc Throttle(visitor string) bool { return visitor != \"\" }\n"
	dir := build(t,
		commit{msg: "Start", files: office().with(tree{"gate/throttle.go": old})},
		commit{msg: "Move the throttle", on: "next", onto: "main", files: tree{"gate/throttle.go": gone, "limits/visitor.go": "package limits\n\n// Throttle limits the requests of a visitor by the hour.\nfunc Throttle(visitor string, hour int) bool { return hour > 3 }\n"}})
	cache := cacheIn(t.TempDir())
	task := "Throttle requests of a visitor"
	for i := range 2 { // and back again
		git(t, dir, "", "checkout", "-q", "main")
		r := ask(t, dir, task, cache)
		wantFirst(t, r, "gate/throttle.go")
		if place(r, "limits/visitor.go") <= len(r.Files) {
			t.Errorf("round %d: a file of the other branch:\n%s", i, listing(r, 5))
		}
		git(t, dir, "", "checkout", "-q", "next")
		r = ask(t, dir, task, cache)
		wantFirst(t, r, "limits/visitor.go")
		if place(r, "gate/throttle.go") <= len(r.Files) {
			t.Errorf("round %d: a file of the other branch:\n%s", i, listing(r, 5))
		}
		if head := strings.TrimSpace(git(t, dir, "", "rev-parse", "HEAD")); r.Rev != head || r.Dirty {
			t.Errorf("round %d: ranked %s dirty %v, HEAD is %s", i, r.Rev, r.Dirty, head)
		}
		if text := string(rank.Body(r.Pack)); !strings.Contains(text, "by the hour") {
			t.Errorf("round %d: the text is not the new one:\n%s", i, text)
		}
	}
}
