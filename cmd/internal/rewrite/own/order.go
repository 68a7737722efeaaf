package own

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// orderOpen reports whether a site reads a variable that a call might change, where the call is in
// the site, or beside the site in the same statement. The language defines the order of the calls
// in an expression, but not whether a variable in the same expression is read before or after a
// call (The Go Programming Language Specification, Order of evaluation). The edit turns the site
// into a call, so the compiler might choose a different order.
func (p *pass) orderOpen(s rewrite.Site) bool {
	site := s.Node
	if s.Kind == rewrite.Variable {
		_, declared := site.(*ast.Ident) // otherwise, the site copies a variable that cannot change
		return declared && p.variableOpen(s)
	}
	reads, below := p.readsWithin(site), p.panicsBelow(site)
	if p.Calls(site) && (len(reads) > 0 || below != 0) {
		return true
	}
	panics := below | p.panicOf(site) // its own panic comes after its calls in either form
	return (len(reads) > 0 || panics != 0) && p.callsBeside(s) || p.otherPanic(s, panics)
}

// openWithin reports whether the order of evaluation within an expression matters and is
// unspecified: the expression contains calls, and also reads of variables that the calls might
// change or operations that may panic.
func (p *pass) openWithin(e ast.Expr) bool {
	return p.callsIn(e) && (len(p.readsWithin(e)) > 0 || p.panicsBelow(e) != 0)
}

// readsWithin returns the expressions in a site, outside its calls, that read variables that a call
// could change.
func (p *pass) readsWithin(site ast.Expr) (reads []ast.Expr) {
	ast.Inspect(site, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.KeyValueExpr:
			reads = append(reads, p.reads(n.Value)...)
			return false
		case *ast.SelectorExpr, *ast.Ident, *ast.IndexExpr, *ast.StarExpr, *ast.CallExpr:
			if n != site {
				reads = append(reads, p.reads(n.(ast.Expr))...)
				return false
			}
		}
		return true
	})
	return reads
}

// variableOpen implements orderOpen for a variable that becomes a pointer. It checks the initial
// value and all uses, because each use will dereference the pointer.
func (p *pass) variableOpen(s rewrite.Site) bool {
	value := p.VariableValue(s)
	return value != nil && p.callsIn(value) && len(p.reads(value)) > 0 || p.usesOpen(s)
}

// usesOpen is like variableOpen, but does not check the initial value.
func (p *pass) usesOpen(s rewrite.Site) (open bool) {
	shared := p.SharedAt(p.TypesInfo.Defs[s.Node.(*ast.Ident)], s.Function())
	if rewrite.Jumps(s.Function()) && len(shared) > 0 {
		shared = append(shared, s.Function().Pos())
	}
	p.Uses(s, func(name *ast.Ident, stack []ast.Node) {
		use := rewrite.Site{Node: name, Stack: stack}
		open = open || p.readsVariable(stack) && sharedBefore(shared, s.Node.Pos(), stack) && p.callsBeside(use)
	})
	return open
}

// callsIn reports whether an expression calls a function, receives from a channel, or calls a
// builtin that changes something.
func (p *pass) callsIn(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || !p.onlyComputes(n)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// sharedBefore reports whether a variable may be shared before the end of the statement that uses
// it: at an earlier position, or at a later position in an enclosing loop. If the loop contains the
// declaration, each iteration has a new variable.
func sharedBefore(shared []token.Pos, declared token.Pos, stack []ast.Node) bool {
	var end token.Pos
	for i := len(stack) - 1; i >= 0 && stack[i].Pos() > declared; i-- {
		switch n := stack[i].(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			end = max(end, n.End())
		case ast.Stmt:
			if !end.IsValid() {
				end = n.End()
			}
		}
	}
	if !end.IsValid() { // the use is in the header of the statement that declares the variable
		return len(shared) > 0
	}
	return slices.ContainsFunc(shared, func(at token.Pos) bool { return at < end })
}

// readsVariable reports whether a use of a variable reads the variable or a part of it. It returns
// false if the use only takes an address or sets a part.
func (p *pass) readsVariable(stack []ast.Node) bool {
	at := p.partAt(stack)
	switch up := stack[at-1].(type) {
	case *ast.UnaryExpr:
		return up.Op != token.AND
	case *ast.AssignStmt:
		return up.Tok != token.ASSIGN || !slices.Contains(up.Lhs, stack[at].(ast.Expr))
	case *ast.SelectorExpr: // a method with a pointer receiver gets the address
		m := p.TypesInfo.Selections[up]
		if m == nil || m.Kind() != types.MethodVal {
			return true
		}
		_, followed := m.Recv().Underlying().(*types.Pointer)
		_, byAddress := m.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
		return followed || !byAddress
	}
	return true
}

// callsBeside reports whether the statement (or statement header) that contains a site also
// contains a call that is neither inside the site nor has the site as an argument. The builtins
// copy and append are treated as calls, because the compiler orders them like calls.
func (p *pass) callsBeside(s rewrite.Site) (found bool) {
	beside(s, func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || !p.onlyComputes(n) && !slices.Contains(s.Stack, ast.Node(n))
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
	})
	return found
}

