package arena

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/coppice-go/coppice/internal/checks"
)

// kinds has fields of every kind of type that contains pointers, and fields without pointers
// between them.
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

// entry.copy must store exactly those words as pointers that the collector treats as pointers.
// These need a write barrier, and the others must not have one.
func TestPointersAreStoredAsSuch(t *testing.T) {
	want := []int{0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0} // by word; on 32-bit machines the layout differs, and only the sum is checked
	from := make([]unsafe.Pointer, unsafe.Sizeof(kinds{})/pointerBytes)
	for i := range from {
		from[i] = unsafe.Pointer(&none)
	}
	words := make([]unsafe.Pointer, len(from))
	var mask uint64
	addPointers(reflect.TypeFor[kinds](), 0, &mask)
	e := entry{mask: mask} // size 0, so that no bytes are copied
	e.copy(unsafe.Pointer(&words[0]), unsafe.Pointer(&from[0]))
	stored := 0
	for i, w := range words {
		if w != nil {
			stored++
		}
		if pointerBytes == 8 && (w != nil) != (want[i] == 1) {
			t.Errorf("word %d: stored as a pointer: %t, want %t", i, w != nil, want[i] == 1)
		}
	}
	if stored != 9 {
		t.Errorf("%d words are stored as pointers, want 9", stored)
	}
}

// Copy stores the pointers of a short value separately from its other bytes, and copies a long
// value with its type. Both must therefore copy the pointers even if the recorded size is 0.
func TestCopiesTellOfPointers(t *testing.T) {
	if checks.Enabled {
		t.Skip("checked builds copy with the type")
	}
	a := &Arena{}
	withoutBytes := func(pointer any) { a.types.entries[a.entryOf(pointer)].size = 0 }
	type short struct {
		n int
		p *int
	}
	type long struct {
		_ [64]int
		p *int
	}
	withoutBytes((*short)(nil))
	withoutBytes((*long)(nil))
	n := 7
	if v := Copy(a, &short{n, &n}); v.p != &n || v.n != 0 {
		t.Errorf("without the bytes a copy is %+v, want its pointer and no number", *v)
	}
	if v := Copy(a, &long{p: &n}); v.p != &n {
		t.Error("the pointer of a long value is not copied as such")
	}
}
