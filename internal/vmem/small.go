package vmem

import "fmt"

// mostSmall is the maximum size in bytes of the memory that a region of ReserveSmall has on the Go
// heap. With more, it has address space of its own. A process may have a million small regions, but
// only some 65,000 mappings, so small regions have no mapping.
const mostSmall = 32 << 10

// leastSmall is the minimum size of a small region, and stepSmall is the unit to which it is
// rounded up, in bytes.
const (
	leastSmall = 256
	stepSmall  = 128
)

// moves determines whether each commit moves a small region, and whether the old memory is
// overwritten. It is for tests of packages that own regions.
var moves struct{ always, spoil bool }

// MoveAlways makes each commit of a small region move the region, until MoveAlways is called with
// false. A test of an owner then detects a use of the old address. spoil also overwrites the old
// memory, for owners without concurrent readers of it.
func MoveAlways(on, spoil bool) { moves.always, moves.spoil = on, on && spoil }

// ReserveSmall is like ReserveSome for owners that handle moves. Until it needs more than 32 KiB,
// the region is memory of the Go heap, which the collector does not scan, and has no address space
// of its own. It therefore needs no system call, and a region that needs only a few hundred bytes
// uses no more. Each Commit may move it: the old memory is unchanged, and is used only by readers
// that already had it. If least is more than 32 KiB, ReserveSmall is the same as ReserveSome.
func ReserveSmall(size, least uintptr, huge HugePages, account *Account) (*Region, error) {
	return reserveSmall(nobody, size, least, huge, account)
}

// ReserveWatched is like ReserveSmall for owners with lock-free readers, which validate afterwards.
// Memory that was ever committed therefore never faults when read: after Decommit and Close it
// reads as zero, a write there faults, and the addresses are reused only for other regions of
// ReserveWatched. On Windows, ReserveWatched is the same as ReserveSmall.
func ReserveWatched(size, least uintptr, huge HugePages, account *Account) (*Region, error) {
	return reserveSmall(readers, size, least, huge, account)
}

func reserveSmall(a audience, size, least uintptr, huge HugePages, account *Account) (*Region, error) {
	if least > mostSmall {
		return reserveFor(a, size, least, huge, account)
	}
	account.open()
	return &Region{audience: a, wanted: max(size, minReserve), least: least, huge: huge, account: account}, nil
}

// growSmall implements CommitWithin for a region that has no address space yet.
func (r *Region) growSmall(size, most uintptr) error {
	if size > mostSmall {
		return r.leaveHeap(size, most)
	}
	if failNext() {
		return fmt.Errorf("committing %d bytes: %w (injected)", size-r.committed, ErrNoMemory)
	}
	bytes := max(leastSmall, roundUp(size, stepSmall), min(r.committed*3/2, mostSmall))
	r.moveTo(make([]uint64, bytes/8))
	return nil
}

// CanRenew reports whether Renew can provide size bytes.
func (r *Region) CanRenew(size uintptr) bool {
	return r.IsSmall() && size <= min(mostSmall, r.wanted)
}

// Renew replaces the memory of a small region with new memory, all zero, of size bytes rounded up
// to a multiple of 8. The owner copies what it still needs from the old memory, and so drops what
// has become unused. The old memory is unchanged until Release.
func (r *Region) Renew(size uintptr) (old Old, err error) {
	if failNext() {
		return nil, fmt.Errorf("committing %d bytes: %w (injected)", size, ErrNoMemory)
	}
	old = r.small
	words := make([]uint64, (size+7)/8)
	r.account.keep(int64(8*len(words)) - int64(r.committed))
	r.small, r.committed = words, uintptr(8*len(words))
	return old, nil
}

// Old is the memory that a small region had before Renew.
type Old []uint64

// Release ends the use of the old memory.
func (o Old) Release() { spoil(o) }

// moveTo replaces the memory of a small region with memory with at least as many words.
func (r *Region) moveTo(words []uint64) {
	before := r.small
	copy(words, before)
	r.account.keep(int64(8*len(words)) - int64(r.committed))
	r.small, r.committed = words, uintptr(8*len(words))
	spoil(before)
}

// spoil overwrites the old memory of a region, if a test requests it.
func spoil(words []uint64) {
	for i := range words {
		if moves.spoil {
			words[i] = 0xA5A5A5A5A5A5A5A5
		}
	}
}

// leaveHeap moves a small region to address space of its own. If that fails, the region does not
// change.
func (r *Region) leaveHeap(size, most uintptr) error {
	m, err := reserveAtMost(r.audience, r.wanted, max(r.least, size, minReserve))
	if err != nil {
		return err
	}
	before := *r
	r.account.reserve(m.size)
	r.mapping, r.small, r.committed = m, nil, 0
	if size > 0 {
		err = r.CommitWithin(size, min(most, m.size))
	}
	if err != nil {
		r.account.unreserve(m.size)
		retire(m)
		*r = before
		return err
	}
	r.account.keep(-int64(before.committed))
	copy(r.mapping.bytes(0, before.committed), before.smallBytes())
	spoil(before.small)
	return nil
}
