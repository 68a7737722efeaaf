package avoidcopy

import (
	"go/ast"
	"go/token"
	"go/types"
	"go/version"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// sequences maps functions that return a slice of parts to functions that return an iterator over
// the parts.
var sequences = map[string]string{"strings.Split": "SplitSeq", "strings.SplitAfter": "SplitAfterSeq", "strings.Fields": "FieldsSeq"}

// split replaces a loop over a slice of parts with a loop over an iterator.
func (k *copier) split(path []ast.Node, call *ast.CallExpr) (done, why string) {
	instead := sequences[k.Callee(call)]
	if instead == "" {
		return "", ""
	}
	up, at := change.Around(path)
	loop, ok := up.(*ast.RangeStmt)
	switch {
	case !ok || loop.X != path[at+1]:
		return "", "the parts are kept as a slice"
	case version.Compare(k.Language, "go1.24") < 0:
		return "", "strings." + instead + " needs go1.24"
	case loop.Key == nil:
		return "", "the loop only counts the parts"
	case !isBlank(loop.Key) || loop.Value == nil:
		return "", "the loop uses the indexes of the parts"
	case k.NamesRecover(loop.Body):
		return "", "the body of the loop would become a function, in which recover does nothing"
	case k.gathers(loop.Body):
		return "", "the body of the loop appends to a slice from outside it, and would become a function: then the first memory of that slice is not on the stack"
	case k.rewrites(loop.Body):
		return "", rewritten
	}
	if who := k.onlooker(loop.Body); who != "" {
		return "", "the body of the loop would become a function, which is visible on the stack: " + who
	}
	if !k.Free(path, call) {
		return "", change.Busy
	}
	function, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return "", "package strings is imported without a name"
	}
	k.Replace(loop.Key.Pos(), loop.Value.Pos(), "")
	k.Replace(function.Sel.Pos(), function.Sel.End(), instead)
	k.Take(call)
	if !slices.Contains(k.Price, seen) {
		k.Price = append(k.Price, seen)
	}
	return "iterates over the parts with " + instead, ""
}

// gathers reports whether the body of a loop appends to a local variable that is declared outside
// the loop. The first backing array of a slice in a package variable is never on the stack.
func (k *copier) gathers(body *ast.BlockStmt) (found bool) {
	info := k.Package.TypesInfo
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || change.Builtin(info, call) != "append" {
			return !found
		}
		if to, ok := ast.Unparen(call.Args[0]).(*ast.Ident); ok {
			of := info.Uses[to]
			found = found || of != nil && of.Parent() != k.Package.Types.Scope() && (of.Pos() < body.Pos() || body.End() <= of.Pos())
		}
		return !found
	})
	return found
}

// seen is the price of a loop over an iterator, and lists the ways in which the new function may be
// observed.
const seen = loopPrice + "; code of other modules that recovers from its panics and logs the stack sees that, and so do dumps of all goroutines and profiles"

func isBlank(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "_"
}

// bytesOfString replaces the copy of a string's bytes or runes with the string itself, if the copy
// is only read.
func (k *copier) bytesOfString(path []ast.Node, conversion *ast.CallExpr) (done, why string) {
	operand := k.converted(conversion, toBytes)
	if operand == nil {
		return k.runesOfString(path, conversion)
	}
	if !k.Free(path, conversion) {
		return "", change.Busy
	}
	if k.readOpen(path, operand) {
		return "", openRead
	}
	up, at := change.Around(path)
	switch up := up.(type) {
	case *ast.RangeStmt:
		return "", "the compiler copies nothing here"
	case *ast.IndexExpr:
		if up.X != path[at+1] || !k.isValue(path[:at+1]) {
			return "", "the copy is written to"
		}
		k.replace(path, operand)
		k.Take(conversion)
		return "indexes the string", ""
	case *ast.CallExpr:
		name := change.Builtin(k.Package.TypesInfo, up)
		if name != "append" && name != "copy" || len(up.Args) != 2 || up.Args[1] != path[at+1] || name == "append" && !up.Ellipsis.IsValid() ||
			!isBytes(k.Package.TypesInfo.TypeOf(up.Args[0])) {
			return "", ""
		}
		k.replace(path, operand)
		k.Take(conversion)
		return name + " takes the string", ""
	}
	if a, ok := k.assigned(path); ok && a.statement.Tok == token.DEFINE {
		return k.bytesVariable(path, conversion, a, operand)
	}
	return "", ""
}

