package own

import (
	"go/ast"
	"go/token"
	"go/types"
)

// These are the kinds of panics that an expression may cause, as bits of a set. All nil pointer
// dereferences are of one kind, because they have the same message; the messages of other panics
// differ.
const (
	nilPanic = 1 << iota
	anotherPanic
)

// panicsBelow returns the kinds of panics that the parts of a site may cause, not including panics
// inside calls.
func (p *pass) panicsBelow(site ast.Node) (all int) {
	ast.Inspect(site, func(n ast.Node) bool {
		if _, literal := n.(*ast.FuncLit); literal || n == nil {
			return false
		}
		if n != site {
			all |= p.panicOf(n)
		}
		return true
	})
	return all
}

// panicOf returns the kind of panic that a node itself may cause, not including the nodes below it.
func (p *pass) panicOf(n ast.Node) int {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return p.panicOfBinary(n)
	case *ast.IndexExpr:
		return p.panicOfIndex(n)
	case *ast.SliceExpr, *ast.TypeAssertExpr:
		return anotherPanic
	case *ast.StarExpr:
		if p.TypesInfo.Types[n].IsValue() {
			return nilPanic
		}
	case *ast.SelectorExpr:
		return p.panicOfSelector(n)
	case *ast.CompositeLit:
		if m, ok := p.TypesInfo.TypeOf(n).Underlying().(*types.Map); ok && !comparesAlways(m.Key()) {
			return anotherPanic
		}
	case *ast.CallExpr:
		return p.panicOfCall(n)
	}
	return 0
}

// panicOfBinary returns the kind of panic that a binary operation may cause. The compiler has
// already checked constant divisors and shift counts.
func (p *pass) panicOfBinary(n *ast.BinaryExpr) int {
	x, y := p.TypesInfo.Types[n.X], p.TypesInfo.Types[n.Y]
	b, basic := y.Type.Underlying().(*types.Basic)
	switch n.Op {
	case token.QUO, token.REM:
		if basic && y.Value == nil && b.Info()&types.IsInteger != 0 {
			return anotherPanic
		}
	case token.SHL, token.SHR:
		if basic && y.Value == nil && b.Info()&types.IsUnsigned == 0 {
			return anotherPanic
		}
	case token.EQL, token.NEQ:
		if !x.IsNil() && !y.IsNil() && !comparesAlways(x.Type) && !comparesAlways(y.Type) {
			return anotherPanic
		}
	}
	return 0
}

func (p *pass) panicOfIndex(n *ast.IndexExpr) int {
	if !p.TypesInfo.Types[n.X].IsValue() {
		return 0
	}
	switch t := p.TypesInfo.TypeOf(n.X).Underlying().(type) {
	case *types.Map:
		if comparesAlways(t.Key()) {
			return 0
		}
	case *types.Array:
		if p.TypesInfo.Types[n.Index].Value != nil {
			return 0
		}
	case *types.Pointer:
		return nilPanic | anotherPanic
	case *types.Signature: // a function with type arguments
		return 0
	}
	return anotherPanic
}

// panicOfSelector returns the kind of panic that a selector may cause: a field selection through a
// pointer, a method value of an interface, or a method that copies its receiver through a pointer.
func (p *pass) panicOfSelector(n *ast.SelectorExpr) int {
	s := p.TypesInfo.Selections[n]
	if s == nil || s.Kind() == types.MethodExpr {
		return 0
	}
	follows := s.Indirect()
	if s.Kind() == types.MethodVal && len(s.Index()) == 1 {
		_, pointer := s.Recv().Underlying().(*types.Pointer)
		_, byAddress := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
		follows = pointer && !byAddress || types.IsInterface(s.Recv())
	}
	if follows && !p.neverNil(n) {
		return nilPanic
	}
	return 0
}

// neverNil reports whether a selector dereferences a parameter that is known not to be nil at the
// selector.
func (p *pass) neverNil(n *ast.SelectorExpr) bool {
	name, ok := ast.Unparen(n.X).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := p.TypesInfo.Uses[name].(*types.Var)
	return ok && !p.callers.reassign[v] && p.notNil(v, n)
}

// panicOfCall returns the kind of panic that a conversion or a builtin may cause. The methods Calls
// and callsBeside handle calls to other functions.
func (p *pass) panicOfCall(n *ast.CallExpr) int {
	fun := p.TypesInfo.Types[n.Fun]
	switch {
	case fun.IsType():
		if _, list := p.TypesInfo.TypeOf(n.Args[0]).Underlying().(*types.Slice); list && !isList(p.TypesInfo.TypeOf(n)) {
			return anotherPanic // a conversion from a slice to an array
		}
	case fun.IsBuiltin():
		name, ok := ast.Unparen(n.Fun).(*ast.Ident)
		if !ok { // a function of package unsafe
			return anotherPanic
		}
		if name.Name != "make" {
			return 0
		}
		for _, size := range n.Args[1:] {
			if p.TypesInfo.Types[size].Value == nil {
				return anotherPanic
			}
		}
	}
	return 0
}

// comparesAlways reports whether comparing values of a type never panics, because the type contains
// no interface.
func comparesAlways(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return comparesAlways(t.Elem())
	case *types.Struct:
		for field := range t.Fields() {
			if !comparesAlways(field.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// isList reports whether a type is a slice or string type. Converting a slice to such a type cannot
// panic; converting it to an array can.
func isList(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Basic:
		return true
	}
	return false
}
