// Package positions is a schema in which all variants of a sum have common fields: at the same
// offset, at different offsets, and with different types.
package positions

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../positionsflat -cpp ../cpp/positionsflat.hpp

// Pos is the position of a node.
type Pos struct {
	Line uint16 // from 1 on
	File string `flat:"intern"`
}

// Node is any variant; each has a position.
//
//flat:sum
//flat:root Node
type Node interface{ isNode() }

// Name is a leaf. Its Weight is at a different offset than in the other variants.
type Name struct {
	Pos
	Weight float64
	Text   string
	Kind   uint8 // not the method Kind of handles
	Same   uint8
	Depth  int `flat:"bits=6"`
	On     bool
	Top    uint8 `flat:"bits=3"`
}

// Block contains other nodes.
type Block struct {
	Pos
	List   []Node
	Weight float64
	Kind   uint8
	Same   uint16 // of another type
	Next   Node
	Top    uint8 `flat:"bits=3"`
	Depth  int   `flat:"bits=6"`
	On     bool
}

// Pair contains two nodes.
type Pair struct {
	Pos
	On     bool
	Depth  int `flat:"bits=6"`
	A, B   Node
	Kind   uint8
	Same   uint8
	Weight float64
	Top    uint8 `flat:"bits=3"`
}

func (*Name) isNode()  {}
func (*Block) isNode() {}
func (*Pair) isNode()  {}
