package change

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// An onlookers judges what runs in a piece of code: whether it may look at the functions on the stack, and whether it may panic, which shows
// them to who recovers, and to a logger. It follows calls of functions of the package.
type onlookers struct {
	*copier
	seen   map[*ast.FuncDecl]bool
	who    string // the first call that may look; empty if none does
	panics bool
}

// onlooker says who may see the functions on the stack while code runs that becomes a function of its own; empty if nobody.
func (k *copier) onlooker(body ast.Node) (who string) {
	o := &onlookers{copier: k, seen: map[*ast.FuncDecl]bool{}}
	o.look(body)
	switch {
	case o.who != "":
		return o.who + ", of which it is not known"
	case o.panics:
		return "it may panic, which shows the functions on the stack"
	case k.world.Watched() != "":
		return k.world.Watched()
	}
	return ""
}

func (o *onlookers) look(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if o.who == "" && n != nil {
			o.node(n)
		}
		return o.who == ""
	})
}

// node judges a node without those below it.
func (o *onlookers) node(n ast.Node) {
	info := o.Package.TypesInfo
	switch n := n.(type) {
	case *ast.GoStmt:
		o.who = "a goroutine"
	case *ast.DeferStmt:
		o.who = "a deferred call"
	case *ast.CallExpr:
		o.call(n)
	case *ast.RangeStmt:
		switch info.TypeOf(n.X).Underlying().(type) {
		case *types.Signature:
			if call, ok := ast.Unparen(n.X).(*ast.CallExpr); !ok || !o.calmFunction(call) {
				o.who = "an iterator"
			}
		case *types.Pointer, *types.Interface:
			o.panics = true
		}
	case *ast.IndexExpr:
		o.panics = o.panics || info.Types[n].IsValue()
	case *ast.StarExpr:
		o.panics = o.panics || info.Types[n].IsValue()
	case *ast.SelectorExpr:
		selection := info.Selections[n]
		o.panics = o.panics || selection != nil && selection.Indirect()
	case *ast.SliceExpr, *ast.TypeAssertExpr, *ast.SendStmt:
		o.panics = true
	case *ast.AssignStmt:
		o.panics = o.panics || slices.Contains([]token.Token{token.QUO_ASSIGN, token.REM_ASSIGN, token.SHL_ASSIGN, token.SHR_ASSIGN}, n.Tok)
	case *ast.BinaryExpr:
		o.panics = o.panics || o.binary(n)
	case *ast.SwitchStmt: // compares interfaces
		o.panics = o.panics || n.Tag != nil && types.IsInterface(info.TypeOf(n.Tag))
	}
}

// binary reports whether an operation may panic.
func (o *onlookers) binary(n *ast.BinaryExpr) bool {
	switch n.Op {
	case token.QUO, token.REM, token.SHL, token.SHR:
		return o.Package.TypesInfo.Types[n.Y].Value == nil
	case token.EQL, token.NEQ:
		info := o.Package.TypesInfo
		_, basic := info.TypeOf(n.X).Underlying().(*types.Basic)
		return !basic && !info.Types[n.X].IsNil() && !info.Types[n.Y].IsNil()
	}
	return false
}

// call judges a call without its arguments.
func (o *onlookers) call(call *ast.CallExpr) {
	info := o.Package.TypesInfo
	if info.Types[call.Fun].IsType() {
		_, basic := info.TypeOf(call).Underlying().(*types.Basic)
		o.panics = o.panics || !basic // a slice as an array
		return
	}
	switch name := builtin(info, call); name {
	case "":
	case "append", "cap", "complex", "copy", "imag", "len", "max", "min", "new", "print", "println", "real":
		return
	default:
		o.panics = true
		return
	}
	if o.calmFunction(call) {
		name := o.callee(call)
		o.panics = o.panics || panicking[name[strings.LastIndexByte(name, '.')+1:]]
		return
	}
	if plainMethods[o.callee(call)] {
		o.panics = true // without a receiver
		return
	}
	decl := o.declared(call)
	if decl == nil || decl.Body == nil {
		o.who = "a call of " + types.ExprString(call.Fun)
		return
	}
	if !o.seen[decl] {
		o.seen[decl] = true
		o.look(decl.Body)
	}
}

// calmFunction reports whether a call is of a function of the standard library that calls nothing but function literals that it gets, which
// are looked at by themselves.
func (o *onlookers) calmFunction(call *ast.CallExpr) bool {
	name := o.callee(call)
	dot := strings.LastIndexByte(name, '.')
	return dot >= 0 && calmPackages[name[:dot]] && !slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
		switch o.Package.TypesInfo.TypeOf(arg).Underlying().(type) {
		case *types.Signature:
			_, literal := ast.Unparen(arg).(*ast.FuncLit)
			return !literal
		case *types.Interface:
			return true
		}
		return false
	})
}

// panicking are those of these functions that panic for some arguments.
var panicking = map[string]bool{"Repeat": true, "NewReplacer": true, "FormatInt": true, "FormatUint": true, "AppendInt": true, "AppendUint": true,
	"FormatFloat": true, "Div": true, "Div32": true, "Div64": true, "Rem": true, "Rem32": true, "Rem64": true, "EncodeRune": true, "FormatComplex": true}

// plainMethods write to memory, and call nobody.
var plainMethods = map[string]bool{
	"(*strings.Builder).WriteString": true, "(*strings.Builder).WriteByte": true, "(*strings.Builder).WriteRune": true, "(*strings.Builder).Write": true,
	"(*strings.Builder).Len": true, "(*strings.Builder).String": true, "(*strings.Builder).Reset": true, "(*strings.Builder).Grow": true,
	"(*bytes.Buffer).WriteString": true, "(*bytes.Buffer).WriteByte": true, "(*bytes.Buffer).WriteRune": true, "(*bytes.Buffer).Write": true,
	"(*bytes.Buffer).Len": true, "(*bytes.Buffer).String": true, "(*bytes.Buffer).Bytes": true, "(*bytes.Buffer).Reset": true,
}
