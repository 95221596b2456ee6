package rank_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cohop/rank"
)

// What a cache holds of other trees changes no answer: an index laid over the
// nearest one answers as one built for its tree alone.
func TestCacheChangesNothing(t *testing.T) {
	dir := chronicle(t, "ferry.txtar")
	tasks := []string{"where are refunds computed", "rate limit the /bookings endpoint", "Booking", "fare of a sailing in ferry/services/pricing.py", "pasenger zirconium manifst"}
	cache := cacheIn(t.TempDir())
	same := func(what string, mod ...func(*rank.Request)) {
		t.Helper()
		for _, task := range tasks {
			want := ask(t, dir, task, mod...)
			got := ask(t, dir, task, append([]func(*rank.Request){cache}, mod...)...)
			if a, b := asJSON(t, got), asJSON(t, want); a != b {
				t.Errorf("%s, %q: the cache changes the answer:\n%s", what, task, difference(a, b))
				return
			}
		}
	}
	// Every other commit from the newest to the oldest, then the rest.
	commits := strings.Fields(git(t, dir, "", "rev-list", "main"))
	for _, first := range []int{0, 1} {
		for i := first; i < len(commits); i += 2 {
			same(fmt.Sprintf("main~%d", i), revision(commits[i]))
		}
	}
	same("clean")
	write := func(path, text string) {
		t.Helper()
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("ferry/services/refunds.py", "from ferry.services.payments import give_back\n\n\ndef refund(booking):\n    \"\"\"All of it.\"\"\"\n    give_back(booking.account, booking.price)\n")
	same("one file edited")
	write("ferry/services/vouchers.py", "\"\"\"Refunds as vouchers.\"\"\"\nfrom ferry.services.refunds import refund\n\n\ndef voucher(booking):\n    return refund(booking)\n")
	same("one file new")
	if err := os.Remove(filepath.Join(dir, "ferry/services/pricing.py")); err != nil {
		t.Fatal(err)
	}
	same("one file gone")
	if err := os.Rename(filepath.Join(dir, "ferry/models/booking.py"), filepath.Join(dir, "ferry/models/reservation.py")); err != nil {
		t.Fatal(err)
	}
	same("one file renamed")
	write("ferry/services/pricing.py", "def fare(sailing):\n    return 1\n")
	same("and one back")
	git(t, dir, "", "add", "-A")
	same("staged")
	git(t, dir, "", "commit", "-q", "-m", "Refunds as vouchers")
	same("committed")
}

// difference shows the first few lines in which two texts part.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	out := fmt.Sprintf("%d and %d lines\n", len(x), len(y))
	path, n := "", 0
	for i := range min(len(x), len(y)) {
		if strings.Contains(x[i], "\"path\"") {
			path = strings.TrimSpace(x[i])
		}
		if x[i] != y[i] {
			out += fmt.Sprintf("line %d (%s): %s, not %s\n", i+1, path, strings.TrimSpace(x[i]), strings.TrimSpace(y[i]))
			if n++; n == 8 {
				break
			}
		}
	}
	return out
}
