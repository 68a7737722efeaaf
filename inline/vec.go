package inline

import (
	"iter"

	"github.com/coppice-go/coppice/internal/checks"
)

// A Vec is a vector that stores its first elements inside itself, in an array of type A. The zero
// Vec is empty and ready to use. A Vec contains no pointer to itself, so it may be copied; the
// package comment describes what copies share. As with a slice, any number of goroutines may read a
// Vec at the same time, but while a goroutine changes it, no other goroutine may use it.
type Vec[T any, A Array[T]] struct {
	spill  []T  // all elements after a spill; nil before a spill
	n      uint // number of inline elements; len(inline) if spill is not nil
	owner  owner
	inline A // zero from index n on; entirely zero if spill is not nil
}

// Append appends x. It does not allocate as long as the elements fit inline. When an element does
// not fit, Append moves all elements to a slice with twice the capacity of A, which then grows like
// any slice.
func (v *Vec[T, A]) Append(x T) {
	// The compiler inlines Append completely, because this code calls only builtins and room, which
	// is itself inlined. Any other call of a generic function would use 64 of the inlining budget
	// of 80.
	if n := v.n; n < uint(len(v.inline)) {
		v.n++
		v.inline[n] = x
	} else {
		if v.spill == nil {
			v.spill = append(make([]T, 0, 2*len(v.inline)), v.room()...)
			clear(v.room())
		}
		if checks.Enabled {
			v.change("inline.Vec.Append")
		}
		v.spill = append(v.spill, x)
	}
}

// At returns a pointer to element i. The pointer is valid until the next call that adds or removes
// elements. At panics if i is out of range.
func (v *Vec[T, A]) At(i int) *T { return &v.Slice()[i] }

// Slice returns the elements as a slice that shares the memory of the Vec, so writes to the slice
// change the Vec. The slice is valid until the next call that adds or removes elements. A copy of
// the Vec has its own inline elements, to which the slice does not refer. The capacity of the slice
// equals its length, so an append to the slice does not change the Vec.
func (v *Vec[T, A]) Slice() []T {
	if v.spill != nil {
		return v.spill[:len(v.spill):len(v.spill)]
	}
	return v.room()[:v.n:v.n]
}

// Len returns the number of elements.
func (v *Vec[T, A]) Len() int {
	if v.spill != nil {
		return len(v.spill)
	}
	return int(v.n)
}

// Cap returns the number of elements that fit without allocating, which is initially the length of
// A.
func (v *Vec[T, A]) Cap() int {
	if v.spill != nil {
		return cap(v.spill)
	}
	return len(v.inline)
}

// Inline reports whether the elements are stored inside the Vec. Once the elements have spilled,
// the Vec keeps using the Go heap, even after Clear. To return to inline elements, assign v =
// inline.Vec[T, A]{}.
func (v *Vec[T, A]) Inline() bool { return v.spill == nil }

// All yields the index and the value of each element. The loop may change the Vec, because All
// reads the Vec again for every element: it yields the current value, and ends early if the Vec has
// been shortened. It never yields more elements than there were at the start.
func (v *Vec[T, A]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range v.Len() {
			if i >= v.Len() || !yield(i, *v.At(i)) {
				return
			}
		}
	}
}
