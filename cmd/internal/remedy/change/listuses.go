package change

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/vet/slicegrowth"
)

// seen returns who may see that a slice has room: what the loop hands out of it would share one array, and what looks at it when the loop has
// panicked would find no nil.
func (s *scene) seen(v *types.Var, room slicegrowth.Room) (why string) {
	loop, again := room.Loop, room.Slice != v.Pos() // a loop around may empty the variable again
	ast.PreorderStack(s.decl, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || why != "" || s.Package.TypesInfo.Uses[name] != v {
			return why == ""
		}
		up, at := around(append(slices.Clone(above), n))
		call, _ := up.(*ast.CallExpr)
		switch {
		case (again || n.Pos() < loop.End()) && slices.ContainsFunc(above, func(n ast.Node) bool { return isLiteralWithout(n, v) }):
			why = "a function literal may see the slice while the loop runs, or after it panicked"
		case call != nil && builtin(s.Package.TypesInfo, call) == "cap":
			why = "the function asks for the capacity of " + v.Name()
		case loop.Pos() <= n.Pos() && n.Pos() < loop.End() && !s.growsOrReads(up, above[:at], name):
			why = "the loop uses " + v.Name() + " for more than append: what it hands out had an array of its own"
		}
		return why == ""
	})
	if why == "" && s.walksWhileGrowing(v) {
		why = "a loop walks " + v.Name() + " while it grows"
	}
	return why
}

// roomSeen says who may see how much room a slice has that leaves the function.
func (s *scene) roomSeen(world *World, v types.Object) (why string) {
	if !s.leaves(v) {
		return ""
	}
	if world.unknown != "" {
		return world.unknown
	}
	own := s.Package.Fset.PositionFor(v.Pos(), false)
	for _, r := range world.Rooms(v.Type()) {
		if !r.Slice.IsValid() || r.Slice == own {
			return "the slice leaves the function, and somebody may see how much room it has: " + r.String()
		}
	}
	return ""
}

// leaves reports whether others may get a slice: it is used for more than append, len, range, and its elements.
func (s *scene) leaves(v types.Object) (found bool) {
	if v, ok := v.(*types.Var); ok && s.isResult(v) {
		return true
	}
	ast.PreorderStack(s.decl, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || found || s.Package.TypesInfo.Uses[name] != v {
			return !found
		}
		up, at := around(append(slices.Clone(above), n))
		found = !s.growsOrReads(up, above[:at], name)
		return !found
	})
	return found
}

// isLiteralWithout tells a function literal that does not declare a variable.
func isLiteralWithout(n ast.Node, v types.Object) bool {
	lit, ok := n.(*ast.FuncLit)
	return ok && !(lit.Pos() <= v.Pos() && v.Pos() < lit.End())
}

// growsOrReads reports whether a use of a slice is v = append(v, ...) without v in what is appended, len(v), an element that is read or set,
// or the list of a loop.
func (s *scene) growsOrReads(up ast.Node, above []ast.Node, name *ast.Ident) bool {
	switch up := up.(type) {
	case *ast.CallExpr:
		switch builtin(s.Package.TypesInfo, up) {
		case "len":
			return true
		case "append":
			assign, ok := above[len(above)-1].(*ast.AssignStmt)
			return ok && up.Args[0] == ast.Expr(name) && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 && assign.Rhs[0] == ast.Expr(up) && s.is(assign.Lhs[0], s.Package.TypesInfo.Uses[name])
		}
	case *ast.AssignStmt:
		call, ok := up.Rhs[0].(*ast.CallExpr)
		return ok && len(up.Lhs) == 1 && up.Lhs[0] == ast.Expr(name) && builtin(s.Package.TypesInfo, call) == "append" && s.is(call.Args[0], s.Package.TypesInfo.Uses[name])
	case *ast.IndexExpr:
		return up.X == ast.Expr(name) && !s.addressOf(append(slices.Clone(above), up))
	case *ast.RangeStmt:
		return up.X == ast.Expr(name)
	}
	return false
}

// addressOf reports whether somebody gets the address of the element at the end of a path, or of a part of it.
func (s *scene) addressOf(path []ast.Node) bool {
	for i := len(path) - 2; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.SelectorExpr:
			if sel := s.Package.TypesInfo.Selections[n]; sel == nil || sel.Kind() != types.FieldVal {
				return true // a method may get the address
			}
			continue
		case *ast.IndexExpr:
			if n.X != path[i+1] {
				return false
			}
			continue
		case *ast.UnaryExpr:
			return n.Op == token.AND
		case *ast.SliceExpr:
			return true
		}
		return false
	}
	return false
}

// is reports whether an expression is a variable.
func (r *Request) is(e ast.Expr, v types.Object) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	return ok && r.Package.TypesInfo.ObjectOf(name) == v
}

// walksWhileGrowing reports whether the body of a loop over a slice appends to it: the loop has the slice as it was, and its array.
func (s *scene) walksWhileGrowing(v types.Object) (found bool) {
	ast.Inspect(s.decl, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if ok && s.is(loop.X, v) {
			ast.Inspect(loop.Body, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				found = found || ok && builtin(s.Package.TypesInfo, call) == "append" && s.is(call.Args[0], v)
				return !found
			})
		}
		return !found
	})
	return found
}
