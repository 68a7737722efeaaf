package change

import (
	"go/ast"
	"go/types"
)

// Recovers reports whether the function that contains the site defers a function that may call
// recover. The deferred function may be a function of a different package, a method that is not
// known statically, or a function of this package that calls recover.
func (s *Scene) Recovers() (found bool) {
	ast.Inspect(s.Decl, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeferStmt); ok {
			found = found || s.mayRecover(d.Call)
		}
		return !found
	})
	return found
}

func (s *Scene) mayRecover(call *ast.CallExpr) bool {
	if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return s.NamesRecover(lit.Body)
	}
	decl := s.Declared(call)
	return decl == nil || decl.Body == nil || s.NamesRecover(decl.Body)
}

// NamesRecover reports whether a node contains the name of the builtin recover.
func (r *Request) NamesRecover(n ast.Node) bool {
	return r.Mentions(n, types.Universe.Lookup("recover")) != nil
}

// Declared returns the declaration of a called function or method, or nil if the declaration is not
// in this package.
func (r *Request) Declared(call *ast.CallExpr) *ast.FuncDecl {
	var name *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fun
	case *ast.SelectorExpr:
		name = fun.Sel
	default:
		return nil
	}
	fn, ok := r.Package.TypesInfo.Uses[name].(*types.Func)
	if !ok {
		return nil
	}
	return r.Decls()[fn.Origin()]
}

// Decls returns the declarations of the package's functions.
func (r *Request) Decls() map[types.Object]*ast.FuncDecl {
	if r.declarations == nil {
		r.declarations = map[types.Object]*ast.FuncDecl{}
		for _, file := range r.Package.Syntax {
			for _, d := range file.Decls {
				if decl, ok := d.(*ast.FuncDecl); ok {
					r.declarations[r.Package.TypesInfo.Defs[decl.Name]] = decl
				}
			}
		}
	}
	return r.declarations
}
