package slicegrowth

import (
	"go/ast"
	"go/types"
)

// steady reports whether the loop runs as often as its operands say before it: nothing in its body can change a
// counter, a bound, or the length of a list that it appends.
func (g *growth) steady(count ast.Expr) bool {
	if g.shadowed(count) {
		return false
	}
	body := bodyOf(g.loop)
	w := newWatch(g.pass, g.file, body)
	o := &operands{growth: g, counters: map[types.Object]*ast.BlockStmt{}}
	o.loop(g.loop, true)
	for counter, body := range o.counters {
		if w.assigned(counter, body) || w.exposed(counter) && w.reached(counter.Type(), nil) {
			return false
		}
	}
	for _, place := range o.places {
		if w.changes(place) {
			return false
		}
	}
	return true
}

// shadowed reports whether a name in the count is another variable inside the loop.
func (g *growth) shadowed(count ast.Expr) (found bool) {
	ast.Inspect(count, func(n ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		outside := lookup(g.pass.Pkg, name.Name, g.loop.Pos())
		ast.Inspect(g.loop, func(n ast.Node) bool {
			if inside, ok := n.(*ast.Ident); ok && inside.Name == name.Name {
				v, ok := g.pass.TypesInfo.ObjectOf(inside).(*types.Var)
				found = found || ok && !v.IsField() && v != outside
			}
			return true
		})
		return true
	})
	return found
}

// operands are the places that say how often a loop runs, and how much it appends each time.
type operands struct {
	*growth
	counters map[types.Object]*ast.BlockStmt // with the bodies that they count
	places   []ast.Expr                      // variables, fields, elements and targets of pointers
}

// loop adds the operands of a loop and of the loops in it. The bounds of a loop are computed in each iteration, those
// of range once; inner loops start again in each iteration of the outer one.
func (o *operands) loop(s ast.Stmt, outermost bool) {
	switch s := s.(type) {
	case *ast.ForStmt:
		for _, of := range []ast.Stmt{s.Init, s.Post} {
			o.count(of, s.Body)
		}
		if !outermost {
			o.add(s.Init)
		}
		o.add(s.Cond)
		o.add(s.Post)
	case *ast.RangeStmt:
		_, isMap := o.pass.TypesInfo.TypeOf(s.X).Underlying().(*types.Map)
		if isMap || !outermost {
			o.add(s.X)
		}
	}
	ast.Inspect(bodyOf(s), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if o.appends(n.(ast.Stmt)) {
				o.loop(n.(ast.Stmt), false)
			}
			return false
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.Ident)
			if ok && f.Name == "append" && n.Ellipsis.IsValid() && len(n.Args) == 2 && o.isSlice(n.Args[0]) {
				o.add(n.Args[1])
			}
		}
		return true
	})
}

// bodyOf returns the body of a loop.
func bodyOf(s ast.Stmt) *ast.BlockStmt {
	if s, ok := s.(*ast.ForStmt); ok {
		return s.Body
	}
	return s.(*ast.RangeStmt).Body
}

// isSlice reports whether an expression is the slice that grows.
func (g *growth) isSlice(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && g.pass.TypesInfo.ObjectOf(name) == g.object
}

// count adds the variables that a clause of a loop sets.
func (o *operands) count(clause ast.Stmt, body *ast.BlockStmt) {
	var set []ast.Expr
	switch s := clause.(type) {
	case *ast.AssignStmt:
		set = s.Lhs
	case *ast.IncDecStmt:
		set = []ast.Expr{s.X}
	}
	for _, e := range set {
		if name, ok := e.(*ast.Ident); ok && name.Name != "_" {
			o.counters[o.pass.TypesInfo.ObjectOf(name)] = body
		}
	}
}

// add adds the places in an expression or a clause, except counters and the slice that grows.
func (o *operands) add(n ast.Node) {
	if n == nil || n == ast.Stmt(nil) || n == ast.Expr(nil) {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if s := o.pass.TypesInfo.Selections[n]; s != nil && s.Kind() == types.FieldVal {
				o.places = append(o.places, n)
				o.add(n.X)
				return false
			}
		case *ast.IndexExpr, *ast.StarExpr:
			o.places = append(o.places, n.(ast.Expr))
		case *ast.Ident:
			v, ok := o.pass.TypesInfo.ObjectOf(n).(*types.Var)
			if ok && !v.IsField() && o.counters[v] == nil && v != o.object {
				o.places = append(o.places, n)
			}
		}
		return true
	})
}
