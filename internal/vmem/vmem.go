// Package vmem reserves address space, and commits memory in it from the start. Data of package
// store therefore never moves, and the collector never scans it. A region of ReserveSmall is memory
// of the Go heap at first, and moves until it has address space of its own: docs/decisions/0041.
//
// # Life of a region
//
//	        Reserve            Commit                 Close
//	none ------------> empty ----------> part of it ---------> retired
//	                     ^               readable and              |
//	                     |               zero at first             |
//	                     +-------- Reserve of the same size -------+
//
// A retired region has no memory, and an access to it faults. Its address space stays reserved, and
// only a later Reserve reuses it. A stale pointer into a closed region can therefore point into
// another region, but never into the Go heap.
//
// # Platforms
//
// There is one file for each kind of system: sys_unix_unsafe.go and sys_windows_unsafe.go, with
// reserved_unsafe.go for the common part, and sys_go_unsafe.go for all others (32-bit, wasm) and
// for builds with -race, whose detector tracks only Go memory. There a region is a part of a large
// variable (backing_race.go) or one allocation on the Go heap, at its full size from the start, and
// released memory reads as zero.
package vmem

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"
)

// HugePages controls whether a region requests 2 MiB pages from the system. With huge pages, fresh
// memory costs a quarter to a third as much time, but up to 2 MiB are wasted.
type HugePages int

// The values of HugePages. A system without huge pages ignores them.
const (
	HugeAuto HugePages = iota // from 16 MiB on, where at most an eighth is wasted
	HugeOn                    // from the first page on
	HugeOff                   // never, even if the system would use them by default
)

// hugeSize is the size of a huge page, and hugeAutoBytes is the size from which HugeAuto uses them.
const (
	hugeSize      = 2 << 20
	hugeAutoBytes = 16 << 20
)

// Limits of one commit, in bytes. Within these limits, a commit adds a quarter of the memory that
// the region already has, so that 100 GiB take about 430 system calls.
const (
	minCommit = 64 << 10
	maxCommit = 256 << 20
)

// Piece is the unit of commit and decommit in bytes: the memory of a region that is not small is a
// multiple of it.
const Piece = minCommit

// minReserve is the minimum reservation. Reservations are powers of two, so that a retired
// reservation can be reused for the next reservation of its class.
const minReserve = 64 << 10

// ErrNoMemory is wrapped by errors for memory that the system does not supply.
var ErrNoMemory = errors.New("the system gives no more memory")

// A Region is an address range whose first part is committed memory. Its methods must not be called
// concurrently.
type Region struct {
	mapping   mapping // as known to the system
	committed uintptr // committed bytes from the start
	filed     uintptr // the part of them that is privately mapped from a file
	huge      HugePages
	advised   bool // the system was advised about huge pages
	account   *Account

	audience      audience // of the current or future mapping
	small         []uint64 // the memory of a region that has no address space yet (small.go)
	wanted, least uintptr  // and the sizes that it will reserve, in bytes
}

// mapping is a reserved range; the file for the system defines its memory.
type mapping struct {
	base     address
	size     uintptr // power of two, at least minReserve
	audience audience
}

// An audience describes which readers may still read released memory of a region.
type audience int

const (
	nobody  audience = iota // a read faults
	readers                 // lock-free readers, which validate afterwards: they read zero, or another region of theirs
	audiences
)

// retired holds the mappings of closed regions, by their audience and the logarithm of their size.
var retired struct {
	sync.Mutex
	mappings [audiences][bits.UintSize][]mapping
	reserved uintptr // total size of all mappings ever made
}

// Reserve returns a region with address space for size bytes and no committed memory. It fails if
// the system has no such address range, or if size exceeds half the address space.
func Reserve(size uintptr, huge HugePages, account *Account) (*Region, error) {
	return ReserveSome(size, size, huge, account)
}

// ReserveSome is like Reserve for size bytes or, where a limit on address space (ulimit -v) leaves
// no room for them, a half, a quarter and so on, but never less than the given minimum.
func ReserveSome(size, least uintptr, huge HugePages, account *Account) (*Region, error) {
	return reserveFor(nobody, size, least, huge, account)
}

