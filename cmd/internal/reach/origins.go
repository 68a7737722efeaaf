package reach

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// origins finds the variables and fields that own their slices: each slice that they ever contain
// is allocated for them, or results from an append to their previous slice.
type origins struct {
	*Module
	declared     map[origin]bool // the local variables, package variables and fields that could be own
	foreign      map[origin]bool // those that may get a list that is not made for them; see isForeign
	foreignNames map[string]bool // the names of foreign fields and elements, regardless of type
	handed       map[*types.Var][]token.Pos
	returned     map[*types.Var]bool // returned by the function that declares them
	late         map[*types.Var]bool // local variables that function literals append to
	unsafe       bool                // fields may get any list through the addresses of their structs
	backAgain    *bool               // whether a number becomes an address; nil if not yet computed
	passed       []*ssa.Convert      // unsafe.Pointers that are passed on; nil if not yet computed

	// These fields describe values that are passed to code of other modules.
	elsewhere *elsewhere
	given     map[string]bool         // lists that are already recorded, by the keys of their types
	led       map[string][]string     // cached results of leads
	boxedBy   map[string][]types.Type // cached results of behind
}

// An origin identifies a variable, a field or the elements of containers. It is the *types.Var of a
// local variable, a string for a package variable, or a value of type typed for fields and
// elements.
type origin any

// typed identifies all fields with the same name and type, or all elements of the same type. typ is
// anySlice if the type depends on a type parameter. The struct of a field is ignored, because
// structs with the same fields can be converted to each other.
type typed struct{ name, typ string }

// origins inspects all files of the given packages except test files.
func (m *Module) origins(all []*packages.Package) *origins {
	o := &origins{
		Module: m, declared: map[origin]bool{}, foreign: map[origin]bool{}, foreignNames: map[string]bool{},
		handed: map[*types.Var][]token.Pos{}, returned: map[*types.Var]bool{}, late: map[*types.Var]bool{},
		elsewhere: m.findElsewhere(all), given: map[string]bool{}, led: map[string][]string{}, boxedBy: map[string][]types.Type{},
	}
	o.unsafe = slices.ContainsFunc(all, func(p *packages.Package) bool { return slices.Contains(p.Types.Imports(), types.Unsafe) })
	for _, look := range []func(*types.Info, ast.Node, []ast.Node){o.declare, o.uses, o.sources} {
		for _, p := range all {
			for _, file := range p.Syntax {
				if !m.isTest(file) {
					ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
						look(p.TypesInfo, n, above)
						return true
					})
				}
			}
		}
	}
	return o
}

// isOwn reports whether every slice that a variable or a field ever contains is allocated for it.
func (o *origins) isOwn(name origin) bool {
	_, local := name.(*types.Var)
	return name != nil && o.declared[name] && !o.isForeign(name) && (local || !o.unsafe)
}

// isForeign reports whether a variable, a field or an element may contain a slice that was not
// allocated for it. A type that depends on a type parameter is assumed to match any type.
func (o *origins) isForeign(name origin) bool {
	of, ok := name.(typed)
	switch {
	case !ok:
		return o.foreign[name]
	case of.typ == anySlice:
		return o.foreignNames[of.name]
	}
	return o.foreign[of] || o.foreign[typed{of.name, anySlice}]
}

// noteForeign records that a variable, field or element may contain a slice that was not allocated
// for it.
func (o *origins) noteForeign(name origin) {
	o.foreign[name] = true
	if of, ok := name.(typed); ok {
		o.foreignNames[of.name] = true
	}
}

// name returns the variable or field to which an expression refers, or nil if it refers to neither.
func (o *origins) name(info *types.Info, e ast.Expr) origin {
	var v *types.Var
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, _ = info.ObjectOf(e).(*types.Var)
	case *ast.SelectorExpr:
		v, _ = info.Uses[e.Sel].(*types.Var)
	}
	return nameOf(v)
}

// nameOf returns the origin that identifies a variable or a field.
func nameOf(v *types.Var) origin {
	switch {
	case v == nil:
		return nil
	case v.IsField():
		return typed{v.Id(), keyOrAny(v.Type())}
	case v.Pkg() != nil && v.Parent() == v.Pkg().Scope():
		return v.Pkg().Path() + "." + v.Name()
	}
	return v
}

