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
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Ref names a record of a Store[T]: its index, from 1. The zero Ref is nil and
// names none. A Ref is 4 bytes without a pointer, so that records can hold it. It
// does not know its Store, nor whether its record was deleted since; a [Handle] does.
type Ref[T any] uint32

// String returns "#7" for the ref 7, and "nil" for 0.
func (r Ref[T]) String() string {
	if r == 0 {
		return "nil"
	}
	return "#" + strconv.FormatUint(uint64(r), 10)
}

// A Store holds records of type T, which has no pointers, outside the Go heap. New
// makes one, and Close ends it. The zero Store cannot be used: all methods but Close
// panic, or return an error, and say so.
//
// One goroutine may use a Store at a time. Others may meanwhile read records through
// pointers and slices that they have already, if those were synchronized after they
// were written. [Store.Writer] is the exception. A Store must not be copied.
type Store[T any] struct {
	_     noCopy
	guard checks.Guard // empty outside checked builds

	last, end uint32  // the own window: Put and New fill the slots after last up to end
	own       *window // moves the own window
	core      *core   // the rest of the Store; own.core, one step nearer for At
	records   []T     // all slots, memory or not, with the nil record first; nil once closed

	// Stores of different goroutines often lie side by side, and Put writes last.
	_ [cacheLine]byte
}

// cacheLine is the size of what processors hand to each other, in bytes; some fetch two
// at a time, but what follows in the pair is written rarely.
const cacheLine = 64

// noCopy lets `go vet` find copies of a Store.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// New returns an empty Store. It fails if T holds a pointer anywhere or has no size,
// if an option is out of range, or if the system has no room for Max records; the
// error says what to do. A Store costs two calls to the system, about 1 KiB of Go
// heap and, once used, 64 KiB of memory of which what is touched counts.
func New[T any](options Options) (*Store[T], error) { return open[T]("store.New", options, 1) }

// open is New for the function where, called skip frames below the user.
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
	c := &core{
		size:    t.Size(),
		huge:    vmem.HugePages(options.HugePages),
		account: vmem.NewAccount(options.Name, skip+1),
	}
	c.leastBlock = uint32(max(1, leastBlockBytes/c.size))
	c.ownBlock = uint32(max(1, ownBlockBytes/c.size))
	c.writerBlock = uint32(max(1, writerBlockBytes/c.size))
	if err := c.reserve(where, options.Max); err != nil {
		return nil, err
	}
	s := &Store[T]{records: slotsOf[T](c.region, int(c.max)+1)}
	s.core, s.own = c, &window{last: &s.last, end: &s.end, core: c}
	c.own = s.own
	if checks.Enabled {
		runtime.AddCleanup(s, reportLeak, c.account)
	}
	return s, nil
}

// reserve takes addresses for that many records, 0 for the default, and memory for
// the nil record.
func (c *core) reserve(where string, records int) error {
	size := vmem.DefaultSize()
	if records > 0 {
		if uint64(records) > uint64(^uintptr(0)>>1)/uint64(c.size)-1 {
			return fmt.Errorf("%s: %d records of %d bytes exceed the address space; set a smaller Options.Max", where, records, c.size)
		}
		size = (uintptr(records) + 1) * c.size
	}
	size = max(size, 2*c.size)
	least := size
	if records == 0 {
		least = max(1<<20, 2*c.size)
	}
	region, err := reserveSome(size, least, c.huge, c.account)
	if err != nil {
		return fmt.Errorf("%s: %w; set a smaller Options.Max, or raise the limit on addresses (ulimit -v)", where, err)
	}
	c.region = region
	c.max = uint32(min(uint64(region.Size()/c.size)-1, MaxRecords))
	if records > 0 {
		c.max = uint32(records)
	}
	if err := region.Commit(c.size); err != nil {
		return fmt.Errorf("%s: %w: %w", where, ErrFull, errors.Join(err, region.Close()))
	}
	return nil
}

