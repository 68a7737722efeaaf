package schema

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// narrow returns the type of a field that is declared as flat.Uint24 or flat.Int24. It returns nil
// for all other Go types.
func (r *reader) narrow(t types.Type) *Type {
	named, is := t.(*types.Named)
	if !is || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != FlatPackage {
		return nil
	}
	if base, ok := flatlayout.OfGo("flat." + named.Obj().Name()); ok {
		return &Type{Type: flatlayout.Type{Base: base}, Go: r.goName(t)}
	}
	return nil
}

// widened reports whether a type is declared with flat.Uint24 or flat.Int24 as its right-hand side,
// as in type T flat.Uint24. This is an error, because the 24-bit limit does not apply to the new
// type.
func (r *reader) widened(t types.Type) (from string, is bool) {
	named, is := t.(*types.Named)
	if !is {
		return "", false
	}
	for _, f := range r.pkg.Syntax {
		for _, d := range f.Decls {
			g, is := d.(*ast.GenDecl)
			if !is || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				s := spec.(*ast.TypeSpec)
				if r.pkg.TypesInfo.Defs[s.Name] != named.Obj() {
					continue
				}
				if n := r.narrow(types.Unalias(r.pkg.TypesInfo.TypeOf(s.Type))); n != nil {
					return n.Go, true
				}
				if inner, is := types.Unalias(r.pkg.TypesInfo.TypeOf(s.Type)).(*types.Named); is && inner.Obj().Pkg() == named.Obj().Pkg() {
					return r.widened(inner)
				}
			}
		}
	}
	return "", false
}

// fieldType reads the type of a field, or returns nil if the type is not allowed. Slices and
// optional values are allowed only in fields.
func (r *reader) fieldType(v *types.Var, name string) *Type {
	t := types.Unalias(v.Type())
	if foreign(t, r.pkg.Types) != "" {
		return r.itemType(t, v.Pos(), name) // itemType reports the error
	}
	switch u := t.Underlying().(type) {
	case *types.Slice:
		if isByte(u.Elem()) {
			return &Type{Type: flatlayout.Type{Base: flatlayout.Bytes}, Go: r.goName(t)}
		}
		return r.list(t, u.Elem(), flatlayout.Type{Base: flatlayout.Slice}, v.Pos(), name)
	case *types.Pointer:
		if r.isRecord(u.Elem()) {
			return r.itemType(t, v.Pos(), name)
		}
		if r.generic(u.Elem(), v.Pos(), name) {
			return nil
		}
		elem := types.Unalias(u.Elem())
		if _, is := elem.Underlying().(*types.Basic); !is {
			r.problem(v.Pos(), "%s is %s; a pointer may be to a scalar or a string, which makes it optional, or to a struct, which makes that a node", name, r.show(t))
			return nil
		}
		inner := r.itemType(elem, v.Pos(), name)
		if inner == nil {
			return nil
		}
		return &Type{Type: flatlayout.Type{Base: flatlayout.Optional, Elem: &inner.Type}, Go: r.goName(t), Elem: inner}
	}
	return r.itemType(t, v.Pos(), name)
}

// list reads an array type or a slice type.
func (r *reader) list(t, elem types.Type, made flatlayout.Type, pos token.Pos, name string) *Type {
	inner := r.itemType(elem, pos, name)
	if inner == nil {
		return nil
	}
	made.Elem = &inner.Type
	return &Type{Type: made, Go: r.goName(t), Elem: inner}
}

