package traps

import (
	"errors"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
	"github.com/coppice-go/coppice/internal/checks"
)

// With 8-bit generations, a handle becomes valid again after its slot was reused 256 times. The
// number in a Handle is unique among all records of the process. A store.Ref has no generation, and
// does not promise to detect reuse.
func TestTrapGenerationsTooNarrow(t *testing.T) {
	falls(t, alloctest.Verify(minis[uint64](narrow), alloctest.Noticed), "was reused 256 times")
	stands(t, "the sound miniature", alloctest.Verify(minis[uint64](sound), alloctest.Noticed))
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.Noticed))
}

// If Reset restarts the generations, earlier handles become valid again.
func TestTrapResetRevivesDeadHandles(t *testing.T) {
	falls(t, alloctest.Verify(minis[uint64](revives), alloctest.Noticed), "from before a Reset")
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.Noticed))
}

// If a handle does not identify its allocator, it refers to a value in every allocator of its type.
func TestTrapForeignHandleAccepted(t *testing.T) {
	falls(t, alloctest.Verify(minis[uint64](worldless), alloctest.Noticed), "of another allocator")
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.Noticed))
}

// If a value is freed twice, it is also allocated twice. Slabs and arenas cannot free single
// values, so a double free is impossible there.
func TestTrapDoubleFree(t *testing.T) {
	falls(t, alloctest.Verify(minis[uint64](freesTwice), alloctest.FreedOnce), "two live values")
	stands(t, "the sound miniature", alloctest.Verify(minis[uint64](sound), alloctest.FreedOnce))
	stands(t, "store.Store", alloctest.Verify(stores[uint64](t), alloctest.FreedOnce))
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.FreedOnce))
}

// A recycler is a free list of pointers, similar to a pool.
type recycler[T any] struct{ free []*T }

func (r *recycler[T]) Get() *T {
	if n := len(r.free); n > 0 {
		v := r.free[n-1]
		r.free = r.free[:n-1]
		return v
	}
	return new(T)
}

func (r *recycler[T]) Put(v *T) {
	*v = *new(T)
	r.free = append(r.free, v) // DEFECT: it does not check whether v is in the list already
}

func recyclers[T any]() alloctest.Allocator[*T, T] {
	r := new(recycler[T])
	return alloctest.Allocator[*T, T]{New: alloctest.Pointer(r.Get), Delete: r.Put, Dead: alloctest.DeadNotFreed}
}

// If a pool accepts the same value twice, the value gets two owners. In ordinary builds, pool.Pool
// is a sync.Pool and does not detect this, as its documentation says: a check would cost more than
// the pool saves. Checked builds detect it, so a program's tests find the mistake.
func TestTrapDoublePut(t *testing.T) {
	falls(t, alloctest.Verify(recyclers[uint64], alloctest.FreedOnce), "two live values")
	if checks.Enabled {
		stands(t, "pool.Pool", alloctest.Verify(pools[uint64], alloctest.FreedOnce))
	}
}

// Freeing a value of another allocator must not free a value of this one. In Coppice, Handles free
// single values and recognize their own. A Ref, according to its documentation, is an index that is
// valid in every Store of its type. A Pool accepts values from anywhere, by design.
func TestTrapForeignFree(t *testing.T) {
	check := func(free func(), live func() bool) error {
		free()
		if !live() {
			return errFreed
		}
		return nil
	}
	mine, theirs := newMini[uint64](worldless), newMini[uint64](worldless)
	kept, _ := mine.New()
	foreign, _ := theirs.New()
	falls(t, check(func() { mine.Del(foreign) }, func() bool { return mine.At(kept) != nil }), errFreed.Error())

	ours, others := handles[uint64](t)(), handles[uint64](t)()
	ourKept, _ := ours.New()
	ourForeign, _ := others.New()
	stands(t, "store.Handles", check(func() { ours.Delete(ourForeign) }, func() bool { return ours.At(ourKept) != nil }))
}

var errFreed = errors.New("a foreign name freed a live value")
