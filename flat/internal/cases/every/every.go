// Package every is a schema with a field of every type that flat trees can contain, in every
// position.
package every

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../everyflat -cpp ../cpp/everyflat.hpp

//flat:root Node

// Node is any variant.
//
//flat:sum
type Node interface{ isNode() }

// Leaf is implemented by some of the variants.
//
//flat:sum
type Leaf interface {
	Node
	isLeaf()
}

// Types of the schema, defined from scalars, arrays and slices.
type (
	Flag  bool
	Level int8
	Short int16
	Name  string
	Blob  []byte
	Real  float64
	Vec   [3]float32
	Refs  []Node
)

// Null has no field.
type Null struct{}

// Scalars has one field of each scalar type.
type Scalars struct {
	B   bool
	I8  int8
	U8  uint8
	I16 int16
	U16 uint16
	I32 int32
	U32 uint32
	F32 float32
	I64 int64
	U64 uint64
	F64 float64
	S   string
	T   []byte
}

// Named has fields of the schema's own types.
type Named struct {
	Flag  Flag
	Level Level
	Short Short
	Name  Name
	Blob  Blob
	Real  Real
	Vec   Vec
	Refs  Refs
}

// Optional has fields that may be absent.
type Optional struct {
	B    *bool
	I8   *int8
	I16  *int16
	U32  *uint32
	F32  *float32
	I64  *int64
	F64  *Real
	S    *string
	Name *Name `flat:"intern"`
	L    *Level
}

// Interned has strings that are stored once.
type Interned struct {
	S     string    `flat:"intern"`
	T     []byte    `flat:"intern"`
	List  []string  `flat:"intern"`
	Twice [2]string `flat:"intern"`
}

// Links refers to sums and to variants.
type Links struct {
	Node   Node
	Leaf   Leaf
	Null   *Null
	Self   *Links
	Nodes  []Node
	Leaves [2]Leaf
	Selves []*Links
}

// Lists has slices of everything.
type Lists struct {
	Small   uint16
	Bools   []bool
	Octets  []Octet
	I8      []int8
	I16     []int16
	U16     []uint16
	I32     []int32
	F32     []float32
	I64     []int64
	F64     []Real
	Strings []string
	Blobs   [][]byte
	Vecs    []Vec
	Pairs   []Pair
	Spots   []Spot
	Nodes   []Node
	Grids   [][2][2]int16
	Arms    [][2]Leaf
}

// Octet has the size of a byte, but a slice of Octets is a list of numbers.
type Octet uint8

// Arrays has arrays of everything.
type Arrays struct {
	Bools   [9]bool
	Bytes   [5]byte
	I16     [3]int16
	U32     [2]uint32
	F64     [2]float64
	Strings [2]string
	Blobs   [2]Blob
	Grid    [2][3]int8
	Vecs    [2]Vec
	Leaves  [2]Leaf
	Pairs   [2]Pair
	Nested  [2][2]Pair
}

// Pair is an inline struct with references.
type Pair struct {
	Key   string `flat:"intern"`
	Value Node
	Spot  Spot
}

// Spot is an inline struct of scalars, some of them optional.
type Spot struct {
	Line uint32
	Col  uint16
	On   bool
	End  *uint32
	Hint *uint8
	Note *string
	Big  *int64
}

// Inline contains structs.
type Inline struct {
	On   bool
	At   Spot
	Pair Pair
	Rest []Spot
}

// Full has so many small fields that a count does not fit in the header.
type Full struct {
	A, B, C uint8
	D       bool
	E       int16
	List    []Node
	Other   []uint16
}

// Value is a variant with a value receiver.
type Value struct{ Of Leaf }

// Words has field names that have a meaning in Go.
type Words struct {
	Type   uint8
	Func   string
	Len    int32
	B, N   int16
	W      uint8
	Rest   []int32
	Nil    bool
	ID     uint32
	Data   []int64
	Class  []Node
	String string
}

func (*Null) isNode()     {}
func (*Null) isLeaf()     {}
func (*Scalars) isNode()  {}
func (*Scalars) isLeaf()  {}
func (*Named) isNode()    {}
func (*Optional) isNode() {}
func (*Interned) isNode() {}
func (*Interned) isLeaf() {}
func (*Links) isNode()    {}
func (*Lists) isNode()    {}
func (*Arrays) isNode()   {}
func (*Inline) isNode()   {}
func (*Full) isNode()     {}
func (Value) isNode()     {}
func (*Words) isNode()    {}
