package syntax

import "github.com/coppice-go/coppice/flat"

// Stmt is any statement of Go.
//
//flat:sum
type Stmt interface{ isStmt() }

type (
	// A BadStmt is source that the parser could not parse.
	BadStmt struct{ From, To uint32 }

	// A DeclStmt is a declaration in a function.
	DeclStmt struct{ Decl Decl }

	// An EmptyStmt is a semicolon, which may be implicit.
	EmptyStmt struct {
		Implicit  bool
		Semicolon uint32
	}

	// A LabeledStmt is a statement with a label.
	LabeledStmt struct {
		At    flat.Uint24
		Label *Ident
		Stmt  Stmt
	}

	// An ExprStmt is an expression, usually a call.
	ExprStmt struct{ X Expr }

	// A SendStmt sends to a channel.
	SendStmt struct {
		At    flat.Uint24
		Chan  Expr
		Value Expr
	}

	// An IncDecStmt is x++ or x--.
	IncDecStmt struct {
		Tok    Token
		TokPos uint32
		X      Expr
	}

	// An AssignStmt is an assignment or a short declaration.
	AssignStmt struct {
		Tok    Token
		TokPos uint32
		Lhs    []Expr
		Rhs    []Expr
	}

	// A GoStmt is a go statement.
	GoStmt struct {
		At   flat.Uint24
		Call *CallExpr
	}

	// A DeferStmt is a defer statement.
	DeferStmt struct {
		At   flat.Uint24
		Call *CallExpr
	}

	// A ReturnStmt is a return statement.
	ReturnStmt struct {
		Return  uint32
		Results []Expr
	}

	// A BranchStmt is break, continue, goto or fallthrough.
	BranchStmt struct {
		Tok    Token
		TokPos uint32
		Label  *Ident
	}

	// A BlockStmt is a list of statements in braces.
	BlockStmt struct {
		Lbrace uint32
		Rbrace uint32
		List   []Stmt
	}

	// An IfStmt is an if statement.
	IfStmt struct {
		At   flat.Uint24
		Init Stmt
		Cond Expr
		Body *BlockStmt
		Else Stmt
	}

	// A CaseClause is a case of a switch, or the default if it has no list.
	CaseClause struct {
		Case  uint32
		Colon uint32
		List  []Expr
		Body  []Stmt
	}

	// A SwitchStmt is an expression switch.
	SwitchStmt struct {
		At   flat.Uint24
		Init Stmt
		Tag  Expr
		Body *BlockStmt
	}

	// A TypeSwitchStmt is a type switch statement.
	TypeSwitchStmt struct {
		At     flat.Uint24
		Init   Stmt
		Assign Stmt
		Body   *BlockStmt
	}

	// A CommClause is a case of a select, or the default if Comm is nil.
	CommClause struct {
		Case  uint32
		Colon uint32
		Comm  Stmt
		Body  []Stmt
	}

	// A SelectStmt is a select statement.
	SelectStmt struct {
		At   flat.Uint24
		Body *BlockStmt
	}

	// A ForStmt is a for statement without range.
	ForStmt struct {
		At   flat.Uint24
		Init Stmt
		Cond Expr
		Post Stmt
		Body *BlockStmt
	}

	// A RangeStmt is a for statement with range.
	RangeStmt struct {
		Tok    Token
		For    uint32
		TokPos uint32
		Range  uint32
		Key    Expr
		Value  Expr
		X      Expr
		Body   *BlockStmt
	}
)

func (*BadStmt) isStmt()        {}
func (*DeclStmt) isStmt()       {}
func (*EmptyStmt) isStmt()      {}
func (*LabeledStmt) isStmt()    {}
func (*ExprStmt) isStmt()       {}
func (*SendStmt) isStmt()       {}
func (*IncDecStmt) isStmt()     {}
func (*AssignStmt) isStmt()     {}
func (*GoStmt) isStmt()         {}
func (*DeferStmt) isStmt()      {}
func (*ReturnStmt) isStmt()     {}
func (*BranchStmt) isStmt()     {}
func (*BlockStmt) isStmt()      {}
func (*IfStmt) isStmt()         {}
func (*CaseClause) isStmt()     {}
func (*SwitchStmt) isStmt()     {}
func (*TypeSwitchStmt) isStmt() {}
func (*CommClause) isStmt()     {}
func (*SelectStmt) isStmt()     {}
func (*ForStmt) isStmt()        {}
func (*RangeStmt) isStmt()      {}
