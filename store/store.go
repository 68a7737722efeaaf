package store

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"reflect"
	"runtime"
	"strconv"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Ref identifies a record of a Store[T] by its index, which starts at 1. The zero Ref is nil and
// refers to no record. A Ref has 4 bytes and contains no pointer, so records can contain Refs. A
// Ref indicates neither its Store nor whether its record was deleted; use a [Handle] if this must
// be detected.
type Ref[T any] uint32

// String returns "#7" for the ref 7, and "nil" for the ref 0.
func (r Ref[T]) String() string {
	if r == 0 {
		return "nil"
	}
	return "#" + strconv.FormatUint(uint64(r), 10)
}

// A Store holds records of type T, which has no pointers, outside the Go heap. [New] creates a
// Store, and Close releases it. The zero Store is not usable: all methods except Close panic, or
// return an error that says so.
//
// Only one goroutine may use a Store at a time; the exception is [Store.Writer]. Meanwhile, other
// goroutines may read records through pointers and slices that they already have, if they have
// synchronized with the goroutine that wrote the records. A Store must not be copied.
type Store[T any] struct {
	_     layout.NoCopy
	guard checks.Guard // empty outside checked builds

	last, end uint32  // the store's own window: Alloc and New fill the slots after last up to end
	own       *filler // moves the store's own window; its core is the rest of the Store
	space     *space  // own.core.space; saves At two loads
	records   []T     // all slots, committed or not, with the nil record first; nil once closed

	// The padding is needed because the Stores of different goroutines are often adjacent in
	// memory, and Alloc writes to the field last.
	_ [layout.CacheLine]byte
}

// New returns an empty Store, which must be closed with Close. It fails if T contains a pointer or
// has size zero, if an option is out of range, or if the system has no address space for Max
// records. The error message says what to do. A Store costs two system calls and about 1 KiB of Go
// heap. It commits memory in steps of 64 KiB, and the system supplies memory only for pages that
// have been touched.
func New[T any](options Options) (*Store[T], error) { return open[T]("store.New", options, 1) }

// Must returns its first argument, the result of New or of another function that creates or opens a
// container. It panics with the message of err if err is not nil.
func Must[T any](made T, err error) T {
	if err != nil {
		panic(err.Error())
	}
	return made
}

// open implements New. The error message begins with the caller's name, which is passed in where.
// The parameter skip is the number of stack frames from the caller to the user's code.
func open[T any](where string, options Options, skip int) (*Store[T], error) {
	if err := options.validate(where); err != nil {
		return nil, err
	}
	t := reflect.TypeFor[T]()
	if err := checkRecord(where, t); err != nil {
		return nil, err
	}
	if options.Name == "" {
		options.Name = t.String()
	}
	account := vmem.NewAccount(options.Name, skip+1)
	c, err := newCore(where, t.Size(), options.Max, options.HugePages, account)
	if err != nil {
		return nil, err
	}
	s := &Store[T]{records: slotsOf[T](c.region, int(c.max)+1)}
	s.own = &filler{window{last: &s.last, end: &s.end}, c}
	s.space, c.own = &c.space, &s.own.window
	if checks.Enabled {
		runtime.AddCleanup(s, reportLeak, account)
	}
	return s, nil
}

// leaks is the function to which reportLeak passes its reports; tests replace it.
var leaks = func(text string) { fmt.Fprint(os.Stderr, text) }

// reportLeak reports a Store that has become unreachable without Close. It is called only in
// checked builds.
func reportLeak(account *vmem.Account) {
	if account.IsOpen() {
		leaks(fmt.Sprintf("store: %s was dropped without Close; its %d bytes are lost. It was made at\n%s",
			account.Name, account.Committed, account.Frames()))
	}
}

// made returns the core. It panics if there is none, or if s is a copy of the Store that New made.
// The panic message begins with the caller's name, which is passed in where. Alloc, New and At do
// not call made: a copy is detected when it needs its next block of slots.
func (s *Store[T]) made(where string) *core {
	c := s.own.made(where)
	if s.own.last != &s.last {
		panic(where + ": called on a copy of a store; two copies hand out the same slots, so pass a pointer")
	}
	return c
}

