package change

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/vet/slicegrowth"
)

// AssumedOfRoom is part of the price of each change that gives a list a different capacity, because
// code of other modules may observe the capacity.
const AssumedOfRoom = "assumed of other modules: none reads the capacity of the list, or appends to one list twice; append gave it another capacity. " +
	"This also holds for a list that gets there by a carrier (a context, a sync.Map, a log attribute), a channel, a hook, or a method that the other module looks up"

// Seen describes the code that may observe that a slice has spare capacity. It returns "" if there
// is none. For example, if the loop passes the slice to other code, the passed slices would share
// one array. If the loop panics, code that then inspects the slice would find that it is not nil.
func (s *Scene) Seen(v *types.Var, room slicegrowth.Room) (why string) {
	loop, again := room.Loop, room.Slice != v.Pos() // an enclosing loop may reset the variable
	ast.PreorderStack(s.Decl, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || why != "" || s.Package.TypesInfo.Uses[name] != v {
			return why == ""
		}
		up, at := Around(append(slices.Clone(above), n))
		call, _ := up.(*ast.CallExpr)
		switch {
		case (again || n.Pos() < loop.End()) && slices.ContainsFunc(above, func(n ast.Node) bool { return isLiteralWithout(n, v) }):
			why = "a function literal may see the slice while the loop runs, or after it panicked"
		case call != nil && Builtin(s.Package.TypesInfo, call) == "cap":
			why = "the function reads the capacity of " + v.Name()
		case loop.Pos() <= n.Pos() && n.Pos() < loop.End() && !s.growsOrReads(up, above[:at], name):
			why = "the loop uses " + v.Name() + " for more than append: slices that it hands out had arrays of their own"
		}
		return why == ""
	})
	if why == "" && s.WalksWhileGrowing(v) {
		why = "a loop walks " + v.Name() + " while it grows"
	}
	return why
}

// RoomSeen describes the code that may observe the capacity of a slice that leaves the function. It
// returns "" if there is none, or if the slice does not leave the function.
func (s *Scene) RoomSeen(world *World, v types.Object) (why string) {
	if !s.leaves(v) {
		return ""
	}
	if world.unknown != "" {
		return world.unknown
	}
	own := s.Package.Fset.PositionFor(v.Pos(), false)
	for _, r := range world.Rooms(v.Type()) {
		if !r.Slice.IsValid() || r.Slice == own {
			return "the slice leaves the function, so other code may see its capacity: " + r.String()
		}
	}
	return ""
}

// leaves reports whether other code may get a slice. It returns true if the function uses the slice
// for anything other than append, len, range and element access.
func (s *Scene) leaves(v types.Object) (found bool) {
	if v, ok := v.(*types.Var); ok && s.IsResult(v) {
		return true
	}
	ast.PreorderStack(s.Decl, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || found || s.Package.TypesInfo.Uses[name] != v {
			return !found
		}
		up, at := Around(append(slices.Clone(above), n))
		found = !s.growsOrReads(up, above[:at], name)
		return !found
	})
	return found
}

// isLiteralWithout reports whether a node is a function literal that does not declare v.
func isLiteralWithout(n ast.Node, v types.Object) bool {
	lit, ok := n.(*ast.FuncLit)
	return ok && !(lit.Pos() <= v.Pos() && v.Pos() < lit.End())
}

