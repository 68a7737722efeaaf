package format

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/formats"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// calm classifies expressions by the effect that their evaluation may have.
type calm int

// These are the effects, from the weakest to the strongest.
const (
	still  calm = iota // a constant, or a value that no call can change; it cannot panic
	read               // memory that other code may write to; it cannot panic
	follow             // like read, but through a pointer that may be nil
	fail               // an expression that may panic in another way
	run                // an expression that calls a function
)

// order returns the reason that the operands cannot be evaluated in the code that replaces the
// call, or "" if they can. The language specification does not define the order of variable reads
// and calls, either in string concatenation or in call arguments, and the compiler may choose a
// different order for the new code. So the operands are refused if one reads a variable and another
// contains a call that may change the variable. They are also refused if two of them may panic with
// different values. Calls run from left to right before and after the change.
func (k *printer) order(operands []ast.Expr) (why string) {
	var restless []ast.Expr
	most, failing, calls := still, 0, 0
	for _, e := range operands {
		c := k.calm(e)
		if c == still {
			continue
		}
		restless = append(restless, e)
		most = max(most, c)
		if c == follow || c == fail {
			failing++
		}
		if k.calls(e) {
			calls++
		}
	}
	switch {
	case len(restless) < 2:
		return ""
	case most == run && calls < len(restless):
		return "an operand calls something that may change another one"
	case most == fail && failing > 1:
		return "two operands may panic, and which one does first might change"
	}
	return ""
}

// exposed returns the operands that the new code reads directly, rather than as arguments of a
// call. They may be read later than fmt would read them.
func exposed(parts []formats.Part) (all []ast.Expr) {
	for _, p := range parts {
		if p.Operand != nil && (p.Way == formats.AsIs || p.Way == formats.Rune) {
			all = append(all, p.Operand)
		}
	}
	return all
}

// conflict returns a reason if the statement that contains the call at the end of a path also
// contains code that must not run before the operands are read. It returns "" if the statement
// contains none. Calls run in source order, so the calls that precede this call also run first
// after the change.
func (k *printer) conflict(path []ast.Node, operands []ast.Expr) (why string) {
	most := still
	for _, e := range operands {
		if !k.calls(e) { // calls run in source order
			most = max(most, k.calm(e))
		}
	}
	if most == still {
		return ""
	}
	call := path[len(path)-1]
	ast.Inspect(change.Whole(path), func(n ast.Node) bool {
		switch {
		case n == nil || n == call || why != "":
			return false
		case n.Pos() >= call.End() && k.runs(n):
			why = "what is called in the same statement may change an operand before it is read"
		case most >= follow && k.fails(n) || most >= fail && k.follows(n):
			why = "the statement may panic in two ways, and which one comes first might change"
		}
		return true
	})
	return why
}

// calls reports whether an expression is a function call and nothing else.
func (k *printer) calls(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && k.runs(call)
}

// runs reports whether a node itself calls a function, or receives from a channel.
func (k *printer) runs(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		return !k.Package.TypesInfo.Types[n.Fun].IsType() && change.Builtin(k.Package.TypesInfo, n) == ""
	case *ast.UnaryExpr:
		return n.Op == token.ARROW
	}
	return false
}

// fails reports whether a node itself may panic for a reason other than a nil pointer dereference.
func (k *printer) fails(n ast.Node) bool {
	info := k.Package.TypesInfo
	switch n := n.(type) {
	case *ast.IndexExpr:
		return !info.Types[n.Index].IsType()
	case *ast.SliceExpr, *ast.TypeAssertExpr, *ast.SendStmt:
		return true
	case *ast.BinaryExpr:
		switch n.Op {
		case token.QUO, token.REM, token.SHL, token.SHR:
			return info.Types[n].Value == nil
		case token.EQL, token.NEQ:
			return !basic(info.TypeOf(n.X))
		}
	case *ast.CallExpr:
		return info.Types[n.Fun].IsType() && !basic(info.TypeOf(n)) || change.Builtin(info, n) != "" && change.Builtin(info, n) != "len" && change.Builtin(info, n) != "cap"
	}
	return false
}

// follows reports whether a node itself dereferences a pointer.
func (k *printer) follows(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		s := k.Package.TypesInfo.Selections[n]
		switch {
		case s == nil:
			return false
		case s.Kind() == types.FieldVal || len(s.Index()) > 1:
			return s.Indirect()
		}
		_, pointer := s.Recv().Underlying().(*types.Pointer)
		fn, ok := s.Obj().(*types.Func)
		if !ok || types.IsInterface(s.Recv()) {
			return true
		}
		_, takes := fn.Signature().Recv().Type().Underlying().(*types.Pointer)
		return pointer && !takes
	}
	return false
}

// calm classifies an expression by its effect.
func (k *printer) calm(e ast.Expr) calm {
	info := k.Package.TypesInfo
	if k.Locals.Plain(e) {
		return still
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return read
	case *ast.BasicLit:
		return still
	case *ast.SelectorExpr:
		s := info.Selections[e]
		switch {
		case s == nil: // a name from another package
			return read
		case s.Kind() != types.FieldVal:
			return run
		case s.Indirect():
			return max(follow, k.calm(e.X))
		}
		return max(read, k.calm(e.X))
	case *ast.StarExpr:
		return max(follow, k.calm(e.X))
	case *ast.IndexExpr:
		if m, ok := info.TypeOf(e.X).Underlying().(*types.Map); ok && basic(m.Key()) {
			return max(read, k.calm(e.X), k.calm(e.Index))
		}
		return max(fail, k.calm(e.X), k.calm(e.Index))
	case *ast.SliceExpr:
		return k.slice(e)
	case *ast.UnaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.XOR, token.NOT:
			return k.calm(e.X)
		case token.AND:
			return k.address(e.X)
		}
	case *ast.BinaryExpr:
		switch {
		case e.Op == token.QUO || e.Op == token.REM || e.Op == token.SHL || e.Op == token.SHR, !basic(info.TypeOf(e.X)) || !basic(info.TypeOf(e.Y)):
			return max(fail, k.calm(e.X), k.calm(e.Y))
		}
		return max(k.calm(e.X), k.calm(e.Y))
	case *ast.CallExpr:
		return k.call(e)
	}
	return run
}

// slice returns the effect of a slice expression.
func (k *printer) slice(e *ast.SliceExpr) calm {
	c := max(fail, k.calm(e.X))
	for _, index := range []ast.Expr{e.Low, e.High, e.Max} {
		if index != nil {
			c = max(c, k.calm(index))
		}
	}
	return c
}

// address returns the effect of an expression that takes the address of a variable, or of a part of
// the variable. No call can change the address.
func (k *printer) address(e ast.Expr) calm {
	if c := k.calm(e); c > read { // the operand contains a pointer or an index
		return c
	}
	return still
}

// call returns the effect of a conversion or of a builtin without side effects.
func (k *printer) call(e *ast.CallExpr) calm {
	info := k.Package.TypesInfo
	name := change.Builtin(info, e)
	switch {
	case len(e.Args) != 1:
		return run
	case name == "len" || name == "cap":
		if k.Locals.Plain(e.Args[0]) {
			return still
		}
		return max(read, k.calm(e.Args[0]))
	case info.Types[e.Fun].IsType() && basic(info.TypeOf(e)) && basic(info.TypeOf(e.Args[0])):
		return k.calm(e.Args[0])
	case info.Types[e.Fun].IsType() && basic(info.TypeOf(e)): // a conversion of bytes
		return max(read, k.calm(e.Args[0]))
	}
	return run
}

func basic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}
