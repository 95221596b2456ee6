package repo

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

func testKey(i int) factsKey { return keyOf([20]byte{byte(i), byte(i >> 8), 7}, "go") }

func testValue(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "facts %d ", i), 1+i%9) }

// expect checks that the store gives either the right bytes or none, and
// returns how many of n it gives.
func expect(t *testing.T, s *factStore, n int) (have int) {
	t.Helper()
	for i := range n {
		if b, ok := s.get(testKey(i)); ok {
			have++
			if !bytes.Equal(b, testValue(i)) {
				t.Fatalf("key %d: %q", i, b)
			}
		}
	}
	return have
}

func TestFactsStore(t *testing.T) {
	c := &cache{dir: t.TempDir()}
	s := openFacts(c)
	const n = 40
	for i := range n { // a file each, so that they are joined several times
		s.add(testKey(i), testValue(i))
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		if have := expect(t, s, n); have != i+1 {
			t.Fatalf("after %d: %d facts", i+1, have)
		}
	}
	if len(s.files) > maxFactsFiles {
		t.Errorf("%d files", len(s.files))
	}
	s.close()

	// Two writers that opened at the same time: nothing wrong, little lost.
	a, b := openFacts(c), openFacts(c)
	for i := range 3 {
		a.add(testKey(n+i), testValue(n+i))
		b.add(testKey(n+3+i), testValue(n+3+i))
	}
	if a.flush() != nil || b.flush() != nil {
		t.Fatal("flush")
	}
	if have := expect(t, a, n+6); have < n {
		t.Errorf("the first writer has %d facts", have)
	}
	a.close()
	b.close()
	s = openFacts(c)
	if have := expect(t, s, n+6); have != n+6 {
		t.Errorf("%d facts are left of %d", have, n+6)
	}
	s.close()
}

func TestFactsStoreDamaged(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 30
	whole, lost := 0, 0
	for round := range 300 {
		c := &cache{dir: t.TempDir()}
		s := openFacts(c)
		for i := range n {
			s.add(testKey(i), testValue(i))
			if i == n/2 {
				if err := s.flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		s.close()
		paths, _ := numbered(s.dir, ".facts")
		p := paths[r.IntN(len(paths))]
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if round%2 == 0 {
			b = b[:r.IntN(len(b))]
		} else {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		if err := os.WriteFile(p, b, 0o600); err != nil {
			t.Fatal(err)
		}
		_ = os.WriteFile(filepath.Join(s.dir, "000009.facts"), []byte("COHOPFCT of another kind"), 0o600)
		s = openFacts(c)
		if have := expect(t, s, n); have == n {
			whole++
		} else {
			lost++
		}
		// What was lost is added again beside what is broken.
		for i := range n {
			s.add(testKey(i), testValue(i))
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
		s.close()
		s = openFacts(c)
		if have := expect(t, s, n); have != n {
			t.Fatalf("round %d: %d facts after mending", round, have)
		}
		s.close()
	}
	if lost == 0 {
		t.Error("no damage was noticed")
	}
	t.Logf("%d of %d stores gave all facts although a byte was wrong", whole, whole+lost)
}
