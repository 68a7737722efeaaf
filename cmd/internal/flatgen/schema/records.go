package schema

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// readRecords finds the sums, and the structs that become records. These are the variants of sums,
// the root, the targets of pointers, and structs that contain themselves in a slice. All other
// structs are inline structs.
func (r *reader) readRecords() {
	root := r.object(r.root)
	if len(r.sums) == 0 && (root == nil || types.IsInterface(root.Type())) {
		above := "the interface that its variants implement"
		if root != nil {
			above = "the interface " + r.root
		}
		r.problem(r.pkg.Syntax[0].Package, "package %s has no sum; put //flat:sum above %s, or name a struct as root: //flat:root NAME", r.pkg.Name, above)
		return
	}
	for _, t := range r.named {
		if r.sums[t] {
			r.readSum(t)
		}
	}
	f := finder{reader: r, met: map[*types.TypeName]bool{}}
	if root != nil && isStruct(root.Type()) {
		f.record(root)
	}
	for _, t := range r.named {
		if r.structs[t] != nil {
			f.visit(t)
		}
	}
	for _, t := range r.named {
		if v := r.structs[t]; v != nil {
			if len(r.model.Records) == flatlayout.MaxKinds+1 {
				r.problem(t.Pos(), "more than %d variants; merge some into one with a field that distinguishes them", flatlayout.MaxKinds)
			}
			v.Kind = len(r.model.Records)
			r.model.Records = append(r.model.Records, v)
		}
	}
	for _, sum := range r.model.Sums {
		slices.SortFunc(sum.Variants, func(a, b *Struct) int { return cmp.Compare(a.Kind, b.Kind) })
	}
}

// A finder finds the structs that become records, by following the fields of structs.
type finder struct {
	*reader
	met  map[*types.TypeName]bool
	path []*types.TypeName // nested inline structs, innermost last
}

func isStruct(t types.Type) bool {
	_, is := t.Underlying().(*types.Struct)
	return is
}

// record marks a struct type as one that becomes a record.
func (f *finder) record(t *types.TypeName) {
	f.structOf(t)
	f.visit(t)
}

// visit inspects the fields of a struct type, unless it was already visited.
func (f *finder) visit(t *types.TypeName) {
	if f.met[t] || isGeneric(t) {
		return
	}
	f.met[t] = true
	if f.structs[t] != nil {
		outer := f.path
		f.path = nil // a record is not part of the value that refers to it
		defer func() { f.path = outer }()
	}
	f.path = append(f.path, t)
	s := t.Type().Underlying().(*types.Struct)
	for v := range s.Fields() {
		f.field(v.Type())
	}
	f.path = f.path[:len(f.path)-1]
}

// field inspects the type of a field or list item.
func (f *finder) field(t types.Type) {
	t = innermostItem(t)
	if named, is := t.(*types.Named); is {
		object := named.Obj()
		if object.Pkg() != f.pkg.Types || named.TypeArgs().Len() > 0 {
			return
		}
		if isStruct(t) {
			if f.structs[object] == nil && slices.Contains(f.path, object) {
				f.structOf(object) // the struct contains itself
			}
			f.visit(object)
			return
		}
	}
	if u, is := t.Underlying().(*types.Pointer); is {
		named, is := types.Unalias(u.Elem()).(*types.Named)
		if is && isStruct(named) && named.Obj().Pkg() == f.pkg.Types && named.TypeArgs().Len() == 0 {
			f.record(named.Obj())
		}
	}
}

// innermostItem returns the type of the innermost items of a possibly nested list. It returns any
// other type unchanged. A type that is a list of itself, such as type L []L, has no innermost
// items.
func innermostItem(t types.Type) types.Type {
	for met := map[types.Type]bool{}; !met[t]; {
		t = types.Unalias(t)
		met[t] = true
		switch u := t.Underlying().(type) {
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		}
	}
	return t
}
