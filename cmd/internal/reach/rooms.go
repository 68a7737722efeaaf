package reach

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// A Room is a place that may tell how much room a slice has: it asks for its capacity, or appends to it and keeps the result as another slice,
// so that two may share an array, or not. Who reaches behind the length of a slice (s[:n] with n above len(s)) is not seen.
type Room struct {
	At    token.Position
	Slice token.Position // where the variable of the slice is declared; not valid if it is something else
	what  string
}

// String is the place and what it does: parse.go:12 (cap).
func (r Room) String() string {
	return fmt.Sprintf("%s:%d (%s)", filepath.Base(r.At.Filename), r.At.Line, r.what)
}

// anySlice is the key of places that may have a slice of any type.
const anySlice = "*"

// Rooms returns the places that may tell how much room a slice of a type has. Tests do not count: they run before and after a change.
func (m *Module) Rooms(t types.Type) []Room {
	if m.rooms == nil {
		m.findRooms()
	}
	return slices.Concat(m.rooms[typeKey(t.Underlying())], m.rooms[anySlice])
}

// findRooms collects these places, by the types of the slices.
func (m *Module) findRooms() {
	m.rooms = map[string][]Room{}
	for _, p := range m.loaded {
		for _, file := range p.Syntax {
			if strings.HasSuffix(m.at(file.FileStart).Filename, "_test.go") {
				continue
			}
			look := roomy{m, p, aliased(p, file)}
			ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					look.call(call, above)
				}
				return true
			})
		}
	}
}

// aliased are the places of a file where a variable is copied to another one: two slices have one array then.
func aliased(p *packages.Package, file *ast.File) map[types.Object][]token.Pos {
	all := map[types.Object][]token.Pos{}
	note := func(e ast.Expr) {
		if name, ok := ast.Unparen(e).(*ast.Ident); ok {
			all[p.TypesInfo.Uses[name]] = append(all[p.TypesInfo.Uses[name]], name.Pos())
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, right := range n.Rhs {
				note(right)
			}
		case *ast.ValueSpec:
			for _, value := range n.Values {
				note(value)
			}
		}
		return true
	})
	return all
}

// roomy looks at one file.
type roomy struct {
	*Module
	pkg     *packages.Package
	aliased map[types.Object][]token.Pos
}

// call looks at a call.
func (l roomy) call(call *ast.CallExpr, above []ast.Node) {
	var name *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = fun
	case *ast.SelectorExpr:
		name = fun.Sel
	case *ast.IndexExpr: // a generic function with its type
		if selector, ok := fun.X.(*ast.SelectorExpr); ok {
			name = selector.Sel
		}
	}
	if name == nil || len(call.Args) == 0 {
		if name != nil && l.seesRoom(name) {
			l.note(call.Pos(), nil, "reflect")
		}
		return
	}
	if l.pkg.TypesInfo.Types[call.Fun].IsBuiltin() {
		switch {
		case name.Name == "cap":
			l.note(call.Pos(), call.Args[0], "cap")
		case name.Name == "append" && !l.goesBack(call, call.Args[0], above) && !isFresh(l.pkg.TypesInfo, call.Args[0]):
			l.note(call.Pos(), call.Args[0], "append")
		}
		return
	}
	fn, ok := l.pkg.TypesInfo.Uses[name].(*types.Func)
	switch {
	case !ok || fn.Pkg() == nil || l.own[fn.Pkg().Path()]:
	case l.seesRoom(name):
		l.note(call.Pos(), nil, "reflect")
	case (strings.HasPrefix(fn.Name(), "Append") || fn.Pkg().Path() == "slices" && slices.Contains([]string{"Insert", "Replace", "Grow", "Clip"}, fn.Name())) && !isFresh(l.pkg.TypesInfo, call.Args[0]):
		for _, arg := range call.Args {
			if _, ok := l.pkg.TypesInfo.TypeOf(arg).Underlying().(*types.Slice); ok && !l.goesBack(call, arg, above) {
				l.note(call.Pos(), arg, fn.Name())
				return
			}
		}
	}
}

// seesRoom tells the functions of package reflect that see the room of a slice.
func (l roomy) seesRoom(name *ast.Ident) bool {
	fn, ok := l.pkg.TypesInfo.Uses[name].(*types.Func)
	return ok && fn.Pkg() != nil && fn.Pkg().Path() == "reflect" && slices.Contains([]string{"Cap", "Slice", "Slice3", "Grow", "SetLen", "SetCap", "Append", "AppendSlice"}, fn.Name())
}

// note adds a place. Without a slice it may see any.
func (l roomy) note(pos token.Pos, slice ast.Expr, what string) {
	r := Room{At: l.at(pos), what: what}
	key := anySlice
	if slice != nil {
		t := l.pkg.TypesInfo.TypeOf(slice)
		if !hasParameter(t) {
			key = typeKey(t.Underlying())
		}
		if id, ok := ast.Unparen(slice).(*ast.Ident); ok {
			if v, ok := l.pkg.TypesInfo.Uses[id].(*types.Var); ok {
				r.Slice = l.at(v.Pos())
			}
		}
	}
	l.rooms[key] = append(l.rooms[key], r)
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

// goesBack reports whether a result becomes the slice that it comes from, and that slice is not copied to another variable before.
func (l roomy) goesBack(e, slice ast.Expr, above []ast.Node) bool {
	assign, ok := above[len(above)-1].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != len(assign.Rhs) {
		return false
	}
	base := ast.Unparen(slice)
	for {
		part, ok := base.(*ast.SliceExpr)
		if !ok {
			break
		}
		base = ast.Unparen(part.X)
	}
	if name, ok := base.(*ast.Ident); ok && l.copiedBefore(l.pkg.TypesInfo.Uses[name], e.Pos(), above) {
		return false
	}
	for i, right := range assign.Rhs {
		if right == e {
			return types.ExprString(assign.Lhs[i]) == types.ExprString(base)
		}
	}
	return false
}

// copiedBefore reports whether a variable may have been copied when a place is reached: earlier in the text, or in an earlier turn of a loop.
func (l roomy) copiedBefore(v types.Object, at token.Pos, above []ast.Node) bool {
	return v != nil && slices.ContainsFunc(l.aliased[v], func(alias token.Pos) bool {
		return alias < at || slices.ContainsFunc(above, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				return n.Pos() <= alias && alias < n.End() && (v.Pos() < n.Pos() || v.Pos() >= n.End())
			}
			return false
		})
	})
}

// isFresh reports whether nobody else can have a slice: it is made where it stands.
func isFresh(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		name, _ := ast.Unparen(e.Fun).(*ast.Ident)
		return info.Types[e.Fun].IsType() && len(e.Args) == 1 && info.Types[e.Args[0]].IsNil() || info.Types[e.Fun].IsBuiltin() && name != nil && name.Name == "make"
	case *ast.Ident:
		return info.Types[e].IsNil()
	}
	return false
}
