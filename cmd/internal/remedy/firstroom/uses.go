package firstroom

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// A slice with spare capacity keeps its array for longer while it grows. Other code can observe
// this if two variables share the array, and one sets an element that the other reads, or both
// append. So a slice gets capacity only if no other variable refers to it while it grows, and if
// its function returns it only at the end.

// refuse describes the code that may observe the new capacity of the slice. It returns "" if there
// is none.
func (g *growing) refuse(world *change.World) (why string) {
	within := []ast.Node{g.Decl}
	if g.v.IsField() {
		owner, why := g.owner()
		if why != "" {
			return why
		}
		if why := world.Confined(g.Package.PkgPath, owner.Name()); why != "" {
			return why
		}
		if why := g.single(owner); why != "" {
			return why
		}
		within = nil
		for _, file := range g.Package.Syntax {
			within = append(within, file)
		}
	} else if g.parameter() {
		return "the slice is a parameter, and the caller holds it too"
	}
	if why := world.Pinned(g.elem()); why != "" {
		return why // a removed element would stay in the array for longer
	}
	u := uses{growing: g, appends: map[token.Position]bool{}}
	if !g.v.IsField() {
		u.begins()
	}
	for _, n := range within {
		ast.PreorderStack(n, nil, func(n ast.Node, above []ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok && u.why == "" && g.Package.TypesInfo.Uses[name] == g.v {
				u.use(append(slices.Clone(above), n))
			}
			return u.why == ""
		})
	}
	if u.why == "" && g.IsResult(g.v) {
		u.returned = true
		if g.defers(g.Decl.Body) {
			u.why = "a deferred function may see the slice"
		}
	}
	switch {
	case u.why != "":
		return u.why
	case !u.returned:
		return ""
	case u.cut:
		return "the slice is returned, and filled again from the beginning"
	case u.inLiteral:
		return "the slice is returned, and a function literal reads it"
	}
	for _, r := range world.Rooms(g.v.Type()) {
		if !u.appends[r.At] && (!r.Slice.IsValid() || r.Slice == g.at(g.v.Pos())) {
			return "the slice leaves the function, so other code may see its capacity: " + r.String()
		}
	}
	return ""
}

func (g *growing) at(pos token.Pos) token.Position { return g.Package.Fset.PositionFor(pos, false) }

// owner returns the struct type that declares the field, or the reason that the struct is not
// suitable.
func (g *growing) owner() (owner *types.TypeName, why string) {
	t := g.Package.TypesInfo.TypeOf(g.list.(*ast.SelectorExpr).X)
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.TypeParams().Len() > 0 || n.Obj().Parent() != g.Package.Types.Scope() {
		return nil, "the struct that has the slice is generic, has no name, or is in another package"
	}
	return n.Obj(), ""
}

// parameter reports whether the variable is a parameter or a receiver.
func (g *growing) parameter() (found bool) {
	ast.Inspect(g.Decl, func(n ast.Node) bool {
		if t, ok := n.(*ast.FuncType); ok && t.Params != nil {
			found = found || t.Params.Pos() <= g.v.Pos() && g.v.Pos() < t.Params.End()
		}
		return !found
	})
	return found
}

// defers reports whether a function body contains a defer statement.
func (g *growing) defers(body *ast.BlockStmt) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		_, ok := n.(*ast.DeferStmt)
		found = found || ok
		return !found
	})
	return found
}

// uses summarizes the uses of a slice.
type uses struct {
	*growing
	appends   map[token.Position]bool // positions of appends to the slice itself
	returned  bool                    // whether the function that declares the slice returns it
	cut       bool                    // whether the slice is shortened and filled again
	inLiteral bool                    // whether a function literal reads the slice
	why       string                  // objection to the change; empty if there is none
}

