package keeps

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// A Memory identifies a kind of allocation: a single value of some type, or a list of such values.
type Memory string

// ValueOf returns the Memory of single values of type t.
func ValueOf(t types.Type) Memory { return Memory("value " + typekey.Of(t)) }

// ListOf returns the Memory of lists with elements of type elem.
func ListOf(elem types.Type) Memory { return Memory("list " + typekey.Of(elem)) }

// A place is memory or a value: a variable, a field, the elements of a list, or the dynamic value
// of an interface. Structs and arrays have parts. Pointers have a node with the places to which
// they may point.
type place struct {
	typ    types.Type
	within *place // place that contains this part; nil for a whole allocation
	kind   kind
	parts  map[int]*place
	leads  *node // places to which the pointer may point

	fn   *ssa.Function // function that the place represents, if kind is function
	list bool          // whether the place is the array of a list
}

// A node is a set of places to which a pointer may point (a points-to set). It only grows, so the
// search terminates.
type node struct {
	has   map[*place]bool
	done  []*place // places that have already been passed on
	to    []*node
	known map[*node]bool // set of the nodes in to
	when  []func(*place) // functions to call once for each place
}

// A kind distinguishes the places that the analysis treats differently.
type kind int

const (
	memory   kind = iota // memory, or a value
	function             // a function; its parts are the captured variables
	boxed                // an interface; part 0 is the dynamic value
	other                // memory that a known function has made from its arguments; part 0 holds all pointers
	outside              // all memory that existed before the call, and all that has escaped
	theirs               // all memory that callers can reach once they have the result
)

// These are the indexes of parts that are not fields.
const (
	element = -1 - iota
	key
	value
)

// elementOf returns the element type of an array, a list or a channel.
func elementOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Elem()
	case *types.Slice:
		return u.Elem()
	case *types.Chan:
		return u.Elem()
	}
	return nil
}

// isPointer reports whether values of type t consist of a single pointer and have no parts.
func isPointer(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	}
	return false
}

// newPlace returns a new place for a value of type t.
func newPlace(t types.Type) *place {
	p := &place{typ: t}
	if isPointer(t) {
		p.leads = &node{}
	}
	return p
}

// listPlace returns a new place for a list's array. A single place represents all of the elements,
// because their number is unknown.
func listPlace(elem types.Type) *place {
	p := newPlace(types.NewArray(elem, -1))
	p.list = true
	return p
}

// opaque reports whether the contents of a place are unknown.
func (p *place) opaque() bool { return p.kind == outside || p.kind == theirs }

// part returns part i of a place, and creates it if it does not exist yet. A part of an outside
// place is outside too.
func (p *place) part(i int) *place {
	if p.opaque() {
		return p
	}
	if made := p.parts[i]; made != nil {
		return made
	}
	if p.parts == nil {
		p.parts = map[int]*place{}
	}
	made := newPlace(p.partType(i))
	made.within = p
	p.parts[i] = made
	return made
}

func (p *place) partType(i int) types.Type {
	switch p.kind {
	case boxed:
		return p.typ
	case function:
		return p.fn.FreeVars[i].Type()
	case other:
		return anything
	}
	switch u := p.typ.Underlying().(type) {
	case *types.Struct:
		return u.Field(i).Type()
	case *types.Tuple:
		return u.At(i).Type()
	case *types.Map:
		if i == key {
			return u.Key()
		}
		return u.Elem()
	}
	return elementOf(p.typ)
}

var anything = types.NewInterfaceType(nil, nil)

// allParts returns the parts of a struct, tuple or array. It returns none for other places.
func (p *place) allParts() (parts []*place) {
	switch u := p.typ.Underlying().(type) {
	case *types.Struct:
		for i := range u.NumFields() {
			parts = append(parts, p.part(i))
		}
	case *types.Tuple:
		for i := range u.Len() {
			parts = append(parts, p.part(i))
		}
	case *types.Array:
		parts = append(parts, p.part(element))
	}
	return parts
}

// contents returns the places to which a pointer to p gives access: p itself, the keys and values
// of a map, the elements of a channel, or the captured variables of a function.
func (p *place) contents() (parts []*place) {
	switch p.kind {
	case outside, theirs:
		return nil
	case boxed, other:
		return []*place{p.part(0)}
	case function:
		for i := range p.fn.FreeVars {
			parts = append(parts, p.part(i))
		}
		return parts
	}
	switch p.typ.Underlying().(type) {
	case *types.Map:
		if p.leads == nil {
			return []*place{p.part(key), p.part(value)}
		}
	case *types.Chan:
		if p.leads == nil {
			return []*place{p.part(element)}
		}
	}
	return []*place{p}
}

// fits reports whether a pointer of type t may point to p.
func (p *place) fits(t types.Type) bool {
	if p.opaque() {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return p.kind == memory && sameShape(p.typ, u.Elem())
	case *types.Slice:
		return p.kind == memory && p.within != nil && sameShape(p.typ, u.Elem())
	case *types.Signature:
		return p.kind == function && types.Identical(p.typ.Underlying(), u)
	case *types.Interface:
		return p.kind == boxed && types.Implements(p.typ, u) || p.kind == other
	case *types.Map, *types.Chan:
		return p.kind == memory && p.leads == nil && sameShape(p.typ, t)
	}
	return true
}

// sameShape reports whether pointers to one type can be converted to pointers to the other.
func sameShape(a, b types.Type) bool {
	if x, ok := a.Underlying().(*types.Chan); ok {
		y, ok := b.Underlying().(*types.Chan)
		return ok && types.IdenticalIgnoreTags(x.Elem(), y.Elem()) // the directions may differ
	}
	return types.IdenticalIgnoreTags(a, b) || types.IdenticalIgnoreTags(a.Underlying(), b.Underlying())
}

// memoryOf returns a place for the memory of a map or a channel, rather than for a variable of that
// type.
func memoryOf(t types.Type) *place { return &place{typ: t} }
