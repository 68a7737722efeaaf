//go:build !linux

package machine

// PeakVirtual returns 0: this platform does not report it.
func PeakVirtual(int) uint64 { return 0 }
