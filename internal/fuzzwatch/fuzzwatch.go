// Package fuzzwatch tells a fuzz target of inputs that take too long and of a
// process that grows.
//
// Algorithm: around each input the processor time of its thread is read, and
// every few thousand inputs what the process holds, after a collection. Both
// are looked at in a fuzz run alone (go test -fuzz): the seeds, which every
// test run reads, are never timed, so that a busy machine fails no test.
//
// Limits: goroutines that an input starts are not timed; where the system
// does not tell the time of a thread, wall time stands for it. Only tests use
// this package.
package fuzzwatch

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// limit is the processor time an input may take. The targets run with
	// counters of coverage compiled in, so that the product is faster still.
	limit = time.Second
	// every is the number of inputs between two looks at the memory.
	every = 8192
	// growth is what the process may hold in bytes above what it held at the
	// first look: caches and pools fill, leaks do not stop.
	growth = 256 << 20
)

var (
	fuzzing = func() bool {
		f := flag.Lookup("test.fuzz")
		return f != nil && f.Value.String() != ""
	}
	inputs int
	first  int64
)

// Input calls f, which reads one input of a fuzz target. In a fuzz run it
// fails the input if that took over a second of processor time, or if the
// process has grown. It may not be called by two goroutines at once.
func Input(tb testing.TB, f func()) {
	tb.Helper()
	if !fuzzing() {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	f()
	if took := threadTime() - before; took > limit {
		tb.Fatalf("the input took %v of processor time", took)
	}
	if inputs++; inputs%every != 0 {
		return
	}
	runtime.GC()
	held := resident()
	if first == 0 {
		first = held
	}
	if held > first+growth {
		tb.Fatalf("the process held %d MB after %d inputs, and %d MB after %d", held>>20, inputs, first>>20, every)
	}
}

// resident is the memory of the process in bytes, C's included; 0 where the
// system does not say.
func resident() int64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
