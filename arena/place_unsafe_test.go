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

// What is stored as pointers, behind a copy of the bytes, is exactly what the collector takes for pointers: of all other words the collector must not be
// told, and of these it must.
func TestPointersAreStoredAsSuch(t *testing.T) {
	want := []int{0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0} // by words; on 32-bit machines small and float lie otherwise, and only the sum is looked at
	from := make([]unsafe.Pointer, unsafe.Sizeof(kinds{})/pointerBytes)
	for i := range from {
		from[i] = unsafe.Pointer(&none)
	}
	words := make([]unsafe.Pointer, len(from))
	var mask uint64
	addPointers(reflect.TypeFor[kinds](), 0, &mask)
	copyPointers(unsafe.Pointer(&words[0]), unsafe.Pointer(&from[0]), mask)
	stored := 0
	for i, w := range words {
		if w != nil {
			stored++
		}
		if pointerBytes == 8 && (w != nil) != (want[i] == 1) {
			t.Errorf("word %d: stored as a pointer: %t, want %t", i, w != nil, want[i] == 1)
		}
	}
	if stored != 10 {
		t.Errorf("%d words are stored as pointers, want 10", stored)
	}
}
