//go:build race && linux && amd64

package vmem

// The race detector tracks the Go heap and the program's own variables. An allocation on the Go
// heap immediately needs two bytes of shadow memory per byte: allocating 16 MiB took 10 ms or more,
// and 32 MiB of memory. A zero variable needs only address space until it is touched. Regions are
// therefore allocated in a variable until it is full. Otherwise, a test suite that opens a store in
// each test would be very slow.

// GoHeap reports whether the memory of regions is on the Go heap. It is false, although regions are
// allocated on the Go heap when the variable is full.
const GoHeap = false

// backingBytes is the size of the variable backing. The linker allows at most 2 GB.
const backingBytes = 1 << 30

var (
	backing     [backingBytes / 8]uint64
	backingUsed uintptr              // words of it that were ever part of a mapping
	backed      map[*uint64]struct{} // the first words of those mappings
)

// fromBacking returns zeroed memory of the given size from the unused end of the variable backing.
// It returns nil if that end is too small. The caller must hold the lock of retired.
func fromBacking(size uintptr) address {
	words := size / 8
	if words > uintptr(len(backing))-backingUsed {
		return nil
	}
	base := backing[backingUsed:][:words:words]
	backingUsed += words
	if backed == nil {
		backed = make(map[*uint64]struct{})
	}
	backed[&base[0]] = struct{}{}
	return base
}

// reusable reports whether a retired mapping is kept for the next region of its size. A mapping in
// the variable backing must be kept. The caller must hold the lock of retired.
func (m mapping) reusable() bool {
	_, ok := backed[&m.base[0]]
	return ok
}
