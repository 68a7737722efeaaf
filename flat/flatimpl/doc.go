// Package flatimpl is what generated packages of flat trees call; people read package flat. It has
// the buffer and its nodes, the Builder, files and their validation, traversals and conversions.
// Its API follows the generator: a change of one changes the other, and the generation of
// [Generation4].
//
// Generated types restrict what programs can do; most functions here do not check again what those
// types ensure. docs/decisions has the reasons for the design: 0009 for trees and handles, 0011 for
// types and checks, and 0012 for the limits of files.
//
// All of it works on the words of one type, [Tree], whose fields no other package sees, so it is
// one folder: docs/decisions/0045. The first word of a file's name says which group it is in:
//
//	schema   what a schema says of each kind: where references, texts and lists are in the words of a record, and how long it is
//	tree     a tree that is read: nodes, orders of traversal, texts, numbers for records, and copies without holes
//	build    a tree that is made: the Builder, its texts, and checks of all references that enter a record
//	edit     a Builder that goes on with a tree
//	rewrite  a tree that is changed by functions, into another one or in place: which records are alive, and where they are now
//	convert  between pointers and trees: cycles, shared values, links, and numbers that do not fit
//	file     a tree in a file: its header, limits, validation, older versions of a schema, many trees in a file
//	words    words as bytes and back, which is all that is unsafe
//
// The first file of a group is the one without a second word. A group uses those above it; file,
// build and tree know each other where a tree is closed, cloned or half edited.
package flatimpl

import (
	"errors"

	"github.com/coppice-go/coppice/internal/fromfile"
)

// The errors of package flat, which documents them.
var (
	ErrFull    = errors.New("flat: the tree is full")
	ErrInvalid = fromfile.Invalid("flat: invalid file")
	ErrLimit   = errors.New("flat: beyond the limit")
	ErrRange   = errors.New("flat: out of range")
	ErrFault   = errors.New("flat: mapped memory is gone")
)
