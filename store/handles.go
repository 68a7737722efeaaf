package store

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"strconv"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Handle names a record of a Handles[T] and knows when that is gone: its number is
// never used again in the life of the process, for any record of any Handles. The
// zero Handle is nil and names none. It is 8 bytes without a pointer.
type Handle[T any] uint64

// String returns the number in hexadecimal after an h, and "nil" for 0.
func (h Handle[T]) String() string {
	if h == 0 {
		return "nil"
	}
	return "h" + strconv.FormatUint(uint64(h), 16)
}

// A Handles is a store whose records are named by Handles: a stale handle, a handle
// from before a Reset, one of another Handles, and one deleted twice are always
// detected, in every build. It costs 8 bytes a record and a comparison an access, and
// up to a sixtieth more slots than records, because slots that had many records rest
// (numbers.go says why).
//
// Numbers of handles last: for a million records a second put and deleted in one
// place for ten years, beside many other Handles. The zero Handles has default
// Options; Close ends it like one that NewHandles made.
//
// One goroutine may use a Handles at a time: Get, too, must not run beside a Put, New,
// Del, Reset or Close of another goroutine, which would be a race. Any number of
// goroutines may call Get, Len and All while none calls the others. A Handles must not
// be copied.
type Handles[T any] struct {
	_     noCopy
	guard checks.Guard // empty outside checked builds
	slots *Store[slot[T]]
	max   int      // records
	live  int      // records there are
	top   uint32   // slots up to here have been used since the last Reset
	free  []uint32 // those of them without a record, but for worn ones

	numbers *generations
	classes [classes]leases // of each class, what it may give out
}

// slot is a record with its handle: the record's own while it lives, and the last
// one with the bit vacant when it is gone. 0 means that there never was one.
//
// Invariants: a slot up to top is live, in free, or worn in the leases of its class,
// and in one of the three only; the number of a live slot has not the bit vacant, and
// those of the others have it; no two slots of a process ever have the same number, and none
// has one twice.
type slot[T any] struct {
	number uint64
	value  T
}

// vacant marks the number of a slot without a record. Handles never have this bit.
const vacant = 1 << 63

// defaultHandles is the greatest count of records by default.
const defaultHandles = 1 << 24

// NewHandles returns an empty Handles. It fails like New, and if Options.Max leaves
// no room for the slots that rest: it can be 4,290,493,376 at most. Max 0 means 2^24
// records, or as many as a Store has room for.
func NewHandles[T any](options Options) (*Handles[T], error) {
	h := &Handles[T]{}
	if err := h.open("store.NewHandles", options, 1); err != nil {
		return nil, err
	}
	return h, nil
}

// open makes the Handles, for a caller that stands skip frames below the user.
func (h *Handles[T]) open(where string, options Options, skip int) error {
	wanted := options.Max
	if wanted == 0 {
		room := uint64(vmem.DefaultSize()/reflect.TypeFor[slot[T]]().Size() - 1)
		options.Max = int(max(1, min(defaultHandles, room-min(room, spare(room)))))
	}
	slots, err := openHandles[T](where, options, skip+1)
	for err != nil && wanted == 0 && options.Max > 1000 {
		options.Max /= 2 // a limit on addresses leaves room for fewer
		slots, err = openHandles[T](where, options, skip+1)
	}
	if err != nil {
		return err
	}
	h.slots, h.max, h.numbers = slots, options.Max, numbers
	return nil
}

// openHandles makes the Store of a Handles with its spare slots.
func openHandles[T any](where string, options Options, skip int) (*Store[slot[T]], error) {
	if err := options.validate(where); err != nil {
		return nil, err
	}
	records := uint64(options.Max)
	if records+spare(records) > MaxRecords {
		return nil, fmt.Errorf("%s: Max %d exceeds the %d records that handles can name", where, options.Max, uint32(MaxRecords-spare(MaxRecords)))
	}
	options.Max = int(min(records+spare(records), math.MaxInt))
	return open[slot[T]](where, options, skip+1)
}

// Put stores v and returns its handle, which is never nil. It panics if the Handles
// is full or closed.
func (h *Handles[T]) Put(v T) Handle[T] {
	if checks.Enabled {
		h.guard.Enter("store.Handles.Put")
		defer h.guard.Leave()
	}
	s := h.take("store.Handles.Put")
	s.value = v
	return Handle[T](s.number)
}

// New returns the handle of a zeroed record, and the record. It panics like Put.
func (h *Handles[T]) New() (Handle[T], *T) {
	if checks.Enabled {
		h.guard.Enter("store.Handles.New")
		defer h.guard.Leave()
	}
	s := h.take("store.Handles.New")
	var zero T
	s.value = zero
	return Handle[T](s.number), &s.value
}

// take finds a slot without a record and gives it its next number.
func (h *Handles[T]) take(where string) *slot[T] {
	if h.live == h.max {
		h.makeOrPanic(where)
	}
	for {
		index := h.freeSlot(where)
		s, class := &h.slots.records[index], classOf(index)
		if next := h.classes[class].following(s.number&^vacant, index, class); next != 0 {
			s.number = next
			h.live++
			return s
		}
		s.number |= vacant // its record may have gone with a Reset
		h.wear(index, class)
	}
}

