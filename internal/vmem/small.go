package vmem

import "fmt"

// mostSmall is how many bytes a region of ReserveSmall keeps in the Go heap. With more it has
// addresses of its own. A process may have a million small ones, and some 65,000 mappings of the
// system, so those that are small have none.
const mostSmall = 32 << 10

// leastSmall is the least of them, and stepSmall what they are rounded up to, in bytes.
const (
	leastSmall = 256
	stepSmall  = 128
)

// moves says that each commit moves a small region, and whether what was at the old place is
// overwritten. It is for tests of owners.
var moves struct{ always, spoil bool }

// MoveAlways makes each commit of a small region move it, until it is called with false, so that a
// test of an owner finds what the owner has not followed. spoil says that nobody may read the old
// place, and overwrites it.
func MoveAlways(on, spoil bool) { moves.always, moves.spoil = on, on && spoil }

// ReserveSmall is ReserveSome for owners that follow a move: until it needs more than 32 KiB, the
// region is memory of the Go heap, which the collector does not scan, and has no addresses. So it
// costs no call to the system, and a few hundred bytes if it needs no more. Each Commit may move
// it: what is at the old place stays as it was, and is read by nobody but by those who had it
// before. If least is more than that, it is ReserveSome.
func ReserveSmall(size, least uintptr, huge HugePages, account *Account) (*Region, error) {
	return reserveSmall(nobody, size, least, huge, account)
}

// ReserveWatched is ReserveSmall for owners whose readers take no lock, and find out afterwards
// whether what they read was right. So nothing faults that was ever memory: after Decommit and
// Close it reads as zero, a write there faults, and the addresses go to other regions of
// ReserveWatched only. On Windows it is ReserveSmall.
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

// growSmall is CommitWithin for a region that has no addresses yet.
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

// CanRenew reports whether Renew gives so many bytes.
func (r *Region) CanRenew(size uintptr) bool {
	return r.IsSmall() && size <= min(mostSmall, r.wanted)
}

// Renew gives a small region new memory, all zero, of size bytes rounded up to 8. The owner copies
// what it still needs from the old memory, and so leaves behind what grew too small. The old memory
// stays as it was until Release.
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

// Release ends the use of the memory.
func (o Old) Release() { spoil(o) }

// moveTo gives a small region another memory, which has as many words at least.
func (r *Region) moveTo(words []uint64) {
	before := r.small
	copy(words, before)
	r.account.keep(int64(8*len(words)) - int64(r.committed))
	r.small, r.committed = words, uintptr(8*len(words))
	spoil(before)
}

// spoil overwrites the memory that a region had, if a test wants that.
func spoil(words []uint64) {
	for i := range words {
		if moves.spoil {
			words[i] = 0xA5A5A5A5A5A5A5A5
		}
	}
}

// leaveHeap gives a small region addresses, and its memory there. If that fails it stays as it was.
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
