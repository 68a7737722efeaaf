// Package typekey maps types to strings, which are called keys. Identical types have the same key,
// even if they come from separate loads of a package, with and without its tests. Package typekey
// also finds the component types and the type parameters of a type.
package typekey

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// Of returns the key of a type. Identical types have the same key, even if they come from separate
// loads of a package, with and without its tests. Types that differ only in struct tags also have
// the same key, because values of one can be converted to the other.
func Of(t types.Type) string {
	return types.TypeString(spelled(t), func(p *types.Package) string { return p.Path() })
}

// OfSignature returns the key of a function signature, ignoring its receiver.
func OfSignature(s *types.Signature) string {
	return Of(types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic()))
}

// spelled returns the canonical form of a type, without aliases, parameter names and struct tags at
// any depth. All methods of an interface are listed explicitly.
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

// StructOf returns the struct type that underlies t or the type to which t points. It returns nil
// if there is none. For a type parameter, it uses the first struct or pointer in the type set.
func StructOf(t types.Type) *types.Struct {
	for _, below := range typeset.Below(t) {
		switch below := below.(type) {
		case *types.Struct:
			return below
		case *types.Pointer:
			return StructOf(below.Elem())
		}
	}
	return nil
}

// Elements returns the types of the values to which a value of type t refers directly: the target
// of a pointer, or the elements and keys of a slice, an array, a channel or a map. It returns nil
// for other types.
func Elements(t types.Type) []types.Type {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return []types.Type{u.Key(), u.Elem()}
	case interface{ Elem() types.Type }: // a pointer, a slice, an array or a channel
		return []types.Type{u.Elem()}
	}
	return nil
}

// OfName returns the key of a declared type. If the type is local to a function, the key contains
// the position of its declaration.
func OfName(fset *token.FileSet, o *types.TypeName) string {
	if o.Pkg() == nil {
		return o.Name()
	}
	if o.Parent() != o.Pkg().Scope() {
		return o.Pkg().Path() + "." + o.Name() + "@" + fset.PositionFor(o.Pos(), false).String()
	}
	return o.Pkg().Path() + "." + o.Name()
}

// A Field identifies a struct field by the key of the struct type and the field index.
type Field struct {
	Type  string
	Field int
}

// OfField returns the identity of a field. t is the struct type, or a pointer to it.
func OfField(fset *token.FileSet, t types.Type, field int) Field {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return Field{OfName(fset, n.Origin().Obj()), field}
	}
	return Field{Of(t), field}
}

// Short returns a type as written in source code.
func Short(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// DependsOnParameter reports whether the size of a type depends on a type parameter. The size of
// such a type must not be computed, because go/types would terminate the process.
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

// HasParameter reports whether a type contains a type parameter, so that it stands for several
// types.
func HasParameter(t types.Type) bool { return parameterIn(t, map[types.Type]bool{}) }

// parameterIn implements HasParameter. seen contains the types that are already being inspected.
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
		return isLocal(t) && in(t.Underlying()) // it may use the type parameters of its function
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
	return true // a type parameter, or an unknown type
}

// isLocal reports whether a type is declared inside a function.
func isLocal(t *types.Named) bool {
	return t.Obj().Pkg() != nil && t.Obj().Parent() != t.Obj().Pkg().Scope()
}
