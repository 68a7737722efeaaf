package syntax

import "github.com/coppice-go/coppice/flat"

// Expr is an expression or a type.
//
//flat:sum
type Expr interface{ isExpr() }

type (
	// A BadExpr is source that the parser could not parse.
	BadExpr struct{ From, To uint32 }

	// An Ident is a name.
	Ident struct {
		At   flat.Uint24
		Name string `flat:"intern"`
	}

	// An Ellipsis is the dots in a parameter list or in an array type.
	Ellipsis struct {
		At  flat.Uint24
		Elt Expr
	}

	// An IntLit is an integer literal, as it is written.
	IntLit struct {
		At    flat.Uint24
		Value string `flat:"intern"`
	}

	// A FloatLit is a number with a decimal point or an exponent.
	FloatLit struct {
		At    flat.Uint24
		Value string `flat:"intern"`
	}

	// An ImagLit is an imaginary number.
	ImagLit struct {
		At    flat.Uint24
		Value string `flat:"intern"`
	}

	// A CharLit is a character in quotes.
	CharLit struct {
		At    flat.Uint24
		Value string `flat:"intern"`
	}

	// A StringLit is a string with its quotes.
	StringLit struct {
		At    flat.Uint24
		Value string `flat:"intern"`
	}

	// A FuncLit is a function without a name.
	FuncLit struct {
		Type *FuncType
		Body *BlockStmt
	}

	// A CompositeLit is a composite literal.
	CompositeLit struct {
		Incomplete bool
		Type       Expr
		Lbrace     uint32
		Rbrace     uint32
		Elts       []Expr
	}

	// A ParenExpr is an expression in parentheses.
	ParenExpr struct {
		At     flat.Uint24
		Rparen uint32
		X      Expr
	}

	// A SelectorExpr is an expression and a name. At is the position of the name.
	SelectorExpr struct {
		At  flat.Uint24
		Sel string `flat:"intern"`
		X   Expr
	}

	// An IndexExpr is an expression with one index, or a type with one argument.
	IndexExpr struct {
		At     flat.Uint24
		Rbrack uint32
		X      Expr
		Index  Expr
	}

	// An IndexListExpr is a type with several arguments.
	IndexListExpr struct {
		X       Expr
		Lbrack  uint32
		Rbrack  uint32
		Indices []Expr
	}

	// A SliceExpr is an expression with up to three indexes.
	SliceExpr struct {
		Slice3 bool
		Lbrack uint32
		Rbrack uint32
		X      Expr
		Low    Expr
		High   Expr
		Max    Expr
	}

	// A TypeAssertExpr is a type assertion; without a type it belongs to a type switch.
	TypeAssertExpr struct {
		At     flat.Uint24
		Rparen uint32
		X      Expr
		Type   Expr
	}

	// A CallExpr is a call or a conversion.
	CallExpr struct {
		Fun    Expr
		Lparen uint32
		Rparen uint32
		Args   []Expr
	}

	// A Spread is the last argument of a call if dots follow it. At is the position of the dots.
	Spread struct {
		At flat.Uint24
		X  Expr
	}

	// A StarExpr is a pointer type or a dereference.
	StarExpr struct {
		At flat.Uint24
		X  Expr
	}

	// A UnaryExpr is an operator and an expression.
	UnaryExpr struct {
		Op    Token
		OpPos uint32
		X     Expr
	}

	// A BinaryExpr is an operator between expressions.
	BinaryExpr struct {
		Op    Token
		OpPos uint32
		X     Expr
		Y     Expr
	}

	// A KeyValueExpr is a key and a value in a composite literal. At is the position of the colon.
	KeyValueExpr struct {
		At    flat.Uint24
		Key   Expr
		Value Expr
	}

	// An ArrayType is an array type, or a slice type if it has no length.
	ArrayType struct {
		At  flat.Uint24
		Len Expr
		Elt Expr
	}

	// A StructType is a struct.
	StructType struct {
		Incomplete bool
		Struct     uint32
		Fields     *FieldList
	}

	// A FuncType is a signature. At is the position of the keyword func, if it is written.
	FuncType struct {
		At         flat.Uint24
		TypeParams *FieldList
		Params     *FieldList
		Results    *FieldList
	}

	// An InterfaceType is an interface.
	InterfaceType struct {
		Incomplete bool
		Interface  uint32
		Methods    *FieldList
	}

	// A MapType is a map.
	MapType struct {
		At    flat.Uint24
		Key   Expr
		Value Expr
	}

	// A ChanType is a channel. Dir is an ast.ChanDir.
	ChanType struct {
		Dir   uint8
		Begin uint32
		Arrow uint32
		Value Expr
	}
)

func (*BadExpr) isExpr()        {}
func (*Ident) isExpr()          {}
func (*Ellipsis) isExpr()       {}
func (*IntLit) isExpr()         {}
func (*FloatLit) isExpr()       {}
func (*ImagLit) isExpr()        {}
func (*CharLit) isExpr()        {}
func (*StringLit) isExpr()      {}
func (*FuncLit) isExpr()        {}
func (*CompositeLit) isExpr()   {}
func (*ParenExpr) isExpr()      {}
func (*SelectorExpr) isExpr()   {}
func (*IndexExpr) isExpr()      {}
func (*IndexListExpr) isExpr()  {}
func (*SliceExpr) isExpr()      {}
func (*TypeAssertExpr) isExpr() {}
func (*CallExpr) isExpr()       {}
func (*Spread) isExpr()         {}
func (*StarExpr) isExpr()       {}
func (*UnaryExpr) isExpr()      {}
func (*BinaryExpr) isExpr()     {}
func (*KeyValueExpr) isExpr()   {}
func (*ArrayType) isExpr()      {}
func (*StructType) isExpr()     {}
func (*FuncType) isExpr()       {}
func (*InterfaceType) isExpr()  {}
func (*MapType) isExpr()        {}
func (*ChanType) isExpr()       {}
