//go:build !linux

package traps

import "time"

var began = time.Now()

// threadTime returns the elapsed time. It replaces the CPU time of the thread, which only the Linux
// version of this function measures.
func threadTime() time.Duration { return time.Since(began) }
