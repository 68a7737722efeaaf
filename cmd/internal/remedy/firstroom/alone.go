package firstroom

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// A slice may get capacity in advance only if a single struct contains the slice, because a copy of
// the struct would share the array and append to it, too. Without the capacity, each append to a
// nil slice allocates its own array. With the capacity, the two structs would overwrite each
// other's elements.

// single describes the code that may create a second struct with the slice, or set the field to the
// slice of a different struct. It returns "" if there is none.
func (g *growing) single(owner *types.TypeName) (why string) {
	t := owner.Type()
	for _, name := range g.Package.Types.Scope().Names() {
		other, ok := g.Package.Types.Scope().Lookup(name).(*types.TypeName)
		if ok && other != owner && !other.IsAlias() && types.Identical(other.Type().Underlying(), t.Underlying()) {
			return other.Name() + " has the same fields, and one can be converted to the other"
		}
	}
	for _, v := range g.Package.TypesInfo.Types {
		if v.Type != nil && !types.Identical(v.Type, t) && contains(v.Type, t, nil) {
			return "a " + owner.Name() + " is a part of something else, and may be copied with it"
		}
	}
	for _, file := range g.Package.Syntax {
		ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
			if why == "" {
				why = g.copies(n, above, t)
			}
			return why == ""
		})
	}
	return why
}

// copies returns a reason if a node copies a struct of type t, or is a literal of type t without
// field names. Otherwise, it returns "".
func (g *growing) copies(n ast.Node, above []ast.Node, t types.Type) (why string) {
	e, ok := n.(ast.Expr)
	if !ok {
		return ""
	}
	if s := g.Package.TypesInfo.Selections[asSelector(n)]; s != nil && s.Obj() == g.v {
		recv := s.Recv()
		if p, ok := types.Unalias(recv).(*types.Pointer); ok {
			recv = p.Elem()
		}
		if !types.Identical(recv, t) {
			return "another struct has the same field"
		}
	}
	if v := g.Package.TypesInfo.Types[e]; v.Type == nil || !v.IsValue() || !types.Identical(v.Type, t) {
		return ""
	}
	lit, isLiteral := e.(*ast.CompositeLit)
	if isLiteral && len(lit.Elts) > 0 {
		if _, keyed := lit.Elts[0].(*ast.KeyValueExpr); !keyed {
			return "the struct is filled without field names"
		}
	}
	up, _ := change.Around(append(slices.Clone(above), n))
	switch up := up.(type) {
	case *ast.SelectorExpr, *ast.ValueSpec:
		if _, declared := up.(*ast.ValueSpec); !declared || isLiteral {
			return ""
		}
	case *ast.UnaryExpr:
		if up.Op == token.AND {
			return ""
		}
	case *ast.AssignStmt:
		fresh := func(e ast.Expr) bool { _, ok := ast.Unparen(e).(*ast.CompositeLit); return ok }
		if len(up.Lhs) == len(up.Rhs) && (isLiteral || !slices.ContainsFunc(up.Rhs, func(e ast.Expr) bool { return !fresh(e) })) {
			return ""
		}
	}
	return "the struct is copied, and both have the slice"
}

func asSelector(n ast.Node) *ast.SelectorExpr {
	s, _ := n.(*ast.SelectorExpr)
	return s
}

// contains reports whether a value of type t contains a value of type part, other than through a
// pointer.
func contains(t, part types.Type, above []types.Type) bool {
	if slices.ContainsFunc(above, func(other types.Type) bool { return types.Identical(t, other) }) {
		return false
	}
	if types.Identical(t, part) {
		return true
	}
	above = append(above, t)
	switch u := t.Underlying().(type) {
	case *types.Array:
		return contains(u.Elem(), part, above)
	case *types.Slice:
		return contains(u.Elem(), part, above)
	case *types.Chan:
		return contains(u.Elem(), part, above)
	case *types.Map:
		return contains(u.Key(), part, above) || contains(u.Elem(), part, above)
	case *types.Struct:
		for f := range u.Fields() {
			if contains(f.Type(), part, above) {
				return true
			}
		}
	}
	return false
}

// dies reports whether the struct of a local variable v becomes unreachable when its function
// returns. The variable contains the struct, or the only pointer to it. It must be declared with a
// new struct and not be assigned to again, and no other code may keep the struct. scope is the
// block that declares v.
func (g *growing) dies(v *types.Var, scope *ast.BlockStmt) bool {
	fresh := false
	ast.PreorderStack(scope, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if ok && g.Package.TypesInfo.Defs[name] == v {
			fresh = g.begunFresh(name, above)
		}
		return true
	})
	return fresh && g.quiet(v, scope, map[*types.Var]bool{})
}

// begunFresh reports whether a variable is declared with a struct to which no other variable
// refers.
func (g *growing) begunFresh(name *ast.Ident, above []ast.Node) bool {
	var value ast.Expr
	switch up := above[len(above)-1].(type) {
	case *ast.AssignStmt:
		if _, header := above[len(above)-2].(*ast.ForStmt); header || len(up.Lhs) != len(up.Rhs) {
			return false
		}
		value = up.Rhs[slices.IndexFunc(up.Lhs, func(e ast.Expr) bool { return e == ast.Expr(name) })]
	case *ast.ValueSpec:
		if len(up.Values) == 0 {
			_, isStruct := g.Package.TypesInfo.Defs[name].Type().Underlying().(*types.Struct)
			return isStruct
		}
		if len(up.Values) != len(up.Names) {
			return false
		}
		value = up.Values[slices.Index(up.Names, name)]
	default:
		return false
	}
	switch e := ast.Unparen(value).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.UnaryExpr:
		_, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		return e.Op == token.AND && ok
	case *ast.CallExpr:
		return change.Builtin(g.Package.TypesInfo, e) == "new"
	}
	return false
}

