// Package vmem reserves address space, and commits memory in it from the start on. So what package
// store keeps there never moves, and the collector never scans it. A region of ReserveSmall is a
// piece of the Go heap at first, and moves until it has addresses of its own: docs/decisions/0041.
//
// # Life of a region
//
//	        Reserve            Commit                 Close
//	none ------------> empty ----------> part of it ---------> retired
//	                     ^               readable and              |
//	                     |               zero at first             |
//	                     +-------- Reserve of the same size -------+
//
// A retired region has no memory, and an access to it faults. Its addresses stay
// reserved, and only a later Reserve gets them. So a stale pointer into a closed region
// can point into another region, and never into the Go heap.
//
// # Platforms
//
// One file per kind of system: sys_unix_unsafe.go and sys_windows_unsafe.go, with
// reserved_unsafe.go for what they share, and sys_go_unsafe.go for all others
// (32-bit, wasm) and for builds with -race, whose detector sees Go memory only. There a region is
// a piece of a large variable (backing_race.go) or one allocation of the Go heap, of
// its full size from the start, and what is given back reads as zero.
package vmem

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"
)

// HugePages says whether a region asks the system for 2 MiB pages. They make fresh
// memory three to four times cheaper and cost up to 2 MiB of unused memory.
type HugePages int

// The choices. A system without huge pages ignores them.
const (
	HugeAuto HugePages = iota // from 16 MiB on, where the waste is an eighth at most
	HugeOn                    // from the first page on
	HugeOff                   // never, even where the system would by itself
)

// hugeSize is the size of a huge page, and hugeAutoBytes where HugeAuto starts.
const (
	hugeSize      = 2 << 20
	hugeAutoBytes = 16 << 20
)

// Bounds of one commit, in bytes: a region commits a quarter of what it has, so that
// 100 GiB take about 60 calls to the system.
const (
	minCommit = 64 << 10
	maxCommit = 256 << 20
)

// Piece is what regions commit and give back whole, in bytes: the memory of a region is a multiple
// of it.
const Piece = minCommit

// minReserve is the least that is reserved. Reservations are powers of two, so that
// a retired one fits the next of its kind.
const minReserve = 64 << 10

// ErrNoMemory is wrapped by errors for memory that the system does not give.
var ErrNoMemory = errors.New("the system gives no more memory")

// A Region is a range of addresses whose first part is memory. Its methods must not
// be called at the same time.
type Region struct {
	mapping   mapping // what the system knows
	committed uintptr // bytes from the start that are memory
	filed     uintptr // of those, bytes from the start that are a file's, mapped privately
	huge      HugePages
	advised   bool // the system has been told about huge pages
	account   *Account

	audience      audience // of the mapping that it has, or is going to have
	small         []uint64 // the memory of a region that has no addresses yet (small.go)
	wanted, least uintptr  // and what it is going to reserve, in bytes
}

// mapping is a reserved range; the system's file says what its memory is.
type mapping struct {
	base     address
	size     uintptr // power of two, at least minReserve
	audience audience
}

// An audience is who may still read what a region has given back.
type audience int

const (
	nobody  audience = iota // a read faults
	readers                 // those without a lock, who find out afterwards: what they read is zero, or of another region of theirs
	audiences
)

// retired holds the mappings of closed regions, by their audience and the logarithm of their size.
var retired struct {
	sync.Mutex
	mappings [audiences][bits.UintSize][]mapping
	reserved uintptr // bytes of all mappings that were ever made
}

// Reserve returns a region with room for size bytes and no memory. It fails if the
// system has no such range of addresses, or if size exceeds half the address space.
func Reserve(size uintptr, huge HugePages, account *Account) (*Region, error) {
	return ReserveSome(size, size, huge, account)
}

// ReserveSome is Reserve for size bytes or, where a limit on addresses (ulimit -v) leaves no
// room for them, a half, a quarter and so on, but not less than least.
func ReserveSome(size, least uintptr, huge HugePages, account *Account) (*Region, error) {
	return reserveFor(nobody, size, least, huge, account)
}

