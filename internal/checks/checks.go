// Package checks holds the checks that exist only in checked builds: those made
// with `-tags coppice_checks` or with -race. In every other build Enabled is a
// false constant, and the compiler drops each `if checks.Enabled` block before
// it counts what the function around it costs to inline.
//
// An allocator calls this package, and never the other way round. Nothing here hands out memory.
package checks

import (
	"fmt"
	"runtime"
	"strings"
)

// A Place is a line of the user's program, such as that of the first of two Puts.
type Place struct {
	file string
	line int
}

// Caller returns the place in the user's program from where the allocators were called,
// however many of them called each other since. It costs a few microseconds.
func Caller() Place {
	var stack [16]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack[:])])
	for {
		f, more := frames.Next()
		if !more || !inAllocator(f) {
			return Place{f.File, f.Line}
		}
	}
}

// inAllocator tells whether the frame is of an allocator package, tests aside.
func inAllocator(f runtime.Frame) bool {
	name, ours := strings.CutPrefix(f.Function, "github.com/coppice-go/coppice/")
	folder, _, _ := strings.Cut(name, ".")
	switch folder {
	case "arena", "inline", "internal/checks", "pool", "slab", "store":
		return ours && !strings.HasSuffix(f.File, "_test.go")
	}
	return false
}

// String returns "file:line", or "an unknown place" for the zero Place.
func (p Place) String() string {
	if p.file == "" {
		return "an unknown place"
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}