// itemType reads a type of fixed size, or returns nil if the type is not allowed.
func (r *reader) itemType(t types.Type, pos token.Pos, name string) *Type {
	t = types.Unalias(t)
	if t := r.narrow(t); t != nil {
		return t
	}
	if object := foreign(t, r.pkg.Types); object != "" {
		r.problem(pos, "%s is of type %s of another package, which the schema does not control; declare a type of your own", name, object)
		return nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return r.basic(t, u, pos, name)
	case *types.Interface:
		return r.sumType(t, pos, name)
	case *types.Struct:
		return r.inline(t, pos, name)
	case *types.Array:
		return r.array(t, u, pos, name)
	case *types.Slice:
		if isByte(u.Elem()) {
			return &Type{Type: flatlayout.Type{Base: flatlayout.Bytes}, Go: r.goName(t)}
		}
		r.problem(pos, "%s has %s inside a list; declare a struct that contains it, and use a list of that struct", name, r.show(t))
	case *types.Pointer:
		if r.isRecord(u.Elem()) {
			return r.recordRef(types.Unalias(u.Elem()).(*types.Named).Obj().Name())
		}
		r.problem(pos, "%s has %s inside a list; a pointer in a list must point to a struct", name, r.show(t))
	case *types.Map:
		r.problem(pos, "%s is a map; use a slice of a struct with key and value, or, for what a pass computes, a side table beside the tree: a map with handles as keys", name)
	case *types.Signature:
		r.problem(pos, "%s is a function, which is not data; use a number or name that stands for it", name)
	case *types.Chan:
		r.problem(pos, "%s is a channel, which is not data; remove it", name)
	default:
		r.problem(pos, "%s is %s, which a flat tree cannot contain; use a number, string, struct or sum", name, r.show(t))
	}
	return nil
}

func (r *reader) basic(t types.Type, u *types.Basic, pos token.Pos, name string) *Type {
	if from, is := r.widened(t); is {
		r.problem(pos, "%s is of type %s, which is declared as %s and would not be as narrow; write type %s = %s", name, r.show(t), from, r.show(t), from)
		return nil
	}
	if base, is := flatlayout.OfGo(types.Typ[u.Kind()].Name()); is {
		return &Type{Type: flatlayout.Type{Base: base}, Go: r.goName(t), Wide: base.Bits() == 64}
	}
	switch u.Kind() {
	case types.Int, types.Uint:
		base := flatlayout.Int64
		if u.Kind() == types.Uint {
			base = flatlayout.Uint64
		}
		return &Type{Type: flatlayout.Type{Base: base}, Go: r.goName(t), Size: true, Wide: true}
	case types.Uintptr:
		r.problem(pos, "%s is a uintptr, an address of one run of a program; use uint64", name)
	default:
		r.problem(pos, "%s is %s; use two floats or another number", name, r.show(t))
	}
	return nil
}

func (r *reader) sumType(t types.Type, pos token.Pos, name string) *Type {
	named, is := t.(*types.Named)
	switch {
	case is && r.sums[named.Obj()]:
		return r.sumRef(named.Obj().Name())
	case is && named.Obj().Pkg() == nil:
		r.problem(pos, "%s is an %s, which is not data; use a string with its text, or a number", name, named.Obj().Name())
	case is:
		r.problem(pos, "%s is the interface %s, which is not a sum; put //flat:sum above its declaration", name, named.Obj().Name())
	default:
		shown := r.show(t)
		if shown == "interface{}" { // Go 1.27 has lost the name at this point
			shown = "any"
		}
		r.problem(pos, "%s is %s, whose contents are unknown; declare a sum", name, shown)
	}
	return nil
}

// sumRef returns the type of a reference to a sum.
func (r *reader) sumRef(name string) *Type {
	return &Type{Type: flatlayout.Type{Base: flatlayout.Ref, Name: name}, Go: r.model.Import + "." + name}
}

// recordRef returns the type of a reference to a record, which is a pointer in Go.
func (r *reader) recordRef(name string) *Type {
	t := r.sumRef(name)
	t.Go = "*" + t.Go
	return t
}

func (r *reader) inline(t types.Type, pos token.Pos, name string) *Type {
	named, is := t.(*types.Named)
	if !is {
		r.problem(pos, "%s is a struct without a name; declare a type for it", name)
		return nil
	}
	if r.generic(t, pos, name) {
		return nil
	}
	if r.isRecord(t) {
		by := r.recordRef(named.Obj().Name())
		by.Go, by.Value = r.goName(t), true
		return by
	}
	if r.structs[named.Obj()] == nil {
		r.model.Structs = append(r.model.Structs, r.structOf(named.Obj()))
	}
	return &Type{Type: flatlayout.Type{Base: flatlayout.Inline, Name: named.Obj().Name()}, Go: r.goName(t)}
}

