package change

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/reach"
)

// must tells what code always does with a variable: what is sure to happen, whichever way the code takes. A call that does not come
// back does everything.
type must struct {
	*Request
	v types.Object
	// does reports whether a node does it, apart from what its parts do.
	does func(ast.Node) bool
}

// A way is what came of some code.
type way struct {
	done  bool // wherever it goes on behind the code, it happened
	clean bool // wherever it leaves the code early, it happened before
}

// list looks at statements that follow each other.
func (m must) list(all []ast.Stmt) way {
	w := way{clean: true}
	for _, s := range all {
		one := m.stmt(s)
		w.clean = w.clean && (w.done || one.clean)
		w.done = w.done || one.done
	}
	return w
}

// stmt looks at a statement.
func (m must) stmt(s ast.Stmt) way {
	switch s := s.(type) {
	case nil:
		return way{clean: true}
	case *ast.BlockStmt:
		return m.list(s.List)
	case *ast.LabeledStmt:
		w := m.stmt(s.Stmt)
		return way{w.done && w.clean, w.clean}
	case *ast.IfStmt:
		if w := m.parts(s.Init, s.Cond); w.done {
			return way{true, true}
		}
		then, other := m.stmt(s.Body), m.stmt(s.Else)
		return way{then.done && other.done, then.clean && other.clean}
	case *ast.ForStmt:
		if w := m.parts(s.Init, s.Cond); w.done {
			return way{true, true}
		}
		w := m.list(s.Body.List)
		return way{s.Cond == nil && w.done && w.clean, w.clean}
	case *ast.RangeStmt:
		if reach.Unevaluated(m.Package.TypesInfo, s) == nil && m.node(s.X) {
			return way{true, true}
		}
		return way{false, m.list(s.Body.List).clean}
	case *ast.SwitchStmt:
		if w := m.parts(s.Init, s.Tag); w.done {
			return way{true, true}
		}
		return m.clauses(s.Body.List, false)
	case *ast.TypeSwitchStmt:
		if w := m.parts(s.Init, nil); w.done || m.node(s.Assign) {
			return way{true, true}
		}
		return m.clauses(s.Body.List, false)
	case *ast.SelectStmt:
		return m.clauses(s.Body.List, true)
	case *ast.ReturnStmt:
		return way{true, m.node(s)}
	case *ast.BranchStmt:
		return way{true, s.Tok == token.FALLTHROUGH}
	case *ast.GoStmt, *ast.DeferStmt:
		return way{false, true}
	}
	return way{m.node(s), true}
}

// parts looks at what a statement evaluates first.
func (m must) parts(init ast.Stmt, cond ast.Expr) way {
	return way{done: init != nil && m.stmt(init).done || cond != nil && m.node(cond)}
}

// clauses looks at those of a switch or a select. A clause that falls through does what it does itself.
func (m must) clauses(all []ast.Stmt, every bool) way {
	w := way{true, true}
	for _, c := range all {
		var one way
		switch c := c.(type) {
		case *ast.CaseClause:
			every = every || c.List == nil
			one = m.list(c.Body)
		case *ast.CommClause:
			one = m.list(c.Body)
		}
		w.done, w.clean = w.done && one.done && one.clean, w.clean && one.clean
	}
	w.done = w.done && every
	return w
}

// node reports whether the evaluation of a node always does it, or never ends.
func (m must) node(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n != nil && reach.Unevaluated(m.Package.TypesInfo, n) != nil {
			return false
		}
		switch n := n.(type) {
		case nil:
			return false
		case *ast.FuncLit:
			return false
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				found = found || m.node(n.X)
				return false
			}
		case *ast.CallExpr:
			if name, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && name.Name == "panic" && m.Package.TypesInfo.Types[n.Fun].IsBuiltin() {
				found = true
			}
		}
		found = found || m.does(n)
		return !found
	})
	return found
}

// follows reports whether code always follows a pointer, by itself or by functions of the package that it calls with it: where it is nil,
// the code panics.
func (r *Request) follows(v types.Object) must {
	return must{r, v, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			s := r.Package.TypesInfo.Selections[n]
			return r.is(n.X, v) && s != nil && s.Kind() == types.FieldVal
		case *ast.CallExpr:
			return r.calledWith(n, func(e ast.Expr) bool { return r.is(e, v) }, (*Request).follows, "follows")
		}
		return false
	}}
}

// calledWith reports whether a call is of a function of the package that always does something with a pointer that it gets as its
// receiver or an argument, one that is asked for.
func (r *Request) calledWith(call *ast.CallExpr, is func(ast.Expr) bool, what func(*Request, types.Object) must, name string) bool {
	decl := r.declared(call)
	if decl == nil || decl.Body == nil {
		return false
	}
	if selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && decl.Recv != nil && is(selector.X) && r.always(decl, decl.Recv, 0, what, name) {
		return true
	}
	for i, arg := range call.Args {
		if is(arg) && r.always(decl, decl.Type.Params, i, what, name) {
			return true
		}
	}
	return false
}

// A question is whether a function always does something with a parameter.
type question struct {
	parameter types.Object
	does      string
}

// always reports whether a function always does something with one of its parameters, if that is a pointer. One that defers a call may recover
// from what it does, and return all the same. Of functions that call each other it may miss one that does.
func (r *Request) always(decl *ast.FuncDecl, list *ast.FieldList, i int, what func(*Request, types.Object) must, name string) bool {
	p := r.parameter(list, i)
	if p == nil {
		return false
	}
	if _, ok := p.Type().Underlying().(*types.Pointer); !ok {
		return false
	}
	q := question{p, name}
	if known, ok := r.answers[q]; ok {
		return known
	}
	if r.answers == nil {
		r.answers = map[question]bool{}
	}
	r.answers[q] = false
	w := what(r, p).list(decl.Body.List)
	r.answers[q] = w.done && w.clean && !defers(decl)
	return r.answers[q]
}

// defers reports whether a function defers a call.
func defers(decl *ast.FuncDecl) (found bool) {
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		_, is := n.(*ast.DeferStmt)
		found = found || is
		_, literal := n.(*ast.FuncLit)
		return !found && !literal
	})
	return found
}

// parameter returns the variable of a parameter that has a name, or nil.
func (r *Request) parameter(list *ast.FieldList, i int) types.Object {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		if i < len(f.Names) {
			return r.Package.TypesInfo.Defs[f.Names[i]]
		}
		i -= max(1, len(f.Names))
	}
	return nil
}
