// Package typekey represents types by strings, their keys. Identical types have the same key, even
// if they come from two loads of a package, without and with its tests. Package typekey also
// contains functions that find the parts of a type, and the type parameters in it.
package typekey

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// Of returns the key of a type. The key is the same for identical types, even if they come from two
// loads of a package, without and with its tests. It is also the same for types that differ only in
// struct tags, at any depth, because values of one such type can be converted to the other.
func Of(t types.Type) string {
	return types.TypeString(spelled(t), func(p *types.Package) string { return p.Path() })
}

// OfSignature returns the key of a function's type, without its receiver.
func OfSignature(s *types.Signature) string {
	return Of(types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic()))
}

// spelled returns a type in its canonical form: without aliases, parameter names and tags, at every
// depth, and with all methods of each interface listed explicitly.
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

// StructOf returns the struct type underlying a type, or underlying the type to which it points. It
// returns nil if there is none. For a type parameter, it uses the first struct or pointer in the
// type set.
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

// Elements returns the types to which values of a type lead directly: the target of a pointer, or
// the elements (and keys) of a list, a channel or a map. It returns none for other types.
func Elements(t types.Type) []types.Type {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return []types.Type{u.Key(), u.Elem()}
	case interface{ Elem() types.Type }: // a pointer, a slice, an array or a channel
		return []types.Type{u.Elem()}
	}
	return nil
}

// OfName returns the key of a declared type. The key of a type that a function declares contains
// the position of the type.
func OfName(fset *token.FileSet, o *types.TypeName) string {
	if o.Pkg() == nil {
		return o.Name()
	}
	if o.Parent() != o.Pkg().Scope() {
		return o.Pkg().Path() + "." + o.Name() + "@" + fset.PositionFor(o.Pos(), false).String()
	}
	return o.Pkg().Path() + "." + o.Name()
}

// A Field identifies a field of a struct.
type Field struct {
	Type  string
	Field int
}

// OfField returns the key of a field of a struct, or of the struct that a pointer points to.
func OfField(fset *token.FileSet, t types.Type, field int) Field {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return Field{OfName(fset, n.Origin().Obj()), field}
	}
	return Field{Of(t), field}
}

// Short returns a type as it is written in source code.
func Short(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

// DependsOnParameter reports whether the size of a type depends on a type parameter. Do not compute
// the size of such a type: go/types would terminate the process.
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

// HasParameter reports whether a type depends on a type parameter, so that it stands for several
// types.
func HasParameter(t types.Type) bool { return parameterIn(t, map[types.Type]bool{}) }

// parameterIn implements HasParameter. The types in seen are already being inspected.
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

// isLocal reports whether a type is declared in a function.
func isLocal(t *types.Named) bool {
	return t.Obj().Pkg() != nil && t.Obj().Parent() != t.Obj().Pkg().Scope()
}
