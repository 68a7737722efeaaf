package arena

import (
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/slab"
)

// The code that allocates a value is not generic. It gets the type in one word, the address of the
// type descriptor, which every interface value contains. A program therefore contains this code
// once, plus a few instructions for each type that call it.

// wordOf returns the first word of the interface v, which is the address of the type descriptor of
// its dynamic type.
//
//go:nocheckptr
func wordOf(v any) uintptr {
	// Safety: an interface without methods consists of two words, and the first is the address of a
	// type descriptor. The address is only compared, never dereferenced. The descriptor stays
	// valid, because it is part of the program. TestTypesAreToldApart.
	return uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0])
}

// dataOf returns the pointer that the interface v holds, which is its second word.
//
//go:nocheckptr
func dataOf(v any) unsafe.Pointer {
	// Safety: as in wordOf; an interface that holds a pointer stores the pointer itself. TestCopy.
	return (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]
}

// New returns a pointer to a zeroed T, aligned as T requires. The pointer is valid until Reset; a
// stale pointer is memory-safe but may alias a later value. New takes two to four nanoseconds,
// however many types the arena has seen. Go heap memory is allocated only once for each chunk. With
// a nil arena, New is the builtin new.
//
//go:nosplit
func New[T any](a *Arena) *T {
	if a == nil {
		return new(T)
	}
	if checks.Enabled {
		return newChecked[T](a, "arena.New")
	}
	// Safety: place returns the address of a T. TestArenaAgainstModel, TestEveryTypeIsAligned.
	return (*T)(a.place((*T)(nil)))
}

// Alloc returns a pointer to a copy of v. It combines New and an assignment in one expression:
// f(arena.Alloc(a, Node{Kind: k})) replaces f(&Node{Kind: k}). Copy does the same for &Node{Kind:
// k}.
//
// Alloc is inlined into its caller, which builds v in place. Like the code of New, the inlined code
// contains a single call.
func Alloc[T any](a *Arena, v T) *T {
	if checks.Enabled && a != nil {
		p := newChecked[T](a, "arena.Alloc")
		*p = v
		return p
	}
	// Safety: as in New.
	p := (*T)(a.place((*T)(nil)))
	*p = v
	return p
}

// Copy returns a pointer to a copy of *v. The arena does not retain v. f(arena.Copy(a, &Node{Kind:
// k})) replaces f(&Node{Kind: k}), and the literal is built once, on the caller's stack.
//
// Copy takes a few nanoseconds more than Alloc but adds only 30 bytes of code for each type; Alloc
// adds 200. Use it in programs with many types, such as generated parsers, whose code would
// otherwise exceed the instruction cache.
//
//go:nosplit
func Copy[T any](a *Arena, v *T) *T {
	if a == nil || checks.Enabled || unsafe.Sizeof(*v) > maskBytes {
		return copyTyped(a, v)
	}
	// Safety: copyOf returns the address of a T. TestCopy.
	return (*T)(a.copyOf(v))
}

// copyTyped implements Copy for the cases that need the type T: calls without an arena, checked
// builds, and long values.
//
//go:noinline
func copyTyped[T any](a *Arena, v *T) *T {
	_ = *v // panics if v is nil, before anything is allocated
	var p *T
	if checks.Enabled && a != nil {
		p = newChecked[T](a, "arena.Copy")
	} else {
		p = New[T](a)
	}
	*p = *v
	return p
}

// newChecked implements New in checked builds. The parameter where names the caller, for panic
// messages.
func newChecked[T any](a *Arena, where string) *T {
	// Safety: as in New.
	return (*T)(a.placeChecked(where, (*T)(nil)))
}

