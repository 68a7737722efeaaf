// Package expr is arithmetic with variables and calls: the schema of the example in docs/FLAT.md.
package expr

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../exprflat -cpp ../exprflat/exprflat.hpp

// Expr is an expression.
//
//flat:sum
//flat:root Expr
type Expr interface{ isExpr() }

// Op is an operator.
type Op uint8

// The operators.
const (
	Add Op = iota
	Sub
	Mul
	Div
)

// Num is a number.
type Num struct{ Value float64 }

// Var is a variable.
type Var struct {
	Name string `flat:"intern"` // equal names are kept once
}

// Bin is an operation.
type Bin struct {
	Op   Op
	L, R Expr
}

// Call is a call to a function.
type Call struct {
	Fn   string
	Args []Expr
	Doc  *string // a pointer to a scalar or a string: optional
}

func (*Num) isExpr()  {}
func (*Var) isExpr()  {}
func (*Bin) isExpr()  {}
func (*Call) isExpr() {}
