package rank_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"cohop/rank"
)

// The precedents that an explanation names are what the column adds up, recent
// ones that resemble the title alone included.
func TestPrecedentsMakeTheColumn(t *testing.T) {
	dir := build(t,
		commit{msg: "Load the ferry", files: tree{"ferry.py": "def ferry():\n    return 1\n", "dock.py": "def dock():\n    return 1\n"}},
		commit{msg: "Paint the dock", files: tree{"dock.py": "def dock():\n    return 2\n"}, days: 500},
		commit{msg: "Load the ferry faster", files: tree{"ferry.py": "def ferry():\n    return 2\n"}},
		commit{msg: "Soup", files: tree{"soup.py": "def soup():\n    return 3\n", "id_rsa": "key\n"}},
	)
	e, err := rank.Open(context.Background(), rank.Request{Repo: dir, NoCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	q, err := e.Query(context.Background(), rank.Request{Task: "Load the ferry\n\nand paint it"})
	if err != nil {
		t.Fatal(err)
	}
	for path, unread := range map[string]bool{"soup.py": false, "id_rsa": true} {
		if x, err := q.Explain(path); err != nil || strings.Contains(x.Unread, "secrets") != unread || (x.Unread != "") != unread {
			t.Errorf("%s: %v, not read %q, want %v", path, err, x.Unread, unread)
		}
	}
	for path, voters := range map[string]int{"ferry.py": 2, "dock.py": 2} {
		x, err := q.Explain(path)
		if err != nil {
			t.Fatal(err)
		}
		sum, share, raw := 0.0, 0.0, math.NaN()
		for _, p := range x.Precedents {
			sum, share = sum+p.Vote, share+p.Share
		}
		for _, c := range x.Columns {
			if c.ID == "precedent" {
				raw = c.Raw
			}
		}
		if x.Voters != voters || len(x.Precedents) != voters || math.Abs(math.Log1p(sum)-raw) > 1e-5 || math.Abs(share-1) > 1e-5 {
			t.Errorf("%s: %d voters, ln(1 + %v) = %v beside a column of %v, shares %v: %+v", path, x.Voters, sum, math.Log1p(sum), raw, share, x.Precedents)
		}
	}
}
