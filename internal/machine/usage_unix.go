//go:build unix

package machine

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// OwnUsage returns what this process has used so far.
func OwnUsage() (Usage, error) {
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		return Usage{}, err
	}
	rss := uint64(r.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		rss <<= 10 // all others count in KiB
	}
	return Usage{
		User:    time.Duration(r.Utime.Nano()),
		System:  time.Duration(r.Stime.Nano()),
		PeakRSS: rss,
	}, nil
}
