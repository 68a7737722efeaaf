// Package forest keeps many flat trees of one schema in one file. One writer appends to the file,
// and any number of readers, also in other processes, read it at the same time. Trees have names.
// Strings that several trees mention are stored once in each segment of the file.
//
// The file survives whatever ends its writer. What [Writer.Sync] has written stays; an incomplete
// end is noticed and dropped. Trees are read where they lie in the mapped file, and each is
// validated when it is read first.
//
// docs/CORPORA.md is the manual and specifies the format; docs/decisions/0027 explains it.
package forest

import (
	"errors"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/internal/fromfile"
)

// ErrLocked means that another Writer has the file open.
var ErrLocked = errors.New("forest: another writer has the file")

// ErrInvalid is wrapped by errors that say that a file is not a forest, or a damaged one, and
// ErrMismatch by those that say that its trees have a schema that the program does not know. Both
// are the same errors in packages btree, hashmap and symbols; errors with either are also
// flat.ErrInvalid.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// Tree is the type parameter's constraint: the type Tree of a generated package.
type Tree[T any] interface {
	Flat() *flat.Tree
	// Schema and OfForest are generated.
	Schema() *flatimpl.Schema
	OfForest(*flatimpl.Format, flatimpl.Stored, flat.LoadLimits) (T, error)
}
