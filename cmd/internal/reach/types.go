package reach

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// typeKey is a text that identical types have in common, also those of a package and of the same package with its tests, and those that differ
// by the tags of structs alone: values of one can be converted to the other, at any depth.
func typeKey(t types.Type) string {
	return types.TypeString(spelled(t), func(p *types.Package) string { return p.Path() })
}

// signatureKey is the text of a function's type, without its receiver.
func signatureKey(s *types.Signature) string {
	return typeKey(types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic()))
}

// spelled is an identical type that is written in one way only, at every depth: without aliases and the names of parameters, which do not
// count, without tags, and with all methods of an interface in it.
func spelled(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return types.Typ[t.Kind()] // byte and rune have names of their own
	case *types.Pointer:
		return types.NewPointer(spelled(t.Elem()))
	case *types.Slice:
		return types.NewSlice(spelled(t.Elem()))
	case *types.Array:
		return types.NewArray(spelled(t.Elem()), t.Len())
	case *types.Chan:
		return types.NewChan(t.Dir(), spelled(t.Elem()))
	case *types.Map:
		return types.NewMap(spelled(t.Key()), spelled(t.Elem()))
	case *types.Tuple:
		return spelledTuple(t)
	case *types.Signature:
		return types.NewSignatureType(nil, nil, nil, spelledTuple(t.Params()), spelledTuple(t.Results()), t.Variadic())
	case *types.Struct:
		return spelledStruct(t)
	case *types.Interface:
		return spelledInterface(t)
	case *types.Named:
		return spelledNamed(t)
	default:
		return t
	}
}

func spelledTuple(t *types.Tuple) *types.Tuple {
	var all []*types.Var
	for v := range t.Variables() {
		all = append(all, types.NewParam(token.NoPos, v.Pkg(), "", spelled(v.Type())))
	}
	return types.NewTuple(all...)
}

func spelledStruct(t *types.Struct) types.Type {
	var fields []*types.Var
	for f := range t.Fields() {
		fields = append(fields, types.NewField(token.NoPos, f.Pkg(), f.Name(), spelled(f.Type()), f.Embedded()))
	}
	return types.NewStruct(fields, nil)
}

func spelledInterface(t *types.Interface) types.Type {
	if !t.IsMethodSet() {
		return t // of a type parameter
	}
	var methods []*types.Func
	for f := range t.Methods() {
		methods = append(methods, types.NewFunc(token.NoPos, f.Pkg(), f.Name(), spelled(f.Signature()).(*types.Signature)))
	}
	slices.SortFunc(methods, func(a, b *types.Func) int { return strings.Compare(a.Id(), b.Id()) })
	return types.NewInterfaceType(methods, nil)
}

func spelledNamed(t *types.Named) types.Type {
	if t.TypeArgs().Len() == 0 {
		return t
	}
	var args []types.Type
	for arg := range t.TypeArgs().Types() {
		args = append(args, spelled(arg))
	}
	made, err := types.Instantiate(nil, t.Origin(), args, false)
	if err != nil {
		return t
	}
	return made
}

// structOf is the struct that values of a type are, or point to; nil if they are none. A type parameter may be one, too.
func structOf(t types.Type) *types.Struct {
	for _, below := range typeset.Below(t) {
		switch below := below.(type) {
		case *types.Struct:
			return below
		case *types.Pointer:
			return structOf(below.Elem())
		}
	}
	return nil
}

// elementTypes are the types of what values of a type point to, or are made of: those of pointers, lists, channels and maps; none of others.
func elementTypes(t types.Type) []types.Type {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return []types.Type{u.Key(), u.Elem()}
	case interface{ Elem() types.Type }: // a pointer, a slice, an array or a channel
		return []types.Type{u.Elem()}
	}
	return nil
}

// A walk goes from a type to all types that whoever has one finds there, until one of them is what is looked for. It takes elements, fields,
// parameters and results, exported methods, and type arguments. Of types of other modules it takes the type arguments alone, because there is
// no other way from these to a type of the module.
type walk struct {
	*Module
	hidden bool // it takes fields that are not exported too, as reflection does
	found  func(types.Type) bool
	seen   map[string]bool
	via    string // the method with what was found, as T.Method
}

