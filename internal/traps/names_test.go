package traps

import (
	"errors"
	"testing"

	"github.com/coppice-go/coppice/alloctest"
	"github.com/coppice-go/coppice/internal/checks"
)

// A handle whose generation has eight bits is good again after 256 reuses of its slot.
// A store.Ref has no generation and promises none; a Handle is a number that no record
// of the process ever had.
func TestTrapGenerationsTooNarrow(t *testing.T) {
	falls(t, alloctest.Verify(minis[uint64](narrow), alloctest.Noticed), "after 256 more values")
	stands(t, "the sound miniature", alloctest.Verify(minis[uint64](sound), alloctest.Noticed))
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.Noticed))
}

// A Reset that starts the generations again makes handles from before it good again.
func TestTrapResetRevivesDeadHandles(t *testing.T) {
	falls(t, alloctest.Verify(minis[uint64](revives), alloctest.Noticed), "from before a Reset")
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.Noticed))
}

// A handle that does not know its world names a value in every world.
func TestTrapForeignHandleAccepted(t *testing.T) {
	falls(t, alloctest.Verify(minis[uint64](worldless), alloctest.Noticed), "of another allocator")
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.Noticed))
}

// A value that was freed twice is handed out twice. Slabs and arenas cannot free single
// values, so nobody can do it twice.
func TestTrapDoubleFree(t *testing.T) {
	falls(t, alloctest.Verify(minis[uint64](freesTwice), alloctest.FreedOnce), "two live values")
	stands(t, "the sound miniature", alloctest.Verify(minis[uint64](sound), alloctest.FreedOnce))
	stands(t, "store.Store", alloctest.Verify(stores[uint64](t), alloctest.FreedOnce))
	stands(t, "store.Handles", alloctest.Verify(handles[uint64](t), alloctest.FreedOnce))
}

// A recycler is a free list of pointers, as pools are.
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
	r.free = append(r.free, v) // DEFECT: nobody asks whether it is there already
}

func recyclers[T any]() alloctest.Allocator[*T, T] {
	r := new(recycler[T])
	return alloctest.Allocator[*T, T]{New: alloctest.Pointer(r.Get), Del: r.Put, Dead: alloctest.DeadNotFreed}
}

// A pool that takes one value twice gives it two owners. pool.Pool is a sync.Pool in
// ordinary builds and trusts its caller, as its documentation says: to look would cost
// more than the pool saves. Checked builds look, so a program's tests find it.
func TestTrapDoublePut(t *testing.T) {
	falls(t, alloctest.Verify(recyclers[uint64], alloctest.FreedOnce), "two live values")
	if checks.Enabled {
		stands(t, "pool.Pool", alloctest.Verify(pools[uint64], alloctest.FreedOnce))
	}
}

// What another allocator handed out must not free anything here. Of Coppice's, Handles
// take single values back and know their own. A Ref is an index, which fits every Store
// of its type, as its documentation says; a Pool takes values from anywhere on purpose.
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
	stands(t, "store.Handles", check(func() { ours.Del(ourForeign) }, func() bool { return ours.At(ourKept) != nil }))
}

var errFreed = errors.New("a foreign name freed a live value")
