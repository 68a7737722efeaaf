// Package machine reports the CPU time and the memory that a process has used.
package machine

import "time"

// Usage contains the resources that a process has used since it started.
type Usage struct {
	User, System time.Duration // CPU time of all threads
	PeakRSS      uint64        // peak resident set size, in bytes; 0 if unknown
}

// CPU returns the sum of user and system time.
func (u Usage) CPU() time.Duration { return u.User + u.System }
