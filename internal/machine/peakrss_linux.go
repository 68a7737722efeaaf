package machine

import (
	"fmt"
	"os"
	"strings"
)

// PeakVirtual returns the peak size of a process's address space, in bytes, or 0 if the kernel does
// not report it.
func PeakVirtual(pid int) uint64 { return statusBytes(pid, "VmPeak") }

// statusBytes returns a field of /proc/PID/status, converted from KiB to bytes, or 0 if the field
// is missing.
func statusBytes(pid int, field string) uint64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kib uint64
		if n, _ := fmt.Sscanf(line, field+": %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}

// ownPeak returns the peak resident set size of this process, in bytes, or 0 if the kernel does not
// report it. It does not use the value from getrusage, which is at least the size of the parent
// process: `go run` alone adds 30 MiB to it (docs/decisions/0002).
func ownPeak(int64) uint64 { return statusBytes(os.Getpid(), "VmHWM") }