// growsOrReads reports whether a slice is used only to append to it or to access its elements. It
// accepts the name as the first argument in v = append(v, ...), as the argument of len, in an index
// expression, and as the operand of a range loop.
func (s *Scene) growsOrReads(up ast.Node, above []ast.Node, name *ast.Ident) bool {
	switch up := up.(type) {
	case *ast.CallExpr:
		switch Builtin(s.Package.TypesInfo, up) {
		case "len":
			return true
		case "append":
			assign, ok := above[len(above)-1].(*ast.AssignStmt)
			return ok && up.Args[0] == ast.Expr(name) && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 && assign.Rhs[0] == ast.Expr(up) && s.denotes(assign.Lhs[0], s.Package.TypesInfo.Uses[name])
		}
	case *ast.AssignStmt:
		call, ok := up.Rhs[0].(*ast.CallExpr)
		return ok && len(up.Lhs) == 1 && up.Lhs[0] == ast.Expr(name) && Builtin(s.Package.TypesInfo, call) == "append" && s.denotes(call.Args[0], s.Package.TypesInfo.Uses[name])
	case *ast.IndexExpr:
		return up.X == ast.Expr(name) && !s.AddressOf(append(slices.Clone(above), up))
	case *ast.RangeStmt:
		return up.X == ast.Expr(name)
	}
	return false
}

// AddressOf reports whether the program takes the address of the element at the end of a path, or
// of a part of the element.
func (s *Scene) AddressOf(path []ast.Node) bool {
	for i := len(path) - 2; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.SelectorExpr:
			if sel := s.Package.TypesInfo.Selections[n]; sel == nil || sel.Kind() != types.FieldVal {
				return true // a method may get the address of the element
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

// denotes reports whether an expression denotes a given variable.
func (r *Request) denotes(e ast.Expr, v types.Object) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	return ok && r.Package.TypesInfo.ObjectOf(name) == v
}

// WalksWhileGrowing reports whether a loop over a slice appends to the same slice. Such a loop
// continues to iterate over the old slice and its array.
func (s *Scene) WalksWhileGrowing(v types.Object) (found bool) {
	ast.Inspect(s.Decl, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if ok && s.denotes(loop.X, v) {
			for _, part := range []ast.Node{loop.Key, loop.Value, loop.Body} { // the append may be in the key or value expression
				if part == nil {
					continue
				}
				ast.Inspect(part, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					found = found || ok && Builtin(s.Package.TypesInfo, call) == "append" && s.denotes(call.Args[0], v)
					return !found
				})
			}
		}
		return !found
	})
	return found
}

// Grown returns the variable to which a site appends, or the reason that there is none.
func (s *Scene) Grown(of *site.Site) (v *types.Var, why string) {
	call, ok := s.Path[len(s.Path)-1].(*ast.CallExpr)
	if !ok || of.Facts.Kind != site.Append || len(call.Args) == 0 {
		return nil, "it is not an append"
	}
	if g := of.Facts.Grows; g != nil {
		return nil, fmt.Sprintf("each %s has a slice of its own (%s), and nothing in the source shows how long it gets: choose a capacity by hand", strings.TrimPrefix(g.Type, "*"), g.How)
	}
	name, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	if !ok {
		return nil, "the slice is not a variable of the function"
	}
	v, ok = s.Package.TypesInfo.Uses[name].(*types.Var)
	if !ok || v.Parent() == s.Package.Types.Scope() {
		return nil, "the slice is not a variable of the function"
	}
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return nil, "the type of the slice is a type parameter"
	}
	return v, ""
}

// SizeOf returns the size of a type in bytes. If the size depends on a type parameter, SizeOf
// returns the size of a word.
func (s *Scene) SizeOf(t types.Type) int64 {
	if typekey.DependsOnParameter(t) {
		return s.Package.TypesSizes.Sizeof(types.Typ[types.Uintptr])
	}
	return s.Package.TypesSizes.Sizeof(t)
}

// IsResult reports whether a variable is a named result of a function.
func (s *Scene) IsResult(v *types.Var) (found bool) {
	ast.Inspect(s.Decl, func(n ast.Node) bool {
		if t, ok := n.(*ast.FuncType); ok && t.Results != nil {
			found = found || t.Results.Pos() <= v.Pos() && v.Pos() < t.Results.End()
		}
		return !found
	})
	return found
}

// HasPointers reports whether values of a type contain pointers.
func HasPointers(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsString != 0 || t.Kind() == types.UnsafePointer
	case *types.Array:
		return HasPointers(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if HasPointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}
