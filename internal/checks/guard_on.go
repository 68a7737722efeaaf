//go:build coppice_checks || race

package checks

import "sync/atomic"

// Enabled says that this is a checked build.
const Enabled = true

// A Guard notices that two goroutines are inside one allocator at once, and that
// an allocator was copied after its first use. The zero Guard is ready; outside
// checked builds it is empty.
type Guard struct {
	self *Guard
	busy atomic.Bool
}

// Enter marks the start of the method called where, such as "slab.New", and
// panics in that name if another goroutine is inside or g is a copy.
func (g *Guard) Enter(where string) {
	if !g.busy.CompareAndSwap(false, true) {
		panic(where + ": used by two goroutines at once; give each its own, or hold a lock")
	}
	if g.self == nil {
		g.self = g
	}
	if g.self != g {
		g.busy.Store(false)
		panic(where + ": called on a copy; two copies hand out the same memory, so pass a pointer")
	}
}

// Leave marks the end of the method that called Enter.
func (g *Guard) Leave() { g.busy.Store(false) }

// A Budget spreads the price of looking at a whole container over many calls, so that a look
// costs each of them a constant, however large the container is. The zero Budget is empty.
type Budget struct{ saved int }

// Affords saves two steps, and tells whether the steps saved since the last look pay for one of the
// given price. If so it takes them. One step a call would never pay for what grows with each call;
// with two there is a look whenever such a container has doubled.
func (b *Budget) Affords(price int) bool {
	b.saved += 2
	if b.saved < price {
		return false
	}
	b.saved = 0
	return true
}