// generic reports whether t is an instance of a generic type. If so, it also reports a problem,
// because such types are not allowed.
func (r *reader) generic(t types.Type, pos token.Pos, name string) bool {
	named, is := types.Unalias(t).(*types.Named)
	if is && named.TypeArgs().Len() > 0 {
		r.problem(pos, "%s is %s, which is generic; declare a struct for this use", name, r.show(t))
		return true
	}
	return false
}

func (r *reader) array(t types.Type, u *types.Array, pos token.Pos, name string) *Type {
	if u.Len() < 1 || u.Len() > flatlayout.MaxItems {
		r.problem(pos, "%s is an array of %d items; an array has 1 to %d", name, u.Len(), flatlayout.MaxItems)
		return nil
	}
	return r.list(t, u.Elem(), flatlayout.Type{Base: flatlayout.Array, Len: int(u.Len())}, pos, name)
}

// isRecord reports whether t is a struct type that becomes a record.
func (r *reader) isRecord(t types.Type) bool {
	named, is := types.Unalias(t).(*types.Named)
	if !is {
		return false
	}
	s := r.structs[named.Obj()]
	return s != nil && s.Kind > 0
}

// isByte reports whether t is byte itself. A slice of another type whose underlying type is byte is
// treated as a slice of numbers.
func isByte(t types.Type) bool { return types.Identical(types.Unalias(t), types.Typ[types.Uint8]) }

// foreign returns the name of t if another package declares it, and "" otherwise.
func foreign(t types.Type, home *types.Package) string {
	named, is := t.(*types.Named)
	if !is || named.Obj().Pkg() == home {
		return ""
	}
	if named.Obj().Pkg() == nil {
		return "" // the predeclared type error, which is rejected as an interface
	}
	return named.Obj().Pkg().Name() + "." + named.Obj().Name()
}

// goName returns the name of a type as written in the generated package.
func (r *reader) goName(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == r.pkg.Types {
			return r.model.Import
		}
		return p.Name()
	})
}

// show returns the name of a type as written in the schema, for error messages.
func (r *reader) show(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(r.pkg.Types))
}

// lay computes the layout of the schema, and stores the results in the model.
func (r *reader) lay() {
	m, s := r.model, r.model.Schema
	s.Version, s.Share, s.Root = r.version, r.share, r.root
	for _, sum := range m.Sums {
		one := flatlayout.Sum{Name: sum.Name}
		for _, v := range sum.Variants {
			one.Variants = append(one.Variants, v.Name)
		}
		s.Sums = append(s.Sums, one)
	}
	m.Structs = r.inOrder(m.Structs)
	for _, v := range m.Structs {
		s.Structs = append(s.Structs, v.schema())
	}
	for _, v := range m.Records[1:] {
		s.Records = append(s.Records, v.schema())
	}
	if _, err := flatlayout.Parse(s.Text()); err != nil {
		r.problem(r.rootPos, "%v", err)
		return
	}
	layout, err := s.Place()
	if err != nil {
		r.problem(r.rootPos, "%v; split it into variants", err)
		return
	}
	m.Layout = layout
	for kind, v := range m.Records {
		if v != nil {
			v.connect(layout.Records[kind])
		}
	}
	for _, v := range m.Structs {
		v.connect(layout.Structs[v.Name])
	}
}

// inOrder sorts inline structs in declaration order.
func (r *reader) inOrder(found []*Struct) (sorted []*Struct) {
	for _, t := range r.named {
		for _, s := range found {
			if s.Name == t.Name() {
				sorted = append(sorted, s)
			}
		}
	}
	return sorted
}

func (s *Struct) schema() flatlayout.Struct {
	one := flatlayout.Struct{Name: s.Name}
	for _, f := range s.Fields {
		one.Fields = append(one.Fields, flatlayout.Field{Name: f.Name, Type: f.Type.Type})
	}
	return one
}

func (s *Struct) connect(b *flatlayout.Block) {
	s.Block = b
	for i, f := range s.Fields {
		f.Place = &b.Places[i]
	}
}
