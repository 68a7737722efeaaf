package syntax

import "github.com/coppice-go/coppice/flat"

// Decl is any declaration of Go.
//
//flat:sum
type Decl interface{ isDecl() }

// Spec is one specification of an import, const, type or var declaration.
//
//flat:sum
type Spec interface{ isSpec() }

type (
	// A BadDecl is source that the parser could not parse.
	BadDecl struct{ From, To uint32 }

	// A GenDecl is an import, const, type or var declaration.
	GenDecl struct {
		Tok    Token
		TokPos uint32
		Lparen uint32
		Rparen uint32
		Doc    uint32
		Specs  []Spec
	}

	// A FuncDecl is a function or method.
	FuncDecl struct {
		Doc  uint32
		Recv *FieldList
		Name *Ident
		Type *FuncType
		Body *BlockStmt
	}

	// An ImportSpec is an import.
	ImportSpec struct {
		Doc     uint32
		Comment uint32
		EndPos  uint32
		Name    *Ident
		Path    *StringLit
	}

	// A ValueSpec declares constants or variables.
	ValueSpec struct {
		Doc     uint32
		Comment uint32
		Type    Expr
		Names   []*Ident
		Values  []Expr
	}

	// A TypeSpec declares a type. At is the position of the =, if there is one.
	TypeSpec struct {
		At         flat.Uint24
		Doc        uint32
		Comment    uint32
		Name       *Ident
		TypeParams *FieldList
		Type       Expr
	}
)

func (*BadDecl) isDecl()  {}
func (*GenDecl) isDecl()  {}
func (*FuncDecl) isDecl() {}

func (*ImportSpec) isSpec() {}
func (*ValueSpec) isSpec()  {}
func (*TypeSpec) isSpec()   {}
