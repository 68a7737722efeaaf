package alloctest

import (
	"reflect"
	"unsafe"
)

// This file takes the types off pointers and slices, and puts them back on.

// A value is a pointer to a value. The collector knows it as one, and the type of what it
// points to stands where it was allocated, as ever.
type value unsafe.Pointer

// A slice is a slice of values: where the first is, and how many there are.
type slice struct {
	first    value
	len, cap int
}

// pointer is p without its type.
func pointer[T any](p *T) value {
	// Safety: it is a pointer still, which keeps alive what it points to. TestErased.
	return value(unsafe.Pointer(p))
}

// typedPointer is the pointer that a value was.
func typedPointer[T any](v value) *T {
	// Safety: it was a *T until pointer, or is of the plan, which is T's. TestErased.
	return (*T)(v)
}

// untyped is s without its type.
func untyped[T any](s []T) slice {
	// Safety: as in pointer; the length and the capacity are those of s. TestErased.
	return slice{pointer(unsafe.SliceData(s)), len(s), cap(s)}
}

// typed is the slice that s was.
func typed[T any](s slice) []T {
	// Safety: it was a []T until untyped, or is of the plan, which is T's. TestErased.
	return unsafe.Slice((*T)(s.first), s.cap)[:s.len]
}

// new is a new variable of the type, on the Go heap.
func (p *plan) new() value { return value(reflect.New(p.of).UnsafePointer()) }

// newSlice is n new variables side by side.
func (p *plan) newSlice(n int) slice {
	return slice{value(reflect.MakeSlice(reflect.SliceOf(p.of), n, n).UnsafePointer()), n, n}
}

// variable is what v points to, for reflection.
func (p *plan) variable(v value) reflect.Value {
	// Safety: v points to a value of the plan's type. TestErased, and Outlives in
	// workshop/traps.
	return reflect.NewAt(p.of, unsafe.Pointer(v)).Elem()
}

// index is where value i of a slice is.
func (p *plan) index(s slice, i int) value {
	// Safety: who calls it counts up to the length, so that it lies within the slice. TestErased.
	return value(unsafe.Add(unsafe.Pointer(s.first), uintptr(i)*p.size))
}
