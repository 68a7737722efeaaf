package reuse

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// uses collects the calls to Get and Put of a pool in a file. If a different use prevents the
// change, it returns the reason.
func (p *pooling) uses(pool *syncPool, file *ast.File) (why string) {
	ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || why != "" || p.Package.TypesInfo.Uses[name] != pool.variable {
			return why == ""
		}
		if ast.IsGenerated(file) {
			why = "a generated file uses the pool"
			return false
		}
		if len(above) > 1 && change.NoRoom(above) {
			why = rewrite.NoRoom
			return false
		}
		why = p.use(pool, append(slices.Clone(above), n))
		return true
	})
	return why
}

// use records a call to Get or Put. If a different use prevents the change, it returns the reason.
func (p *pooling) use(pool *syncPool, path []ast.Node) (why string) {
	up, at := change.Around(path)
	selector, ok := up.(*ast.SelectorExpr)
	if !ok || at < 2 || selector.X != path[at+1] {
		return "the pool is copied, or passed to other code"
	}
	call, ok := path[at-1].(*ast.CallExpr)
	if !ok || call.Fun != selector {
		return "Get, Put or New of the pool is used as a value"
	}
	path = path[:at] // the path now ends at the call
	switch selector.Sel.Name {
	case "Get":
		up, at := change.Around(path)
		assert, ok := up.(*ast.TypeAssertExpr)
		if !ok || assert.Type == nil {
			return "coppice fix replaces Get().(*T), but the result of one Get has no such assertion"
		}
		if tuple, ok := p.Package.TypesInfo.TypeOf(assert).(*types.Tuple); ok && tuple.Len() == 2 {
			return "a Get tests for the type (v, ok), but a pool.Pool has one type"
		}
		if !types.Identical(p.Package.TypesInfo.TypeOf(assert), types.NewPointer(pool.element)) {
			return "a Get expects another type than New makes"
		}
		if !p.Free(path, assert) {
			return change.Busy
		}
		pool.gets = append(pool.gets, get{path[:at+1], assert})
		return ""
	case "Put":
		return p.put(pool, path, call)
	}
	return "New of the pool is replaced"
}

// put records a call to Put, whose argument must not be nil. If the call prevents the change, put
// returns the reason.
func (p *pooling) put(pool *syncPool, path []ast.Node, call *ast.CallExpr) (why string) {
	info := p.Package.TypesInfo
	if !types.Identical(info.TypeOf(call.Args[0]), types.NewPointer(pool.element)) {
		return "a Put gets another type than New makes"
	}
	found := put{path: path, call: call}
	name, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
	if !ok {
		if !p.notNil(call.Args[0]) {
			return "a Put may get nil"
		}
		pool.puts = append(pool.puts, found)
		return ""
	}
	before := p.statements(path)
	if len(before) > 0 {
		if last := before[len(before)-1]; p.isReset(last, info.Uses[name]) && p.Free(path, last) {
			found.reset = last
		}
	}
	if !p.dereferenced(before, info.Uses[name]) && !p.madeAround(pool, path, info.Uses[name]) {
		return "a Put may get nil, which pool.Pool rejects"
	}
	pool.puts = append(pool.puts, found)
	return ""
}

// statements returns the statements before the call at the end of a path, in the same list.
func (p *pooling) statements(path []ast.Node) []ast.Stmt {
	if len(path) < 3 {
		return nil
	}
	own, ok := path[len(path)-2].(*ast.ExprStmt)
	block, is := path[len(path)-3].(*ast.BlockStmt)
	if !ok || !is {
		return nil
	}
	return block.List[:slices.Index(block.List, ast.Stmt(own))]
}

