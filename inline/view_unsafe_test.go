package inline_test

import (
	"testing"
	"unsafe"

	"github.com/coppice-go/coppice/inline"
	"github.com/coppice-go/coppice/internal/checks"
)

// between is a Vec between two guards, which an out-of-bounds write would change.
type between[T comparable, A inline.Array[T]] struct {
	before [64]byte
	vec    inline.Vec[T, A]
	after  [64]byte
}

// viewedWhole fills a Vec up to its last inline element and verifies the addresses of the elements.
func viewedWhole[T comparable, A inline.Array[T]](t *testing.T, x T) {
	t.Helper()
	var a A
	b := new(between[T, A])
	for range len(a) {
		b.vec.Append(x)
	}
	s := b.vec.Slice()
	if !b.vec.Inline() || len(s) != len(a) || b.before != [64]byte{} || b.after != [64]byte{} {
		t.Fatalf("%T: %d elements inside, of %d; guards %v %v", a, len(s), len(a), b.before, b.after)
	}
	start, at := uintptr(unsafe.Pointer(b)), uintptr(unsafe.Pointer(&s[0]))
	if end := at + unsafe.Sizeof(a); at < start+64 || end > uintptr(unsafe.Pointer(&b.after)) || at%unsafe.Alignof(x) != 0 {
		t.Errorf("%T: the elements are not inside the Vec", a)
	}
	for i := range s {
		if s[i] != x || &s[i] != b.vec.At(i) {
			t.Fatalf("%T: element %d is %v at %p", a, i, s[i], &s[i])
		}
	}
	if c := b.vec; &c.Slice()[0] == &s[0] && unsafe.Sizeof(x) > 0 {
		t.Errorf("%T: a copy has the same elements", a)
	}
}

func TestEveryLengthIsViewedWhole(t *testing.T) {
	viewedWhole[byte, [1]byte](t, 0xFF)
	viewedWhole[byte, [7]byte](t, 0xFF)
	viewedWhole[byte, [32]byte](t, 0xFF)
	viewedWhole[byte, [1024]byte](t, 0xFF)
	viewedWhole[uint16, [3]uint16](t, 0xFFFF)
	viewedWhole[uint64, [5]uint64](t, 1<<63)
	viewedWhole[string, [40]string](t, "oak")
	viewedWhole[*int, [31]*int](t, new(int))
	viewedWhole[triple, [896]triple](t, newTriple(1))
	viewedWhole[[3]byte, [5][3]byte](t, [3]byte{1, 2, 3})
	viewedWhole[any, [2]any](t, "oak")
}

// TestAVecHasFourWordsAndAnArray verifies the size that the package comment states.
func TestAVecHasFourWordsAndAnArray(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds have more")
	}
	const word = unsafe.Sizeof(uintptr(0))
	if got := unsafe.Sizeof(inline.Vec[*int, [4]*int]{}); got != 4*word+4*word {
		t.Errorf("a Vec of 4 pointers has %d bytes", got)
	}
	if got := unsafe.Sizeof(inline.Vec[byte, [32]byte]{}); got != 4*word+32 {
		t.Errorf("a Vec of 32 bytes has %d bytes", got)
	}
}