// in reports whether the walk finds something in a type.
func (w *walk) in(t types.Type) bool {
	t = types.Unalias(t)
	if t == nil || w.found(t) {
		return t != nil
	}
	switch t := t.(type) {
	case *types.Named:
		return w.inNamed(t)
	case *types.TypeParam:
		return w.in(t.Constraint())
	case *types.Pointer:
		return w.in(t.Elem())
	case *types.Slice:
		return w.in(t.Elem())
	case *types.Array:
		return w.in(t.Elem())
	case *types.Chan:
		return w.in(t.Elem())
	case *types.Map:
		return w.in(t.Key()) || w.in(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if w.in(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return w.in(t.Params()) || w.in(t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if (w.hidden || f.Exported() || f.Embedded()) && w.in(f.Type()) {
				return true
			}
		}
	case *types.Interface:
		return w.inInterface(t)
	case *types.Union:
		for term := range t.Terms() {
			if w.in(term.Type()) {
				return true
			}
		}
	}
	return false
}

// inNamed looks at a declared type once.
func (w *walk) inNamed(t *types.Named) bool {
	key := nameKey(w.fset, t.Origin().Obj())
	if t.TypeArgs().Len() > 0 {
		key = typeKey(t)
	}
	if w.seen[key] {
		return false
	}
	w.seen[key] = true
	for arg := range t.TypeArgs().Types() {
		if w.in(arg) {
			return true
		}
	}
	if !w.own[pathOf(t.Obj())] {
		return false
	}
	for method := range t.Methods() {
		if method.Exported() && w.in(method.Signature()) {
			w.via = cmp.Or(w.via, t.Obj().Name()+"."+method.Name())
			return true
		}
	}
	if s, ok := t.Underlying().(*types.Signature); ok && !w.hidden {
		return w.in(s.Results()) // an option (type Option func(*parser)): that others make some by generic functions is assumed not to be
	}
	return w.in(t.Underlying())
}

func (w *walk) inInterface(t *types.Interface) bool {
	for method := range t.Methods() {
		if (w.hidden || method.Exported()) && w.in(method.Signature()) {
			return true
		}
	}
	for embedded := range t.EmbeddedTypes() {
		if types.IsInterface(embedded) && embedded.Underlying().(*types.Interface).IsMethodSet() {
			continue // its methods are those of the whole
		}
		if w.in(embedded) {
			return true
		}
	}
	return false
}

// DependsOnParameter reports whether the size of a type depends on a type parameter. Nobody may ask for the size of one that does: go/types ends the
// process.
func DependsOnParameter(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		return DependsOnParameter(t.Underlying())
	case *types.Array:
		return DependsOnParameter(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if DependsOnParameter(f.Type()) {
				return true
			}
		}
	}
	return false
}

// hasParameter reports whether a value may be of several types, by a type parameter.
func hasParameter(t types.Type) bool { return parameterIn(t, map[types.Type]bool{}) }

// parameterIn is hasParameter for a type that is not among those that are looked at already.
func parameterIn(t types.Type, seen map[types.Type]bool) bool {
	in := func(t types.Type) bool { return parameterIn(t, seen) }
	switch t := types.Unalias(t).(type) {
	case nil, *types.Basic:
		return false
	case *types.Named:
		if seen[t] {
			return false
		}
		seen[t] = true
		if slices.ContainsFunc(slices.Collect(t.TypeArgs().Types()), in) {
			return true
		}
		return isLocal(t) && in(t.Underlying()) // it may have the parameters of the function around
	case *types.Slice:
		return in(t.Elem())
	case *types.Pointer:
		return in(t.Elem())
	case *types.Array:
		return in(t.Elem())
	case *types.Chan:
		return in(t.Elem())
	case *types.Map:
		return in(t.Key()) || in(t.Elem())
	case *types.Signature:
		return in(t.Params()) || in(t.Results())
	case *types.Tuple:
		return slices.ContainsFunc(slices.Collect(t.Variables()), func(v *types.Var) bool { return in(v.Type()) })
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(t.Fields()), func(f *types.Var) bool { return in(f.Type()) })
	case *types.Interface:
		return slices.ContainsFunc(slices.Collect(t.Methods()), func(f *types.Func) bool { return in(f.Signature()) }) ||
			slices.ContainsFunc(slices.Collect(t.EmbeddedTypes()), in)
	}
	return true // a type parameter, or what is not known
}

// isLocal tells types that functions declare.
func isLocal(t *types.Named) bool {
	return t.Obj().Pkg() != nil && t.Obj().Parent() != t.Obj().Pkg().Scope()
}
