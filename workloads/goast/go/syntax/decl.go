package syntax

import "github.com/coppice-go/coppice/flat"

// Decl is any declaration of Go.
//
//flat:sum
type Decl interface{ isDecl() }

// Spec is what a declaration with import, const, type or var declares.
//
//flat:sum
type Spec interface{ isSpec() }

type (
	// A BadDecl is what the parser could not read.
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

	// A ValueSpec is constants or variables.
	ValueSpec struct {
		Doc     uint32
		Comment uint32
		Type    Expr
		Names   []*Ident
		Values  []Expr
	}

	// A TypeSpec is a type. At is the place of the =, if there is one.
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