const openRead = "a call beside the copy might change what it copies"

// readOpen reports whether a call in the same statement might change the variable that an operand
// reads. Without the copy, the language does not specify the order of the call and the read.
func (k *copier) readOpen(path []ast.Node, operand ast.Expr) bool {
	return !k.isOrdered(operand) && k.siblingWrites(path, operand)
}

// isOrdered reports whether a string has the same value throughout its statement. This is true if
// only the function itself can set the string. It is also true if the string is the result of a
// call, because the order of calls is specified.
func (k *copier) isOrdered(operand ast.Expr) bool {
	_, call := ast.Unparen(operand).(*ast.CallExpr)
	return (call || k.Locals.Plain(operand)) && !k.World.Unsafe()
}

const rewritten = "in a module that uses unsafe, a string may share memory with bytes, which might change while it is read"

// rewrites reports whether the bytes of a string might change while a node is evaluated. Only
// package unsafe makes that possible.
func (k *copier) rewrites(n ast.Node) bool { return k.World.Unsafe() && !k.noEffects(n) }

// siblingWrites reports whether an expression outside the operand, but in the same statement as the
// call at the end of a path, may write to bytes or variables.
func (k *copier) siblingWrites(path []ast.Node, operand ast.Expr) (found bool) {
	ast.Inspect(change.Whole(path), func(n ast.Node) bool {
		if n == nil || n == ast.Node(operand) || found {
			return false
		}
		found = n != path[len(path)-1] && !k.noEffectsStep(n, nil)
		return !found
	})
	return found
}

// runesOfString replaces a loop over a slice of a string's runes with a loop over the string.
func (k *copier) runesOfString(path []ast.Node, conversion *ast.CallExpr) (done, why string) {
	info := k.Package.TypesInfo
	if len(conversion.Args) != 1 || !info.Types[conversion.Fun].IsType() || !isText(info.TypeOf(conversion.Args[0])) {
		return "", ""
	}
	list, ok := info.TypeOf(conversion).Underlying().(*types.Slice)
	up, at := change.Around(path)
	loop, walked := up.(*ast.RangeStmt)
	switch {
	case !ok || !types.Identical(list.Elem(), types.Typ[types.Rune]) || !walked || loop.X != path[at+1]:
		return "", ""
	case loop.Key != nil && !isBlank(loop.Key):
		return "", "the loop counts runes, and a loop over the string would count bytes"
	case k.rewrites(loop.Body):
		return "", rewritten
	case !k.Free(path, conversion):
		return "", change.Busy
	}
	if x := conversion.Args[0]; k.isString(x) {
		k.replace(path, x)
	} else {
		k.Replace(conversion.Pos(), conversion.End(), k.asString(x))
	}
	k.Take(conversion)
	return "iterates over the string", ""
}

// bytesVariable edits a statement that assigns the bytes of a string to a variable. If the variable
// is only read, the string itself is assigned instead.
func (k *copier) bytesVariable(path []ast.Node, conversion *ast.CallExpr, a single, operand ast.Expr) (done, why string) {
	l, why := k.lifeOf(path, a.variable, a.statement.End())
	if why != "" {
		return "", why
	}
	var walked []ast.Expr
	for _, use := range l.uses {
		up, at := change.Around(use)
		switch up := up.(type) {
		case *ast.IndexExpr:
			if up.X == use[at+1] && k.isValue(use[:at+1]) {
				continue
			}
		case *ast.RangeStmt:
			if up.X == use[at+1] {
				walked = append(walked, up.X)
				continue
			}
		case *ast.CallExpr:
			name := change.Builtin(k.Package.TypesInfo, up)
			last := len(up.Args) == 2 && up.Args[1] == use[at+1] && isBytes(k.Package.TypesInfo.TypeOf(up.Args[0]))
			if name == "len" || last && (name == "copy" || name == "append" && up.Ellipsis.IsValid()) {
				continue
			}
		}
		return "", "the copy is kept, passed on or written to"
	}
	name := types.TypeString(a.variable.Type(), nil)
	switch {
	case name != "[]byte" && len(walked) > 0:
		return "", "the bytes have a defined type"
	case k.World.Unsafe() && !k.noEffectsWithin(l.function, l.from, l.to, nil):
		return "", rewritten
	}
	for _, x := range walked {
		if !k.predeclared("byte", x.Pos()) {
			return "", "byte is another type where the loop is"
		}
	}
	if !k.takeUses(l) { // another change would treat the string as bytes
		return "", change.Busy
	}
	k.Replace(conversion.Pos(), conversion.End(), k.asString(operand))
	for _, x := range walked {
		k.Replace(x.Pos(), x.End(), "[]byte("+k.Source(x)+")") // the compiler makes no copy here
	}
	k.Take(a.statement)
	return a.name.Name + " is the string itself", ""
}

