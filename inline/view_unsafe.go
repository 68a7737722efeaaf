package inline

import "unsafe"

// room returns the array inside v as a slice. The language does not allow slicing an array whose
// type is a type parameter.
func (v *Vec[T, A]) room() []T {
	// Safety: every type of Array[T] is an array of T with at least one element, so element 0
	// exists, and len(v.inline) of them are consecutive inside v, which the slice keeps alive.
	// TestEveryLengthIsViewedWhole.
	return unsafe.Slice(&v.inline[0], len(v.inline))
}