// Alloc stores v in a free slot and returns its ref, which is never nil. Alloc takes about 1 ns,
// allocates nothing and can be inlined. Once for each block of slots, of up to 16 KiB, it calls a
// function that finds the next block. It panics if the store is full or closed; TryAlloc returns an
// error instead.
func (s *Store[T]) Alloc(v T) Ref[T] {
	if checks.Enabled {
		s.guard.Enter("store.Store.Alloc")
		defer s.guard.Leave()
	}
	if s.last == s.end {
		s.own.refillAlloc()
	}
	s.last++
	s.records[s.last] = v
	return Ref[T](s.last)
}

// TryAlloc is like Alloc but returns an error, which wraps ErrFull, if the store is full.
func (s *Store[T]) TryAlloc(v T) (Ref[T], error) {
	if checks.Enabled {
		s.guard.Enter("store.Store.TryAlloc")
		defer s.guard.Leave()
	}
	if s.last == s.end {
		if err := s.own.tryRefill("store.Store.TryAlloc"); err != nil {
			return 0, fmt.Errorf("store.Store.TryAlloc: %w", err)
		}
	}
	s.last++
	s.records[s.last] = v
	return Ref[T](s.last), nil
}

// New returns the ref of a new zeroed record, and a pointer to the record. The record does not move
// until Delete, Reset, Trim or Close. New takes the same time as Alloc, and panics in the same
// cases.
func (s *Store[T]) New() (Ref[T], *T) {
	if checks.Enabled {
		s.guard.Enter("store.Store.New")
		defer s.guard.Leave()
	}
	if s.last == s.end {
		s.own.refillNew()
	}
	s.last++
	return Ref[T](s.last), &s.records[s.last]
}

// Make returns n consecutive zeroed records, and the ref of the first record. The ref of record i
// in the slice is that ref plus i. A call takes about 5 ns, so filling the slice is the fastest way
// to store many records. If n is 0, Make returns nil. It panics if n is negative, or if there is
// not enough room for n consecutive records.
func (s *Store[T]) Make(n int) (Ref[T], []T) {
	if checks.Enabled {
		s.guard.Enter("store.Store.Make")
		defer s.guard.Leave()
	}
	return makeRecords("store.Store.Make", s.own, s.records, n)
}

// makeRecords takes n records from the window, or from fresh slots.
func makeRecords[T any](where string, f *filler, records []T, n int) (Ref[T], []T) {
	switch {
	case n < 0:
		panic(fmt.Sprintf("%s: negative count %d", where, n))
	case n == 0:
		return 0, nil
	case uint64(n) > MaxRecords:
		panic(fmt.Sprintf("%s: %d records are more than refs can name", where, n))
	}
	first, err := f.take(uint32(n))
	if err != nil {
		panic(fmt.Sprintf("%s: no room for %d records: %v", where, n, err))
	}
	if checks.Enabled {
		f.core.mustBeZero(where, run{first, first + uint32(n) - 1})
	}
	end := int(first) + n
	return Ref[T](first), records[first:end:end]
}

// At returns a pointer to the record of a ref. It can be inlined. It panics if r is nil, or if its
// slot has not been taken since the last Reset. For any other ref without a record, it returns a
// pointer to a zeroed slot, or panics in checked builds.
func (s *Store[T]) At(r Ref[T]) *T {
	if checks.Enabled {
		s.own.mustBeLiveAt(uint32(r))
	}
	if s.space == nil || uint32(r)-1 >= s.space.top {
		s.own.mustBeLiveAt(uint32(r))
	}
	return &s.records[r]
}

// Slice returns all slots up to the last record, indexed by Ref. It is the fastest way to read,
// with one bounds check per record. Element 0 is the nil record, which is zero and must not be
// written. Deleted records are zero. The slice does not grow when records are added. Slice panics
// if the store is closed.
func (s *Store[T]) Slice() []T {
	if s.records == nil {
		panic("store.Store.Slice: the store is closed, or was not made by store.New")
	}
	return s.records[:s.own.core.bound()+1]
}

// Delete zeroes a record, and frees its slot for a later Alloc. It takes about 5 ns, and the set of
// free slots needs an eighth of a byte per record. Delete panics if r is nil, was never returned by
// the store, or was already deleted.
func (s *Store[T]) Delete(r Ref[T]) {
	if checks.Enabled {
		s.guard.Enter("store.Store.Delete")
		defer s.guard.Leave()
	}
	c, slot := s.own.made("store.Store.Delete"), uint32(r)
	c.mustBeLive("store.Store.Delete", slot)
	var zero T
	s.records[slot] = zero
	c.addHole(run{slot, slot})
	if checks.Enabled {
		if c.deletedAt == nil {
			c.deletedAt = make(map[uint32]checks.Place)
		}
		c.deletedAt[slot] = checks.Caller()
	}
}

