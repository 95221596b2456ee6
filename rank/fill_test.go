package rank_test

import (
	"fmt"
	"testing"

	"cohop/rank"
)

// What is left of a budget once each likely file has its place shows more of the
// likeliest one, rather than the first lines of files that only mention the words.
func TestMoreOfTheLikelyFile(t *testing.T) {
	files := tree{}
	var ledger string
	for i := range 12 {
		ledger += fmt.Sprintf("def settle_ledger_%d(entry, rate):\n    \"\"\"Settle the ledger entry at the rate of its day.\"\"\"\n", i) +
			repeat(25, "    entry.amount += rate.of(entry.day, %d)") + "    return entry\n\n\n"
	}
	files["books/ledger.py"] = ledger
	for i := range 20 {
		files[fmt.Sprintf("shop/part_%d.py", i)] = fmt.Sprintf("def part_%d(order):\n    # the day ends\n", i) +
			repeat(30, "    order.lines.append(%d)") + "    return order\n"
	}
	q := query(t, build(t, commit{msg: "Start", files: files}), "How is a ledger entry settled at the rate of its day?")
	shown := func(budget int) (bodies, others int) {
		res, err := q.Result(budget)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range res.Pack {
			switch {
			case it.Tier != rank.TierBody:
			case it.Path == "books/ledger.py":
				bodies++
			default:
				others++
			}
		}
		return bodies, others
	}
	few, _ := shown(1000)
	many, others := shown(4000)
	if few < 1 || many < 3 {
		t.Errorf("ledger.py has %d chunks as bodies in 1,000 tokens and %d in 4,000, beside %d of others: want at least 1 and 3", few, many, others)
	}
}
