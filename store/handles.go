package store

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"strconv"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/layout"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A Handle identifies a record of a Handles[T] until the record is deleted. A process never issues
// the same Handle twice, not even in different Handles[T], so a stale Handle is always detected.
// The zero Handle is nil and refers to no record. A Handle has 8 bytes and contains no pointer.
type Handle[T any] uint64

// String returns "h" followed by the handle's number in hexadecimal, or "nil" for the zero Handle.
func (h Handle[T]) String() string {
	if h == 0 {
		return "nil"
	}
	return "h" + strconv.FormatUint(uint64(h), 16)
}

// A Handles is a store whose records are identified by values of type [Handle]. It detects every
// stale handle, in every build: a handle issued before a Reset, a handle of another Handles, or a
// handle that is deleted twice. It needs 8 bytes per record, and one comparison per access. It also
// needs up to a sixtieth more slots than records, because slots that held many records are taken
// out of use for a time (see numbers.go).
//
// The supply of numbers is large: a program can store and delete a million records per second in
// one slot for ten years, and use many other Handles as well. The zero Handles has the default
// Options and is ready to use. It must also be closed.
//
// Only one goroutine may use a Handles at a time. This includes Get: a Get that is concurrent with
// an Alloc, New, Delete, Reset or Close in another goroutine is a data race. Any number of
// goroutines may call Get, Len and All while no goroutine calls the other methods. A Handles must
// not be copied.
type Handles[T any] struct {
	_      layout.NoCopy
	guard  checks.Guard  // empty outside checked builds
	budget checks.Budget // for verify; also empty outside checked builds
	slots  *Store[slot[T]]
	max    int      // maximum number of records
	live   int      // current number of records
	top    uint32   // slots up to top have been used since the last Reset
	free   []uint32 // slots up to top without a record, except worn ones

	numbers *generations
	classes [classes]leases // leased generations of each class
}

// slot is a record with its number. While the record is live, the number is its handle. After that,
// the number is the last handle with the vacant bit set. It is 0 if the slot never had a record.
//
// Invariants: each slot up to top is in exactly one of the following states: live, in free, or
// worn, which means that it is in the leases of its class; the number of a live slot does not have
// the vacant bit, and the number of any other slot has it; no two slots of a process ever have the
// same number, and no slot has the same number twice.
type slot[T any] struct {
	number uint64
	value  T
}

// vacant is a bit that marks the number of a slot without a record. Handles never have this bit.
const vacant = 1 << 63

// defaultHandles is the default maximum number of records.
const defaultHandles = 1 << 24

// NewHandles returns an empty Handles, which must be closed with Close. It fails in the same cases
// as New, and also if Options.Max exceeds 4,290,493,376, because some slots must stay available to
// replace slots that are out of use. If Max is 0, there is room for 2^24 records, or for fewer if a
// Store with Max 0 has fewer slots.
func NewHandles[T any](options Options) (*Handles[T], error) {
	h := &Handles[T]{}
	if err := h.open("store.NewHandles", options, 1); err != nil {
		return nil, err
	}
	return h, nil
}

// open initializes the Handles. The error message begins with the caller's name, which is passed in
// where. The parameter skip is the number of stack frames from the caller to the user's code.
func (h *Handles[T]) open(where string, options Options, skip int) error {
	wanted := options.Max
	if wanted == 0 {
		room := uint64(vmem.DefaultSize()/reflect.TypeFor[slot[T]]().Size() - 1)
		options.Max = int(max(1, min(defaultHandles, room-min(room, spare(room)))))
	}
	slots, err := openHandles[T](where, options, skip+1)
	for err != nil && wanted == 0 && options.Max > 1000 {
		options.Max /= 2 // a limit on address space may have room for a smaller maximum
		slots, err = openHandles[T](where, options, skip+1)
	}
	if err != nil {
		return err
	}
	h.slots, h.max, h.numbers = slots, options.Max, numbers
	return nil
}

// openHandles creates the Store of a Handles, with spare slots.
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

// Alloc stores v and returns its handle, which is never nil. It panics if the Handles is full or
// closed.
func (h *Handles[T]) Alloc(v T) Handle[T] {
	if checks.Enabled {
		h.guard.Enter("store.Handles.Alloc")
		defer h.guard.Leave()
	}
	s := h.mustTake("store.Handles.Alloc")
	s.value = v
	return Handle[T](s.number)
}

