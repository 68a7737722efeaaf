package traps

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns how long this thread has had a processor. Time in which others had it does not
// count.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}
