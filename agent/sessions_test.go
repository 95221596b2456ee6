package agent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cohop/rank"
)

// pair is one line of testdata/sessions.jsonl: two questions in a row, and
// where the second one's answer is. Of a follow-up the second question does
// not say what it is about, of a bare one it says nothing else either; a pivot
// is about something else.
type pair struct {
	ID     string `json:"id"`
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	Kind   string `json:"kind"` // follow | bare | pivot
	First  string `json:"first"`
	Then   string `json:"then"`
	File   string `json:"file"`
	Mark   string `json:"mark"` // stands in the lines that answer it
}

func readPairs(t *testing.T) (out []pair) {
	t.Helper()
	f, err := os.Open("testdata/sessions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var p pair
		if err := json.Unmarshal(s.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// TestPairs checks the committed pairs themselves.
func TestPairs(t *testing.T) {
	seen := map[string]bool{}
	kinds := map[string]int{}
	for _, p := range readPairs(t) {
		if seen[p.ID] || p.Repo == "" || len(p.Commit) != 40 || p.First == "" || p.Then == "" || p.File == "" || p.Mark == "" {
			t.Errorf("%+v", p)
		}
		seen[p.ID] = true
		kinds[p.Kind]++
		if strings.Contains(p.Then, p.File) || strings.Contains(p.Then, p.Mark) {
			t.Errorf("%s: the question names its answer", p.ID)
		}
	}
	if len(kinds) != 3 || kinds["bare"] < 40 || kinds["follow"] < 40 || kinds["pivot"] < 40 {
		t.Errorf("%v", kinds)
	}
}

// wilson is the 95 % interval of a share (Wilson, 1927).
func wilson(hits, n int) (lo, hi float64) {
	const z = 1.96
	p, m := float64(hits)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, mid-half), min(1, mid+half)
}

// TestSessionPairs measures what the memory is worth: how many second
// questions have their answer in the pack, with and without the first. It
// needs the repositories of the pairs:
//
//	RANK_CORPORA=DIR go test ./agent -run SessionPairs -v
func TestSessionPairs(t *testing.T) {
	root := os.Getenv("RANK_CORPORA")
	if root == "" {
		t.Skip("RANK_CORPORA names the folder of the repositories")
	}
	cache := os.Getenv("RANK_CORPORA_CACHE")
	if cache == "" {
		cache = t.TempDir()
	}
	engines := map[string]*rank.Engine{}
	type cell struct{ n, with, without, won, lost int }
	budgets := []int{1000, 2000}
	cells := map[string]*cell{}
	var order []string
	for _, p := range readPairs(t) {
		base := rank.Request{Repo: filepath.Join(root, p.Repo), Rev: p.Commit, CacheDir: cache}
		e := engines[p.Repo]
		if e == nil {
			var err error
			if e, err = rank.Open(t.Context(), base); err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			engines[p.Repo] = e
		}
		ask := func(task, session string, fresh bool, budget int) (bool, float64) {
			req := base
			req.Task, req.Session, req.Fresh = task, session, fresh
			q, err := e.Query(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			r, err := q.Result(budget)
			if err != nil {
				t.Fatal(err)
			}
			if session != "" {
				if err := q.Keep(); err != nil {
					t.Fatal(err)
				}
			}
			for _, it := range r.Pack {
				if it.Path == p.File && strings.Contains(it.Text, p.Mark) {
					return true, r.Header.Mem
				}
			}
			return false, r.Header.Mem
		}
		for _, b := range budgets {
			without, _ := ask(p.Then, "", false, b)
			session := fmt.Sprintf("%s-%d", p.ID, b)
			first, _ := ask(p.First, session, true, b)
			with, mem := ask(p.Then, session, false, b)
			for _, key := range []string{fmt.Sprintf("%s at %d tokens", p.Kind, b)} {
				c := cells[key]
				if c == nil {
					c = &cell{}
					cells[key] = c
					order = append(order, key)
				}
				c.n++
				if with {
					c.with++
				}
				if without {
					c.without++
				}
				if with && !without {
					c.won++
				}
				if without && !with {
					c.lost++
				}
			}
			if b == 2000 && testing.Verbose() {
				t.Logf("%-32s first %-5v without %-5v with %-5v mem=%.2f  %s", p.ID, first, without, with, mem, p.Then)
			}
		}
	}
	for _, key := range order {
		c := cells[key]
		lo, hi := wilson(c.without, c.n)
		lo2, hi2 := wilson(c.with, c.n)
		t.Logf("%s, n=%d: without %.0f %% [%.0f, %.0f], with %.0f %% [%.0f, %.0f], won %d, lost %d", key, c.n,
			100*float64(c.without)/float64(c.n), 100*lo, 100*hi, 100*float64(c.with)/float64(c.n), 100*lo2, 100*hi2, c.won, c.lost)
	}
	if c := cells["follow at 2000 tokens"]; c.with <= c.without {
		t.Errorf("the memory wins nothing on follow-ups: %+v", *c)
	}
	if c := cells["pivot at 2000 tokens"]; float64(c.lost) > 0.04*float64(c.n) {
		t.Errorf("pivots lose to the memory: %+v", *c)
	}
}
