// Package memory measures the memory use of this process, for tests that limit what containers may
// use.
package memory

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Mappings returns the number of memory mappings of the process, or 0 if the operating system does
// not report it.
func Mappings() int {
	text, _ := os.ReadFile("/proc/self/maps")
	return bytes.Count(text, []byte("\n"))
}

// Flags returns the kernel's flags of the mapping that contains the address at, as two-letter
// words. It returns "" if the operating system does not report them.
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

// Live returns the number of bytes in use on the Go heap after a garbage collection.
func Live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Bytes returns the number of bytes that f allocates. It is the minimum of three runs, because the
// runtime allocates memory, too.
func Bytes(f func()) uint64 {
	return leastOf3(func() uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	})
}

// Held returns the number of heap bytes that the result of f keeps alive. It is the minimum of
// three runs.
func Held(f func() any) int64 {
	return leastOf3(func() int64 {
		runtime.GC() // Live collects once more: the first collection may keep what a cleanup references
		before := Live()
		kept := f()
		runtime.GC()
		held := int64(Live() - before)
		runtime.KeepAlive(kept)
		return held
	})
}

func leastOf3[N int64 | uint64](measure func() N) N { return min(measure(), measure(), measure()) }
