// Package flat is what generated packages of flat trees share at run time: the buffer and
// the nodes in it, the Builder, files and their validation, and walks. `coppice flat` writes such a package from Go
// declarations; docs/FLAT.md leads from a schema to a program, and specifies the format.
//
// A [Tree] is one slice of 32-bit words without a pointer in it, so the collector's work does not grow
// with it, and beside it the bytes of its strings. A record is a header word with its kind and some small fields,
// then its other fields; a reference is the index of a record that stands earlier, so that
// children come first and there can be no cycle.
//
// Users need of this package [Tree], [BuilderOptions], [LoadLimits], [Results], [Guard] and the errors.
// All else is for generated packages, and says so.
package flat

import "errors"

// The errors that callers tell apart. What is returned wraps them and says more.
var (
	// ErrFull says that a Builder reached its limit, or 2^32 words or bytes of text.
	ErrFull = errors.New("flat: the tree is full")
	// ErrInvalid says that bytes are not a valid tree of the schema.
	ErrInvalid = errors.New("flat: invalid file")
	// ErrLimit says that a file or tree exceeds the LoadLimits.
	ErrLimit = errors.New("flat: beyond the limit")
	// ErrFault says that memory was gone, as when somebody truncates a mapped file.
	ErrFault = errors.New("flat: mapped memory is gone")
)
