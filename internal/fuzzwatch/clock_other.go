//go:build !linux

package fuzzwatch

import "time"

var start = time.Now()

// threadTime is wall time here, which a busy machine makes longer.
func threadTime() time.Duration { return time.Since(start) }
