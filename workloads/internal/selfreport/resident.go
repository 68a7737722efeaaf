package selfreport

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// Resident returns the resident memory of this process in bytes, after the Go heap has returned
// its unused memory to the system. It returns 0 if the system does not report it.
func Resident() float64 {
	debug.FreeOSMemory()
	return status("VmRSS:")
}

// ResetPeak resets Peak to cover only the time from now on, and reports whether the system supports
// that.
func ResetPeak() bool { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil }

// Peak returns the peak resident memory of this process in bytes, or 0 if the system does not
// report it.
func Peak() float64 { return status("VmHWM:") }

// status returns a field of Linux's status file of this process in bytes, or 0 if there is
// none.
func status(field string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			if err == nil {
				return float64(kib) * 1024
			}
		}
	}
	return 0
}
