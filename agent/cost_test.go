package agent

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cohop/internal/tokens"
	"cohop/rank"
)

// TestTurnCost measures what an answer costs, on the first questions of the
// session pairs:
//
//	RANK_CORPORA=DIR go test ./agent -run TurnCost -v
func TestTurnCost(t *testing.T) {
	root := os.Getenv("RANK_CORPORA")
	if root == "" {
		t.Skip("RANK_CORPORA names the folder of the repositories")
	}
	cache := os.Getenv("RANK_CORPORA_CACHE")
	if cache == "" {
		cache = t.TempDir()
	}
	engines := map[string]*rank.Engine{}
	cost := map[string][]int{}
	seen := map[string]bool{}
	for _, p := range readPairs(t) {
		if seen[p.Repo+p.First] {
			continue
		}
		seen[p.Repo+p.First] = true
		req := rank.Request{Repo: filepath.Join(root, p.Repo), Rev: p.Commit, CacheDir: cache, Task: p.First, Top: MCPTop}
		e := engines[p.Repo]
		if e == nil {
			var err error
			if e, err = rank.Open(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			engines[p.Repo] = e
		}
		q, err := e.Query(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		r, err := q.Result(HookBudget)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []string{Claude, Codex} {
			h := Hook{Client: c}
			if !h.worth(r) {
				continue
			}
			out := h.compose(r, nil)
			cost["hook "+c] = append(cost["hook "+c], tokens.CountString(out.text))
			cost["characters of hook "+c] = append(cost["characters of hook "+c], units(out.text))
		}
		for _, profile := range []string{Full, Compact} {
			out := (&MCP{Profile: profile}).compose(r)
			cost["tool "+profile] = append(cost["tool "+profile], tokens.CountString(out.text))
			cost["characters of tool "+profile] = append(cost["characters of tool "+profile], units(out.text))
			if n := units(out.text); n > MaxAnswer || !out.ok {
				t.Errorf("%s: %d characters", p.ID, n)
			}
		}
	}
	for _, k := range []string{"hook claude", "hook codex", "tool full", "tool compact"} {
		for _, k := range []string{k, "characters of " + k} {
			v := cost[k]
			slices.Sort(v)
			t.Logf("%s: n %d, median %d, p90 %d, max %d", k, len(v), v[len(v)/2], v[len(v)*9/10], v[len(v)-1])
		}
	}
}
