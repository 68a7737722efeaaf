package avoidcopy

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// noEffects reports whether a node leaves all existing bytes unchanged. Such a node does not write
// to bytes, does not call unknown code, and does not synchronize with other goroutines. Function
// literals are treated as if they were called.
func (k *copier) noEffects(n ast.Node) bool {
	return k.noEffectsWithin(n, n.Pos(), n.End(), nil)
}

// noEffectsWithin is like noEffects, but checks only the parts of a node that begin between two
// positions. If fixed is not nil, it is a variable that only the function itself can set, and the
// parts must not set this variable either.
func (k *copier) noEffectsWithin(n ast.Node, from, to token.Pos, fixed types.Object) (none bool) {
	none = true
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil || !none || n.End() <= from || n.Pos() >= to {
			return none
		}
		if n.Pos() >= from {
			none = k.noEffectsStep(n, fixed)
		}
		return none
	})
	return none
}

// noEffectsStep implements noEffects for a single node, without the nodes below it.
func (k *copier) noEffectsStep(n ast.Node, fixed types.Object) bool {
	switch n := n.(type) {
	case *ast.SendStmt, *ast.SelectStmt, *ast.GoStmt, *ast.DeferStmt, *ast.LabeledStmt:
		return false
	case *ast.BranchStmt:
		return n.Tok != token.GOTO
	case *ast.UnaryExpr:
		return n.Op != token.ARROW
	case *ast.FuncLit: // other code may read the variables that the literal sets
		return !k.setsOther(n)
	case *ast.CallExpr:
		return k.noEffectsCall(n)
	case *ast.RangeStmt:
		switch k.Package.TypesInfo.TypeOf(n.X).Underlying().(type) {
		case *types.Chan, *types.Signature, *types.Interface:
			return false
		}
	}
	return !slices.ContainsFunc(set(n), func(left ast.Expr) bool { return !k.noEffectsLeft(left, fixed) })
}

// set returns the expressions to which a statement assigns.
func set(n ast.Node) (all []ast.Expr) {
	switch n := n.(type) {
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.RangeStmt:
		return slices.DeleteFunc([]ast.Expr{n.Key, n.Value}, func(e ast.Expr) bool { return e == nil })
	}
	return nil
}

// setsOther reports whether a function literal may set variables that it does not declare.
func (k *copier) setsOther(lit *ast.FuncLit) (found bool) {
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		found = found || slices.ContainsFunc(set(n), func(left ast.Expr) bool {
			if k.isNew(left) {
				return false
			}
			v := k.Locals.Root(left)
			return v == nil || v.Pos() < lit.Pos() || lit.End() <= v.Pos()
		})
		return !found
	})
	return found
}

// isNew reports whether the left side declares a variable or is blank.
func (k *copier) isNew(left ast.Expr) bool {
	name, ok := ast.Unparen(left).(*ast.Ident)
	return ok && (name.Name == "_" || k.Package.TypesInfo.Defs[name] != nil)
}

// noEffectsLeft reports whether an assignment writes neither to bytes that other code can see nor
// to fixed. Only the function itself can see a local variable whose address is not taken, and the
// variable's fields and elements. Any other array or struct may contain bytes, and any pointer may
// point to such an array or struct. With unsafe, any memory may be bytes.
func (k *copier) noEffectsLeft(left ast.Expr, fixed types.Object) bool {
	left = ast.Unparen(left)
	switch {
	case k.isNew(left):
		return true
	case k.Locals.Plain(left):
		return fixed == nil || k.Locals.Root(left) != fixed
	}
	t := k.Package.TypesInfo.TypeOf(left)
	if t == nil || k.World.Unsafe() {
		return false
	}
	switch under := t.Underlying().(type) {
	case *types.Array, *types.Struct:
		return false
	case *types.Basic:
		_, variable := left.(*ast.Ident)
		_, field := left.(*ast.SelectorExpr)
		return variable || field || under.Kind() != types.Uint8
	case *types.Interface:
		_, parameter := types.Unalias(t).(*types.TypeParam)
		return !parameter
	}
	return true
}

// noEffectsPackages are packages whose functions, except for Append functions and EncodeRune, do
// not change their arguments, and call no code of the program other than function arguments.
var noEffectsPackages = map[string]bool{"strings": true, "bytes": true, "unicode": true, "unicode/utf8": true, "unicode/utf16": true,
	"strconv": true, "math": true, "math/bits": true}

// noEffectsCall implements noEffects for a call, without its arguments.
func (k *copier) noEffectsCall(call *ast.CallExpr) bool {
	info := k.Package.TypesInfo
	if info.Types[call.Fun].IsType() {
		return true
	}
	switch name := change.Builtin(info, call); name {
	case "":
	case "append", "copy", "clear", "delete":
		if k.World.Unsafe() {
			return false
		}
		s, ok := info.TypeOf(call.Args[0]).Underlying().(*types.Slice)
		if !ok {
			_, isMap := info.TypeOf(call.Args[0]).Underlying().(*types.Map)
			return isMap
		}
		switch e := s.Elem().Underlying().(type) {
		case *types.Basic:
			return e.Kind() != types.Uint8
		case *types.Pointer, *types.Slice, *types.Map:
			return true
		}
		return false
	case "len", "cap", "min", "max", "make", "new", "panic", "real", "imag", "complex":
		return true
	default:
		return false
	}
	name := k.Callee(call)
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || !noEffectsPackages[name[:dot]] || strings.HasPrefix(name[dot+1:], "Append") || name[dot+1:] == "EncodeRune" {
		return false
	}
	return !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		switch info.TypeOf(arg).Underlying().(type) {
		case *types.Signature:
			_, literal := ast.Unparen(arg).(*ast.FuncLit) // a literal is checked separately
			return !literal
		case *types.Interface:
			return true
		}
		return false
	})
}

