package avoidcopy

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// A single is a statement that assigns to a single variable and belongs to a statement list.
type single struct {
	statement *ast.AssignStmt
	name      *ast.Ident
	variable  *types.Var
}

// assigned returns the assignment whose right side is the call at the end of a path. ok is false if
// there is no such assignment.
func (k *copier) assigned(path []ast.Node) (a single, ok bool) {
	up, at := change.Around(path)
	statement, ok := up.(*ast.AssignStmt)
	if !ok || len(statement.Lhs) != 1 || len(statement.Rhs) != 1 || statement.Tok != token.ASSIGN && statement.Tok != token.DEFINE {
		return a, false
	}
	switch path[at-1].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return a, false
	}
	if comm, is := path[at-1].(*ast.CommClause); is && comm.Comm == ast.Stmt(statement) {
		return a, false
	}
	name, ok := statement.Lhs[0].(*ast.Ident)
	if !ok {
		return a, false
	}
	v, ok := k.Package.TypesInfo.ObjectOf(name).(*types.Var)
	return single{statement, name, v}, ok
}

// shared returns the reason that a variable cannot share the bytes of the original, or "" if it
// can.
func (k *copier) shared(path []ast.Node, a single) (why string) {
	l, why := k.lifeOf(path, a.variable, a.statement.End())
	switch {
	case why != "":
		return why
	case hasLabels(l.function):
		return "the function has a goto"
	}
	for _, use := range l.uses {
		if left, ok := use[len(use)-2].(*ast.AssignStmt); ok && len(left.Lhs) == 1 && left.Lhs[0] == use[len(use)-1] && left.Tok == token.ASSIGN {
			continue // the variable is assigned another value
		}
		if !k.onlyRead(use) {
			return "the result is kept, passed on or written to"
		}
	}
	if !k.noEffectsWithin(l.function, l.from, l.to, nil) {
		return "something between the copy and its last use might change the bytes"
	}
	return ""
}

// guard moves a call such as bytes.ReplaceAll into an if statement that checks whether there is
// something to replace.
func (k *copier) guard(path []ast.Node, call *ast.CallExpr) (done, why string) {
	function := k.Callee(call)
	switch function {
	case "bytes.ReplaceAll", "bytes.Replace", "bytes.ToValidUTF8":
	case "bytes.ToLower", "bytes.ToUpper", "bytes.ToTitle", "bytes.Map":
		return "", "no function of package bytes reports whether " + function + " would change anything"
	default:
		return "", ""
	}
	a, ok := k.assigned(path)
	if !ok {
		return "", "the result goes to something that may keep it or write to it"
	}
	if why := k.shared(path, a); why != "" {
		return "", why
	}
	for _, arg := range call.Args[1:] {
		if !k.isThere(arg) || mentions(arg, a.name.Name) {
			return "", "an argument would be computed twice, or not at all"
		}
	}
	switch t := a.variable.Type(); {
	case !types.Identical(t, k.Package.TypesInfo.TypeOf(call)) || !types.Identical(t, k.Package.TypesInfo.TypeOf(call.Args[0])):
		return "", "the bytes have a defined type"
	case !k.Free(path, a.statement):
		return "", change.Busy
	}
	question, importPath := "Contains("+a.name.Name+", "+k.Source(call.Args[min(1, len(call.Args)-1)])+")", "bytes"
	if function == "bytes.ToValidUTF8" {
		question, importPath = "Valid("+a.name.Name+")", "unicode/utf8"
	}
	qualifier, ok := k.Imported(path, importPath)
	if !ok || qualifier == a.name.Name || mentions(call.Fun, a.name.Name) {
		return "", "another name shadows package " + importPath
	}
	question = qualifier + "." + question
	if importPath != "bytes" {
		question = "!" + question
	}
	k.writeGuard(a, call, question)
	return "checks first whether anything would change", ""
}

// isThere reports whether the evaluation of an argument has no effect and cannot panic, so that the
// argument may be evaluated once, twice or never. Such an argument is a constant, nil, a variable,
// a field that is not reached through a pointer, or a conversion of such an operand to bytes.
func (k *copier) isThere(arg ast.Expr) bool {
	if x := k.converted(arg, toBytes); x != nil {
		arg = x
	}
	value := k.Package.TypesInfo.Types[arg]
	return value.Value != nil || value.IsNil() || k.variable(arg) != nil
}

// variable returns the variable x for an expression such as x, x.f or x.f.g, which must not go
// through a pointer. It returns nil for other expressions.
func (k *copier) variable(e ast.Expr) *types.Var {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ := k.Package.TypesInfo.Uses[e].(*types.Var)
		return v
	case *ast.SelectorExpr:
		switch s := k.Package.TypesInfo.Selections[e]; {
		case s == nil: // a variable of another package
			v, _ := k.Package.TypesInfo.Uses[e.Sel].(*types.Var)
			return v
		case s.Kind() == types.FieldVal && !s.Indirect():
			return k.variable(e.X)
		}
	}
	return nil
}

