package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/inspector"
)

// These are the kinds of sites.
const (
	Literal = "literal" // &T{...}
	NewCall = "new"     // new(T)
	List    = "list"    // []T{...}
	Makes   = "make"    // make([]T, n)
	Appends = "append"  // append(s, v)
	Text    = "string"  // string(bytes)
)

// A Site is an expression that allocates, with its position.
type Site struct {
	Kind  string
	Type  types.Type // type of the value; for a slice, of an element
	Node  ast.Expr
	Stack []ast.Node // nodes from the file down to Node
}

// Sites visits all sites of the package, in source order. A site's stack is valid only during
// the visit.
func (l Locals) Sites(visit func(Site)) {
	nodes := []ast.Node{(*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.CompositeLit)(nil)}
	inspector.New(l.Syntax).WithStack(nodes, func(n ast.Node, push bool, stack []ast.Node) bool {
		if push {
			if s, ok := l.site(n.(ast.Expr)); ok {
				s.Stack = stack
				visit(s)
			}
		}
		return true
	})
}

// site returns the Site for an expression, or false if the expression does not allocate.
func (l Locals) site(n ast.Expr) (Site, bool) {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if lit, ok := n.X.(*ast.CompositeLit); ok && n.Op == token.AND {
			return Site{Kind: Literal, Type: l.TypesInfo.TypeOf(lit), Node: n}, true
		}
	case *ast.CompositeLit:
		switch t := l.TypesInfo.TypeOf(n).Underlying().(type) {
		case *types.Pointer: // in a list of pointers, {...} stands for &T{...}
			return Site{Kind: Literal, Type: t.Elem(), Node: n}, true
		case *types.Slice:
			return Site{Kind: List, Type: t.Elem(), Node: n}, true
		}
	case *ast.CallExpr:
		return l.call(n)
	}
	return Site{}, false
}

func (l Locals) call(n *ast.CallExpr) (Site, bool) {
	result := l.TypesInfo.TypeOf(n)
	if fun := l.TypesInfo.Types[n.Fun]; fun.IsType() && len(n.Args) == 1 {
		from, _ := l.TypesInfo.TypeOf(n.Args[0]).Underlying().(*types.Slice)
		if from == nil || !types.Identical(result, types.Typ[types.String]) || !types.Identical(from.Elem(), types.Typ[types.Byte]) {
			return Site{}, false
		}
		return Site{Kind: Text, Type: result, Node: n}, true
	} else if !fun.IsBuiltin() {
		return Site{}, false
	}
	name, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok || result == nil {
		return Site{}, false
	}
	switch name.Name {
	case NewCall:
		return Site{Kind: NewCall, Type: result.(*types.Pointer).Elem(), Node: n}, true
	case Makes, Appends:
		if s, ok := result.Underlying().(*types.Slice); ok {
			return Site{Kind: name.Name, Type: s.Elem(), Node: n}, true
		}
	}
	return Site{}, false
}

// Short is a types.Qualifier that qualifies types of other packages by package name.
func (l Locals) Short(other *types.Package) string {
	if other == l.Types {
		return ""
	}
	return other.Name()
}

// Function returns the function declaration that contains the site, or nil.
func (s Site) Function() *ast.FuncDecl {
	for _, n := range s.Stack {
		if fn, ok := n.(*ast.FuncDecl); ok {
			return fn
		}
	}
	return nil
}

// InGoroutine reports whether a go statement starts the code that contains the site.
func (s Site) InGoroutine() bool {
	return slices.ContainsFunc(s.Stack, func(n ast.Node) bool { _, ok := n.(*ast.GoStmt); return ok })
}

// InClosure reports whether a site is in a function literal.
func (s Site) InClosure() bool {
	return slices.ContainsFunc(s.Stack, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok })
}
