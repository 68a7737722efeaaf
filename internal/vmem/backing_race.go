//go:build race && linux && amd64

package vmem

// The race detector tracks the Go heap and the program's own variables. An allocation on the Go
// heap immediately costs two bytes of shadow memory per byte: 16 MiB took 10 ms or more, and 32 MiB
// of memory. A zero variable costs only address space until it is touched. Regions are therefore in
// one variable, until it is full; otherwise a test suite that opens a store in each test would be
// very slow.

// GoHeap reports whether the memory of regions is on the Go heap. It is false here, although
// regions are on the Go heap once the variable is full.
const GoHeap = false

// backingBytes is the size of the variable backing. The linker allows up to 2 GB.
const backingBytes = 1 << 30

var (
	backing     [backingBytes / 8]uint64
	backingUsed uintptr              // words of it that were ever part of a mapping
	backed      map[*uint64]struct{} // the first words of those mappings
)

// fromBacking returns zeroed memory of the given size from the unused part of the variable, or nil
// if that part is too small. retired must be locked.
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
// the variable must be kept. retired must be locked.
func (m mapping) reusable() bool {
	_, ok := backed[&m.base[0]]
	return ok
}
