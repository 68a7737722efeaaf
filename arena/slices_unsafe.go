package arena

import (
	"fmt"
	"unsafe"

	"github.com/coppice-go/coppice/internal/checks"
)

// The code for slices gets the element type in one word, like the code for single values in
// place_unsafe.go. A program contains this code once, plus a few instructions for each type that
// call it. Generic code handles the operations that are rare or take long anyway: calls without an
// arena or in checked builds, long values, and copies of many values.

// few is the maximum number of values that copyAll copies. For more values, the builtin copy is
// faster.
const few = 16

// A list is the header of a slice whose element type is known from the context.
type list struct {
	start    unsafe.Pointer
	len, cap int
}

// untyped reports whether the code for lists can handle slices of T in a.
func untyped[T any](a *Arena) bool {
	return a != nil && !checks.Enabled && unsafe.Sizeof(*new(T)) <= maskBytes
}

// listOf converts s to a list.
func listOf[T any](s []T) list {
	// Safety: the list contains the pointer to the array of s, so the array stays alive as long as
	// the list. TestSlicesOfEveryType.
	return list{unsafe.Pointer(unsafe.SliceData(s)), len(s), cap(s)}
}

// sliceOf converts a list to a slice of T.
func sliceOf[S ~[]T, T any](l list) S {
	// Safety: a list is laid out as a slice, and was made for values of type T.
	// TestArenaAgainstModel, TestSlicesOfEveryType.
	return *(*S)(unsafe.Pointer(&l))
}

// Make returns a slice of n zeroed values, with capacity n. The slice is valid until Reset. For a
// length below the capacity, reslice it: Make[T](a, n)[:0]. Make allocates a chunk only if no chunk
// has enough free slots. It panics if n is negative or if n values exceed the address space. With a
// nil arena, Make is the builtin make.
func Make[T any](a *Arena, n int) []T {
	if untyped[T](a) && n > 0 {
		return sliceOf[[]T](list{a.slots("arena.Make", (*T)(nil), n), n, n})
	}
	return makeTyped[T](a, "arena.Make", n)
}

// makeTyped implements Make for any arena and length. The parameter where names the caller, for
// panic messages.
//
//go:noinline
func makeTyped[T any](a *Arena, where string, n int) []T {
	if n < 0 {
		panic(fmt.Sprintf("%s: negative count %d", where, n))
	}
	if a == nil {
		return make([]T, n)
	}
	if checks.Enabled {
		a.guard.Enter(where)
		defer a.guard.Leave()
	}
	if n == 0 {
		return []T{}
	}
	return makeIn[T](a, where, n)
}

// SliceOf returns a new slice in the arena that contains the values. SliceOf(a, x, y) replaces
// []T{x, y}. Without values it returns nil.
func SliceOf[T any](a *Arena, values ...T) []T {
	if len(values) == 0 {
		return nil
	}
	return Clone(a, values)
}

// Clone returns a copy of s in the arena, with len(s) as its capacity. The elements are copied by
// assignment. If s is nil, the result is nil.
func Clone[S ~[]T, T any](a *Arena, s S) S {
	if untyped[T](a) && uint(len(s)-1) < few {
		return sliceOf[S](a.cloned((*T)(nil), listOf(s)))
	}
	return cloneTyped(a, s)
}

// cloned returns a copy of l, a list of at least one and at most few Ts. pointer is a nil *T.
//
//go:noinline
func (a *Arena) cloned(pointer any, l list) list {
	i := a.entryOf(pointer)
	made := list{a.slotsOf("arena.Clone", i, l.len), l.len, l.len}
	a.types.entries[i].copyAll(made.start, l.start, l.len)
	return made
}

// cloneTyped implements Clone for any arena and length.
//
//go:noinline
func cloneTyped[S ~[]T, T any](a *Arena, s S) S {
	if s == nil {
		return nil
	}
	if a == nil {
		made := make([]T, len(s)) // the compiler combines make and copy into one call
		copy(made, s)
		return made
	}
	made := makeTyped[T](a, "arena.Clone", len(s))
	copy(made, s)
	return made
}

