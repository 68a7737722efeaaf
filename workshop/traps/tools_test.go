//go:build unix

package traps

import (
	"fmt"
	"runtime/pprof"
	"syscall"
	"testing"

	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// held is the number of bytes that these checks allocate.
const held = 32 << 20

// A holding allocates memory, and returns a function that frees it.
type holding func() (release func())

// TestTrapToolsDoNotSeeMappedMemory verifies that the memory of stores is visible to tools, unlike
// memory that a program maps itself, which the runtime's statistics and profiles omit. Stores are
// in the profile "coppice", in Totals and, optionally, within GOMEMLIMIT
// (store.TestAdjustMemoryLimit). The race detector and the address sanitizer cannot see mapped
// memory. Therefore, with -race a store is Go memory, and store.TestRaceOnARecordIsReported
// verifies that a race is found there. In `make checked`, checkptr checks the pointers that a store
// makes into a region.
func TestTrapToolsDoNotSeeMappedMemory(t *testing.T) {
	check := func(hold holding) error {
		heap, stores, committed := goHeap(), pprof.Lookup("coppice").Count(), totalCommitted()
		defer hold()()
		inHeap := goHeap()-heap >= held/2
		inProfile := pprof.Lookup("coppice").Count() > stores && totalCommitted()-committed >= held/2
		if !inHeap && !inProfile {
			return fmt.Errorf("no tool sees %d bytes", held)
		}
		return nil
	}
	mapped := func() func() {
		memory, err := syscall.Mmap(-1, 0, held, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE) // DEFECT: it is not reported anywhere
		if err != nil {
			t.Fatal(err)
		}
		return func() { mustNot(t, syscall.Munmap(memory)) }
	}
	falls(t, check(mapped), "no tool sees")
	stands(t, "store.Store", check(storeHolding(t)))
	stands(t, "Go memory", check(goHolding))
}

// TestTrapOffHeapOnlyWithABuildTag verifies that a store is off the Go heap without a build tag. An
// allocator that needs a tag for this has no effect for users who do not know the tag. The
// documentation of store explains where a store is Go memory (with -race, on 32-bit machines, on
// wasm), and why.
func TestTrapOffHeapOnlyWithABuildTag(t *testing.T) {
	check := func(hold holding) error {
		before := goHeap()
		defer hold()()
		if grown := goHeap() - before; grown >= held/2 {
			return fmt.Errorf("the Go heap has %d bytes more", grown)
		}
		return nil
	}
	falls(t, check(goHolding), "the Go heap has")
	if vmem.GoHeap {
		falls(t, check(storeHolding(t)), "the Go heap has")
	} else {
		stands(t, "store.Store", check(storeHolding(t)))
	}
}

// goHolding allocates from the Go heap, like such an allocator when it is built without its tag.
func goHolding() (release func()) {
	onHeap = make([]byte, held) // DEFECT: "off-heap" memory on the Go heap
	return func() { onHeap = nil }
}

var onHeap []byte

// storeHolding returns a holding that allocates the memory as records of a store.
func storeHolding(t *testing.T) holding {
	return func() func() {
		s, err := store.New[uint64](store.Options{Max: held / 8})
		if err != nil {
			t.Fatal(err)
		}
		s.Make(held / 8)
		return func() { mustNot(t, s.Close()) }
	}
}

// totalCommitted returns the committed memory of all stores, according to store.Totals.
func totalCommitted() (bytes int64) {
	for _, total := range store.Totals() {
		bytes += int64(total.Committed)
	}
	return bytes
}
