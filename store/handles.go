package store

import (
	"fmt"
	"iter"
	"math/bits"
	"reflect"
	"sort"
	"strconv"
	"sync"

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
// detected, in every build. It costs 8 bytes a record and a comparison an access.
//
// One goroutine may change a Handles at a time. It must not be copied.
type Handles[T any] struct {
	guard checks.Guard // empty outside checked builds
	slots *Store[slot[T]]
	bits  uint     // low bits of a handle that are the slot's index
	top   uint32   // slots up to here have been used since the last Reset
	free  []uint32 // those of them without a record
	own   []lease  // handles that this Handles may give out, ascending

	live    int // records
	retired int // slots that have no number left
}

// slot is a record with its handle: the record's own while it lives, and the next
// one with the bit vacant when it is gone. 0 means that there never was one.
type slot[T any] struct {
	number uint64
	value  T
}

// vacant marks the number of a slot without a record. Handles never have this bit.
const vacant = 1 << 63

// A lease is a range of numbers that belong to one Handles for ever: generations
// of all its slots, 2^bits numbers each.
type lease struct{ start, end uint64 }

// leased is where the next lease starts, for the whole process. There are numbers
// for 2^36 Handles of the default size, or 2^50 of a thousand records.
var leased struct {
	sync.Mutex
	next uint64
}

// defaultHandles is the greatest count of records by default.
const defaultHandles = 1 << 24

// NewHandles returns an empty Handles. It fails like New. Options.Max 0 means 2^24
// records, or as many as a Store has room for.
func NewHandles[T any](options Options) (*Handles[T], error) {
	wanted := options.Max
	if wanted == 0 {
		room := vmem.DefaultSize()/reflect.TypeFor[slot[T]]().Size() - 1
		options.Max = int(max(1, min(defaultHandles, room)))
	}
	slots, err := open[slot[T]](options, 1)
	for err != nil && wanted == 0 && options.Max > 1000 {
		options.Max /= 2 // a limit on addresses leaves room for fewer
		slots, err = open[slot[T]](options, 1)
	}
	if err != nil {
		return nil, err
	}
	return &Handles[T]{slots: slots, bits: uint(bits.Len(uint(options.Max)))}, nil
}

// Put stores v and returns its handle, which is never nil. It panics if the Handles
// is full or closed.
func (h *Handles[T]) Put(v T) Handle[T] {
	if checks.Enabled {
		h.guard.Enter("store.Handles.Put")
		defer h.guard.Leave()
	}
	s := h.take()
	s.value = v
	return Handle[T](s.number)
}

// New returns the handle of a zeroed record, and the record. It panics like Put.
func (h *Handles[T]) New() (Handle[T], *T) {
	if checks.Enabled {
		h.guard.Enter("store.Handles.New")
		defer h.guard.Leave()
	}
	s := h.take()
	var zero T
	s.value = zero
	return Handle[T](s.number), &s.value
}

// take finds a slot without a record and gives it its next number.
func (h *Handles[T]) take() *slot[T] {
	for {
		index, s := h.takeSlot()
		number := s.number &^ vacant
		switch {
		case number == 0:
			number = h.lease(0) + uint64(index)
		case s.number&vacant == 0: // its record went with a Reset
			number = h.next(number)
		}
		if number > uint64(index) {
			s.number = number
			h.live++
			return s
		}
		s.number = vacant // it stays out of use, because its next number would not be new
		h.retired++
	}
}

// takeSlot returns a slot without a record, and its index.
func (h *Handles[T]) takeSlot() (uint32, *slot[T]) {
	if n := len(h.free); n > 0 {
		index := h.free[n-1]
		h.free = h.free[:n-1]
		return index, &h.slots.records[index]
	}
	for h.top < h.slots.last {
		h.top++
		if s := &h.slots.records[h.top]; s.number != vacant {
			return h.top, s
		}
	}
	r, s := h.slots.New()
	h.top = uint32(r)
	return h.top, s
}

// next returns the number that follows on the same slot, and 0 if there is none left
// in the life of the process.
func (h *Handles[T]) next(number uint64) uint64 {
	i := sort.Search(len(h.own), func(i int) bool { return number < h.own[i].end })
	if following := number + 1<<h.bits; following < h.own[i].end {
		return following
	}
	if start := h.lease(i + 1); start > 0 {
		return start + number&(1<<h.bits-1)
	}
	return 0
}

// lease returns the start of the i-th lease, and takes one if there are fewer. It
// returns 0 if no numbers are left.
func (h *Handles[T]) lease(i int) uint64 {
	if i < len(h.own) {
		return h.own[i].start
	}
	generations := uint64(4) << min(2*i, 14)
	leased.Lock()
	defer leased.Unlock()
	step := uint64(1) << h.bits
	start := max((leased.next+step-1)&^(step-1), step)
	if start >= vacant || generations > (vacant-1-start)/step {
		return 0
	}
	leased.next = start + generations*step
	h.own = append(h.own, lease{start, leased.next})
	return start
}

// Get returns the record of a handle, and false if it has none any more, or never had
// one here. The record stays where it is until Del, Reset or Close.
func (h *Handles[T]) Get(handle Handle[T]) (*T, bool) {
	index := uint64(handle) & (1<<(h.bits&63) - 1)
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
	index := uint32(uint64(handle) & (1<<h.bits - 1))
	h.live--
	following := h.next(uint64(handle))
	h.slots.records[index].number = following | vacant
	if following == 0 {
		h.retired++
	} else {
		h.free = append(h.free, index)
	}
	return true
}

// Len returns the count of records.
func (h *Handles[T]) Len() int {
	return h.live
}

// All yields the records with their handles, in the order of their slots. Records may
// be changed and deleted meanwhile.
func (h *Handles[T]) All() iter.Seq2[Handle[T], *T] {
	return func(yield func(Handle[T], *T) bool) {
		for index := uint32(1); index <= h.top; index++ {
			s := &h.slots.records[index]
			if s.number&vacant == 0 && !yield(Handle[T](s.number), &s.value) {
				return
			}
		}
	}
}

// Reset drops all records in constant time and keeps the memory. Every handle from
// before is stale, for ever.
func (h *Handles[T]) Reset() {
	if checks.Enabled {
		h.guard.Enter("store.Handles.Reset")
		defer h.guard.Leave()
	}
	h.top, h.free, h.live = 0, h.free[:0], 0
}

// Close gives all memory back to the system. Handles are stale afterwards, and Put
// panics. A second Close does nothing.
func (h *Handles[T]) Close() error {
	h.top, h.free, h.live = 0, nil, 0
	if err := h.slots.Close(); err != nil {
		return fmt.Errorf("store.Handles: %w", err)
	}
	return nil
}
