// Package checks holds the checks that exist only in checked builds: those made
// with `-tags coppice_checks` or with -race. In every other build Enabled is a
// false constant, and the compiler drops each `if checks.Enabled` block before
// it counts what the function around it costs to inline.
//
// An allocator asks and checks answers or panics; nothing here hands out memory.
package checks

import (
	"fmt"
	"runtime"
)

// A Place is a line of the user's program, such as that of the first of two Puts.
type Place struct {
	file string
	line int
}

// Caller returns the place that called the function which calls Caller, skip
// frames further out. It costs about a microsecond.
func Caller(skip int) Place {
	_, file, line, _ := runtime.Caller(skip + 2)
	return Place{file, line}
}

// String returns "file:line", or "an unknown place" for the zero Place.
func (p Place) String() string {
	if p.file == "" {
		return "an unknown place"
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}
