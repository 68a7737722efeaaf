package alloctest

import (
	"reflect"
	"unsafe"
)

// This file converts typed pointers and slices to untyped ones, and back.

// A value is an untyped pointer to a value of the tested type. The collector treats it like any
// other pointer; the type of its target was recorded when the target was allocated.
type value unsafe.Pointer

// A slice is an untyped slice of such values: the address of the first value, the length, and the
// capacity.
type slice struct {
	first    value
	len, cap int
}

// pointer converts p to an untyped pointer.
func pointer[T any](p *T) value {
	// Safety: the result is still a pointer, which keeps its target alive. TestErased.
	return value(unsafe.Pointer(p))
}

// typedPointer converts v back to a typed pointer.
func typedPointer[T any](v value) *T {
	// Safety: v was a *T when pointer erased its type, or was allocated by the plan of T.
	// TestErased.
	return (*T)(v)
}

// untyped converts s to an untyped slice.
func untyped[T any](s []T) slice {
	// Safety: as in pointer; the length and the capacity are taken from s. TestErased.
	return slice{pointer(unsafe.SliceData(s)), len(s), cap(s)}
}

// typed converts s back to a typed slice.
func typed[T any](s slice) []T {
	// Safety: s was a []T when untyped erased its type, or was allocated by the plan of T.
	// TestErased.
	return unsafe.Slice((*T)(s.first), s.cap)[:s.len]
}

// new allocates a zero variable of the plan's type on the Go heap.
func (p *plan) new() value { return value(reflect.New(p.of).UnsafePointer()) }

// newSlice allocates n consecutive zero variables on the Go heap.
func (p *plan) newSlice(n int) slice {
	return slice{value(reflect.MakeSlice(reflect.SliceOf(p.of), n, n).UnsafePointer()), n, n}
}

// variable returns the variable that v points to, for use with reflection.
func (p *plan) variable(v value) reflect.Value {
	// Safety: v points to a value of the plan's type. TestErased, and Outlives in
	// workshop/traps.
	return reflect.NewAt(p.of, unsafe.Pointer(v)).Elem()
}

// index returns the address of the value with index i in s.
func (p *plan) index(s slice, i int) value {
	// Safety: callers pass an index below the length, so the value is in the slice. TestErased.
	return value(unsafe.Add(unsafe.Pointer(s.first), uintptr(i)*p.size))
}
