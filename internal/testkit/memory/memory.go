// Package memory counts the memory that this process has, for tests of what containers cost.
package memory

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Mappings returns the count of the process's mappings, 0 where the system does not tell.
func Mappings() int {
	text, _ := os.ReadFile("/proc/self/maps")
	return bytes.Count(text, []byte("\n"))
}

// Flags returns what the kernel knows of the mapping of an address, as words of two letters, and ""
// where the system does not tell.
func Flags(at uintptr) string {
	text, _ := os.ReadFile("/proc/self/smaps")
	inside := false
	for line := range strings.Lines(string(text)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = from <= at && at < to
		}
		if flags, ok := strings.CutPrefix(line, "VmFlags:"); ok && inside {
			return flags
		}
	}
	return ""
}

// Live returns the bytes of the Go heap that are in use.
func Live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Bytes returns how many bytes f allocates, the least of three runs, because the runtime allocates
// too.
func Bytes(f func()) uint64 {
	return leastOf3(func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	})
}

// Held returns how many bytes of the live heap what f returns keeps, the least of three runs.
func Held(f func() any) int64 {
	return leastOf3(func() int64 {
		runtime.GC() // Live collects once more: the first collection may leave what a cleanup holds
		before := Live()
		kept := f()
		runtime.GC()
		held := int64(Live() - before)
		runtime.KeepAlive(kept)
		return held
	})
}

func leastOf3[N int64 | uint64](measure func() N) N { return min(measure(), measure(), measure()) }
