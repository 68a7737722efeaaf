//go:build !linux

package machine

// PeakRSS returns 0: this platform does not tell of other processes.
func PeakRSS(int) uint64 { return 0 }
