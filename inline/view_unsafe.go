package inline

import "unsafe"

// room returns v.inline[:]. The language does not allow this expression, because the type of the
// array is a type parameter.
func (v *Vec[T, A]) room() []T {
	// Safety: every type of Array[T] is an array of T with at least one element, so element 0
	// exists. The len(v.inline) elements are consecutive inside v, which the slice keeps alive.
	// TestEveryLengthIsViewedWhole.
	return unsafe.Slice(&v.inline[0], len(v.inline))
}
