package rank_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"cohop/rank"
)

// oracle is a well-kept tokenizer that the engine's own is held against.
var oracle = sync.OnceValue(func() tokenizer.Codec {
	c, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		panic(err)
	}
	return c
})

// count returns the o200k tokens of a text as the oracle counts them.
func count(text []byte) int {
	n, err := oracle().Count(string(text))
	if err != nil {
		panic(err)
	}
	return n
}

// query opens a repository for one task.
func query(t testing.TB, dir, task string) *rank.Query {
	t.Helper()
	e, err := rank.Open(context.Background(), rank.Request{Repo: dir, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	q, err := e.Query(context.Background(), rank.Request{Task: task})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// least asks with a budget that holds nothing, and returns what the error says
// would.
func least(t testing.TB, q *rank.Query) int {
	t.Helper()
	_, err := q.Result(1)
	u := usage(t, err)
	digits := regexp.MustCompile(`\d+`).FindAllString(u.Text, -1)
	if len(digits) == 0 {
		t.Fatalf("the error names no budget: %s", u.Text)
	}
	n, _ := strconv.Atoi(digits[len(digits)-1])
	if n <= 1 {
		t.Fatalf("the error names %d: %s", n, u.Text)
	}
	return n
}

// No budget is ever exceeded, and the least that an error names is enough.
func TestBudgetIsKept(t *testing.T) {
	dir := market(t)
	odd := build(t, commit{msg: "Start", files: office().with(tree{
		"tokens/numbers.py":  "NUMBERS = [\n" + repeat(200, "    %d, %d%d, %d%d%d,") + "]\n\n\ndef numbers():\n    return NUMBERS\n",
		"tokens/blanks.py":   "def numbers():\n" + repeat(40, "    \t      \n                  numbers  =  1      ") + "    return numbers\n",
		"tokens/fences.md":   "# Numbers\n\n````\n```\nnumbers\n```\n````\n" + repeat(30, "``` numbers ```"),
		"tokens/emoji.py":    "def numbers():\n" + repeat(50, "    yield '👩‍👩‍👧‍👦 números numbers ẑ̧ 数字 %d'"),
		"tokens/no_newline":  "numbers numbers\n\n\nnumbers",
		"tokens/Числа/ё.py":  "def numbers():\n    return 'числа'\n",
		"tokens/crlf.py":     "def numbers():\r\n    return 1\r\n\r\n\r\n",
		"tokens/special.txt": "numbers <|endoftext|> <|im_start|> numbers\n",
	})})
	for _, c := range []struct{ dir, task string }{
		{dir, marketTask}, {dir, "auction"}, {odd, "numbers"}, {odd, "where are the numbers of emoji and fences"},
	} {
		q := query(t, c.dir, c.task)
		from := least(t, q)
		var budgets []int
		for b := from; b < from+40; b++ {
			budgets = append(budgets, b)
		}
		for b := from + 40; b < 12000; b += b / 13 {
			budgets = append(budgets, b)
		}
		for _, b := range budgets {
			r, err := q.Result(b)
			if err != nil {
				t.Fatalf("%q, budget %d, least %d: %v", c.task, b, from, err)
			}
			n := count(rank.Body(r.Pack))
			if n > b {
				t.Errorf("%q: %d tokens of %d", c.task, n, b)
			}
			if n != r.Header.Tokens {
				t.Errorf("%q, budget %d: the header says %d tokens, it is %d", c.task, b, r.Header.Tokens, n)
			}
			if len(r.Pack) == 0 || r.Header.Budget != b {
				t.Errorf("%q: budget %d, %d items", c.task, r.Header.Budget, len(r.Pack))
			}
		}
		for b := 1; b < from; b++ {
			_, err := q.Result(b)
			if err == nil {
				t.Fatalf("%q: a budget of %d is enough, though the least was said to be %d", c.task, b, from)
			}
			usage(t, err)
		}
		_, err := q.Result(-1)
		usage(t, err)
	}
}

// What is packed is of the ranked files, in their order, without overlaps, and
// verbatim.
func TestPackIsOfTheFiles(t *testing.T) {
	dir := market(t)
	for _, b := range []int{60, 200, 600, 3000, 20000} {
		r := ask(t, dir, marketTask, budget(b))
		all := names(ask(t, dir, marketTask, func(r *rank.Request) { r.Top = rank.MaxRun }))
		last, line := -1, 0
		for i, it := range r.Pack {
			at := slices.Index(all, it.Path)
			switch {
			case at < 0:
				t.Errorf("budget %d: %s is packed and not ranked", b, it.Path)
			case at < last:
				t.Errorf("budget %d: %s is out of its rank's order", b, it.Path)
			case at == last && it.StartLine <= line:
				t.Errorf("budget %d: item %d of %s overlaps the one before", b, i, it.Path)
			}
			last, line = at, it.EndLine
			text, err := os.ReadFile(filepath.Join(dir, it.Path))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(string(text), "\n")
			switch it.Tier {
			case rank.TierBody:
				if want := strings.Join(lines[it.StartLine-1:min(it.EndLine, len(lines))], ""); it.Text != want {
					t.Errorf("budget %d: lines %d to %d of %s are\n%s\nnot\n%s", b, it.StartLine, it.EndLine, it.Path, want, it.Text)
				}
			case rank.TierSignature:
				for l := range strings.Lines(it.Text) {
					if !slices.Contains(lines, l) {
						t.Errorf("budget %d: the signature of %s holds %q, its file does not", b, it.Path, l)
					}
				}
			case rank.TierPath:
				if it.Text != "" {
					t.Errorf("budget %d: a path with text: %q", b, it.Text)
				}
			default:
				t.Errorf("tier %q", it.Tier)
			}
		}
		for _, l := range r.LeftOut {
			if l.Reason == "" || slices.ContainsFunc(r.Pack, func(it rank.Item) bool { return it.Path == l.Path }) {
				t.Errorf("budget %d: %s is left out: %q", b, l.Path, l.Reason)
			}
		}
	}
}

// The same question has the same answer to the byte: again, from a cache, from
// one engine at once by many, with one processor and with eight, whatever the
// order in which the files were made.
func TestSameBytes(t *testing.T) {
	dir := market(t)
	answer := func(mod ...func(*rank.Request)) string {
		r := ask(t, dir, marketTask, mod...)
		return asJSON(t, r) + string(rank.Body(r.Pack))
	}
	want := answer()
	check := func(what, got string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: another answer\n%s\nwant\n%s", what, got, want)
		}
	}
	check("again", answer())
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	check("one processor", answer())
	runtime.GOMAXPROCS(8)
	check("eight processors", answer())
	cache := cacheIn(t.TempDir())
	check("cold cache", answer(cache))
	check("warm cache", answer(cache))
	check("by the revision's name", answer(cache, revision("main")))

	e, err := rank.Open(context.Background(), rank.Request{Repo: dir, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	got := make([]string, 16)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			task := marketTask
			if i%2 == 1 {
				task = "report of auctions" // another one between
			}
			q, err := e.Query(context.Background(), rank.Request{Task: task})
			if err != nil {
				got[i] = err.Error()
				return
			}
			if _, err = q.Result(300); err != nil { // and another budget
				got[i] = err.Error()
				return
			}
			r, err := q.Result(0)
			if err != nil {
				got[i] = err.Error()
				return
			}
			b, _ := json.MarshalIndent(r, "", " ")
			got[i] = string(b) + string(rank.Body(r.Pack))
		})
	}
	wg.Wait()
	for i := range got {
		if i%2 == 0 {
			check("at once", got[i])
		} else if got[i] != got[1] {
			t.Error("at once: another answer to the other task")
		}
	}
}

func TestOrderOfCreationDoesNotMatter(t *testing.T) {
	files := office()
	for i := range 30 { // many equals: only ties decide
		files[fmt.Sprintf("queue/%c%d.py", 'a'+i%7, i)] = "def drain(queue):\n    return queue\n"
	}
	paths := make([]string, 0, len(files))
	for p := range files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	var want string
	for round := range 3 {
		dir := filepath.Join(t.TempDir(), "fixture")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		git(t, dir, "", "init", "-q", "-b", "main")
		order := slices.Clone(paths)
		switch round {
		case 1:
			slices.Reverse(order)
		case 2: // every third first: 3 and the number of files have no common divisor, or the rest is skipped
			order = order[:0]
			for k := range 3 {
				for i := k; i < len(paths); i += 3 {
					order = append(order, paths[i])
				}
			}
		}
		for i, p := range order {
			full := filepath.Join(dir, p)
			if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(full, []byte(files[p]), 0o644); err != nil {
				t.Fatal(err)
			}
			if i%10 == 0 {
				git(t, dir, "", "add", "-A")
			}
		}
		got := asJSON(t, ask(t, dir, "drain the queue")) // before a commit
		git(t, dir, "", "add", "-A")
		git(t, dir, "", "commit", "-q", "-m", "Start")
		got += asJSON(t, ask(t, dir, "drain the queue"))
		if want == "" {
			want = got
		} else if got != want {
			t.Errorf("round %d: another answer\n%s\nwant\n%s", round, got, want)
		}
	}
}

// What a budget packs does not depend on the budgets that were asked before,
// although what these counted is kept.
func TestBudgetsDoNotDisturbEachOther(t *testing.T) {
	files := tree{}
	for i := range 120 {
		var b strings.Builder
		for k := range 1 + i%9 {
			fmt.Fprintf(&b, "def ledger_%d_%d(account):\n    \"\"\"Settle the ledger of an account.\"\"\"\n%s    return account.settle(%d)\n\n\n", i, k,
				strings.Repeat("    account.check('one more line of a body that says little')\n", (i*7+k*3)%23), k)
		}
		files[fmt.Sprintf("books%d/ledger_%d.py", i%17, i)] = b.String()
	}
	dir := build(t, commit{msg: "Start", files: files})
	const task = "settle the ledger of an account"
	budgets := []int{1000, 2100, 2600, 4000, 6100, 9000, 14000}
	fresh := map[int]string{}
	for _, b := range budgets {
		r, err := query(t, dir, task).Result(b)
		if err != nil {
			t.Fatal(err)
		}
		fresh[b] = asJSON(t, r)
		for _, l := range r.LeftOut {
			if strings.Contains(l.Reason, "larger than the budget") {
				t.Errorf("budget %d: the path of %s is said to be larger than it", b, l.Path)
			}
		}
	}
	for _, order := range [][]int{{14000, 1000, 6100, 2600, 9000, 4000, 2100}, {1000, 2100, 2600, 4000, 6100, 9000, 14000}} {
		q := query(t, dir, task)
		for _, b := range order {
			r, err := q.Result(b)
			if err != nil {
				t.Fatal(err)
			}
			if asJSON(t, r) != fresh[b] {
				t.Errorf("after other budgets, %d tokens are packed otherwise", b)
			}
		}
	}
}
