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
)

// A Room is a place that may tell how much room a slice has: it asks for its capacity, or appends to it where somebody else may have the same
// array, so that two share it, or not. Who reaches behind the length of a slice (s[:n] with n above len(s)) is not seen.
type Room struct {
	At    token.Position
	Slice token.Position // where the local variable is declared that is the only one it may be of; not valid if it may be of any
	what  string
}

// String is the place and what it does: parse.go:12 (cap).
func (r Room) String() string {
	if !r.At.IsValid() {
		return r.what
	}
	return fmt.Sprintf("%s:%d (%s)", filepath.Base(r.At.Filename), r.At.Line, r.what)
}

// UnknownRoom is one of code that was not looked at.
func UnknownRoom(what string) Room { return Room{what: what} }

// anySlice is the key of places that may have a slice of any type.
const anySlice = "*"

// Rooms returns the places that may tell how much room a slice of a type has. Tests do not count: they run before and after a change.
func (m *Module) Rooms(t types.Type) []Room {
	if m.rooms == nil {
		m.findRooms()
	}
	if hasParameter(t) { // it may be a slice of any type
		return slices.Concat(slices.Collect(maps.Values(m.rooms))...)
	}
	return slices.Concat(m.rooms[typeKey(t.Underlying())], m.rooms[anySlice])
}

// findRooms collects these places, by the types of the slices.
func (m *Module) findRooms() {
	m.rooms = map[string][]Room{}
	all := m.origins(m.loaded)
	for _, p := range m.loaded {
		for _, file := range p.Syntax {
			if m.isTest(file) {
				continue
			}
			look := roomy{all, p.TypesInfo}
			ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					look.call(call, above)
				}
				return true
			})
		}
	}
}

// isTest tells the files of tests.
func (m *Module) isTest(file *ast.File) bool {
	return strings.HasSuffix(m.at(file.FileStart).Filename, "_test.go")
}

// roomy looks at one file.
type roomy struct {
	*origins
	info *types.Info
}

// call looks at a call.
func (l roomy) call(call *ast.CallExpr, above []ast.Node) {
	switch fn := callee(l.info, call); fn := fn.(type) {
	case *types.Builtin:
		if fn.Name() == "cap" || fn.Name() == "append" {
			l.look(call, call.Args[0], fn.Name(), above)
		}
	case *types.Func:
		if l.seesAny(fn) {
			l.note(call.Pos(), anySlice, nil, "reflect")
		}
		for _, arg := range l.appendsTo(fn, call) {
			l.look(call, arg, fn.Name(), above)
		}
	}
}

// callee is the function that a call names, or nil.
func callee(info *types.Info, call *ast.CallExpr) types.Object {
	fun := ast.Unparen(call.Fun)
	switch index := fun.(type) { // a generic function with its types
	case *ast.IndexExpr:
		fun = index.X
	case *ast.IndexListExpr:
		fun = index.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return info.Uses[fun]
	case *ast.SelectorExpr:
		return info.Uses[fun.Sel]
	}
	return nil
}

// seesAny tells the functions of package reflect that see the room of a slice, or make a variable another slice.
func (l roomy) seesAny(fn *types.Func) bool {
	return fn.Pkg() != nil && fn.Pkg().Path() == "reflect" &&
		slices.Contains([]string{"Cap", "Slice", "Slice3", "Grow", "SetLen", "SetCap", "Append", "AppendSlice", "Set"}, fn.Name())
}

// The functions of the standard library that see the room of their first argument, and have no name or type that tells it.
var (
	roomyFunctions = map[string][]string{
		"slices":   {"Insert", "Replace", "Grow", "Clip"},
		"bytes":    {"NewBuffer"},
		"bufio":    {"Buffer"},
		"math/big": {"SetBits"},
	}
	roomless = []string{"slices", "bytes"} // packages of which these are all, apart from Append...
)

// appendsTo returns the arguments that a function of another module may append to: by its name, or because it is one of the standard library
// that returns such a list. Anything may be behind an interface of the module's own.
func (m *Module) appendsTo(fn *types.Func, call *ast.CallExpr) (all []ast.Expr) {
	dynamic := fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type())
	if fn.Pkg() == nil || m.own[fn.Pkg().Path()] && !dynamic {
		return nil
	}
	path, first := fn.Pkg().Path(), strings.HasPrefix(fn.Name(), "Append")
	if slices.Contains(roomyFunctions[path], fn.Name()) || first && slices.Contains(roomless, path) {
		return call.Args[:min(1, len(call.Args))]
	}
	standard := dynamic || !strings.Contains(strings.Split(path, "/")[0], ".") && !slices.Contains(roomless, path)
	params := fn.Signature().Params()
	for i, arg := range call.Args {
		if i >= params.Len() {
			break
		}
		list, ok := params.At(i).Type().Underlying().(*types.Slice)
		if ok && (first || standard && returns(fn.Signature(), list)) {
			all = append(all, arg)
		}
	}
	return all
}

// returns reports whether a function returns a list of some type.
func returns(s *types.Signature, list *types.Slice) bool {
	for r := range s.Results().Variables() {
		if types.Identical(r.Type().Underlying(), list) {
			return true
		}
	}
	return false
}

// look looks at the slice that a call asks for its capacity, or may append to.
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
	key := anySlice
	if t := l.info.TypeOf(slice); !hasParameter(t) {
		key = typeKey(t.Underlying())
	}
	l.note(call.Pos(), key, of, what)
}

// note adds a place.
func (l roomy) note(pos token.Pos, key string, of *types.Var, what string) {
	r := Room{At: l.at(pos), what: what}
	if of != nil {
		r.Slice = l.at(of.Pos())
	}
	l.rooms[key] = append(l.rooms[key], r)
}

// goesBack reports whether the result of a call becomes the value of a variable.
func (l roomy) goesBack(call *ast.CallExpr, v *types.Var, above []ast.Node) bool {
	assign, ok := above[len(above)-1].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != len(assign.Rhs) {
		return false
	}
	i := slices.Index(assign.Rhs, ast.Expr(call))
	return i >= 0 && l.name(l.info, assign.Lhs[i]) == origin(v)
}

// hasParameter reports whether a slice may be of several types, by a type parameter.
func hasParameter(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if hasParameter(arg) {
				return true
			}
		}
	case *types.Slice:
		return hasParameter(t.Elem())
	case *types.Pointer:
		return hasParameter(t.Elem())
	case *types.Array:
		return hasParameter(t.Elem())
	case *types.Map:
		return hasParameter(t.Key()) || hasParameter(t.Elem())
	}
	return false
}