// use checks one use of the slice. The path ends with the variable's or field's name.
func (u *uses) use(path []ast.Node) {
	i := len(path) - 1
	if u.v.IsField() {
		switch up := path[i-1].(type) {
		case *ast.KeyValueExpr: // S{f: x}
			if up.Key == path[i] {
				u.set(up.Value)
				return
			}
		case *ast.SelectorExpr:
			if up.Sel == path[i] {
				i--
			}
		}
		if i == len(path)-1 {
			u.against(path, "is used in an unknown way")
			return
		}
	}
	e := path[i].(ast.Expr)
	up, at := change.Around(path[:i+1])
	literal := u.literalAround(path)
	switch up := up.(type) {
	case *ast.CallExpr:
		if u.call(up, e, path[at-1], literal) {
			return
		}
	case *ast.AssignStmt:
		for j, left := range up.Lhs {
			if left == e && up.Tok == token.ASSIGN && len(up.Lhs) == len(up.Rhs) {
				u.assigned(e, up.Rhs[j])
				return
			}
		}
	case *ast.BinaryExpr: // a comparison with nil
		u.inLiteral = u.inLiteral || literal
		return
	case *ast.SliceExpr:
		if assign, ok := path[at-1].(*ast.AssignStmt); ok && up.X == e && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 && u.sameSlice(assign.Lhs[0], e) && u.within(up) {
			u.cut = true
			return
		}
	case *ast.IndexExpr:
		if up.X == e && !u.AddressOf(path[:at+1]) {
			u.inLiteral = u.inLiteral || literal
			return
		}
	case *ast.RangeStmt:
		alone := !u.v.IsField() && !u.locals.Shared(u.v)
		if up.X == e && isName(up.Key) && isName(up.Value) && (up.Value == nil || (alone || !u.Calls(up.Body)) && !u.appendsIn(up.Body)) { // without a value the loop uses only the length
			u.inLiteral = u.inLiteral || literal
			return
		}
	case *ast.ReturnStmt:
		if !literal && (u.IsResult(u.v) || u.declares(path) && !u.defers(u.declOf(path).Body)) { // for a named result, the method refuse checks the same
			u.returned = true
			return
		}
	}
	u.against(path, "is handed out, or used for more than append, len and its elements")
}

// isName reports whether an expression is a name or nil.
func isName(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return e == nil || ok
}

// within reports whether a slice expression stays within the length of the slice, as do s[i:],
// s[:0] and s[:len(s)-1].
func (u *uses) within(cut *ast.SliceExpr) bool {
	switch high := cut.High.(type) {
	case nil:
		return true
	case *ast.BasicLit:
		return high.Value == "0" && cut.Max == nil
	case *ast.BinaryExpr:
		call, ok := high.X.(*ast.CallExpr)
		return ok && high.Op == token.SUB && cut.Max == nil && change.Builtin(u.Package.TypesInfo, call) == "len" && u.sameSlice(call.Args[0], cut.X) && isCount(high.Y)
	}
	return false
}

func isCount(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.INT
}

// call reports whether a call that has the slice as an argument is harmless. Harmless calls append
// to the slice, append its elements to another slice, or get its length.
func (u *uses) call(call *ast.CallExpr, e ast.Expr, above ast.Node, literal bool) bool {
	switch change.Builtin(u.Package.TypesInfo, call) {
	case "append":
		assign, ok := above.(*ast.AssignStmt)
		if ok && call.Args[0] == e && len(assign.Lhs) == 1 && len(assign.Rhs) == 1 && assign.Rhs[0] == ast.Expr(call) && u.sameSlice(assign.Lhs[0], e) {
			u.appends[u.at(call.Pos())] = true
			return true
		}
		if call.Ellipsis.IsValid() && call.Args[0] != e { // append copies the elements of the slice
			u.inLiteral = u.inLiteral || literal
			return true
		}
	case "len":
		u.inLiteral = u.inLiteral || literal
		return true
	}
	return false
}

