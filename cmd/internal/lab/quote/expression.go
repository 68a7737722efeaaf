package quote

import (
	"errors"
	"go/constant"
	"go/token"
	"go/types"
)

// units defines the constants that an expression may contain.
var units = map[string]float64{"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "KiB": 1 << 10, "MiB": 1 << 20, "k": 1e3, "M": 1e6}

// evaluate computes the value of a constant expression.
func evaluate(expr string) (float64, error) {
	scope := types.NewPackage("figures", "figures")
	for name, value := range units {
		scope.Scope().Insert(types.NewConst(token.NoPos, scope, name, types.Typ[types.UntypedFloat], constant.MakeFloat64(value)))
	}
	result, err := types.Eval(token.NewFileSet(), scope, token.NoPos, expr)
	if err != nil {
		return 0, err
	}
	if result.Value == nil {
		return 0, errors.New("is not a number")
	}
	v, _ := constant.Float64Val(constant.ToFloat(result.Value))
	return v, nil
}
