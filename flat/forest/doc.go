// Package forest stores many flat trees of one schema in one file. One writer appends to the file,
// and any number of readers, also in other processes, read it at the same time. Trees have names. A
// string that occurs in several trees is stored only once in each segment of the file.
//
//	file    | header, schema | segment | segment | segment | incomplete end
//
//	segment | header | entries and names | strings | words of tree 0 | words of tree 1 | ...
//
// The file survives a crash of its writer. Segments that [Writer.Sync] has written are preserved;
// an incomplete segment at the end is detected and dropped. Trees are read in place in the mapped
// file. Each tree is validated when it is first used.
//
// docs/CORPORA.md is the manual, and specifies the format of the file. docs/decisions/0027 explains
// the format.
package forest

import (
	"errors"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/internal/fromfile"
)

// ErrLocked is the error for a file that another Writer has open.
var ErrLocked = errors.New("forest: the file is open in another writer")

// ErrInvalid is wrapped by errors for files that are damaged or not forests. ErrMismatch is wrapped
// by errors for forests whose trees have an unknown schema. Packages btree, hashmap and symbols
// share both errors. Errors of this package that wrap either of them also wrap flat.ErrInvalid.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// Tree is the constraint for type parameters that must be the type Tree of a generated package.
type Tree[T any] interface {
	Flat() *flat.Tree
	// Schema and OfForest are methods that coppice flat generates.
	Schema() *flatimpl.Schema
	OfForest(*flatimpl.Format, flatimpl.Stored, flat.LoadLimits) (T, error)
}