// reserveSome reserves size bytes or, where a limit on addresses (ulimit -v) leaves no
// room for them, a half, a quarter and so on, but not less than least.
func reserveSome(size, least uintptr, huge vmem.HugePages, account *vmem.Account) (*vmem.Region, error) {
	for {
		region, err := vmem.Reserve(size, huge, account)
		if err == nil || size/2 < least {
			return region, err
		}
		size /= 2
	}
}

// leaks is where reportLeak writes; tests replace it.
var leaks = func(text string) { fmt.Fprint(os.Stderr, text) }

// reportLeak runs in checked builds when a Store has become unreachable.
func reportLeak(account *vmem.Account) {
	if account.IsOpen() {
		leaks(fmt.Sprintf("store: %s was dropped without Close; its %d bytes are lost. It was made at\n%s",
			account.Name, account.Committed, account.Frames()))
	}
}

// Put stores v in a free slot and returns its ref, which is never nil. It costs
// about 1 ns and no allocation, and inlines; once a block of up to 16 KiB it calls a
// function that finds the next. It panics if the store is full or closed; TryPut
// returns the error instead.
func (s *Store[T]) Put(v T) Ref[T] {
	if checks.Enabled {
		s.guard.Enter("store.Put")
		defer s.guard.Leave()
	}
	if s.last == s.end {
		s.own.refillPut()
	}
	s.last++
	s.records[s.last] = v
	return Ref[T](s.last)
}

// TryPut is Put that returns an error, which wraps ErrFull, if the store is full.
func (s *Store[T]) TryPut(v T) (Ref[T], error) {
	if checks.Enabled {
		s.guard.Enter("store.TryPut")
		defer s.guard.Leave()
	}
	if s.last == s.end {
		if err := s.own.tryRefill(); err != nil {
			return 0, fmt.Errorf("store.TryPut: %w", err)
		}
	}
	s.last++
	s.records[s.last] = v
	return Ref[T](s.last), nil
}

// New returns the ref of a zeroed record, and the record, which stays where it is
// until Del, Reset, Trim or Close. It costs and panics like Put.
func (s *Store[T]) New() (Ref[T], *T) {
	if checks.Enabled {
		s.guard.Enter("store.New")
		defer s.guard.Leave()
	}
	if s.last == s.end {
		s.own.refillNew()
	}
	s.last++
	return Ref[T](s.last), &s.records[s.last]
}

// Make returns n zeroed records in a row, and the ref of the first: the ref of
// record i is the first plus i. One call costs about 5 ns, so that filling the
// slice is the fastest way to store many records. For n = 0 it returns nil. It
// panics if n is negative, or if there is no room for n records in a row.
func (s *Store[T]) Make(n int) (Ref[T], []T) {
	if checks.Enabled {
		s.guard.Enter("store.Make")
		defer s.guard.Leave()
	}
	return makeRecords("store.Make", s.own, s.records, n)
}

// makeRecords takes n records from the window, or from fresh slots.
func makeRecords[T any](where string, w *window, records []T, n int) (Ref[T], []T) {
	switch {
	case n < 0:
		panic(fmt.Sprintf("%s: negative count %d", where, n))
	case n == 0:
		return 0, nil
	case uint64(n) > MaxRecords:
		panic(fmt.Sprintf("%s: %d records are more than refs can name", where, n))
	}
	first, err := w.take(uint32(n))
	if err != nil {
		panic(fmt.Sprintf("%s: no room for %d records: %v", where, n, err))
	}
	end := int(first) + n
	return Ref[T](first), records[first:end:end]
}

// At returns the record of a ref. It inlines, and panics if r is nil or beyond the slots
// that were taken since the last Reset. A slot below that without a record reads as
// zero; in checked builds At panics there too.
func (s *Store[T]) At(r Ref[T]) *T {
	if checks.Enabled {
		s.own.mustBeLiveAt(uint32(r))
	}
	if s.core == nil || uint32(r)-1 >= s.core.top {
		s.own.mustBeLiveAt(uint32(r))
	}
	return &s.records[r]
}

