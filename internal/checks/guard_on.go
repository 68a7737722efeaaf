//go:build coppice_checks || race

package checks

import "sync/atomic"

// Enabled is true because this is a checked build.
const Enabled = true

// A Guard detects that two goroutines use an allocator at the same time, and that a copy of an
// allocator is used. The zero Guard is ready to use. Except in checked builds, a Guard is empty.
type Guard struct {
	self *Guard
	busy atomic.Bool
}

// Enter marks the start of a method. The argument where is the name of the method, such as
// "slab.New". Enter panics with this name in the message if another goroutine is inside a method,
// or if g is a copy.
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

// Leave marks the end of the method that has called Enter.
func (g *Guard) Leave() { g.busy.Store(false) }

// A Budget spreads the cost of checking a whole container over many calls, so that each call pays a
// constant amount, regardless of the size of the container. The zero Budget is empty.
type Budget struct{ saved int }

// Affords adds two to the balance, and reports whether the balance covers a check of the given
// price. If so, it resets the balance to zero. If each call added only one, a container that grows
// with each call would never be checked. With two, such a container is checked each time it has
// doubled in size.
func (b *Budget) Affords(price int) bool {
	b.saved += 2
	if b.saved < price {
		return false
	}
	b.saved = 0
	return true
}
