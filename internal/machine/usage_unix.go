//go:build unix

package machine

import (
	"time"

	"golang.org/x/sys/unix"
)

// OwnUsage returns the resources that this process has used so far.
func OwnUsage() (Usage, error) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return Usage{}, err
	}
	return Usage{
		User:    time.Duration(r.Utime.Nano()),
		System:  time.Duration(r.Stime.Nano()),
		PeakRSS: ownPeak(int64(r.Maxrss)),
	}, nil
}