// against records an objection to the change, with its position.
func (u *uses) against(path []ast.Node, what string) {
	at := u.at(path[len(path)-1].Pos())
	u.why = fmt.Sprintf("%s %s at %s:%d", u.v.Name(), what, filepath.Base(at.Filename), at.Line)
}

// begins checks the initial value of a local variable.
func (u *uses) begins() {
	ast.PreorderStack(u.Decl, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || u.Package.TypesInfo.Defs[name] != u.v {
			return true
		}
		var names []ast.Node
		var values []ast.Expr
		switch up := above[len(above)-1].(type) {
		case *ast.AssignStmt:
			if _, header := above[len(above)-2].(*ast.ForStmt); header {
				u.against([]ast.Node{n}, "is a new variable in each iteration, and all share one slice")
				return true
			}
			for _, left := range up.Lhs {
				names = append(names, left)
			}
			values = up.Rhs
		case *ast.ValueSpec:
			for _, name := range up.Names {
				names = append(names, name)
			}
			values = up.Values
			if len(values) == 0 {
				return true
			}
		case *ast.Field: // a named result
			return true
		}
		if len(names) != len(values) || len(values) == 0 {
			u.against([]ast.Node{n}, "gets a slice that other code may hold")
			return true
		}
		u.set(values[slices.Index(names, n)])
		return true
	})
}

// set checks a value that is assigned to the slice. No other variable may refer to this value.
func (u *uses) set(value ast.Expr) {
	info := u.Package.TypesInfo
	switch e := ast.Unparen(value).(type) {
	case *ast.CompositeLit:
		return
	case *ast.CallExpr:
		if change.Builtin(info, e) == "make" {
			return
		}
	}
	if !info.Types[value].IsNil() {
		u.against([]ast.Node{value}, "gets a slice that other code may hold")
	}
}

// assigned checks an assignment to the slice.
func (u *uses) assigned(list, value ast.Expr) {
	switch e := ast.Unparen(value).(type) {
	case *ast.CallExpr:
		if change.Builtin(u.Package.TypesInfo, e) == "append" && u.sameSlice(e.Args[0], list) {
			return
		}
	case *ast.SliceExpr:
		if u.sameSlice(e.X, list) && u.within(e) {
			return
		}
	}
	u.set(value)
}

// sameSlice reports whether two expressions denote the slice of the same variable.
func (u *uses) sameSlice(a, b ast.Expr) bool {
	a, b = ast.Unparen(a), ast.Unparen(b)
	return u.variable(a) == u.v && u.variable(b) == u.v && u.base(a) == u.base(b)
}

// literalAround reports whether a use is inside a function literal that does not declare the
// variable.
func (u *uses) literalAround(path []ast.Node) bool {
	return slices.ContainsFunc(path, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		return ok && !(lit.Pos() <= u.v.Pos() && u.v.Pos() < lit.End())
	})
}

// appendsIn reports whether a node appends to the slice.
func (u *uses) appendsIn(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		found = found || ok && change.Builtin(u.Package.TypesInfo, call) == "append" && u.variable(ast.Unparen(call.Args[0])) == u.v
		return !found
	})
	return found
}

// declOf returns the declaration of the function in which a use occurs.
func (u *uses) declOf(path []ast.Node) *ast.FuncDecl {
	for _, n := range path {
		if decl, ok := n.(*ast.FuncDecl); ok {
			return decl
		}
	}
	return nil
}

// declares reports whether the function that contains a use declares the variable, and the slice is
// unreachable after the function returns. It returns false for parameters and results.
func (u *uses) declares(path []ast.Node) bool {
	decl := u.declOf(path)
	v := u.v
	if v.IsField() {
		selector, ok := path[len(path)-2].(*ast.SelectorExpr)
		if !ok || u.base(selector) == nil || decl == nil {
			return false
		}
		return u.dies(u.base(selector), decl.Body)
	}
	return decl != nil && decl.Body != nil && decl.Body.Pos() <= v.Pos() && v.Pos() < decl.Body.End()
}
