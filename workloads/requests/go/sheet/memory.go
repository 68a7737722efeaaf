package sheet

import "github.com/coppice-go/coppice/arena"

// Only these functions distinguish the two kinds of allocation: from the arena if there is one, and
// otherwise from the Go heap. The rest of the package is the same for both. BenchmarkSeam measures
// the cost of the distinction.

// fresh is new(T). It inlines, as new does.
func fresh[T any](a *arena.Arena) *T {
	if a == nil {
		return new(T)
	}
	return arena.New[T](a)
}

// add is append.
func add[T any](a *arena.Arena, s []T, v T) []T {
	if a == nil {
		return append(s, v)
	}
	return arena.Append(a, s, v)
}

// makeSlice is make([]T, n).
func makeSlice[T any](a *arena.Arena, n int) []T {
	if a == nil {
		return make([]T, n)
	}
	return arena.Make[T](a, n, n)
}

// toString is string(b).
func toString(a *arena.Arena, b []byte) string {
	if a == nil {
		return string(b)
	}
	return a.String(b)
}
