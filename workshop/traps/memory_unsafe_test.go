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

// An untyped is an arena that cuts values of any type from chunks of bytes.
type untyped struct {
	chunks [][]byte
	used   uintptr
}

// newIn returns a zeroed T.
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

// named is a value with pointers to the Go heap; linked has pointers to others of its arena.
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

// Pointers in memory that the collector treats as bytes keep nothing alive. Slabs and arenas put
// such values into memory of the right type; stores reject them.
func TestTrapHeapPointersInUntypedMemoryVanish(t *testing.T) {
	falls(t, alloctest.Verify(untypeds[named], alloctest.Reachable), "the collector dropped")
	stands(t, "slab.Slab", alloctest.Verify(slabs[named], alloctest.Reachable))
	stands(t, "arena.Arena", alloctest.Verify(arenas[named], alloctest.Reachable))
	stands(t, "pool.Pool", alloctest.Verify(pools[*[4]uint64], alloctest.Reachable))
	refusesPointers(t)
}

// A value keeps only its own chunk alive if the collector cannot see its pointers. So a program
// that drops the arena loses the rest of a tree that it still holds.
func TestTrapDroppingTheArenaFreesItsChunks(t *testing.T) {
	falls(t, alloctest.Verify(untypeds[linked], alloctest.Outlives), "values that one leads to which is still held")
	stands(t, "slab.Slab", alloctest.Verify(slabs[linked], alloctest.Outlives))
	stands(t, "arena.Arena", alloctest.Verify(arenas[linked], alloctest.Outlives))
	stands(t, "arena.Arena, without pointers", alloctest.Verify(arenas[uint64], alloctest.Outlives))
	droppedStoreKeepsItsRecords(t)
}

// Memory with pointers must be zero before it is read, because the collector follows stale or
// random pointers in it. The miniature returns dirty memory in a child process, which the runtime
// ends.
func TestTrapNoZeroingOfPointerTypes(t *testing.T) {
	if isChild(t) {
		readPointerFromDirtyMemory()
		return
	}
	falls(t, alloctest.Verify(minis[named](dirty), alloctest.Zeroed), "is not zero")
	died := false
	for tries := 0; tries < 30 && !died; tries++ { // chance decides what the runtime has at the address
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

// kept is a root for the collector.
var kept []**byte

// readPointerFromDirtyMemory copies a pointer field of a new value, like a user who assumes that
// new values are zero.
func readPointerFromDirtyMemory() {
	block := make([]byte, 64<<20)
	gone := uintptr(unsafe.Pointer(&block[1<<20]))
	runtime.KeepAlive(block)
	block = nil
	debug.FreeOSMemory() // the block's addresses are unused now

	u := new(untyped)
	*newIn[uintptr](u) = gone // written by the previous owner
	u.used = 0                // DEFECT: the memory is used again as it is
	value := newIn[*byte](u)
	field := *value
	kept = append(kept, &field)
	runtime.GC()
}
