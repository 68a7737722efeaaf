//go:build !linux

package machine

// PeakVirtual returns 0 because this platform does not report the peak.
func PeakVirtual(int) uint64 { return 0 }