// TryAlloc is like Alloc but returns an error, which wraps ErrFull, if the Handles is full. The
// Handles is then unchanged.
func (h *Handles[T]) TryAlloc(v T) (Handle[T], error) {
	if checks.Enabled {
		h.guard.Enter("store.Handles.TryAlloc")
		defer h.guard.Leave()
	}
	s, err := h.take("store.Handles.TryAlloc")
	if err != nil {
		return 0, err
	}
	s.value = v
	return Handle[T](s.number), nil
}

// New returns the handle of a new zeroed record, and a pointer to the record. It panics like Alloc.
func (h *Handles[T]) New() (Handle[T], *T) {
	if checks.Enabled {
		h.guard.Enter("store.Handles.New")
		defer h.guard.Leave()
	}
	s := h.mustTake("store.Handles.New")
	var zero T
	s.value = zero
	return Handle[T](s.number), &s.value
}

// mustTake is like take but panics if there is no slot.
func (h *Handles[T]) mustTake(where string) *slot[T] {
	s, err := h.take(where)
	if err != nil {
		panic(err.Error())
	}
	return s
}

// take finds a slot without a record and assigns the slot's next number. The error message begins
// with the caller's name, which is passed in where.
func (h *Handles[T]) take(where string) (*slot[T], error) {
	if h.live == h.max {
		if err := h.makeIfZero(where); err != nil {
			return nil, err
		}
	}
	if checks.Enabled && h.budget.Affords(int(h.top)) {
		checks.MustHold(where, h.verify())
	}
	for {
		index, err := h.freeSlot(where)
		if err != nil {
			return nil, err
		}
		s, class := &h.slots.records[index], classOf(index)
		if next := h.classes[class].following(s.number&^vacant, index, class); next != 0 {
			s.number = next
			h.live++
			return s, nil
		}
		s.number |= vacant // its record may have been dropped by a Reset
		h.wear(index, class)
	}
}

// makeIfZero is called when the number of records equals the maximum. It initializes the zero
// Handles. Any other Handles is full, and makeIfZero returns an error.
func (h *Handles[T]) makeIfZero(where string) error {
	if h.slots != nil {
		return fmt.Errorf("%s: %w: it holds %d records, and the maximum is %d", where, ErrFull, h.live, h.max)
	}
	return h.open(where, Options{}, 4)
}

// freeSlot returns a slot without a record. It prefers recently used slots to fresh slots, and
// fresh slots to worn slots.
func (h *Handles[T]) freeSlot(where string) (uint32, error) {
	for {
		if n := len(h.free); n > 0 {
			index := h.free[n-1]
			h.free = h.free[:n-1]
			return index, nil
		}
		err := h.freshSlot(where)
		if err == nil {
			h.top++
			return h.top, nil
		}
		worn := 0
		for class := range h.classes {
			worn += len(h.classes[class].worn)
			h.wake(class)
		}
		switch {
		case len(h.free) > 0: // there is no memory for a fresh slot, but one of these is free
		case worn > 0:
			return 0, fmt.Errorf("%s: %w", where, noNumbers(h.live, h.max, worn))
		default:
			return 0, fmt.Errorf("%s: %w", where, err)
		}
	}
}

// freshSlot ensures that there is a slot above top in the Store.
func (h *Handles[T]) freshSlot(where string) error {
	s := h.slots
	if h.top < s.last { // the next slot was already used before a Reset
		return nil
	}
	if s.last == s.end {
		if err := s.own.tryRefill(where); err != nil {
			return err
		}
	}
	s.last++
	return nil
}

// wear takes a slot that has used up its numbers out of use. Such a slot is worn. If enough slots
// of the class are worn, wear leases more numbers for all of them.
func (h *Handles[T]) wear(index uint32, class int) {
	l := &h.classes[class]
	l.worn = append(l.worn, index)
	if len(l.worn) >= rest(class) || len(l.ranges) == 0 {
		h.wake(class)
	}
}

// wake leases numbers for the worn slots of a class, which makes the slots usable again. If no
// numbers are left, the slots stay worn.
func (h *Handles[T]) wake(class int) {
	l := &h.classes[class]
	if len(l.worn) > 0 && l.more(class, h.numbers) {
		h.free = append(h.free, l.worn...)
		l.worn = l.worn[:0]
	}
}

