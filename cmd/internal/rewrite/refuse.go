package rewrite

import (
	"go/ast"
	"go/types"
	"slices"
)

// First calls the functions in order, with a site as the argument, and returns the first reason
// that one of them returns. It returns "" if none of them returns a reason.
func First(s Site, ask ...func(Site) (why string)) (why string) {
	for _, question := range ask {
		if why := question(s); why != "" {
			return why
		}
	}
	return ""
}

// RefusePlace returns the reason why the position of a site, of any kind, prevents a change, or ""
// if it does not.
func (c *Code) RefusePlace(s Site) string {
	fn := s.Function()
	switch {
	case fn == nil:
		return "outside a function, where values live as long as the program"
	case fn.Name.Name == "init" && fn.Recv == nil:
		return "in init, where values may live as long as the program"
	}
	return ""
}

// RefuseFunction returns the reason why the enclosing function of a site prevents a change, or ""
// if it does not.
func (c *Code) RefuseFunction(s Site) string {
	switch {
	case Generic(c.TypesInfo.Defs[s.Function().Name]):
		return "in a generic function"
	case s.InGoroutine():
		return "in a goroutine of its own"
	}
	return ""
}

// RefuseType returns the reason why an allocator cannot hand out values of a site's type, or "" if
// it can.
func (c *Code) RefuseType(s Site) string {
	switch {
	case !c.nameable(s.Type):
		return "its type has no name outside the function"
	case c.TypesSizes.Sizeof(s.Type) == 0:
		return "its type has no size"
	}
	return ""
}

// RefusePinned returns the reason why values of a site's type cannot share a chunk, or "" if they
// can.
func (c *Code) RefusePinned(s Site) string {
	if slices.ContainsFunc(c.pinned, func(t types.Type) bool { return types.Identical(t, s.Type) }) {
		return "finalizers, cleanups or weak pointers need values of its type to be allocated one by one"
	}
	return ""
}

// RefuseForm returns the reason why the syntactic form of a site prevents a change, or "" if it
// does not.
func (c *Code) RefuseForm(s Site) string {
	switch n := s.Node.(type) {
	case *ast.Ident:
		return c.refuseVariable(s)
	case *ast.CompositeLit:
		keyed := func(e ast.Expr) bool { _, ok := e.(*ast.KeyValueExpr); return ok }
		switch {
		case n.Type == nil:
			return "its type is not written there"
		case len(n.Elts) == 0:
			return "an empty list takes no memory"
		case slices.ContainsFunc(n.Elts, keyed):
			return "its elements have indices"
		}
		untyped := func(e ast.Expr) bool { lit, ok := e.(*ast.CompositeLit); return ok && lit.Type == nil }
		if slices.ContainsFunc(n.Elts, untyped) {
			return "the types of its elements are not written there"
		}
	case *ast.CallExpr:
		switch s.Kind {
		case Makes:
			if len(n.Args) == 3 && !c.Plain(n.Args[1]) {
				return "its length and its capacity are both computed"
			}
		case Appends:
			return c.refuseAppend(n)
		}
	}
	return ""
}

func (c *Code) refuseAppend(n *ast.CallExpr) string {
	if len(n.Args) < 2 {
		return "it appends nothing"
	}
	if n.Ellipsis.IsValid() {
		if _, ok := c.TypesInfo.TypeOf(n.Args[1]).Underlying().(*types.Slice); !ok {
			return "it appends a string"
		}
	}
	_, ordered := ast.Unparen(n.Args[0]).(*ast.CallExpr) // calls are made in source order
	if !ordered && !c.Plain(n.Args[0]) && slices.ContainsFunc(n.Args[1:], c.Calls) {
		return "a call beside the list might change the list, and the order of the two is unspecified"
	}
	return ""
}

// RefuseText returns the reason why a conversion to a string is left unchanged, or "" if there is
// none. A conversion is left unchanged if it does not allocate, because the compiler reads the
// bytes in place.
func (c *Code) RefuseText(s Site) string {
	i := len(s.Stack) - 2
	for ; i > 0; i-- {
		if _, ok := s.Stack[i].(*ast.ParenExpr); !ok {
			break
		}
	}
	switch parent := s.Stack[i].(type) {
	case *ast.BinaryExpr, *ast.SwitchStmt, *ast.RangeStmt:
		return "the compiler makes no string there"
	case *ast.IndexExpr:
		if _, ok := c.TypesInfo.TypeOf(parent.X).Underlying().(*types.Map); ok {
			return "the compiler makes no string there"
		}
	}
	return ""
}

// Calls reports whether an expression calls a function other than a conversion or a builtin.
func (c *Code) Calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			fun := c.TypesInfo.Types[call.Fun]
			found = found || !fun.IsType() && !fun.IsBuiltin()
		}
		_, literal := n.(*ast.FuncLit)
		return !literal
	})
	return found
}

// Generic reports whether a function or its receiver has type parameters.
func Generic(fn types.Object) bool {
	signature, ok := fn.Type().(*types.Signature)
	return ok && (signature.TypeParams().Len() > 0 || signature.RecvTypeParams().Len() > 0)
}

// nameable reports whether a file of the package can name the type.
func (c *Code) nameable(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if !c.nameable(arg) {
				return false
			}
		}
		o := t.Obj()
		return o.Pkg() == nil || o.Parent() == o.Pkg().Scope() && (o.Exported() || o.Pkg() == c.Types)
	case *types.Pointer:
		return c.nameable(t.Elem())
	case *types.Slice:
		return c.nameable(t.Elem())
	case *types.Array:
		return c.nameable(t.Elem())
	case *types.Map:
		return c.nameable(t.Key()) && c.nameable(t.Elem())
	case *types.Interface:
		return t.Empty()
	}
	return false
}
