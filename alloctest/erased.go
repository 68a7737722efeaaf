package alloctest

import "reflect"

// This file converts an Allocator to an untyped allocator, so that the tests are compiled once
// instead of once for each tested type.

// An allocator is an Allocator without type parameters. Its functions are documented at Allocator;
// a function that is nil in the Allocator is nil here too. A name is an R, stored in an any, and
// plan describes T.
type allocator struct {
	New      func() (any, value)
	Alloc    func(value) any
	TryAlloc func(value) (any, error)
	Make     func(n int) (any, slice)
	At       func(any) value
	Append   func(s, more slice) slice

	Grow    func(n int)
	Delete  func(any)
	Mark    func() (rewind func())
	Reset   func()
	Release func()

	Clone   func() allocator
	Writer  func() allocator
	Bounded func(limit int) allocator
	Full    error

	Len     func() int
	Bytes   func() uint64
	OffHeap func() uint64

	Room int
	Dead Dead

	Concurrent, Dirty, Moves, Manual, Retains, Copies bool

	plan     *plan             // describes T
	ref      reflect.Type      // R
	pointed  func(any) value   // converts a name that is the pointer itself; nil if names are not pointers
	lengthen func(slice) slice // appends one zero value with the builtin append
}

// erased converts a to an allocator without type parameters.
func erased[R comparable, T any](a Allocator[R, T]) allocator {
	e := allocator{
		Grow: a.Grow, Mark: a.Mark, Reset: a.Reset, Release: a.Release, Full: a.Full,
		Len: a.Len, Bytes: a.Bytes, OffHeap: a.OffHeap, Room: a.Room, Dead: a.Dead,
		Concurrent: a.Concurrent, Dirty: a.Dirty, Moves: a.Moves, Manual: a.Manual, Retains: a.Retains, Copies: a.Copies,
		plan: planOf(reflect.TypeFor[T]()), ref: reflect.TypeFor[R](), lengthen: lengthened[T],
		pointed: func(name any) value { p, _ := name.(*T); return pointer(p) },
	}
	if get := a.New; get != nil {
		e.New = func() (any, value) { name, p := get(); return name, pointer(p) }
	}
	if put := a.Alloc; put != nil {
		e.Alloc = func(v value) any { return put(*typedPointer[T](v)) }
	}
	if put := a.TryAlloc; put != nil {
		e.TryAlloc = func(v value) (any, error) { return put(*typedPointer[T](v)) }
	}
	if get := a.Make; get != nil {
		e.Make = func(n int) (any, slice) { name, row := get(n); return name, untyped(row) }
	}
	if at := a.At; at != nil {
		e.At = func(name any) value { return pointer(at(named[R](name))) }
	}
	if add := a.Append; add != nil {
		e.Append = func(s, more slice) slice { return untyped(add(typed[T](s), typed[T](more)...)) }
	}
	if del := a.Delete; del != nil {
		e.Delete = func(name any) { del(named[R](name)) }
	}
	if open := a.Clone; open != nil {
		e.Clone = func() allocator { return erased(open()) }
	}
	if open := a.Writer; open != nil {
		e.Writer = func() allocator { return erased(open()) }
	}
	if open := a.Bounded; open != nil {
		e.Bounded = func(limit int) allocator { return erased(open(limit)) }
	}
	return e
}

// opening returns a function that calls open and converts the result to an untyped allocator.
func opening[R comparable, T any](open func() Allocator[R, T]) func() allocator {
	return func() allocator { return erased(open()) }
}

// named returns the R that name contains. If R is an interface type and the R is nil, name is nil
// too, and the result is the zero R.
func named[R comparable](name any) R {
	r, _ := name.(R)
	return r
}

// lengthened appends one zero value to s with the builtin append, and returns the result.
func lengthened[T any](s slice) slice {
	return untyped(append(typed[T](s), *new(T)))
}
