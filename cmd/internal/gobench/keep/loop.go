package keep

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// A loop is a benchmark loop, in which each iteration is one operation.
type loop struct {
	*change
	b         types.Object   // the *testing.B of the loop
	node      ast.Node       // loop statement
	receivers []types.Object // variables that calls in the loop may have changed
}

// named reports whether, at a position, the name of the *testing.B still refers to it and is not
// shadowed by another declaration.
func (l *loop) named(at token.Pos) bool {
	scope := l.b.Parent().Innermost(at)
	if scope == nil {
		scope = l.b.Parent()
	}
	_, found := scope.LookupParent(l.b.Name(), at)
	return found == l.b
}

// statements adds the edits for a list of statements in the body of the loop.
func (l *loop) statements(list []ast.Stmt) {
	for _, s := range list {
		l.statement(s)
	}
}

func (l *loop) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ExprStmt:
		if call, ok := ast.Unparen(s.X).(*ast.CallExpr); ok {
			l.call(call)
		}
	case *ast.AssignStmt:
		if l.keeps(s) {
			before, after := l.assigned(s)
			l.insert(s.Pos(), "%s", before)
			l.insert(s.End(), "%s", after)
		}
	case *ast.BlockStmt:
		l.statements(s.List)
	case *ast.LabeledStmt:
		if _, assigns := s.Stmt.(*ast.AssignStmt); !assigns {
			l.statement(s.Stmt)
		}
	case *ast.IfStmt:
		l.condition(s)
	case *ast.ForStmt:
		l.statements(s.Body.List)
	case *ast.RangeStmt:
		l.statements(s.Body.List)
	case *ast.SwitchStmt:
		l.statements(s.Body.List)
	case *ast.TypeSwitchStmt:
		l.statements(s.Body.List)
	case *ast.SelectStmt:
		l.statements(s.Body.List)
	case *ast.CaseClause:
		l.statements(s.Body)
	case *ast.CommClause:
		l.statements(s.Body)
	}
}

// condition adds the edits for an if statement. The values that its init statement assigns are kept
// before the condition is evaluated.
func (l *loop) condition(s *ast.IfStmt) {
	if init, ok := s.Init.(*ast.AssignStmt); ok && l.keeps(init) {
		before, after := l.assigned(init)
		l.insert(s.Pos(), "{ ")
		l.edits = append(l.edits, edit{l.offset(s.Pos()), l.offset(init.Pos()), ""}) // keyword if
		l.insert(init.Pos(), "%s", before)
		l.insert(init.End(), "%s; if ", after)
		semicolon := strings.IndexByte(string(l.source[l.offset(init.End()):]), ';') + l.offset(init.End())
		l.edits = append(l.edits, edit{l.offset(init.End()), semicolon + 1, ""})
		defer l.insert(s.End(), " }")
	}
	l.statements(s.Body.List)
	if s.Else != nil {
		l.statement(s.Else)
	}
}

// call adds the edits for a call whose results are discarded, so that the results are kept.
func (l *loop) call(call *ast.CallExpr) {
	if !l.keepsResults(call) || !l.named(call.Pos()) {
		return
	}
	switch result := l.info.TypeOf(call).(type) {
	case *types.Tuple: // no result, or several, which Go does not allow beside other arguments
		if result.Len() > 0 {
			names := make([]string, result.Len())
			for i := range names {
				names[i] = l.newName()
			}
			list := strings.Join(names, ", ")
			l.insert(call.Pos(), "{ %s := ", list)
			l.insert(call.End(), "; %s.%s(%s, %s) }", l.b.Name(), Method, l.site(call), list)
		}
	default:
		l.insert(call.Pos(), "%s.%s(%s, ", l.b.Name(), Method, l.site(call))
		l.insert(call.End(), ")")
	}
	l.changes(call)
}

// changes determines which variables a call may change, and records them. These are its receiver,
// and the variables whose addresses are passed to it. A call without results is useful only if it
// changes a value, so for such a call the variables that refer to other values are recorded too.
func (l *loop) changes(call *ast.CallExpr) {
	var variables []ast.Expr
	if s, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		variables = append(variables, s.X)
	}
	results, _ := l.info.TypeOf(call).(*types.Tuple)
	silent := results.Len() == 0 && !l.info.Types[call].IsValue()
	for _, arg := range call.Args {
		a, ok := ast.Unparen(arg).(*ast.UnaryExpr)
		switch {
		case ok && a.Op == token.AND:
			variables = append(variables, a.X)
		case silent && refers(l.info.TypeOf(arg)):
			variables = append(variables, arg)
		}
	}
	for _, e := range variables {
		name, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			continue
		}
		if v, ok := l.info.Uses[name].(*types.Var); ok && !slices.Contains(l.receivers, types.Object(v)) {
			l.receivers = append(l.receivers, v)
		}
	}
}

