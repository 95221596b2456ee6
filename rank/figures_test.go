package rank

import (
	"encoding/json"
	"math"
	"testing"
)

func TestRound(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0, 0}, {1.23456789, 1.23457}, {-1.23456789, -1.23457}, {123456.789, 123457}, {0.000123456789, 0.000123457},
		{1e-310, 0}, {math.SmallestNonzeroFloat64, 0}, {math.Inf(1), 0}, {math.NaN(), 0},
	} {
		if got := round(c.x); got != c.want {
			t.Errorf("round(%g) = %g, want %g", c.x, got, c.want)
		}
	}
	for e := -323; e < 308; e++ { // whatever it is, JSON can hold it
		if _, err := json.Marshal(round(1.5 * math.Pow(10, float64(e)))); err != nil {
			t.Fatalf("1.5e%d: %v", e, err)
		}
	}
}

func TestMasks(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "a ** b *** c": 0, "key = ****": 1, "a=********\nb=************": 2, "****": 1,
		"-----BEGIN KEY-----\n********\n****\n": 2, // lines of one secret: the file's count bounds them
	} {
		if got := masks(s); got != want {
			t.Errorf("masks(%q) = %d, want %d", s, got, want)
		}
	}
}
