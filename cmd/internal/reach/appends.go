package reach

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// roomyFunctions lists functions and methods of the standard library that observe the capacity of
// an argument, although neither their names nor their types show it. TestStandardLibrary checks
// that the list is complete: it searches for functions that pass an argument, or a field that
// stores the argument, to append or cap.
var (
	roomyFunctions = map[string][]string{
		"bufio":             {"Buffer"},
		"bytes":             {"NewBuffer"},
		"go/ast":            {"PreorderStack"},
		"go/token":          {"SetLines"},
		"go/types":          {"NewInterface", "NewInterfaceType", "NewNamed", "SetImports"},
		"index/suffixarray": {"New"},
		"math/big":          {"SetBits"},
		"slices":            {"Insert", "Replace", "Grow", "Clip"},
	}
	roomless = []string{"slices", "bytes"} // packages in which only the first argument counts
)

// isRoomy reports whether fn is one of roomyFunctions. If dynamic is set, fn is an interface
// method, and isRoomy compares only its name.
func isRoomy(fn *types.Func, dynamic bool) bool {
	if !dynamic {
		return slices.Contains(roomyFunctions[pathOf(fn)], fn.Name())
	}
	for _, names := range roomyFunctions {
		if slices.Contains(names, fn.Name()) {
			return true
		}
	}
	return false
}

// isDynamic reports whether fn is an interface method, so that a call to it may run a method of any
// type.
func isDynamic(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// appended returns the indexes of those slice parameters of fn to which fn may append. fn belongs
// to another module. appended assumes that fn appends if its name suggests it, or if fn belongs to
// the standard library and returns a slice of the same type. Methods of the module's own interfaces
// are included, because such an interface may contain a value from any module.
func (m *Module) appended(fn *types.Func) (all []int) {
	params, dynamic := fn.Signature().Params(), isDynamic(fn)
	if fn.Pkg() == nil || m.own[fn.Pkg().Path()] && !dynamic || params.Len() == 0 {
		return nil
	}
	path, first, roomy := fn.Pkg().Path(), strings.HasPrefix(fn.Name(), "Append"), isRoomy(fn, dynamic)
	if slices.Contains(roomless, path) {
		if first || roomy {
			all = []int{0}
		}
		return all
	}
	standard := dynamic || goroot.Has(path)
	for i := range params.Len() {
		list, ok := params.At(i).Type().Underlying().(*types.Slice)
		if ok && (first || roomy || standard && returns(fn.Signature(), list)) {
			all = append(all, i)
		}
	}
	return all
}

// appendsTo returns the arguments to which a call may append, as determined by appended. It omits
// the slice that the call allocates for a variadic parameter. If the arguments are the results of
// another call, as in f(g()), appendsTo returns that call.
func (m *Module) appendsTo(info *types.Info, fn *types.Func, call *ast.CallExpr) (all []ast.Expr) {
	shift, s := 0, fn.Signature()
	if selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if of := info.Selections[selector]; of != nil && of.Kind() == types.MethodExpr {
			shift = 1 // the receiver comes first
		}
	}
	for _, i := range m.appended(fn) {
		switch {
		case len(call.Args) == 1 && isTuple(info.TypeOf(call.Args[0])):
			return call.Args
		case i+shift >= len(call.Args), s.Variadic() && i == s.Params().Len()-1 && !call.Ellipsis.IsValid():
		default:
			all = append(all, call.Args[i+shift])
		}
	}
	return all
}

func isTuple(t types.Type) bool {
	_, ok := t.(*types.Tuple)
	return ok
}

// blind lists the functions and methods of package reflect that neither observe a capacity, nor
// assign a slice, nor return an address, nor call other code. Any function that is not listed may
// do these things.
var blind = strings.Fields(`
	Align AssignableTo Bits Bool Bytes CanAddr CanComplex CanConvert CanFloat CanInt CanInterface CanSeq CanSeq2 CanSet CanUint ChanDir Clear
	Comparable Complex Convert ConvertibleTo DeepEqual Elem Equal Error Field FieldAlign FieldByIndex FieldByIndexErr FieldByName FieldByNameFunc
	Fields Float Get Implements In Index Indirect Ins Int Interface IsExported IsNil IsValid IsVariadic IsZero Key Kind Len Lookup MapIndex
	MapKeys MapRange Name New Next NumField NumIn NumMethod NumOut Out Outs OverflowComplex OverflowFloat OverflowInt OverflowUint PkgPath
	PointerTo PtrTo SetBool SetComplex SetFloat SetInt SetString SetUint SetZero Size SliceOf String Swapper Type TypeFor TypeOf Uint Value
	ValueOf VisibleFields Zero`)

