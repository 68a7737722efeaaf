// Package six is a schema with six variants, few enough for any compiler to generate good code.
package six

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../sixflat

// Expr is any of the six.
//
//flat:sum
//flat:root Expr
type Expr interface{ isExpr() }

// Num is a numeric constant.
type Num struct{ Value float64 }

// Var is a use of a variable by its name.
type Var struct {
	Name string `flat:"intern"`
}

// Call is a call to a function by its name.
type Call struct {
	Fn   string `flat:"intern"`
	Args []Expr
}

// Operations, each with an operand to the left and one to the right.
type (
	Add struct{ L, R Expr } // a sum
	Mul struct{ L, R Expr } // a product
	Pow struct{ L, R Expr } // a power
)

func (*Num) isExpr()  {}
func (*Var) isExpr()  {}
func (*Call) isExpr() {}
func (*Add) isExpr()  {}
func (*Mul) isExpr()  {}
func (*Pow) isExpr()  {}
