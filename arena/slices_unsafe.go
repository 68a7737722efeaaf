package arena

import (
	"fmt"
	"unsafe"

	"github.com/coppice-go/coppice/internal/checks"
)

// As for single values, what is done for a slice depends on the type of its values by a word only:
// a program has this code once, and of each type a few instructions that call it. What is rare or
// long is typed: slices without an arena, in checked builds, of long values, and copies of many.

// few is how many values are copied here; for more, what the runtime does for a slice as a whole
// takes less time.
const few = 16

// A list is a slice, of any type.
type list struct {
	start    unsafe.Pointer
	len, cap int
}

// untyped tells whether a slice of T is treated as a list.
func untyped[T any](a *Arena) bool {
	return a != nil && !checks.Enabled && unsafe.Sizeof(*new(T)) <= maskBytes
}

// listOf returns s as a list.
func listOf[T any](s []T) list {
	// Safety: the address is that of the slice, which lives as long as the list.
	// TestSlicesOfEveryType.
	return list{unsafe.Pointer(unsafe.SliceData(s)), len(s), cap(s)}
}

// sliceOf returns the slice that a list is, of values of type T.
func sliceOf[S ~[]T, T any](l list) S {
	// Safety: a list is laid out as a slice, and was made for values of type T.
	// TestArenaAgainstModel, TestSlicesOfEveryType.
	return *(*S)(unsafe.Pointer(&l))
}

// Make returns a slice of n zeroed values, with capacity n. It is valid until Reset. For a length
// other than the capacity, cut it: Make[T](a, n)[:0]. Make allocates only if no chunk has room. It
// panics if n is negative or if n values exceed the address space. Make of a nil arena is make.
func Make[T any](a *Arena, n int) []T {
	if untyped[T](a) && n > 0 {
		return sliceOf[[]T](list{a.slots("arena.Make", (*T)(nil), n), n, n})
	}
	return makeTyped[T](a, "arena.Make", n)
}

// makeTyped is Make of any arena and length, called as where.
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

// SliceOf returns a slice of copies of the values, with memory from Make: for []T{x, y}. Without
// values it is nil.
func SliceOf[T any](a *Arena, values ...T) []T {
	if len(values) == 0 {
		return nil
	}
	return Clone(a, values)
}

// Clone returns a copy of s in the arena, of exactly its length. The elements are copied as
// by assignment. Clone of nil is nil.
func Clone[S ~[]T, T any](a *Arena, s S) S {
	if untyped[T](a) && uint(len(s)-1) < few {
		return sliceOf[S](a.cloned((*T)(nil), listOf(s)))
	}
	return cloneTyped(a, s)
}

// cloned returns a copy of a list of one T or few, for a nil *T.
//
//go:noinline
func (a *Arena) cloned(pointer any, l list) list {
	i := a.entryOf(pointer)
	made := list{a.slotsOf("arena.Clone", i, l.len), l.len, l.len}
	a.types.entries[i].copyAll(made.start, l.start, l.len)
	return made
}

// cloneTyped is Clone of any arena and length.
//
//go:noinline
func cloneTyped[S ~[]T, T any](a *Arena, s S) S {
	if s == nil {
		return nil
	}
	if a == nil {
		made := make([]T, len(s)) // the compiler makes one call of both
		copy(made, s)
		return made
	}
	made := makeTyped[T](a, "arena.Clone", len(s))
	copy(made, s)
	return made
}

// Append appends values to s, as append does, with memory of the arena. The last slice that was
// made grows in place: for a type with pointers the last slice of that type, for the others
// the last slice of any type without pointers. Every other slice is copied, to twice its capacity
// or, if it is long, to a quarter more. s may be nil, or be memory from elsewhere. The old memory
// of s is not changed until Reset. Append with a nil arena is append.
//
// To a slice of interfaces: Append[Stmt](a, list, node).
func Append[T any, S ~[]T](a *Arena, s S, values ...T) S {
	if untyped[T](a) && len(values) <= few {
		if l, ok := a.appended((*T)(nil), listOf([]T(s)), listOf(values)); ok {
			return sliceOf[S](l)
		}
	}
	return appendTyped(a, s, values)
}

// appended returns the list with the few values behind it, for a nil *T, and false if there is
// none, if more than a few would have to be copied, or if the values are those behind the list.
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
	// Safety: the list has room for need values, of which there are more than l.len.
	// TestArenaAgainstModel.
	e.copyAll(unsafe.Add(l.start, uintptr(l.len)*e.size), values.start, values.len)
	l.len = need
	return l, true
}

// reaches reports whether an address lies within a list of values of a size, but not at its start:
// what is copied there, one value after the other, would be read again.
func (l list) reaches(address, size uintptr) bool {
	offset := address - uintptr(l.start)
	return 0 < offset && offset < uintptr(l.len)*size
}

// growList gives a list of the type of entry i room for need values, and returns false if more than
// a few would have to be copied.
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

// lengthen gives a list of the type of entry i room for need values in place, and returns 0, or
// else the capacity that a copy of it should have.
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

// appendTyped is Append of any arena and slice.
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

// Grow returns s, if it has room for n more values, or a copy with memory of the arena that has. So
// append(Grow(a, s, 2), x, y) is append(s, x, y) with memory of the arena, also where s is a slice
// of interfaces and x and y are of other types: the longer slice has an array of its own, and s has
// the one that it had. Append may let both have one, and takes less memory where the slice was the
// last one made. Grow inlines into its caller, and costs a comparison while there is room. Grow of
// a nil arena returns s: then append finds the memory. Grow panics if n is negative.
func Grow[S ~[]T, T any](a *Arena, s S, n int) S {
	if uint(n) <= uint(cap(s)-len(s)) {
		return s
	}
	return growTyped(a, s, n)
}

// growTyped is Grow of a slice that has no room, or for a negative count.
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

// firstCapacity is how many values of a size Grow makes room for at first: four, or fewer if these
// would take more than 64 bytes.
func firstCapacity(size uintptr) int {
	return int(min(4, max(1, 64/max(1, size))))
}

// grow returns s with a capacity of at least need, which is negative if a count ran over.
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

// nextCapacity is how append's capacities grow: doubling, then a quarter at a time.
func nextCapacity(capacity int) int {
	const doubling = 256
	if capacity < doubling {
		return max(4, 2*capacity)
	}
	return capacity + (capacity+3*doubling)/4
}

// makeIn is Make of an arena that is not nil, and of at least one value.
func makeIn[T any](a *Arena, where string, n int) []T {
	return sliceOf[[]T](list{a.slots(where, (*T)(nil), n), n, n})
}

// slots returns the address of n zeroed Ts, of which there is at least one, for a nil *T. It panics
// in the name of where if they exceed the address space.
//
//go:noinline
func (a *Arena) slots(where string, pointer any, n int) unsafe.Pointer {
	return a.slotsOf(where, a.entryOf(pointer), n)
}

// slotsOf is slots for the type of entry i.
func (a *Arena) slotsOf(where string, i, n int) unsafe.Pointer {
	k := &a.types.known[i]
	if k.slab != nil {
		return a.slabs[k.at].MakeSlots(where, n)
	}
	return a.plain.slots(where, n, a.types.entries[i].size)
}

// extendOf makes room for n values behind the capacity of a list, of the type of entry i, and
// returns true, if it is the last slice that was made and the slots behind it are free.
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
