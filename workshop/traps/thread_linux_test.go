package traps

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the CPU time that this thread has used. It does not include the time for which
// other threads were running.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}