// reserveFor implements ReserveSome for an audience.
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
// on, but never less than the given minimum.
func reserveAtMost(a audience, size, least uintptr) (mapping, error) {
	for {
		m, err := reserveSize(a, size)
		switch {
		case err == nil:
			return m, nil
		case size/2 < least:
			return m, fmt.Errorf("reserving %d bytes of address space: %w", size, explained(err, size))
		}
		size /= 2
	}
}

// reserveSize reserves size bytes, rounded up to a power of two.
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

// DefaultSize returns the size to reserve when the user sets no maximum: a share of the remaining
// address space, so that ten thousand regions fit.
func DefaultSize() uintptr {
	retired.Lock()
	defer retired.Unlock()
	return sysDefaultSize(retired.reserved)
}

// Size returns the number of bytes that are or will be reserved.
func (r *Region) Size() uintptr {
	if r.IsSmall() {
		return r.wanted
	}
	return r.mapping.size
}

// Reach returns the number of bytes, beginning at Pointer, that belong to the region: the reserved
// bytes, or the memory of a small region.
func (r *Region) Reach() uintptr {
	if r.IsSmall() {
		return r.committed
	}
	return r.mapping.size
}

// IsSmall reports whether the region is still small, so that the next Commit may move it.
func (r *Region) IsSmall() bool { return r.mapping.size == 0 }

// Committed returns the number of committed bytes.
func (r *Region) Committed() uintptr { return r.committed }

// Commit ensures that at least the first size bytes are committed; newly committed bytes are zero.
// It commits more than requested, so that many calls for one more byte make few system calls. If
// the system refuses, Commit requests only what is needed. If that is refused too, Commit fails
// with ErrNoMemory, and the region does not change.
func (r *Region) Commit(size uintptr) error { return r.CommitWithin(size, r.Size()) }

// CommitWithin is like Commit but has a maximum number of committed bytes, most, which is a
// multiple of Piece. It is for owners with a memory limit, and fails if size exceeds the maximum.
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

// advise advises the system about huge pages when the region is large enough.
func (r *Region) advise() {
	switch {
	case r.huge == HugeOff, r.huge == HugeOn, r.committed >= hugeAutoBytes:
		if !r.advised {
			r.mapping.advise(r.huge != HugeOff)
			r.advised = true
		}
	}
}

// Decommit returns the memory after the first keep bytes to the system, in whole pages. The
// returned bytes fault, or read as zero, until they are committed again, and are then zero.
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

// A pageKind describes the contents of pages to be released.
type pageKind int

const (
	ownPages  pageKind = iota
	filePages          // a file is mapped to some of them
)

// Close releases all memory and retires the address space. The region must not be used afterwards.
func (r *Region) Close() error {
	if err := r.Decommit(0); err != nil {
		return err // the memory and the region still exist
	}
	r.account.close(r.mapping.size)
	m := r.mapping
	r.mapping, r.wanted = mapping{}, 0
	if m.size > 0 {
		retire(m)
	}
	return nil
}

// retire keeps address space without memory for the next region of the same size.
func retire(m mapping) {
	retired.Lock()
	defer retired.Unlock()
	if !m.reusable() {
		return
	}
	class := bits.Len(uint(m.size - 1))
	retired.mappings[m.audience][class] = append(retired.mappings[m.audience][class], m)
}

// Retired returns the number of address ranges kept for reuse.
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

// Affords checks whether the system would supply size bytes of memory, and returns an error that
// wraps ErrNoMemory if not. It is for memory that will come from the Go heap, because a process
// ends when the Go heap gets no memory. The result follows the system's own rules for one request
// (on Linux, usually at most all memory of the machine); memory in use by other processes is not
// considered. Where regions are Go memory, the result is always nil.
func Affords(size uint64) error {
	if size > uint64(^uintptr(0)>>1) {
		return fmt.Errorf("%w: %d bytes exceed the address space", ErrNoMemory, size)
	}
	if err := sysAffords(uintptr(size)); err != nil {
		return fmt.Errorf("%w: %d bytes: %w", ErrNoMemory, size, err)
	}
	return nil
}

// grain returns the unit to which a commit of the given size is rounded up, because huge pages are
// useful only as a whole.
func grain(size uintptr) uintptr {
	if size >= hugeSize {
		return hugeSize
	}
	return minCommit
}

func roundUp(n, to uintptr) uintptr { return (n + to - 1) &^ (to - 1) }