// isReset reports whether a statement is v.Reset().
func (p *pooling) isReset(s ast.Stmt, v types.Object) bool {
	statement, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := statement.X.(*ast.CallExpr)
	if !ok || len(call.Args) > 0 {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	name, is := selectorName(selector)
	return ok && is && selector.Sel.Name == "Reset" && p.Package.TypesInfo.Uses[name] == v
}

// dereferenced reports whether statements that run one after the other write to *v or to a field of
// *v, so that v is not nil after them. Method calls are ignored, because the method may allow a nil
// receiver. Statements before a label are ignored, because a goto may skip them. If other code may
// set the variable in the meantime, dereferenced returns false.
func (p *pooling) dereferenced(before []ast.Stmt, v types.Object) (found bool) {
	if v == nil || v.Parent() == p.Package.Types.Scope() || p.Locals.Shared(v) {
		return false
	}
	for _, s := range before {
		if _, ok := s.(*ast.LabeledStmt); ok {
			found = false
			continue
		}
		assign, ok := s.(*ast.AssignStmt)
		if !ok {
			found = found && !p.assigns(s, v)
			continue
		}
		for _, left := range assign.Lhs {
			found = (found || p.through(left, v)) && !p.Names(left, v)
		}
	}
	return found
}

// through reports whether the left side of an assignment is v.f or *v.
func (p *pooling) through(left ast.Expr, v types.Object) bool {
	switch e := ast.Unparen(left).(type) {
	case *ast.StarExpr:
		return p.Names(e.X, v)
	case *ast.SelectorExpr:
		return p.Names(e.X, v)
	}
	return false
}

// assigns reports whether a node assigns to v or takes its address.
func (p *pooling) assigns(n ast.Node, v types.Object) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, func(left ast.Expr) bool { return p.Names(left, v) })
		case *ast.RangeStmt:
			found = found || n.Key != nil && p.Names(n.Key, v) || n.Value != nil && p.Names(n.Value, v)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && p.Names(n.X, v)
		}
		return !found
	})
	return found
}

// madeAround calls the method onlyFromPool for the declared function that contains a Put.
func (p *pooling) madeAround(pool *syncPool, path []ast.Node, v types.Object) bool {
	for _, n := range path {
		if f, ok := n.(*ast.FuncDecl); ok {
			return p.onlyFromPool(pool, f.Body, v)
		}
	}
	return false
}

// onlyFromPool reports whether a variable that is declared in a body is assigned only new values
// and results of calls to the pool's Get.
func (p *pooling) onlyFromPool(pool *syncPool, body *ast.BlockStmt, v types.Object) bool {
	if v == nil || v.Pos() < body.Pos() || v.Pos() >= body.End() {
		return false // a parameter, or a variable of the package
	}
	begins, good := false, true // a parameter or a result of a literal begins with another value
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if p.Names(left, v) {
					name, ok := left.(*ast.Ident)
					begins = begins || ok && p.Package.TypesInfo.Defs[name] == v
					good = good && len(n.Lhs) == len(n.Rhs) && p.fresh(pool, n.Rhs[i])
				}
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if p.Package.TypesInfo.Defs[name] == v {
					begins = true
					good = good && len(n.Names) == len(n.Values) && p.fresh(pool, n.Values[i])
				}
			}
		case *ast.RangeStmt:
			good = good && (n.Key == nil || !p.Names(n.Key, v)) && (n.Value == nil || !p.Names(n.Value, v))
		case *ast.UnaryExpr:
			good = good && (n.Op != token.AND || !p.Names(n.X, v))
		}
		return true
	})
	return good && begins
}

// fresh reports whether an expression is a call to the pool's Get, or creates a new value.
func (p *pooling) fresh(pool *syncPool, e ast.Expr) bool {
	assert, ok := ast.Unparen(e).(*ast.TypeAssertExpr)
	if !ok {
		return p.notNil(e)
	}
	call, ok := ast.Unparen(assert.X).(*ast.CallExpr)
	if !ok {
		return false
	}
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	name, is := selectorName(selector)
	return ok && is && selector.Sel.Name == "Get" && p.Package.TypesInfo.Uses[name] == pool.variable
}
