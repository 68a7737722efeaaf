// Package flat contains the parts of flat trees that do not depend on a schema: trees, limits,
// errors, and files with unknown schemas. The command `coppice flat` reads a schema, which consists
// of Go declarations, and generates a package for it. docs/FLAT.md explains the steps from a schema
// to a program and specifies the file format.
//
// A [Tree] consists of a slice of 32-bit words, which contains no pointers, and the bytes of its
// strings. The garbage collector does not scan it, so the cost of a collection does not grow with
// the tree. A record is a header word, which contains its kind and some small fields, followed by
// its other fields. A child is referred to by the index of its record. This index is always smaller
// than the index of the parent, so children precede their parents, and cycles are impossible. The
// expression 1+2*x is stored as follows:
//
//	word    0   1     2   3     4     5   6     7     8     9         10   11   12        13   14
//	      +---+-----+---------+-----+---------+-----+-----+---------+----+----+---------+----+-----+
//	      | 0 | Num | 1.0     | Num | 2.0     | Var | 1   | Bin Mul | 4  | 7  | Bin Add | 1  | 9   |
//	      +---+-----+---------+-----+---------+-----+-----+---------+----+----+---------+----+-----+
//	                                                  "x"             2    x              1    2*x
//
// Package flatimpl is used by generated packages. Programs do not need it.
package flat

import "github.com/coppice-go/coppice/flat/flatimpl"

// The errors of this package and of generated packages wrap one of the following errors. Use
// errors.Is to test for them.
var (
	// ErrFull means that a tree has reached the limit of its Builder, 2^32 words, or 2^32 bytes of
	// strings.
	ErrFull = flatimpl.ErrFull
	// ErrInvalid means that the input is not a valid tree of the schema.
	ErrInvalid = flatimpl.ErrInvalid
	// ErrLimit means that a file or tree exceeds LoadLimits.
	ErrLimit = flatimpl.ErrLimit
	// ErrRange means that a value does not fit in its field, such as a Uint24.
	ErrRange = flatimpl.ErrRange
	// ErrFault means that mapped memory cannot be read, for example because the file was truncated.
	ErrFault = flatimpl.ErrFault
)
