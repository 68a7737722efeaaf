//go:build !linux

package machine

// PeakRSS returns 0: this platform does not tell of other processes.
func PeakRSS(int) uint64 { return 0 }

// PeakVirtual returns 0: this platform does not tell.
func PeakVirtual(int) uint64 { return 0 }
