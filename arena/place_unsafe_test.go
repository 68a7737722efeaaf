package arena

import (
	"reflect"
	"testing"
	"unsafe"
)

// kinds has pointers of each kind, and numbers between them.
type kinds struct {
	_ uintptr
	_ *int
	_ [3]int8
	_ string
	_ float64
	_ []int
	_ any
	_ uint64
	_ func()
	_ map[int]int
	_ [2]struct {
		_ int
		_ chan int
	}
	_ unsafe.Pointer
	_ bool
}

// longKinds has them before and behind its first 64 words.
type longKinds struct {
	_ kinds
	_ [50]int
	_ [3]kinds
}

// What is stored as pointers, behind a copy of the bytes, is exactly what the collector takes for pointers: of all other words the collector must not be
// told, and of these it must.
func TestPointersAreStoredAsSuch(t *testing.T) {
	const kindWords = uint64(unsafe.Sizeof(kinds{}) / pointerBytes)
	// Of each field, in words: pointers or not. On 32-bit machines small and float lie otherwise; there only the sum is looked at.
	want := []int{0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0}
	from := make([]unsafe.Pointer, unsafe.Sizeof(longKinds{})/pointerBytes)
	for i := range from {
		from[i] = unsafe.Pointer(&none)
	}
	words := make([]unsafe.Pointer, len(from))
	masks := pointersOf(reflect.TypeFor[longKinds]())
	copyPointers(unsafe.Pointer(&words[0]), unsafe.Pointer(&from[0]), masks[0], masks[1:])
	stored := 0
	for i, w := range words {
		if w != nil {
			stored++
		}
		if pointerBytes != 8 {
			continue
		}
		isPointer := false
		if i < int(kindWords) {
			isPointer = want[i] == 1
		} else if i >= int(kindWords)+50 {
			isPointer = want[(i-50)%int(kindWords)] == 1
		}
		if (w != nil) != isPointer {
			t.Errorf("word %d: stored as a pointer: %t, want %t", i, w != nil, isPointer)
		}
	}
	if stored != 4*10 {
		t.Errorf("%d words are stored as pointers, want 40", stored)
	}
}
