// Package node is the schema of the tree, for `coppice flat`.
package node

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../nodeflat

// Node is an Inner or a Leaf.
//
//flat:sum
//flat:root Node
type Node interface{ isNode() }

// Inner is a node with two children.
type Inner struct{ Left, Right Node }

// Leaf is a node with a value.
type Leaf struct{ Value int32 }

func (*Inner) isNode() {}
func (*Leaf) isNode()  {}