// declare records the declarations of variables and fields that could own their slices. Parameters
// cannot, nor can variables that other modules may set.
func (o *origins) declare(info *types.Info, n ast.Node, above []ast.Node) {
	var names []*ast.Ident
	switch n := n.(type) {
	case *ast.ValueSpec:
		names = n.Names
	case *ast.AssignStmt:
		for _, left := range n.Lhs {
			if name, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE {
				names = append(names, name)
			}
		}
	case *ast.FuncType:
		if n.Results != nil {
			for _, f := range n.Results.List {
				names = append(names, f.Names...)
			}
		}
	case *ast.StructType:
		for _, f := range n.Fields.List {
			names = append(names, f.Names...)
		}
	}
	for _, name := range names {
		v, ok := info.Defs[name].(*types.Var)
		if ok && !(o.seenOutside(v) || typekey.HasParameter(v.Type()) && nameOf(v) != origin(v)) {
			o.declared[nameOf(v)] = true
		}
	}
}

// seenOutside reports whether other modules may set a variable or a field.
func (o *origins) seenOutside(v *types.Var) bool {
	return v.Exported() && nameOf(v) != origin(v) && v.Pkg().Name() != "main" && !slices.Contains(strings.Split(v.Pkg().Path(), "/"), "internal")
}

// uses records the positions at which the slice in a local variable is passed on, and the captured
// variables to which function literals append.
func (o *origins) uses(info *types.Info, n ast.Node, above []ast.Node) {
	name, ok := n.(*ast.Ident)
	if !ok {
		return
	}
	v, ok := info.Uses[name].(*types.Var)
	if !ok || nameOf(v) != origin(v) || !isList(v.Type()) {
		return
	}
	inLiteral := slices.ContainsFunc(above, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		return ok && !(lit.Pos() <= v.Pos() && v.Pos() < lit.End())
	})
	if inLiteral && slices.ContainsFunc(above, func(n ast.Node) bool { return o.mayAppend(info, n, name) }) {
		o.late[v] = true
	}
	switch {
	case !o.handsOut(info, v, append(slices.Clone(above), n)):
	case !inLiteral && slices.ContainsFunc(above, func(n ast.Node) bool { _, is := n.(*ast.ReturnStmt); return is }):
		o.returned[v] = true
	default:
		o.handed[v] = append(o.handed[v], name.Pos())
	}
}

// mayAppend reports whether n is a call that may append to the given slice. Other arguments of the
// call are ignored.
func (o *origins) mayAppend(info *types.Info, n ast.Node, list ast.Expr) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch fn := callee(info, call).(type) {
	case *types.Builtin:
		return fn.Name() == "append" && o.root(info, call.Args[0]) == list
	case *types.Func:
		return slices.ContainsFunc(o.appendsTo(info, fn, call), func(e ast.Expr) bool { return o.root(info, e) == list })
	}
	return false
}

// isList reports whether the values of a type may be slices.
func isList(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Interface: // also the constraint of a type parameter
		return true
	}
	return false
}

// handsOut reports whether a reference to v, which is the last node of path, passes v's slice to
// other code or to a different variable. Reading the slice's length or elements, comparing it with
// nil, and assigning it to v itself do not pass it on.
func (o *origins) handsOut(info *types.Info, v *types.Var, path []ast.Node) bool {
	for i := len(path) - 2; i >= 0; i-- {
		self := path[i+1]
		switch n := path[i].(type) {
		case *ast.ParenExpr, *ast.SliceExpr:
			if cut, ok := n.(*ast.SliceExpr); ok && cut.X != self {
				return false
			}
		case *ast.BinaryExpr:
			return false
		case *ast.RangeStmt:
			return n.X != self
		case *ast.IndexExpr:
			return n.X == self && addressOf(info, path[:i+1])
		case *ast.CallExpr:
			if info.Types[n.Fun].IsType() { // a conversion to a string copies
				if basic, ok := info.TypeOf(n).Underlying().(*types.Basic); ok && basic.Info()&types.IsString != 0 {
					return false
				}
				continue
			}
			fn, builtin := callee(info, n).(*types.Builtin)
			switch {
			case builtin && fn.Name() == "append" && n.Args[0] != self:
				return !(n.Ellipsis.IsValid() && n.Args[1] == self) // its elements are copied
			case builtin && fn.Name() != "append":
				return !slices.Contains(keepsNothing, fn.Name())
			case !builtin && !o.mayAppend(info, n, o.root(info, self.(ast.Expr))):
				return true
			}
		case *ast.AssignStmt:
			at := slices.IndexFunc(n.Rhs, func(e ast.Expr) bool { return e == self })
			if at < 0 {
				return false // it is set
			}
			if len(n.Lhs) != len(n.Rhs) {
				return true
			}
			name, ok := ast.Unparen(n.Lhs[at]).(*ast.Ident)
			return !ok || info.ObjectOf(name) != v
		default:
			return true
		}
	}
	return true
}

