package fuzzwatch

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time that the calling thread has taken.
func threadTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
