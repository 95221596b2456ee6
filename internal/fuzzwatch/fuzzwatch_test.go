package fuzzwatch

import (
	"testing"
	"time"
)

// failed takes what a target would be told.
type failed struct {
	testing.TB
	said string
}

func (f *failed) Helper() {}
func (f *failed) Fatalf(format string, _ ...any) {
	f.said = format
}

func busy(d time.Duration) func() {
	return func() {
		for at := threadTime(); threadTime()-at < d; {
		}
	}
}

func TestInput(t *testing.T) {
	was := fuzzing
	defer func() { fuzzing = was }()
	for _, c := range []struct {
		fuzzing bool
		work    time.Duration
		fails   bool
	}{{true, 0, false}, {true, limit + limit/50, true}, {false, limit + limit/50, false}} {
		fuzzing = func() bool { return c.fuzzing }
		f, called := &failed{TB: t}, false
		Input(f, func() { busy(c.work)(); called = true })
		if !called || (f.said != "") != c.fails {
			t.Errorf("%+v: called %v, said %q", c, called, f.said)
		}
	}
}

func TestGrowth(t *testing.T) {
	was := fuzzing
	defer func() { fuzzing, inputs, first = was, 0, 0 }()
	fuzzing = func() bool { return true }
	if resident() == 0 {
		t.Skip("the system does not say how large a process is")
	}
	f := &failed{TB: t}
	inputs, first = every-1, 0
	if Input(f, func() {}); f.said != "" || first == 0 {
		t.Errorf("the first look: %q, %d", f.said, first)
	}
	inputs, first = every-1, first-growth-1<<20
	if Input(f, func() {}); f.said == "" {
		t.Error("growth is not seen")
	}
}
