// Package ast is a schema with the features that declarations of real syntax trees use: structs
// that point to themselves, embedded structs, slices in structs, structs by value, integers whose
// size depends on the machine, and integers of a few bits.
package ast

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../astflat -cpp ../cpp/astflat.hpp

// The root is a struct that does not belong to a sum.
//
//flat:root File

// Stmt is any statement.
//
//flat:sum
type Stmt interface{ isStmt() }

// Expr is any expression.
//
//flat:sum
type Expr interface{ isExpr() }

// A File is the root of a tree.
type File struct {
	Content        // promoted: its statements and names
	Size    int    // in bytes
	Hash    uint   // of the source
	First   *Scope // a pointer makes a struct a node, which may be nil
	Tops    []*Scope
	Nests   []Nest
	Text    string
}

// Pos is a position in the source.
type Pos struct {
	Line int    `flat:"bits=20"` // from 1
	Col  uint16 `flat:"bits=10"` // from 1
	Open bool
}

// Counts are embedded in embedded structs.
type Counts struct {
	Uses  uint8 `flat:"bits=7"`
	Depth int8  `flat:"bits=4"`
}

// A Level is an integer that is embedded.
type Level int16

// A Block is a statement, which other structs contain by value.
type Block struct{ Content }

// Content is embedded, and embeds another struct.
type Content struct {
	Pos
	List  []Stmt
	Names []string `flat:"intern"`
}

// A Scope refers to itself.
type Scope struct {
	Counts
	Level
	Up    *Scope
	Inner []*Scope
	Tag   *int `flat:"bits=31"`
}

// A Nest has a slice of its own type, by value.
type Nest struct {
	Name string
	Kids []Nest
}

// Params is an inline struct with slices.
type Params struct {
	Rest Expr
	Kind []int8 // the items share words
	Bits []bool
	List []Param
}

// A Param is a struct in a slice in a struct, with slices of its own.
type Param struct {
	Name  string `flat:"intern"`
	Type  Expr
	At    []Pos
	Marks []Mark
}

// A Mark is a struct in a slice in a struct in a slice in a struct.
type Mark struct {
	On    bool
	Exprs []Expr
	Grid  [][2]int16
}

// Pair has structs with slices in an array.
type Pair struct {
	Both [2]Params
	More int
}

// A Case is an item with a list.
type Case struct {
	Cond Expr
	Body []Stmt
}

// A Func contains a node by value, slices in structs, and more than four fields.
type Func struct {
	Pos
	// Name is what it is called.
	// It may be empty.
	Name   string
	Params Params
	Body   Block
	Blocks []Block
	Ends   [2]Block
	Async  bool
}

// A Switch has two slices; the items of the first have slices, but those of the last do not.
type Switch struct {
	Label string
	Cases []Case
	Init  []Expr
}

// A Choice has arrays of structs with slices, also in lists.
type Choice struct {
	Pair  Pair
	Pairs []Pair
	Arms  [][2]Case
}

// A Call has a slice in a struct only.
type Call struct {
	Fn   Expr
	Args Args
}

// Args is a struct with nothing but a slice.
type Args struct{ List []Expr }

// Num is a number. All of its fields share the header.
type Num struct {
	Base uint8  `flat:"bits=6"`
	Exp  int64  `flat:"bits=11"`
	Sub  *uint8 `flat:"bits=3"`
}

// An Int has fields of the types int and uint, whose size depends on the machine.
type Int struct {
	Value int
	Also  []int
	Maybe *uint
	Both  [2]uint
}

func (*Block) isStmt()  {}
func (*Func) isStmt()   {}
func (*Switch) isStmt() {}
func (*Choice) isStmt() {}
func (*Func) isExpr()   {}
func (*Call) isExpr()   {}
func (*Num) isExpr()    {}
func (*Int) isExpr()    {}
