package reach

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A Room is a place that may tell how much room a slice has: it asks for its capacity, or appends to it and keeps the result as another
// slice, so that two results may share an array, or not.
type Room struct {
	At    token.Position
	Slice token.Position // where the variable of the slice is declared; not valid if it is something else
	what  string
}

// String is the place and what it does: parse.go:12 (cap).
func (r Room) String() string {
	return fmt.Sprintf("%s:%d (%s)", filepath.Base(r.At.Filename), r.At.Line, r.what)
}

// Rooms returns the places that may tell how much room a slice of a type has. Tests do not count: they run before and after a change.
func (m *Module) Rooms(t types.Type) []Room {
	if m.rooms == nil {
		m.findRooms()
	}
	return m.rooms[typeKey(t.Underlying())]
}

// findRooms collects these places, by the types of the slices.
func (m *Module) findRooms() {
	m.rooms = map[string][]Room{}
	for _, p := range m.loaded {
		for _, file := range p.Syntax {
			if strings.HasSuffix(m.at(file.FileStart).Filename, "_test.go") {
				continue
			}
			ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || len(call.Args) == 0 || !p.TypesInfo.Types[call.Fun].IsBuiltin() {
					return true
				}
				name, ok := ast.Unparen(call.Fun).(*ast.Ident)
				if !ok || name.Name != "cap" && (name.Name != "append" || keeps(call, above) || isFresh(p.TypesInfo, call.Args[0])) {
					return true
				}
				r := Room{At: m.at(call.Pos()), what: name.Name}
				if id, ok := ast.Unparen(call.Args[0]).(*ast.Ident); ok {
					if v, ok := p.TypesInfo.Uses[id].(*types.Var); ok {
						r.Slice = m.at(v.Pos())
					}
				}
				key := typeKey(p.TypesInfo.TypeOf(call.Args[0]).Underlying())
				m.rooms[key] = append(m.rooms[key], r)
				return true
			})
		}
	}
}

// keeps reports whether the result of an append is the slice that it appends to, or a part of it.
func keeps(call *ast.CallExpr, above []ast.Node) bool {
	assign, ok := above[len(above)-1].(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != len(assign.Rhs) {
		return false
	}
	base := ast.Unparen(call.Args[0])
	for {
		part, ok := base.(*ast.SliceExpr)
		if !ok {
			break
		}
		base = ast.Unparen(part.X)
	}
	for i, right := range assign.Rhs {
		if right == ast.Expr(call) {
			return types.ExprString(assign.Lhs[i]) == types.ExprString(base)
		}
	}
	return false
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

// Recovers returns where the module may recover from a panic; empty if it does nowhere, tests aside.
func (m *Module) Recovers() (where string) {
	for _, fn := range m.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok || m.inTest(fn) {
					continue
				}
				if builtin, ok := call.Common().Value.(*ssa.Builtin); ok && builtin.Name() == "recover" {
					return m.placeOf(i)
				}
			}
		}
	}
	return ""
}