// takeUses marks all uses of a variable as changed. If one of the uses already belongs to a
// different change, takeUses marks none of them and returns false.
func (k *copier) takeUses(l life) bool {
	for _, use := range l.uses {
		if !k.Untouched(use[len(use)-1]) {
			return false
		}
	}
	for _, use := range l.uses {
		k.Take(use[len(use)-1])
	}
	return true
}

// named replaces the uses of a variable that contains string(b) with the conversion, if the
// compiler avoids the copy at each of these uses.
func (k *copier) named(path []ast.Node, conversion *ast.CallExpr) (done, why string) {
	operand := k.converted(conversion, toString)
	if operand == nil {
		return "", ""
	}
	if free := k.isFree(path); free {
		return "", "the compiler copies nothing here"
	}
	a, ok := k.assigned(path)
	if !ok || a.statement.Tok != token.DEFINE {
		return "", ""
	}
	fixed := k.variable(operand)
	if fixed == nil || !k.Locals.Plain(operand) {
		return "", "the bytes are not in a variable, or a field of one, that this function alone can set"
	}
	l, why := k.lifeOf(path, a.variable, a.statement.End())
	switch {
	case why != "":
		return "", why
	case len(l.uses) == 0 || hasLabels(l.function):
		return "", "the function has a goto, or never reads the string"
	case !k.noEffectsWithin(l.function, l.from, l.to, fixed):
		return "", "something between the copy and its last use might change the bytes"
	case !k.Free(path, a.statement) || !types.Identical(a.variable.Type(), types.Typ[types.String]):
		return "", change.Busy
	}
	for _, use := range l.uses {
		switch {
		case !k.isFree(use):
			return "", "the string is kept or passed on"
		case !k.sameAt(conversion, use[len(use)-1].Pos()):
			return "", "a name of the conversion means something else where the string is used"
		}
	}
	if !k.takeUses(l) {
		return "", change.Busy
	}
	text := k.Source(conversion)
	k.RemoveLine(a.statement)
	for _, use := range l.uses {
		name := use[len(use)-1]
		if call, ok := use[len(use)-2].(*ast.CallExpr); ok && change.Builtin(k.Package.TypesInfo, call) == "len" {
			k.Replace(name.Pos(), name.End(), k.Source(operand))
			continue
		}
		k.Replace(name.Pos(), name.End(), text)
	}
	k.Take(a.statement)
	return "the compiler copies nothing where " + a.name.Name + " was used", ""
}

// isFree reports whether the compiler avoids the copy of string(b) at the end of a path. It does so
// in a comparison, in a map lookup, in a switch over constants, and in len.
func (k *copier) isFree(path []ast.Node) bool {
	up, at := change.Around(path)
	switch up := up.(type) {
	case *ast.BinaryExpr:
		return !slices.Contains([]token.Token{token.ADD, token.ADD_ASSIGN}, up.Op)
	case *ast.IndexExpr:
		_, isMap := k.Package.TypesInfo.TypeOf(up.X).Underlying().(*types.Map)
		return isMap && up.Index == path[at+1] && k.isValue(path[:at+1])
	case *ast.SwitchStmt:
		for _, s := range up.Body.List {
			for _, e := range s.(*ast.CaseClause).List {
				if k.Package.TypesInfo.Types[e].Value == nil {
					return false
				}
			}
		}
		return up.Tag == path[at+1]
	case *ast.CallExpr:
		return change.Builtin(k.Package.TypesInfo, up) == "len"
	}
	return false
}