// keepsNothing lists the builtin functions that do not pass a slice or its array to other code. All
// other builtin functions do, such as panic, new and unsafe.SliceData.
var keepsNothing = []string{"len", "cap", "copy", "clear", "print", "println", "Sizeof", "Alignof"}

// addressOf reports whether the address of an element, or of a part of it, is taken. The element is
// the last node of path.
func addressOf(info *types.Info, path []ast.Node) bool {
	for i := len(path) - 2; i >= 0; i-- {
		switch n := path[i].(type) {
		case *ast.ParenExpr:
		case *ast.SelectorExpr:
			if s := info.Selections[n]; s == nil || s.Kind() != types.FieldVal {
				return true // a method may get the address
			}
		case *ast.IndexExpr:
			if n.X != path[i+1] {
				return false
			}
		case *ast.UnaryExpr:
			return n.Op == token.AND
		case *ast.SliceExpr:
			return n.X == path[i+1]
		default:
			return false
		}
	}
	return false
}

// handedOutBefore reports whether other code may have the slice of v when execution reaches a
// position. It may have been passed on earlier in the source or in an earlier iteration of a loop.
// If a function literal appends to it, the position is irrelevant, because the literal may run
// later.
func (o *origins) handedOutBefore(v *types.Var, at token.Pos, above []ast.Node) bool {
	if o.late[v] {
		return o.returned[v] || len(o.handed[v]) > 0
	}
	return slices.ContainsFunc(o.handed[v], func(handed token.Pos) bool {
		return handed < at || slices.ContainsFunc(above, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				return n.Pos() <= handed && handed < n.End() && (v.Pos() < n.Pos() || v.Pos() >= n.End())
			}
			return false
		})
	})
}

// sources records the variables and fields to which a node assigns a slice that was not allocated
// for them.
func (o *origins) sources(info *types.Info, n ast.Node, above []ast.Node) {
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if len(n.Values) > 0 {
				o.set(info, name, value(n.Values, i, len(n.Names)))
			}
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			o.set(info, left, value(n.Rhs, i, len(n.Lhs)))
		}
	case *ast.RangeStmt:
		for _, e := range []ast.Expr{n.Key, n.Value} {
			if e != nil {
				o.set(info, e, nil)
			}
		}
	case *ast.ReturnStmt:
		o.returns(info, n, above)
	case *ast.CompositeLit:
		o.literal(info, n)
	case *ast.CallExpr:
		o.elements(info, n)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			o.set(info, n.X, nil)
		}
	case *ast.SelectorExpr: // a method with a pointer receiver takes the address of a value
		if s := info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
			if _, pointer := s.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer); pointer {
				o.set(info, n.X, nil)
				o.embedded(s)
			}
		}
	}
}

// embedded records embedded fields whose addresses are passed to a promoted method.
func (o *origins) embedded(s *types.Selection) {
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		f := t.Underlying().(*types.Struct).Field(i)
		o.noteForeign(nameOf(f))
		t = f.Type()
	}
}

// value returns the expression that is assigned to variable i, or nil if one expression yields the
// values of several variables.
func value(all []ast.Expr, i, want int) ast.Expr {
	if len(all) != want {
		return nil
	}
	return all[i]
}

