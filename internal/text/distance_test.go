package text

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"doctr", "doctor", 1}, {"docotr", "doctor", 2}, {"index", "index", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"abcdefgh", "a", 5}, {"abcde", "vwxyz", 5}} {
		if got := Distance(c.a, c.b, 5); got != c.want || got != Distance(c.b, c.a, 5) {
			t.Errorf("%q, %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