// A life is the live range of a variable after a given statement. It is the part of the function in
// which the variable is used.
type life struct {
	variable *types.Var
	function ast.Node // function that declares the variable
	uses     [][]ast.Node
	from, to token.Pos // the code between the statement and the last use
}

// lifeOf returns the life of a variable from the end of a statement in the variable's own function.
// If the life cannot be determined, lifeOf also returns the reason.
func (k *copier) lifeOf(path []ast.Node, v *types.Var, after token.Pos) (l life, why string) {
	l = life{variable: v, from: after, to: after}
	site := path[len(path)-1]
	at := 0
	for i, n := range path {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			l.function, at = n, i
		}
	}
	if l.function == nil || v.Pos() < l.function.Pos() || v.Pos() >= l.function.End() || v.Kind() == types.ResultVar {
		return l, "the variable is not local to the function"
	}
	for _, n := range path[at:] {
		if body := loopBody(n); body != nil && !(body.Pos() <= v.Pos() && v.Pos() < body.End()) {
			l.from, l.to = n.Pos(), n.End()
			break
		}
	}
	if k.Locals.Shared(v) {
		return l, "a function literal captures the variable, or its address is taken"
	}
	ast.PreorderStack(l.function, nil, func(n ast.Node, above []ast.Node) bool {
		name, ok := n.(*ast.Ident)
		if !ok || k.Package.TypesInfo.Uses[name] != v || site.Pos() <= n.Pos() && n.Pos() < site.End() {
			return true
		}
		if n.Pos() >= l.from {
			l.uses = append(l.uses, append(slices.Clone(above), n))
			l.to = max(l.to, change.Whole(l.uses[len(l.uses)-1]).End())
		}
		return true
	})
	for _, use := range l.uses { // a loop that begins after the copy may run all of its body again
		for _, n := range use {
			if loopBody(n) != nil && n.Pos() >= l.from {
				l.to = max(l.to, n.End())
			}
		}
	}
	return l, ""
}

// loopBody returns the body of a loop, or nil.
func loopBody(n ast.Node) *ast.BlockStmt {
	switch n := n.(type) {
	case *ast.ForStmt:
		return n.Body
	case *ast.RangeStmt:
		return n.Body
	}
	return nil
}

// hasLabels reports whether a function contains a goto, which may jump back.
func hasLabels(function ast.Node) (found bool) {
	ast.Inspect(function, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO
		return true
	})
	return found
}

// reads reports whether a call neither keeps nor changes the bytes that are passed to it, and the
// result does not share memory with them.
func (k *copier) reads(call *ast.CallExpr) bool {
	name := k.Callee(call)
	if name == "bytes.Equal" || name == "bytes.ReplaceAll" || name == "bytes.Replace" {
		return true
	}
	return slices.ContainsFunc(counterparts, func(t pair) bool { return t.bytes == name })
}

// trims contains functions that return a subslice of their first argument.
var trims = map[string]bool{"bytes.TrimSpace": true, "bytes.Trim": true, "bytes.TrimLeft": true, "bytes.TrimRight": true,
	"bytes.TrimPrefix": true, "bytes.TrimSuffix": true}

// onlyRead reports whether the bytes at the end of a path are only read. Such bytes are not kept,
// written to, or compared with nil.
func (k *copier) onlyRead(path []ast.Node) bool {
	e := path[len(path)-1].(ast.Expr)
	up, at := change.Around(path)
	below := path[at+1]
	switch up := up.(type) {
	case *ast.IndexExpr:
		return up.X == below && k.isValue(path[:at+1])
	case *ast.SliceExpr: // slicing may reach beyond the length
		return up.X == below && up.Max == nil && (up.High == nil || types.ExprString(up.High) == "len("+types.ExprString(up.X)+")") && k.onlyRead(path[:at+1])
	case *ast.RangeStmt:
		return up.X == below
	case *ast.CallExpr:
		if k.converted(up, toString) != nil {
			return true
		}
		switch change.Builtin(k.Package.TypesInfo, up) {
		case "len":
			return true
		case "append", "copy":
			return len(up.Args) == 2 && up.Args[1] == below && (up.Ellipsis.IsValid() || change.Builtin(k.Package.TypesInfo, up) == "copy")
		}
		if trims[k.Callee(up)] && up.Args[0] == below {
			return k.onlyRead(path[:at+1])
		}
		return k.reads(up) && isBytes(k.Package.TypesInfo.TypeOf(e))
	}
	return false
}

// isValue reports whether the element at the end of a path is used as a value: nothing is assigned
// to the element, and its address is not taken.
func (k *copier) isValue(path []ast.Node) bool {
	up, at := change.Around(path)
	switch up := up.(type) {
	case *ast.UnaryExpr:
		return up.Op != token.AND
	case *ast.IncDecStmt:
		return false
	case *ast.AssignStmt:
		return !slices.ContainsFunc(up.Lhs, func(left ast.Expr) bool { return left == path[at+1] })
	case *ast.RangeStmt:
		return up.X == path[at+1]
	case *ast.SelectorExpr:
		return false // the selector denotes a method of the element
	}
	return true
}