// Append appends values to s, like the builtin append, and allocates in the arena. Only the slice
// that was made last can grow in place. If the element type has pointers or bools, this is the last
// slice of that type. All other types share their memory, so it is the last slice of any of these
// types. Append copies every other slice that is full, and doubles its capacity or, if the slice is
// long, increases it by a quarter. s may be nil or allocated outside the arena. The old memory of s
// does not change until Reset. With a nil arena, Append is the builtin append.
//
// To append to a slice of interfaces, write Append[Stmt](a, list, node).
func Append[T any, S ~[]T](a *Arena, s S, values ...T) S {
	if untyped[T](a) && len(values) <= few {
		if l, ok := a.appended((*T)(nil), listOf([]T(s)), listOf(values)); ok {
			return sliceOf[S](l)
		}
	}
	return appendTyped(a, s, values)
}

// appended implements Append for lists. It returns l with at most few values appended, and true.
// pointer is a nil *T, which identifies the type. appended returns false if there are no values, if
// it would have to copy more than few elements of l, or if the values overlap the memory after l.
//
//go:noinline
func (a *Arena) appended(pointer any, l, values list) (list, bool) {
	i := a.entryOf(pointer)
	need := l.len + values.len
	size := a.types.entries[i].size
	if values.len == 0 || need < 0 || values.reaches(uintptr(l.start)+uintptr(l.len)*size, size) || need > l.cap && !a.growList(i, &l, need) {
		return list{}, false
	}
	e := &a.types.entries[i]
	// Safety: the list has room for need values, which includes the appended ones.
	// TestArenaAgainstModel.
	e.copyAll(unsafe.Add(l.start, uintptr(l.len)*e.size), values.start, values.len)
	l.len = need
	return l, true
}

// reaches reports whether address is inside the list, but not at its start. size is the size of an
// element. Copying the list to that address, element by element, would overwrite elements before
// they are copied.
func (l list) reaches(address, size uintptr) bool {
	offset := address - uintptr(l.start)
	return 0 < offset && offset < uintptr(l.len)*size
}

// growList makes room for need elements in l, whose element type has entry i. It returns false if l
// has more than few elements and would have to be copied.
func (a *Arena) growList(i int, l *list, need int) bool {
	want := a.lengthen("arena.Append", i, l, need)
	if want == 0 {
		return true
	}
	if l.len > few {
		return false
	}
	made := list{a.slotsOf("arena.Append", i, want), l.len, want}
	a.types.entries[i].copyAll(made.start, l.start, l.len)
	*l = made
	return true
}

// lengthen makes room for need elements in l in place and returns 0. If it cannot, it returns the
// capacity that a copy should have. i is the index of the entry for the element type.
func (a *Arena) lengthen(where string, i int, l *list, need int) (want int) {
	want = max(need, nextCapacity(l.cap))
	if l.cap == 0 {
		return want
	}
	for _, room := range [...]int{want, need} {
		if a.extendOf(where, i, *l, room-l.cap) {
			l.cap = room
			return 0
		}
	}
	return want
}

// appendTyped implements Append for any arena and slice.
//
//go:noinline
func appendTyped[T any, S ~[]T](a *Arena, s S, values []T) S {
	if a == nil {
		return append(s, values...)
	}
	if checks.Enabled {
		a.guard.Enter("arena.Append")
		defer a.guard.Leave()
	}
	if need := len(s) + len(values); uint(need) > uint(cap(s)) {
		s = grow(a, "arena.Append", s, need)
	}
	return append(s, values...)
}

// Grow returns s if its capacity suffices for n more values. Otherwise it returns a copy, in memory
// of the arena, whose capacity suffices. append(Grow(a, s, 2), x, y) replaces append(s, x, y) and
// also works where s is a slice of interfaces and the types of x and y differ from the element
// type. The longer slice has a new array, and s keeps the old array. With Append, both may share an
// array, which uses less memory if s is the slice that was made last. Grow is inlined into its
// caller and takes only one comparison if the capacity suffices. With a nil arena, Grow returns s,
// and append allocates. Grow panics if n is negative.
func Grow[S ~[]T, T any](a *Arena, s S, n int) S {
	if uint(n) <= uint(cap(s)-len(s)) {
		return s
	}
	return growTyped(a, s, n)
}

