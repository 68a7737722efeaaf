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

// held is the number of bytes that the checks here allocate.
const held = 32 << 20

// A holding is allocated memory and a function that frees it.
type holding func() (release func())

// The runtime's statistics and profiles do not include memory that a program maps itself. The
// memory of stores is in the profile "coppice", in Totals and, optionally, within GOMEMLIMIT
// (store.TestAdjustMemoryLimit). The race detector and the address sanitizer cannot see mapped
// memory; so with -race a store is Go memory, and store.TestRaceOnARecordIsReported checks that a
// race is found there. In `make checked`, checkptr checks the pointers that a store makes into a
// region.
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

// An allocator that is off the Go heap only with a build tag has no effect for users who do not
// know the tag. A store needs no tag. Its documentation says where it is Go memory (with -race, on
// 32-bit machines, on wasm), and why.
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

// goHolding allocates like such an allocator in the build without its tag.
func goHolding() (release func()) {
	onHeap = make([]byte, held) // DEFECT: "off-heap" memory of the Go heap
	return func() { onHeap = nil }
}

var onHeap []byte

// storeHolding allocates the memory as records of a store.
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

// totalCommitted returns the memory of all stores, from the public function.
func totalCommitted() (bytes int64) {
	for _, total := range store.Totals() {
		bytes += int64(total.Committed)
	}
	return bytes
}
