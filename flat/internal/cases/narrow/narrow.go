// Package narrow is a schema with fields of 24 bits, in every position.
package narrow

import "github.com/coppice-go/coppice/flat"

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../narrowflat -cpp ../cpp/narrowflat.hpp

//flat:root Node

// Node is any variant.
//
//flat:sum
type Node interface{ isNode() }

// Pos is an alias, not a type of its own.
type Pos = flat.Uint24

// Ident has a position and its kind in one word.
type Ident struct {
	At   Pos    // the first byte, counted from 1
	Name string `flat:"intern"`
}

// Move has signed numbers in the header and in other words.
type Move struct {
	By   flat.Int24
	Fast bool
	// Back is how far the way back is.
	// It may be 0.
	Back  flat.Int24
	From  flat.Uint24
	Level int8
}

// Optional has numbers that may be absent.
type Optional struct {
	U *flat.Uint24
	I *flat.Int24
}

// Lists has slices.
type Lists struct {
	U     []flat.Uint24
	I     []flat.Int24
	Grid  [][2]flat.Int24
	Spans []Span
	Nodes []Node
}

// Arrays has arrays.
type Arrays struct {
	U    [3]flat.Uint24
	I    [2][2]flat.Int24
	Ends [2]Span
}

// Span is an inline struct.
type Span struct {
	On   bool
	From flat.Uint24
	Kind uint8
	By   flat.Int24
	End  *flat.Uint24
}

func (*Ident) isNode()    {}
func (*Move) isNode()     {}
func (*Optional) isNode() {}
func (*Lists) isNode()    {}
func (*Arrays) isNode()   {}
