package reach

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// A Room is an expression that may observe the capacity of a slice. It may read the capacity. It
// may append to the slice while another variable refers to the same array, so that the capacity
// determines whether both still share the array afterwards. Or it may pass a value that leads to
// the slice to code that does one of these. Expressions that reslice beyond the length (s[:n] with
// n > len(s)) are not found.
type Room struct {
	At    token.Position
	Slice token.Position // the declaration of the only local variable that it may concern; not valid if it may concern any
	what  string
}

// String returns the position and the operation, as in "parse.go:12 (cap)".
func (r Room) String() string {
	if !r.At.IsValid() {
		return r.what
	}
	return fmt.Sprintf("%s:%d (%s)", filepath.Base(r.At.Filename), r.At.Line, r.what)
}

// UnknownRoom returns a Room that stands for code that was not inspected.
func UnknownRoom(what string) Room { return Room{what: what} }

// anySlice is the key of rooms that apply to slices of any type.
const anySlice = "*"

// Rooms returns the expressions that may observe the capacity of a slice of type t that a package
// creates. Expressions in tests are omitted, because the tests are run before and after a change.
func (m *Module) Rooms(pkgPath string, t types.Type) []Room {
	if why := m.unknown(pkgPath); why != "" {
		return []Room{{what: why}}
	}
	if m.rooms == nil {
		m.findRooms()
	}
	if typekey.HasParameter(t) { // it may be a slice of any type
		return slices.Concat(slices.Collect(maps.Values(m.rooms))...)
	}
	return slices.Concat(m.rooms[typekey.Of(t.Underlying())], m.rooms[anySlice])
}

// findRooms collects all rooms, indexed by slice type.
func (m *Module) findRooms() {
	m.rooms = map[string][]Room{}
	known := slices.DeleteFunc(slices.Clone(m.loaded), func(p *packages.Package) bool { return len(p.Errors) > 0 || p.IllTyped })
	all := m.origins(known)
	for _, p := range known {
		for _, file := range p.Syntax {
			if m.isTest(file) {
				continue
			}
			look := roomy{all, p.TypesInfo}
			ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					look.bare(n)
				case *ast.Ident:
					look.value(n, above)
				case *ast.CallExpr:
					look.call(n, above)
				case *ast.AssignStmt:
					look.assign(n, above)
				case *ast.CompositeLit:
					look.literal(n, above)
				}
				return true
			})
		}
	}
	all.findGiven()
}

// isTest reports whether a file is a test file.
func (m *Module) isTest(file *ast.File) bool {
	return strings.HasSuffix(m.at(file.FileStart).Filename, "_test.go")
}

// roomy searches for rooms in one file.
type roomy struct {
	*origins
	info *types.Info
}

// call inspects a call for rooms.
func (l roomy) call(call *ast.CallExpr, above []ast.Node) {
	switch fn := callee(l.info, call); fn := fn.(type) {
	case nil, *types.Var:
		if l.elsewhere.mayBe(typeOf(l.info, call.Fun)) {
			l.hands(call, "a function value", above)
		}
	case *types.Builtin:
		switch fn.Name() {
		case "cap", "append":
			l.look(call, call.Args[0], fn.Name(), above)
		case "print", "println":
			l.prints(call, above)
		}
	case *types.Func:
		if seesAny(fn) {
			l.note(call.Pos(), anySlice, nil, fn.Name())
		}
		for _, arg := range l.appendsTo(l.info, fn, call) {
			l.look(call, arg, fn.Name(), above)
		}
		if l.mayKeep(fn) {
			l.hands(call, fn.Name(), above)
			l.receiver(call, fn, above)
		}
	}
}

// typeOf returns the underlying type of an expression, or nil if the expression has no type.
func typeOf(info *types.Info, e ast.Expr) types.Type {
	if t := info.TypeOf(e); t != nil {
		return t.Underlying()
	}
	return nil
}

// mayKeep reports whether fn may append to a slice that is itself an argument, and store the slice.
// Functions of other modules may, except those of the standard library. A method of one of the
// module's own interfaces may, if a call to it can run a function of another module.
func (l roomy) mayKeep(fn *types.Func) bool {
	path := pathOf(fn)
	if !l.own[path] {
		return !goroot.Has(path)
	}
	recv := fn.Signature().Recv()
	if recv == nil {
		return false
	}
	t, ok := recv.Type().Underlying().(*types.Interface)
	if !ok {
		return false
	}
	return fn.Exported() && l.elsewhere.makesMethod(fn) || slices.ContainsFunc(l.methodsOutside(t, fn), func(m outsideMethod) bool { return !goroot.Has(m.path) })
}

// hands inspects all arguments of a call.
func (l roomy) hands(call *ast.CallExpr, to string, above []ast.Node) {
	for _, arg := range call.Args {
		l.hand(arg, to, above)
	}
}