// reserveFor is ReserveSome for an audience.
func reserveFor(a audience, size, least uintptr, huge HugePages, account *Account) (*Region, error) {
	m, err := reserveAtMost(a, size, least)
	if err != nil {
		return nil, err
	}
	account.open()
	account.reserve(m.size)
	return &Region{mapping: m, audience: a, huge: huge, account: account}, nil
}

// reserveAtMost reserves size bytes or, where there is no room for them, a half, a quarter and so
// on, but not less than least.
func reserveAtMost(a audience, size, least uintptr) (mapping, error) {
	for {
		m, err := reserveSize(a, size)
		switch {
		case err == nil:
			return m, nil
		case size/2 < least:
			return m, fmt.Errorf("reserving %d bytes of addresses: %w", size, explained(err, size))
		}
		size /= 2
	}
}

// reserveSize reserves size bytes or the next power of two.
func reserveSize(a audience, size uintptr) (mapping, error) {
	class := bits.Len(uint(max(size, minReserve) - 1))
	if class >= bits.UintSize-1 {
		return mapping{}, errors.New("they exceed the address space")
	}
	return reserveClass(a, class)
}

// reserveClass reserves 1<<class bytes for an audience.
func reserveClass(a audience, class int) (mapping, error) {
	retired.Lock()
	defer retired.Unlock()
	if list := retired.mappings[a][class]; len(list) > 0 {
		m := list[len(list)-1]
		retired.mappings[a][class] = list[:len(list)-1]
		return m, nil
	}
	m, err := sysReserve(uintptr(1) << class)
	if err == nil {
		m.audience = a
		retired.reserved += m.size
	}
	return m, err
}

// DefaultSize is what to reserve when the user sets no greatest count: a share of
// the addresses that are left, so that ten thousand regions find room.
func DefaultSize() uintptr {
	retired.Lock()
	defer retired.Unlock()
	return sysDefaultSize(retired.reserved)
}

// Size returns the bytes reserved, or those that will be.
func (r *Region) Size() uintptr {
	if r.IsSmall() {
		return r.wanted
	}
	return r.mapping.size
}

// Reach returns how many bytes from Pointer on are the region's: those reserved, or of a small one
// its memory.
func (r *Region) Reach() uintptr {
	if r.IsSmall() {
		return r.committed
	}
	return r.mapping.size
}

// IsSmall reports whether the next Commit may move the region, which begins small.
func (r *Region) IsSmall() bool { return r.mapping.size == 0 }

// Committed returns the bytes that are memory.
func (r *Region) Committed() uintptr { return r.committed }

// Commit makes at least the first size bytes memory; those that were not are zero.
// It commits more than it is asked for, so that n calls for one more byte cost the
// system a logarithm of n. If the system refuses, it tries for no more than what
// is needed, and then fails with ErrNoMemory; the region stays as it was.
func (r *Region) Commit(size uintptr) error { return r.CommitWithin(size, r.Size()) }

// CommitWithin is Commit that makes no more than the first most bytes memory, a multiple of Piece:
// for owners that have promised a bound. It fails if size exceeds most.
func (r *Region) CommitWithin(size, most uintptr) error {
	if size <= r.committed {
		if moves.always && r.small != nil {
			r.moveTo(make([]uint64, len(r.small)))
		}
		return nil
	}
	if size > min(most, r.Size()) {
		return fmt.Errorf("%d bytes exceed the %d reserved", size, min(most, r.Size()))
	}
	if r.IsSmall() {
		return r.growSmall(size, most)
	}
	step := min(max(r.committed/4, minCommit), maxCommit)
	generous := min(roundUp(max(size, r.committed+step), grain(size)), most, r.mapping.size)
	err := r.commitTo(generous)
	if exact := roundUp(size, minCommit); err != nil && exact < generous {
		err = r.commitTo(exact)
	}
	return err
}

