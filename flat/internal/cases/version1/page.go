// Package version1 is the first version of a schema; package version2 is a later version of it.
package version1

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../version1flat -cpp ../cpp/version1flat.hpp

// Node is a part of a page.
//
//flat:sum
//flat:root Box
//flat:version 1
type Node interface{ isNode() }

// Size is the size of a part.
type Size struct {
	W, H uint16
}

// Text is a part that contains text.
type Text struct {
	Bold  bool
	Words []string
}

// Run is a struct with slices.
type Run struct {
	Name string
	Cuts []uint16
	Of   []Node
}

// Box is a part that contains other parts.
type Box struct {
	Kind  uint8
	Size  Size
	Sizes []Size
	Kids  []Node
	Edges [2]Size
	Flags []bool
	Long  int64
	Runs  []Run
	Main  Run
	Both  [2]Run
}

func (*Text) isNode() {}
func (*Box) isNode()  {}
