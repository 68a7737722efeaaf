package scratch

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// uses contains the function's uses of the slice, grouped by kind.
type uses struct {
	appends []*ast.AssignStmt // v = append(v, ...), in a list of statements; the arguments do not name v
	lengths []*ast.CallExpr   // len(v)
	reads   []ast.Expr        // v[i] as a value, and range v
	others  []*ast.Ident      // all other uses
}

// usesOf finds the uses of the variable, apart from its declaration.
func (g *growing) usesOf() (all uses) {
	var stack []ast.Node
	ast.Inspect(g.Decl, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		name, ok := n.(*ast.Ident)
		if !ok || g.Package.TypesInfo.Uses[name] != g.v {
			return true
		}
		g.use(&all, name, stack)
		return true
	})
	return all
}

// use adds one use. The stack is the path to the name, and the name is its last node.
func (g *growing) use(all *uses, name *ast.Ident, stack []ast.Node) {
	up := stack[len(stack)-2]
	switch n := up.(type) {
	case *ast.AssignStmt:
		if g.appends(n) && n.Lhs[0] == name && change.Statements(stack[len(stack)-3]) != nil {
			all.appends = append(all.appends, n)
			return
		}
	case *ast.CallExpr:
		if assign, ok := stack[len(stack)-3].(*ast.AssignStmt); ok && g.appends(assign) && assign.Rhs[0] == n && n.Args[0] == name && change.Statements(stack[len(stack)-4]) != nil {
			return // the expression is part of an append that is already recorded
		}
		if g.isBuiltin(n, "len") {
			all.lengths = append(all.lengths, n)
			return
		}
	case *ast.IndexExpr:
		if n.X == name && g.isValue(stack[:len(stack)-1]) {
			all.reads = append(all.reads, n)
			return
		}
	case *ast.RangeStmt:
		if n.X == name {
			all.reads = append(all.reads, n.X)
			return
		}
	}
	all.others = append(all.others, name)
}

// appends reports whether a statement is v = append(v, ...) whose other arguments do not name v.
func (g *growing) appends(s *ast.AssignStmt) bool {
	if len(s.Lhs) != 1 || len(s.Rhs) != 1 || s.Tok != token.ASSIGN {
		return false
	}
	is := func(e ast.Expr) bool {
		name, ok := e.(*ast.Ident)
		return ok && g.Package.TypesInfo.Uses[name] == g.v
	}
	call, ok := s.Rhs[0].(*ast.CallExpr)
	return ok && is(s.Lhs[0]) && g.isBuiltin(call, "append") && len(call.Args) > 1 && is(call.Args[0]) &&
		!slices.ContainsFunc(call.Args[1:], func(e ast.Expr) bool { return g.Mentions(e, g.v) != nil })
}

func (g *growing) isBuiltin(call *ast.CallExpr, want string) bool {
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && name.Name == want && g.Package.TypesInfo.Types[call.Fun].IsBuiltin()
}

// isValue reports whether the last expression of the stack, or a field of it, is read or set, and
// its address is not taken.
func (g *growing) isValue(stack []ast.Node) bool {
	info := g.Package.TypesInfo
	for i := len(stack) - 1; i > 0; i-- {
		self := stack[i]
		switch up := stack[i-1].(type) {
		case *ast.ParenExpr:
		case *ast.SelectorExpr:
			s := info.Selections[up]
			if s == nil || s.Kind() != types.FieldVal {
				_, pointer := info.TypeOf(up.X).Underlying().(*types.Pointer)
				return pointer || types.IsInterface(info.TypeOf(up.X))
			}
			if s.Indirect() {
				return true
			}
		case *ast.IndexExpr:
			if up.X != self {
				return true
			}
			if !typeset.MayBe[*types.Array](info.TypeOf(up.X)) {
				return true
			}
		case *ast.SliceExpr:
			return up.X != self || !typeset.MayBe[*types.Array](info.TypeOf(up.X))
		case *ast.UnaryExpr:
			return up.Op != token.AND
		default:
			return true
		}
	}
	return false
}

// temporary reports whether the slice does not leave the function. This is the case if the function
// only appends to the slice, and reads its length and its elements.
func (g *growing) temporary() bool {
	return g.birth != nil && len(g.uses.others) == 0 && len(g.uses.appends) > 0
}

// exits returns the statements that leave a node early. These are return statements, and jumps to a
// label outside the node.
func (g *growing) exits(n ast.Node) (all []ast.Stmt) {
	labels := map[string]bool{}
	ast.Inspect(n, func(inner ast.Node) bool {
		switch inner := inner.(type) {
		case *ast.FuncLit:
			return false
		case *ast.LabeledStmt:
			labels[inner.Label.Name] = true
		case *ast.ReturnStmt:
			all = append(all, inner)
		case *ast.BranchStmt:
			if inner.Label != nil && !labels[inner.Label.Name] {
				all = append(all, inner)
			}
		}
		return true
	})
	return all
}

// inList reports whether a statement is in a list of statements, so that other statements can be
// inserted before it.
func (g *growing) inList(s ast.Stmt) (found bool) {
	ast.Inspect(g.Decl, func(n ast.Node) bool {
		found = found || n != nil && slices.Contains(change.Statements(n), s)
		return !found
	})
	return found
}
