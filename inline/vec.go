package inline

import (
	"iter"

	"github.com/coppice-go/coppice/internal/checks"
)

// A Vec is a vector whose first elements live inside it. A is an array of T; as many
// elements as it has fit inside. The zero Vec is empty and ready. A Vec has no pointer to
// itself, so it may be copied; the package comment says what a copy shares. As with a
// slice, either any number of goroutines may read a Vec, or one may change it.
type Vec[T any, A Array[T]] struct {
	spill  []T  // all elements, if they do not live inside; nil if they do
	n      uint // the count of elements inside; len(inline) if spill is not nil
	owner  owner
	inline A // zero from n on, and altogether if spill is not nil
}

// Append adds x at the end. While there is room inside, it allocates nothing. The first
// element that does not fit inside moves all elements to a slice with room for twice as many
// as fit inside. That slice grows as append does.
func (v *Vec[T, A]) Append(x T) {
	// Everything here is a builtin and none of it is a call, so that all of it inlines:
	// a call of a generic function costs 64 of the 80 that are allowed.
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

// At returns a pointer to element i, for reading and writing. It is valid as long as
// a Slice is. It panics as s[i] does if there is no such element.
func (v *Vec[T, A]) At(i int) *T { return &v.Slice()[i] }

// Slice returns the elements, not a copy of them, for reading and writing. The slice is
// valid until the next call that adds or removes elements, and only for this Vec: a copy of the
// Vec has other elements inside. The capacity is the length, so an append to the slice does
// not change the Vec.
func (v *Vec[T, A]) Slice() []T {
	if v.spill != nil {
		return v.spill[:len(v.spill):len(v.spill)]
	}
	return v.room()[:v.n:v.n]
}

// Len returns the count of elements.
func (v *Vec[T, A]) Len() int {
	if v.spill != nil {
		return len(v.spill)
	}
	return int(v.n)
}

// Cap returns the count of elements that fit without an allocation: at first the
// length of A.
func (v *Vec[T, A]) Cap() int {
	if v.spill != nil {
		return cap(v.spill)
	}
	return len(v.inline)
}

// Inline tells whether the elements live inside the Vec. Once they have moved out they
// stay outside; to begin again inside, assign v = inline.Vec[T, A]{}.
func (v *Vec[T, A]) Inline() bool { return v.spill == nil }

// All yields each index and element. The loop may change the Vec, because All reads the Vec
// again for every element: it yields what was written, and ends when the Vec has become
// shorter. It never yields more elements than there were at the start.
func (v *Vec[T, A]) All() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := range v.Len() {
			if i >= v.Len() || !yield(i, *v.At(i)) {
				return
			}
		}
	}
}
