package avoidcopy

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
)

// onlookers determines whether a piece of code may reveal which functions are on the call stack.
// The code may inspect the stack itself, or it may panic, and the code that recovers may log the
// stack. The search follows calls to functions of the package. Code that is not known to be
// harmless is assumed to be harmful.
type onlookers struct {
	*copier
	seen   map[*ast.FuncDecl]bool
	who    string // description of the first call that may inspect the stack; else empty
	panics bool
}

// onlooker describes the code that may observe that the given code becomes a separate function,
// which adds a frame to the call stack. It returns "" if no code may observe this.
func (k *copier) onlooker(body ast.Node) (who string) {
	o := &onlookers{copier: k, seen: map[*ast.FuncDecl]bool{}}
	o.look(body)
	switch {
	case o.who != "":
		return o.who + ", of which this is not known"
	case o.panics:
		return "it may panic, which shows the functions on the stack"
	case k.World.Watched() != "":
		return k.World.Watched()
	}
	return ""
}

func (o *onlookers) look(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if o.who != "" || n == nil {
			return false
		}
		switch n := n.(type) {
		case *ast.CommentGroup, *ast.TypeSpec, *ast.FuncType:
			return false
		case ast.Expr:
			if o.Package.TypesInfo.Types[n].IsType() {
				return false
			}
		}
		if !o.harmless(n) {
			o.panics = true
		}
		return true
	})
}

// harmless reports whether a node itself cannot panic. It does not check the nodes below it.
func (o *onlookers) harmless(n ast.Node) bool {
	info := o.Package.TypesInfo
	switch n := n.(type) {
	case *ast.BlockStmt, *ast.BranchStmt, *ast.CaseClause, *ast.DeclStmt, *ast.EmptyStmt, *ast.ExprStmt, *ast.ForStmt, *ast.GenDecl, *ast.IfStmt, *ast.IncDecStmt,
		*ast.LabeledStmt, *ast.ReturnStmt, *ast.TypeSwitchStmt, *ast.ValueSpec:
		return true
	case *ast.BasicLit, *ast.FuncLit, *ast.Ident, *ast.KeyValueExpr, *ast.ParenExpr, *ast.UnaryExpr:
		return true
	case *ast.GoStmt:
		o.who = "a goroutine"
	case *ast.DeferStmt:
		o.who = "a deferred call"
	case *ast.AssignStmt:
		return harmlessOperators[n.Tok]
	case *ast.BinaryExpr:
		return o.harmlessBinary(n)
	case *ast.CallExpr:
		return o.call(n)
	case *ast.CompositeLit:
		switch t := info.TypeOf(n).Underlying().(type) {
		case *types.Struct, *types.Array, *types.Slice:
			return true
		case *types.Map: // a key of an interface type may panic
			return isBasic(t.Key())
		}
	case *ast.RangeStmt:
		switch info.TypeOf(n.X).Underlying().(type) {
		case *types.Signature:
			if call, ok := ast.Unparen(n.X).(*ast.CallExpr); ok && harmlessFunctions[o.Callee(call)] {
				return true
			}
			o.who = "an iterator"
		case *types.Basic, *types.Slice, *types.Array, *types.Map, *types.Chan:
			return true
		}
	case *ast.SelectorExpr:
		return o.harmlessSelector(n)
	case *ast.SwitchStmt: // the tag is compared
		return n.Tag == nil || isBasic(info.TypeOf(n.Tag))
	case *ast.TypeAssertExpr: // without a type, it belongs to a type switch
		return n.Type == nil
	}
	return false
}

func isBasic(t types.Type) bool {
	_, basic := t.Underlying().(*types.Basic)
	return basic
}

// harmlessOperators contains the operators that never panic, whatever their operands are. It
// includes assignment operators.
var harmlessOperators = map[token.Token]bool{
	token.ASSIGN: true, token.DEFINE: true, token.ADD_ASSIGN: true, token.SUB_ASSIGN: true, token.MUL_ASSIGN: true,
	token.AND_ASSIGN: true, token.OR_ASSIGN: true, token.XOR_ASSIGN: true, token.AND_NOT_ASSIGN: true,
	token.ADD: true, token.SUB: true, token.MUL: true, token.AND: true, token.OR: true, token.XOR: true, token.AND_NOT: true,
	token.LAND: true, token.LOR: true, token.LSS: true, token.LEQ: true, token.GTR: true, token.GEQ: true,
}

// harmlessBinary reports whether an operation cannot panic. The compiler has checked constant
// divisors and shift counts. A comparison panics only if it compares an interface whose dynamic
// type is not comparable. So comparisons with nil, and comparisons of types without interfaces, are
// harmless.
func (o *onlookers) harmlessBinary(n *ast.BinaryExpr) bool {
	info := o.Package.TypesInfo
	switch n.Op {
	case token.QUO, token.REM, token.SHL, token.SHR:
		return info.Types[n.Y].Value != nil
	case token.EQL, token.NEQ:
		return isBasic(info.TypeOf(n.X)) || info.Types[n.X].IsNil() || info.Types[n.Y].IsNil()
	}
	return harmlessOperators[n.Op]
}

