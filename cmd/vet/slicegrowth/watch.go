package slicegrowth

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// A watch looks for what the body of a loop may change. It follows calls of functions of the package. A call that it
// cannot follow may change all that is not a variable of this function alone.
type watch struct {
	pass     *analysis.Pass
	info     *types.Info
	around   ast.Node // the declaration with the loop
	body     *ast.BlockStmt
	known    map[types.Object]bool
	declared map[*types.Func]*ast.FuncDecl
}

func newWatch(pass *analysis.Pass, file *ast.File, body *ast.BlockStmt) *watch {
	w := &watch{pass: pass, info: pass.TypesInfo, body: body, known: map[types.Object]bool{}}
	for _, d := range file.Decls {
		if d.Pos() <= body.Pos() && body.Pos() < d.End() {
			w.around = d
		}
	}
	return w
}

// changes reports whether the body may change a variable, a field, an element or the target of a pointer. Of a map that
// includes what is in it.
func (w *watch) changes(place ast.Expr) bool {
	if name, ok := place.(*ast.Ident); ok && w.assigned(w.info.ObjectOf(name), w.body) {
		return true
	}
	t := w.info.TypeOf(place)
	if w.isMap(t) {
		return w.stores(t, nil, w.body) || w.reached(t, nil)
	}
	if w.private(place) {
		_, name := place.(*ast.Ident)
		return !name && w.stores(t, w.field(place), w.body)
	}
	return w.stores(t, w.field(place), w.body) || w.reached(t, w.field(place))
}

// field returns the field that an expression selects.
func (w *watch) field(e ast.Expr) *types.Var {
	if x, ok := e.(*ast.SelectorExpr); ok {
		if s := w.info.Selections[x]; s != nil && s.Kind() == types.FieldVal {
			return s.Obj().(*types.Var).Origin()
		}
	}
	return nil
}

// private reports whether only this function can change a place: no pointer leads there.
func (w *watch) private(place ast.Expr) bool {
	root := w.root(place)
	return root != nil && !w.exposed(root)
}

// root returns the local variable that a place is a part of, or nil.
func (w *watch) root(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v, ok := w.info.ObjectOf(e).(*types.Var); ok && v.Parent() != v.Pkg().Scope() {
			return v
		}
	case *ast.SelectorExpr:
		if s := w.info.Selections[e]; s != nil && s.Kind() == types.FieldVal && !s.Indirect() {
			return w.root(e.X)
		}
	case *ast.IndexExpr:
		if _, ok := w.info.TypeOf(e.X).Underlying().(*types.Array); ok {
			return w.root(e.X)
		}
	}
	return nil
}

// exposed reports whether a local variable has its address taken, or is assigned by a closure.
func (w *watch) exposed(variable types.Object) bool {
	known, ok := w.known[variable]
	if ok {
		return known
	}
	of := func(e ast.Expr) bool { return w.root(e) == variable }
	found := false
	ast.Inspect(w.around, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && of(n.X)
		case *ast.SliceExpr:
			_, array := w.info.TypeOf(n.X).Underlying().(*types.Array)
			found = found || array && of(n.X)
		case *ast.SelectorExpr:
			found = found || of(n.X) && w.takesAddress(n)
		case *ast.FuncLit:
			declared := n.Pos() <= variable.Pos() && variable.Pos() < n.End()
			found = found || !declared && w.assigned(variable, n.Body)
		}
		return !found
	})
	w.known[variable] = found
	return found
}

// takesAddress reports whether a selector is a method with a pointer as its receiver, and its operand is not a pointer.
func (w *watch) takesAddress(e *ast.SelectorExpr) bool {
	s := w.info.Selections[e]
	if s == nil || s.Kind() == types.FieldVal {
		return false
	}
	_, pointer := s.Recv().Underlying().(*types.Pointer)
	_, needs := s.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
	return needs && !pointer
}

// assigned reports whether a piece of code assigns to a variable or to a part of it, by its name.
func (w *watch) assigned(variable types.Object, in ast.Node) (found bool) {
	eachTarget(in, func(to ast.Expr) {
		name, ok := to.(*ast.Ident)
		found = found || ok && w.info.ObjectOf(name) == variable
	})
	return found
}

// eachTarget calls f for each expression that a piece of code assigns to. For delete, clear and copy that is their first
// argument.
func eachTarget(in ast.Node, f func(to ast.Expr)) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, to := range n.Lhs {
				f(ast.Unparen(to))
			}
		case *ast.IncDecStmt:
			f(ast.Unparen(n.X))
		case *ast.RangeStmt:
			for _, to := range []ast.Expr{n.Key, n.Value} {
				if to != nil && n.Tok == token.ASSIGN {
					f(ast.Unparen(to))
				}
			}
		case *ast.CallExpr:
			if name, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && (name.Name == "delete" || name.Name == "clear" || name.Name == "copy") {
				f(&ast.IndexExpr{X: ast.Unparen(n.Args[0])})
			}
		}
		return true
	})
}

