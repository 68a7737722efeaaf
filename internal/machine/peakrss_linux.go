package machine

import (
	"fmt"
	"os"
	"strings"
)

// PeakVirtual returns the greatest size of a process's address space so far, in bytes,
// and 0 if the kernel does not tell.
func PeakVirtual(pid int) uint64 { return statusBytes(pid, "VmPeak") }

// statusBytes returns a field of /proc/PID/status that counts KiB, in bytes; 0 if there
// is none.
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

// ownPeak returns the greatest resident set size of this process so far, in bytes, and 0
// if the kernel does not tell. It does not use getrusage's figure, which is at least the
// size of the process that started this one: `go run` alone puts 30 MiB on it
// (docs/decisions/0002).
func ownPeak(int64) uint64 { return statusBytes(os.Getpid(), "VmHWM") }