// seeing lists the methods of reflect.Value that observe a capacity, assign a slice or return an
// address, but whose signatures do not mention package reflect. The module may therefore declare an
// interface with the same methods and store a reflect.Value in it.
var seeing = map[string]string{
	"Cap": "func() int", "Grow": "func(int)", "SetLen": "func(int)", "SetCap": "func(int)", "SetBytes": "func([]uint8)",
	"Pointer": "func() uintptr", "UnsafeAddr": "func() uintptr", "UnsafePointer": "func() unsafe.Pointer",
}

// seesAny reports whether fn may use reflection to assign a slice, or to observe the capacity of a
// slice of any type. It returns true for interface methods if the interface may contain a
// reflect.Value.
func seesAny(fn *types.Func) bool {
	s := fn.Signature()
	switch {
	case pathOf(fn) == "reflect":
		return !slices.Contains(blind, fn.Name())
	case !isDynamic(fn):
		return false
	}
	key := typekey.OfSignature(s)
	return seeing[fn.Name()] == key || strings.Contains(key, "reflect.") && !slices.Contains(blind, fn.Name())
}

// value inspects an identifier of a function that is used as a value. Code that receives the value
// may call the function with any slice of the parameter's type.
func (l roomy) value(name *ast.Ident, above []ast.Node) {
	fn, ok := l.info.Uses[name].(*types.Func)
	if !ok || slices.ContainsFunc(above, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		return ok && calleeName(call) == name
	}) {
		return
	}
	what := fn.Name() + " as a value"
	if seesAny(fn) {
		l.note(name.Pos(), anySlice, nil, what)
	}
	params := fn.Signature().Params()
	if instance, ok := l.info.Instances[name]; ok {
		params = instance.Type.(*types.Signature).Params()
	}
	for _, i := range l.appended(fn) {
		l.note(name.Pos(), keyOfList(params.At(i).Type()), nil, what)
	}
	if l.mayKeep(fn) {
		l.noteLists(name.Pos(), params, what)
		if recv := fn.Signature().Recv(); recv != nil {
			l.noteLists(name.Pos(), types.NewTuple(recv), what)
		}
	}
}

// noteLists records the slices among the values in all, which a call passes to code without a known
// body.
func (l roomy) noteLists(pos token.Pos, all *types.Tuple, what string) {
	for v := range all.Variables() {
		switch v.Type().Underlying().(type) {
		case *types.Slice:
			l.note(pos, keyOfList(v.Type()), nil, what)
		case *types.Interface:
			if typekey.HasParameter(v.Type()) {
				l.note(pos, anySlice, nil, what)
			}
		}
	}
}

// receiver inspects the receiver of a call to a method of another module, which may be a slice.
func (l roomy) receiver(call *ast.CallExpr, fn *types.Func, above []ast.Node) {
	recv := fn.Signature().Recv()
	if recv == nil {
		return
	}
	if t, ok := recv.Type().Underlying().(*types.Interface); ok {
		for _, m := range l.methodsOutside(t, fn) {
			if !goroot.Has(m.path) {
				l.noteLists(call.Pos(), types.NewTuple(types.NewParam(call.Pos(), nil, "", m.recv)), "given to "+fn.Name())
			}
		}
		return
	}
	if selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
		if _, list := typeOf(l.info, selector.X).(*types.Slice); list {
			l.hand(selector.X, fn.Name(), above)
			return
		}
	}
	l.noteLists(call.Pos(), types.NewTuple(recv), "given to "+fn.Name())
}

// prints inspects the slices that a call to print or println prints, because the output includes
// their capacities.
func (l roomy) prints(call *ast.CallExpr, above []ast.Node) {
	for _, arg := range call.Args {
		if t := l.info.TypeOf(arg); t != nil && typeset.MayBe[*types.Slice](t) {
			l.look(call, arg, "print", above)
		}
	}
}

// bare inspects a function declaration without a body. The function is implemented in assembly or
// by the linker, and may observe everything that its arguments contain.
func (l roomy) bare(decl *ast.FuncDecl) {
	fn, ok := l.info.Defs[decl.Name].(*types.Func)
	if !ok || decl.Body != nil {
		return
	}
	for _, key := range l.listsIn(fn.Signature().Params()) {
		l.note(decl.Pos(), key, nil, fn.Name()+" has no body")
	}
	if recv := fn.Signature().Recv(); recv != nil {
		for _, key := range l.listsIn(recv.Type()) {
			l.note(decl.Pos(), key, nil, fn.Name()+" has no body")
		}
	}
}

// listsIn returns the keys of the slice types inside values of type t, including slices in
// unexported fields.
func (m *Module) listsIn(t types.Type) (all []string) {
	w := walk{Module: m, hidden: true, seen: map[string]bool{}}
	w.found = func(t types.Type) bool {
		if list, ok := t.Underlying().(*types.Slice); ok {
			all = append(all, keyOfList(list))
		}
		return false
	}
	w.finds(t)
	return all
}