// makeOrPanic makes the zero Handles, and panics if the Handles is another.
func (h *Handles[T]) makeOrPanic(where string) {
	if h.slots != nil {
		panic(fmt.Sprintf("%s: %v: it holds %d of at most %d records", where, ErrFull, h.live, h.max))
	}
	if err := h.open(where, Options{}, 3); err != nil {
		panic(err.Error())
	}
}

// freeSlot returns a slot without a record: one that was used lately, rather than a
// fresh one, rather than one that rests.
func (h *Handles[T]) freeSlot(where string) uint32 {
	for {
		if n := len(h.free); n > 0 {
			index := h.free[n-1]
			h.free = h.free[:n-1]
			return index
		}
		err := h.freshSlot()
		if err == nil {
			h.top++
			return h.top
		}
		worn := 0
		for class := range h.classes {
			worn += len(h.classes[class].worn)
			h.wake(class)
		}
		switch {
		case len(h.free) > 0: // there is no memory for fresh ones, but for these
		case worn > 0:
			panic(where + ": " + noNumbers(h.live, h.max, worn))
		default:
			panic(where + ": " + err.Error())
		}
	}
}

// freshSlot makes sure that there is a slot above top.
func (h *Handles[T]) freshSlot() error {
	s := h.slots
	if h.top < s.last { // a Reset has left it
		return nil
	}
	if s.last == s.end {
		if err := s.own.tryRefill(); err != nil {
			return err
		}
	}
	s.last++
	return nil
}

// wear lets a slot rest that has no number left, and leases numbers for all that rest
// once they are many.
func (h *Handles[T]) wear(index uint32, class int) {
	l := &h.classes[class]
	l.worn = append(l.worn, index)
	if len(l.worn) >= rest(class) || len(l.ranges) == 0 {
		h.wake(class)
	}
}

// wake leases numbers for the worn slots of a class. If there are none left they stay
// worn.
func (h *Handles[T]) wake(class int) {
	l := &h.classes[class]
	if len(l.worn) > 0 && l.more(class, h.numbers) {
		h.free = append(h.free, l.worn...)
		l.worn = l.worn[:0]
	}
}

// Get returns the record of a handle, and false if it has none any more, or never had
// one here. The record stays where it is until Del, Reset or Close.
func (h *Handles[T]) Get(handle Handle[T]) (*T, bool) {
	index := uint64(handle) >> classBits & indexMask[handle%classes]
	if index-1 < uint64(h.top) {
		if s := &h.slots.records[index]; s.number == uint64(handle) && handle < vacant {
			return &s.value, true
		}
	}
	return nil, false
}

// Del drops the record of a handle and zeroes it, and reports whether it had one.
func (h *Handles[T]) Del(handle Handle[T]) bool {
	if checks.Enabled {
		h.guard.Enter("store.Handles.Del")
		defer h.guard.Leave()
	}
	v, ok := h.Get(handle)
	if !ok {
		return false
	}
	var zero T
	*v = zero
	index := uint32(uint64(handle) >> classBits & indexMask[handle%classes])
	h.slots.records[index].number |= vacant
	h.free = append(h.free, index)
	h.live--
	return true
}

// Len returns the count of records.
func (h *Handles[T]) Len() int {
	return h.live
}

// All yields the records with their handles, in the order of their slots. Meanwhile
// records may be changed, deleted and put. It yields every record that was there
// when it began and still is. Of those put meanwhile it may yield some: it looks at
// each slot once, and at none beyond the last one in use when it began. So it ends,
// even if the loop puts a record for each.
func (h *Handles[T]) All() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		for index, last := uint32(1), h.top; index <= min(last, h.top); index++ {
			s := &h.slots.records[index]
			if s.number&vacant == 0 && !yield(Handle[T](s.number), &s.value) {
				return
			}
		}
	}
}

// Reset drops all records and keeps the memory, in constant time. Every handle from
// before is stale, for ever.
func (h *Handles[T]) Reset() {
	if checks.Enabled {
		h.guard.Enter("store.Handles.Reset")
		defer h.guard.Leave()
	}
	h.forget()
}

// forget drops all records. Slots that are worn will be found again.
func (h *Handles[T]) forget() {
	h.top, h.free, h.live = 0, h.free[:0], 0
	for class := range h.classes {
		h.classes[class].worn = h.classes[class].worn[:0]
	}
}

// Close gives all memory back to the system. Handles are stale afterwards, and Put
// panics. A second Close does nothing.
func (h *Handles[T]) Close() error {
	if h.slots == nil {
		return nil
	}
	h.forget()
	h.free, h.classes = nil, [classes]leases{}
	if err := h.slots.Close(); err != nil {
		return fmt.Errorf("store.Handles.Close: %w", err)
	}
	return nil
}
