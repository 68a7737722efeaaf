// Package web1 is a schema whose nodes may have several parents. It has links in every position,
// slices in structs, and a later version, which is package web2.
package web1

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../web1flat -cpp ../cpp/web1flat.hpp

// Node is a part of a web.
//
//flat:sum
//flat:root Web
//flat:share
//flat:version 1
type Node interface{ isNode() }

// Web contains other nodes, some of them by value.
type Web struct {
	Kids  []Node
	Spots []Spot
	Back  Node `flat:"ref"`
	Own   Knot
	Uses  []*Knot `flat:"ref"`
}

// Knot has a link in a record without children.
type Knot struct {
	Name string `flat:"intern"`
	On   *Web   `flat:"ref"`
	Prec int    `flat:"bits=5"`
}

// Spot is an inline struct with links and slices.
type Spot struct {
	To    Node   `flat:"ref"`
	Many  []Node `flat:"ref"`
	Holds []Node
	Marks []Mark
}

// Mark is a struct in a slice in a struct.
type Mark struct {
	Pair [2]*Knot `flat:"ref"`
	Of   Node
}

func (*Web) isNode()  {}
func (*Knot) isNode() {}
