package rewrite

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
)

// survey collects what the form Own asks of functions and variables.
func (o *ownPass) survey(p *pass) {
	o.reassign, o.values = map[types.Object]bool{}, map[*types.Func]bool{}
	o.calls, o.decls = map[*types.Func][]*ast.CallExpr{}, map[*types.Func]*ast.FuncDecl{}
	variable := func(e ast.Expr) {
		if name, ok := ast.Unparen(e).(*ast.Ident); ok {
			o.reassign[p.TypesInfo.Uses[name]] = true
		}
	}
	called := map[*ast.Ident]*ast.CallExpr{}
	nodes := []ast.Node{(*ast.AssignStmt)(nil), (*ast.RangeStmt)(nil), (*ast.UnaryExpr)(nil), (*ast.CallExpr)(nil), (*ast.FuncDecl)(nil), (*ast.Ident)(nil)}
	inspector.New(p.Syntax).Preorder(nodes, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				variable(left)
			}
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				variable(n.Key)
				variable(n.Value)
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				variable(n.X)
			}
		case *ast.CallExpr:
			if name := calleeName(n); name != nil {
				called[name] = n
			}
		case *ast.FuncDecl:
			if fn, ok := p.TypesInfo.Defs[n.Name].(*types.Func); ok {
				o.decls[fn] = n
			}
		case *ast.Ident:
			fn, ok := p.TypesInfo.Uses[n].(*types.Func)
			if !ok {
				return
			}
			if call := called[n]; call != nil {
				o.calls[fn.Origin()] = append(o.calls[fn.Origin()], call)
			} else {
				o.values[fn.Origin()] = true
			}
		}
	})
}

// calleeName returns the name of what is called.
func calleeName(call *ast.CallExpr) *ast.Ident {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	}
	return nil
}

// refuseReach returns why an owner cannot be used at a site by the variable that points to it.
func (p *pass) refuseReach(s site, v *types.Var) string {
	if p.own.reassign[v] {
		return "the variable of the owner is assigned to"
	}
	at := func(pos token.Pos) token.Position { return p.Fset.PositionFor(pos, false) }
	if !p.own.module.NotNil(at(v.Pos()), at(s.node.Pos()), at(s.node.End())) {
		return "the owner may be nil: nothing follows the pointer before, and not every caller is known to have one"
	}
	if why := p.own.module.Captured(at(v.Pos()), at(s.node.Pos())); why != "" {
		return "a function literal would get the owner: " + why
	}
	return ""
}

func baseName(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

func pointsTo(t types.Type, owner *types.Named) bool {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	return types.Identical(t, owner)
}
