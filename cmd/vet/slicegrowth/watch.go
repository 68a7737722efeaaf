package slicegrowth

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// A watch determines what the body of a loop may change. It follows calls to functions of the
// package. If it cannot follow a call, it assumes that the call may change everything except
// variables that only this function can change.
type watch struct {
	pass     *analysis.Pass
	info     *types.Info
	around   ast.Node // declaration that contains the loop
	body     *ast.BlockStmt
	exposed  map[types.Object]token.Pos // results of exposure
	declared map[*types.Func]*ast.FuncDecl
}

func newWatch(pass *analysis.Pass, file *ast.File, body *ast.BlockStmt) *watch {
	w := &watch{pass: pass, info: pass.TypesInfo, body: body, exposed: map[types.Object]token.Pos{}}
	for _, d := range file.Decls {
		if d.Pos() <= body.Pos() && body.Pos() < d.End() {
			w.around = d
		}
	}
	return w
}

// changes reports whether the body may change a variable, a field, an element or the target of a
// pointer. For a map this includes its elements.
func (w *watch) changes(place ast.Expr) bool {
	if name, ok := place.(*ast.Ident); ok && w.assigned(w.info.ObjectOf(name), w.body) {
		return true
	}
	t := w.info.TypeOf(place)
	if _, ok := t.Underlying().(*types.Chan); ok {
		return true // other goroutines can change its length
	}
	if isMap(t) {
		return w.reachable(t, nil)
	}
	if w.private(place) {
		_, name := place.(*ast.Ident)
		return !name && w.stores(t, w.field(place), w.body)
	}
	return w.reachable(t, w.field(place))
}

// reachable reports whether the body may change a variable of type t, or the field, that other code
// can reach.
func (w *watch) reachable(t types.Type, field *types.Var) bool {
	return w.stores(t, field, w.body) || w.reached(t, field)
}

// field returns the field that an expression selects, or nil if it does not select a field.
func (w *watch) field(e ast.Expr) *types.Var {
	if x, ok := e.(*ast.SelectorExpr); ok {
		if s := w.info.Selections[x]; s != nil && s.Kind() == types.FieldVal {
			return s.Obj().(*types.Var).Origin()
		}
	}
	return nil
}

// private reports whether only this function can change a place, because no pointer refers to it.
func (w *watch) private(place ast.Expr) bool {
	root := w.root(place)
	return root != nil && !w.exposure(root).IsValid()
}

// root returns the local variable that contains a place, or nil if there is none.
func (w *watch) root(e ast.Expr) types.Object { return w.partOf(e, isArray) }

// isArray reports whether a type is an array type. It returns false for a type parameter that may
// be an array.
func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// partOf is like root, except that the function within decides whether a type contains its
// elements.
func (w *watch) partOf(e ast.Expr, within func(types.Type) bool) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if v := w.info.ObjectOf(e); isLocal(v) {
			return v
		}
	case *ast.SelectorExpr:
		if s := w.info.Selections[e]; s != nil && s.Kind() == types.FieldVal && !s.Indirect() {
			return w.partOf(e.X, within)
		}
	case *ast.IndexExpr:
		if within(w.info.TypeOf(e.X)) {
			return w.partOf(e.X, within)
		}
	}
	return nil
}

// isLocal reports whether an object is a variable of a function.
func isLocal(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && !v.IsField() && v.Parent() != v.Pkg().Scope()
}

// exposure returns the first position at which the address of a local variable, or of a part of it,
// is taken, or at which a closure assigns to the variable. It returns token.NoPos if there is none.
func (w *watch) exposure(variable types.Object) token.Pos {
	at, ok := w.exposed[variable]
	if ok {
		return at
	}
	of := func(e ast.Expr) bool { return w.partOf(e, typeset.MayBe[*types.Array]) == variable }
	ast.Inspect(w.around, func(n ast.Node) bool {
		found := false
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = n.Op == token.AND && of(n.X)
		case *ast.SliceExpr:
			found = typeset.MayBe[*types.Array](w.info.TypeOf(n.X)) && of(n.X)
		case *ast.SelectorExpr:
			found = of(n.X) && w.takesAddress(n)
		case *ast.FuncLit:
			if variable.Pos() < n.Pos() || n.End() <= variable.Pos() {
				w.eachTarget(n.Body, func(to, _ ast.Expr) { found = found || of(to) })
			}
		}
		if found && !at.IsValid() {
			at = n.Pos()
		}
		return !at.IsValid()
	})
	w.exposed[variable] = at
	return at
}

// takesAddress reports whether a selector takes the address of its operand, because it selects a
// method with a pointer receiver and the operand is not a pointer.
func (w *watch) takesAddress(e *ast.SelectorExpr) bool {
	s := w.info.Selections[e]
	if s == nil || s.Kind() == types.FieldVal {
		return false
	}
	return isPointer(s.Obj().(*types.Func).Signature().Recv().Type()) && !isPointer(s.Recv())
}