// harmlessSelector reports whether a selector does not dereference a pointer and does not select a
// method of an interface.
func (o *onlookers) harmlessSelector(n *ast.SelectorExpr) bool {
	s := o.Package.TypesInfo.Selections[n]
	switch {
	case s == nil: // a qualified identifier
		return true
	case s.Kind() == types.FieldVal:
		return !s.Indirect()
	case s.Kind() == types.MethodVal && len(s.Index()) == 1:
		switch s.Recv().Underlying().(type) {
		case *types.Pointer, *types.Interface:
			return false
		}
		return true
	}
	return false
}

// call reports whether a call cannot panic. It does not check the arguments. It checks the bodies
// of functions of the package, and records unknown functions.
func (o *onlookers) call(call *ast.CallExpr) bool {
	info := o.Package.TypesInfo
	if info.Types[call.Fun].IsType() { // a conversion of a slice to an array may panic
		return isBasic(info.TypeOf(call))
	}
	switch change.Builtin(info, call) {
	case "":
	case "append":
		return o.harmlessAppend(call)
	case "cap", "complex", "copy", "imag", "len", "max", "min", "new", "print", "println", "real":
		return true
	default:
		return false
	}
	if harmlessFunctions[o.Callee(call)] {
		return true
	}
	decl := o.Declared(call)
	if decl == nil || decl.Body == nil {
		o.who = "a call of " + types.ExprString(call.Fun)
		return false
	}
	if !o.seen[decl] {
		o.seen[decl] = true
		o.look(decl.Body)
	}
	return true
}

// harmlessAppend reports whether an append adds single values of nonzero size. Such an append
// cannot panic, because the slice would exhaust the memory before its length overflows. With
// append(a, b...), the length may overflow a 32-bit int, and elements of size zero use no memory.
func (o *onlookers) harmlessAppend(call *ast.CallExpr) bool {
	list, ok := o.Package.TypesInfo.TypeOf(call).Underlying().(*types.Slice)
	return ok && !call.Ellipsis.IsValid() && !typekey.DependsOnParameter(list.Elem()) && o.Package.TypesSizes.Sizeof(list.Elem()) > 0
}

// harmlessFunctions contains functions of the standard library that never panic, for any arguments,
// and call no code of the program. Functions that return a slice of parts, and strconv.Quote, are
// not included: with a 32-bit int, they may panic for large strings.
var harmlessFunctions = fullNames(map[string]string{
	"strings": `Compare Contains ContainsAny ContainsRune Count Cut CutPrefix CutSuffix EqualFold FieldsSeq HasPrefix HasSuffix Index IndexAny IndexByte IndexRune
		LastIndex LastIndexAny LastIndexByte Lines SplitAfterSeq SplitSeq ToLower ToUpper Trim TrimLeft TrimPrefix TrimRight TrimSpace TrimSuffix`,
	"bytes": `Compare Contains ContainsAny ContainsRune Count Cut CutPrefix CutSuffix Equal EqualFold FieldsSeq HasPrefix HasSuffix Index IndexAny IndexByte IndexRune
		LastIndex LastIndexAny LastIndexByte Lines SplitAfterSeq SplitSeq ToLower ToUpper Trim TrimLeft TrimPrefix TrimRight TrimSpace TrimSuffix`,
	"strconv": "Atoi FormatBool Itoa ParseBool ParseFloat ParseInt ParseUint",
	"unicode": `IsControl IsDigit IsGraphic IsLetter IsLower IsMark IsNumber IsPrint IsPunct IsSpace IsSymbol IsTitle IsUpper
		SimpleFold ToLower ToTitle ToUpper`,
	"unicode/utf8": `DecodeLastRune DecodeLastRuneInString DecodeRune DecodeRuneInString FullRune FullRuneInString RuneCount RuneCountInString RuneLen
		RuneStart Valid ValidRune ValidString`,
	"math": `Abs Acos Asin Atan Atan2 Cbrt Ceil Copysign Cos Exp Exp2 Float32bits Float32frombits Float64bits Float64frombits Floor Hypot Inf IsInf IsNaN
		Log Log10 Log1p Log2 Max Min Mod Modf NaN Pow Round RoundToEven Signbit Sin Sqrt Tan Trunc`,
})

// fullNames returns the full names of functions. Its argument maps the path of each package to the
// names of its functions.
func fullNames(of map[string]string) map[string]bool {
	all := map[string]bool{}
	for path, names := range of {
		for name := range strings.FieldsSeq(names) {
			all[path+"."+name] = true
		}
	}
	return all
}