// assign inspects slices that are assigned to variables, fields or elements of another module.
func (l roomy) assign(n *ast.AssignStmt, above []ast.Node) {
	for i, left := range n.Lhs {
		if len(n.Rhs) != len(n.Lhs) {
			return
		}
		switch left := ast.Unparen(left).(type) {
		case *ast.SelectorExpr:
			if v, ok := l.info.Uses[left.Sel].(*types.Var); ok && !l.own[pathOf(v)] {
				l.hand(n.Rhs[i], v.Name(), above)
			}
		case *ast.IndexExpr:
			if t := l.info.TypeOf(left.X); l.declaredOutside(t) != "" {
				l.hand(n.Rhs[i], typekey.Short(t), above)
			}
		}
	}
}

// literal inspects slices in a composite literal whose type another module declares.
func (l roomy) literal(n *ast.CompositeLit, above []ast.Node) {
	t := l.info.TypeOf(n)
	if l.declaredOutside(t) == "" {
		return
	}
	for _, e := range n.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Value
		}
		l.hand(e, typekey.Short(t), above)
	}
}

// hand inspects a slice that is itself passed to code of another module. That code may append to
// the slice, which matters if another variable contains the same slice.
func (l roomy) hand(list ast.Expr, to string, above []ast.Node) {
	switch t := typeOf(l.info, list).(type) {
	case *types.Slice:
	case *types.Tuple: // all results of one call
		l.noteLists(list.Pos(), t, "given to "+to)
		return
	default:
		return
	}
	root := l.root(l.info, list)
	if l.isFresh(l.info, root) {
		return
	}
	name := l.name(l.info, root)
	local, ok := name.(*types.Var)
	switch {
	case !l.isOwn(name):
		l.note(list.Pos(), l.key(list), nil, "given to "+to)
	case ok && l.handedOutBefore(local, list.Pos(), above):
		l.note(list.Pos(), l.key(list), local, "given to "+to)
	}
}

// callee returns the object that is called, or nil if it is not called by name.
func callee(info *types.Info, call *ast.CallExpr) types.Object {
	if name := calleeName(call); name != nil {
		return info.Uses[name]
	}
	return nil
}

// calleeName returns the identifier of the called function, or nil if the function is not called by
// name.
func calleeName(call *ast.CallExpr) *ast.Ident {
	fun := ast.Unparen(call.Fun)
	switch index := fun.(type) { // a generic function with type arguments
	case *ast.IndexExpr:
		fun = index.X
	case *ast.IndexListExpr:
		fun = index.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun
	case *ast.SelectorExpr:
		return fun.Sel
	}
	return nil
}

// returns reports whether a function returns a slice of the given type.
func returns(s *types.Signature, list *types.Slice) bool {
	for r := range s.Results().Variables() {
		if types.Identical(r.Type().Underlying(), list) {
			return true
		}
	}
	return false
}

// look inspects a slice that is the operand of a call that reads its capacity or may append to it.
func (l roomy) look(call *ast.CallExpr, slice ast.Expr, what string, above []ast.Node) {
	root := l.root(l.info, slice)
	if l.isFresh(l.info, root) {
		return
	}
	var of *types.Var
	if name := l.name(l.info, root); l.isOwn(name) {
		local, ok := name.(*types.Var)
		if !ok || what != "cap" && l.goesBack(call, local, above) && !l.handedOutBefore(local, call.Pos(), above) {
			return
		}
		of = local
	}
	l.note(call.Pos(), l.key(slice), of, what)
}

// key returns the key of the type of a slice expression.
func (l roomy) key(list ast.Expr) string { return keyOfList(l.info.TypeOf(list)) }

// keyOfList returns the key of a slice type. For other types, such as a type parameter or the
// results of a call, it returns the key that stands for all slice types.
func keyOfList(t types.Type) string {
	if _, ok := t.Underlying().(*types.Slice); ok && !typekey.HasParameter(t) {
		return typekey.Of(t.Underlying())
	}
	return anySlice
}

// note records a room.
func (l roomy) note(pos token.Pos, key string, of *types.Var, what string) {
	r := Room{At: l.at(pos), what: what}
	if of != nil {
		r.Slice = l.at(of.Pos())
	}
	l.rooms[key] = append(l.rooms[key], r)
}

// goesBack reports whether the result of a call is assigned to the variable v.
func (l roomy) goesBack(call *ast.CallExpr, v *types.Var, above []ast.Node) bool {
	assign, ok := above[len(above)-1].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != len(assign.Rhs) {
		return false
	}
	i := slices.Index(assign.Rhs, ast.Expr(call))
	return i >= 0 && l.name(l.info, assign.Lhs[i]) == origin(v)
}
