// Package flatimpl is what generated packages of flat trees call; people read package flat. It has the buffer and
// its nodes, the Builder, files and their validation, traversals and conversions. Its API follows the generator: a
// change of one changes the other, and the generation of [Generation4].
//
// Generated types restrict what programs can do; most functions here do not check again what those types
// ensure. docs/decisions has the reasons for the design: 0009 for trees and handles, 0011 for types and checks, and
// 0012 for the limits of files.
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
