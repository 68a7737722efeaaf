package load

import (
	"syscall"
	"time"
)

// sleep waits with the system's clock: an idle Go program wakes up to a millisecond late,
// which is longer than most answers take.
func sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	t := syscall.NsecToTimespec(d.Nanoseconds())
	for syscall.Nanosleep(&t, &t) == syscall.EINTR {
	}
}