// assigned reports whether the given code assigns to a variable by its name.
func (w *watch) assigned(variable types.Object, in ast.Node) (found bool) {
	w.eachTarget(in, func(to, _ ast.Expr) {
		name, ok := to.(*ast.Ident)
		found = found || ok && w.info.ObjectOf(name) == variable
	})
	return found
}

// eachTarget calls f for each expression to which the given code assigns. It also passes the
// assigned expression, or nil if there is no single expression. For delete, clear and copy, the
// target is an element of their first argument.
func (w *watch) eachTarget(in ast.Node, f func(to, by ast.Expr)) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, to := range n.Lhs {
				var by ast.Expr
				if len(n.Lhs) == len(n.Rhs) {
					by = ast.Unparen(n.Rhs[i])
				}
				f(ast.Unparen(to), by)
			}
		case *ast.IncDecStmt:
			f(ast.Unparen(n.X), nil)
		case *ast.RangeStmt:
			for _, to := range []ast.Expr{n.Key, n.Value} {
				if to != nil && n.Tok == token.ASSIGN {
					f(ast.Unparen(to), nil)
				}
			}
		case *ast.CallExpr:
			switch builtin(w.info, n) {
			case "delete", "clear", "copy":
				f(&ast.IndexExpr{X: ast.Unparen(n.Args[0])}, nil)
			}
		}
		return true
	})
}

// stores reports whether the given code may assign to a variable of type t, or to the field,
// without using its name: through a pointer, to an element or to a whole struct. For a map type, it
// reports whether any map of the type may be changed.
func (w *watch) stores(t types.Type, field *types.Var, in ast.Node) (found bool) {
	w.eachTarget(in, func(to, _ ast.Expr) {
		if found {
			return
		}
		if x, ok := to.(*ast.IndexExpr); ok {
			of := w.info.TypeOf(x.X)
			found = typeset.MayBe[*types.Map](of) && mayBeSame(of, t)
			if _, onlyMap := of.Underlying().(*types.Map); found || onlyMap {
				return
			}
			if w.info.TypeOf(to) == nil { // the target comes from clear or copy
				found = slices.ContainsFunc(typeset.Below(of), func(of types.Type) bool {
					s, ok := of.(*types.Slice)
					return ok && mayBeSame(s.Elem(), t)
				})
				return
			}
		}
		if isMap(t) {
			return // assigning another map does not change this map
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
			found = mayBeSame(of, t)
		}
	})
	return found
}

// mayBeSame reports whether two types are identical, or may be identical because one of them is a
// type parameter.
func mayBeSame(a, b types.Type) bool {
	return types.Identical(a, b) || isParameter(a) || isParameter(b)
}

func isParameter(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}

// isMap reports whether a type is a map type, or a type parameter, which may stand for a map type.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok || isParameter(t)
}

// isStruct reports whether a type is a struct or an array, whose values consist of other values.
func isStruct(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// reached reports whether a call in the body, or another goroutine that the body waits for, may
// change a variable of type t, or the field.
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

// call reports whether a call may change a variable of type t, or the field. A function of another
// package can reach them only through its receiver and arguments.
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

// globals reports whether the given code assigns to a package-level variable of type t.
func (w *watch) globals(t types.Type, in ast.Node) (found bool) {
	w.eachTarget(in, func(to, _ ast.Expr) {
		name, ok := to.(*ast.Ident)
		if ok && name.Name != "_" && w.root(name) == nil {
			found = found || mayBeSame(w.info.TypeOf(name), t)
		}
	})
	return found
}

// decl returns the declaration of a function in this package, or nil.
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

// harmlessArguments reports whether neither the arguments nor the receiver of a call give access to
// a variable of type t, to the field, or to code of this package.
func (w *watch) harmlessArguments(call *ast.CallExpr, t types.Type, field *types.Var) bool {
	given := call.Args
	if method, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && w.info.Selections[method] != nil {
		given = append([]ast.Expr{method.X}, given...)
	}
	plain := plainness{w.pass.Pkg, t, field, map[types.Type]bool{}}
	for _, e := range given {
		if !plain.isPlain(w.info.TypeOf(e)) {
			return false
		}
	}
	return true
}

// A plainness determines which types are plain. A value of a plain type gives access neither to a
// variable of type place or to the field, nor to code of package pkg.
type plainness struct {
	pkg   *types.Package
	place types.Type
	field *types.Var
	seen  map[types.Type]bool
}

// isPlain reports whether t is plain.
func (p *plainness) isPlain(t types.Type) bool {
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
		return p.isPlain(u.Elem())
	case *types.Map:
		return !mayBeSame(t, p.place) && p.target(u.Key()) && p.target(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Origin() == p.field || !p.isPlain(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// target reports whether a pointer to t, or a slice of t, is plain.
func (p *plainness) target(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	own := ok && named.Obj().Pkg() == p.pkg
	return !own && !mayBeSame(t, p.place) && p.isPlain(t)
}
