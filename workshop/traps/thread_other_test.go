//go:build !linux

package traps

import "time"

var began = time.Now()

// threadTime returns the time that has passed.
func threadTime() time.Duration { return time.Since(began) }
