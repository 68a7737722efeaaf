package inline_test

import (
	"testing"

	"github.com/coppice-go/coppice/alloctest"
	"github.com/coppice-go/coppice/inline"
)

// TestConformance runs the conformance kit on Vec. The indexes of the elements serve as their
// names. The elements move when the Vec spills, and whenever it grows after that.
func TestConformance(t *testing.T) {
	alloctest.Run(t, conforming[byte, [1]byte])
	alloctest.RunAt(t, alloctest.Short, conforming[[3]uint16, [4][3]uint16])
	alloctest.RunAt(t, alloctest.Short, conforming[struct{}, [8]struct{}])
	alloctest.RunAt(t, alloctest.Short, conforming[complex128, [1024]complex128])
	alloctest.Run(t, conforming[alloctest.Node, [16]alloctest.Node])
}

func conforming[T any, A inline.Array[T]]() alloctest.Allocator[int, T] {
	return described(new(inline.Vec[T, A]))
}

func described[T any, A inline.Array[T]](v *inline.Vec[T, A]) alloctest.Allocator[int, T] {
	return alloctest.Allocator[int, T]{
		New: func() (int, *T) {
			v.AppendSlice(*new(T))
			return v.Len() - 1, v.At(v.Len() - 1)
		},
		Alloc: func(x T) int {
			v.Append(x)
			return v.Len() - 1
		},
		At: v.At, Len: v.Len, Grow: v.Grow, Moves: true,
		Clone: func() alloctest.Allocator[int, T] {
			clone := v.Clone()
			return described(&clone)
		},
		Mark: func() func() {
			n := v.Len()
			return func() { v.Truncate(n) }
		},
		Reset: v.Clear, Release: func() { *v = inline.Vec[T, A]{} },
	}
}