func (r *Region) commitTo(size uintptr) error {
	if failNext() {
		return fmt.Errorf("committing %d bytes: %w (injected)", size-r.committed, ErrNoMemory)
	}
	if err := r.mapping.commit(r.committed, size); err != nil {
		return fmt.Errorf("committing %d bytes: %w: %w", size-r.committed, ErrNoMemory, explained(err, size-r.committed))
	}
	r.account.commit(int64(size) - int64(r.committed))
	r.committed = size
	r.advise()
	return nil
}

// advise tells the system about huge pages once it is time.
func (r *Region) advise() {
	switch {
	case r.huge == HugeOff, r.huge == HugeOn, r.committed >= hugeAutoBytes:
		if !r.advised {
			r.mapping.advise(r.huge != HugeOff)
			r.advised = true
		}
	}
}

// Decommit gives the memory above the first keep bytes back to the system, in whole
// pages. Those bytes fault, or read as zero, until they are committed again, and
// are zero then.
func (r *Region) Decommit(keep uintptr) error {
	keep = roundUp(keep, minCommit)
	if keep >= r.committed {
		return nil
	}
	if r.IsSmall() { // keep is 0: a small region has less than one piece
		r.account.keep(-int64(r.committed))
		r.small, r.committed = nil, 0
		return nil
	}
	kind := ownPages
	if keep < r.filed {
		kind = filePages
	}
	if err := r.mapping.decommit(keep, r.committed, kind); err != nil {
		return fmt.Errorf("giving back %d bytes: %w", r.committed-keep, err)
	}
	r.account.commit(int64(keep) - int64(r.committed))
	r.committed, r.filed, r.advised = keep, min(r.filed, keep), false
	return nil
}

// A pageKind says what is in pages that are given back.
type pageKind int

const (
	ownPages  pageKind = iota
	filePages          // a file is mapped to some of them
)

// Close gives all memory back and retires the addresses. The region must not be used
// afterwards.
func (r *Region) Close() error {
	if err := r.Decommit(0); err != nil {
		return err // the memory is still there; so is the region
	}
	r.account.close(r.mapping.size)
	m := r.mapping
	r.mapping, r.wanted = mapping{}, 0
	if m.size > 0 {
		retire(m)
	}
	return nil
}

// retire keeps addresses without memory for the next that needs as many.
func retire(m mapping) {
	retired.Lock()
	defer retired.Unlock()
	if !m.reusable() {
		return
	}
	class := bits.Len(uint(m.size - 1))
	retired.mappings[m.audience][class] = append(retired.mappings[m.audience][class], m)
}

// Retired returns how many places of addresses wait for the next region that needs as many.
func Retired() (n int) {
	retired.Lock()
	defer retired.Unlock()
	for _, classes := range retired.mappings {
		for _, all := range classes {
			n += len(all)
		}
	}
	return n
}

// Affords asks the system whether it would give a process size bytes of memory, and returns an
// error that wraps ErrNoMemory if not. It is for memory that will come from the Go heap: what that
// does not get ends the process. The answer is what the system's own rules say of one request (on
// Linux, as a rule, not more than all memory there is); memory in use by others is not counted.
// Where regions are Go's own memory it is always yes.
func Affords(size uint64) error {
	if size > uint64(^uintptr(0)>>1) {
		return fmt.Errorf("%w: %d bytes exceed the address space", ErrNoMemory, size)
	}
	if err := sysAffords(uintptr(size)); err != nil {
		return fmt.Errorf("%w: %d bytes: %w", ErrNoMemory, size, err)
	}
	return nil
}

// grain is what a commit of that size is rounded up to: huge pages are of use only
// whole.
func grain(size uintptr) uintptr {
	if size >= hugeSize {
		return hugeSize
	}
	return minCommit
}

func roundUp(n, to uintptr) uintptr { return (n + to - 1) &^ (to - 1) }