// place returns the address of a new, zeroed T. pointer is a nil *T, which identifies the type.
//
//go:noinline
func (a *Arena) place(pointer any) unsafe.Pointer {
	if a == nil {
		return reflect.New(reflect.TypeOf(pointer).Elem()).UnsafePointer()
	}
	typ := wordOf(pointer)
	entries := a.types.entries
	for i := a.types.hashOf(typ); i < uint(len(entries)); i = (i + 1) & uint(len(entries)-1) { // same loop as in find
		switch e := &entries[i]; e.typ {
		case typ:
			if e.head.Left > 0 {
				return e.head.Take()
			}
			return a.refill(int(i))
		case 0:
			return a.refill(a.meet(pointer))
		}
	}
	return a.refill(a.meet(pointer))
}

// refill implements place for entry i if its current chunk is full or its values have no slab of
// their own.
//
//go:noinline
func (a *Arena) refill(i int) unsafe.Pointer {
	e := &a.types.entries[i]
	if e.head == &none {
		return a.plain.place(e.size)
	}
	if e.head.Left == 0 {
		a.slabs[a.types.known[i].at].Refill()
	}
	return e.head.Take()
}

// source is the interface through which an arena allocates slots from a slab.
type source interface {
	Refill()
	NewSlot(where string) unsafe.Pointer
	MakeSlots(where string, n int) unsafe.Pointer
	ExtendSlots(where string, start unsafe.Pointer, length, n int) bool
}

// placeChecked implements place in checked builds. The parameter where names the caller, for panic
// messages.
func (a *Arena) placeChecked(where string, pointer any) unsafe.Pointer {
	a.guard.Enter(where)
	defer a.guard.Leave()
	i := a.entryOf(pointer)
	if a.types.entries[i].head == &none {
		return a.refill(i)
	}
	return a.slabs[a.types.known[i].at].NewSlot(where)
}

// copyOf returns the address of a new copy of the T that pointer, a *T, points to. T has at most 64
// words.
//
//go:noinline
func (a *Arena) copyOf(pointer any) unsafe.Pointer {
	from := dataOf(pointer)
	// Safety: this reads the first byte of a T or, for a T of size zero, the byte at its address,
	// which is readable too. If the pointer is nil, the read panics before anything is allocated.
	_ = *(*byte)(from)
	i := a.types.find(wordOf(pointer))
	if i < 0 {
		i = a.meet(pointer)
	}
	e := &a.types.entries[i]
	var to unsafe.Pointer
	if e.head.Left > 0 {
		to = e.head.Take()
	} else {
		to = a.refill(i)
	}
	e.copy(to, from)
	return to
}

// copy copies one T of at most 64 words.
//
// It copies word by word because the caller has usually just stored the value. The processor
// forwards a recent store to a load only if the load is not wider than the store; a wider load
// waits until the store is complete.
func (e *entry) copy(to, from unsafe.Pointer) {
	// Safety: to and from are addresses of Ts, and e.size is the size of a T. Pointers are copied
	// as pointers, with the write barrier: the mask marks the words that the collector treats as
	// pointers. TestCopy, TestCopyDuringMarking.
	for pointers := e.mask; pointers != 0; pointers &= pointers - 1 {
		at := bits.TrailingZeros64(pointers) * pointerBytes
		*(*unsafe.Pointer)(unsafe.Add(to, at)) = *(*unsafe.Pointer)(unsafe.Add(from, at))
	}
	for others := ^e.mask & (1<<(e.size/pointerBytes) - 1); others != 0; others &= others - 1 {
		at := bits.TrailingZeros64(others) * pointerBytes
		*(*uintptr)(unsafe.Add(to, at)) = *(*uintptr)(unsafe.Add(from, at))
	}
	for at := e.size &^ (pointerBytes - 1); at < e.size; at++ {
		*(*byte)(unsafe.Add(to, at)) = *(*byte)(unsafe.Add(from, at))
	}
}

// typed returns the arena's slab for values of type T.
func typed[T any](a *Arena) *slab.Slab[T] {
	// Safety: the slab was made for T; all slabs have the same memory layout.
	// TestSlabsHaveOneLayout of package slab, TestOfIsTheSlabThatNewUses.
	return (*slab.Slab[T])(dataOf(a.slabOf((*T)(nil))))
}
