package sheet

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// These are the limits of a sheet. Each is far above the needs of realistic sheets, and far below
// values that harm a server.
const (
	maxSource = 1 << 24 // bytes of a source; an offset in it must fit in 32 bits
	maxDepth  = 500     // nesting depth of expressions, or of lists
	maxNames  = 256     // names in scope at the same time
	maxFields = 64      // fields of a record
	maxWork   = 1 << 20 // nodes evaluated, values written, and 16-byte units of text created
)

// An Error describes an error in a sheet, with its position. It does not refer to the sheet's
// memory.
type Error struct {
	Line, Column int // starting at 1; a column is counted in characters
	What         string
}

// Error is one line.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.What)
}

// errorAt creates the Error for a position.
func errorAt(source string, at place, format string, args ...any) *Error {
	before := source[:at]
	line := 1 + strings.Count(before, "\n")
	start := 1 + strings.LastIndexByte(before, '\n')
	return &Error{line, 1 + utf8.RuneCountInString(before[start:]), fmt.Sprintf(format, args...)}
}