// mentions reports whether an expression contains the given name.
func mentions(e ast.Expr, name string) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return true
	})
	return found
}

// writeGuard rewrites x = f(y, ...) to x = y; if ... { x = f(x, ...) }. If y is x, the first
// statement is omitted.
func (k *copier) writeGuard(a single, call *ast.CallExpr, question string) {
	indent := k.Indent(a.statement.Pos())
	first := ""
	operand, same := ast.Unparen(call.Args[0]).(*ast.Ident)
	if same = same && k.Package.TypesInfo.Uses[operand] == a.variable; !same {
		first = a.name.Name + " " + a.statement.Tok.String() + " " + k.Source(call.Args[0]) + "\n" + indent
	}
	rest := k.Between(call.Args[0].End(), call.End())
	k.Replace(a.statement.Pos(), a.statement.End(), first+"if "+question+" {\n"+indent+"\t"+
		a.name.Name+" = "+k.Source(call.Fun)+"("+a.name.Name+rest+"\n"+indent+"}")
	k.Take(a.statement)
}

// cloned returns the operand of a call that clones it, such as bytes.Clone(b), strings.Clone(s) or
// append([]byte(nil), b...). It returns nil for other calls.
func (k *copier) cloned(call *ast.CallExpr) ast.Expr {
	switch k.Callee(call) {
	case "bytes.Clone", "strings.Clone", "slices.Clone":
		return call.Args[0]
	}
	if change.Builtin(k.Package.TypesInfo, call) != "append" || !call.Ellipsis.IsValid() || len(call.Args) != 2 {
		return nil
	}
	switch base := ast.Unparen(call.Args[0]).(type) {
	case *ast.CallExpr:
		if k.Package.TypesInfo.Types[base.Fun].IsType() && len(base.Args) == 1 && k.Package.TypesInfo.Types[base.Args[0]].IsNil() {
			return call.Args[1]
		}
	case *ast.CompositeLit:
		if len(base.Elts) == 0 {
			return call.Args[1]
		}
	}
	return nil
}

// clone removes a call that clones bytes or a string, if the clone is only read.
func (k *copier) clone(path []ast.Node, call *ast.CallExpr) (done, why string) {
	operand := k.cloned(call)
	if operand == nil {
		return "", ""
	}
	t := k.Package.TypesInfo.TypeOf(operand)
	if !types.Identical(t, k.Package.TypesInfo.TypeOf(call)) || !isBytes(t) && !isText(t) {
		return "", "the copy has another type, or elements that are not bytes"
	}
	if !k.Free(path, call) {
		return "", change.Busy
	}
	a, named := k.assigned(path)
	switch {
	case isText(t) && !k.readText(path):
		return "", "the string is kept, and a part of it would keep all of the original"
	case k.readOpen(path, operand):
		return "", openRead
	case named:
		if why := k.shared(path, a); why != "" {
			return "", why
		}
	case isBytes(t) && (!k.onlyRead(path) || !k.noEffects(k.reader(path)) || k.siblingWrites(path, operand)):
		return "", "the copy goes to something that may keep or change it"
	}
	k.replace(path, operand)
	if importPath, _, ok := strings.Cut(k.Callee(call), "."); ok {
		k.Edits.Drop(k.Package.Fset, path[0].(*ast.File), importPath)
	}
	k.Take(call)
	return "reads the original", ""
}

// reader returns the node that reads the operand at the end of a path. It skips slice expressions
// and calls to functions that return a part of their argument.
func (k *copier) reader(path []ast.Node) ast.Node {
	up, at := change.Around(path)
	switch n := up.(type) {
	case *ast.SliceExpr:
		return k.reader(path[:at+1])
	case *ast.RangeStmt:
		return n // its body runs while the bytes are read
	case *ast.CallExpr:
		if trims[k.Callee(n)] {
			return k.reader(path[:at+1])
		}
	}
	return up
}

// readText reports whether a string is only compared, measured or searched, and not kept.
func (k *copier) readText(path []ast.Node) bool {
	up, at := change.Around(path)
	switch up := up.(type) {
	case *ast.BinaryExpr:
		return up.Op != token.ADD
	case *ast.IndexExpr:
		return k.isValue(path[:at+1])
	case *ast.CallExpr:
		if change.Builtin(k.Package.TypesInfo, up) == "len" {
			return true
		}
		name := k.Callee(up)
		for _, t := range counterparts {
			if t.text == name {
				return true
			}
		}
	}
	return false
}
