// Package checks contains the checks that are made only in checked builds, that is, in builds with
// `-tags coppice_checks` or with -race. In every other build, Enabled is a false constant, and the
// compiler drops each `if checks.Enabled` block before it computes the inlining cost of the
// enclosing function.
//
// Allocators call this package, and it never calls them. It does not allocate memory for values.
package checks

import (
	"fmt"
	"runtime"
	"strings"
)

// A Place is a line of the user's program. For example, if a value is put twice, the Place of the
// first Put is reported.
type Place struct {
	file string
	line int
}

// Caller returns the line of the user's program that called an allocator. It skips calls between
// allocators. It takes a few microseconds.
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

// inAllocator reports whether a frame belongs to an allocator package. Frames of tests do not.
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
