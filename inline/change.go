package inline

import (
	"fmt"
	"math"
	"slices"

	"github.com/coppice-go/coppice/internal/checks"
)

// AppendSlice appends the elements of xs. It allocates at most once. xs may be a slice that v.Slice
// returned.
func (v *Vec[T, A]) AppendSlice(xs ...T) {
	v.change("inline.Vec.AppendSlice")
	switch {
	case v.spill != nil:
		v.spill = append(v.spill, xs...)
	case len(xs) <= v.free():
		copy(v.room()[v.n:], xs)
		v.n += uint(len(xs))
	default:
		v.adopt("inline.Vec.AppendSlice", append(v.moved(len(xs)), xs...))
	}
}

// Insert inserts the elements of xs before element i, or at the end if i is v.Len(). It moves the
// elements from index i on, and allocates at most once. xs may be a slice that v.Slice returned.
// Insert panics if i is out of range.
func (v *Vec[T, A]) Insert(i int, xs ...T) {
	v.change("inline.Vec.Insert")
	if n := v.Len(); uint(i) > uint(n) {
		panic(fmt.Sprintf("inline.Vec.Insert: index %d is outside 0 to %d", i, n))
	}
	switch {
	case v.spill != nil:
		v.spill = slices.Insert(v.spill, i, xs...)
	case len(xs) <= v.free():
		_ = slices.Insert(v.room()[:v.n], i, xs...) // it fits, so the insertion is in place
		v.n += uint(len(xs))
	default:
		v.adopt("inline.Vec.Insert", slices.Insert(v.moved(len(xs)), i, xs...))
	}
}

// Delete removes the elements with indexes from i to j-1, and moves the elements from index j on.
// It panics if v.Slice()[i:j] would panic.
func (v *Vec[T, A]) Delete(i, j int) {
	v.change("inline.Vec.Delete")
	if n := v.Len(); uint(i) > uint(j) || uint(j) > uint(n) {
		panic(fmt.Sprintf("inline.Vec.Delete: %d to %d is not a range within 0 to %d", i, j, n))
	}
	v.setLen(len(slices.Delete(v.Slice(), i, j)))
}

// Pop removes the last element and returns it. ok is false if the Vec is empty.
func (v *Vec[T, A]) Pop() (x T, ok bool) {
	v.change("inline.Vec.Pop")
	s := v.Slice()
	if len(s) == 0 {
		return x, false
	}
	last := len(s) - 1
	x = s[last]
	clear(s[last:])
	v.setLen(last)
	return x, true
}

// Truncate removes all elements but the first n. It panics if there are fewer than n.
func (v *Vec[T, A]) Truncate(n int) {
	v.change("inline.Vec.Truncate")
	if uint(n) > uint(v.Len()) {
		panic(fmt.Sprintf("inline.Vec.Truncate: count %d is outside 0 to %d", n, v.Len()))
	}
	clear(v.Slice()[n:])
	v.setLen(n)
}

// Clear removes all elements and keeps the capacity.
func (v *Vec[T, A]) Clear() {
	v.change("inline.Vec.Clear")
	clear(v.Slice())
	v.setLen(0)
}

// Grow makes room for n more elements, as slices.Grow does, so that appending them does not
// allocate. (In contrast, hashmap.Map.Reserve takes the total number of entries.) Grow panics if n
// is negative or if the elements would exceed the address space.
func (v *Vec[T, A]) Grow(n int) {
	v.change("inline.Vec.Grow")
	switch {
	case n < 0 || n > math.MaxInt-v.Len():
		panic(fmt.Sprintf("inline.Vec.Grow: count %d is negative or too large", n))
	case v.spill != nil:
		v.spill = slices.Grow(v.spill, n)
	case n > v.free():
		v.adopt("inline.Vec.Grow", v.moved(n))
	}
}

// Clone returns a Vec with copies of the elements, which shares no memory with v. If the copies fit
// inline, they are stored inline, even if v has spilled.
func (v *Vec[T, A]) Clone() Vec[T, A] {
	var c Vec[T, A]
	c.AppendSlice(v.Slice()...)
	return c
}

// free returns the number of elements that still fit inline.
func (v *Vec[T, A]) free() int { return len(v.inline) - int(v.n) }

// setLen sets the number of elements to n. The caller has already zeroed the removed elements, so
// that they keep nothing alive.
func (v *Vec[T, A]) setLen(n int) {
	if v.spill != nil {
		v.spill = v.spill[:n]
	} else {
		v.n = uint(n)
	}
}

// moved returns a new slice that contains copies of the inline elements. extra is the number of
// additional elements for which the slice has room. moved does not change v, because the caller may
// go on to append elements of v itself.
func (v *Vec[T, A]) moved(extra int) []T {
	s := slices.Grow([]T(nil), max(2*len(v.inline), int(v.n)+extra))
	return append(s, v.Slice()...)
}

// adopt replaces the inline elements of v with the elements of s, which v then uses as its memory.
// The parameter where names the caller, for the panic message.
func (v *Vec[T, A]) adopt(where string, s []T) {
	clear(v.room())
	v.n = uint(len(v.inline))
	v.spill = s
	v.change(where)
}

// change checks v in checked builds, before its elements change. The parameter where names the
// method that changes them, for panic messages.
func (v *Vec[T, A]) change(where string) {
	if checks.Enabled {
		checks.MustHold(where, v.verify())
		if v.spill != nil {
			v.owner.change(where)
		}
	}
}
