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

// held is how many bytes the checks here take.
const held = 32 << 20

// A holding is memory that was taken, and what gives it back.
type holding func() (release func())

// Neither the runtime's statistics nor its profiles know of memory that was mapped
// beside it. What a store maps is in the profile "coppice", in Totals, and, if the
// program wants that, within GOMEMLIMIT (store.TestAdjustMemoryLimit). The race detector
// and the address sanitizer cannot see it at all; so with -race a store is Go memory,
// and store.TestRaceOnARecordIsReported sees that a race is found there. checkptr checks
// the pointers that a store makes of a region, in `make checked`.
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
		memory, err := syscall.Mmap(-1, 0, held, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE) // DEFECT: nobody is told
		if err != nil {
			t.Fatal(err)
		}
		return func() { mustNot(t, syscall.Munmap(memory)) }
	}
	falls(t, check(mapped), "no tool sees")
	stands(t, "store.Store", check(storeHolding(t)))
	stands(t, "Go memory", check(goHolding))
}

// An allocator that is off the Go heap in one build only makes no difference to those
// who do not know of the tag. A store needs none. Where it is Go memory after all (with
// -race, on 32-bit machines, on wasm) its documentation says so, and why.
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

// goHolding is what an allocator does in the build without its tag.
func goHolding() (release func()) {
	onHeap = make([]byte, held) // DEFECT: "off-heap" memory of the Go heap
	return func() { onHeap = nil }
}

var onHeap []byte

// storeHolding takes the memory as records of a store.
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

// totalCommitted is the memory of all stores, as their owners can ask for it.
func totalCommitted() (bytes int64) {
	for _, total := range store.Totals() {
		bytes += int64(total.Committed)
	}
	return bytes
}
