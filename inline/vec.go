package inline

import (
	"iter"

	"github.com/coppice-go/coppice/internal/checks"
)

// A Vec is a vector that stores its first elements inside itself, in an array of type A. The zero
// Vec is empty and ready to use. A Vec has no pointer to itself, so it may be copied; the package
// comment describes what copies share. Like a slice, a Vec may be read by any number of goroutines
// or changed by one.
type Vec[T any, A Array[T]] struct {
	spill  []T  // all elements after a spill; nil before
	n      uint // number of inline elements; len(inline) if spill is not nil
	owner  owner
	inline A // zero from n on, and completely zero if spill is not nil
}

// Append appends x. While the elements fit inline, it allocates nothing. The first element that
// does not fit moves all elements to a slice with twice the capacity of A. From then on, append
// grows that slice.
func (v *Vec[T, A]) Append(x T) {
	// To make Append inline completely, this code calls only builtins and room, which itself
	// inlines. Any other call to a generic function would cost 64 of the inlining budget of 80.
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

// At returns a pointer to element i, for reading and writing. It is valid as long as a result of
// Slice would be. It panics like s[i] if i is out of range.
func (v *Vec[T, A]) At(i int) *T { return &v.Slice()[i] }

// Slice returns the elements themselves, not a copy, for reading and writing. The slice is valid
// until the next call that adds or removes elements, and only for this Vec: a copy of the Vec has
// its own inline elements. The capacity equals the length, so an append to the slice does not
// change the Vec.
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

// Cap returns the number of elements that fit without an allocation: at first the length of A.
func (v *Vec[T, A]) Cap() int {
	if v.spill != nil {
		return cap(v.spill)
	}
	return len(v.inline)
}

// Inline reports whether the elements are stored inside the Vec. Once they have spilled, they stay
// on the Go heap; to start again inline, assign v = inline.Vec[T, A]{}.
func (v *Vec[T, A]) Inline() bool { return v.spill == nil }

// All yields each index and element. The loop may change the Vec, because All reads the Vec again
// for every element: it yields the current element, and ends early if the Vec has become shorter.
// It never yields more elements than there were at the start.
func (v *Vec[T, A]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range v.Len() {
			if i >= v.Len() || !yield(i, *v.At(i)) {
				return
			}
		}
	}
}
