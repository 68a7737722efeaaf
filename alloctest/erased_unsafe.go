package alloctest

import (
	"reflect"
	"unsafe"
)

// This file erases the types of pointers and slices, and restores them.

// A value is an untyped pointer to a value of the tested type. The collector treats it as a
// pointer; the type of its target was recorded when the target was allocated.
type value unsafe.Pointer

// A slice is an untyped slice of such values: the address of the first, their number, and the
// capacity.
type slice struct {
	first    value
	len, cap int
}

// pointer returns p without its type.
func pointer[T any](p *T) value {
	// Safety: it is still a pointer, which keeps its target alive. TestErased.
	return value(unsafe.Pointer(p))
}

// typedPointer restores the type of a pointer.
func typedPointer[T any](v value) *T {
	// Safety: it was a *T when pointer erased its type, or was allocated by the plan of T.
	// TestErased.
	return (*T)(v)
}

// untyped returns s without its type.
func untyped[T any](s []T) slice {
	// Safety: as in pointer; length and capacity are taken from s. TestErased.
	return slice{pointer(unsafe.SliceData(s)), len(s), cap(s)}
}

// typed restores the type of a slice.
func typed[T any](s slice) []T {
	// Safety: it was a []T when untyped erased its type, or was allocated by the plan of T.
	// TestErased.
	return unsafe.Slice((*T)(s.first), s.cap)[:s.len]
}

// new returns a new variable of the type, on the Go heap.
func (p *plan) new() value { return value(reflect.New(p.of).UnsafePointer()) }

// newSlice returns n new consecutive variables.
func (p *plan) newSlice(n int) slice {
	return slice{value(reflect.MakeSlice(reflect.SliceOf(p.of), n, n).UnsafePointer()), n, n}
}

// variable returns the target of v, for reflection.
func (p *plan) variable(v value) reflect.Value {
	// Safety: v points to a value of the plan's type. TestErased, and Outlives in
	// workshop/traps.
	return reflect.NewAt(p.of, unsafe.Pointer(v)).Elem()
}

// index returns the address of value i of a slice.
func (p *plan) index(s slice, i int) value {
	// Safety: callers stay below the length, so the value is in the slice. TestErased.
	return value(unsafe.Add(unsafe.Pointer(s.first), uintptr(i)*p.size))
}
