package sheet

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// These are the limits of a sheet. Each is far above the needs of realistic sheets, and far below
// values that harm a server.
const (
	maxSource = 1 << 24 // bytes of a source; a place has 32 bits
	maxDepth  = 500     // expressions inside expressions, or lists inside lists
	maxNames  = 256     // in scope at the same time
	maxFields = 64      // of a record
	maxWork   = 1 << 20 // nodes evaluated, values written, and every 16 bytes of text made
)

// An Error describes an error in a sheet, with its position. It does not refer to the sheet's
// memory.
type Error struct {
	Line, Column int // from 1; columns count characters
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
