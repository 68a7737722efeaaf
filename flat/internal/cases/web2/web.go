// Package web2 is a later version of the schema in package web1, with more fields, among them links
// and structs with slices. The file flat.lock of its generated package contains the texts of both
// versions.
package web2

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../web2flat -cpp ../cpp/web2flat.hpp

// Node is a part of a web.
//
//flat:sum
//flat:root Web
//flat:share
//flat:version 2
type Node interface{ isNode() }

// Web contains other nodes, some of them by value.
type Web struct {
	Kids  []Node
	Spots []Spot
	Back  Node `flat:"ref"`
	Own   Knot
	Uses  []*Knot `flat:"ref"`
	Last  Spot
	Later *Hole `flat:"ref"`
	Holes []Hole
}

// Knot has a link in a record without children.
type Knot struct {
	Name string `flat:"intern"`
	On   *Web   `flat:"ref"`
	Prec int    `flat:"bits=5"`
	Up   Node   `flat:"ref"`
	Rank int8   `flat:"bits=3"`
}

// Spot is an inline struct with links and slices.
type Spot struct {
	To    Node   `flat:"ref"`
	Many  []Node `flat:"ref"`
	Holds []Node
	Marks []Mark
	Size  *uint8  `flat:"bits=3"`
	Links [2]Node `flat:"ref"`
	More  []Mark
}

// Mark is a struct in a slice in a struct.
type Mark struct {
	Pair [2]*Knot `flat:"ref"`
	Of   Node
	Also []*Web `flat:"ref"`
}

// Hole is a variant that web1 does not have.
type Hole struct {
	In *Hole `flat:"ref"`
}

func (*Web) isNode()  {}
func (*Knot) isNode() {}
func (*Hole) isNode() {}
