// Package flatimpl implements flat trees for the generated packages. Programs use package flat
// instead. The package contains the buffer and its nodes, the Builder, files and their validation,
// traversals and conversions. Its API fits the code that the generator writes. A change to one of
// them requires a change to the other, and a new generation (see [Generation5]).
//
// The generated types restrict how programs can call this package. Most functions here therefore
// omit checks that these types make unnecessary. docs/decisions has the reasons for the design:
// 0009 for trees and handles, 0011 for types and checks, and 0012 for the limits of files.
//
// All code operates on the words of one type, [Tree], whose fields are not visible to other
// packages. It is therefore in one package (docs/decisions/0045). The first word of a file's name
// is its group:
//
//	schema   the tables for each kind: where references, texts and lists are in the words of a record, and how long the record is
//	tree     reading a tree: nodes, orders of traversal, strings, numbers for records, and compact copies
//	build    building a tree: the Builder, its strings, and checks of all references that enter a record
//	edit     a Builder that continues an existing tree
//	rewrite  changing a tree by functions, into a new tree or in place: which records are live, and their new positions
//	convert  between pointers and trees: cycles, shared values, links, and numbers that do not fit
//	file     a tree in a file: its header, limits, validation, older versions of a schema, many trees in a file
//	words    words as bytes and back; the only unsafe code
//
// The main file of a group has no second word in its name. A group uses the groups above it. The
// groups file, build and tree also depend on each other where a tree is closed, cloned or edited.
package flatimpl

import (
	"errors"

	"github.com/coppice-go/coppice/internal/fromfile"
)

// These are the errors of package flat, which documents them.
var (
	ErrFull    = errors.New("flat: the tree is full")
	ErrInvalid = fromfile.Invalid("flat: invalid file")
	ErrLimit   = errors.New("flat: beyond the limit")
	ErrRange   = errors.New("flat: out of range")
	ErrFault   = errors.New("flat: mapped memory is gone")
)
