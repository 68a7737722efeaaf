// Package version2 is a later version of the schema in package version1, with more variants and
// fields. The file flat.lock of its generated package contains the texts of both versions.
package version2

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../version2flat -cpp ../cpp/version2flat.hpp

// Node is a part of a page.
//
//flat:sum
//flat:root Box
//flat:version 2
type Node interface{ isNode() }

// Size is the size of a part.
type Size struct {
	W, H  uint16
	Unit  uint8
	Grow  *float64
	Marks []int8
}

// Text is a part that contains text.
type Text struct {
	Bold  bool
	Words []string
	Style *uint16
	Sub   bool
	Lang  string
}

// Run is a struct with slices.
type Run struct {
	Name  string
	Cuts  []uint16
	Of    []Node
	Style uint8
	Subs  []Size
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
	Level uint16
	Notes []*Text
	Size2 Size
	Pair  [2]Run
}

// Image is a variant that version1 does not have.
type Image struct{ Data []byte }

func (*Text) isNode()  {}
func (*Box) isNode()   {}
func (*Image) isNode() {}