// quiet reports whether no reference to v's struct escapes from a body. The body may use v only to
// access fields, to call quiet methods, and as an argument of quiet functions. Function literals
// that are only called may use v. seen contains the parameters that were already checked.
func (g *growing) quiet(v *types.Var, body ast.Node, seen map[*types.Var]bool) (quiet bool) {
	if seen[v] {
		return true
	}
	seen[v] = true
	quiet = true
	ast.PreorderStack(body, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || !quiet || g.Package.TypesInfo.Uses[name] != v {
			return quiet
		}
		path := append(slices.Clone(above), n)
		quiet = g.quietUse(path, seen) && !slices.ContainsFunc(literalsIn(path), func(i int) bool { return !g.onlyCalled(path[:i+1], body) })
		return quiet
	})
	return quiet
}

// literalsIn returns the indices of the function literals in a path.
func literalsIn(path []ast.Node) (all []int) {
	for i, n := range path {
		if _, ok := n.(*ast.FuncLit); ok {
			all = append(all, i)
		}
	}
	return all
}

// quietUse reports whether no reference to the struct escapes through the given use of its
// variable.
func (g *growing) quietUse(path []ast.Node, seen map[*types.Var]bool) bool {
	up, at := change.Around(path)
	e := path[at+1]
	if and, ok := up.(*ast.UnaryExpr); ok && and.Op == token.AND {
		e = and
		up, at = change.Around(path[:at+1])
	}
	switch up := up.(type) {
	case *ast.SelectorExpr:
		s := g.Package.TypesInfo.Selections[up]
		if s == nil || s.Kind() == types.MethodExpr {
			return false
		}
		if s.Kind() == types.FieldVal {
			return true
		}
		call, ok := path[at-1].(*ast.CallExpr)
		decl := g.declarationOf(s.Obj())
		if !ok || ast.Unparen(call.Fun) != ast.Expr(up) || decl == nil || len(s.Index()) != 1 || inGo(path[:at]) {
			return false
		}
		if len(decl.Recv.List[0].Names) == 0 {
			return true
		}
		recv, _ := g.Package.TypesInfo.Defs[decl.Recv.List[0].Names[0]].(*types.Var)
		return recv == nil || g.quiet(recv, decl.Body, seen)
	case *ast.CallExpr:
		name, ok := ast.Unparen(up.Fun).(*ast.Ident)
		if !ok || up.Ellipsis.IsValid() || inGo(path[:at]) {
			return false
		}
		decl := g.declarationOf(g.Package.TypesInfo.Uses[name])
		i := slices.IndexFunc(up.Args, func(arg ast.Expr) bool { return ast.Unparen(arg) == e })
		if decl == nil || i < 0 {
			return false
		}
		parameter, _ := g.Parameter(decl.Type.Params, i).(*types.Var)
		_, pointer := types.Unalias(g.Package.TypesInfo.TypeOf(up.Args[i])).(*types.Pointer)
		return parameter != nil && pointer && !isVariadic(decl, i) && g.quiet(parameter, decl.Body, seen)
	}
	return false
}

// inGo reports whether a go or a defer statement starts the call at the end of a path.
func inGo(path []ast.Node) bool {
	if len(path) == 0 {
		return false
	}
	above := path[len(path)-1]
	if _, isCall := above.(*ast.CallExpr); isCall && len(path) > 1 {
		above = path[len(path)-2]
	}
	switch above.(type) {
	case *ast.GoStmt, *ast.DeferStmt:
		return true
	}
	return false
}

func isVariadic(decl *ast.FuncDecl, i int) bool {
	last := decl.Type.Params.List[len(decl.Type.Params.List)-1]
	_, variadic := last.Type.(*ast.Ellipsis)
	return variadic && i >= decl.Type.Params.NumFields()-1
}

// declarationOf returns the declaration of a function of the package. It returns nil for other
// functions, and for declarations without a body.
func (g *growing) declarationOf(fn types.Object) *ast.FuncDecl {
	if decl := g.Decls()[fn]; decl != nil && decl.Body != nil {
		return decl
	}
	return nil
}

// onlyCalled reports whether the function literal at the end of a path is called there, or is the
// value of a variable that is only called. The function literals that contain these calls must
// themselves only be called.
func (g *growing) onlyCalled(path []ast.Node, body ast.Node) bool {
	return g.onlyCalledBy(path, body, nil)
}

func (g *growing) onlyCalledBy(path []ast.Node, body ast.Node, asked []ast.Node) bool {
	lit := path[len(path)-1]
	if slices.Contains(asked, lit) {
		return true
	}
	asked = append(asked, lit)
	up, at := change.Around(path)
	switch up := up.(type) {
	case *ast.CallExpr:
		return ast.Unparen(up.Fun) == lit && !inGo(path[:at+1])
	case *ast.AssignStmt:
		name, ok := up.Lhs[0].(*ast.Ident)
		if !ok || len(up.Lhs) != 1 || up.Tok != token.DEFINE {
			return false
		}
		only := true
		ast.PreorderStack(body, nil, func(n ast.Node, above []ast.Node) bool {
			use, ok := n.(*ast.Ident)
			if !ok || g.Package.TypesInfo.Uses[use] != g.Package.TypesInfo.Defs[name] {
				return only
			}
			call, ok := above[len(above)-1].(*ast.CallExpr)
			only = only && ok && call.Fun == ast.Expr(use) && !inGo(above)
			for _, i := range literalsIn(above) {
				only = only && g.onlyCalledBy(above[:i+1], body, asked)
			}
			return only
		})
		return only
	}
	return false
}
