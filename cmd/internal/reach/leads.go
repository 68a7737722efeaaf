package reach

import (
	"fmt"
	"go/types"
	"maps"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/typeset"
)

// A question asks which slices code of other modules may modify, by appending to them or
// overwriting their elements, in a way that the module may observe.
type question struct {
	t      types.Type       // the code gets a value of this type
	called *types.Interface // if not nil, the code gets only the results of these methods
	all    bool             // lists that functions return count, too
	back   bool             // the value comes from that code, and the module may store lists in it
	byName bool             // the code may call all methods by name
}

// leads answers a question: it returns the keys of the types of the slices that are reachable from
// a value. Such a slice is reached through a pointer, a map, another slice, a channel, a struct or
// an interface. If the value itself is a slice, that slice is not included.
func (o *origins) leads(q question) []string {
	key := fmt.Sprint(typekey.Of(q.t), q.all, q.back, q.byName)
	if q.called != nil {
		key += typekey.Of(q.called)
	}
	found, known := o.led[key]
	if !known {
		s := ledSearch{o, q, map[string]bool{}, map[*types.TypeParam]bool{}, map[string]bool{}}
		if q.called != nil {
			s.returned(q.t, q.called)
		} else {
			s.inspect(q.t, false)
		}
		found = slices.Sorted(maps.Keys(s.lists))
		if !typekey.HasParameter(q.t) { // two parameters may have the same name
			o.led[key] = found
		}
	}
	return found
}

// A ledSearch searches for the slices that are reachable from values of a type.
type ledSearch struct {
	*origins
	question
	seen       map[string]bool
	parameters map[*types.TypeParam]bool
	lists      map[string]bool
}

// inspect inspects the type t. inside is set if the value of this type is part of another value.
func (s *ledSearch) inspect(t types.Type, inside bool) {
	t = types.Unalias(t)
	switch t := t.(type) {
	case *types.TypeParam: // instances in the module are inspected there; others may exist
		if !s.parameters[t] {
			s.parameters[t] = true
			for _, below := range typeset.Below(t) {
				s.inspect(below, inside)
			}
		}
		return
	case *types.Named, *types.Interface: // recursive types
		key := fmt.Sprint(typekey.Of(t), inside)
		if s.seen[key] {
			return
		}
		s.seen[key] = true
		if typekey.Of(t) == "reflect.Value" { // it may hold any list
			s.lists[anySlice] = true
			return
		}
		s.methods(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if s.back {
			s.element(u, u.Elem())
		} else {
			s.inspect(u.Elem(), true)
		}
	case *types.Slice:
		if inside {
			s.lists[typekey.Of(u)] = true // if it has a parameter, its instances are inspected
		}
		if inside || !s.back { // a list that comes back is a new one
			s.element(u, u.Elem())
		}
	case *types.Array:
		s.element(u, u.Elem())
	case *types.Map:
		s.inspect(u.Key(), true)
		s.element(u, u.Elem())
	case *types.Chan:
		s.inspect(u.Elem(), true)
	case *types.Struct:
		for f := range u.Fields() {
			s.field(f)
		}
	case *types.Interface:
		if !s.back {
			s.behindOf(u, inside)
		}
	case *types.Signature:
		if !s.back {
			s.function(u)
		}
	}
}

// methods inspects the values that the methods of a type return, if the code may call methods by
// name. Methods of the standard library do not return values of the module.
func (s *ledSearch) methods(t types.Type) {
	if !s.byName {
		return
	}
	for method := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if f := method.Obj().(*types.Func); f.Exported() && (s.own[pathOf(f)] || !goroot.Has(pathOf(f))) { // a module's path may look standard: text/mine
			s.function(f.Signature())
		}
	}
}

// element inspects the elements of a slice, array or map. If the elements are slices that were
// allocated only for this container, they are skipped, but their own elements are inspected.
func (s *ledSearch) element(of, elem types.Type) {
	if !isList(elem) || s.isForeign(elementName(of, elem)) {
		s.inspect(elem, true)
		return
	}
	if list, ok := elem.Underlying().(*types.Slice); ok {
		s.element(list, list.Elem())
	}
}

// field inspects a struct field. Other modules can access exported fields, and exported fields that
// are promoted from embedded fields.
func (s *ledSearch) field(f *types.Var) {
	own := s.own[pathOf(f)]
	list, slice := f.Type().Underlying().(*types.Slice)
	switch {
	case !f.Exported() && !f.Embedded():
	case slice && own && s.isOwn(nameOf(f)), isList(f.Type()) && !own && !s.isForeign(nameOf(f)):
		if slice { // no other variable has the list itself
			s.element(list, list.Elem())
		}
	default:
		s.inspect(f.Type(), true)
	}
}

// anything is the type of a value about which nothing is known. anythingInside is the type of a
// value from which such a value can be reached.
var (
	anything       = types.NewInterfaceType(nil, nil)
	anythingInside = types.NewPointer(anything)
)

// behindOf inspects the values that the module converts to an interface, and the results of their
// methods. For interfaces without methods, it uses the cached answer for anything.
func (s *ledSearch) behindOf(t *types.Interface, inside bool) {
	if t.NumMethods() == 0 && s.t != anything && s.t != anythingInside {
		of := types.Type(anything)
		if inside {
			of = anythingInside
		}
		s.add(question{t: of, all: s.all})
		return
	}
	for _, boxed := range s.behind(t) {
		s.inspect(boxed, inside)
		s.returned(boxed, t)
	}
}

// returned inspects the values that the methods of an interface return, if the module declares the
// implementing methods of t.
func (s *ledSearch) returned(t types.Type, methods *types.Interface) {
	set := s.methodSets.MethodSet(t)
	for f := range methods.Methods() {
		if m := set.Lookup(f.Pkg(), f.Name()); m != nil && s.own[pathOf(m.Obj())] {
			s.function(m.Obj().(*types.Func).Signature())
		}
	}
}

// function inspects the values that other modules can get by calling a function: its results, the
// values that it stores through its parameters, and the arguments that it passes to function
// parameters.
func (s *ledSearch) function(f *types.Signature) {
	for r := range f.Results().Variables() {
		s.inspect(r.Type(), s.all)
	}
	for p := range f.Params().Variables() {
		hook, ok := p.Type().Underlying().(*types.Signature)
		if !ok {
			s.add(question{t: p.Type(), back: true})
			continue
		}
		for given := range hook.Params().Variables() {
			s.inspect(given.Type(), s.all)
		}
	}
}

// add includes the answer to another question in the result.
func (s *ledSearch) add(q question) {
	for _, key := range s.leads(q) {
		s.lists[key] = true
	}
}

// behind returns the types of the values that the module converts to an interface, not counting
// conversions in test files.
func (o *origins) behind(t *types.Interface) []types.Type {
	key := typekey.Of(t)
	all, known := o.boxedBy[key]
	if !known {
		all = slices.DeleteFunc(o.boxedIn(t), func(boxed types.Type) bool {
			for _, i := range o.boxes[typekey.Of(boxed)] {
				if !o.inTest(i.Parent()) {
					return false
				}
			}
			return true
		})
		o.boxedBy[key] = all
	}
	return all
}