// returns records the values that a return statement assigns to named results. Only results to
// which a function literal appends are considered.
func (o *origins) returns(info *types.Info, ret *ast.ReturnStmt, above []ast.Node) {
	var results *ast.FieldList
	for _, n := range above {
		switch n := n.(type) {
		case *ast.FuncDecl:
			results = n.Type.Results
		case *ast.FuncLit:
			results = n.Type.Results
		}
	}
	if results == nil || len(ret.Results) == 0 {
		return
	}
	i := 0
	for _, f := range results.List {
		for _, name := range f.Names {
			if v, ok := info.Defs[name].(*types.Var); ok && o.late[v] {
				o.set(info, name, value(ret.Results, i, results.NumFields()))
			}
			i++
		}
	}
}

// literal records the values that a composite literal assigns to fields and elements.
func (o *origins) literal(info *types.Info, lit *ast.CompositeLit) {
	t := madeBy(info, lit)
	s := typekey.StructOf(t)
	for i, e := range lit.Elts {
		pair, hasKey := e.(*ast.KeyValueExpr)
		if hasKey {
			e = pair.Value
		}
		switch {
		case s == nil:
			o.giveElement(info, t, e)
		case hasKey:
			o.set(info, pair.Key.(*ast.Ident), e)
		default:
			o.give(info, nameOf(s.Field(i)), e)
		}
	}
}

// set records that right is assigned to a variable, a field or an element. right is nil if the
// assigned slice is unknown.
func (o *origins) set(info *types.Info, left, right ast.Expr) {
	o.giveElement(info, container(info, left), right)
	if name := o.name(info, left); name != nil {
		o.give(info, name, right)
	}
}

// give is like set, but identifies the variable, field or element by its origin.
func (o *origins) give(info *types.Info, name origin, right ast.Expr) {
	if right != nil {
		if basic, ok := typeOf(info, right).(*types.Basic); ok && basic.Kind() != types.UnsafePointer {
			return // a number or a string is not a list, not even in an interface
		}
		root := o.root(info, right)
		if o.isFresh(info, root) || o.name(info, root) == name || o.isElement(info, root, name) {
			return
		}
	}
	o.noteForeign(name)
}

// root returns the expression that provides the array of the slice e. It finds this expression by
// repeatedly replacing a slicing, a conversion or an append with its operand.
func (o *origins) root(info *types.Info, e ast.Expr) ast.Expr {
	for {
		e = ast.Unparen(e)
		switch n := e.(type) {
		case *ast.SliceExpr:
			e = n.X
			continue
		case *ast.CallExpr:
			if len(n.Args) == 0 {
				return e
			}
			if info.Types[n.Fun].IsType() {
				if _, ok := info.TypeOf(n.Args[0]).Underlying().(*types.Slice); ok {
					e = n.Args[0]
					continue
				}
			}
			fn := callee(info, n)
			builtin, ok := fn.(*types.Builtin)
			if ok && builtin.Name() == "append" || fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "slices" && slices.Contains(sameArray, fn.Name()) {
				e = n.Args[0]
				continue
			}
		}
		return e
	}
}

// These are functions of package slices. The result of the functions in sameArray may share the
// array of the first argument; the result of those in newArray never does.
var (
	sameArray = []string{"Insert", "Replace", "Grow", "Clip", "Delete", "DeleteFunc", "Compact", "CompactFunc", "AppendSeq"}
	newArray  = []string{"Clone", "Concat", "Collect", "Sorted", "SortedFunc", "SortedStableFunc", "Repeat"}
)

// isFresh reports whether an expression creates a new slice, which therefore cannot be in any
// variable yet.
func (o *origins) isFresh(info *types.Info, e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return !typeset.MayBe[*types.Array](info.TypeOf(e)) // an array that is sliced here
	case *ast.CallExpr:
		if info.Types[e.Fun].IsType() {
			basic, ok := info.TypeOf(e.Args[0]).Underlying().(*types.Basic) // nil, or a string
			return ok && basic.Kind() != types.UnsafePointer
		}
		switch fn := callee(info, e).(type) {
		case *types.Builtin:
			return fn.Name() == "make"
		case *types.Func:
			return fn.Pkg() != nil && fn.Pkg().Path() == "slices" && slices.Contains(newArray, fn.Name())
		}
	case *ast.Ident:
		return info.Types[e].IsNil()
	}
	return false
}
