// Package forty is a schema with forty variants, about as many as the syntax of a language has.
package forty

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../fortyflat -cpp ../cpp/fortyflat.hpp

// Expr is any of the forty.
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
	Op1  struct{ L, R Expr } // operation 1
	Op2  struct{ L, R Expr } // operation 2
	Op3  struct{ L, R Expr } // operation 3
	Op4  struct{ L, R Expr } // operation 4
	Op5  struct{ L, R Expr } // operation 5
	Op6  struct{ L, R Expr } // operation 6
	Op7  struct{ L, R Expr } // operation 7
	Op8  struct{ L, R Expr } // operation 8
	Op9  struct{ L, R Expr } // operation 9
	Op10 struct{ L, R Expr } // operation 10
	Op11 struct{ L, R Expr } // operation 11
	Op12 struct{ L, R Expr } // operation 12
	Op13 struct{ L, R Expr } // operation 13
	Op14 struct{ L, R Expr } // operation 14
	Op15 struct{ L, R Expr } // operation 15
	Op16 struct{ L, R Expr } // operation 16
	Op17 struct{ L, R Expr } // operation 17
	Op18 struct{ L, R Expr } // operation 18
	Op19 struct{ L, R Expr } // operation 19
	Op20 struct{ L, R Expr } // operation 20
	Op21 struct{ L, R Expr } // operation 21
	Op22 struct{ L, R Expr } // operation 22
	Op23 struct{ L, R Expr } // operation 23
	Op24 struct{ L, R Expr } // operation 24
	Op25 struct{ L, R Expr } // operation 25
	Op26 struct{ L, R Expr } // operation 26
	Op27 struct{ L, R Expr } // operation 27
	Op28 struct{ L, R Expr } // operation 28
	Op29 struct{ L, R Expr } // operation 29
	Op30 struct{ L, R Expr } // operation 30
	Op31 struct{ L, R Expr } // operation 31
	Op32 struct{ L, R Expr } // operation 32
	Op33 struct{ L, R Expr } // operation 33
	Op34 struct{ L, R Expr } // operation 34
	Op35 struct{ L, R Expr } // operation 35
	Op36 struct{ L, R Expr } // operation 36
	Op37 struct{ L, R Expr } // operation 37
)

func (*Num) isExpr()  {}
func (*Var) isExpr()  {}
func (*Call) isExpr() {}
func (*Op1) isExpr()  {}
func (*Op2) isExpr()  {}
func (*Op3) isExpr()  {}
func (*Op4) isExpr()  {}
func (*Op5) isExpr()  {}
func (*Op6) isExpr()  {}
func (*Op7) isExpr()  {}
func (*Op8) isExpr()  {}
func (*Op9) isExpr()  {}
func (*Op10) isExpr() {}
func (*Op11) isExpr() {}
func (*Op12) isExpr() {}
func (*Op13) isExpr() {}
func (*Op14) isExpr() {}
func (*Op15) isExpr() {}
func (*Op16) isExpr() {}
func (*Op17) isExpr() {}
func (*Op18) isExpr() {}
func (*Op19) isExpr() {}
func (*Op20) isExpr() {}
func (*Op21) isExpr() {}
func (*Op22) isExpr() {}
func (*Op23) isExpr() {}
func (*Op24) isExpr() {}
func (*Op25) isExpr() {}
func (*Op26) isExpr() {}
func (*Op27) isExpr() {}
func (*Op28) isExpr() {}
func (*Op29) isExpr() {}
func (*Op30) isExpr() {}
func (*Op31) isExpr() {}
func (*Op32) isExpr() {}
func (*Op33) isExpr() {}
func (*Op34) isExpr() {}
func (*Op35) isExpr() {}
func (*Op36) isExpr() {}
func (*Op37) isExpr() {}