// stores reports whether a piece of code assigns to a place of a type, or to a field, that it does not name: through
// a pointer, to an element, or to all of a struct. For a map it is a change of any map of the type.
func (w *watch) stores(t types.Type, field *types.Var, in ast.Node) (found bool) {
	eachTarget(in, func(to ast.Expr) {
		if found {
			return
		}
		if x, ok := to.(*ast.IndexExpr); ok {
			of := w.info.TypeOf(x.X)
			if w.isMap(of) {
				found = types.Identical(of, t)
				return
			}
			if w.info.TypeOf(to) == nil { // of clear or copy
				s, ok := of.Underlying().(*types.Slice)
				found = ok && types.Identical(s.Elem(), t)
				return
			}
		}
		if w.isMap(t) {
			return // another map in its place is another place
		}
		if name, ok := to.(*ast.Ident); ok && (name.Name == "_" || w.private(name)) {
			return
		}
		of := w.info.TypeOf(to)
		switch other := w.field(to); {
		case isStruct(of):
			found = true
		case field != nil && other != nil:
			found = field == other
		default:
			found = types.Identical(of, t)
		}
	})
	return found
}

func (w *watch) isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// isStruct reports whether a value of a type consists of others.
func isStruct(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// reached reports whether a call in the body, or another goroutine that it waits for, may change a place.
func (w *watch) reached(t types.Type, field *types.Var) bool {
	return w.calls(t, field, w.body, map[*types.Func]bool{})
}

func (w *watch) calls(t types.Type, field *types.Var, in ast.Node, seen map[*types.Func]bool) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.CallExpr:
			found = found || w.call(t, field, n, seen)
		}
		return !found
	})
	return found
}

// call reports whether a call may change a place. A function of another package has only what it gets.
func (w *watch) call(t types.Type, field *types.Var, call *ast.CallExpr, seen map[*types.Func]bool) bool {
	of := w.info.Types[call.Fun]
	if _, literal := ast.Unparen(call.Fun).(*ast.FuncLit); literal || of.IsType() || of.IsBuiltin() {
		return false
	}
	fn := typeutil.StaticCallee(w.info, call)
	if fn == nil || fn.Pkg() == nil {
		return true
	}
	fn = fn.Origin()
	if fn.Pkg() != w.pass.Pkg {
		return !w.harmlessArguments(call, t, field)
	}
	if seen[fn] {
		return false
	}
	seen[fn] = true
	decl := w.decl(fn)
	return decl == nil || decl.Body == nil || w.stores(t, field, decl.Body) || w.globals(t, decl.Body) || w.calls(t, field, decl.Body, seen)
}

// globals reports whether a function assigns to a variable of the package of a type.
func (w *watch) globals(t types.Type, in ast.Node) (found bool) {
	eachTarget(in, func(to ast.Expr) {
		name, ok := to.(*ast.Ident)
		if ok && name.Name != "_" && w.root(name) == nil {
			found = found || types.Identical(w.info.TypeOf(name), t)
		}
	})
	return found
}

// decl returns the declaration of a function of the package.
func (w *watch) decl(fn *types.Func) *ast.FuncDecl {
	if w.declared == nil {
		w.declared = map[*types.Func]*ast.FuncDecl{}
		for _, file := range w.pass.Files {
			for _, d := range file.Decls {
				if d, ok := d.(*ast.FuncDecl); ok {
					if f, ok := w.info.Defs[d.Name].(*types.Func); ok {
						w.declared[f] = d
					}
				}
			}
		}
	}
	return w.declared[fn]
}

// harmlessArguments reports whether no argument of a call, nor its receiver, leads to a place or to code of this
// package.
func (w *watch) harmlessArguments(call *ast.CallExpr, t types.Type, field *types.Var) bool {
	given := call.Args
	if method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && w.info.Selections[method] != nil {
		given = append([]ast.Expr{method.X}, given...)
	}
	plain := plainness{w.pass.Pkg, t, field, map[types.Type]bool{}}
	for _, e := range given {
		if !plain.of(w.info.TypeOf(e)) {
			return false
		}
	}
	return true
}

// plainness looks for pointers to a place, and for code of a package, in values of a type.
type plainness struct {
	pkg   *types.Package
	place types.Type
	field *types.Var
	seen  map[types.Type]bool
}

// of reports whether values of a type lead to neither.
func (p *plainness) of(t types.Type) bool {
	if p.seen[t] {
		return true
	}
	p.seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Pointer:
		return p.target(u.Elem())
	case *types.Slice:
		return p.target(u.Elem())
	case *types.Array:
		return p.of(u.Elem())
	case *types.Map:
		return !types.Identical(t, p.place) && p.target(u.Key()) && p.target(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Origin() == p.field || !p.of(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// target is like of, for what a pointer or a slice leads to.
func (p *plainness) target(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	own := ok && named.Obj().Pkg() == p.pkg
	return !own && !types.Identical(t, p.place) && p.of(t)
}
