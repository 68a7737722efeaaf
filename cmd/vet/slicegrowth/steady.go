package slicegrowth

import (
	"go/ast"
	"go/types"
	"slices"
)

// steady reports whether a count that is computed before the loop starts equals the number of
// appended elements. This is the case if no code in the body can change a counter, a bound, or the
// length of a list that the loop appends.
func (g *growth) steady(count ast.Expr) bool {
	if g.shadowed(count) {
		return false
	}
	o := &operands{growth: g, counters: map[types.Object]*ast.BlockStmt{}}
	o.outermost(g.loop)
	for counter, body := range o.counters {
		if g.watch.assigned(counter, body) || g.watch.exposure(counter).IsValid() && g.watch.reachable(counter.Type(), nil) {
			return false
		}
	}
	return !o.unknown && !slices.ContainsFunc(o.places, g.watch.changes)
}

// shadowed reports whether a name in the count denotes a different object inside the loop.
func (g *growth) shadowed(count ast.Expr) (found bool) {
	eachName(count, func(name *ast.Ident) {
		outside := lookup(g.pass.Pkg, name.Name, g.loop.Pos())
		eachName(g.loop, func(inside *ast.Ident) {
			o := g.pass.TypesInfo.ObjectOf(inside)
			v, ok := o.(*types.Var)
			found = found || inside.Name == name.Name && o != nil && o != outside && !(ok && v.IsField())
		})
	})
	return found
}

// eachName calls f for each name in a node, except for names that follow a dot.
func eachName(n ast.Node, f func(*ast.Ident)) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			eachName(n.X, f)
			return false
		case *ast.Ident:
			f(n)
		}
		return true
	})
}

// operands holds the variables, fields and elements that determine how often a loop runs, and how
// much it appends each time.
type operands struct {
	*growth
	counters map[types.Object]*ast.BlockStmt // loop counters, with the bodies of their loops
	places   []ast.Expr                      // variables, fields, elements and targets of pointers
	unknown  bool                            // the count may differ in the first iteration, or panic where the loop does not
}

// outermost adds the operands of a loop and of the loops in it. The bounds of a for loop are
// evaluated in each iteration, but the operand of a range loop only once.
func (o *operands) outermost(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ForStmt:
		o.count(s)
		o.add(s.Cond)
		o.add(s.Post)
	case *ast.RangeStmt:
		if isMap(o.pass.TypesInfo.TypeOf(s.X)) {
			o.add(s.X)
		}
	}
	o.body(s)
}

// inner adds the operands of a nested loop, which starts again in each iteration of the outer loop.
func (o *operands) inner(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ForStmt:
		o.count(s)
		o.unknown = o.unknown || !o.declares(s.Init)
		o.addRepeated(s.Init)
		o.addRepeated(s.Cond)
		o.addRepeated(s.Post)
	case *ast.RangeStmt:
		o.addRepeated(s.X)
	}
	o.body(s)
}

// body adds the operands in the body of a loop.
func (o *operands) body(s ast.Stmt) {
	ast.Inspect(bodyOf(s), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if inner := n.(ast.Stmt); len(o.appendsIn(inner)) > 0 {
				o.inner(inner)
			}
			return false
		case *ast.CallExpr:
			if builtin(o.pass.TypesInfo, n) == "append" && n.Ellipsis.IsValid() && o.names(n.Args[0], o.object) {
				o.addRepeated(n.Args[1])
			}
		}
		return true
	})
}

// addRepeated adds the places in n, which is evaluated in each iteration of the outermost loop. n
// may be nil. The capacity may be grown only if all of these places are variables that only this
// function can change, and if the evaluation cannot panic. Then the count has the same value before
// the loop as in the first iteration, and can be computed even if there is no iteration.
func (o *operands) addRepeated(n ast.Node) {
	before := len(o.places)
	o.add(n)
	o.unknown = o.unknown || n != nil && !o.pure(n) || slices.ContainsFunc(o.places[before:], func(place ast.Expr) bool {
		return isMap(o.pass.TypesInfo.TypeOf(place)) || !o.watch.private(place)
	})
}

// count adds the variables that a loop sets after each iteration.
func (o *operands) count(loop *ast.ForStmt) {
	var set []ast.Expr
	switch s := loop.Post.(type) {
	case *ast.AssignStmt:
		set = s.Lhs
	case *ast.IncDecStmt:
		set = []ast.Expr{s.X}
	}
	for _, e := range set {
		if name, ok := e.(*ast.Ident); ok && name.Name != "_" {
			o.counters[o.pass.TypesInfo.ObjectOf(name)] = loop.Body
		}
	}
}

// add adds the places in an expression or a clause, except for counters. n may be nil.
func (o *operands) add(n ast.Node) {
	if n == nil {
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
			if ok && !v.IsField() && o.counters[v] == nil {
				o.places = append(o.places, n)
			}
		}
		return true
	})
}
