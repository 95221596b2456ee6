package cmd

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// firstCollection is how much memory a process takes before its garbage is
// collected for the first time. A query that finds its index needs less, and
// ends before its garbage is worth the search: a tenth of its time.
const firstCollection = 64 << 20

// postponeCollection puts the collector off until firstCollection. From then on
// it works at its usual pace, since the process is one that builds. Settings of
// the environment stay in force.
func postponeCollection() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	pace := debug.SetGCPercent(-1)
	debug.SetMemoryLimit(firstCollection)
	collected := new([16]byte)
	runtime.SetFinalizer(collected, func(*[16]byte) {
		debug.SetGCPercent(pace)
		debug.SetMemoryLimit(math.MaxInt64)
	})
}