// Slice returns all slots up to the last record, to be indexed by Ref: the fast
// way to read, one bounds check a record. Element 0 is the nil record, which is zero
// and must not be written. Deleted records are in it, and zero. The slice shows
// what is put later only as far as its length. It panics if the store is closed.
func (s *Store[T]) Slice() []T {
	if s.records == nil {
		panic("store.Slice: the store is closed, or was not made by store.New")
	}
	return s.records[:s.own.core.bound()+1]
}

// Del frees the slot of a record for a later Put, and zeroes it. It costs about 5 ns,
// and an eighth of a byte a record for the set of free slots. It panics if r is nil,
// was never handed out, or was deleted already.
func (s *Store[T]) Del(r Ref[T]) {
	if checks.Enabled {
		s.guard.Enter("store.Del")
		defer s.guard.Leave()
	}
	c, slot := s.own.made("store.Del"), uint32(r)
	c.mustBeLive("store.Del", slot)
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

// Len returns the count of records. While Writers are at work it is not exact.
func (s *Store[T]) Len() int { return s.own.made("store.Len").len() }

// Cap returns the count of records that there is memory for.
func (s *Store[T]) Cap() int {
	c := s.own.made("store.Cap")
	return int(min(uint64(c.region.Committed()/c.size), uint64(c.max)+1)) - min(1, int(c.region.Committed()))
}

// Max returns the greatest count of records.
func (s *Store[T]) Max() int { return int(s.own.made("store.Max").max) }

// All yields the records in the order of their refs. Meanwhile records may be changed,
// deleted and put. It yields every record that was there when it began and still is.
// Of those put meanwhile it may yield some: it looks at each slot once, and at none
// beyond the last one in use when it began. So it ends, even if the loop puts a record
// for each. Reset, Trim and Close must wait, and so must All while Writers are at work.
func (s *Store[T]) All() iter.Seq2[Ref[T], *T] {
	c := s.own.made("store.All")
	return func(yield func(Ref[T], *T) bool) {
		c.segments(func(live run) bool {
			for slot := live.first; ; slot++ {
				// A Del and a Put in the loop may have moved the own window here.
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

// Reset drops all records and texts and keeps the memory. It costs nothing for each
// record; if any was deleted before, an eighth of a byte a slot is cleared. All refs,
// pointers and slices from before are stale: they name no record or a later one.
// Writers end. In checked builds the dropped records are overwritten.
func (s *Store[T]) Reset() {
	if checks.Enabled {
		s.guard.Enter("store.Reset")
		defer s.guard.Leave()
		s.nilRecordIntact("store.Reset")
	}
	if err := s.own.usable(); err != nil {
		panic("store.Reset: " + err.Error())
	}
	s.own.core.reset()
}

// nilRecordIntact panics if somebody wrote to the nil record.
func (s *Store[T]) nilRecordIntact(where string) {
	if s.records != nil && !reflect.ValueOf(&s.records[0]).Elem().IsZero() {
		panic(where + ": the nil record, element 0 of Slice, was written")
	}
}

// Trim gives the memory above the last record, to the next 64 KiB, back to the
// system. Records stay where they are. What was given back faults, or reads as zero,
// when a stale pointer touches it. It must not be called while Writers are at work.
func (s *Store[T]) Trim() error {
	if checks.Enabled {
		s.guard.Enter("store.Trim")
		defer s.guard.Leave()
	}
	if err := s.own.usable(); err != nil {
		return fmt.Errorf("store.Trim: %w", err)
	}
	if err := s.own.core.trim(); err != nil {
		return fmt.Errorf("store.Trim: %w", err)
	}
	return nil
}

// Close gives all memory back to the system. Records, refs and texts are gone;
// touching a pointer to one faults, or reads as zero, or meets a record of a later
// Store, but never other memory of the program. A second Close does nothing.
func (s *Store[T]) Close() error {
	if checks.Enabled {
		s.guard.Enter("store.Close")
		defer s.guard.Leave()
		s.nilRecordIntact("store.Close")
	}
	if s.own == nil || s.own.core.closed {
		return nil
	}
	s.records = nil
	if err := s.own.core.close(); err != nil {
		return fmt.Errorf("store.Close: %w", err)
	}
	return nil
}
