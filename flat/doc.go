// Package flat is what a program sees of flat trees, whatever their schema: trees, limits, errors,
// and files of unknown schemas. `coppice flat` writes a package for each schema from Go
// declarations; docs/FLAT.md leads from a schema to a program and specifies the file format.
//
// A [Tree] is one slice of 32-bit words without pointers, and the bytes of its strings. The garbage
// collector does not scan it, so its cost does not grow with the tree. A record is a header word,
// which holds its kind and some small fields, followed by its other fields. A reference is the
// index of an earlier record: children come before their parents, and cycles are impossible.
//
// Generated packages call package flatimpl; a program never needs it.
package flat

import "github.com/coppice-go/coppice/flat/flatimpl"

// Errors that callers tell apart with errors.Is. The errors returned wrap them and say more.
var (
	// ErrFull means that a Builder reached its limit, or 2^32 words or bytes of text.
	ErrFull = flatimpl.ErrFull
	// ErrInvalid means that the input is not a valid tree of the schema.
	ErrInvalid = flatimpl.ErrInvalid
	// ErrLimit means that a file or tree exceeds LoadLimits.
	ErrLimit = flatimpl.ErrLimit
	// ErrRange means that a value has more bits than its field: see Uint24.
	ErrRange = flatimpl.ErrRange
	// ErrFault means that mapped memory cannot be read, for example because the file was truncated.
	ErrFault = flatimpl.ErrFault
)
