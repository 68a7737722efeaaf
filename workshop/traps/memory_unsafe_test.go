package traps

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"github.com/coppice-go/coppice/alloctest"
)

// An untyped is a faulty arena that allocates values of any type from byte slices.
type untyped struct {
	chunks [][]byte
	used   uintptr
}

// newIn returns a new T, which is zero unless its memory was used before.
func newIn[T any](u *untyped) *T {
	size := (reflect.TypeFor[T]().Size() + 7) &^ 7
	if len(u.chunks) == 0 || u.used+size > uintptr(len(u.chunks[len(u.chunks)-1])) {
		u.chunks = append(u.chunks, make([]byte, 1<<10)) // DEFECT: the collector finds no pointer in bytes
		u.used = 0
	}
	p := (*T)(unsafe.Pointer(&u.chunks[len(u.chunks)-1][u.used]))
	u.used += size
	return p
}

func untypeds[T any]() alloctest.Allocator[*T, T] {
	u := new(untyped)
	return alloctest.Allocator[*T, T]{New: alloctest.Pointer(func() *T { return newIn[T](u) })}
}

// named contains pointers to the Go heap, and linked contains a pointer to another value of its
// arena.
type (
	named struct {
		ID    uint64
		Name  string
		Where *[4]uint64
	}
	linked struct {
		ID   uint64
		Next *linked
	}
)

// Pointers in memory that the collector treats as bytes keep nothing alive. Slabs and arenas
// therefore allocate such values in memory of the right type, and stores reject their types.
func TestTrapHeapPointersInUntypedMemoryVanish(t *testing.T) {
	falls(t, alloctest.Verify(untypeds[named], alloctest.Reachable), "the collector dropped")
	stands(t, "slab.Slab", alloctest.Verify(slabs[named], alloctest.Reachable))
	stands(t, "arena.Arena", alloctest.Verify(arenas[named], alloctest.Reachable))
	stands(t, "pool.Pool", alloctest.Verify(pools[*[4]uint64], alloctest.Reachable))
	refusesPointers(t)
}

// If the collector cannot see the pointers in a value, the value keeps only its own chunk alive. A
// program that drops the arena then loses the rest of a tree that it still uses.
func TestTrapDroppingTheArenaFreesItsChunks(t *testing.T) {
	falls(t, alloctest.Verify(untypeds[linked], alloctest.Outlives), "values that one leads to which is still held")
	stands(t, "slab.Slab", alloctest.Verify(slabs[linked], alloctest.Outlives))
	stands(t, "arena.Arena", alloctest.Verify(arenas[linked], alloctest.Outlives))
	stands(t, "arena.Arena, without pointers", alloctest.Verify(arenas[uint64], alloctest.Outlives))
	droppedStoreKeepsItsRecords(t)
}

// Memory for pointer types must be zero before it is read, because the collector follows stale or
// random pointers in it. The test lets it find such a pointer in a child process, which the runtime
// then aborts.
func TestTrapNoZeroingOfPointerTypes(t *testing.T) {
	if isChild(t) {
		readPointerFromDirtyMemory()
		return
	}
	falls(t, alloctest.Verify(minis[named](dirty), alloctest.Zeroed), "is not zero")
	died := false
	for tries := 0; tries < 30 && !died; tries++ { // chance decides how the runtime uses the address
		died = strings.Contains(runChild(t), "found bad pointer in Go heap")
	}
	if !died {
		t.Error("no child died of a bad pointer")
	}
	stands(t, "the sound miniature", alloctest.Verify(minis[named](sound), alloctest.Zeroed))
	stands(t, "slab.Slab", alloctest.Verify(slabs[named], alloctest.Zeroed))
	stands(t, "arena.Arena", alloctest.Verify(arenas[named], alloctest.Zeroed))
	stands(t, "pool.Pool", alloctest.Verify(pools[named], alloctest.Zeroed))
	stands(t, "store.Store", alloctest.Verify(stores[uint64](t), alloctest.Zeroed))
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.Zeroed))
}

// kept makes its pointers reachable for the collector.
var kept []**byte

// readPointerFromDirtyMemory copies a pointer field of a new value, as a program does that assumes
// new values to be zero.
func readPointerFromDirtyMemory() {
	block := make([]byte, 64<<20)
	gone := uintptr(unsafe.Pointer(&block[1<<20]))
	runtime.KeepAlive(block)
	block = nil
	debug.FreeOSMemory() // the block's addresses are now unused

	u := new(untyped)
	*newIn[uintptr](u) = gone // written by the previous owner
	u.used = 0                // DEFECT: the memory is used again as it is
	value := newIn[*byte](u)
	field := *value
	kept = append(kept, &field)
	runtime.GC()
}
