package alloctest

import (
	"fmt"
	"reflect"
	"sync"
)

// This file decomposes each type once into a list of parts, so that filling or checking a value is
// one pass over the list. Reflection would be too slow for ten million values.

// A plan lists the elementary parts of a type, in the order of their offsets.
type plan struct {
	of    reflect.Type
	size  uintptr
	words uintptr // number of patterns for one value; each part has one, or one for each element
	parts []part
}

// A part is an entry of a plan: a field, which may be in nested structs, or an array.
type part struct {
	kind   partKind
	path   string // path from the value to the part: ".Text"
	offset uintptr
	size   uintptr
	word   uintptr // index of its first pattern
	step   uintptr // numbers, array: the size of an element in bytes

	each *plan // array: the plan of its elements

	below  *plan        // pointer, slice: the plan of the target; nil if fill leaves the field nil
	target reflect.Type // the type of the target
	common *common      // string, pointer, slice, empty interface: the shared targets
}

// A partKind determines how fill fills a part.
type partKind int

const (
	partUnknown partKind = iota // a part that fill does not change, such as a map
	partBool
	partByte // this and the next three: naturally aligned numbers, by size
	partTwo
	partFour
	partEight
	partNumbers // a number of another size or alignment, or an array of numbers
	partArray   // an array whose elements are not numbers
	partString
	partPointer
	partSlice
	partAny
)

// maxDepth is the maximum length of the pointer chains that fill follows. It is needed because
// pointers may be cyclic. sliceLen is the length of the slices that fill allocates.
const (
	maxDepth = 1
	sliceLen = 8
)

var plans sync.Map // reflect.Type -> *plan

// planOf returns the plan of a type.
func planOf(t reflect.Type) *plan {
	if known, ok := plans.Load(t); ok {
		return known.(*plan)
	}
	known, _ := plans.LoadOrStore(t, newPlan(t, 0))
	return known.(*plan)
}

// newPlan returns the plan of a type that is reached by following depth pointers.
func newPlan(t reflect.Type, depth int) *plan {
	p := &plan{of: t, size: t.Size()}
	p.add(t, "", 0, depth)
	return p
}

// add adds the parts of a variable of type t that begins at the given offset.
func (p *plan) add(t reflect.Type, path string, offset uintptr, depth int) {
	switch {
	case t.Size() == 0:
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				p.add(f.Type, path+"."+f.Name, offset+f.Offset, depth)
			}
		}
	default:
		one := newPart(t, depth)
		one.path, one.offset, one.word = path, offset, p.words
		p.parts = append(p.parts, one)
		p.words++
		if one.kind == partArray {
			p.words += uintptr(t.Len()) * one.each.words
		}
	}
}

// newPart returns the part for a value of type t. The caller sets its path, offset and word.
func newPart(t reflect.Type, depth int) part {
	one := part{kind: kindOf(t), size: t.Size(), step: t.Size()}
	switch one.kind {
	case partNumbers:
		if t.Kind() == reflect.Array {
			one.step = t.Elem().Size()
		}
	case partArray:
		one.step, one.each = t.Elem().Size(), newPlan(t.Elem(), depth)
	case partPointer:
		one.target = t.Elem()
	case partSlice:
		one.target = reflect.ArrayOf(sliceLen, t.Elem())
	case partAny:
		one.target = reflect.TypeFor[[4]uint64]()
	}
	if one.target != nil && depth < maxDepth {
		one.below = newPlan(one.target, depth+1)
	}
	if one.below != nil || one.kind == partString {
		one.common = new(common)
	}
	return one
}

// kindOf returns the partKind of a type.
func kindOf(t reflect.Type) partKind {
	switch t.Kind() {
	case reflect.Bool:
		return partBool
	case reflect.String:
		return partString
	case reflect.Pointer:
		return partPointer
	case reflect.Slice:
		return partSlice
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return partAny
		}
		return partUnknown
	case reflect.Array:
		if isNumber(t.Elem()) {
			return partNumbers
		}
		return partArray
	}
	if !isNumber(t) {
		return partUnknown
	}
	if t.Size() == uintptr(t.Align()) {
		switch t.Size() {
		case 1:
			return partByte
		case 2:
			return partTwo
		case 4:
			return partFour
		case 8:
			return partEight
		}
	}
	return partNumbers
}

// isNumber reports whether t is a numeric type. Every bit pattern is a valid value of such a type,
// and a copy preserves it.
func isNumber(t reflect.Type) bool {
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Complex128
}

// pathOf returns the path of the element at an offset in a part, such as ".Children[3]".
func (one *part) pathOf(at uintptr) string {
	if one.kind == partNumbers && one.step < one.size {
		return fmt.Sprintf("%s[%d]", one.path, at/one.step)
	}
	return one.path
}

// pointsSomewhere reports whether fill sets pointers in values of the type to targets that a watch
// can track.
func (p *plan) pointsSomewhere() bool {
	for _, one := range p.parts {
		switch {
		case one.kind == partString:
			return true
		case one.below != nil && (one.target.Size() >= leastWatched || one.below.pointsSomewhere()):
			return true
		case one.kind == partArray && one.size > 0 && one.each.pointsSomewhere():
			return true
		}
	}
	return false
}