// Len returns the number of records. It is approximate while goroutines use Writers.
func (s *Store[T]) Len() int { return s.made("store.Store.Len").len() }

// Cap returns the number of records for which memory is committed.
func (s *Store[T]) Cap() int {
	c := s.own.made("store.Store.Cap")
	return int(min(uint64(c.region.Committed()/c.size), uint64(c.max)+1)) - min(1, int(c.region.Committed()))
}

// Max returns the maximum number of records.
func (s *Store[T]) Max() int { return int(s.own.made("store.Store.Max").max) }

// All yields the records in the order of their refs. The loop may change, delete and add records.
// All yields every record that existed at the start and was not deleted before its turn. It may
// yield records that were added since. It visits each slot once, up to the last slot in use at the
// start, so it ends even if the loop adds a record for each record that it sees. The loop must not
// call Reset, Trim or Close, and no goroutine may use a Writer during the loop.
func (s *Store[T]) All() iter.Seq2[Ref[T], *T] {
	c := s.made("store.Store.All")
	return func(yield func(Ref[T], *T) bool) {
		c.segments(func(live run) bool {
			for slot := live.first; ; slot++ {
				// A Delete and an Alloc in the loop may have moved the store's own window here.
				if slot <= c.top && !c.dead.has(slot) && !c.own.has(slot) && !yield(Ref[T](slot), &s.records[slot]) {
					return false
				}
				if slot == live.last {
					return true
				}
			}
		})
	}
}

// Reset drops all records and strings, and keeps the memory. Its cost does not depend on the number
// of records, unless a record was ever deleted: in that case, Reset clears one bit per slot. All
// older refs, pointers and slices become stale: they refer to no record or to a later record. All
// Writers end. In checked builds, the dropped records are overwritten.
func (s *Store[T]) Reset() {
	if checks.Enabled {
		s.guard.Enter("store.Store.Reset")
		defer s.guard.Leave()
		checks.MustHold("store.Store.Reset", s.broken())
	}
	if err := s.own.usable(); err != nil {
		panic("store.Store.Reset: " + err.Error())
	}
	s.made("store.Store.Reset").reset()
}

// broken returns an error, in checked builds, if the program wrote to the nil record. Otherwise it
// returns the result of core.verify.
func (s *Store[T]) broken() error {
	switch {
	case s.own == nil || s.own.core.closed:
		return nil
	case checks.NonZero(s.records[:1]) >= 0:
		return errors.New("the nil record, element 0 of Slice, was written")
	}
	return s.own.core.verify()
}

// Trim returns the memory above the last record to the system, in units of 64 KiB. Records do not
// move. If a stale pointer is used to access the returned memory, the access faults or reads zero.
// No goroutine may use a Writer during the call.
func (s *Store[T]) Trim() error {
	if checks.Enabled {
		s.guard.Enter("store.Store.Trim")
		defer s.guard.Leave()
		checks.MustHold("store.Store.Trim", s.broken())
	}
	if err := s.own.usable(); err != nil {
		return fmt.Errorf("store.Store.Trim: %w", err)
	}
	if err := s.made("store.Store.Trim").trim(); err != nil {
		return fmt.Errorf("store.Store.Trim: %w", err)
	}
	return nil
}

// Close returns all memory to the system. All records, refs and strings are gone. Accessing a stale
// pointer to a record faults, reads zero, or reaches a record of a later Store, but never other
// memory of the program. A second Close does nothing.
func (s *Store[T]) Close() error {
	if checks.Enabled {
		s.guard.Enter("store.Store.Close")
		defer s.guard.Leave()
		defer checks.MustHold("store.Store.Close", s.broken()) // after the memory is released
	}
	if s.own == nil || s.own.core.closed {
		return nil
	}
	c := s.made("store.Store.Close")
	s.records = nil
	if err := c.close(); err != nil {
		return fmt.Errorf("store.Store.Close: %w", err)
	}
	return nil
}
