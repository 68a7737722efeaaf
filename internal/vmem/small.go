package vmem

import "fmt"

// mostSmall is the maximum size in bytes of a small region, which is on the Go heap. A larger
// region has its own address space. A process may have a million small regions, but only about
// 65,000 mappings, so small regions have no mapping.
const mostSmall = 32 << 10

// leastSmall is the minimum size of a small region in bytes, and the size is rounded up to a
// multiple of stepSmall.
const (
	leastSmall = 256
	stepSmall  = 128
)

// moves determines whether each commit moves a small region, and whether the old memory is
// overwritten. It is for tests of packages that use regions.
var moves struct{ always, spoil bool }

// MoveAlways makes each commit of a small region move the region, until MoveAlways is called with
// false. A test of the owner of a region can then detect that the owner uses the old address. If
// spoil is true, the old memory is also overwritten; the owner must then have no concurrent readers
// of the old memory.
func MoveAlways(on, spoil bool) { moves.always, moves.spoil = on, on && spoil }

// ReserveSmall is like ReserveSome but for owners that expect the region to move. Until the region
// needs more than 32 KiB, it is on the Go heap, in memory that the collector does not scan, and has
// no address space of its own. Therefore it needs no system call, and a region of a few hundred
// bytes uses no more memory than that. Each Commit may move the region. The old memory is then left
// unchanged, for readers that are still using it. If least is more than 32 KiB, ReserveSmall is
// equivalent to ReserveSome.
func ReserveSmall(size, least uintptr, huge HugePages, account *Account) (*Region, error) {
	return reserveSmall(nobody, size, least, huge, account)
}

// ReserveWatched is like ReserveSmall but for owners with lock-free readers, which validate what
// they have read. Therefore reading memory that was once committed never faults: after Decommit and
// Close the memory reads as zero, a write to it faults, and its addresses are reused only for other
// regions of ReserveWatched. On Windows, ReserveWatched is equivalent to ReserveSmall.
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

// growSmall implements CommitWithin for a region that has no address space.
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

// CanRenew reports whether Renew can provide size bytes of memory.
func (r *Region) CanRenew(size uintptr) bool {
	return r.IsSmall() && size <= min(mostSmall, r.wanted)
}

// Renew replaces the memory of a small region by size bytes of zeroed memory, rounded up to a
// multiple of 8. The owner then copies the data that it still needs from the old memory, and
// thereby drops the data that it no longer needs. The old memory is unchanged until Release.
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

// Old is the memory that a small region had before a call of Renew.
type Old []uint64

// Release ends the owner's use of the old memory. It overwrites that memory if a test has requested
// that.
func (o Old) Release() { spoil(o) }

// moveTo moves a small region to words, which must be at least as long as the old memory.
func (r *Region) moveTo(words []uint64) {
	before := r.small
	copy(words, before)
	r.account.keep(int64(8*len(words)) - int64(r.committed))
	r.small, r.committed = words, uintptr(8*len(words))
	spoil(before)
}

// spoil overwrites the old memory of a region, if a test has requested that.
func spoil(words []uint64) {
	for i := range words {
		if moves.spoil {
			words[i] = 0xA5A5A5A5A5A5A5A5
		}
	}
}

// leaveHeap moves a small region from the Go heap to its own address space. If that fails, the
// region does not change.
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
