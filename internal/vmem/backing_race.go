//go:build race && linux && amd64

package vmem

// The race detector sees the Go heap and the program's own variables. An allocation of
// the Go heap costs it two bytes for each, at once: 16 MiB took 10 ms or more, and 32 MiB
// of memory. A variable that is zero costs addresses only, until it is touched. So
// regions lie in one, as long as it has room; a test suite that opens a store in
// each test would crawl otherwise.

// GoHeap says whether the memory of regions is the Go heap's. It is once the variable is
// full.
const GoHeap = false

// backingBytes is the size of that variable. The linker takes up to 2 GB.
const backingBytes = 1 << 30

var (
	backing     [backingBytes / 8]uint64
	backingUsed uintptr              // words of it that were ever part of a mapping
	backed      map[*uint64]struct{} // the first words of those mappings
)

// fromBacking returns size bytes of the variable, which are zero and nobody else's, and nil if
// there is no room. retired is locked.
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

// reusable says that a retired mapping is kept for the next region of its size, which
// one in the variable must be. retired is locked.
func (m mapping) reusable() bool {
	_, ok := backed[&m.base[0]]
	return ok
}
