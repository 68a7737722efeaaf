package alloctest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
)

// A freeList is a user's allocator with a bug: New does not zero the values that it reuses.
type freeList[T any] struct{ free []*T }

func (f *freeList[T]) New() *T {
	if n := len(f.free); n > 0 {
		v := f.free[n-1]
		f.free = f.free[:n-1]
		return v
	}
	return new(T)
}

func (f *freeList[T]) Delete(v *T) { f.free = append(f.free, v) }

// openFreeList describes a new freeList to the kit.
func openFreeList[T any]() alloctest.Allocator[*T, T] {
	f := new(freeList[T])
	return alloctest.Allocator[*T, T]{New: alloctest.Pointer(f.New), Delete: f.Delete}
}

// This is how a user tests an allocator. In a real test file, testConformance is a function
// TestConformance.
func ExampleRun() {
	testConformance := func(t *testing.T) {
		alloctest.Run(t, openFreeList[byte])
		alloctest.Run(t, openFreeList[[3]uint16])
		alloctest.Run(t, openFreeList[alloctest.Node])
	}
	_ = testConformance
}

func ExampleVerify() {
	err := alloctest.Verify(openFreeList[[3]uint16], alloctest.Zeroed)
	fmt.Println(strings.ReplaceAll(err.Error(), "\t", "    "))
	// Output:
	// broken promise: Zeroed: a new value is zero, whatever its memory held before
	//     the value from New, number 101, is not zero at value[0]
	//     after: New x 100, Delete x 50, New
	//     seed: 1
}

// An allocator that returns pointers needs no separate names.
func ExamplePointer() {
	f := new(freeList[int])
	a := alloctest.Allocator[*int, int]{New: alloctest.Pointer(f.New)}
	name, value := a.New()
	fmt.Println(name == value)
	// Output: true
}

func ExamplePointers() {
	a := alloctest.Allocator[*int, int]{
		New:  alloctest.Pointer(func() *int { return new(int) }),
		Make: alloctest.Pointers(func(n int) []int { return make([]int, n) }),
	}
	name, row := a.Make(3)
	fmt.Println(name == &row[0], len(row))
	// Output: true 3
}

func ExamplePromise_String() {
	fmt.Println(alloctest.Zeroed)
	// Output: Zeroed
}

// RunAt tests a small type at the largest scale, regardless of the flags of go test.
func ExampleRunAt() {
	testConformance := func(t *testing.T) {
		alloctest.RunAt(t, alloctest.Large, openFreeList[byte])
	}
	_ = testConformance
}

func ExampleVerifyAt() {
	err := alloctest.VerifyAt(alloctest.Normal, openFreeList[[3]uint16], alloctest.Kept)
	fmt.Println(err)
	// Output: <nil>
}

func ExampleScale_String() {
	fmt.Println(alloctest.Short, alloctest.Normal, alloctest.Large)
	// Output: short normal large
}