// Get returns a pointer to the record of a handle, and true. It returns nil and false if the record
// was deleted, or if the handle belongs to a different Handles. The record does not move until
// Delete, Reset or Close.
func (h *Handles[T]) Get(handle Handle[T]) (*T, bool) {
	index := uint64(handle) >> classBits & indexMask[handle%classes]
	if index-1 < uint64(h.top) {
		if s := &h.slots.records[index]; s.number == uint64(handle) && handle < vacant {
			return &s.value, true
		}
	}
	return nil, false
}

// Delete deletes the record of a handle, and zeroes it. It reports whether the handle referred to a
// record.
func (h *Handles[T]) Delete(handle Handle[T]) bool {
	if checks.Enabled {
		h.guard.Enter("store.Handles.Delete")
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

// Len returns the number of records.
func (h *Handles[T]) Len() int { return h.live }

// Cap returns the number of records for which memory is committed.
func (h *Handles[T]) Cap() int {
	if h.slots == nil {
		return 0
	}
	return h.slots.Cap()
}

// Max returns the maximum number of records.
func (h *Handles[T]) Max() int { return h.max }

// All yields the records with their handles, in the order of their slots. The loop may change,
// delete and add records. All yields every record that existed at the start and was not deleted
// before its turn. It may yield records that were added since. It visits each slot once, up to the
// last slot in use at the start, so it ends even if the loop adds a record for each record that it
// sees.
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

// Reset drops all records and keeps the memory. It takes constant time. All older handles are stale
// until the process ends.
func (h *Handles[T]) Reset() {
	if checks.Enabled {
		h.guard.Enter("store.Handles.Reset")
		defer h.guard.Leave()
		checks.MustHold("store.Handles.Reset", h.verify())
	}
	h.forget()
}

// forget drops all records. It also forgets which slots are worn; this is detected again when they
// are taken.
func (h *Handles[T]) forget() {
	h.top, h.free, h.live = 0, h.free[:0], 0
	for class := range h.classes {
		h.classes[class].worn = h.classes[class].worn[:0]
	}
}

// Close returns all memory to the system. After that, all handles are stale, and Alloc panics. A
// second Close does nothing.
func (h *Handles[T]) Close() error {
	if h.slots == nil {
		return nil
	}
	if checks.Enabled {
		defer checks.MustHold("store.Handles.Close", h.verify()) // panics once memory is released
	}
	h.forget()
	h.free, h.classes = nil, [classes]leases{}
	if err := h.slots.Close(); err != nil {
		return fmt.Errorf("store.Handles.Close: %w", err)
	}
	return nil
}

// verify returns an error if an invariant of slot is violated. The error describes the violation
// and its likely cause. verify checks every slot up to top.
func (h *Handles[T]) verify() error {
	if h.slots == nil || h.top == 0 {
		return nil
	}
	if h.top > h.slots.last {
		return fmt.Errorf("%d slots are in use, but only %d were handed out; %s", h.top, h.slots.last, checks.Misused)
	}
	without := make(bitmap, h.top/64+1) // slots without a record
	add := func(index uint32, class int) error {
		switch {
		case index == 0 || index > h.top || without.has(index) || class != classOf(index):
			return fmt.Errorf("slot %d of %d is listed twice, or in another class; %s", index, h.top, checks.Misused)
		case h.slots.records[index].number&vacant == 0:
			return fmt.Errorf("slot %d is free, and the number of its record is in force; %s", index, checks.Misused)
		}
		without.set(run{index, index}, h.top)
		return nil
	}
	for _, index := range h.free {
		if err := add(index, classOf(index)); err != nil {
			return err
		}
	}
	for class := range h.classes {
		for _, index := range h.classes[class].worn {
			if err := add(index, class); err != nil {
				return err
			}
		}
	}
	if with := int(h.top - without.len()); with != h.live {
		return fmt.Errorf("%d slots have a record, but Len is %d; %s", with, h.live, checks.Misused)
	}
	for index := uint32(1); index <= h.top; index++ {
		number, class := h.slots.records[index].number, classOf(index)
		if !without.has(index) && number != handleOf(number>>(classBits+indexBits(class)), index, class) {
			return fmt.Errorf("the record in slot %d has the number %#x, which belongs to another slot; memory was overwritten", index, number)
		}
	}
	return nil
}
