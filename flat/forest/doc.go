// Package forest stores many flat trees of one schema in one file. One writer appends to the file,
// and any number of readers, also in other processes, read it at the same time. Trees have names.
// Strings that occur in several trees are stored once in each segment of the file.
//
//	file    | header, schema | segment | segment | segment | incomplete end
//
//	segment | header | entries and names | strings | words of tree 0 | words of tree 1 | ...
//
// The file survives a crash of its writer. The segments that [Writer.Sync] has written are
// preserved; an incomplete end is detected and dropped. Trees are read in place in the mapped file,
// and each is validated at its first use.
//
// docs/CORPORA.md is the manual and specifies the format; docs/decisions/0027 explains it.
package forest

import (
	"errors"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/flatimpl"
	"github.com/coppice-go/coppice/internal/fromfile"
)

// ErrLocked means that a different Writer has the file open.
var ErrLocked = errors.New("forest: the file is open in another writer")

// ErrInvalid is wrapped by errors for files that are damaged or not forests. ErrMismatch is wrapped
// by errors for forests whose trees have an unknown schema. Packages btree, hashmap and symbols
// share both errors. Errors of this package that wrap either of them also wrap flat.ErrInvalid.
var (
	ErrInvalid  = fromfile.ErrInvalid
	ErrMismatch = fromfile.ErrMismatch
)

// Tree constrains a type parameter to the type Tree of a generated package.
type Tree[T any] interface {
	Flat() *flat.Tree
	// Schema and OfForest are generated.
	Schema() *flatimpl.Schema
	OfForest(*flatimpl.Format, flatimpl.Stored, flat.LoadLimits) (T, error)
}
