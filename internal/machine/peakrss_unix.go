//go:build unix && !linux

package machine

import "runtime"

// ownPeak converts the peak resident set size from getrusage to bytes. Darwin reports it in bytes,
// and all other systems in KiB.
func ownPeak(maxrss int64) uint64 {
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return uint64(maxrss)
	}
	return uint64(maxrss) << 10
}
