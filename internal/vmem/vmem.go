// Package vmem reserves address space and commits memory in it, from the start of a region.
// Therefore the data of package store never moves, and the collector never scans it. A region from
// ReserveSmall is initially on the Go heap, and can move until it has its own address space
// (docs/decisions/0041).
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
// There is one file for each family of systems: sys_unix_unsafe.go and sys_windows_unsafe.go, with
// their common code in reserved_unsafe.go, and sys_go_unsafe.go for all other systems (32-bit,
// wasm) and for builds with -race, because the race detector tracks only Go memory. With
// sys_go_unsafe.go, a region is part of a large variable (backing_race.go) or a single allocation
// on the Go heap. It has its full size from the start, and released memory reads as zero.
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

// The values of HugePages. Systems without huge pages ignore them.
const (
	HugeAuto HugePages = iota // from 16 MiB on, where at most an eighth is wasted
	HugeOn                    // from the first page on
	HugeOff                   // never, even if the system would use them by default
)

// hugeSize is the size of a huge page, and hugeAutoBytes is the region size from which HugeAuto
// requests huge pages.
const (
	hugeSize      = 2 << 20
	hugeAutoBytes = 16 << 20
)

// The minimum and maximum size of a commit, in bytes. Between these limits, a commit adds a quarter
// of the memory that the region already has, so that committing 100 GiB takes about 430 system
// calls.
const (
	minCommit = 64 << 10
	maxCommit = 256 << 20
)

// Piece is the unit of commit and decommit in bytes. The memory of a region that is not small is a
// multiple of Piece.
const Piece = minCommit

// minReserve is the size of the smallest reservation. Reservations are powers of two, so that a
// retired reservation can be reused for the next reservation of the same class.
const minReserve = 64 << 10

// ErrNoMemory is wrapped by errors that report that the system does not supply memory.
var ErrNoMemory = errors.New("the system gives no more memory")

// A Region is an address range that begins with committed memory. Its methods must not be called
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

// mapping is a reserved address range. The file for the system defines its methods.
type mapping struct {
	base     address
	size     uintptr // power of two, at least minReserve
	audience audience
}

// An audience determines who may still read the released memory of a region.
type audience int

const (
	nobody  audience = iota // a read faults
	readers                 // lock-free readers, which validate afterwards: they read zero, or another region of theirs
	audiences
)

// retired contains the mappings of closed regions, by audience and by the binary logarithm of their
// size.
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

// ReserveSome is like Reserve but reserves less if a limit on address space (ulimit -v) leaves no
// room for size bytes: a half, a quarter and so on, but at least the number of bytes in least.
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

// reserveAtMost reserves size bytes or, if there is no room for them, a half, a quarter and so on,
// but at least the number of bytes in least.
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

// reserveClass reserves 1<<class bytes for an audience. It reuses a retired mapping if there is
// one.
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

// DefaultSize returns the size to reserve if the user sets no maximum. It is a fraction of the
// remaining address space, so that there is room for ten thousand regions.
func DefaultSize() uintptr {
	retired.Lock()
	defer retired.Unlock()
	return sysDefaultSize(retired.reserved)
}

// Size returns the number of bytes that the region has reserved or, if it is small, will reserve.
func (r *Region) Size() uintptr {
	if r.IsSmall() {
		return r.wanted
	}
	return r.mapping.size
}

// Reach returns the number of bytes from Pointer on that belong to the region: all reserved bytes,
// or the memory of a small region.
func (r *Region) Reach() uintptr {
	if r.IsSmall() {
		return r.committed
	}
	return r.mapping.size
}

// IsSmall reports whether the region is small. The next Commit may move a small region.
func (r *Region) IsSmall() bool { return r.mapping.size == 0 }

// Committed returns the number of committed bytes.
func (r *Region) Committed() uintptr { return r.committed }

// Commit ensures that at least the first size bytes are committed. Newly committed bytes are zero.
// Commit adds more memory than requested, so that many small increases need few system calls. If
// the system refuses that, Commit adds only what is needed. If the system refuses that too, Commit
// returns an error that wraps ErrNoMemory, and the region does not change.
func (r *Region) Commit(size uintptr) error { return r.CommitWithin(size, r.Size()) }

// CommitWithin is like Commit but commits at most the number of bytes in most, which must be a
// multiple of Piece. It is for owners with a memory limit. It fails if size exceeds the maximum.
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

// advise tells the system whether to use huge pages, once the region is large enough.
func (r *Region) advise() {
	switch {
	case r.huge == HugeOff, r.huge == HugeOn, r.committed >= hugeAutoBytes:
		if !r.advised {
			r.mapping.advise(r.huge != HugeOff)
			r.advised = true
		}
	}
}

// Decommit returns the memory after the first keep bytes to the system, in whole pages. Until these
// bytes are committed again, an access faults or reads as zero. Bytes that are committed again are
// zero.
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

// A pageKind states whether a file is mapped to some of the pages that are released.
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

// retire keeps an address range, without memory, for the next region of the same size.
func retire(m mapping) {
	retired.Lock()
	defer retired.Unlock()
	if !m.reusable() {
		return
	}
	class := bits.Len(uint(m.size - 1))
	retired.mappings[m.audience][class] = append(retired.mappings[m.audience][class], m)
}

// Retired returns the number of address ranges that are kept for reuse.
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

// Affords returns an error that wraps ErrNoMemory if the system would not supply size bytes of
// memory. It is for memory that will be allocated on the Go heap, because a process ends when the
// Go heap gets no memory. The result follows the system's rules for a single request (on Linux,
// usually at most all memory of the machine); memory in use by other processes is not considered.
// Where regions are Go memory, Affords always returns nil.
func Affords(size uint64) error {
	if size > uint64(^uintptr(0)>>1) {
		return fmt.Errorf("%w: %d bytes exceed the address space", ErrNoMemory, size)
	}
	if err := sysAffords(uintptr(size)); err != nil {
		return fmt.Errorf("%w: %d bytes: %w", ErrNoMemory, size, err)
	}
	return nil
}

// grain returns the unit to which the size of a commit is rounded up. It is hugeSize for large
// commits, because only whole huge pages are useful.
func grain(size uintptr) uintptr {
	if size >= hugeSize {
		return hugeSize
	}
	return minCommit
}

func roundUp(n, to uintptr) uintptr { return (n + to - 1) &^ (to - 1) }