// refers reports whether values of a type refer to other values.
func refers(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
		return true
	}
	return false
}

// keepsResults reports whether the results of a call are kept. This is not the case for builtin
// functions, for conversions, and for functions of the packages testing and runtime.
func (l *loop) keepsResults(call *ast.CallExpr) bool {
	fun := ast.Unparen(call.Fun)
	if tv, ok := l.info.Types[fun]; !ok || tv.IsBuiltin() || tv.IsType() {
		return false
	}
	if s, ok := fun.(*ast.SelectorExpr); ok {
		if o := l.info.Uses[s.Sel]; o != nil && o.Pkg() != nil && (o.Pkg().Path() == "testing" || o.Pkg().Path() == "runtime") {
			return false
		}
	}
	return true
}

// keeps reports whether an assignment assigns results of calls, which are then kept.
func (l *loop) keeps(s *ast.AssignStmt) bool {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE || !l.named(s.Pos()) {
		return false
	}
	keeps := false
	for _, e := range s.Rhs {
		if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && l.keepsResults(call) {
			l.changes(call)
			keeps = true
		}
	}
	return keeps
}

// assigned returns the source to insert before and after an assignment. It also replaces each blank
// identifier in the assignment with a name.
func (l *loop) assigned(s *ast.AssignStmt) (before, after string) {
	// names contains the variables whose values are kept. targets contains the operands to which
	// the statement assigns.
	names, targets := make([]string, 0, len(s.Lhs)), make([]string, 0, len(s.Lhs))
	blanks := 0
	for _, target := range s.Lhs {
		name, isName := target.(*ast.Ident)
		if isName && name.Name == "_" {
			blanks++
		}
		names, targets = append(names, l.text(target)), append(targets, l.text(target))
	}
	site := l.site(s.Rhs[0])
	keep := "; " + l.b.Name() + "." + Method + "(" + site + ", "
	if blanks == 0 {
		return "", keep + strings.Join(names, ", ") + ")"
	}
	if s.Tok == token.DEFINE {
		for i, target := range s.Lhs {
			if names[i] == "_" {
				names[i] = l.newName()
				l.replace(target, names[i])
			}
		}
		return "", keep + strings.Join(names, ", ") + ")"
	}
	// v, _ = f() becomes { n1, n2 := f(); v, _ = n1, n2; b.CoppiceKeep(site, n1, n2) }.
	for i := range names {
		names[i] = l.newName()
	}
	list := strings.Join(names, ", ")
	l.edits = append(l.edits, edit{l.offset(s.Pos()), l.offset(s.TokPos) + len("="), list + " :="})
	return "{ ", "; " + strings.Join(targets, ", ") + " = " + list + keep + list + ") }"
}

func (l *loop) newName() string {
	l.fresh++
	return "coppice" + strconv.Itoa(l.fresh)
}

// keepReceivers adds the edits that keep the values whose methods were called. Values declared
// outside the loop are kept after the loop. Values declared in the body are kept at the end of the
// body.
func (l *loop) keepReceivers(body *ast.BlockStmt) {
	for _, v := range l.receivers {
		if v.Type().String() == "*testing.PB" || !l.named(body.Rbrace) {
			continue
		}
		inBody := v.Pos() > body.Lbrace && v.Pos() < body.Rbrace
		if inBody && v.Parent() != l.info.Scopes[body] {
			continue // not in scope at the end of the body
		}
		at := l.node.End()
		if inBody {
			at = body.Rbrace
		}
		if !inBody && (v.Pos() > l.node.Pos() && v.Pos() < l.node.End()) {
			continue // declared by the loop statement
		}
		name := l.function + ": " + v.Name() + " in the end"
		l.names[name]++
		if l.names[name] > 1 {
			continue // already kept by another loop
		}
		position := l.fset.Position(l.node.Pos())
		l.sites = append(l.sites, Site{name, position.Filename, position.Line})
		l.insert(at, "; %s.%s(%q, %s)", l.b.Name(), Method, name, v.Name())
	}
}
