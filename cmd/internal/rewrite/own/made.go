package own

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"slices"
)

// madeIn returns the names of the structs of the package that a function creates by literals,
// constructors or variable declarations.
func (p *pass) madeIn(decl *ast.FuncDecl) (names []string) {
	note := func(t types.Type) {
		n, named := types.Unalias(t).(*types.Named)
		if !named || n.Obj().Parent() != p.Types.Scope() || slices.Contains(names, n.Obj().Name()) {
			return
		}
		if _, ok := n.Underlying().(*types.Struct); ok {
			names = append(names, n.Obj().Name())
		}
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			note(p.TypesInfo.TypeOf(n))
		case *ast.AssignStmt:
			if _, t := p.constructed(n); t != nil {
				note(t)
			}
		case *ast.DeclStmt:
			for v := range p.zeroVariables(n) {
				note(p.TypesInfo.Defs[v].Type())
			}
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return names
}

// zeroVariables yields the variables that a statement declares without a value.
func (p *pass) zeroVariables(n *ast.DeclStmt) iter.Seq[*ast.Ident] {
	return func(yield func(*ast.Ident) bool) {
		for _, spec := range n.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && v.Type != nil && len(v.Values) == 0 {
				for _, name := range v.Names {
					if name.Name != "_" && !yield(name) {
						return
					}
				}
			}
		}
	}
}

// constructed returns the variable x and the type T for a statement x := newT(...), where newT is a
// function of the package that returns a T or a non-nil pointer to a T. For other statements, it
// returns nil.
func (p *pass) constructed(n *ast.AssignStmt) (v *ast.Ident, t types.Type) {
	if n.Tok != token.DEFINE || len(n.Lhs) != 1 || len(n.Rhs) != 1 {
		return nil, nil
	}
	call, ok := n.Rhs[0].(*ast.CallExpr)
	if !ok {
		return nil, nil
	}
	name := calleeName(call)
	if name == nil {
		return nil, nil
	}
	fn, ok := p.TypesInfo.Uses[name].(*types.Func)
	if !ok || p.callers.decls[fn] == nil || p.callers.decls[fn].Body == nil {
		return nil, nil
	}
	v, _ = n.Lhs[0].(*ast.Ident)
	t = p.TypesInfo.TypeOf(call)
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		if !p.makesOne(p.callers.decls[fn]) {
			return nil, nil
		}
		t = pointer.Elem()
	}
	return v, t
}

// makesOne reports whether a function returns only addresses of literals, directly or through
// variables that are set once, and has no defer statement.
func (p *pass) makesOne(decl *ast.FuncDecl) bool {
	made := map[types.Object]bool{}
	isNew := func(e ast.Expr) bool {
		address, ok := ast.Unparen(e).(*ast.UnaryExpr)
		if !ok || address.Op != token.AND {
			return false
		}
		_, ok = address.X.(*ast.CompositeLit)
		return ok
	}
	all := true
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt: // if the deferred call recovers, the function may return nil
			all = false
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) && isNew(n.Rhs[i]) {
					made[p.TypesInfo.Defs[name]] = true
				}
			}
		case *ast.ReturnStmt:
			ok := len(n.Results) == 1 && isNew(n.Results[0])
			if len(n.Results) == 1 {
				name, isName := ast.Unparen(n.Results[0]).(*ast.Ident)
				ok = ok || isName && made[p.TypesInfo.Uses[name]] && p.assignedOnce(decl, p.TypesInfo.Uses[name])
			}
			all = all && ok
		}
		return true
	})
	return all && decl.Type.Results.NumFields() == 1
}

// assignedOnce reports whether a function sets a variable only in its declaration, and never takes
// its address.
func (p *pass) assignedOnce(decl *ast.FuncDecl, v types.Object) bool {
	once := true
	is := func(e ast.Expr) bool {
		name, ok := ast.Unparen(e).(*ast.Ident)
		return ok && p.TypesInfo.Uses[name] == v
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			once = once && !slices.ContainsFunc(n.Lhs, is)
		case *ast.RangeStmt:
			once = once && !(n.Key != nil && is(n.Key)) && !(n.Value != nil && is(n.Value))
		case *ast.UnaryExpr:
			once = once && !(n.Op == token.AND && is(n.X))
		}
		return once
	})
	return once
}