// onlyComputes reports whether a call is a conversion, or a call to a builtin that changes nothing,
// such as len or make.
func (p *pass) onlyComputes(n *ast.CallExpr) bool {
	fun := p.TypesInfo.Types[n.Fun]
	if !fun.IsBuiltin() {
		return fun.IsType()
	}
	name, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok { // a function of package unsafe
		return true
	}
	switch name.Name {
	case "append", "clear", "close", "copy", "delete", "panic", "print", "println", "recover":
		return false
	}
	return true
}

// otherPanic reports whether the statement of a site that may panic contains another expression
// that may panic. The order of the two then matters, because the program observes the panic that
// comes first.
func (p *pass) otherPanic(s rewrite.Site, panics int) (found bool) {
	all := 0
	beside(s, func(n ast.Node) { all |= p.panicOf(n) })
	return panics&anotherPanic != 0 && all != 0 || panics&nilPanic != 0 && all&anotherPanic != 0
}

// beside visits the nodes outside a site that are in the same statement or statement header.
func beside(s rewrite.Site, visit func(ast.Node)) {
	top := len(s.Stack) - 1
	for top > 0 {
		if _, expression := s.Stack[top-1].(ast.Expr); !expression {
			if _, pair := s.Stack[top-1].(*ast.KeyValueExpr); !pair {
				break
			}
		}
		top--
	}
	around := s.Stack[top]
	switch stmt := s.Stack[top-1].(type) {
	case *ast.AssignStmt, *ast.ReturnStmt, *ast.SendStmt, *ast.ExprStmt, *ast.ValueSpec, *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt:
		around = stmt
	}
	ast.Inspect(around, func(n ast.Node) bool {
		if n == nil || n == ast.Node(s.Node) {
			return false
		}
		if lit, ok := n.(*ast.FuncLit); ok {
			return slices.Contains(s.Stack, ast.Node(lit))
		}
		visit(n)
		return true
	})
}

// reads returns the variables that an expression reads outside its calls, and that a call could
// change.
func (p *pass) reads(e ast.Expr) (all []ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.KeyValueExpr:
			all = append(all, p.reads(n.Value)...)
			return false
		case *ast.CallExpr:
			fun := p.TypesInfo.Types[n.Fun]
			if !fun.IsType() && !fun.IsBuiltin() {
				return false
			}
			if fun.IsType() && p.copiesList(n) {
				all = append(all, n)
				return false
			}
			for _, arg := range n.Args {
				all = append(all, p.reads(arg)...)
			}
			return false
		case *ast.SelectorExpr, *ast.Ident, *ast.IndexExpr, *ast.StarExpr:
			e := n.(ast.Expr)
			if receiver := p.boundPointer(e); receiver != nil {
				all = append(all, p.reads(receiver)...)
			} else if p.TypesInfo.Types[e].IsValue() && !p.declaredFunction(e) && !p.Plain(e) {
				all = append(all, e)
			}
			return false
		}
		return true
	})
	return all
}

// copiesList reports whether a conversion reads the elements of a list, as a conversion to a string
// or an array does.
func (p *pass) copiesList(n *ast.CallExpr) bool {
	if _, list := p.TypesInfo.TypeOf(n.Args[0]).Underlying().(*types.Slice); !list {
		return false
	}
	switch p.TypesInfo.TypeOf(n).Underlying().(type) {
	case *types.Basic, *types.Array:
		return true
	}
	return false
}

// boundPointer returns the pointer that a method value stores as its receiver, or nil for other
// expressions. A receiver that is not a pointer is copied, and is therefore read.
func (p *pass) boundPointer(e ast.Expr) ast.Expr {
	n, ok := e.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	m := p.TypesInfo.Selections[n]
	if m == nil || m.Kind() != types.MethodVal || len(m.Index()) != 1 {
		return nil
	}
	_, pointer := m.Recv().Underlying().(*types.Pointer)
	_, byAddress := m.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
	if !pointer || !byAddress {
		return nil
	}
	return n.X
}

// declaredFunction reports whether an expression names a declared function or method. No call can
// change it, in contrast to a variable.
func (p *pass) declaredFunction(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.IndexExpr: // a function with a type argument
		return p.declaredFunction(ast.Unparen(e.X))
	case *ast.Ident:
		_, ok := p.TypesInfo.Uses[e].(*types.Func)
		return ok
	case *ast.SelectorExpr:
		_, ok := p.TypesInfo.Uses[e.Sel].(*types.Func)
		m := p.TypesInfo.Selections[e]
		return ok && (m == nil || m.Kind() == types.MethodExpr)
	}
	return false
}

// partAt returns the index, in stack, of the outermost expression that selects a field of a
// variable. The last node in stack is the variable's name. For an element of an array, partAt
// returns the index of the whole array, because the address of one element often gives access to
// the other elements.
func (p *pass) partAt(stack []ast.Node) int {
	at := len(stack) - 1
	for ; at > 0; at-- {
		up, ok := stack[at-1].(ast.Expr)
		if _, indexed := up.(*ast.IndexExpr); !ok || p.Root(up) == nil || indexed {
			break
		}
	}
	return at
}