// growTyped implements Grow for a slice whose capacity is too small, and panics if n is negative.
//
//go:noinline
func growTyped[S ~[]T, T any](a *Arena, s S, n int) S {
	if n < 0 {
		panic(fmt.Sprintf("arena.Grow: negative count %d", n))
	}
	if a == nil {
		return s
	}
	if checks.Enabled {
		a.guard.Enter("arena.Grow")
		defer a.guard.Leave()
	}
	need := len(s) + n
	if need < 0 {
		panic("arena.Grow: the length exceeds what an int can count")
	}
	want := nextCapacity(cap(s))
	if cap(s) == 0 {
		want = firstCapacity(unsafe.Sizeof(*new(T)))
	}
	made := makeIn[T](a, "arena.Grow", max(need, want))
	return made[:copy(made, s)]
}

// firstCapacity returns the capacity that Grow allocates for an empty slice: four elements, or
// fewer if four elements would take more than 64 bytes. size is the size of an element.
func firstCapacity(size uintptr) int {
	return int(min(4, max(1, 64/max(1, size))))
}

// grow returns s, or a copy of s, with a capacity of at least need. A negative need means that the
// caller's addition has overflowed.
//
//go:noinline
func grow[T any](a *Arena, where string, s []T, need int) []T {
	if need < 0 {
		panic(where + ": the length exceeds what an int can count")
	}
	l := listOf(s)
	want := a.lengthen(where, a.entryOf((*T)(nil)), &l, need)
	if want == 0 {
		return sliceOf[[]T](l)
	}
	made := makeIn[T](a, where, want)
	return made[:copy(made, s)]
}

// nextCapacity returns the new capacity of a slice that grows from the given capacity. The growth
// factor is 2 below 256 elements and falls gradually to 1.25 above that.
func nextCapacity(capacity int) int {
	const doubling = 256
	if capacity < doubling {
		return max(4, 2*capacity)
	}
	return capacity + (capacity+3*doubling)/4
}

// makeIn implements Make for a non-nil arena and at least one value.
func makeIn[T any](a *Arena, where string, n int) []T {
	return sliceOf[[]T](list{a.slots(where, (*T)(nil), n), n, n})
}

// slots returns the address of n ≥ 1 consecutive zeroed Ts. pointer is a nil *T. slots panics if
// the values exceed the address space. The parameter where names the caller, for the panic message.
//
//go:noinline
func (a *Arena) slots(where string, pointer any, n int) unsafe.Pointer {
	return a.slotsOf(where, a.entryOf(pointer), n)
}

// slotsOf implements slots for the type of entry i.
func (a *Arena) slotsOf(where string, i, n int) unsafe.Pointer {
	k := &a.types.known[i]
	if k.slab != nil {
		return a.slabs[k.at].MakeSlots(where, n)
	}
	return a.plain.slots(where, n, a.types.entries[i].size)
}

// extendOf extends the capacity of l, whose element type has entry i, by n elements in place. It
// fails and returns false unless l is the slice that was made last and the slots after it are free.
func (a *Arena) extendOf(where string, i int, l list, n int) bool {
	k := &a.types.known[i]
	if k.slab != nil {
		return a.slabs[k.at].ExtendSlots(where, l.start, l.cap, n)
	}
	return a.plain.extend(l.start, l.cap, n, a.types.entries[i].size)
}

// copyAll copies n Ts of at most 64 words.
func (e *entry) copyAll(to, from unsafe.Pointer, n int) {
	for at := range uintptr(n) {
		// Safety: there are n Ts at both addresses. TestSlicesOfEveryType.
		e.copy(unsafe.Add(to, at*e.size), unsafe.Add(from, at*e.size))
	}
}
