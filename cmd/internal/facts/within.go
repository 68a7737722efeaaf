package facts

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// An allocation is a source line that may allocate values that contain an owner.
type allocation struct {
	site.Line
	element int64 // element size in bytes, if the line allocates a list of values; else 0
}

func compareLines(a, b site.Line) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// contains reports whether values of type t contain an owner by value.
func contains(t types.Type, owner *types.TypeName) bool {
	if t == nil {
		return false
	}
	if named, ok := types.Unalias(t).(*types.Named); ok && named.Origin().Obj() == owner {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for f := range t.Fields() {
			if contains(f.Type(), owner) {
				return true
			}
		}
	case *types.Array:
		return contains(t.Elem(), owner)
	}
	return false
}

// allocating returns the lines on which the package allocates values that contain an owner:
// composite literals, calls to new and make, and variable declarations.
func (u *unit) allocating(owner *types.TypeName) (all []allocation) {
	add := func(pos token.Pos, t types.Type, list bool) {
		if list {
			s, ok := t.Underlying().(*types.Slice)
			if !ok {
				return
			}
			t = s.Elem()
		}
		if !contains(t, owner) {
			return
		}
		p := u.Fset.Position(pos)
		a := allocation{Line: site.Line{File: p.Filename, Line: p.Line}}
		if list {
			a.element = max(0, u.size(t))
		}
		all = append(all, a)
	}
	for c := range u.root.Preorder((*ast.UnaryExpr)(nil), (*ast.CompositeLit)(nil), (*ast.CallExpr)(nil), (*ast.ValueSpec)(nil)) {
		switch n := c.Node().(type) {
		case *ast.UnaryExpr:
			if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
				add(n.Pos(), u.TypesInfo.TypeOf(lit), false)
			}
		case *ast.CompositeLit:
			t := u.TypesInfo.TypeOf(n)
			switch under := t.Underlying().(type) {
			case *types.Slice:
				add(n.Lbrace, t, true)
			case *types.Pointer:
				add(n.Lbrace, under.Elem(), false)
			default:
				if up, ok := c.Parent().Node().(*ast.UnaryExpr); !ok || up.Op != token.AND {
					add(n.Lbrace, t, false)
				}
			}
		case *ast.CallExpr:
			if name, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && u.TypesInfo.Types[n.Fun].IsBuiltin() {
				switch t := u.TypesInfo.TypeOf(n); name.Name {
				case "new":
					if p, ok := t.Underlying().(*types.Pointer); ok {
						add(n.Lparen, p.Elem(), false)
					}
				case "make":
					add(n.Lparen, t, true)
				}
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				if v, ok := u.TypesInfo.Defs[name].(*types.Var); ok && len(n.Values) == 0 {
					add(name.Pos(), v.Type(), false)
				}
			}
		}
	}
	return all
}

// instances returns the number of owners that one operation allocates: the sum over the sites on
// the given lines. It returns -1 if none of the lines has a site; the owners may then be on the
// stack, or in a value that is allocated only once.
func (u *unit) instances(places []allocation, sites []*site.Site) float64 {
	n, seen := 0.0, false
	for _, s := range sites {
		for _, p := range places {
			if p.Line.Line != s.Line || filepath.Base(p.File) != filepath.Base(s.File) {
				continue
			}
			seen = true
			if p.element > 0 && s.Facts.Kind == site.MakeSlice {
				n += max(s.Objects, s.Bytes/float64(p.element))
			} else {
				n += s.Objects
			}
			break // each site is added only once
		}
	}
	if !seen {
		return -1
	}
	return n
}
