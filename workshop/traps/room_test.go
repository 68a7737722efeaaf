package traps

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/slab"
)

// The trap is an arena that silently allocates elsewhere when it is full, where other rules apply.
// A store returns an error instead. Slabs and arenas have no limit; their later chunks follow the
// same rules as the first and are included in the statistics.
func TestTrapFullArenaFallsBackUnannounced(t *testing.T) {
	falls(t, alloctest.Verify(minis[uint64](fallsBack), alloctest.Exhausted), "the limit is 1")
	stands(t, "the sound miniature", alloctest.Verify(minis[uint64](sound), alloctest.Exhausted))
	stands(t, "store.Store", alloctest.Verify(stores[uint64](t), alloctest.Exhausted))
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.Exhausted))
	for _, promise := range []alloctest.Promise{alloctest.Counted, alloctest.Reachable, alloctest.Emptied} {
		stands(t, "slab.Slab", alloctest.Verify(slabs[named], promise))
		stands(t, "arena.Arena", alloctest.Verify(arenas[named], promise))
	}
}

// A trimming is an arena that wrongly trims its memory by shortening its list of chunks.
type trimming struct{ chunks [][]uint64 }

func (m *trimming) Make(n int) []uint64 {
	m.chunks = append(m.chunks, make([]uint64, n))
	return m.chunks[len(m.chunks)-1]
}

func (m *trimming) Reset() {
	m.chunks = m.chunks[:min(1, len(m.chunks))] // DEFECT: the array still refers to the chunks beyond the end
}

// After s = s[:k], the array of s still contains all its elements, so their memory is not freed.
// The test measures the Go heap instead of trusting the allocator's own figures.
func TestTrapTrimmingByReslicing(t *testing.T) {
	check := func(use func(n int), reset func()) error {
		const large = 1 << 20 // words
		before := goHeap()
		use(1)
		for range 4 {
			use(large / 4)
		}
		reset()
		for range 70 { // small phases: an allocator may keep memory for 64 of them
			use(1)
			reset()
		}
		if kept := goHeap() - before; kept > large*8/4 {
			return fmt.Errorf("%d bytes are still there", kept)
		}
		return nil
	}
	var bad trimming
	falls(t, check(func(n int) { bad.Make(n) }, bad.Reset), "are still there")
	runtime.KeepAlive(&bad)

	var s slab.Slab[uint64]
	stands(t, "slab.Slab", check(func(n int) { s.Make(n) }, s.Reset))
	var a arena.Arena
	stands(t, "arena.Arena", check(func(n int) { arena.Make[uint64](&a, n) }, a.Reset))
	var p arena.Arena
	stands(t, "arena.Arena, with pointers", check(func(n int) { arena.Make[*byte](&p, n) }, p.Reset))
	runtime.KeepAlive([]any{&s, &a, &p})

	// A store is not on the Go heap. store.TestTrimAndCloseGiveMemoryBack verifies its memory with
	// the figures of the operating system.
	st := newStore[uint64](t, 1<<20)
	st.Make(1 << 20)
	st.Reset()
	st.Alloc(1)
	mustNot(t, st.Trim())
	if kept := st.Cap(); kept > 1<<14 {
		t.Errorf("store.Store holds memory for %d records after Trim, and has one", kept)
	}
}

// goHeap returns the number of live bytes on the Go heap.
func goHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// An intrusive is an allocator that wrongly keeps its list of free slots in the slots themselves.
type intrusive struct {
	slots []uint64 // never grows
	first uint64   // the first free slot, numbered from 1; it contains the next one's number
}

func (f *intrusive) New() *uint64 {
	if f.first == 0 {
		f.slots = f.slots[:len(f.slots)+1]
		return &f.slots[len(f.slots)-1]
	}
	p := &f.slots[f.first-1]
	f.first, *p = *p, 0
	return p
}

func (f *intrusive) Del(p *uint64) {
	for i := range f.slots {
		if &f.slots[i] == p {
			*p = f.first // DEFECT: the next free slot's number is stored where users write
			f.first = uint64(i) + 1
		}
	}
}

func intrusives() alloctest.Allocator[*uint64, uint64] {
	f := &intrusive{slots: make([]uint64, 0, 1<<12)}
	return alloctest.Allocator[*uint64, uint64]{New: alloctest.Pointer(f.New), Delete: f.Del}
}

// If an allocator keeps its own data in free slots, one stale write makes it place the next values
// at arbitrary addresses. Coppice keeps all its own data apart from the values.
func TestTrapMetadataInsideTheUsersArea(t *testing.T) {
	falls(t, alloctest.Verify(intrusives, alloctest.Apart), "index out of range")
	stands(t, "the sound miniature", alloctest.Verify(minis[uint64](sound), alloctest.Apart))
	stands(t, "store.Store", alloctest.Verify(stores[uint64](t), alloctest.Apart))
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.Apart))
	stands(t, "slab.Slab", alloctest.Verify(slabs[uint64], alloctest.Apart))
	stands(t, "arena.Arena", alloctest.Verify(arenas[uint64], alloctest.Apart))
	stands(t, "pool.Pool", alloctest.Verify(pools[uint64], alloctest.Apart))
}

// Values in a slice move when append grows the slice, and a write through an old pointer changes
// the old copy. An inline.Vec is such a slice, as documented, so its elements must be accessed by
// index.
func TestTrapAddressesMoveWhenTheBackingSliceGrows(t *testing.T) {
	falls(t, alloctest.Verify(minis[uint64](moves), alloctest.Stable), "moved from")
	stands(t, "the sound miniature", alloctest.Verify(minis[uint64](sound), alloctest.Stable))
	stands(t, "slab.Slab", alloctest.Verify(slabs[uint64], alloctest.Stable))
	stands(t, "arena.Arena", alloctest.Verify(arenas[uint64], alloctest.Stable))
	stands(t, "store.Store", alloctest.Verify(stores[uint64](t), alloctest.Stable))
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.Stable))
}
